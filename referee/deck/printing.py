"""Decks as PDF: print and play, true to scale; our own decks as outlines, others from their pictures.

Belongs here: which sides go on which page, and the PDF itself. Does not belong here: where things lie
(`sheet`) and what our cards look like (`draw`).
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from fpdf import FPDF

from referee.deck.draw import back
from referee.deck.draw.catalogue import drawing
from referee.deck.draw.drawing import PAPER
from referee.deck.draw.svg import document, moved, rectangle
from referee.deck.folder import Card, load_deck, picture
from referee.deck.sheet import Sheet, furniture, sheet_for

# Pictures are printed at up to 300 dots an inch; more only makes the file larger.
_PICTURE_PX_PER_MM = 12


@dataclass(frozen=True)
class Side:
    """What is printed on one side of a card: an SVG body in millimetres, or the bytes of a picture."""

    svg: str | None = None
    png: bytes | None = None


@dataclass(frozen=True)
class Printable:
    """A deck as it is printed: each card's front, and its other side where that is not the common back."""

    name: str
    card_mm: tuple[float, float]
    builtin: str | None
    cards: tuple[tuple[Side, Side | None], ...]


def printable(name: str) -> Printable:
    """What `--deck` would mean by this name, ready to be printed, every card as often as the box holds it.

    Raises `DeckError`.
    """
    if name.startswith("builtin:"):
        drawn = drawing(name.removeprefix("builtin:"))
        sides = [
            (Side(svg=card.front), None if card.back is None else Side(svg=card.back))
            for card in drawn.cards
            for _ in range(card.count)
        ]
        return Printable(drawn.name, drawn.card_mm, drawn.builtin, tuple(sides))
    deck = load_deck(Path(name))
    pictures = [(Side(png=_picture_bytes(card, deck.card_mm)), card.count) for card in deck.cards]
    return Printable(
        deck.name, deck.card_mm, None, tuple((side, None) for side, count in pictures for _ in range(count))
    )


def _picture_bytes(card: Card, card_mm: tuple[float, float]) -> bytes:
    """The card's picture upright, no finer than the printer shows, as a PNG."""
    pixels = picture(card)
    if (pixels.shape[1] > pixels.shape[0]) != (card_mm[0] > card_mm[1]) and card_mm[0] != card_mm[1]:
        pixels = np.rot90(pixels)
    width, height = (round(side * _PICTURE_PX_PER_MM) for side in card_mm)
    if pixels.shape[1] > width:
        pixels = np.asarray(cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
    return cv2.imencode(".png", pixels)[1].tobytes()


def pdf_bytes(deck: Printable, paper: str, *, backs: bool) -> bytes:
    """The whole deck as a PDF on `a4` or `letter`; with `backs` each page is followed by its other side.

    Raises `DeckError` when the card does not fit on the paper.
    """
    sheet = sheet_for(paper, deck.card_mm)
    pdf = FPDF(unit="mm", format=sheet.page_mm)
    pdf.set_title(deck.name)
    pdf.set_auto_page_break(False)
    pages = [deck.cards[start : start + sheet.places] for start in range(0, len(deck.cards), sheet.places)]
    for index, page in enumerate(pages, start=1):
        title = f"{deck.name} {index}/{len(pages)} {paper} - print at 100 %"
        _front_page(pdf, sheet, page, title)
        if backs:
            _back_page(pdf, sheet, page, deck.builtin)
    return bytes(pdf.output())


def _front_page(pdf: FPDF, sheet: Sheet, page: Sequence[tuple[Side, Side | None]], title: str) -> None:
    pdf.add_page()
    _draw(pdf, furniture(sheet, title, ruler=True), (0, 0), sheet.page_mm)
    for place, (front, _) in enumerate(page):
        at = sheet.corner_mm(place)
        if front.svg is not None:
            _draw(pdf, document(*sheet.card_mm, [front.svg]), at, sheet.card_mm)
        elif front.png is not None:
            pdf.image(io.BytesIO(front.png), *at, *sheet.card_mm)


def _back_page(pdf: FPDF, sheet: Sheet, page: Sequence[tuple[Side, Side | None]], builtin: str | None) -> None:
    pdf.add_page()
    fields, motifs = [], []
    for place, (_, other) in enumerate(page):
        at = sheet.corner_mm(sheet.behind(place))
        if other is None or other.svg is None:
            fields.append(moved(back.field(sheet.card_mm, builtin), *at))
            motifs.append(moved(back.motif(sheet.card_mm), *at))
        else:
            motifs.append(_other_side(other.svg, sheet, at))
    # All fields first: each runs a little over its neighbour's edge, and must not cover a neighbour's motif.
    body = document(*sheet.page_mm, [*fields, *motifs])
    _draw(pdf, furniture(sheet, "", ruler=False), (0, 0), sheet.page_mm)
    _draw(pdf, body, (0, 0), sheet.page_mm)


def _other_side(body: str, sheet: Sheet, at: tuple[float, float]) -> str:
    """A card's own other side on white paper, head up once the sheet is turned."""
    width, height = sheet.card_mm
    whole = rectangle(0, 0, width, height, PAPER) + body
    if sheet.turns_upside_down:
        return moved(whole, at[0] + width, at[1] + height, turn_deg=180)
    return moved(whole, *at)


def _draw(pdf: FPDF, svg: str, at: tuple[float, float], size_mm: tuple[float, float]) -> None:
    pdf.image(io.BytesIO(svg.encode()), *at, *size_mm)
