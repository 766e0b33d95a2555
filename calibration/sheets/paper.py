"""Papers, single and glued together from several.

Belongs here: names and sizes, where a page lies in the whole, what a printer cannot reach. Does not belong here: PDF.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from referee.errors import InputError

# Most printers leave 4 to 6 mm blank at each edge.
MARGIN_MM = 7.0
_A4, _A3, _A2, _LETTER = (297.0, 210.0), (420.0, 297.0), (594.0, 420.0), (279.4, 215.9)


@dataclass(frozen=True)
class Paper:
    """`columns` × `rows` pages of one size (width, height in mm), lying across.

    Of a single page all but its margins is the whole; several are cut at their right and lower marks and glued.
    """

    name: str
    page_mm: tuple[float, float]
    columns: int = 1
    rows: int = 1

    @property
    def tile_mm(self) -> tuple[float, float]:
        """The part of a page that a printer reaches."""
        return self.page_mm[0] - 2 * MARGIN_MM, self.page_mm[1] - 2 * MARGIN_MM

    @property
    def whole_mm(self) -> tuple[float, float]:
        """Width and height of what can be drawn on."""
        return self.columns * self.tile_mm[0], self.rows * self.tile_mm[1]

    def origins(self) -> Iterator[tuple[int, int, tuple[float, float]]]:
        """Column, row and top left corner in the whole, page by page."""
        for row in range(self.rows):
            for column in range(self.columns):
                yield column, row, (column * self.tile_mm[0], row * self.tile_mm[1])

    def seams(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Where pages meet in the whole: x of the upright seams, y of the lying ones."""
        wide, high = self.tile_mm
        return tuple(wide * n for n in range(1, self.columns)), tuple(high * n for n in range(1, self.rows))

    def upright(self) -> Paper:
        """The same paper turned."""
        return Paper(self.name, (self.page_mm[1], self.page_mm[0]), self.rows, self.columns)


PAPERS = {
    paper.name: paper
    for paper in (
        Paper("a4", _A4),
        Paper("letter", _LETTER),
        Paper("a3", _A3),
        Paper("a2", _A2),
        Paper("4xa4", _A4, 2, 2),
        Paper("9xa4", _A4, 3, 3),
        Paper("4xa3", _A3, 2, 2),
    )
}


def fitting(paper: Paper, size_mm: tuple[float, float], what: str) -> Paper:
    """The paper, across or upright, that holds a drawing of this size; raises `InputError` when neither does."""
    for turned in (paper, paper.upright()):
        if size_mm[0] <= turned.whole_mm[0] and size_mm[1] <= turned.whole_mm[1]:
            return turned
    size = f"{size_mm[0]:.0f} × {size_mm[1]:.0f} mm"
    raise InputError(f"--paper {paper.name}: {what} is {size} and does not fit, expected a larger paper")
