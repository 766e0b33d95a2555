"""A stream whose pictures say when they were taken, from a server on this machine."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import cv2
import numpy as np
import pytest

from referee.errors import HardwareError
from referee.sim.bench_server import BenchServer
from referee.sim.set_up import EXPOSURE_US, BenchCamera
from referee.vision.cameras.devices import Wanted
from referee.vision.cameras.stamps import monotonic_us
from referee.vision.cameras.stream import NoStamps, StampedStream

WANTED = Wanted(96, 48, 30.0)
PERIOD_US = 33_333
OK = b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace;boundary=b\r\n\r\n"


def part(stamp: str | None, shade: int = 90, packed: bytes | None = None) -> bytes:
    if packed is None:
        packed = cv2.imencode(".jpg", np.full((48, 96, 3), shade, np.uint8))[1].tobytes()
    said = "" if stamp is None else f"X-Timestamp: {stamp}\r\n"
    head = f"--b\r\nContent-Type: image/jpeg\r\nContent-Length: {len(packed)}\r\n{said}\r\n"
    return head.encode() + packed + b"\r\n"


def seconds(t_us: int) -> str:
    return f"{t_us // 1_000_000}.{t_us % 1_000_000:06d}"


@contextmanager
def serving(answer: Callable[[], bytes]) -> Iterator[str]:
    """A server that gives one answer to one request and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def once() -> None:
            line, _ = listening.accept()
            with line:
                line.recv(65_536)
                line.sendall(answer())

        thread = threading.Thread(target=once)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/?action=stream"
        thread.join()


def test_each_picture_has_the_drivers_time_however_late_it_comes() -> None:
    begin_us = monotonic_us()
    stamps = [begin_us - 1_000_000 + k * 2_000 for k in range(3)]
    with (
        serving(lambda: OK + b"".join(part(seconds(at), 60 + 40 * k) for k, at in enumerate(stamps))) as address,
        closing(StampedStream(address, WANTED)) as stream,
    ):
        shots = [stream.read() for _ in stamps]
        with pytest.raises(HardwareError, match="gives no more pictures"):
            stream.read()
    shades = [int(shot.picture.mean()) for shot in shots]
    assert shades == sorted(shades)
    for shot, at in zip(shots, stamps, strict=True):
        # A whole microsecond is lost where two clocks are looked at.
        assert abs(shot.exposure.middle_us - (at - PERIOD_US // 4)) <= 2
        assert shot.exposure.error_us == PERIOD_US // 2


def test_what_the_network_has_stored_up_is_dropped_and_not_taken_for_new() -> None:
    now_us = monotonic_us()
    fresh = [part(seconds(now_us - 20_000), 60)]
    stored = [part(seconds(now_us - 2_000_000 + k * 33_000), 120) for k in range(40)]
    with (
        serving(lambda: OK + b"".join([*fresh, *stored, part(seconds(now_us), 180)])) as address,
        closing(StampedStream(address, WANTED)) as stream,
    ):
        shades = [int(stream.read().picture.mean()) for _ in range(2)]
    assert shades == [60, 180]


@pytest.mark.parametrize(
    "answer",
    [
        OK + part(None),
        OK + part("never"),
        OK + part("12345678901.5"),  # fits none of this machine's clocks
        b"HTTP/1.0 404 Not Found\r\n\r\n",
        b"HTTP/1.0 200 OK\r\nContent-Type: video/mp4\r\n\r\n",
    ],
)
def test_a_stream_without_times_of_this_machine_is_read_another_way(answer: bytes) -> None:
    with serving(lambda: answer) as address, pytest.raises(NoStamps):
        StampedStream(address, WANTED)


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        (b"--b\r\nContent-Length: 10\r\n\r\nabc", "gives no more pictures"),
        (b"--b\r\nContent-Length: -1\r\n\r\n", "gives no more pictures"),
        (b"--b\r\nContent-Length: 99999999999\r\n\r\n", "gives no more pictures"),
        (b"x" * 10_000, "gives no more pictures"),
    ],
)
def test_a_stream_that_breaks_is_said_in_a_sentence(rest: bytes, said: str) -> None:
    with (
        serving(lambda: OK + part(seconds(monotonic_us())) + rest) as address,
        closing(StampedStream(address, WANTED)) as stream,
    ):
        stream.read()
        with pytest.raises(HardwareError, match=said):
            stream.read()


def test_a_picture_that_cannot_be_read_is_passed_over_and_many_are_said() -> None:
    def answer() -> bytes:
        stamp = seconds(monotonic_us())
        return OK + part(stamp, packed=b"nothing") + part(stamp, 120) + part(stamp, packed=b"nothing") * 30

    with serving(answer) as address, closing(StampedStream(address, WANTED)) as stream:
        assert abs(float(stream.read().picture.mean()) - 120) < 3
        with pytest.raises(HardwareError, match="its pictures cannot be read"):
            stream.read()


def test_a_camera_that_is_not_there_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with pytest.raises(HardwareError, match="cannot be opened"):
        StampedStream(f"http://127.0.0.1:{port}/", WANTED)


def test_the_simulated_bench_says_when_its_exposures_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []

    class Watching(BenchCamera):
        def picture(self, now_us: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
            taken.append(now_us)
            assert monotonic_us() > now_us + EXPOSURE_US // 2, "the lamp's light is known only afterwards"
            return np.full((48, 96, 3), 90, np.uint8)

    server = BenchServer(Watching(1, (96, 48)), None, 0, 30.0, prepared=False)
    try:
        with closing(StampedStream(server.camera_address, WANTED)) as stream:
            middles = [stream.read().exposure.middle_us for _ in range(3)]
    finally:
        server.close()
    for middle, at in zip(middles, taken, strict=False):
        assert abs(middle - (at + EXPOSURE_US // 2 - PERIOD_US // 4)) <= 2
