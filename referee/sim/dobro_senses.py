"""What a camera would say of a simulated game of Dobro, drawn from error rates: whole games without pictures.

Belongs here: from motions (`timeline`) to the camera's words in the order in which they arrive, and what people say.
Does not belong here: how a game goes (`dobro_people`), what is made of the words, pixels.

Written rules:
- hands are where they are in the timeline, cards are seen to come and go as they do there; errors are drawn
  from `senses_errors.Errors`, everything from one seed;
- the hand of an arm reaches `HAND_MM` back from its fingers, as the camera's does (`vision.hands`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import replace
from random import Random

import numpy as np

from referee.sim.played import PlayedGame
from referee.sim.senses_errors import Delivery, Errors
from referee.sim.timeline import Rest
from referee.table.calls import call_of
from referee.table.layouts import Layout
from referee.vision.scene import HOLD_US
from referee.vision.sightings import CameraPast, CardSeen, HandSeen, PileShifted, PileTaken, Sighting, ZoneCovered

HAND_MM = 60.0  # from the finger tips to the middle of the hand
IN_VIEW_MM = 60.0  # beyond the zones
READ_LONG_US = 250_000  # a card that lies shorter than this after its reading is due may not be read
SWAPPED_US = 900_000
TIP_MM = 9.0


def words(game: PlayedGame, layout: Layout, errors: Errors, seed: int) -> list[Delivery]:
    """Everything the camera and the people say of a game, in the order in which it arrives."""
    camera = _Camera(game, layout, errors, Random(seed))
    deliveries = camera.words()
    deliveries += [Delivery(event["t_us"], "person", call_of(event)) for event in game.calls]
    return sorted(deliveries, key=lambda delivery: delivery.at_us)


class _Camera:
    def __init__(self, game: PlayedGame, layout: Layout, errors: Errors, chance: Random) -> None:
        self._timeline, self._layout, self._errors, self._chance = game.timeline, layout, errors, chance
        self._players = list(layout.players)
        self._frames = self._make_frames()
        self._said: dict[int, list[Sighting]] = {}
        self._open: list[tuple[int, int, int]] = []
        self._held: list[tuple[int, int]] = []
        self._reach = max(max(abs(v) for v in zone.rect) for zone in layout.zones.values()) + IN_VIEW_MM

    def words(self) -> list[Delivery]:
        self._hands()
        watched = {name for name in self._layout.zones if self._layout.meaning(name) in ("pile", "marker")}
        for zone in sorted(watched):
            self._cards(zone, [rest for rest in self._timeline.rests if rest.zone == zone])
        return self._deliveries()

    # ---- frames

    def _make_frames(self) -> list[int]:
        chance, period = self._chance, 1e6 / self._errors.fps
        end_us = self._timeline.end_us
        stalls = []
        if chance.random() < self._errors.stalls:
            begin = chance.randint(0, end_us)
            stalls.append((begin, begin + chance.randint(300_000, self._errors.stall_us)))
        times = [round(k * period + chance.gauss(5_000.0, 300.0)) for k in range(1, int(end_us / period))]
        return [t_us for t_us in times if not any(a <= t_us <= b for a, b in stalls)]

    def _around(self, t_us: int) -> tuple[int, int]:
        """The last frame before a moment and the first one from it on."""
        place = min(max(bisect_left(self._frames, t_us), 1), len(self._frames) - 1)
        return self._frames[place - 1], self._frames[place]

    def _say(self, t_us: int, word: Sighting) -> None:
        self._said.setdefault(self._around(t_us)[1], []).append(word)

    def _deliveries(self) -> list[Delivery]:
        deliveries, at_us = [], 0
        waiting = sorted(self._open, reverse=True)
        reading: dict[int, int] = {}
        for frame_us in self._frames:
            at_us = max(at_us + 1, frame_us + self._chance.randint(*self._errors.delay_us))
            deliveries += [Delivery(at_us, "camera", word) for word in self._said.get(frame_us, ())]
            while waiting and waiting[-1][0] <= frame_us:
                _, end_us, number = waiting.pop()
                reading[number] = end_us
            reading = {number: end_us for number, end_us in reading.items() if end_us > frame_us}
            held = [a for a, b in self._held if a < frame_us < b]
            past_us = min([frame_us, *(max(a, frame_us - HOLD_US) for a in held)])
            deliveries.append(Delivery(at_us, "camera", CameraPast(past_us, tuple(reading), frame_us)))
        return deliveries

    # ---- hands

    def _hands(self) -> None:
        """Every arm in every frame: at the places its hand is over, as whose it is taken for."""
        covered: dict[str, bool] = {}
        taken_for = {player: _TakenFor(player, self._players, self._errors, self._chance) for player in self._players}
        zones = list(self._layout.zones.values())
        for frame_us in self._frames:
            over: set[str] = set()
            for player in self._players:
                key = self._timeline.arm(player, frame_us)
                if max(abs(key.x), abs(key.y)) > self._reach:
                    continue
                chances = taken_for[player].at(frame_us)
                if chances is None:
                    continue
                tip = (key.x + self._chance.gauss(0.0, TIP_MM), key.y + self._chance.gauss(0.0, TIP_MM))
                shoulder = self._shoulder(player)
                away = np.hypot(shoulder[0] - tip[0], shoulder[1] - tip[1]) or 1.0
                back = tuple(t + HAND_MM * (s - t) / float(away) for s, t in zip(shoulder, tip, strict=True))
                for zone in zones:
                    if _inside(tip, zone.rect) or _inside((back[0], back[1]), zone.rect):
                        over.add(zone.name)
                        self._said.setdefault(frame_us, []).append(HandSeen(zone.name, frame_us, chances, 0, tip))
            for zone in zones:
                if (zone.name in over) != covered.get(zone.name, False):
                    covered[zone.name] = zone.name in over
                    self._said.setdefault(frame_us, []).append(ZoneCovered(zone.name, frame_us, zone.name not in over))

    def _shoulder(self, player: str) -> tuple[float, float]:
        angle = np.deg2rad(self._layout.angles_deg[player])
        return 700.0 * float(np.cos(angle)), -700.0 * float(np.sin(angle))

    # ---- cards

    def _cards(self, zone: str, rests: list[Rest]) -> None:
        """The cards of a zone come, and go: the whole pile, or its top."""
        by_start = sorted(rests, key=lambda rest: (rest.from_us, rest.number))
        for rest in by_start:
            covers = [one.from_us for one in by_start if one.from_us > rest.from_us]
            until_us = min([rest.until_us, *covers])
            if rest.from_us > self._frames[0]:
                self._arrives(zone, rest, until_us)
        for gone_us in sorted({rest.until_us for rest in rests if rest.until_us < self._timeline.end_us}):
            below = [rest for rest in by_start if rest.from_us < gone_us < rest.until_us]
            between, by = self._around(gone_us), self._who(gone_us, zone)
            word: Sighting = PileTaken(zone, between, *by)
            if below:
                word = PileShifted(zone, below[-1].card, between)
            self._say(gone_us + self._chance.randint(300_000, 900_000), word)

    def _arrives(self, zone: str, rest: Rest, until_us: int) -> None:
        errors, chance = self._errors, self._chance
        if rest.face_down:
            return
        first_us, last_us = self._around(rest.from_us)
        hidden = chance.random() < errors.hidden
        if hidden:
            last_us = self._around(min(rest.from_us + chance.randint(600_000, 2_000_000), until_us))[1]
            first_us = self._around(rest.from_us - chance.randint(80_000, 160_000))[0]
        edge_us = min(max(rest.from_us + round(chance.gauss(0.0, errors.edge_us)), first_us + 1), last_us)
        evidence = (f"card-{rest.number}",)
        by = self._who(rest.from_us, zone)
        seen = CardSeen(
            rest.number, zone, "?", (first_us, last_us), edge_us, by=by[0], by_chance=by[1], evidence=evidence
        )
        # A place under a hand holds up what is known of the table.
        self._held.append((first_us, last_us))
        self._say(last_us, seen)
        draw = chance.random()
        wait = errors.late_us if draw < errors.never + errors.late else errors.read_us
        sure_us = self._around(last_us + chance.randint(*wait))[1]
        if draw < errors.never or (sure_us >= until_us and sure_us - last_us > READ_LONG_US):
            if chance.random() < errors.twins:
                pair = [rest.card, "2" if rest.card != "2" else "3"]
                nats = {card: -place * chance.uniform(0.2, 3.0) for place, card in enumerate(pair)}
                self._say(last_us + 200_000, replace(seen, nats=nats))
            self._open.append((last_us, until_us, rest.number))
            return
        self._open.append((last_us, sure_us, rest.number))
        told = replace(seen, card=rest.card, confidence=chance.uniform(0.995, 1.0), sure_us=sure_us)
        self._say(sure_us, told)

    def _who(self, t_us: int, zone: str) -> tuple[str | None, float]:
        """Whose arm was there, as far as the camera can tell."""
        x, y = self._layout.zones[zone].centre_mm
        near = []
        for player in self._players:
            key = self._timeline.arm(player, t_us)
            near.append((float(np.hypot(key.x - x, key.y - y)), player))
        far_mm, player = min(near)
        if far_mm > 130.0 or self._chance.random() < self._errors.arm_missed:
            return None, 0.0
        if self._chance.random() < self._errors.arm_crossed:
            return player, self._chance.uniform(0.5, 0.9)
        return player, self._chance.uniform(0.97, 0.999)


class _TakenFor:
    """Whose an arm is taken for, while it is there: mostly its owner's, for a while perhaps somebody else's."""

    def __init__(self, player: str, players: Iterable[str], errors: Errors, chance: Random) -> None:
        others = [name for name in players if name != player]
        self._player, self._others, self._errors, self._chance = player, others, errors, chance
        self._until_us = -1
        self._chances: dict[str, float] | None = {player: 0.99}

    def at(self, t_us: int) -> dict[str, float] | None:
        """The chances of each player for this arm; None where it is not seen for a while."""
        if t_us > self._until_us:
            self._until_us = t_us + SWAPPED_US
            chance, errors, draw = self._chance, self._errors, self._chance.random()
            other = chance.choice(self._others)
            sure = chance.uniform(0.97, 0.999)
            if draw < errors.arm_crossed:
                sure = chance.uniform(0.55, 0.9)
            self._chances = {self._player: sure, other: 1.0 - sure}
            if errors.arm_crossed <= draw < errors.arm_crossed + errors.arm_missed:
                self._chances = None
        return self._chances


def _inside(point: tuple[float, float], rect: tuple[float, float, float, float]) -> bool:
    return rect[0] <= point[0] <= rect[2] and rect[1] <= point[1] <= rect[3]
