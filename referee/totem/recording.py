"""Raw scans kept in a file: safe against a crash while they come in, an `.npz` "Totem trace" at the end.

Belongs here: the file that grows during a recording, and the trace made of it. Does not belong here: where
scans come from (`links`), reading traces (`trace`).

Written rules:
- While recording, `OUT.npz.partial` grows by one checked chunk a batch; a torn tail costs that chunk. It
  reaches the disk at least every `SYNC_S` seconds.
- `OUT.npz` appears whole or not at all; then the partial file goes.
- One trace is one start of the totem: a totem that starts anew goes on in `OUT-2.npz`, `OUT-3.npz`, …
- Nothing that exists is written over unless told so.
"""

from __future__ import annotations

import json
import os
import struct
import time
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from referee.errors import TraceError
from referee.totem.scans import Layout, ScanBatch
from referee.totem.trace import Trace, load_trace

SYNC_S = 1.0
_MAGIC: Final = b"referee totem recording 1\n"
_CHUNK = struct.Struct("<II")  # bytes of the chunk, its CRC-32
_LONGEST_CHUNK = 1 << 24
_MOST_PARTS = 1000


def _columns(batch_or_head: dict[str, object]) -> list[tuple[str, np.dtype[np.generic], tuple[int, ...]]]:
    """Name, type and shape of one scan's part of each array, as the head of a partial file lists them."""
    pads = int(str(batch_or_head["pads"]))
    kinds: dict[str, tuple[str, tuple[int, ...]]] = {
        "t_us": ("<i8", ()),
        "counts": ("<i4", (pads,)),
        "tilt_deg": ("<f4", ()),
        "yaw_deg": ("<f4", ()),
        "seated": ("|b1", ()),
        "seat_index": ("|i1", ()),
        "seat_delta": ("<i2", (pads,)),
    }
    names = batch_or_head["arrays"]
    if not isinstance(names, list) or not set(names) <= set(kinds):
        raise ValueError("unknown arrays")
    return [(name, np.dtype(kinds[name][0]), kinds[name][1]) for name in names]


def _arrays(batch: ScanBatch) -> dict[str, NDArray[np.generic]]:
    optional = {
        "yaw_deg": batch.yaw_deg,
        "seated": batch.seated,
        "seat_index": batch.seat_index,
        "seat_delta": batch.seat_delta,
    }
    present: dict[str, NDArray[np.generic]] = {
        "t_us": batch.t_us,
        "counts": batch.counts,
        "tilt_deg": batch.tilt_deg,
    }
    present.update({name: array for name, array in optional.items() if array is not None})
    return present


class Recorder:
    """Writes the batches given to `add` to `path`; `close` makes the trace and returns the files made.

    `seat_names` names the seat pads, in the order in which the totem drives them. With `force` what is there
    is written over; with `resume` an interrupted recording of the same totem goes on. Raises `TraceError`
    when neither was said and something is there, or when what is there is not a recording.
    """

    def __init__(self, path: Path, seat_names: Sequence[str] = (), force: bool = False, resume: bool = False) -> None:
        if path.suffix != ".npz":
            raise TraceError(f"{path}: expected a name that ends in .npz")
        self._base = path
        self._seat_names = list(seat_names)
        self._force = force
        self._resume = resume
        self._part = 0
        self._file: BinaryIO | None = None
        self._head: dict[str, object] = {}
        self._last_us: int | None = None
        self._synced_s = 0.0
        self._done: list[Path] = []
        self.scans = 0
        self.resumed_scans = 0
        self._check_free(path)
        if resume:
            interrupted = [part for part in range(_MOST_PARTS) if self._partial(self._path(part)).exists()]
            if not interrupted:
                raise TraceError(f"{path}: there is no interrupted recording to resume")
            self._part = interrupted[0]
            self._reopen()

    def _path(self, part: int) -> Path:
        return self._base if part == 0 else self._base.with_name(f"{self._base.stem}-{part + 1}.npz")

    @staticmethod
    def _partial(path: Path) -> Path:
        return path.with_name(path.name + ".partial")

    def _taken(self, path: Path) -> bool:
        return not self._force and (path.exists() or self._partial(path).exists())

    def _check_free(self, path: Path) -> None:
        if not path.parent.is_dir():
            raise TraceError(f"{path}: there is no folder {path.parent}")
        if self._force:
            return
        if path.exists() and not self._resume:
            raise TraceError(f"{path}: exists already; --force writes over it")
        if self._partial(path).exists() and not self._resume:
            raise TraceError(
                f"{self._partial(path)}: an interrupted recording is there; "
                "--resume goes on with it, --force throws it away"
            )

    def _reopen(self) -> None:
        partial = self._partial(self._path(self._part))
        head, good_bytes, scans, last_us = _survey(partial)
        self._head, self._last_us = head, last_us
        self.resumed_scans = scans
        file = partial.open("r+b")
        file.truncate(good_bytes)
        file.seek(good_bytes)
        self._file = file

    @property
    def zero_unix_us(self) -> int | None:
        """When the table clock of the recording being resumed was zero, in unix microseconds."""
        value = self._head.get("zero_unix_us")
        return value if isinstance(value, int) else None

    def add(self, batch: ScanBatch, zero_unix_us: int | None = None) -> None:
        """Keep a batch; scans that are not later than the last kept one (sent twice) are left out.

        `zero_unix_us`, said with the first batch, lets an interrupted recording go on with the same zero.
        """
        arrays = _arrays(batch)
        if self._file is not None and self._head["boot_id"] != batch.boot_id:
            self._finish()
            self._part += 1
        if self._file is None:
            self._begin(batch, list(arrays), zero_unix_us)
        if list(arrays) != self._head["arrays"] or batch.layout.pads != self._head["pads"]:
            raise TraceError(f"{self._base}: the totem changed its layout within one start")
        fresh = slice(None)
        if self._last_us is not None:
            fresh = slice(int(np.searchsorted(batch.t_us, self._last_us, side="right")), None)
        count = len(batch.t_us[fresh])
        if not count:
            return
        payload = struct.pack("<I", count) + b"".join(
            np.ascontiguousarray(arrays[name][fresh], dtype=kind).tobytes() for name, kind, _ in _columns(self._head)
        )
        self._write(payload)
        self._last_us = int(batch.t_us[-1])
        self.scans += count

    def _begin(self, batch: ScanBatch, names: list[str], zero_unix_us: int | None) -> None:
        while self._part and self._taken(self._path(self._part)):
            # In the middle of a recording nothing is refused: the next free name is taken.
            self._part += 1
        path = self._path(self._part)
        layout = batch.layout
        seats = (self._seat_names + [f"seat {seat}" for seat in range(len(self._seat_names), layout.seats)])[
            : layout.seats
        ]
        self._head = {
            "boot_id": batch.boot_id,
            "pads": layout.pads,
            "rings": layout.rings,
            "sectors": layout.sectors,
            "ring_mm": list(layout.ring_mm),
            "diameter_mm": layout.diameter_mm,
            "height_mm": layout.height_mm,
            "seat_names": seats,
            "arrays": names,
            "zero_unix_us": zero_unix_us,
        }
        self._file = self._partial(path).open("wb")
        self._file.write(_MAGIC)
        self._write(json.dumps(self._head).encode())

    def _write(self, payload: bytes) -> None:
        if self._file is None:
            raise TraceError(f"{self._base}: the recording is closed")
        self._file.write(_CHUNK.pack(len(payload), zlib.crc32(payload)) + payload)
        self._file.flush()
        now_s = time.monotonic()
        if now_s - self._synced_s > SYNC_S:
            os.fsync(self._file.fileno())
            self._synced_s = now_s

    def _finish(self) -> None:
        if self._file is None:
            return
        os.fsync(self._file.fileno())
        self._file.close()
        self._file = None
        self._last_us = None
        path = self._path(self._part)
        write_trace(self._partial(path), path)
        self._partial(path).unlink()
        self._done.append(path)

    def close(self) -> list[Path]:
        """Make the trace of what was recorded; returns the traces written, none when no scan came."""
        self._finish()
        return list(self._done)


def _chunks(partial: Path) -> Iterator[tuple[int, bytes]]:
    """End position and payload of each sound chunk, up to the first that is torn."""
    with partial.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise TraceError(f"{partial}: is not an interrupted recording of a totem")
        while len(start := file.read(_CHUNK.size)) == _CHUNK.size:
            length, checksum = _CHUNK.unpack(start)
            if length > _LONGEST_CHUNK:
                return
            payload = file.read(length)
            if len(payload) != length or zlib.crc32(payload) != checksum:
                return
            yield file.tell(), payload


def _head_of(partial: Path, payload: bytes) -> dict[str, object]:
    try:
        head = json.loads(payload)
        _columns(head)
        Layout(head["rings"], head["sectors"], tuple(head["ring_mm"]))
    except (ValueError, KeyError, TypeError) as error:
        raise TraceError(f"{partial}: the head of the recording cannot be read") from error
    return dict(head)


def _survey(partial: Path) -> tuple[dict[str, object], int, int, int | None]:
    """Head, bytes that are sound, scans, and the last stamp of a partial file."""
    head: dict[str, object] | None = None
    good, scans, last_us = len(_MAGIC), 0, None
    for end, payload in _chunks(partial):
        good = end
        if head is None:
            head = _head_of(partial, payload)
            continue
        (count,) = struct.unpack_from("<I", payload)
        scans += count
        last_us = int.from_bytes(payload[4 + 8 * (count - 1) : 4 + 8 * count], "little", signed=True)
    if head is None:
        raise TraceError(f"{partial}: nothing was recorded before it was interrupted; --force starts anew")
    return head, good, scans, last_us


def write_trace(partial: Path, path: Path) -> int:
    """Make the trace `path` of a partial file, a chunk at a time; returns its scans.

    The trace appears whole or not at all. Raises `TraceError` when the partial file is not one.
    """
    head, _, scans, _ = _survey(partial)
    fresh = path.with_name(path.name + ".new")
    single: dict[str, NDArray[np.generic]] = {
        "rings": np.array(head["rings"], np.int64),
        "sectors": np.array(head["sectors"], np.int64),
        "ring_mm": np.array(head["ring_mm"], np.float64),
        "boot_id": np.array(head["boot_id"], np.int64),
        "diameter_mm": np.array(head["diameter_mm"], np.float64),
        "height_mm": np.array(head["height_mm"], np.float64),
    }
    if head["seat_names"]:
        single["seat_names"] = np.array(head["seat_names"], np.str_)
    columns = _columns(head)
    with fresh.open("wb") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, array in single.items():
                with archive.open(f"{name}.npy", "w") as member:
                    npy.write_array(member, array, allow_pickle=False)
            for place, (name, kind, shape) in enumerate(columns):
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    header = {
                        "descr": npy.dtype_to_descr(kind),
                        "fortran_order": False,
                        "shape": (scans, *shape),
                    }
                    npy.write_array_header_1_0(member, header)
                    for _, payload in list_scans(partial):
                        member.write(_column(payload, columns, place))
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return scans


def read_scans(path: Path) -> ScanBatch:
    """All scans of a trace file as one batch, to play it again; raises `TraceError` for an unsound one."""
    return scans_of(load_trace(path))


def scans_of(trace: Trace) -> ScanBatch:
    """All scans of a trace as one batch, for whoever plays it; raises `TraceError` when no totem could send it."""
    seats = trace.seats
    layout = Layout(
        rings=trace.layout.rings,
        sectors=trace.layout.sectors,
        ring_mm=tuple(float(ring) for ring in trace.layout.ring_mm),
        height_mm=trace.layout.height_mm,
        seats=0 if seats is None else len(seats.names),
    )
    return ScanBatch(
        layout=layout,
        boot_id=trace.boot_id,
        t_us=trace.t_us,
        counts=trace.counts,
        tilt_deg=trace.tilt_deg,
        yaw_deg=trace.yaw_deg,
        seated=trace.seated,
        seat_index=None if seats is None else seats.index,
        seat_delta=None if seats is None else seats.delta,
    )


def list_scans(partial: Path) -> Iterator[tuple[int, bytes]]:
    """The chunks of a partial file that hold scans."""
    chunks = _chunks(partial)
    next(chunks, None)
    return chunks


def _column(payload: bytes, columns: list[tuple[str, np.dtype[np.generic], tuple[int, ...]]], place: int) -> memoryview:
    """The bytes of one array within one chunk of scans."""
    (count,) = struct.unpack_from("<I", payload)
    at = 4
    for _, kind, shape in columns[:place]:
        at += count * kind.itemsize * int(np.prod(shape, dtype=np.int64))
    _, kind, shape = columns[place]
    return memoryview(payload)[at : at + count * kind.itemsize * int(np.prod(shape, dtype=np.int64))]
