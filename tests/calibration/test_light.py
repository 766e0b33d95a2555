"""What the light is like: glare, flicker and exposure are told apart."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.light import judge_light, light_part
from referee.errors import InputError

Picture = NDArray[np.uint8]
SIZE = (640, 360)
FPS = 30.0


def table() -> NDArray[np.float32]:
    y, x = np.mgrid[0 : SIZE[1], 0 : SIZE[0]].astype(np.float32)
    grain = 12 * np.sin(x / 9 + 3 * np.sin(y / 40))
    plane = 105 + 20 * (x / SIZE[0]) + grain
    cv2.rectangle(plane, (80, 60), (150, 130), 225.0, -1)
    cv2.rectangle(plane, (100, 80), (130, 110), 60.0, -1)
    return np.asarray(plane, np.float32)


def frames(
    light: Callable[[float, NDArray[np.float32]], NDArray[np.float32] | float], count: int = 60, spot: float = 0.0
) -> tuple[list[Picture], list[int]]:
    """Frames under a light that depends on the moment of each row (seconds)."""
    random = np.random.default_rng(5_601)
    plane = table()
    if spot:
        cv2.circle(plane, (500, 280), 32, spot, -1)
        plane = cv2.GaussianBlur(plane, (0, 0), 3)
    pictures, times = [], []
    for number in range(count):
        t_s = number / FPS
        rows = t_s + np.arange(SIZE[1], dtype=np.float32) / SIZE[1] * 0.02
        gain = np.asarray(light(t_s, rows), np.float32)
        lit = plane * (gain[:, None] if gain.ndim else gain)
        noisy = lit[:, :, None] + random.normal(0, 2, (SIZE[1], SIZE[0], 3))
        pictures.append(np.asarray(np.clip(noisy, 0, 255), np.uint8))
        times.append(round(t_s * 1e6))
    return pictures, times


def steady(t_s: float, rows: NDArray[np.float32]) -> float:
    return 1.0


def test_good_light_is_called_good() -> None:
    found = judge_light(*frames(steady))
    assert found.problems == ()
    assert found.band_share < 0.004
    assert light_part(found, {}).figures["picture"] == [640, 360]


def test_a_lamps_spot_is_told_by_its_place() -> None:
    found = judge_light(*frames(steady, spot=600.0))
    assert len(found.problems) == 1
    assert "shines back at the bottom right" in found.problems[0]


def test_a_pulsing_lamp_under_a_short_exposure_flickers() -> None:
    def pulsing(t_s: float, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(1 + 0.08 * np.sin(2 * np.pi * 100.3 * rows), np.float32)

    found = judge_light(*frames(pulsing))
    assert any("flickers" in problem for problem in found.problems)


@pytest.mark.parametrize(
    ("hertz", "shutter"), [(100.0, "1/100 s (mains of 50 Hz)"), (120.0, "1/120 s (mains of 60 Hz)")]
)
def test_the_mains_are_told_by_the_beat_where_the_frame_rate_allows(hertz: float, shutter: str) -> None:
    random = np.random.default_rng(5_602)
    plane = table()
    pictures, times = [], []
    for number in range(120):
        t_s = number / 27.3
        lit = plane * (1 + 0.06 * np.sin(2 * np.pi * hertz * t_s))
        pictures.append(np.asarray(np.clip(lit[:, :, None] + random.normal(0, 2, (*plane.shape, 3)), 0, 255), np.uint8))
        times.append(round(t_s * 1e6))
    found = judge_light(pictures, times)
    assert found.mains_hz == hertz
    assert any(shutter in problem for problem in found.problems)


def test_an_exposure_that_drifts_is_told() -> None:
    found = judge_light(*frames(lambda t_s, rows: 1 + 0.05 * t_s))
    assert [problem for problem in found.problems if "drifts" in problem]
    assert not [problem for problem in found.problems if "flickers" in problem]


def test_a_dark_table_is_told() -> None:
    assert any("dark" in problem for problem in judge_light(*frames(lambda t_s, rows: 0.3)).problems)


def test_an_arm_over_the_table_and_too_few_frames_are_refused() -> None:
    pictures, times = frames(steady)
    cv2.rectangle(pictures[30], (0, 0), (300, 300), (30, 60, 200), -1)
    with pytest.raises(InputError, match="something moved"):
        judge_light(pictures, times)
    with pytest.raises(InputError, match="expected 30 at least"):
        judge_light(pictures[:10], times[:10])
