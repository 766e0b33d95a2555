"""Decks as PDF, looked at through a renderer of its own."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pypdfium2
import pytest
from numpy.typing import NDArray

from referee.deck.draw.catalogue import drawing
from referee.deck.draw.picture import card_picture
from referee.deck.printing import pdf_bytes, printable
from referee.deck.sheet import sheet_for
from referee.deck.write import NewCard, write_deck

DPMM = 4.0


def pages(pdf: bytes) -> list[NDArray[np.uint8]]:
    """Every page as a grey picture of 4 pixels a millimetre."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        return [np.array(page.render(scale=DPMM * 25.4 / 72).to_pil().convert("L")) for page in document]
    finally:
        document.close()


def cut(page: NDArray[np.uint8], at: tuple[float, float], size: tuple[float, float]) -> NDArray[np.uint8]:
    x, y, width, height = (round(value * DPMM) for value in (*at, *size))
    return page[y : y + height, x : x + width]


@pytest.mark.parametrize(
    ("name", "paper", "count"),
    [("totem-rush", "a4", 7), ("totem-rush", "letter", 7), ("52", "a4", 6), ("dobro", "letter", 8)],
)
def test_a_deck_is_printed_on_as_many_pages_as_it_needs(name: str, paper: str, count: int) -> None:
    deck = printable(f"builtin:{name}")
    assert len(pypdfium2.PdfDocument(pdf_bytes(deck, paper, backs=False))) == count
    assert len(pypdfium2.PdfDocument(pdf_bytes(deck, paper, backs=True))) == 2 * count


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_cards_are_printed_true_to_scale_and_in_their_places(paper: str) -> None:
    deck, drawn = printable("builtin:52"), drawing("52")
    sheet = sheet_for(paper, deck.card_mm)
    page = pages(pdf_bytes(deck, paper, backs=False))[0]
    assert page.shape == pytest.approx((sheet.page_mm[1] * DPMM, sheet.page_mm[0] * DPMM), abs=1.5)
    for place in (0, sheet.places - 1):
        printed = cut(page, sheet.corner_mm(place), sheet.card_mm)
        goal = np.array(card_picture(deck.card_mm, drawn.cards[place].front, DPMM).convert("L"))
        assert np.abs(printed.astype(int) - goal).mean() < 4


def test_the_ruler_is_a_hundred_millimetres_long() -> None:
    deck = printable("builtin:totem-rush")
    sheet = sheet_for("a4", deck.card_mm)
    page = pages(pdf_bytes(deck, "a4", backs=False))[0]
    left, _, _, bottom = sheet.block_mm
    strip = page[round((bottom + 7.7) * DPMM) : round((bottom + 8.7) * DPMM)].min(axis=0)
    dark = np.flatnonzero(strip[: round((left + 101) * DPMM)] < 200)
    assert dark[0] / DPMM == pytest.approx(left, abs=0.4)
    assert (dark[-1] - dark[0]) / DPMM == pytest.approx(100, abs=0.5)


def test_the_back_of_the_direction_card_lies_behind_it_and_shows_the_other_way() -> None:
    deck, drawn = printable("builtin:dobro"), drawing("dobro")
    direction = next(card for card in drawn.cards if card.id == "direction")
    assert direction.back is not None
    ids = [card.id for card in drawn.cards for _ in range(card.count)]
    for paper in ("a4", "letter"):
        sheet = sheet_for(paper, deck.card_mm)
        page_number, place = divmod(ids.index("direction"), sheet.places)
        back = pages(pdf_bytes(deck, paper, backs=True))[2 * page_number + 1]
        # Turned about its long edge, as a printer does it: the sheet seen through from the front.
        through = back[::-1] if sheet.turns_upside_down else back[:, ::-1]
        printed = cut(through, sheet.corner_mm(place), sheet.card_mm)
        seen = printed[::-1] if sheet.turns_upside_down else printed[:, ::-1]
        if sheet.turns_upside_down:
            seen = seen[::-1, ::-1]
        goal = np.array(card_picture(deck.card_mm, direction.back, DPMM).convert("L"))
        assert np.abs(seen.astype(int) - goal).mean() < 6


def test_backs_run_over_the_edge_so_that_no_white_shows_after_cutting() -> None:
    deck = printable("builtin:totem-rush")
    sheet = sheet_for("a4", deck.card_mm)
    page = pages(pdf_bytes(deck, "a4", backs=True))[1]
    left, top, right, bottom = sheet.block_mm
    over = cut(page, (left - 1.5, top - 1.5), (right - left + 3, bottom - top + 3))
    rim = np.concatenate([over[0], over[-1], over[:, 0], over[:, -1]])
    assert rim.max() < 120


def test_a_deck_of_pictures_is_printed_from_its_pictures_upright(tmp_path: Path) -> None:
    upright = np.full((440, 315, 3), 255, np.uint8)
    upright[:200] = (0, 0, 160)
    lying = cv2.imencode(".png", np.rot90(upright, 1))[1].tobytes()
    write_deck(tmp_path / "d", "photos", "speed", (63.0, 88.0), "face", [NewCard("AS", 2, lying)])
    deck = printable(str(tmp_path / "d"))
    assert len(deck.cards) == 2
    sheet = sheet_for("a4", deck.card_mm)
    page = pages(pdf_bytes(deck, "a4", backs=True))[0]
    printed = cut(page, sheet.corner_mm(1), sheet.card_mm)
    rows = printed[10:-10, 20:-20].mean(axis=1)
    halves = sorted([rows[: len(rows) // 3].mean(), rows[-len(rows) // 3 :].mean()])
    assert halves[0] < 90
    assert halves[1] > 240


def test_photographs_make_no_huge_file(tmp_path: Path) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (1760, 1260, 3), np.uint8)
    photo = cv2.imencode(".jpg", cv2.GaussianBlur(noise, (0, 0), 2))[1].tobytes()
    write_deck(tmp_path / "d", "photos", "speed", (63.0, 88.0), "face", [NewCard("AS", 1, photo, ".jpg")])
    assert len(pdf_bytes(printable(str(tmp_path / "d")), "a4", backs=False)) < 600_000
