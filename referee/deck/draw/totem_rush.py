"""Totem Rush: 18 shapes in families of near twins, 4 colours, and the arrow cards.

Written rules of the drawings:
- the members of a family differ by a few millimetres or a mirror, on purpose; families differ at a glance;
- no shape is another one turned, for a card may lie any way round;
- nothing but the ink's colour tells the colours apart, and the four differ in lightness too;
- the paper is plain, the drawing stays 6 mm from the edge.
All outlines stand about the card's centre, y down, in millimetres.
"""

from __future__ import annotations

from collections.abc import Callable
from math import acos, cos, degrees, pi, sin

from referee.deck.draw.drawing import PAPER, CardDrawing, DeckDrawing
from referee.deck.draw.svg import (
    Point,
    disc,
    fill,
    moved,
    number,
    on_circle,
    outline,
    place,
    regular,
    round_outline,
    stroke,
)

CARD_MM = 60.0
# Chosen with `colours.hardest_to_tell`: at least 20 apart (CIEDE2000) for every kind of colour vision.
COLOURS = {"blue": "#22307f", "red": "#c9341f", "green": "#2fa894", "yellow": "#f2bb1e"}
ARROW_INK = "#2b2b33"


def deck() -> DeckDrawing:
    """The 80 cards: every shape in every colour once, 3 + 3 + 2 arrows."""
    symbols = [
        _card(f"{shape}/{colour}", 1, draw(ink)) for shape, draw in SHAPES.items() for colour, ink in COLOURS.items()
    ]
    arrows = [
        _card("arrow/in", 3, _arrows(inward=True)),
        _card("arrow/out", 3, _arrows(inward=False)),
        _card("arrow/colour", 2, _colour_wheel()),
    ]
    return DeckDrawing("totem-rush", "Totem Rush", "jungle-speed", (CARD_MM, CARD_MM), "symbol", (*symbols, *arrows))


def _card(card_id: str, count: int, body: str) -> CardDrawing:
    return CardDrawing(card_id, count, moved(body, CARD_MM / 2, CARD_MM / 2))


def _curve(radius: Callable[[float], float], steps: int = 240) -> list[Point]:
    """A closed curve given by its radius at each angle in degrees."""
    return [on_circle(radius(360 * i / steps), 360 * i / steps) for i in range(steps)]


def _loops(count: int) -> Callable[[str], str]:
    """A ring of line that loops outwards `count` times (a hypotrochoid)."""
    points = [
        (
            13 * cos(t) + 8 * cos((1 - count) * t),
            13 * sin(t) + 8 * sin((1 - count) * t),
        )
        for t in (2 * pi * i / 360 for i in range(360))
    ]
    return lambda ink: stroke(outline(points), ink, 2.4)


def _swirl(turn: int) -> Callable[[str], str]:
    """Three arms that wind outwards, one way or the other."""
    arms = [
        outline([on_circle(3 + 18 * s, arm + turn * 230 * s) for s in (i / 60 for i in range(61))], closed=False)
        for arm in (0, 120, 240)
    ]
    return lambda ink: disc((0, 0), 5.5, ink) + "".join(stroke(arm, ink, 4.2) for arm in arms)


def _wheel(rim: str) -> Callable[[str], str]:
    """Three discs inside a rim that is round or has eight sides."""
    return lambda ink: (
        stroke(rim, ink, 2.8) + "".join(disc(on_circle(8.2, angle), 5.4, ink) for angle in (-90, 30, 150))
    )


def _wave(width: float) -> Callable[[str], str]:
    """A wavy ring about a dot, its line thin or thick."""
    points = _curve(lambda angle: 17 + 3.2 * cos(9 * angle * pi / 180))
    return lambda ink: stroke(outline(points), ink, width) + disc((0, 0), 5.0, ink)


# Nineteen places in a honeycomb, 9 mm apart.
_HONEYCOMB = [
    (9.0 * (column + row / 2), 9.0 * row * 3**0.5 / 2)
    for row in range(-2, 3)
    for column in range(-2, 3)
    if abs(column + row) <= 2
]


def _seeds(ink: str) -> str:
    """Dots in a honeycomb."""
    return "".join(disc(dot, 3.2, ink) for dot in _HONEYCOMB)


def _seeds_inverse(ink: str) -> str:
    """The same honeycomb of dots, cut out of a hexagon."""
    hexagon = outline(regular(6, 24.5, 0))
    return fill(hexagon + "".join(round_outline(dot, 3.2) for dot in _HONEYCOMB), ink)


def _slits(inner: float, outer: float) -> Callable[[str], str]:
    """A scalloped disc with five slits from one radius to another."""
    edge = outline(_curve(lambda angle: 20.3 + 1.5 * cos(10 * angle * pi / 180)))

    def draw(ink: str) -> str:
        cuts = (outline([on_circle(inner, a), on_circle(outer, a)], closed=False) for a in range(-90, 270, 72))
        return fill(edge, ink) + "".join(stroke(cut, PAPER, 2.6) for cut in cuts)

    return draw


def _moon(bite_mm: float) -> Callable[[str], str]:
    """A crescent with a dot in its bite; `bite_mm` is how far the bite's centre lies off."""
    big, small = 20.5, 15.5
    # Where the two circles cross, as an angle on each of them.
    on_big = degrees(acos((big**2 + bite_mm**2 - small**2) / (2 * big * bite_mm)))
    tip, other = on_circle(big, on_big), on_circle(big, -on_big)
    data = (
        f"M{place(tip)} A{number(big)} {number(big)} 0 1 1 {place(other)}"
        f" A{number(small)} {number(small)} 0 1 0 {place(tip)}Z"
    )
    return lambda ink: fill(data, ink) + disc((9.0, 0), 3.6, ink)


def _nest(*triangles: tuple[float, float]) -> Callable[[str], str]:
    """Triangles inside one another, each a radius and where its first corner points (degrees)."""
    return lambda ink: "".join(
        moved(stroke(outline(regular(3, radius, turn)), ink, 2.8), 0, 2.5) for radius, turn in triangles
    )


SHAPES: dict[str, Callable[[str], str]] = {
    "loops-5": _loops(5),
    "loops-6": _loops(6),
    "swirl-left": _swirl(-1),
    "swirl-right": _swirl(1),
    "wheel-round": _wheel(round_outline((0, 0), 20)),
    "wheel-eight": _wheel(outline(regular(8, 21, 22.5))),
    "wave-thin": _wave(2.1),
    "wave-thick": _wave(4.0),
    "seeds": _seeds,
    "seeds-inverse": _seeds_inverse,
    "slits-short": _slits(14.5, 24),
    "slits-long": _slits(8.5, 24),
    "slits-in": _slits(0, 13),
    "moon-narrow": _moon(8.0),
    "moon-wide": _moon(11.0),
    "nest-2": _nest((23, -90), (8, -90)),
    "nest-3": _nest((23, -90), (15.5, -90), (8, -90)),
    "nest-turned": _nest((23, -90), (8, 90)),
}


def _arrows(*, inward: bool) -> str:
    """Four straight arrows, to a ring in the middle or away from a square."""
    arrow = [(-9.0, 3.2), (1.5, 3.2), (1.5, 8.0), (10.0, 0.0), (1.5, -8.0), (1.5, -3.2), (-9.0, -3.2)]
    body = fill(outline(arrow), ARROW_INK)
    turn = 180.0 if inward else 0.0
    four = "".join(moved(body, *on_circle(16.5, angle), turn_deg=angle + turn) for angle in (45.0, 135.0, 225.0, 315.0))
    if inward:
        return four + stroke(round_outline((0, 0), 3.2), ARROW_INK, 1.8)
    return four + fill(outline(regular(4, 6.0, 45)), ARROW_INK)


def _colour_wheel() -> str:
    """An arrow of each colour, chasing one another round a dot."""
    blade = outline(
        [
            (-12.5, -10.5),
            (3.0, -10.5),
            (3.0, -16.0),
            (14.0, -21.0 + 13.5),
            (3.0, 1.0),
            (3.0, -4.5),
            (-12.5, -4.5),
        ]
    )
    turned = zip((0.0, 90.0, 180.0, 270.0), COLOURS.values(), strict=True)
    chase = "".join(moved(moved(fill(blade, ink), -2.5, -8.5), 0, 0, turn_deg=turn) for turn, ink in turned)
    return chase + disc((0, 0), 4.0, ARROW_INK)
