"""The time between camera and totem, by a lamp that blinks."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.lamp import measure_offset, time_part
from calibration.lamp_light import LampWatch
from calibration.lamp_time import fit_offset
from referee.errors import HardwareError, InputError
from referee.sim.lamp_camera import LampCamera, LampScene
from referee.sim.totem_device import SimulatedTotem
from referee.totem.links.serial_port import SerialLink
from referee.totem.scans import Layout, ScanBatch

Changes = list[tuple[int, bool]]


def blinking(random: np.random.Generator, seconds: float = 20.0) -> Changes:
    times = np.cumsum(random.uniform(70_000, 330_000, 500)).astype(int)
    return [(int(at), k % 2 == 0) for k, at in enumerate(times) if at < seconds * 1e6]


def watched(random: np.random.Generator, changes: Changes, scene: LampScene, seconds: float = 20.0) -> LampWatch:
    """What a camera like that takes of a lamp like that; its time goes as fast as it can."""
    camera = LampCamera(lambda: changes, lambda: 0, scene, int(random.integers(1 << 30)))
    watch = LampWatch()
    first = float(random.uniform(0, 1e6 / scene.fps)) - 300_000
    for number in range(int((seconds + 0.6) * scene.fps)):
        middle = first + number * 1e6 / scene.fps
        late = scene.late_us + random.normal(0, scene.jitter_us)
        watch.add(camera.picture(middle), round(middle + late))
    return watch


def changes_us(changes: Changes) -> NDArray[np.int64]:
    return np.array([at for at, _ in changes], np.int64)


@pytest.mark.parametrize("seed", range(5_401, 5_405))
def test_the_offset_is_found_within_two_milliseconds_at_30_frames_a_second(seed: int) -> None:
    random = np.random.default_rng(seed)
    late = float(random.uniform(-20_000, 150_000))
    scene = LampScene(exposure_us=int(random.uniform(2_000, 30_000)), late_us=late, jitter_us=float(seed % 2) * 1_500)
    changes = blinking(random)
    brightness, row = (watch := watched(random, changes, scene)).brightness()
    found = fit_offset(np.array(watch.t_us), brightness, changes_us(changes), row)
    assert abs(found.offset_us + late) < 2_000
    assert abs(found.offset_us + late) < found.error_us
    assert found.error_us < 5_000


def test_a_lamp_near_the_rim_of_the_picture_is_less_certain() -> None:
    errors = []
    for y in (90.0, 10.0):
        random = np.random.default_rng(5_410)
        changes = blinking(random, 10.0)
        watch = watched(random, changes, LampScene(lamp_px=(150.0, y)), 10.0)
        brightness, row = watch.brightness()
        errors.append(fit_offset(np.array(watch.t_us), brightness, changes_us(changes), row).error_us)
    assert errors[1] > errors[0] + 5_000


def test_another_lamps_blinking_is_refused() -> None:
    random = np.random.default_rng(5_411)
    watch = watched(random, blinking(random, 10.0), LampScene(), 10.0)
    brightness, row = watch.brightness()
    with pytest.raises(InputError, match="not found in the pictures"):
        fit_offset(np.array(watch.t_us), brightness, changes_us(blinking(random, 10.0)), row)


def test_a_lamp_that_is_not_seen_or_burns_out_is_refused() -> None:
    random = np.random.default_rng(5_412)
    with pytest.raises(InputError, match="not seen to blink"):
        watched(random, blinking(random, 3.0), LampScene(glow=0.0), 3.0).brightness()
    with pytest.raises(InputError, match="burns out the picture"):
        watched(random, blinking(random, 3.0), LampScene(glow=1e9), 3.0).brightness()


def test_too_few_changes_are_refused() -> None:
    with pytest.raises(InputError, match="changed 4 times"):
        fit_offset(np.arange(50), np.zeros(50), np.arange(4))


@pytest.fixture
def totem(tmp_path: Path) -> Iterator[SimulatedTotem]:
    random = np.random.default_rng(1)
    counts = (800 + random.integers(0, 3, (50, 12))).astype(np.int32)
    times = np.arange(1, 51, dtype=np.int64) * 20_000
    scans = ScanBatch(Layout(4, 3, (15.0, 45.0, 75.0, 105.0)), 1, times, counts, np.zeros(50, np.float32))
    with SimulatedTotem(scans, tmp_path / "port") as simulated:
        yield simulated


def test_a_totem_on_a_port_and_a_camera_are_brought_together(
    totem: SimulatedTotem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("calibration.lamp.BLINK_US", (25_000, 110_000))  # a quicker lamp before a quicker camera
    zero = time.monotonic()

    def clock() -> int:
        return int((time.monotonic() - zero) * 1e6)

    def changes() -> Changes:
        return [(round((at - zero) * 1e6), on) for at, on in totem.lamp_changes]

    link = SerialLink(tmp_path / "port", clock)
    camera = LampCamera(changes, clock, LampScene(90.0, 3_000, 6_000, 63_000.0, 300.0), 1)
    try:
        found = measure_offset(link, camera, clock, seconds=3.0, seed=2)
    finally:
        link.close()
    assert abs(found.offset_us + 63_000) < found.error_us
    assert not totem.lamp_on
    part = time_part(found, "camera-1", "totem-1")
    assert part.values == {"camera.offset_us": round(found.offset_us)}
    assert part.figures["totem_device"] == "totem-1"


def test_a_port_without_a_totem_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calibration.lamp.WAIT_US", 200_000)
    zero = time.monotonic()

    def clock() -> int:
        return int((time.monotonic() - zero) * 1e6)

    link = SerialLink(tmp_path / "nothing", clock)
    with pytest.raises(HardwareError, match="there is no such port"):
        measure_offset(link, LampCamera(list, clock, LampScene()), clock, seconds=1.0)
