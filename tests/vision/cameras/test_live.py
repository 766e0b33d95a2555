"""Live cameras: the capture process at work, killed, stalled, unplugged."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from referee.health import Freshness
from referee.sim.camera_devices import SimulatedCapture, SimulatedPicamera2, Switches, number_in
from referee.vision.camera import Clock, Frame, FrameSource
from referee.vision.cameras.devices import Device, OpencvDevice, Picamera2Device, Wanted
from referee.vision.cameras.live import LiveCamera, Patience
from referee.vision.cameras.stamps import monotonic_us
from tests.vision.cameras.contract import SourceContract, take, until

WANTED = Wanted(320, 180, 100.0)
# Where a stall is not what is tested, a busy machine must not look like one.
CALM = Patience(stale_s=5.0, lost_s=20.0, open_s=60.0, reopen_s=0.05)
QUICK = Patience(stale_s=0.2, lost_s=1.5, open_s=60.0, reopen_s=0.05)


def clock_from_now() -> Clock:
    """A table clock that starts at zero."""
    zero_us = monotonic_us()
    return lambda: monotonic_us() - zero_us


def opencv(folder: Path, wanted: Wanted = WANTED) -> Callable[[], Device]:
    """A simulated USB camera, to be opened in the capture process."""
    return partial(OpencvDevice, 0, wanted, partial(SimulatedCapture, folder))


def camera(folder: Path, wanted: Wanted = WANTED, patience: Patience = CALM, offset_us: int = 0) -> LiveCamera:
    """A live camera over it."""
    return LiveCamera("test camera", opencv(folder, wanted), wanted, clock_from_now(), offset_us, patience)


@pytest.fixture
def switches(tmp_path: Path) -> Switches:
    made = Switches(tmp_path)
    made.set("plugged")
    return made


@pytest.fixture
def live(switches: Switches) -> Iterator[LiveCamera]:
    made = camera(switches.folder)
    yield made
    made.close()


class TestUsbCamera(SourceContract):
    @pytest.fixture
    def source(self, live: LiveCamera) -> FrameSource:
        return live


class TestPicamera2(SourceContract):
    @pytest.fixture
    def source(self, switches: Switches) -> Iterator[FrameSource]:
        make = partial(Picamera2Device, WANTED, partial(SimulatedPicamera2, switches.folder))
        made = LiveCamera("picamera2", make, WANTED, clock_from_now(), 0, CALM)
        yield made
        made.close()


def whole(frames: list[Frame]) -> bool:
    """Whether no picture among them is torn."""
    return all(number_in(frame.picture) is not None for frame in frames)


def test_frames_are_stamped_when_they_were_exposed_and_not_when_they_came(switches: Switches) -> None:
    clock = clock_from_now()
    made = LiveCamera("test camera", opencv(switches.folder), WANTED, clock, 0, CALM)
    try:
        first, *rest = take(made, 20)
        place = number_in(first.picture)
        assert place is not None
        # The simulated camera exposes one picture every 10 ms by its own clock, and delivers it 20 ms later.
        for frame in rest:
            carried = number_in(frame.picture)
            assert carried is not None
            assert abs((frame.t_us - first.t_us) - 10_000 * (carried - place)) <= 1000
            assert clock() - frame.t_us >= 20_000
        assert made.health().clock_error_us == 5_000
    finally:
        made.close()


def test_the_calibrated_offset_is_added_to_every_time(switches: Switches) -> None:
    clock = clock_from_now()
    made = LiveCamera("test camera", opencv(switches.folder), WANTED, clock, 3_600_000_000, CALM)
    try:
        assert take(made, 1)[0].t_us > 3_599_000_000
    finally:
        made.close()


def test_a_driver_without_stamps_is_stamped_by_arrival_and_says_how_far_off(switches: Switches) -> None:
    switches.set("unstamped")
    rough = camera(switches.folder)
    measured = camera(switches.folder, Wanted(320, 180, 100.0, latency_us=20_000))
    try:
        take(rough, 3)
        take(measured, 3)
        assert rough.health().clock_error_us == 40_000
        assert measured.health().clock_error_us == 10_000
    finally:
        rough.close()
        measured.close()


def test_a_capture_process_that_is_killed_comes_back(live: LiveCamera) -> None:
    before = take(live, 5)
    pid = live.process_id
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    lost = []
    after: list[Frame] = []
    assert until(lambda: _note(live, lost, after))
    after += take(live, 5)
    assert any("the capture process was killed" in problem for problem in lost)
    assert live.process_id not in (pid, None)
    assert live.health().starts == 2
    assert live.health().freshness is Freshness.FRESH
    assert after[-1].number > before[-1].number + 1
    assert after[-1].t_us > before[-1].t_us
    assert whole(before + after)


def _note(live: LiveCamera, lost: list[str], after: list[Frame]) -> bool:
    """Poll once; true when frames come again after a loss."""
    frame = live.poll(0.02)
    health = live.health()
    if health.freshness is Freshness.LOST and health.problem:
        lost.append(health.problem)
    if frame is not None and lost:
        after.append(frame)
    return bool(after)


def test_a_camera_killed_again_and_again_leaves_no_shared_memory_and_no_process_behind(switches: Switches) -> None:
    shared = Path("/dev/shm")  # where Linux keeps it
    before = set(shared.glob("psm_*"))
    made = camera(switches.folder)
    pids = []
    for _ in range(3):
        assert take(made, 2)
        pid = made.process_id
        assert pid is not None
        pids.append(pid)
        os.kill(pid, signal.SIGKILL)
        assert until(lambda pid=pid: made.poll(0.02) is None and made.process_id not in (pid, None))
    made.close()
    assert set(shared.glob("psm_*")) <= before
    for pid in pids:
        assert not Path(f"/proc/{pid}").exists()


def test_a_reader_that_is_too_slow_gets_the_newest_frame_and_the_rest_are_counted(live: LiveCamera) -> None:
    take(live, 3)
    time.sleep(0.3)  # thirty frames of this camera: many more than the ring holds
    late = take(live, 1)[0]
    health = live.health()
    assert health.dropped > 5
    # What comes now is not what waited longest.
    assert health.age_us is not None
    assert late.number >= 3 + health.dropped


def test_a_camera_that_stalls_turns_stale_then_lost_and_is_opened_again(switches: Switches) -> None:
    live = camera(switches.folder, patience=QUICK)
    try:
        _stall(live, switches)
    finally:
        live.close()


def _stall(live: LiveCamera, switches: Switches) -> None:
    take(live, 3)
    pid = live.process_id
    switches.set("stalled")
    states: list[Freshness] = []

    def seen(state: Freshness) -> bool:
        live.poll(0.02)
        states.append(live.health().freshness)
        return states[-1] is state

    assert until(lambda: seen(Freshness.STALE))
    assert live.health().problem is None
    assert live.process_id == pid
    assert until(lambda: seen(Freshness.LOST))
    assert "silent" in str(live.health().problem)
    assert states.index(Freshness.STALE) < states.index(Freshness.LOST)
    assert until(lambda: seen(Freshness.LOST) and live.process_id not in (pid, None))
    switches.set("stalled", False)
    assert until(lambda: seen(Freshness.FRESH))
    assert live.health().problem is None


def test_a_camera_that_is_unplugged_is_lost_and_found_again(live: LiveCamera, switches: Switches) -> None:
    last = take(live, 3)[-1]
    switches.set("plugged", False)
    assert until(lambda: live.poll(0.02) is None and "unplugged" in str(live.health().problem))
    assert until(lambda: live.poll(0.02) is None and "cannot be opened" in str(live.health().problem))
    assert live.health().freshness is Freshness.LOST
    assert not live.ended
    switches.set("plugged")
    found = take(live, 1)[0]
    assert found.number > last.number + 1
    assert live.health().freshness is Freshness.FRESH


def test_a_camera_that_is_not_there_is_no_error_until_it_comes(tmp_path: Path) -> None:
    switches = Switches(tmp_path)
    made = camera(tmp_path)
    try:
        assert made.health().freshness is Freshness.LOST
        assert "is being opened" in str(made.health().problem)
        assert until(lambda: made.poll(0.02) is None and "cannot be opened" in str(made.health().problem))
        assert made.health().age_us is None
        switches.set("plugged")
        assert take(made, 1)[0].number == 0
    finally:
        made.close()


def test_a_camera_that_gives_another_size_than_the_profile_says_is_not_used(switches: Switches) -> None:
    made = camera(switches.folder, Wanted(800, 600, 100.0))
    try:
        assert until(
            lambda: (
                made.poll(0.02) is None and "gives 640×480 pixels, not the 800×600 asked" in str(made.health().problem)
            )
        )
    finally:
        made.close()


def test_a_size_nobody_named_is_taken_as_it_comes(switches: Switches) -> None:
    made = LiveCamera(
        "test camera",
        partial(OpencvDevice, 0, Wanted(), partial(SimulatedCapture, switches.folder, sizes=((640, 480),))),
        Wanted(),
        clock_from_now(),
    )
    try:
        assert take(made, 1)[0].picture.shape == (480, 640, 3)
        assert (made.width, made.height, made.fps) == (640, 480, 100.0)
    finally:
        made.close()


def test_polling_returns_when_its_time_is_over_though_nothing_comes(live: LiveCamera, switches: Switches) -> None:
    take(live, 2)
    switches.set("stalled")
    start_s = time.monotonic()
    while live.poll(0.1) is not None:
        pass
    # Generous: what must not happen is to wait for ever.
    assert time.monotonic() - start_s < 10


def test_a_closed_camera_ends_its_process(live: LiveCamera) -> None:
    take(live, 1)
    pid = live.process_id
    live.close()
    assert live.process_id is None
    assert not Path(f"/proc/{pid}").exists()


PARENT = """
import sys, time
from functools import partial
from pathlib import Path
from referee.sim.camera_devices import SimulatedCapture
from referee.vision.cameras.devices import OpencvDevice, Wanted
from referee.vision.cameras.live import LiveCamera
wanted = Wanted(320, 180)
make = partial(OpencvDevice, 0, wanted, partial(SimulatedCapture, Path(sys.argv[1])))
camera = LiveCamera("test camera", make, wanted, lambda: 0)
while camera.poll(0.1) is None:
    pass
print(camera.process_id, flush=True)
time.sleep(600)
"""


def test_the_capture_process_ends_when_its_parent_is_killed(switches: Switches) -> None:
    command = [sys.executable, "-c", PARENT, str(switches.folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert _running(pid)
        parent.kill()
    assert until(lambda: not _running(pid))


def _running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in ("Z", "X")
    except (FileNotFoundError, ProcessLookupError):
        return False
