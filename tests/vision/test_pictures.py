"""Pictures of every kind: opened, or refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from referee.errors import PictureError
from referee.vision.pictures import find_pictures, open_picture, video_frames

RED_LEFT = np.zeros((40, 60, 3), np.uint8)
RED_LEFT[:, :30, 0] = 250  # RGB: the left half is red


@pytest.mark.parametrize("suffix", ["jpg", "png", "webp"])
def test_a_picture_comes_in_blue_green_red_order(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    Image.fromarray(RED_LEFT).save(path, quality=95)
    image = open_picture(path)
    assert image.shape == (40, 60, 3)
    assert image.dtype == np.uint8
    assert image[20, 10, 2] > 230
    assert image[20, 10, 0] < 20
    assert image[20, 50].max() < 20


@pytest.mark.parametrize(("orientation", "shape", "red"), [(6, (60, 40), (10, 20)), (3, (40, 60), (20, 50))])
def test_a_picture_is_turned_as_its_exif_tag_says(
    tmp_path: Path, orientation: int, shape: tuple[int, int], red: tuple[int, int]
) -> None:
    path = tmp_path / "a.jpg"
    exif = Image.Exif()
    exif[0x0112] = orientation
    Image.fromarray(RED_LEFT).save(path, exif=exif, quality=95)
    image = open_picture(path)
    assert image.shape[:2] == shape
    assert image[red][2] > 230


def test_sixteen_bits_cmyk_grey_palette_and_transparent_pictures_are_opened(tmp_path: Path) -> None:
    deep = np.full((20, 30), 40_000, np.uint16)
    Image.fromarray(deep).save(tmp_path / "deep.png")
    Image.fromarray(RED_LEFT).convert("CMYK").save(tmp_path / "cmyk.jpg")
    Image.fromarray(RED_LEFT).convert("L").save(tmp_path / "grey.png")
    Image.fromarray(RED_LEFT).convert("P").save(tmp_path / "palette.png")
    clear = np.dstack([RED_LEFT, np.zeros((40, 60), np.uint8)])
    Image.fromarray(clear).save(tmp_path / "clear.png")
    assert abs(int(open_picture(tmp_path / "deep.png")[5, 5, 0]) - 155) <= 1
    for name in ("cmyk.jpg", "grey.png", "palette.png", "clear.png"):
        image = open_picture(tmp_path / name)
        assert image.shape == (40, 60, 3)
    assert open_picture(tmp_path / "clear.png").min() == 255


def test_the_first_frame_of_an_animated_picture_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.webp"
    other = Image.fromarray(np.full((40, 60, 3), 90, np.uint8))
    Image.fromarray(RED_LEFT).save(path, save_all=True, append_images=[other], duration=100, lossless=True)
    assert open_picture(path)[20, 10, 2] > 230


def test_one_pixel_is_a_picture(tmp_path: Path) -> None:
    Image.fromarray(RED_LEFT[:1, :1]).save(tmp_path / "a.png")
    assert open_picture(tmp_path / "a.png").shape == (1, 1, 3)


def test_what_is_no_picture_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "empty.jpg").write_bytes(b"")
    (tmp_path / "text.jpg").write_text("no picture at all", "utf-8")
    Image.fromarray(RED_LEFT).save(tmp_path / "whole.jpg")
    whole = (tmp_path / "whole.jpg").read_bytes()
    (tmp_path / "cut.jpg").write_bytes(whole[: len(whole) // 2])
    for name in ("empty.jpg", "text.jpg", "cut.jpg"):
        with pytest.raises(PictureError, match="cannot be opened, expected a whole JPEG, PNG or WebP"):
            open_picture(tmp_path / name)
    with pytest.raises(PictureError, match="there is no such picture"):
        open_picture(tmp_path / "nowhere.png")


def test_a_picture_too_large_for_memory_is_refused_by_its_header(tmp_path: Path) -> None:
    path = tmp_path / "huge.png"
    Image.new("1", (20_000, 20_000)).save(path)
    with pytest.raises(PictureError, match=r"20000×20000 pixels, expected at most 60 million"):
        open_picture(path)


def test_a_jpeg_too_large_is_read_at_a_reduced_size(tmp_path: Path) -> None:
    path = tmp_path / "large.jpg"
    Image.new("L", (12_000, 8_000), 120).save(path, quality=30)
    image = open_picture(path)
    assert image.shape[0] * image.shape[1] <= 60_000_000
    assert image.shape[1] > image.shape[0]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 600), st.integers(0, 255))
def test_any_damaged_byte_ends_in_a_picture_or_a_sentence(tmp_path: Path, place: int, value: int) -> None:
    path = tmp_path / "a.png"
    Image.fromarray(RED_LEFT).save(path)
    data = bytearray(path.read_bytes())
    data[place % len(data)] = value
    path.write_bytes(bytes(data))
    sentence = ""
    try:
        image = open_picture(path)
    except PictureError as error:
        sentence, image = str(error), np.zeros((1, 1, 3), np.uint8)
    assert image.shape[2] == 3
    assert "\n" not in sentence


def test_a_folder_stands_for_its_pictures_by_name(tmp_path: Path) -> None:
    for name in ("b.png", "a.jpg", "notes.txt"):
        (tmp_path / name).write_bytes(b"x")
    assert [p.name for p in find_pictures([tmp_path])] == ["a.jpg", "b.png"]
    (tmp_path / "nothing").mkdir()
    with pytest.raises(PictureError, match="no picture or video in this folder"):
        find_pictures([tmp_path / "nothing"])


def test_a_video_is_read_frame_by_frame(tmp_path: Path) -> None:
    path = tmp_path / "a.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (64, 48))
    for level in (20, 120, 220):
        writer.write(np.full((48, 64, 3), level, np.uint8))
    writer.release()
    frames = list(video_frames(path))
    assert [number for number, _ in frames] == [0, 1, 2]
    assert [abs(int(frame.mean()) - level) <= 3 for (_, frame), level in zip(frames, (20, 120, 220), strict=True)]


def test_a_video_that_is_none_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_text("no video", "utf-8")
    with pytest.raises(PictureError, match=r"a\.mp4: cannot be opened, expected a video"):
        list(video_frames(tmp_path / "a.mp4"))
    with pytest.raises(PictureError, match="there is no such video"):
        list(video_frames(tmp_path / "b.mp4"))
