"""What truly moves on a simulated table, and when: arms, cards, the totem.

Belongs here: the values a simulated game leaves behind, and where each thing is at a given moment. Does not
belong here: why people do what they do (`people`), how it looks (`film`), what electrodes feel (`touches`).

Everything is in table millimetres and microseconds on the table clock. A card is always in exactly one state:
it rests, it is being turned, it is in a hand on its way, or it is being slid away in a pile.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

OPEN, REACH, PINCH, FLAT, GRIP = "open", "reach", "pinch", "flat", "grip"
SHAPES = (OPEN, REACH, PINCH, FLAT, GRIP)
FOREVER_US = 10**15
BACK = "back"  # instead of a card's id: it lies face down
HELD_BELOW_MM = 8.0  # a card in the hand is so much lower than the hand


class Pose(NamedTuple):
    """Where a card lies: its centre and how far it is turned (degrees, clockwise in the picture)."""

    x: float
    y: float
    turn_deg: float


class ArmKey(NamedTuple):
    """Where a hand's acting point (fingertips, palm or grip) is at `t_us`; `smooth`: it comes to rest there."""

    t_us: int
    x: float
    y: float
    z: float
    shape: str
    smooth: bool = True


class TotemKey(NamedTuple):
    """The totem's foot at `t_us`, and its lean (`toward_deg` counter-clockwise from above)."""

    t_us: int
    x: float
    y: float
    z: float
    tilt_deg: float
    toward_deg: float


@dataclass(frozen=True)
class Rest:
    """A card lying still on a pile (`zone`) from `from_us` to `until_us`, face up or face down."""

    number: int
    card: str
    zone: str
    depth: int  # cards below it
    pose: Pose
    from_us: int
    until_us: int = FOREVER_US
    face_down: bool = False


@dataclass(frozen=True)
class Stock:
    """A face-down pile of `count` cards from `from_us` on; Jungle Speed's reserves have their player's name."""

    name: str
    count: int
    pose: Pose
    from_us: int


@dataclass(frozen=True)
class Turn:
    """A card turned over onto pile `zone`: off the stock at `lift_us`, on its edge at `edge_us`, lying at `laid_us`.

    `axis_deg` is the direction of the edge it turns about (clockwise in the picture); `inward`: towards `by`, who turns
    it, so that the hand ends on top.
    A `stopped` turn goes back before the edge: no face is ever seen.
    """

    number: int
    card: str
    zone: str
    depth: int
    start: Pose
    end: Pose
    axis_deg: float
    lift_us: int
    edge_us: int
    laid_us: int
    inward: bool = False
    stopped: bool = False
    by: str = ""

    def progress(self, t_us: int) -> float:
        """0 face down on the stock, 0.5 on its edge, 1 lying face up; a stopped turn returns to 0."""
        if t_us <= self.edge_us:
            p = min(max((t_us - self.lift_us) / (self.edge_us - self.lift_us), 0.0), 1.0)
            u = 0.5 * p * p * (1.6 - 0.6 * p)
        else:
            q = min(max((self.laid_us - t_us) / (self.laid_us - self.edge_us), 0.0), 1.0)
            u = 1.0 - 0.5 * q * q * (1.6 - 0.6 * q)
        return float(0.3 * np.sin(np.pi * u)) if self.stopped else u


@dataclass(frozen=True)
class Flight:
    """A card in a hand on its way over the table, from `from_us` to `until_us`.

    It keeps its place under the hand's acting point: `offset_mm` from there to the card's centre. `turn_deg` and
    `lean_deg` are at the beginning and the end (the lean: 0 face up, 90 on its edge, 180 face down, about the line
    across the arm); what lies below it in the end is `depth` cards high. `zone`: where it goes, None when it leaves.
    """

    number: int
    card: str
    by: str
    zone: str | None
    depth: int
    offset_mm: tuple[float, float]
    turn_deg: tuple[float, float]
    lean_deg: tuple[float, float]
    from_us: int
    until_us: int

    def share(self, t_us: int) -> float:
        """How much of the way is done (0..1)."""
        return min(max((t_us - self.from_us) / max(1, self.until_us - self.from_us), 0.0), 1.0)


class SlideKey(NamedTuple):
    """How far a pile has been pushed from where it lay, at `t_us`."""

    t_us: int
    dx: float
    dy: float
    turn_deg: float


@dataclass(frozen=True)
class Slide:
    """A pile pushed over the table by a hand: its cards as they lay, bottom first."""

    zone: str
    cards: tuple[tuple[int, str, Pose], ...]
    keys: tuple[SlideKey, ...]
    by: str

    def at(self, t_us: int) -> SlideKey:
        """How far it has been pushed."""
        keys = self.keys
        if t_us <= keys[0].t_us:
            return keys[0]
        for a, b in pairwise(keys):
            if t_us < b.t_us:
                s = ease((t_us - a.t_us) / (b.t_us - a.t_us))
                turn_deg = a.turn_deg + s * (b.turn_deg - a.turn_deg)
                return SlideKey(t_us, a.dx + s * (b.dx - a.dx), a.dy + s * (b.dy - a.dy), turn_deg)
        return keys[-1]


@dataclass(frozen=True)
class Timeline:
    """All that moved at one table, from 0 to `end_us`."""

    end_us: int
    arms: Mapping[str, tuple[ArmKey, ...]]
    rests: tuple[Rest, ...]
    stocks: tuple[Stock, ...]
    turns: tuple[Turn, ...]
    slides: tuple[Slide, ...]
    totem: tuple[TotemKey, ...]  # empty where none stands on the table
    flights: tuple[Flight, ...] = ()
    _times: dict[str, list[int]] = field(default_factory=dict, compare=False, repr=False)

    def arm(self, player: str, t_us: int) -> ArmKey:
        """Where a player's hand is."""
        keys = self.arms[player]
        times = self._times.setdefault(player, [key.t_us for key in keys])
        at = bisect_right(times, t_us)
        if at == 0 or at == len(keys):
            return keys[max(0, at - 1)]
        a, b = keys[at - 1], keys[at]
        s = (t_us - a.t_us) / max(b.t_us - a.t_us, 1)
        # A hand opens or closes on its way, just before it arrives.
        shape = b.shape if s > 0.35 else a.shape
        s = ease(s) if b.smooth else s
        return ArmKey(t_us, a.x + s * (b.x - a.x), a.y + s * (b.y - a.y), a.z + s * (b.z - a.z), shape, b.smooth)

    def totem_at(self, t_us: int) -> TotemKey | None:
        """Where the totem is and how it leans; None where there is none."""
        keys = self.totem
        if not keys:
            return None
        times = self._times.setdefault("", [key.t_us for key in keys])
        at = bisect_right(times, t_us)
        if at == 0 or at == len(keys):
            return keys[max(0, at - 1)]
        a, b = keys[at - 1], keys[at]
        s = ease((t_us - a.t_us) / max(b.t_us - a.t_us, 1))
        turn = (b.toward_deg - a.toward_deg + 180) % 360 - 180
        x, y, z = a.x + s * (b.x - a.x), a.y + s * (b.y - a.y), a.z + s * (b.z - a.z)
        return TotemKey(t_us, x, y, z, a.tilt_deg + s * (b.tilt_deg - a.tilt_deg), a.toward_deg + s * turn)


def ease(s: float) -> float:
    """Minimum jerk from 0 to 1 (Flash and Hogan 1985): how a hand goes from rest to rest."""
    return s * s * s * (10.0 - 15.0 * s + 6.0 * s * s)


def corners(card_mm: tuple[float, float], pose: Pose) -> NDArray[np.float64]:
    """A lying card's corners (4×2 mm), clockwise from its own top left."""
    w, h = card_mm[0] / 2, card_mm[1] / 2
    a = np.deg2rad(pose.turn_deg)
    turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    out: NDArray[np.float64] = np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) @ turn.T + (pose.x, pose.y)
    return out


def turning(turn: Turn, card_mm: tuple[float, float], t_us: int) -> tuple[NDArray[np.float64], float]:
    """A card in the hand: its corners (4×3 mm, z up, in its face's own order) and how far it is over.

    Over is in degrees: 0 face down, 90 on its edge, more shows its face.
    """
    u = turn.progress(t_us)
    along = ease(min(max((u - 0.04) / 0.9, 0.0), 1.0))
    over = float(np.deg2rad(180.0 * u))
    a, b = turn.start, turn.end
    # It leaves the stock as it lay there: turned over, its face's direction is mirrored about the axis. A square
    # card's back looks the same four ways up, so the hand never twists it by more than half of that.
    ways = 90.0 if card_mm[0] == card_mm[1] else 180.0
    twist = (b.turn_deg - (2 * turn.axis_deg - a.turn_deg) + ways / 2) % ways - ways / 2
    pose = Pose(a.x + along * (b.x - a.x), a.y + along * (b.y - a.y), b.turn_deg - (1 - along) * twist)
    flat = corners(card_mm, pose) - (pose.x, pose.y)
    axis = np.array([np.cos(np.deg2rad(turn.axis_deg)), np.sin(np.deg2rad(turn.axis_deg))])
    across = np.array([-axis[1], axis[0]])
    # The face's corners as they lie in the end, turned back about the axis by what is still missing.
    missing = np.pi - over if not turn.inward else over - np.pi
    high = 12.0 * np.sin(np.pi * u) + 0.5 * max(card_mm) * abs(np.sin(over)) + 0.3 * turn.depth
    p, q = flat @ axis, flat @ across
    xy = p[:, None] * axis + (q * np.cos(missing))[:, None] * across + (pose.x, pose.y)
    z = high + q * np.sin(missing)
    return np.column_stack([xy, z]), float(np.rad2deg(over))


def flying(flight: Flight, arm: ArmKey, toward_deg: float, card_mm: tuple[float, float]) -> NDArray[np.float64]:
    """A card in a hand: its corners (4×3 mm, z up, in its face's own order).

    `arm` is the hand at that moment, `toward_deg` the direction from the hand to its shoulder (clockwise in the
    picture): the card leans about the line across it, with its face to its player.
    """
    return flown(flight, arm, flight.share(arm.t_us), toward_deg, card_mm)


def flown(
    flight: Flight, arm: ArmKey, share: float, toward_deg: float, card_mm: tuple[float, float]
) -> NDArray[np.float64]:
    """The same with so much of the way done."""
    s = ease(share)
    turn = flight.turn_deg[0] + s * (flight.turn_deg[1] - flight.turn_deg[0])
    lean = np.deg2rad(flight.lean_deg[0] + s * (flight.lean_deg[1] - flight.lean_deg[0]))
    flat = corners(card_mm, Pose(0.0, 0.0, turn))
    along = np.array([np.cos(np.deg2rad(toward_deg)), np.sin(np.deg2rad(toward_deg))])
    across = np.array([-along[1], along[0]])
    p, q = flat @ along, flat @ across
    centre = np.array([arm.x + flight.offset_mm[0], arm.y + flight.offset_mm[1]])
    xy = (p * np.cos(lean))[:, None] * along + q[:, None] * across + centre
    z = max(2.0, arm.z - HELD_BELOW_MM) + 0.3 * flight.depth + p * -np.sin(lean)
    return np.column_stack([xy, z - min(0.0, float(z.min()) - 1.0)])
