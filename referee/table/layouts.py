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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from referee.errors import ProfileError
from referee.profile import MOST_PLAYERS, Profile, Rect, TotemPart
from referee.table.arrangements import ARRANGEMENTS
from referee.table.zones import Zone, reach_mm

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

LEAST_APART_MM = 20.0  # from centre to centre of two piles: nearer, a card would be anybody's
MARKER_MM = 40.0


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
    x, y = reach_mm(layout.zones)
    return x + MARKER_MM, y + MARKER_MM


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _rect(rect: Rect) -> str:
    return "[" + ", ".join(f"{value:.1f}" for value in rect) + "]"
