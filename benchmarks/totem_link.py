"""The totem's transport on this machine: `python benchmarks/totem_link.py` (about two minutes).

Three things, each against its limit:
- host cost: frames of 48 pads at 1,000 scans a second, decoded, ordered and put on the table clock; CPU time
  of this process per second of totem time; limit 10 % of one core. Beside it in the same run a second
  decoder that only splits and checks frames, so that the ratio travels between machines.
- added delay: from the moment a frame's bytes are on the host's side of the pseudo-terminal until `poll` has
  given its scans; limit 5 ms more than a loop that only reads the bytes, at the 99th percentile.
- clock: error after 30 s of pings over simulated USB lines (jitter, stalls, unequal ways, drift to 100 ppm);
  limit 0.5 ms at the 99th percentile over lines whose fastest ways there and back differ by up to 0.8 ms.
"""

from __future__ import annotations

import contextlib
import os
import platform
import pty
import select
import threading
import time
import tty
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from referee.sim.totem_device import TracePads, TraceSettings, load_logic
from referee.sim.usb_line import UsbLine
from referee.totem import cobs
from referee.totem.clock import DeviceClock
from referee.totem.links.serial_port import SerialLink
from referee.totem.receiver import Receiver
from referee.totem.scans import Layout, ScanBatch

SECONDS = 20
RATE = 1000


def trace(seats: int) -> ScanBatch:
    """48 pads, 1,000 scans a second, readings like a real sensor's."""
    draw = np.random.default_rng(1)
    scans = SECONDS * RATE
    layout = Layout(12, 4, tuple(5.0 + 10 * ring for ring in range(12)), seats=seats)
    return ScanBatch(
        layout=layout,
        boot_id=1,
        t_us=np.arange(1, scans + 1, dtype=np.int64) * 1000,
        counts=draw.normal(950, 80, (scans, 48)).astype(np.int32),
        tilt_deg=np.full(scans, 0.4, np.float32),
        yaw_deg=np.zeros(scans, np.float32),
        seated=np.ones(scans, np.bool_),
        seat_index=(np.arange(scans) % seats).astype(np.int8) if seats else None,
        seat_delta=draw.normal(0, 4, (scans, 48)).astype(np.int16) if seats else None,
    )


class _Port:
    def __init__(self) -> None:
        self.to_totem = bytearray()
        self.from_totem = bytearray()

    def read_byte(self) -> int:
        return self.to_totem.pop(0) if self.to_totem else -1

    def ready(self) -> bool:
        return True

    def write(self, block: bytearray) -> int:
        self.from_totem += block
        return len(block)


def host_cost(seats: int) -> None:
    """Print the host's share of a core for one totem."""
    scans = trace(seats)
    pads, port, now = TracePads(scans), _Port(), 0
    device = load_logic().Device(TraceSettings(scans, 4, 64 * 1024), pads, pads, pads, port, b"\1\2\3\4", lambda: now)
    receiver, got, host_s, bytes_ = Receiver(), 0, 0.0, 0
    frames: list[bytes] = []
    for _ in range(len(scans)):
        now = pads.next_us()
        device.step()
        data = bytes(port.from_totem)
        port.from_totem.clear()
        bytes_ += len(data)
        frames.append(data)
        start_s = time.process_time()
        got += sum(len(batch) for batch in receiver.receive(data, now))
        port.to_totem += receiver.to_send(now)
        host_s += time.process_time() - start_s
    assert got >= len(scans) - 8, got
    start_s = time.process_time()
    for frame in b"".join(frames).split(b"\0"):
        if frame:
            payload = cobs.decode(frame)
            assert payload is not None
            zlib.crc32(payload[:-4])
    bare_s = time.process_time() - start_s
    print(
        f"host cost, {seats} seat pads: {host_s / SECONDS:.1%} of a core "
        f"({bytes_ / SECONDS / 1000:.0f} kB/s, {host_s / len(scans) * 1e6:.1f} us a scan), "
        f"{host_s / bare_s:.1f} x splitting and checking the same frames"
    )


class _LiveTotem:
    """The totem in a thread at the far end of a pseudo-terminal; `written` says when each scan's bytes went in."""

    def __init__(self, path: Path) -> None:
        self._main, self._side = pty.openpty()
        tty.setraw(self._side)
        os.set_blocking(self._main, False)
        path.symlink_to(os.ttyname(self._side))
        scans, start_ns = trace(0), time.monotonic_ns()
        self.now_us = lambda: (time.monotonic_ns() - start_ns) // 1000
        self._pads, self._port = TracePads(scans), _Port()
        settings = TraceSettings(scans, 4, 64 * 1024)
        self.device = load_logic().Device(
            settings, self._pads, self._pads, self._pads, self._port, b"\1\2\3\4", self.now_us
        )
        self.written: dict[bytes, int] = {}
        self.bytes_written: list[tuple[int, int]] = [(0, 0)]
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.is_set() and not self._pads.finished:
            with contextlib.suppress(BlockingIOError):
                self._port.to_totem += os.read(self._main, 4096)
            if self._pads.next_us() <= self.now_us():
                self.device.step()
            else:
                self.device.service()
                time.sleep(0.0002)
            if self._port.from_totem:
                # Noted before the write, or the reader could be there first.
                self.written[self._pads.counts.tobytes()] = self.now_us()
                self.bytes_written.append((self.bytes_written[-1][0] + len(self._port.from_totem), self.now_us()))
                if os.write(self._main, self._port.from_totem) != len(self._port.from_totem):
                    raise RuntimeError("the pseudo-terminal did not take a frame whole")
                self._port.from_totem.clear()

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        os.close(self._main)
        os.close(self._side)


def link_delays(path: Path) -> list[int]:
    """Microseconds from the bytes of a frame on the port to its scans in hand."""
    totem = _LiveTotem(path)
    link = SerialLink(path, totem.now_us)
    delays: list[int] = []
    while totem.now_us() < 8_000_000:
        for batch in link.poll(0.05):
            seen = totem.now_us()
            key = batch.counts[-1].astype(np.uint16).tobytes()
            if seen > 2_000_000 and key in totem.written:
                delays.append(seen - totem.written[key])
    link.close()
    totem.close()
    return delays


def bare_delays(path: Path) -> list[int]:
    """The same for a loop that reads bytes and does nothing with them: what the machine itself takes."""
    totem = _LiveTotem(path)
    totem.device.outbox.stream_from(0)
    descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    delays: list[int] = []
    count, place = 0, 0
    while totem.now_us() < 8_000_000:
        if not select.select([descriptor], [], [], 0.05)[0]:
            continue
        count += len(os.read(descriptor, 65536))
        seen = totem.now_us()
        while place + 1 < len(totem.bytes_written) and totem.bytes_written[place + 1][0] <= count:
            place += 1
        if seen > 2_000_000:
            delays.append(max(seen - totem.bytes_written[place][1], 0))
    os.close(descriptor)
    totem.close()
    return delays


def added_delay() -> None:
    """Print how long a frame waits between the port and the caller, beside a bare read loop in the same run."""
    with TemporaryDirectory() as folder:
        for name, measure in (("bare read", bare_delays), ("SerialLink", link_delays)):
            delays = measure(Path(folder) / name.replace(" ", "-"))
            median, high, higher = np.percentile(delays, [50, 95, 99]) / 1000
            print(
                f"delay, {name}, {len(delays)} frames: median {median:.2f} ms, "
                f"95th percentile {high:.2f} ms, 99th {higher:.2f} ms"
            )


def clock_error(lines: str, fastest_us: tuple[tuple[float, float], tuple[float, float]]) -> None:
    """Print the clock's error over many lines after 30 s of pings; ranges of the fastest ways there and back."""
    errors, inside = [], 0
    bounds = []
    for seed in range(150):
        draw = np.random.default_rng(seed)
        line = UsbLine(
            drift_ppm=draw.uniform(-100, 100),
            offset_us=int(draw.integers(-(10**12), 10**12)),
            there_us=draw.uniform(*fastest_us[0]),
            back_us=draw.uniform(*fastest_us[1]),
        )
        clock = DeviceClock()
        end_us = line.ping(clock, 30, seed + 1_000)
        truth = np.arange(end_us, end_us + 1e6, 2e5)
        stamps = line.stamps(truth)
        off = np.abs(clock.to_table(stamps) - truth)
        bound = clock.state(int(stamps[-1])).error_us
        errors.append(off)
        bounds.append(bound)
        inside += int((off <= bound).sum())
    every = np.concatenate(errors)
    median, high = np.percentile(every, [50, 99]) / 1000
    print(
        f"clock after 30 s of pings, 150 {lines}: error median {median:.3f} ms, 99th percentile {high:.3f} ms, "
        f"worst {every.max() / 1000:.3f} ms; within its own bound {inside}/{every.size} "
        f"(bound median {np.median(bounds) / 1000:.2f} ms)"
    )


def main() -> None:
    """Run all three."""
    print(f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}")
    for seats in (0, 6):
        host_cost(seats)
    added_delay()
    clock_error("lines", ((100, 900), (100, 900)))
    clock_error("very lopsided lines", ((150, 150), (1500, 1500)))


if __name__ == "__main__":
    main()
