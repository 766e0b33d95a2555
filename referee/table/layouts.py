"""Where everything lies on a table: seats around the totem, the zones of each, and what a zone means to its game.

Belongs here: a layout worked out from the list of players, the layout a profile says, the zone a point lies in,
and writing a layout as a profile. Does not belong here: reading a profile's file (`referee.profile`), the
camera's lens and homography (`referee.vision`), events.

Written rules:
- table millimetres: x to the right, y down in the camera's picture, origin at the totem; angles in degrees
  counter-clockwise seen from above, 0 = +x; players sit clockwise;
- zones are named by their kind and their owner (`face_up/NAME`, `reserve/NAME`) and, where they are shared, by their
  kind alone or with a number (`pot`, `central/1`);
- what the profile says wins over what is worked out here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from referee.errors import ProfileError
from referee.profile import MOST_PLAYERS, Profile, Rect, TotemPart

Meaning = Literal["flip", "stock", "shared", "pile", "busy", "marker", "hidden"]
"""What a card that comes to lie in a zone is to the game: a card turned by the zone's owner, a stock of hidden ones, a
shared pile that is only taken or laid down, a shared pile on which cards are played one by one, one on which all play
at once, the place of a card that shows how the game stands, a place at which a card lies face down and is never read.
"""
OPEN: tuple[Meaning, ...] = ("flip", "pile", "busy", "marker")
"""Zones on which every new face is a word of the game."""

MEANINGS: Mapping[str, Mapping[str, Meaning]] = {
    "jungle-speed": {"face_up": "flip", "reserve": "stock", "pot": "shared"},
    "speed": {"central": "busy", "side": "stock", "draw": "stock"},
    "jungle-bluff": {"centre": "pile", "score": "pile", "force": "hidden"},
    "dobro": {
        "table": "pile",
        "pair": "pile",
        "draw": "stock",
        "direction": "marker",
        "oubli": "marker",
        "pile": "marker",
    },
}
"""For each game that can be followed on a table: what its kinds of zones mean. Other games take their place here."""

WITH_TOTEM = frozenset({"jungle-speed"})
"""The games in which a totem stands on the table."""

PLAYED_BY: Mapping[str, tuple[int, int]] = {
    "jungle-speed": (3, 10),
    "speed": (2, 2),
    "dobro": (2, 6),
    "jungle-bluff": (2, 10),
}
"""For each game: by how many it is played at least and at most (the headers that its rules take)."""

FIRST_SEAT_DEG = 270.0
CARD_MARGIN_MM = 14.0  # a card laid in a hurry lies so far off the middle of its zone
ZONE_GAP_MM = 6.0
SLAM_MARGIN_MM = 22.0  # a card laid as fast as one can
LEAST_APART_MM = 20.0  # from centre to centre of two piles: nearer, a card would be anybody's
POT_REACH_MM = 24.0  # from the middle of the totem to the pot: a hand closes on the totem without touching cards
MARKER_MM = 40.0
STRETCHES = (1.0, 1.35, 1.7, 2.1)  # width over height of the ellipse on which the piles lie


@dataclass(frozen=True)
class Zone:
    """A named rectangle of the table (mm); `kind` is the name's first part, `player` its owner or None."""

    name: str
    kind: str
    player: str | None
    rect: Rect

    @property
    def centre_mm(self) -> tuple[float, float]:
        """The middle of the zone."""
        return (self.rect[0] + self.rect[2]) / 2, (self.rect[1] + self.rect[3]) / 2


@dataclass(frozen=True)
class Layout:
    """The table of one game: players clockwise, the direction each sits in, zones by name, and the totem."""

    game: str
    players: tuple[str, ...]
    angles_deg: Mapping[str, float]
    zones: Mapping[str, Zone]
    totem: TotemPart = field(default_factory=TotemPart)

    def __post_init__(self) -> None:
        if self.game not in MEANINGS:
            raise ProfileError(f"game: {self.game} has no table layout yet; expected {', '.join(MEANINGS)}")

    @property
    def has_totem(self) -> bool:
        """Whether a totem stands on this table."""
        return self.game in WITH_TOTEM

    def meaning(self, zone: str) -> Meaning | None:
        """What a card in this zone is to the game; None for a zone it does not know."""
        place = self.zones.get(zone)
        return None if place is None else MEANINGS[self.game].get(place.kind)

    def owner(self, zone: str) -> str | None:
        """Whose zone it is; None for a shared one or one that is not known."""
        place = self.zones.get(zone)
        return None if place is None else place.player

    def zone_at(self, x_mm: float, y_mm: float) -> str | None:
        """The zone a card with its centre there belongs to; of several, the one whose centre is nearer."""
        inside = [
            zone
            for zone in self.zones.values()
            if zone.rect[0] <= x_mm <= zone.rect[2] and zone.rect[1] <= y_mm <= zone.rect[3]
        ]
        nearest = min(inside, key=lambda zone: math.dist(zone.centre_mm, (x_mm, y_mm)), default=None)
        return None if nearest is None else nearest.name

    def with_pads(self) -> Layout:
        """The same table with a totem that has seat pads."""
        return replace(self, totem=replace(self.totem, seat_pads=True))


def seat_angles(count: int) -> list[float]:
    """The directions of `count` seats in clockwise order, the first at the picture's lower edge (degrees)."""
    return [(FIRST_SEAT_DEG - place * 360.0 / count) % 360.0 for place in range(count)]


def make_layout(
    game: str,
    players: Sequence[str],
    card_mm: tuple[float, float] = (60.0, 60.0),
    totem: TotemPart | None = None,
) -> Layout:
    """Seats and zones for these players (clockwise), worked out so that no two zones overlap.

    In Jungle Speed face-up piles lie on an ellipse around the totem, reserves beside them (towards the player's right)
    or behind them, the pot beside the totem where no seat is: the way that makes cards largest in a 16:9 picture.
    Raises `ProfileError` for a game that has no layout yet, or another number of players than 2 to 10.
    """
    if not 2 <= len(players) <= MOST_PLAYERS:
        raise ProfileError(f"players: expected 2 to {MOST_PLAYERS} for a table, found {len(players)}")
    totem = TotemPart() if totem is None else totem
    if (arrange := ARRANGEMENTS.get(game)) is None:
        raise ProfileError(f"game: {game} has no table layout yet; expected {', '.join(ARRANGEMENTS)}")
    zones, angles = arrange(players, card_mm, totem)
    return Layout(game, tuple(players), angles, zones, totem)


def _around_the_totem(
    players: Sequence[str], card_mm: tuple[float, float], totem: TotemPart
) -> tuple[dict[str, Zone], dict[str, float]]:
    """Jungle Speed: see `make_layout`."""
    side = max(card_mm) + 2 * CARD_MARGIN_MM
    tables = [_closest(players, side, stretch, beside, totem) for stretch in STRETCHES for beside in (True, False)]
    zones = min(tables, key=_picture_size)
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
    zones = [Zone(f"central/{n}", "central", None, _about(x, 0.0, lay)) for n, x in ((1, -pile_x), (2, pile_x))]
    angles = {}
    for player, sign, angle in zip(players, (-1.0, 1.0), seat_angles(2), strict=True):
        angles[player] = angle
        zones.append(Zone(f"side/{player}", "side", player, _about(sign * side_x, 0.0, still)))
        # The first sits at the picture's lower edge: their right is the picture's right.
        zones.append(Zone(f"draw/{player}", "draw", player, _about(-sign * pile_x, -sign * draw_y, still)))
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
    zones = {
        name: Zone(name, name, None, _square(x0 + x * step, y0 + y * step, side)) for name, (x, y) in spots.items()
    }
    angles = dict(zip(players, seat_angles(len(players)), strict=True))
    for player, angle in angles.items():
        cosine, sine = math.cos(math.radians(angle)), -math.sin(math.radians(angle))
        out = 0.0
        while True:
            rect = _square(x0 + out * cosine, y0 + out * sine, side)
            if all(_apart(rect, _grown(zone.rect, ZONE_GAP_MM)) for zone in zones.values()):
                break
            out += 2.0
        zones[f"pile/{player}"] = Zone(f"pile/{player}", "pile", player, rect)
    return zones, angles


def _grown(rect: Rect, by_mm: float) -> Rect:
    """A rectangle with so much more on every side (mm)."""
    return (rect[0] - by_mm, rect[1] - by_mm, rect[2] + by_mm, rect[3] + by_mm)


Arrange = Callable[[Sequence[str], tuple[float, float], TotemPart], tuple[dict[str, Zone], dict[str, float]]]
"""Players clockwise, the cards' size (mm) and the totem → zones by name, and the direction each player sits in."""


def _around_the_centre(
    players: Sequence[str], card_mm: tuple[float, float], totem: TotemPart
) -> tuple[dict[str, Zone], dict[str, float]]:
    """Jungle Bluff: a place in the centre for each player, in rows; a score card and a force in front of everybody."""
    width, height = card_mm[0] + 2 * CARD_MARGIN_MM, card_mm[1] + 2 * CARD_MARGIN_MM
    centre = _centre(len(players), width, height)
    tables = [_in_front(players, max(width, height), centre, stretch) for stretch in STRETCHES]
    zones = min(tables, key=_picture_size)
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
        zones[name] = Zone(name, "centre", None, _upright(x, y, width, height))
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
                zones[name] = Zone(name, kind, player, _square(*at, side))
        rects = [zone.rect for zone in zones.values()]
        if all(_apart(a, b) for k, a in enumerate(rects) for b in rects[:k]):
            return zones
        radius += 4.0


ARRANGEMENTS: Mapping[str, Arrange] = {
    "jungle-speed": _around_the_totem,
    "speed": _across_the_middle,
    "dobro": _around_the_auction,
    "jungle-bluff": _around_the_centre,
}
"""For each game: how its table is laid out when the profile does not say it."""


def layout_of(profile: Profile, card_mm: tuple[float, float] = (60.0, 60.0)) -> Layout:
    """The layout a profile says; seats and zones it leaves out are worked out.

    A profile with seats is believed as it stands: only a zone of a seat that is missing there is missing here too.
    """
    worked_out = make_layout(profile.game, profile.players, card_mm, profile.totem)
    shared = {name: Zone(name, name.partition("/")[0], None, rect) for name, rect in profile.zones.items()}
    if not profile.seats:
        return replace(worked_out, zones={**worked_out.zones, **shared})
    zones = {
        f"{kind}/{seat.player}": Zone(f"{kind}/{seat.player}", kind, seat.player, rect)
        for seat in profile.seats
        for kind, rect in seat.zones.items()
    }
    for k, one in enumerate(zones.values()):
        for other in list(zones.values())[:k]:
            if math.dist(one.centre_mm, other.centre_mm) < LEAST_APART_MM:
                where = f"{profile.path}: seat: {other.name} and {one.name} lie in one place"
                raise ProfileError(f"{where}, expected a place of its own for each pile")
    angles = {seat.player: seat.angle_deg for seat in profile.seats}
    return Layout(profile.game, profile.players, angles, {**zones, **shared}, profile.totem)


def profile_text(
    layout: Layout,
    deck: str,
    extra: Mapping[str, str] | None = None,
) -> str:
    """A layout as a profile (TOML) that `referee.profile` reads back; markers lie outside all zones.

    `deck` is what the profile's `deck` shall say. `extra` maps the name of a table (`camera`, `announce`) to its
    lines, which are put in as they stand.
    """
    extra = dict(extra or {})
    totem = layout.totem
    lines = [
        f"game = {_quoted(layout.game)}",
        f"players = [{', '.join(_quoted(player) for player in layout.players)}]",
        f"deck = {_quoted(deck)}",
        "",
    ]
    if "camera" in extra:
        lines += ["[camera]", extra.pop("camera").strip(), ""]
    if "table" not in extra and "table.markers" not in extra:
        x, y = marker_reach_mm(layout)
        corners = ", ".join(f"[{a:.1f}, {b:.1f}]" for a, b in ((-x, -y), (x, -y), (x, y), (-x, y)))
        lines += ["[table.markers]", "ids = [0, 1, 2, 3]", f"side_mm = {MARKER_MM:g}", f"centres_mm = [{corners}]", ""]
    for player in layout.players:
        lines += ["[[seat]]", f"player = {_quoted(player)}", f"angle_deg = {layout.angles_deg[player]:.1f}"]
        lines += [f"{zone.kind} = {_rect(zone.rect)}" for zone in layout.zones.values() if zone.player == player]
        lines.append("")
    for zone in layout.zones.values():
        if zone.player is None:
            lines += [f"[zone.{_quoted(zone.name)}]", f"rect = {_rect(zone.rect)}", ""]
    if layout.has_totem:
        lines += _totem_lines(totem)
    for name, text in extra.items():
        lines += [f"[{name}]", text.strip(), ""]
    return "\n".join(lines)


def _totem_lines(totem: TotemPart) -> list[str]:
    lines = ["[totem]"]
    if totem.port is not None:
        lines.append(f"port = {_quoted(totem.port)}")
    lines += [
        f"seat_pads = {'true' if totem.seat_pads else 'false'}",
        f"centre_mm = [{totem.centre_mm[0]:.1f}, {totem.centre_mm[1]:.1f}]",
        f"diameter_mm = {totem.diameter_mm:g}",
        f"height_mm = {totem.height_mm:g}",
    ]
    lines += [f"{key} = {value}" for key in ("rings", "sectors") if (value := getattr(totem, key)) is not None]
    return [*lines, f"angle0_deg = {totem.angle0_deg:.1f}", ""]


def marker_reach_mm(layout: Layout) -> tuple[float, float]:
    """How far from the origin the centres of the four mat markers lie (x, y), outside all zones."""
    x, y = _reach(layout.zones)
    return x + MARKER_MM, y + MARKER_MM


def _reach(zones: Mapping[str, Zone]) -> tuple[float, float]:
    x = max(max(abs(zone.rect[0]), abs(zone.rect[2])) for zone in zones.values())
    y = max(max(abs(zone.rect[1]), abs(zone.rect[3])) for zone in zones.values())
    return x, y


def _picture_size(zones: Mapping[str, Zone]) -> float:
    x, y = _reach(zones)
    return max(x / 16.0, y / 9.0)


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
            zones[name] = Zone(name, kind, player, _square(x0 + at[0], y0 + at[1], side))
    away = _free_direction(len(players))
    reach = totem.diameter_mm / 2 + POT_REACH_MM + side / 2
    cosine, sine = math.cos(math.radians(away)), -math.sin(math.radians(away))
    zones["pot"] = Zone("pot", "pot", None, _square(x0 + reach * cosine, y0 + reach * sine, side))
    rects = [zone.rect for zone in zones.values()]
    apart = all(_apart(a, b) for k, a in enumerate(rects) for b in rects[:k])
    return zones if apart else None


def _free_direction(count: int) -> float:
    """The direction between the first seat and the next one, where the pot lies (degrees)."""
    return (FIRST_SEAT_DEG - 180.0 / count) % 360.0


def _square(x: float, y: float, side: float) -> Rect:
    return _upright(x, y, side, side)


def _upright(x: float, y: float, width: float, height: float) -> Rect:
    return (round(x - width / 2, 1), round(y - height / 2, 1), round(x + width / 2, 1), round(y + height / 2, 1))


def _about(x: float, y: float, half: tuple[float, float]) -> Rect:
    return (round(x - half[0], 1), round(y - half[1], 1), round(x + half[0], 1), round(y + half[1], 1))


def _apart(a: Rect, b: Rect) -> bool:
    return a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _rect(rect: Rect) -> str:
    return "[" + ", ".join(f"{value:.1f}" for value in rect) + "]"
