"""What a camera would say of a simulated match of Speed, drawn from error rates: no picture is rendered.

Belongs here: from the true motions of a match to the camera's words, in the order in which they arrive. Does not belong
here: the match (`speed_people`), what is made of the words (`speed_fused`).

Written rules: everything follows from one seed; every rate stands in `SpeedErrors`. Hands are where they truly are,
seen a little beside it; a card is seen when no arm is over its pile, for as long as it takes to read it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Literal

from referee.deck.ids import RANKS
from referee.sim.places import Point, Rect
from referee.sim.played import PlayedGame
from referee.sim.timeline import ArmKey, Rest, Timeline
from referee.vision.sightings import CameraPast, CardSeen, HandSeen, PileShifted, PileTaken, Sighting

Span = tuple[int, int]
HAND_MM = 80.0  # a hand is over a place when its fingers end so near
OVER_MM = 78.0  # an arm that comes so near to the middle of a pile covers it
HELD_US = 3_000_000
SEEN_MM = 60.0  # so far beyond the zones hands are seen


@dataclass(frozen=True)
class SpeedErrors:
    """How often, and by how much, the camera is wrong, late or silent (shares 0..1, times in microseconds).

    `fps`, `delay_us`: from exposure to word; `read_us`: how long a card lies free before it is read; `late`, `late_us`:
    cards read later; `glimpse`: cards that are read though they lie free for a frame or two; `never`: cards that are
    seen and never read; `no_suit`: cards of which the rank is read and not the suit; `misread`: a wrong card with
    assurance (docs/accuracy-vision.md); `tip_mm`: spread of where fingers are seen to end; `edge_us`: spread of the
    moment a card is seen to come; `merged`: chance that two hands which meet are seen as one; `hand_missed`: a visit
    nobody sees; `vague`: chance that what lay on top before does not show beside the new card; `stalls`: chance a
    match that the camera stalls once, for up to `stall_us`; `starved_us`: a time of the match in which only one frame
    of `starved_every` comes (a machine that is busy otherwise).
    """

    fps: float = 30.0
    delay_us: Span = (40_000, 90_000)
    read_us: Span = (50_000, 110_000)
    late: float = 0.02
    late_us: Span = (150_000, 700_000)
    glimpse: float = 0.85
    never: float = 0.003
    no_suit: float = 0.01
    misread: float = 0.00002
    tip_mm: float = 6.0
    edge_us: int = 15_000
    merged: float = 0.1
    hand_missed: float = 0.001
    vague: float = 0.25
    stalls: float = 0.05
    stall_us: int = 700_000
    starved_us: Span | None = None
    starved_every: int = 4


@dataclass
class _Zone:
    """One central pile as the camera knows it."""

    name: str
    rect: Rect
    stack: list[Rest]
    clear_us: int = 0
    active: bool = False
    free_us: int | None = None
    last_free_us: int = 0
    wait_us: int = 0
    number: int | None = None
    open: bool = False


def camera_words(game: PlayedGame, errors: SpeedErrors, seed: int) -> list[tuple[int, list[Sighting]]]:
    """For each frame: when its words arrive, and the words."""
    return _Camera(game, errors, Random(seed)).words()


class _Camera:
    def __init__(self, game: PlayedGame, errors: SpeedErrors, chance: Random) -> None:
        self._game, self._errors, self._chance = game, errors, chance
        self._line: Timeline = game.timeline
        self._zones = [
            _Zone(n, game.places.zones[n], []) for n in sorted(game.places.zones) if n.startswith("central/")
        ]
        self._rests: dict[str, list[Rest]] = {
            zone.name: sorted(
                (rest for rest in self._line.rests if rest.zone == zone.name), key=lambda one: one.from_us
            )
            for zone in self._zones
        }
        self._shoulders = {chair.player: chair.shoulder for chair in game.places.chairs}
        self._numbers = 0
        self._edges = {(turn.card, turn.laid_us): turn.edge_us for turn in game.timeline.turns}
        self._merged: str | None = None
        self._missed: dict[str, bool] = {}
        self._frame_us = 1_000_000 / errors.fps

    def words(self) -> list[tuple[int, list[Sighting]]]:
        errors, chance = self._errors, self._chance
        stall = None
        if chance.random() < errors.stalls:
            begin = chance.randint(0, self._line.end_us)
            stall = (begin, begin + chance.randint(0, errors.stall_us))
        out, at_us = [], 0
        phase = chance.random() * self._frame_us
        for k in range(int(self._line.end_us / self._frame_us)):
            t_us = round(phase + k * self._frame_us + chance.gauss(0.0, 300.0))
            if stall is not None and stall[0] <= t_us <= stall[1]:
                continue
            starved = errors.starved_us
            if starved is not None and starved[0] <= t_us <= starved[1] and k % errors.starved_every:
                continue
            at_us = max(at_us + 1, t_us + chance.randint(*errors.delay_us))
            out.append((at_us, self._frame(t_us)))
        return out

    def _frame(self, t_us: int) -> list[Sighting]:
        tips = {
            player: (key.x, key.y) for player in self._shoulders if self._is_seen(key := self._line.arm(player, t_us))
        }
        said: list[Sighting] = [*self._hands(tips, t_us)]
        looked: dict[str, int] = {}
        numbers = []
        for zone in self._zones:
            covered = any(self._covers(player, tip, zone) for player, tip in tips.items())
            said += self._pile(zone, covered, t_us)
            looked[zone.name] = zone.clear_us if zone.active else t_us
            if zone.open and zone.number is not None:
                numbers.append(zone.number)
        past = min([max(us, t_us - HELD_US) for us in looked.values()])
        return [*said, CameraPast(past, tuple(numbers), t_us, looked)]

    # ---- hands

    def _is_seen(self, key: ArmKey) -> bool:
        x, y = self._game.places.half_mm
        return abs(key.x) < x + SEEN_MM and abs(key.y) < y + SEEN_MM

    def _hands(self, tips: Mapping[str, Point], t_us: int) -> list[HandSeen]:
        errors, chance = self._errors, self._chance
        names = list(tips)
        meet = len(names) == 2 and math.dist(tips[names[0]], tips[names[1]]) < HAND_MM
        if not meet:
            self._merged = None
        elif self._merged is None:
            self._merged = str(chance.choice(names)) if chance.random() < errors.merged else ""
        said = []
        for player, tip in tips.items():
            if self._merged == player:
                continue
            x, y = tip[0] + chance.gauss(0, errors.tip_mm), tip[1] + chance.gauss(0, errors.tip_mm)
            sure = chance.uniform(0.975, 0.999) if not self._merged else chance.uniform(0.6, 0.99)
            chances = {name: sure if name == player else 1.0 - sure for name in self._shoulders}
            for place, rect in self._game.places.zones.items():
                near = _outside(tip, rect) < HAND_MM
                key = f"{player} {place}"
                if not near:
                    self._missed.pop(key, None)
                elif not self._missed.setdefault(key, chance.random() < errors.hand_missed):
                    said.append(HandSeen(place, t_us, chances, 0, (x, y)))
        return said

    def _covers(self, player: str, tip: Point, zone: _Zone) -> bool:
        """Whether an arm, from its fingers to its shoulder, comes over a pile."""
        middle = ((zone.rect[0] + zone.rect[2]) / 2, (zone.rect[1] + zone.rect[3]) / 2)
        return _apart(middle, tip, self._shoulders[player]) < OVER_MM

    # ---- piles

    def _lying(self, zone: _Zone, t_us: int) -> list[Rest]:
        return [rest for rest in self._rests[zone.name] if rest.from_us <= t_us < rest.until_us]

    def _pile(self, zone: _Zone, covered: bool, t_us: int) -> list[Sighting]:
        lying = self._lying(zone, t_us)
        top = lying[-1] if lying else None
        known = zone.stack[-1] if zone.stack else None
        same = top is None if known is None else top is not None and top.number == known.number
        if covered:
            zone.active = True
            glimpsed: list[Sighting] = []
            free = zone.free_us is not None and not same and top is not None and top.from_us <= zone.free_us
            if free and self._chance.random() < self._errors.glimpse:
                glimpsed = self._told(zone, lying, zone.last_free_us, t_us)
            zone.free_us = None
            return glimpsed
        if zone.free_us is None:
            zone.free_us = t_us
            zone.wait_us = self._chance.randint(*self._errors.read_us)
            if self._chance.random() < self._errors.late:
                zone.wait_us += self._chance.randint(*self._errors.late_us)
        zone.last_free_us = t_us
        if same:
            zone.clear_us = t_us
            if t_us - zone.free_us >= min(zone.wait_us, 60_000):
                zone.active = False
            return []
        zone.active = True
        if t_us - zone.free_us < zone.wait_us:
            return []
        return self._told(zone, lying, t_us, t_us)

    def _told(self, zone: _Zone, lying: list[Rest], seen_us: int, said_us: int) -> list[Sighting]:
        """What is said of a pile that has changed."""
        errors, chance = self._errors, self._chance
        zone.active, zone.free_us = True, None
        before_us, zone.clear_us = zone.clear_us, seen_us
        zone.open = False
        if not lying:
            zone.stack = []
            return [PileTaken(zone.name, (before_us, seen_us))]
        top, numbers = lying[-1], {rest.number for rest in lying}
        for place, rest in enumerate(zone.stack[:-1]):
            if rest.number == top.number:
                zone.stack = zone.stack[: place + 1]
                return [PileShifted(zone.name, top.card, (before_us, seen_us))]
        former: Literal["stays", "gone"] | None = None
        if zone.stack and chance.random() >= errors.vague:
            former = "stays" if zone.stack[-1].number in numbers else "gone"
        zone.stack = [*zone.stack, top]
        self._numbers += 1
        zone.number = self._numbers
        shown_us = self._edges.get((top.card, top.from_us), top.from_us - 95_000)
        edge = shown_us + round(chance.gauss(0, errors.edge_us))
        edge = min(max(edge, before_us), seen_us)
        card = top.card
        if chance.random() < errors.misread:
            card = chance.choice([rank for rank in RANKS if rank != card[:-1]]) + card[-1]
        elif chance.random() < errors.no_suit:
            card = card[:-1] + "?"
        never = chance.random() < errors.never
        seen = CardSeen(
            zone.number, zone.name, "?" if never else card, (before_us, seen_us), edge, 0.0 if never else 0.999,
            sure_us=None if never else seen_us, evidence=(f"card-{top.number}",), former=former,
        )  # fmt: skip
        zone.open = never
        return [seen]


def _outside(point: Point, rect: Rect) -> float:
    """How far a point lies outside a rectangle."""
    x = max(rect[0] - point[0], 0.0, point[0] - rect[2])
    y = max(rect[1] - point[1], 0.0, point[1] - rect[3])
    return math.hypot(x, y)


def _apart(point: Point, a: Point, b: Point) -> float:
    """How far a point lies from the line between two others."""
    along = (b[0] - a[0], b[1] - a[1])
    length = along[0] ** 2 + along[1] ** 2
    share = 0.0 if length == 0 else ((point[0] - a[0]) * along[0] + (point[1] - a[1]) * along[1]) / length
    share = min(max(share, 0.0), 1.0)
    return math.hypot(point[0] - a[0] - share * along[0], point[1] - a[1] - share * along[1])
