"""The camera's probe before simulated cameras: sound, slow to fetch, stalled, of another size, unplugged."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from referee.doctor.finding import Finding
from referee.doctor.judges.camera import CameraFacts, judge
from referee.doctor.plan import Plan
from referee.doctor.probes.camera import model_of, probe, watch, with_table
from referee.profile import read_profile
from referee.sim.camera_devices import SimulatedCapture, Switches
from referee.totem.links.base import table_clock
from referee.vision.camera import Frame
from referee.vision.cameras.devices import OpencvDevice, Wanted
from referee.vision.cameras.live import LiveCamera, Patience
from tests.session.table import recorded

CALM = Patience(stale_s=5.0, lost_s=20.0, open_s=60.0)
OPEN_S = 40.0


@pytest.fixture
def switches(tmp_path: Path) -> Switches:
    made = Switches(tmp_path)
    made.set("plugged")
    return made


def camera(switches: Switches, wanted: Wanted, patience: Patience = CALM) -> LiveCamera:
    capture = partial(SimulatedCapture, switches.folder)
    return LiveCamera("0", partial(OpencvDevice, 0, wanted, capture), wanted, table_clock(), 0, patience)


@pytest.fixture
def wanted() -> Wanted:
    return Wanted(320, 180, 100.0)


@pytest.fixture
def live(switches: Switches, wanted: Wanted) -> Iterator[LiveCamera]:
    made = camera(switches, wanted)
    yield made
    made.close()


def facts_of(wanted: Wanted) -> CameraFacts:
    return CameraFacts(
        "live", "0", wanted_width=wanted.width, wanted_height=wanted.height, wanted_fps=wanted.fps or 30.0
    )


def verdicts(found: list[Finding]) -> dict[str, str]:
    return {finding.probe: finding.verdict for finding in found}


def test_a_camera_that_works_is_counted_and_its_light_measured(live: LiveCamera, wanted: Wanted) -> None:
    facts, picture = watch(facts_of(wanted), live, 1.0, OPEN_S)
    assert picture is not None
    assert (facts.width, facts.height) == (320, 180)
    assert facts.frames > 1
    assert 0 < facts.span_frames / facts.span_us * 1e6 < 130  # a busy machine gives fewer, none gives more
    assert facts.mean is not None
    assert verdicts(judge(facts))["camera.there"] == "ok"


class StallsAfter:
    """A source whose driver hangs after so many frames."""

    def __init__(self, live: LiveCamera, switches: Switches, frames: int) -> None:
        self._live, self._switches, self._left = live, switches, frames

    def __getattr__(self, name: str) -> object:
        return getattr(self._live, name)

    def poll(self, timeout_s: float) -> Frame | None:
        frame = self._live.poll(timeout_s)
        self._left -= frame is not None
        if self._left <= 0:
            self._switches.set("stalled")
        return frame


def test_a_camera_that_stalls_is_seen_by_the_age_of_its_last_picture(
    live: LiveCamera, switches: Switches, wanted: Wanted
) -> None:
    facts, _ = watch(facts_of(wanted), StallsAfter(live, switches, 20), 1.5, OPEN_S)  # type: ignore[arg-type]
    switches.set("stalled", False)
    assert verdicts(judge(facts))["camera.age"] == "stalled"


class Hiccuping:
    """A source whose reader sleeps before each poll."""

    def __init__(self, live: LiveCamera) -> None:
        self._live = live

    def __getattr__(self, name: str) -> object:
        return getattr(self._live, name)

    def poll(self, timeout_s: float) -> Frame | None:
        time.sleep(0.1)
        return self._live.poll(timeout_s)


def test_pictures_that_nobody_fetched_in_time_are_counted_as_dropped(live: LiveCamera, wanted: Wanted) -> None:
    facts, _ = watch(facts_of(wanted), Hiccuping(live), 1.0, OPEN_S)  # type: ignore[arg-type]
    assert facts.dropped > 10
    assert verdicts(judge(facts))["camera.drops"] == "some"


def test_a_camera_that_keeps_to_another_size_is_told_by_both_sizes(switches: Switches) -> None:
    wanted = Wanted(1920, 1080, 30.0)
    live = camera(switches, wanted)
    try:
        facts, picture = watch(facts_of(wanted), live, 1.0, 10.0)
    finally:
        live.close()
    (there,) = judge(facts)
    assert picture is None
    assert there.verdict == "size"
    assert (there.facts["width"], there.facts["wanted_width"]) == (640, 1920)


def test_a_camera_that_is_not_plugged_in_is_silent_with_its_reason(tmp_path: Path, wanted: Wanted) -> None:
    live = camera(Switches(tmp_path), wanted)
    try:
        facts, _ = watch(facts_of(wanted), live, 1.0, 8.0)
    finally:
        live.close()
    (there,) = judge(facts)
    assert there.verdict == "silent"
    assert "cannot be opened" in str(there.facts["why"])


def test_a_driver_without_stamps_makes_times_coarse(switches: Switches, live: LiveCamera, wanted: Wanted) -> None:
    switches.set("unstamped")
    found = verdicts(judge(watch(facts_of(wanted), live, 0.5, OPEN_S)[0]))
    assert (found["camera.clock"], found["camera.exposure"]) == ("coarse", "unknown")


def test_a_recording_opens_no_camera() -> None:
    profile = str(recorded().folder / "profile.toml")
    assert probe(Plan(profile=profile, camera=str(recorded().folder / "video.mp4"))).kind == "recording"


def test_the_mat_in_a_picture_tells_its_residual_and_how_large_cards_are() -> None:
    from referee.vision.cameras.recorded import VideoFile

    video = VideoFile(recorded().folder / "video.mp4", None, recorded().folder / "frames_t.txt")
    frame = video.poll(1.0)
    video.close()
    assert frame is not None
    profile = read_profile(recorded().folder / "profile.toml")
    facts = with_table(CameraFacts("live", frames=1), profile, frame.picture)
    assert facts.markers_seen == 4
    assert facts.residual_mm is not None
    assert facts.residual_mm < 2
    assert facts.card_px is not None
    assert facts.needs_px is not None
    assert 30 < facts.card_px < 200
    dark = with_table(CameraFacts("live", frames=1), profile, np.zeros_like(frame.picture))
    assert dark.markers_seen == 0
    assert dark.card_px is None


def test_the_camera_is_called_by_its_model_where_the_system_knows_it(tmp_path: Path) -> None:
    (tmp_path / "video7").mkdir()
    (tmp_path / "video7" / "name").write_text("HD Pro Webcam C920: HD Pro Webcam\n")
    assert model_of("7", tmp_path) == model_of("/dev/video7", tmp_path) == "HD Pro Webcam C920"
    assert model_of("8", tmp_path) is None
    assert model_of("picamera2", tmp_path) is None
    assert model_of("rtsp://table.local/1", tmp_path) is None
    found = judge(CameraFacts("live", "7", model="HD Pro Webcam C920", width=640, height=360, frames=3))
    assert found[0].facts["source"] == "7 (HD Pro Webcam C920)"
