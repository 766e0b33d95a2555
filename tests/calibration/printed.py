"""Looking at printed sheets through a PDF reader that is not the one that wrote them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pypdfium2
import pypdfium2.raw
from numpy.typing import NDArray

MM_A_POINT = 25.4 / 72


@dataclass(frozen=True)
class Box:
    """The bounds of a path's points in millimetres from the page's top left corner, and its filling (None: a line)."""

    left: float
    top: float
    right: float
    bottom: float
    fill: tuple[int, int, int] | None

    @property
    def size(self) -> tuple[float, float]:
        """Width and height."""
        return self.right - self.left, self.bottom - self.top


def boxes(pdf: bytes, page: int = 0) -> list[Box]:
    """Every path of a page, as the file's own vector coordinates have it."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        sheet = document[page]
        height = sheet.get_height()
        found = []
        for part in sheet.get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_PATH], max_depth=6):
            points = _points(part) * MM_A_POINT
            (left, bottom), (right, top) = points.min(0), points.max(0)
            found.append(Box(left, height * MM_A_POINT - top, right, height * MM_A_POINT - bottom, _fill(part)))
        return found
    finally:
        document.close()


def _points(part: pypdfium2.PdfObject) -> NDArray[np.float64]:
    """The path's own points (N×2, points of the page), whatever the thickness of its line."""
    raw = pypdfium2.raw
    x, y, points = raw.c_float(), raw.c_float(), []
    for place in range(raw.FPDFPath_CountSegments(part.raw)):
        raw.FPDFPathSegment_GetPoint(raw.FPDFPath_GetPathSegment(part.raw, place), x, y)
        points.append(part.get_matrix().on_point(x.value, y.value))
    return np.array(points)


def _fill(part: pypdfium2.PdfObject) -> tuple[int, int, int] | None:
    raw = pypdfium2.raw
    mode, stroked = raw.c_int(), raw.c_int()
    raw.FPDFPath_GetDrawMode(part.raw, mode, stroked)
    if not mode.value:
        return None
    red, green, blue, alpha = (raw.c_uint() for _ in range(4))
    raw.FPDFPageObj_GetFillColor(part.raw, red, green, blue, alpha)
    return red.value, green.value, blue.value


def sizes_mm(pdf: bytes) -> list[tuple[float, float]]:
    """Width and height of every page."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        return [(page.get_width() * MM_A_POINT, page.get_height() * MM_A_POINT) for page in document]
    finally:
        document.close()


def pictures(pdf: bytes, px_per_mm: float) -> list[NDArray[np.uint8]]:
    """Every page as a picture (BGR)."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        return [
            np.ascontiguousarray(
                np.array(page.render(scale=px_per_mm * MM_A_POINT).to_pil().convert("RGB"))[:, :, ::-1]
            )
            for page in document
        ]
    finally:
        document.close()
