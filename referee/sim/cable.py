"""A USB cable that can go wrong: bytes between a simulated totem and a pseudo-terminal that the host opens.

Belongs here: moving bytes both ways and spoiling them on demand. Does not belong here: what the bytes mean.

The host opens `path`, a link that always leads to the present pseudo-terminal, as `/dev/serial/by-id` does.
The totem's end is two descriptors, of a process or of pipes. Like a USB port, the cable takes no more from
the totem than the host reads.
"""

from __future__ import annotations

import contextlib
import os
import pty
import random
import select
import threading
import time
import tty
from pathlib import Path
from types import TracebackType

_TURN_S = 0.005
_CHUNK = 1024


class Cable:
    """Joins `from_totem` and `to_totem` (descriptors) to a pseudo-terminal at `path`; a thread of its own.

    Fault switches, all of them callable from any thread: `unplug`, `plug_in`, `tug` (unplugged for a moment),
    `gap` (bytes vanish for a moment), `garbage` (bytes of nobody reach the host), `bit_error_rate` (each bit
    towards the host flips with this chance), `stalled` (the host's machine takes nothing from the totem).
    """

    def __init__(self, path: Path, from_totem: int, to_totem: int, seed: int = 0) -> None:
        self.path = path
        self.bit_error_rate = 0.0
        self.stalled = False
        self.bytes_carried = 0
        self._from_totem = from_totem
        self._to_totem = to_totem
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self._main: int | None = None
        self._host_side: int | None = None
        self._pending = b""
        self._gap_until_s = 0.0
        self._plug_at_s: float | None = None
        self._stop = False
        self.plug_in()
        self._thread = threading.Thread(target=self._carry, name="simulated cable", daemon=True)
        self._thread.start()

    def plug_in(self) -> None:
        """Make a new pseudo-terminal and let `path` lead to it; nothing happens when it is plugged in."""
        with self._lock:
            self._plug_at_s = None
            if self._main is not None:
                return
            main, host_side = pty.openpty()
            tty.setraw(host_side)
            os.set_blocking(main, False)
            self._main, self._host_side = main, host_side
            fresh = self.path.with_name(self.path.name + ".new")
            fresh.unlink(missing_ok=True)
            fresh.symlink_to(os.ttyname(host_side))
            fresh.replace(self.path)

    def unplug(self) -> None:
        """Take the pseudo-terminal away; the host's next read fails."""
        with self._lock:
            if self._main is None:
                return
            self.path.unlink(missing_ok=True)
            for descriptor in (self._host_side, self._main):
                if descriptor is not None:
                    os.close(descriptor)
            self._main = self._host_side = None
            self._pending = b""

    def tug(self, seconds: float) -> None:
        """Unplug now and plug in again after `seconds`."""
        self.unplug()
        with self._lock:
            self._plug_at_s = time.monotonic() + seconds

    def gap(self, seconds: float) -> None:
        """Lose everything in both directions for `seconds`, with the port still there."""
        self._gap_until_s = time.monotonic() + seconds

    def garbage(self, count: int) -> None:
        """Put `count` random bytes on the line towards the host."""
        with self._lock:
            self._pending += self._random.randbytes(count)

    def reconnect(self, from_totem: int, to_totem: int) -> None:
        """Put another totem's descriptors at the far end (a totem that was reset, in mid-frame or not)."""
        with self._lock:
            self._from_totem, self._to_totem = from_totem, to_totem

    def close(self) -> None:
        """Stop the thread and take the port away; the totem's descriptors stay open."""
        self._stop = True
        self._thread.join(timeout=5)
        self.unplug()

    def __enter__(self) -> Cable:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _carry(self) -> None:
        while not self._stop:
            plug_at_s = self._plug_at_s
            if plug_at_s is not None and time.monotonic() >= plug_at_s:
                self.plug_in()
            with self._lock:
                busy = self._main is not None and self._turn(self._main)
            if not busy:
                time.sleep(0.0005 if self._main is not None else _TURN_S)

    def _turn(self, main: int) -> bool:
        """Move what can be moved at once; True when something moved."""
        readers = [main] if self._pending or self.stalled else [main, self._from_totem]
        # `main` is readable when the host has written; the totem's end is read only when the host took the
        # rest.
        readable, _, _ = select.select(readers, [], [], 0)
        in_gap = time.monotonic() < self._gap_until_s
        moved = False
        if main in readable:
            moved = self._towards_totem(main, in_gap)
        if self._from_totem in readable:
            with contextlib.suppress(BlockingIOError, OSError):
                data = os.read(self._from_totem, _CHUNK)
                moved = moved or bool(data)
                self._pending = b"" if in_gap else self._spoil(data)
        if self._pending:
            with contextlib.suppress(BlockingIOError):
                written = os.write(main, self._pending)
                self.bytes_carried += written
                self._pending = self._pending[written:]
                moved = moved or written > 0
        return moved

    def _towards_totem(self, main: int, in_gap: bool) -> bool:
        with contextlib.suppress(BlockingIOError, OSError):
            data = os.read(main, _CHUNK)
            if data and not in_gap:
                os.write(self._to_totem, data)
            return bool(data)
        return False

    def _spoil(self, data: bytes) -> bytes:
        rate = self.bit_error_rate
        if not rate or not data:
            return data
        spoiled = bytearray(data)
        # The distance from one flipped bit to the next is exponential: cheaper than asking each bit.
        at = self._random.expovariate(rate)
        while at < 8 * len(spoiled):
            spoiled[int(at) // 8] ^= 1 << (int(at) % 8)
            at += max(1.0, self._random.expovariate(rate))
        return bytes(spoiled)
