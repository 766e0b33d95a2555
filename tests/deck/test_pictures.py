"""Pictures of cards are read whole, or refused before they do harm."""

from __future__ import annotations

import tempfile
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from referee.deck.folder import Card, picture
from referee.deck.pictures import picture_size, read_picture
from referee.errors import DeckError


def test_pictures_of_every_usual_kind_are_read_as_colour(tmp_path: Path) -> None:
    colour = Image.new("RGB", (240, 300), (10, 120, 200))
    colour.save(tmp_path / "plain.png")
    colour.convert("CMYK").save(tmp_path / "print.jpg")
    colour.convert("L").save(tmp_path / "grey.png")
    colour.quantize(4).save(tmp_path / "palette.png")
    colour.save(tmp_path / "web.webp", lossless=True)
    cv2.imwrite(str(tmp_path / "deep.png"), np.full((300, 240, 3), 40_000, np.uint16))
    for path in tmp_path.iterdir():
        assert picture_size(path) == (240, 300)
        assert read_picture(path).shape == (300, 240, 3)
        assert read_picture(path).dtype == np.uint8
    assert read_picture(tmp_path / "plain.png")[0, 0].tolist() == [200, 120, 10]


def test_of_a_picture_that_moves_the_first_one_is_read(tmp_path: Path) -> None:
    first, second = Image.new("RGB", (240, 240), (0, 0, 255)), Image.new("RGB", (240, 240), (255, 0, 0))
    for name in ("moving.webp", "moving.png"):
        first.save(tmp_path / name, save_all=True, append_images=[second])
        assert read_picture(tmp_path / name)[0, 0, 0] > 250


def test_what_is_transparent_in_a_picture_is_white_paper(tmp_path: Path) -> None:
    image = Image.new("RGBA", (240, 240), (200, 0, 0, 0))
    image.paste((0, 0, 255, 255), (0, 0, 120, 240))
    image.save(tmp_path / "half.png")
    image.quantize(4).save(tmp_path / "palette.png", transparency=image.quantize(4).getpixel((200, 0)))
    cv2.imwrite(str(tmp_path / "deep.png"), np.asarray(image).astype(np.uint16)[:, :, [2, 1, 0, 3]] * 257)
    for path in tmp_path.iterdir():
        pixels = read_picture(path)
        assert pixels[0, 0].tolist() == [255, 0, 0]
        assert pixels[0, 200].tolist() == [255, 255, 255]


def test_a_photograph_is_turned_as_its_camera_says(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (300, 240)).save(tmp_path / "turned.jpg", exif=exif)
    assert read_picture(tmp_path / "turned.jpg").shape == (300, 240, 3)


@pytest.mark.parametrize("size", [(199, 400), (400, 199), (1, 1), (20_000, 300), (9_000, 9_000)])
def test_a_picture_of_an_absurd_size_is_refused_before_it_is_decoded(tmp_path: Path, size: tuple[int, int]) -> None:
    Image.new("1", size).save(tmp_path / "card.png")
    with pytest.raises(DeckError, match="expected sides from 200 to 10000"):
        picture_size(tmp_path / "card.png")


def test_files_that_are_no_pictures_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text.jpg").write_text("I am a text")
    (tmp_path / "empty.png").write_bytes(b"")
    Image.new("RGB", (300, 300)).save(tmp_path / "moving.gif")
    for path in tmp_path.iterdir():
        with pytest.raises(DeckError, match="not a picture that can be used"):
            picture_size(path)


@pytest.mark.parametrize("suffix", [".webp", ".png", ".jpg"])
def test_a_picture_cut_short_is_refused_without_a_word_from_its_decoder(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], suffix: str
) -> None:
    pixels = np.random.default_rng(1).integers(0, 255, (300, 300, 3), np.uint8)
    whole = cv2.imencode(suffix, pixels)[1].tobytes()
    (tmp_path / f"cut{suffix}").write_bytes(whole[: len(whole) // 3])
    with pytest.raises(DeckError, match="knot/red"):
        picture(Card("knot/red", tmp_path / f"cut{suffix}", 1))
    assert capfd.readouterr().err == ""


DAMAGES = st.lists(st.tuples(st.integers(0, 5_000), st.integers(0, 255)), min_size=1, max_size=12)


@pytest.mark.parametrize("suffix", [".webp", ".png", ".jpg"])
@given(damages=DAMAGES, length=st.integers(1, 8_000))
def test_a_damaged_picture_is_read_or_refused_and_nothing_else(
    suffix: str, damages: list[tuple[int, int]], length: int
) -> None:
    whole = bytearray(cv2.imencode(suffix, np.tile(np.arange(210, dtype=np.uint8), (210, 1)))[1].tobytes())
    for place, value in damages:
        whole[place % len(whole)] = value
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"card{suffix}"
        path.write_bytes(whole[:length])
        try:
            pixels = read_picture(path)
        except DeckError as error:
            pixels = None
            said = str(error)
        assert (str(path) in said) if pixels is None else pixels.shape[2] == 3


def test_a_picture_that_has_gone_is_refused_by_its_card(tmp_path: Path) -> None:
    with pytest.raises(DeckError, match=r"knot/red cannot be used: .*no such picture"):
        picture(Card("knot/red", tmp_path / "gone.png", 1))
