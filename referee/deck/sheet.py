"""How cards lie on a printed sheet: which paper, how many, where; crop marks and the ruler.

Written rules:
- true to scale: everything is in millimetres, and every front page has a 100 mm ruler to check the printer;
- cards touch, so that one cut serves two; crop marks stand outside the block of cards;
- the block is centred, so that backs printed on the other side fall on their fronts when the sheet is turned
  about its long edge.
Does not belong here: PDF, and what is on a card.
"""

from __future__ import annotations

from dataclasses import dataclass

from referee.deck.draw.glyphs import text, text_width
from referee.deck.draw.svg import document, outline, stroke
from referee.errors import DeckError

PAPERS_MM = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
RULER_MM = 100.0
# Most printers leave 4 to 6 mm blank; marks and ruler stand inside what they can reach.
_SIDE_MM = 9.0
_END_MM = 14.0
_INK = "#404048"


@dataclass(frozen=True)
class Sheet:
    """A page's grid of cards; all lengths in millimetres, from the page's top left corner."""

    page_mm: tuple[float, float]
    card_mm: tuple[float, float]
    columns: int
    rows: int

    @property
    def places(self) -> int:
        """How many cards a page holds."""
        return self.columns * self.rows

    @property
    def block_mm(self) -> tuple[float, float, float, float]:
        """The block of cards: left, top, right, bottom."""
        width, height = self.columns * self.card_mm[0], self.rows * self.card_mm[1]
        left, top = (self.page_mm[0] - width) / 2, (self.page_mm[1] - height) / 2
        return left, top, left + width, top + height

    def corner_mm(self, place: int) -> tuple[float, float]:
        """Top left corner of a place; places run in rows from the top left."""
        row, column = divmod(place, self.columns)
        left, top, _, _ = self.block_mm
        return left + column * self.card_mm[0], top + row * self.card_mm[1]

    def behind(self, place: int) -> int:
        """The place that lies behind this one when the sheet is turned about its long edge."""
        row, column = divmod(place, self.columns)
        if self.turns_upside_down:
            return (self.rows - 1 - row) * self.columns + column
        return row * self.columns + (self.columns - 1 - column)

    @property
    def turns_upside_down(self) -> bool:
        """Whether turning the sheet about its long edge puts backs head down: the page lies across."""
        return self.page_mm[0] > self.page_mm[1]


def sheet_for(paper: str, card_mm: tuple[float, float]) -> Sheet:
    """The page, upright or across, that holds the most of these cards; raises `DeckError` when none fits."""
    best: Sheet | None = None
    width, height = PAPERS_MM[paper]
    for page in ((width, height), (height, width)):
        columns = int((page[0] - 2 * _SIDE_MM) // card_mm[0])
        rows = int((page[1] - 2 * _END_MM) // card_mm[1])
        sheet = Sheet(page, card_mm, columns, rows)
        if sheet.places > (best.places if best else 0):
            best = sheet
    if best is None:
        size = f"{card_mm[0]:g} × {card_mm[1]:g} mm"
        raise DeckError(f"card_mm: a card of {size} does not fit on {paper}, expected a smaller card or larger paper")
    return best


def furniture(sheet: Sheet, title: str, *, ruler: bool) -> str:
    """Crop marks, and where asked the ruler and the title, as an SVG file as large as the page."""
    left, top, right, bottom = sheet.block_mm
    marks = []
    for column in range(sheet.columns + 1):
        x = left + column * sheet.card_mm[0]
        marks += [[(x, top - 6.5), (x, top - 2.5)], [(x, bottom + 2.5), (x, bottom + 6.5)]]
    for row in range(sheet.rows + 1):
        y = top + row * sheet.card_mm[1]
        marks += [[(left - 6.5, y), (left - 2.5, y)], [(right + 2.5, y), (right + 6.5, y)]]
    body = [stroke(outline(mark, closed=False), _INK, 0.15) for mark in marks]
    if ruler:
        body += [ruler_at(left, bottom + 8.2), _title(title, left + RULER_MM + 18, right, bottom + 9.4)]
    return document(*sheet.page_mm, body)


def ruler_at(x: float, y: float) -> str:
    """A ruler of 100 mm with its name, from its left end, as SVG."""
    ticks = [outline([(x, y), (x + RULER_MM, y)], closed=False)]
    for step in range(11):
        length = 2.4 if step % 5 == 0 else 1.4
        at = x + step * RULER_MM / 10
        ticks.append(outline([(at, y), (at, y + length)], closed=False))
    label = text("100 mm", (x + RULER_MM + 2, y + 1.2), 2.4, _INK, 0.1, anchor=0)
    return "".join(stroke(tick, _INK, 0.15) for tick in ticks) + label


def _title(title: str, start: float, end: float, y: float) -> str:
    """The title, made smaller where it would not fit."""
    height = min(2.4, 2.4 * (end - start) / max(text_width(title, 2.4), 1e-6))
    return text(title, (end, y), height, _INK, 0.1, anchor=1)
