"""How the table of each game is laid out when the profile does not say it: seats, and zones that do not overlap.

Belongs here: one arrangement a game, and how near to the middle its piles can be. Does not belong here: what a zone
means to its game (layouts.py), rectangles (zones.py).

Written rule: cards come out as large as can be in a 16:9 picture, and arms as far apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from referee.errors import ProfileError
from referee.profile import TotemPart
from referee.table.zones import Zone, about, apart, grown, picture_size, square, upright

FIRST_SEAT_DEG = 270.0
CARD_MARGIN_MM = 14.0  # a card laid in a hurry lies so far off the middle of its zone
ZONE_GAP_MM = 6.0
SLAM_MARGIN_MM = 22.0  # a card laid as fast as one can
POT_REACH_MM = 24.0  # from the middle of the totem to the pot: a hand closes on the totem without touching cards
STRETCHES = (1.0, 1.35, 1.7, 2.1)  # width over height of the ellipse on which the piles lie

Arrange = Callable[[Sequence[str], tuple[float, float], TotemPart], tuple[dict[str, Zone], dict[str, float]]]
"""Players clockwise, the cards' size (mm) and the totem → zones by name, and the direction each player sits in."""


def seat_angles(count: int) -> list[float]:
    """The directions of `count` seats in clockwise order, the first at the picture's lower edge (degrees)."""
    return [(FIRST_SEAT_DEG - place * 360.0 / count) % 360.0 for place in range(count)]


def _around_the_totem(
    players: Sequence[str], card_mm: tuple[float, float], totem: TotemPart
) -> tuple[dict[str, Zone], dict[str, float]]:
    """Jungle Speed: see `make_layout`."""
    side = max(card_mm) + 2 * CARD_MARGIN_MM
    tables = [_closest(players, side, stretch, beside, totem) for stretch in STRETCHES for beside in (True, False)]
    zones = min(tables, key=picture_size)
    angles = {}
    for player in players:
        x, y = zones[f"face_up/{player}"].centre_mm
        angles[player] = round(math.degrees(math.atan2(totem.centre_mm[1] - y, x - totem.centre_mm[0])) % 360.0, 1)
    return zones, angles


def _across_the_middle(
    players: Sequence[str], card_mm: tuple[float, float], _: TotemPart
) -> tuple[dict[str, Zone], dict[str, float]]:
    """Speed: two players opposite one another; between them, from left to right, the side pile of the first, the two
    central piles and the side pile of the second, so that each turns up onto the pile next to their own (SP-05,
    SP-G19); before each, to their right, the draw pile. Hands are held off the table.
    """
    if len(players) != 2:
        raise ProfileError(f"players: Speed is for exactly 2 players, found {len(players)}")
    wide, high = card_mm
    lay = (wide / 2 + SLAM_MARGIN_MM, high / 2 + SLAM_MARGIN_MM)
    still = (wide / 2 + CARD_MARGIN_MM, high / 2 + CARD_MARGIN_MM)
    pile_x = lay[0] + ZONE_GAP_MM
    side_x = pile_x + lay[0] + ZONE_GAP_MM + still[0]
    draw_y = lay[1] + ZONE_GAP_MM + still[1]
    zones = [Zone(f"central/{n}", "central", None, about(x, 0.0, lay)) for n, x in ((1, -pile_x), (2, pile_x))]
    angles = {}
    for player, sign, angle in zip(players, (-1.0, 1.0), seat_angles(2), strict=True):
        angles[player] = angle
        zones.append(Zone(f"side/{player}", "side", player, about(sign * side_x, 0.0, still)))
        # The first sits at the picture's lower edge: their right is the picture's right.
        zones.append(Zone(f"draw/{player}", "draw", player, about(-sign * pile_x, -sign * draw_y, still)))
    return {zone.name: zone for zone in zones}, angles


def _around_the_auction(
    players: Sequence[str], card_mm: tuple[float, float], totem: TotemPart
) -> tuple[dict[str, Zone], dict[str, float]]:
    """Dobro: the auction in the middle, the second card of a pair beside it, the draw pile on its other side, direction
    and Oubli card below; before each player the personal pile, on which the Oubli card comes to lie.

    The seats are evenly spread, each pile as near to the middle as can be: so arms are told apart best.
    """
    side = max(card_mm) + 2 * CARD_MARGIN_MM
    step, (x0, y0) = side + ZONE_GAP_MM, totem.centre_mm
    spots = {"draw": (-1, -0.5), "table": (0, -0.5), "pair": (1, -0.5), "direction": (-0.5, 0.5), "oubli": (0.5, 0.5)}
    zones = {name: Zone(name, name, None, square(x0 + x * step, y0 + y * step, side)) for name, (x, y) in spots.items()}
    angles = dict(zip(players, seat_angles(len(players)), strict=True))
    for player, angle in angles.items():
        cosine, sine = math.cos(math.radians(angle)), -math.sin(math.radians(angle))
        out = 0.0
        while True:
            rect = square(x0 + out * cosine, y0 + out * sine, side)
            if all(apart(rect, grown(zone.rect, ZONE_GAP_MM)) for zone in zones.values()):
                break
            out += 2.0
        zones[f"pile/{player}"] = Zone(f"pile/{player}", "pile", player, rect)
    return zones, angles


def _closest(players: Sequence[str], side: float, stretch: float, beside: bool, totem: TotemPart) -> dict[str, Zone]:
    """The zones with the face-up piles as near to the totem as can be."""
    radius = 1.5 * side
    while (zones := _zones(players, side, radius, stretch, beside, totem)) is None:
        radius += 4.0
    return zones


def _zones(
    players: Sequence[str], side: float, radius: float, stretch: float, beside: bool, totem: TotemPart
) -> dict[str, Zone] | None:
    """All zones with the face-up piles at `radius`; None where two of them overlap."""
    zones: dict[str, Zone] = {}
    x0, y0 = totem.centre_mm
    for player, angle in zip(players, seat_angles(len(players)), strict=True):
        cosine, sine = math.cos(math.radians(angle)), -math.sin(math.radians(angle))
        x, y = radius * stretch * cosine, radius * sine
        # By a whole side along the direction's greater part; the player's right is a quarter turn on.
        step = (side + ZONE_GAP_MM) / max(abs(cosine), abs(sine))
        to = (sine, -cosine) if beside else (cosine, sine)
        for kind, at in (("face_up", (x, y)), ("reserve", (x + step * to[0], y + step * to[1]))):
            name = f"{kind}/{player}"
            zones[name] = Zone(name, kind, player, square(x0 + at[0], y0 + at[1], side))
    away = _free_direction(len(players))
    reach = totem.diameter_mm / 2 + POT_REACH_MM + side / 2
    cosine, sine = math.cos(math.radians(away)), -math.sin(math.radians(away))
    zones["pot"] = Zone("pot", "pot", None, square(x0 + reach * cosine, y0 + reach * sine, side))
    rects = [zone.rect for zone in zones.values()]
    return zones if all(apart(a, b) for k, a in enumerate(rects) for b in rects[:k]) else None


def _free_direction(count: int) -> float:
    """The direction between the first seat and the next one, where the pot lies (degrees)."""
    return (FIRST_SEAT_DEG - 180.0 / count) % 360.0


def _around_the_centre(
    players: Sequence[str], card_mm: tuple[float, float], totem: TotemPart
) -> tuple[dict[str, Zone], dict[str, float]]:
    """Jungle Bluff: a place in the centre for each player, in rows; a score card and a force in front of everybody."""
    width, height = card_mm[0] + 2 * CARD_MARGIN_MM, card_mm[1] + 2 * CARD_MARGIN_MM
    centre = _centre(len(players), width, height)
    tables = [_in_front(players, max(width, height), centre, stretch) for stretch in STRETCHES]
    zones = min(tables, key=picture_size)
    angles = {}
    for player in players:
        (x, y), (u, v) = (zones[f"{kind}/{player}"].centre_mm for kind in ("score", "force"))
        angles[player] = round(math.degrees(math.atan2(-(y + v), x + u)) % 360.0, 1)
    return zones, angles


def _centre(count: int, width: float, height: float) -> dict[str, Zone]:
    """The places in the centre, row by row from the top left."""
    rows = 1 if count <= 3 else 2
    columns = math.ceil(count / rows)
    zones: dict[str, Zone] = {}
    for place in range(count):
        row, column = divmod(place, columns)
        here = columns if row < rows - 1 else count - columns * (rows - 1)
        x, y = (column - (here - 1) / 2) * (width + ZONE_GAP_MM), (row - (rows - 1) / 2) * (height + ZONE_GAP_MM)
        name = f"centre/{place + 1}"
        zones[name] = Zone(name, "centre", None, upright(x, y, width, height))
    return zones


def _in_front(players: Sequence[str], side: float, centre: Mapping[str, Zone], stretch: float) -> dict[str, Zone]:
    """The centre, and everybody's two places as near to it as can be."""
    radius = side
    while True:
        zones = {**centre}
        for player, angle in zip(players, seat_angles(len(players)), strict=True):
            cosine, sine = math.cos(math.radians(angle)), -math.sin(math.radians(angle))
            x, y = radius * stretch * cosine, radius * sine
            step = (side + ZONE_GAP_MM) / 2 / max(abs(cosine), abs(sine))
            for kind, way in (("score", 1.0), ("force", -1.0)):
                name = f"{kind}/{player}"
                at = (x + way * step * sine, y - way * step * cosine)
                zones[name] = Zone(name, kind, player, square(*at, side))
        rects = [zone.rect for zone in zones.values()]
        if all(apart(a, b) for k, a in enumerate(rects) for b in rects[:k]):
            return zones
        radius += 4.0


ARRANGEMENTS: Mapping[str, Arrange] = {
    "jungle-speed": _around_the_totem,
    "speed": _across_the_middle,
    "dobro": _around_the_auction,
    "jungle-bluff": _around_the_centre,
}
"""For each game: how its table is laid out when the profile does not say it."""
