"""From a drawing to a PDF: on one page or on several to be glued, each with a ruler and a title.

Belongs here: pages, seams, the PDF itself. Does not belong here: what is drawn.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fpdf import FPDF

from calibration.sheets.paper import MARGIN_MM, Paper
from referee.deck.draw.glyphs import text, text_width
from referee.deck.draw.svg import document, moved, outline, rectangle, stroke
from referee.deck.sheet import RULER_MM, ruler_at

INK = "#404048"
FAINT = "#9a9aa4"
_LETTER_MM = 2.4
_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {"row": "row", "column": "column", "print": "print at 100 %"},
    "fr": {"row": "rangée", "column": "colonne", "print": "imprimer à 100 %"},
}


@dataclass(frozen=True)
class Drawing:
    """Pieces of SVG on a plane of `size_mm`, from its top left corner; `title` is printed beside the ruler.

    `ruler_mm` is where the ruler begins on that plane, for every page of it; `language` that of the words beside it.
    """

    title: str
    size_mm: tuple[float, float]
    body: Sequence[str]
    ruler_mm: tuple[float, float] | None = None
    language: str = "en"


def pdf_of(drawings: Sequence[tuple[Drawing, Paper]]) -> bytes:
    """Drawings one after another, each in the middle of its paper, as a PDF."""
    pdf = FPDF(unit="mm", format=drawings[0][1].page_mm)
    pdf.set_title(drawings[0][0].title)
    pdf.set_auto_page_break(False)
    for drawing, paper in drawings:
        for column, row, (left, top) in paper.origins():
            pdf.add_page(format=paper.page_mm)
            body = _page(drawing, paper, (left, top), (column, row))
            pdf.image(io.BytesIO(document(*paper.page_mm, body).encode()), 0, 0, *paper.page_mm)
    return bytes(pdf.output())


def _page(drawing: Drawing, paper: Paper, corner_mm: tuple[float, float], place: tuple[int, int]) -> list[str]:
    """One page's SVG: the drawing shifted, marks to cut at where another page follows, ruler and title."""
    whole = paper.whole_mm
    x = MARGIN_MM - corner_mm[0] + (whole[0] - drawing.size_mm[0]) / 2
    y = MARGIN_MM - corner_mm[1] + (whole[1] - drawing.size_mm[1]) / 2
    title, words = drawing.title, _WORDS[drawing.language]
    if paper.columns * paper.rows > 1:
        page = place[1] * paper.columns + place[0] + 1
        title += f" - page {page}: {words['row']} {place[1] + 1} {words['column']} {place[0] + 1}"
    body = [moved("".join(drawing.body), x, y), *_marks(paper, place)]
    return [*body, *_furniture(drawing, paper, (x, y), f"{title} - {words['print']}")]


def _furniture(drawing: Drawing, paper: Paper, shift: tuple[float, float], title: str) -> list[str]:
    """The ruler, where the drawing leaves room for it, else at the page's lower edge; the title after it."""
    if drawing.ruler_mm is None or paper.columns * paper.rows > 1:
        x, y = MARGIN_MM + 2, paper.page_mm[1] - MARGIN_MM - 4
    else:
        x, y = drawing.ruler_mm[0] + shift[0], drawing.ruler_mm[1] + shift[1]
    start = x + RULER_MM + 22
    room = paper.page_mm[0] - MARGIN_MM - start
    height = _LETTER_MM * min(1.0, room / max(text_width(title, _LETTER_MM), 1.0))
    ground = []
    if drawing.ruler_mm is None and paper.columns * paper.rows == 1:
        # White below both, so that they can be read where a zone reaches the edge; not across what goes on over a seam.
        ground = [rectangle(x - 1, y - 1, start + text_width(title, height) + 2 - x, 4.4, "#ffffff")]
    return [*ground, ruler_at(x, y), text(title, (start, y + 1.2), height, INK, 0.1, anchor=0)]


def _marks(paper: Paper, place: tuple[int, int]) -> list[str]:
    """Short lines in the margins at the seams with the next pages."""
    wide, high = paper.page_mm
    right, low = wide - MARGIN_MM, high - MARGIN_MM
    lines = []
    if place[0] + 1 < paper.columns:
        lines += [[(right, 0.0), (right, MARGIN_MM)], [(right, low), (right, high)]]
    if place[1] + 1 < paper.rows:
        lines += [[(0.0, low), (MARGIN_MM, low)], [(right, low), (wide, low)]]
    return [stroke(outline(line, closed=False), INK, 0.15) for line in lines]
