"""Arms that touch: parted by their colours, or said to be one outline."""

from __future__ import annotations

import numpy as np
import pytest

from referee.vision.hands import Arm, Arms

ROWS, COLUMNS, CELL_MM = 135, 240, 5.0
FRAME_US = 33_333
SEATS = {"Ana": 270.0, "Bilal": 90.0}
CLOTH, BROWN, PALE = (70, 105, 75), (45, 60, 110), (150, 180, 225)


def cells_mm() -> np.ndarray:
    y, x = np.mgrid[0:ROWS, 0:COLUMNS].astype(float)
    return np.stack([(x - COLUMNS / 2) * CELL_MM, (y - ROWS / 2) * CELL_MM], 2)


def picture(ana: int, bilal: int, skins: tuple[tuple[int, int, int], ...]) -> tuple[np.ndarray, np.ndarray]:
    """Ana's arm reaches up by so many cells, Bilal's down beside hers; the picture, and where they are."""
    small = np.full((ROWS, COLUMNS, 3), CLOTH, np.uint8)
    other = np.zeros((ROWS, COLUMNS), bool)
    for skin, rows, columns in (
        (skins[0], slice(ROWS - ana, ROWS), slice(120, 134)),
        (skins[1], slice(0, bilal), slice(106, 120)),
    ):
        small[rows, columns], other[rows, columns] = skin, True
    noise = np.random.default_rng(7).normal(0, 3, small.shape)
    return np.clip(small + noise, 0, 255).astype(np.uint8), other


def met(skins: tuple[tuple[int, int, int], ...]) -> dict[str, Arm]:
    """Two arms come in far apart, and in one frame are beside each other, each beyond the other's hand."""
    arms, found = Arms(cells_mm(), SEATS), []
    for frame, (ana, bilal) in enumerate([(20, 20), (34, 22), (85, 85), (90, 90), (90, 90)]):
        small, other = picture(ana, bilal, skins)
        found = arms.find(other, frame * FRAME_US, small)
    return {max(arm.chances, key=lambda name: arm.chances[name]): arm for arm in found}


def test_arms_that_touch_are_parted_by_their_colours() -> None:
    arms = met((BROWN, PALE))
    assert arms["Ana"].apart
    assert arms["Bilal"].apart
    # Ana's fingers end 90 cells from the lower edge, Bilal's 90 from the upper one.
    assert arms["Ana"].tip_mm[1] == pytest.approx((ROWS / 2 - 90) * CELL_MM, abs=25)
    assert arms["Bilal"].tip_mm[1] == pytest.approx((90 - ROWS / 2) * CELL_MM, abs=25)
    assert arms["Ana"].tip_mm[0] > 0 > arms["Bilal"].tip_mm[0]


def test_arms_of_one_colour_that_touch_are_said_to_be_one_outline() -> None:
    arms = met((PALE, PALE))
    assert not any(arm.apart for arm in arms.values())


def test_an_arm_that_touches_no_other_is_apart() -> None:
    small, other = picture(60, 20, (PALE, PALE))
    assert all(arm.apart for arm in Arms(cells_mm(), SEATS).find(other, 0, small))
