"""The camera's words about a game that never was.

Belongs here: frames, cards turned, arms, piles taken, as sightings with the errors of `senses_errors.Errors`.
Does not belong here: pixels, the totem's words.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from referee.sim.senses_errors import Delivery, Errors, Truth
from referee.table.layouts import Layout
from referee.vision.sightings import (
    TOTEM,
    CameraPast,
    CardSeen,
    HandSeen,
    PileTaken,
    Sighting,
    TotemSeen,
    ZoneCovered,
)

# While nothing happens only every fourth frame is told: that is no gap yet, and saves most of the time.
IDLE_FRAMES = 4
BUSY_BEFORE_US, BUSY_AFTER_US = 500_000, 1_500_000
AFTER_END_US = 6_000_000
HIDDEN_MORE_US = (600_000, 2_000_000)


def camera_words(truth: Sequence[Truth], layout: Layout, errors: Errors, chance: Random) -> list[Delivery]:
    """Everything the camera says of a game, with the watermark of every frame."""
    return _Camera(truth, layout, errors, chance).words()


class _Camera:
    def __init__(self, truth: Sequence[Truth], layout: Layout, errors: Errors, chance: Random) -> None:
        self._truth = truth
        self._layout = layout
        self._errors = errors
        self._chance = chance
        self._offset_us = round(chance.gauss(0.0, errors.clock_us))
        self._period_us = 1e6 / errors.fps
        self._frames = self._make_frames()
        self._said: dict[int, list[Sighting]] = {}
        self._open: list[tuple[int, int, int]] = []

    def words(self) -> list[Delivery]:
        shown_until = self._shown_until()
        for number, one in enumerate(self._truth):
            event = one.event
            if event["event"] == "flip":
                self._flip(number, event["player"], event["card"], event["t_us"], shown_until[number])
            elif event["event"] == "grab":
                self._arms(one)
                self._to_pot(one)
                grips = [hand["t_us"] for hand in event["hands"] if hand.get("grip", True)]
                if grips:
                    self._totem_leaves(grips[-1] + self._chance.randint(*self._errors.lift_us))
            elif event["event"] == "fall":
                self._totem_leaves(event["t_us"])
                if event["player"] is not None:
                    self._topple(event["player"], event["t_us"])
            elif event["event"] == "pick_up":
                self._pick_up(number, one)
        return self._deliveries()

    # ---- frames

    def _make_frames(self) -> list[int]:
        chance, period = self._chance, self._period_us
        end_us = self._truth[-1].event["t_us"] + AFTER_END_US
        busy = [one.event["t_us"] for one in self._truth]
        stalls = []
        if chance.random() < self._errors.stalls:
            begin = chance.randint(0, end_us)
            stalls.append((begin, begin + chance.randint(300_000, self._errors.stall_us)))
        frames = []
        phase = chance.random() * period
        for k in range(int(end_us / period)):
            t_us = round(phase + k * period + chance.gauss(0.0, 300.0))
            near = bisect_left(busy, t_us - BUSY_AFTER_US)
            is_busy = near < len(busy) and busy[near] <= t_us + BUSY_BEFORE_US
            if (is_busy or k % IDLE_FRAMES == 0) and not any(a <= t_us <= b for a, b in stalls):
                frames.append(t_us)
        return frames

    def _around(self, t_us: int) -> tuple[int, int]:
        """The last frame before a moment and the first one from it on."""
        place = bisect_left(self._frames, t_us)
        place = min(max(place, 1), len(self._frames) - 1)
        return self._frames[place - 1], self._frames[place]

    def _say(self, frame_us: int, word: Sighting) -> None:
        self._said.setdefault(frame_us, []).append(word)

    def _deliveries(self) -> list[Delivery]:
        deliveries = []
        at_us = 0
        waiting = sorted(self._open, reverse=True)
        reading: dict[int, int] = {}
        for frame_us in self._frames:
            at_us = max(at_us + 1, frame_us + self._chance.randint(*self._errors.delay_us))
            for word in self._said.get(frame_us, ()):
                deliveries.append(Delivery(at_us, "camera", _shifted(word, self._offset_us)))
            while waiting and waiting[-1][0] <= frame_us:
                _, end_us, number = waiting.pop()
                reading[number] = end_us
            reading = {number: end_us for number, end_us in reading.items() if end_us > frame_us}
            deliveries.append(Delivery(at_us, "camera", CameraPast(frame_us + self._offset_us, tuple(reading))))
        return deliveries

    # ---- cards

    def _shown_until(self) -> list[int]:
        """For each event: when the card it turned (if it did) is covered or swept."""
        end_us = self._truth[-1].event["t_us"] + AFTER_END_US
        until = [end_us] * len(self._truth)
        lying: dict[str, int] = {}
        for number, one in enumerate(self._truth):
            event = one.event
            if event["event"] == "flip":
                player = event["player"]
                if player in lying:
                    until[lying[player]] = event["t_us"]
                lying[player] = number
            elif event["event"] == "pick_up":
                for index in lying.values():
                    until[index] = event["t_us"]
                lying.clear()
        return until

    def _flip(self, number: int, player: str, card: str, t_us: int, until_us: int) -> None:
        errors, chance, zone = self._errors, self._chance, f"face_up/{player}"
        from_us, clear_us = t_us - chance.randint(80_000, 160_000), t_us + chance.randint(100_000, 250_000)
        hidden = chance.random() < errors.hidden
        if hidden:
            clear_us = min(t_us + chance.randint(*HIDDEN_MORE_US), until_us)
        for frame_us in self._between(from_us, t_us + 150_000):
            self._say(frame_us, HandSeen(zone, frame_us, {player: chance.uniform(0.9, 0.99)}))
        first_us, last_us = self._around(t_us)
        edge_us = t_us + round(chance.gauss(0.0, errors.edge_us))
        if hidden:
            first_us, last_us = self._around(from_us)[0], self._around(clear_us)[1]
            edge_us = from_us + 120_000
        self._say(self._around(from_us)[1], ZoneCovered(zone, self._around(from_us)[1], False))
        seen = CardSeen(
            number + 1,
            zone,
            "?",
            (first_us, last_us),
            min(max(edge_us, first_us + 1), last_us),
            evidence=(f"event-{number}",),
        )
        self._say(last_us, seen)
        self._say(self._around(clear_us)[1], ZoneCovered(zone, self._around(clear_us)[1], True))
        self._read(seen, card, until_us, last_us)

    def _read(self, seen: CardSeen, card: str, until_us: int, first_us: int) -> None:
        """When a card is told, if it is."""
        errors, chance = self._errors, self._chance
        draw = chance.random()
        if draw < errors.never:
            if chance.random() < errors.twins and not card.startswith("arrow/"):
                other = "twin/of-it"
                pair = [card, other] if chance.random() < 0.5 else [other, card]
                seen = replace(seen, nats={pair[0]: 0.0, pair[1]: -chance.uniform(0.2, 3.0)})
                self._say(self._around(first_us + 200_000)[1], seen)
            self._open.append((first_us, until_us, seen.number))
            return
        wait = errors.late_us if draw < errors.never + errors.late else errors.read_us
        sure_us = self._around(first_us + chance.randint(*wait))[1]
        if sure_us >= until_us and sure_us - first_us > 250_000:
            self._open.append((first_us, until_us, seen.number))
            return
        self._open.append((first_us, sure_us, seen.number))
        told = replace(seen, card=card, confidence=chance.uniform(0.995, 1.0), sure_us=sure_us)
        self._say(sure_us, told)

    # ---- hands

    def _between(self, from_us: int, to_us: int) -> list[int]:
        return self._frames[bisect_left(self._frames, from_us) : bisect_right(self._frames, to_us)]

    def _arms(self, one: Truth) -> None:
        """The arms of a scramble, and of those who reach and do not touch."""
        chance, hands = self._chance, one.event["hands"]
        first_us = hands[0]["t_us"]
        for hand in hands:
            stays_us = chance.randint(300_000, 1_200_000) if hand.get("grip", True) else chance.randint(40_000, 120_000)
            from_us = hand["t_us"] - chance.randint(*self._errors.arm_before_us)
            # In one outline with an arm that is there already: it shows when the hands part.
            if hand is not hands[0] and chance.random() < self._errors.arm_merged:
                from_us = hand["t_us"] + chance.randint(150_000, 700_000)
            self._arm(hand["player"], from_us, hand["t_us"] + stays_us)
        touched = {hand["player"] for hand in hands}
        names = one.before.setup.players
        for duel in one.before.duels:
            for seat in duel.members:
                if names[seat] not in touched and chance.random() < self._errors.arm_idle:
                    from_us = first_us + chance.randint(-200_000, 400_000)
                    self._arm(names[seat], from_us, from_us + chance.randint(100_000, 500_000))

    def _arm(self, player: str, from_us: int, to_us: int) -> None:
        errors, chance = self._errors, self._chance
        if chance.random() < errors.arm_missed:
            return
        players = self._layout.players
        other = players[(players.index(player) + chance.choice((1, -1))) % len(players)]
        draw = chance.random()
        if draw < errors.arm_swapped:
            player, other = other, player
        sure = chance.uniform(0.55, 0.9) if draw > 1.0 - errors.arm_crossed else chance.uniform(0.97, 0.999)
        for frame_us in self._between(from_us, to_us):
            self._say(frame_us, HandSeen(TOTEM, frame_us, {player: sure, other: 1.0 - sure}))

    def _topple(self, player: str, t_us: int) -> None:
        """The arm of a player who knocks the totem over."""
        from_us = t_us - self._chance.randint(*self._errors.arm_before_us)
        self._arm(player, from_us, t_us + self._chance.randint(50_000, 300_000))

    def _totem_leaves(self, t_us: int) -> None:
        """The totem is out of its place from a moment on, and back after a while."""
        if self._errors.wooden:
            back_us = t_us + self._chance.randint(700_000, 1_500_000)
            self._say(self._around(t_us)[1], TotemSeen(self._around(t_us)[1], False))
            self._say(self._around(back_us)[1], TotemSeen(self._around(back_us)[1], True))

    # ---- piles

    def _pick_up(self, number: int, one: Truth) -> None:
        """The piles that the latest ruling cleared go to a reserve."""
        player = one.event["player"]
        cleared = self._cleared(number)
        begin_us = one.event["t_us"]
        chance = self._chance
        known = chance.random() < 0.9
        for place, zone in enumerate(cleared):
            first_us, last_us = self._around(begin_us + place * 250_000)
            by = player if known else None
            self._say(last_us, PileTaken(zone, (first_us, last_us), by, 0.98 if known else 0.0))
        there_us = begin_us + len(cleared) * 250_000 + 200_000
        for frame_us in self._between(there_us, there_us + 200_000):
            place_name = f"reserve/{player}"
            self._say(frame_us, HandSeen(place_name, frame_us, {player: chance.uniform(0.93, 0.99)}))

    def _cleared(self, number: int) -> list[str]:
        """The face-up zones that the ruling before this event emptied."""
        after = self._truth[number].before.face_up
        for earlier in reversed(self._truth[:number]):
            before = earlier.before.face_up
            names = earlier.before.setup.players
            gone = [f"face_up/{names[seat]}" for seat, pile in enumerate(before) if pile and not after[seat]]
            if gone:
                return gone
            if earlier.event["event"] == "flip":
                break
        return []

    def _to_pot(self, one: Truth) -> None:
        """A taker's own pile goes to the pot by the taker's hand."""
        for ruling in one.rulings:
            if ruling["ruling"] == "to-pot" and ruling["player"] is not None and ruling["cards"]:
                player = ruling["player"]
                at_us = one.event["t_us"] + self._chance.randint(900_000, 1_500_000)
                first_us, last_us = self._around(at_us)
                self._say(last_us, PileTaken(f"face_up/{player}", (first_us, last_us), player, 0.98))
                for frame_us in self._between(at_us + 200_000, at_us + 400_000):
                    self._say(frame_us, HandSeen("pot", frame_us, {player: 0.97}))


def _shifted(word: Sighting, by_us: int) -> Sighting:
    """The same word on a clock that is `by_us` ahead."""
    if by_us == 0:
        return word
    if isinstance(word, CardSeen):
        first_us, last_us = word.between_us
        sure_us = None if word.sure_us is None else word.sure_us + by_us
        return replace(
            word, between_us=(first_us + by_us, last_us + by_us), edge_us=word.edge_us + by_us, sure_us=sure_us
        )
    if isinstance(word, PileTaken):
        return replace(word, between_us=(word.between_us[0] + by_us, word.between_us[1] + by_us))
    if isinstance(word, HandSeen | TotemSeen | ZoneCovered):
        return replace(word, t_us=word.t_us + by_us)
    return word
