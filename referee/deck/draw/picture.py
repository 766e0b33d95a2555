"""Drawings to pictures: what ships in the deck folders is made here, from the same SVG that is printed.

Only whoever draws decks needs this (extra `dev`: resvg-py); reading and printing decks does not.
"""

from __future__ import annotations

import io

import resvg_py
from PIL import Image

from referee.deck.draw.drawing import PAPER
from referee.deck.draw.svg import document, rectangle

PX_PER_MM = 7
# Our cards have a handful of inks; what lies between is the smooth edge of each.
_PALETTE = 40


def card_picture(card_mm: tuple[float, float], body: str, px_per_mm: float) -> Image.Image:
    """A whole card as an RGB picture: white paper and what is drawn on it."""
    width, height = card_mm
    size = round(width * px_per_mm), round(height * px_per_mm)
    return rasterised(document(width, height, [rectangle(0, 0, width, height, PAPER), body], size))


def rasterised(svg: str) -> Image.Image:
    """An SVG file as an RGB picture, of the size the file gives in pixels."""
    png = resvg_py.svg_to_bytes(svg_string=svg, dpi=96, skip_system_fonts=True)
    return Image.open(io.BytesIO(bytes(png))).convert("RGB")


def card_png(card_mm: tuple[float, float], body: str) -> bytes:
    """A card as the bytes of a small PNG, `PX_PER_MM` pixels a millimetre."""
    return small_png(card_picture(card_mm, body, PX_PER_MM))


def small_png(image: Image.Image, colours: int = _PALETTE) -> bytes:
    """A drawing as a PNG with a palette: a few kilobytes, the same bytes every time."""
    out = io.BytesIO()
    reduced = image.quantize(colours, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    reduced.save(out, "PNG", optimize=True)
    return out.getvalue()
