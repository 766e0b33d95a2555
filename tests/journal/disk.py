"""SQLite's own file layer, watched from inside: every write, sync, truncation and deletion passes a Python function.

The library that `sqlite3` itself uses is reached through its extension module, so the very code that keeps a journal is
watched. Each method is the system's own (https://www.sqlite.org/vfs.html); the four that change files tell first, and
what they are told back is done or fails with that code.
"""

from __future__ import annotations

import _sqlite3
import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OK, FULL, IOERR_FSYNC, IOERR_WRITE = 0, 13, 10 | (4 << 8), 10 | (3 << 8)


@dataclass(frozen=True)
class Deed:
    """One change of a file: `write` (offset, content), `truncate` (offset is the size), `sync` or `delete`
    (offset 1: its folder is synced too) (a caller may note others, such as `rename`)."""

    what: str
    name: str
    offset: int = 0
    content: bytes = b""


Watcher = Callable[[Deed], int]

_POINTER, _INT, _INT64 = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64
_OPEN = ctypes.CFUNCTYPE(_INT, _POINTER, _POINTER, _POINTER, _INT, _POINTER)
_DELETE = ctypes.CFUNCTYPE(_INT, _POINTER, ctypes.c_char_p, _INT)
_WRITE = ctypes.CFUNCTYPE(_INT, _POINTER, _POINTER, _INT, _INT64)
_TRUNCATE = ctypes.CFUNCTYPE(_INT, _POINTER, _INT64)
_SYNC = ctypes.CFUNCTYPE(_INT, _POINTER, _INT)

# fmt: off
_METHODS = (
    "close", "read", "write", "truncate", "sync", "file_size", "lock", "unlock", "check_reserved_lock", "file_control",
    "sector_size", "device_characteristics", "shm_map", "shm_lock", "shm_barrier", "shm_unmap", "fetch", "unfetch",
)
_VFS = (
    "open", "delete", "access", "full_pathname", "dl_open", "dl_error", "dl_sym", "dl_close", "randomness", "sleep",
    "current_time", "get_last_error", "current_time_int64", "set_system_call", "get_system_call", "next_system_call",
)
# fmt: on


class _Methods(ctypes.Structure):
    _fields_ = [("version", _INT), *((name, _POINTER) for name in _METHODS)]


class _Vfs(ctypes.Structure):
    _fields_ = [
        ("version", _INT),
        ("file_size", _INT),
        ("longest_path", _INT),
        ("next", _POINTER),
        ("name", ctypes.c_char_p),
        ("data", _POINTER),
        *((name, _POINTER) for name in _VFS),
    ]


class Disk:
    """The default file layer while it is installed; `watch` is told every change before it is made."""

    def __init__(self, watch: Watcher) -> None:
        self.watch = watch
        self._library = ctypes.CDLL(_sqlite3.__file__)
        self._library.sqlite3_vfs_find.restype = ctypes.POINTER(_Vfs)
        self._real = self._library.sqlite3_vfs_find(None)
        self._own = _Vfs.from_buffer_copy(self._real.contents)
        self._own.name = b"watched"
        self._names: dict[int, str] = {}
        self._tables: dict[int, _Methods] = {}
        self._kept: list[Any] = []
        self._own.open = self._point(_OPEN, self._open)
        self._own.delete = self._point(_DELETE, self._delete)

    def __enter__(self) -> Disk:
        self._library.sqlite3_vfs_register(ctypes.byref(self._own), 1)
        return self

    def __exit__(self, *error: object) -> None:
        self._library.sqlite3_vfs_register(self._real, 1)
        self._library.sqlite3_vfs_unregister(ctypes.byref(self._own))

    def _point(self, kind: Any, function: Any) -> int | None:
        made = kind(function)
        self._kept.append(made)
        return ctypes.cast(made, _POINTER).value

    def _open(self, vfs: int, path: int | None, file: int, flags: int, out: int | None) -> int:
        status: int = _OPEN(self._real.contents.open)(vfs, path, file, flags, out)
        if status == OK and path is not None:
            self._names[file] = Path(ctypes.string_at(path).decode()).name
            slot = ctypes.cast(file, ctypes.POINTER(_POINTER))
            slot[0] = ctypes.cast(ctypes.pointer(self._watched(slot[0])), _POINTER).value
        return status

    def _watched(self, real_at: int) -> _Methods:
        """The methods of a file with the three that change it replaced."""
        if real_at not in self._tables:
            real = ctypes.cast(real_at, ctypes.POINTER(_Methods)).contents
            own = _Methods.from_buffer_copy(real)
            write, truncate, sync = _WRITE(real.write), _TRUNCATE(real.truncate), _SYNC(real.sync)
            own.write = self._point(
                _WRITE,
                lambda file, content, size, offset: (
                    self._told(file, "write", offset, ctypes.string_at(content, size))
                    or write(file, content, size, offset)
                ),
            )
            own.truncate = self._point(
                _TRUNCATE, lambda file, size: self._told(file, "truncate", size) or truncate(file, size)
            )
            own.sync = self._point(_SYNC, lambda file, flags: self._told(file, "sync") or sync(file, flags))
            self._tables[real_at] = own
        return self._tables[real_at]

    def _told(self, file: int, what: str, offset: int = 0, content: bytes = b"") -> int:
        return self.watch(Deed(what, self._names.get(file, ""), offset, content))

    def _delete(self, vfs: int, path: bytes, sync_folder: int) -> int:
        told = self.watch(Deed("delete", Path(path.decode()).name, int(bool(sync_folder))))
        return told or int(_DELETE(self._real.contents.delete)(vfs, path, sync_folder))
