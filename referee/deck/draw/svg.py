"""Pieces of SVG as text: the few elements our drawings are made of.

Written rules: lengths in millimetres; only paths, filled or stroked, and translations and turns of groups, so
that every renderer and the PDF writer draw the same thing; numbers are rounded to a micrometre, so that the
same drawing is the same text everywhere. Does not belong here: what is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import cos, pi, sin

Point = tuple[float, float]
Size = tuple[int, int]


def number(value: float) -> str:
    """A length as short text, rounded to a micrometre."""
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def place(point: Point) -> str:
    """A point as path data."""
    return f"{number(point[0])} {number(point[1])}"


def outline(points: Sequence[Point], *, closed: bool = True) -> str:
    """Path data through points joined by straight lines."""
    return "M" + " L".join(place(point) for point in points) + ("Z" if closed else "")


def round_outline(centre: Point, radius: float) -> str:
    """Path data of a whole circle."""
    x, y = centre
    r = number(radius)
    start, middle = place((x - radius, y)), place((x + radius, y))
    return f"M{start} A{r} {r} 0 1 1 {middle} A{r} {r} 0 1 1 {start}Z"


def fill(data: str, colour: str) -> str:
    """A filled path (even-odd: an outline inside another cuts a hole)."""
    return f'<path d="{data}" fill="{colour}" fill-rule="evenodd"/>'


def stroke(data: str, colour: str, width: float) -> str:
    """A line along a path, with round ends and corners."""
    return (
        f'<path d="{data}" fill="none" stroke="{colour}" stroke-width="{number(width)}"'
        ' stroke-linecap="round" stroke-linejoin="round"/>'
    )


def disc(centre: Point, radius: float, colour: str) -> str:
    """A filled circle."""
    return fill(round_outline(centre, radius), colour)


def rectangle(x: float, y: float, width: float, height: float, colour: str) -> str:
    """A filled upright rectangle."""
    return fill(outline([(x, y), (x + width, y), (x + width, y + height), (x, y + height)]), colour)


def moved(body: str, x: float, y: float, *, turn_deg: float = 0.0, scale: float = 1.0) -> str:
    """A group shifted to (x, y), turned clockwise and scaled about that point."""
    steps = f"translate({number(x)} {number(y)})"
    if turn_deg:
        steps += f" rotate({number(turn_deg)})"
    if scale != 1.0:
        steps += f" scale({number(scale)})"
    return f'<g transform="{steps}">{body}</g>'


def on_circle(radius: float, angle_deg: float, centre: Point = (0.0, 0.0)) -> Point:
    """The point at an angle (clockwise on the page, 0 to the right) on a circle."""
    angle = angle_deg * pi / 180
    return centre[0] + radius * cos(angle), centre[1] + radius * sin(angle)


def regular(corners: int, radius: float, turn_deg: float = -90.0) -> list[Point]:
    """The corners of a regular polygon about the origin; by default one corner points up."""
    return [on_circle(radius, turn_deg + 360 * i / corners) for i in range(corners)]


def document(width: float, height: float, body: Iterable[str], size: Size | None = None) -> str:
    """A whole SVG file whose user unit is a millimetre, to be shown true to scale or `size` pixels large."""
    w, h = number(width), number(height)
    shown = f'width="{w}mm" height="{h}mm"' if size is None else f'width="{size[0]}" height="{size[1]}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {shown} viewBox="0 0 {w} {h}">'
    return head + "".join(body) + "</svg>"
