"""Small pictures made by way of halves."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from referee.vision.camera import Frame
from referee.vision.halves import halved, shrunk


def picture(height: int, width: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Soft shapes with a little noise, as a camera sees them."""
    random = np.random.default_rng(height + width)
    soft = cv2.resize(random.integers(0, 255, (height // 40, width // 40, 3), np.uint8), (width, height))
    return np.clip(soft + random.normal(0, 4, soft.shape), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("size", [(256, 144), (240, 135), (200, 100), (500, 280), (900, 500)])
def test_a_shrunk_picture_is_nearly_the_mean_of_the_pixels_under_each_new_one(size: tuple[int, int]) -> None:
    whole = picture(720, 1280)
    small = shrunk(whole, size).astype(np.float32)
    means = cv2.resize(whole, size, interpolation=cv2.INTER_AREA).astype(np.float32)
    assert small.shape == means.shape
    assert abs(float((small - means).mean())) < 0.2
    assert float(np.abs(small - means).mean()) < 1.5


def test_noise_is_averaged_over_all_the_pixels_there_are() -> None:
    random = np.random.default_rng(7)
    noisy = np.clip(128 + random.normal(0, 20, (720, 1280, 3)), 0, 255).astype(np.uint8)
    # 25 pixels under each new one: a fifth of the noise, and a little for pixels that count for two.
    assert float(shrunk(noisy, (256, 144)).std()) < 1.25 * 20 / 5


def test_only_even_sides_are_halved_and_a_frame_is_halved_once() -> None:
    assert halved(picture(721, 1280)) is None
    frame = Frame(0, None, 0, picture(720, 1280))
    assert frame.half is not None
    assert frame.half is frame.half
    assert frame.half.shape == (360, 640, 3)
