"""What camera, phones and people would say of a Jungle Bluff game, drawn from error rates: games without pictures.

Belongs here: from a true record to the words of the sources in the order in which they arrive, at a human pace. Does
not belong here: how a game goes (`bluff_games`), what is made of the words (`bluff_fused`).

Written rules: everything follows from one seed; every rate stands in `BluffErrors`; a place of `evidence` names the
true event, for scoring alone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import NamedTuple

from referee.record import Record
from referee.rules import jungle_bluff
from referee.rules.jungle_bluff_state import State
from referee.table.calls import Call, Challenge, Lay
from referee.vision.sightings import (
    BackGone,
    BackLaid,
    BackMoved,
    CameraPast,
    CardSeen,
    PileTaken,
    Sighting,
    ZoneCovered,
)
from referee.words import Event, Ruling

TIDY_US = 9_000_000  # between a round's last choice and the shown forces
CHOICE_US = 2_500_000  # between two choices at least
QUIET_END_US = 8_000_000


@dataclass(frozen=True)
class BluffErrors:
    """How often the sources are wrong, late or silent (shares 0..1, times in microseconds).

    `fps` of the camera's watermark; `delay_us`: from exposure to word; `read_us`, `late`, `late_us`, `never`: how long
    a card takes to be read, as for Jungle Speed. `back_missed`: forces that the camera does not see come to lie, and
    whose player says so after `say_us`; `back_moved`: forces that are pushed while they lie; `old_back`: forces taken
    up under a hand, so that nobody sees the place bare. `in_hand`, `in_hand_us`: score cards held in the hand before
    they are laid down; `hand_over`: places of forces under their owner's hand for `hand_us`. `unsaid`: forces that
    nobody chose on a phone or showed to the hooded camera; `late_said`: those chosen only after the card lies.
    `together`: takes that the next player follows at once.
    """

    fps: float = 6.0
    delay_us: tuple[int, int] = (50_000, 180_000)
    read_us: tuple[int, int] = (120_000, 700_000)
    late: float = 0.02
    late_us: tuple[int, int] = (700_000, 2_800_000)
    never: float = 0.002
    back_missed: float = 0.004
    say_us: tuple[int, int] = (2_000_000, 6_000_000)
    back_moved: float = 0.01
    old_back: float = 0.01
    in_hand: float = 0.02
    in_hand_us: tuple[int, int] = (2_000_000, 6_000_000)
    hand_over: float = 0.1
    hand_us: tuple[int, int] = (300_000, 4_000_000)
    unsaid: float = 0.002
    late_said: float = 0.05
    together: float = 0.1


class Choose(NamedTuple):
    """A player tells the private reader their force."""

    player: str
    card: str


class Delivery(NamedTuple):
    """A word and when it arrives (table microseconds)."""

    at_us: int
    word: Sighting | Call | Choose


class Truth(NamedTuple):
    """A true event, the state before it, and what is ruled on it."""

    event: Event
    before: State
    rulings: list[Ruling]


def truths(record: Record, errors: BluffErrors, chance: Random) -> list[Truth]:
    """The true events at a human pace, judged; what no camera could see, or nobody could do, is left out."""
    state = jungle_bluff.start(record.header)
    found: list[Truth] = []
    later_us = 0
    for event in record.events:
        if event["event"] == "force" and event["card"] == "?":
            continue
        if event["event"] in ("reveal", "centre") and len(event["cards"]) != len(record.header["players"]):
            continue
        if event["event"] == "take":
            holds = state.holds[state.setup.seats[event["player"]]]
            if event["card"] not in (state.centre or ()) or holds is not None:
                continue  # nobody can take a card that does not lie there, or lay a second one in front of them
        if event["event"] in ("reveal", "centre"):
            later_us += TIDY_US
        elif event["event"] in ("take", "challenge") and chance.random() > errors.together:
            later_us += CHOICE_US
        moved = {**event, "t_us": event["t_us"] + later_us}
        after, rulings = jungle_bluff.apply(state, moved)
        found.append(Truth(moved, state, rulings))
        state = after
    return found


def sense(truth: Sequence[Truth], errors: BluffErrors, chance: Random) -> list[Delivery]:
    """What the sources say of a game, in the order in which it arrives."""
    return _Senses(truth, errors, chance).words()


class _Senses:
    def __init__(self, truth: Sequence[Truth], errors: BluffErrors, chance: Random) -> None:
        self._truth = truth
        self._errors = errors
        self._chance = chance
        self._words: list[tuple[int, Sighting]] = []
        self._said: list[Delivery] = []
        self._open: list[tuple[int, int, int]] = []
        self._numbers = 0
        self._slots: dict[str, str] = {}
        self._front: dict[str, str] = {}
        self._backs: set[str] = set()
        self._covers: list[tuple[int, int]] = []

    def words(self) -> list[Delivery]:
        for number, one in enumerate(self._truth):
            event = one.event
            match event["event"]:
                case "centre" | "reveal":
                    self._tidy(number, event)
                    self._show(number, event)
                case "commit":
                    self._lay(number, event)
                case "force":
                    self._choose(number, event)
                case "take":
                    self._take(number, one)
                case "challenge":
                    self._said.append(
                        Delivery(event["t_us"], Challenge(event["t_us"], event["player"], event["target"]))
                    )
                    self._hand_over(number, one)
        return self._deliveries()

    # ---- cards

    def _card(self, number: int, zone: str, card: str, t_us: int, until_us: int) -> None:
        """A card comes to lie in a zone, and is read by and by."""
        errors, chance = self._errors, self._chance
        self._numbers += 1
        frame_us = round(1e6 / 30)
        first_us = t_us - chance.randint(0, frame_us)
        seen = CardSeen(self._numbers, zone, "?", (first_us, first_us + frame_us), t_us, evidence=(f"event-{number}",))
        self._words.append((first_us + frame_us, seen))
        draw = chance.random()
        if draw < errors.never:
            self._open.append((first_us, first_us + 3_000_000, seen.number))
            return
        read_us = t_us + chance.randint(*(errors.late_us if draw < errors.never + errors.late else errors.read_us))
        self._open.append((first_us, read_us, seen.number))
        if read_us < until_us:
            self._words.append((read_us, replace(seen, card=card, confidence=0.999, sure_us=read_us)))

    def _gone(self, zone: str, t_us: int, by: str | None) -> None:
        frame_us = round(1e6 / 30)
        last_us = t_us - self._chance.randint(0, frame_us)
        self._words.append((last_us + frame_us * 3, PileTaken(zone, (last_us, last_us + frame_us), by, 0.95)))

    def _next_us(self, number: int, kinds: tuple[str, ...]) -> int:
        later = (one.event["t_us"] for one in self._truth[number + 1 :] if one.event["event"] in kinds)
        return int(next(later, self._truth[-1].event["t_us"] + QUIET_END_US))

    def _tidy(self, number: int, event: Event) -> None:
        """Score cards go to their piles, the rest of the centre goes away, forces are taken up and shuffled."""
        chance, t_us = self._chance, event["t_us"]
        for zone in [*self._front, *self._slots]:
            self._gone(zone, t_us - chance.randint(5_000_000, 7_500_000), None)
        self._front, self._slots = {}, {}
        for player in sorted(self._backs):
            at_us = t_us - chance.randint(3_500_000, 7_000_000)
            if chance.random() >= self._errors.old_back:
                self._words.append((at_us + 100_000, BackGone(f"force/{player}", (at_us, at_us + 33_000))))
        self._backs = set()

    def _show(self, number: int, event: Event) -> None:
        until_us = self._next_us(number, ("commit",))
        last = len(event["cards"]) - 1
        for place, card in enumerate(event["cards"]):
            zone = f"centre/{place + 1}"
            at_us = event["t_us"] - (last - place) * self._chance.randint(150_000, 300_000)
            self._slots[zone] = card
            self._card(number, zone, card, at_us, until_us + 10_000_000)

    def _take(self, number: int, one: Truth) -> None:
        """A score card goes in front of a player, and back where it may not be taken."""
        event, chance, errors = one.event, self._chance, self._errors
        zone = next((zone for zone, card in self._slots.items() if card == event["card"]), None)
        if zone is None:
            # Nobody can take a card that does not lie there: the player says so, by mistake.
            return
        self._gone(zone, event["t_us"], event["player"])
        wait = errors.in_hand_us if chance.random() < errors.in_hand else (400_000, 1_200_000)
        next_us = self._next_us(number, ("take", "challenge"))
        came_us = min(event["t_us"] + chance.randint(*wait), max(next_us - 100_000, event["t_us"] + 300_000))
        place = f"score/{event['player']}"
        if place in self._front:
            return
        if one.rulings[0]["ruling"] == "refused":
            self._card(number, place, event["card"], came_us, came_us + 1_200_000)
            self._gone(place, came_us + 1_200_000, event["player"])
            self._card(number, zone, event["card"], came_us + 1_700_000, next_us + 10_000_000)
            return
        del self._slots[zone]
        self._front[place] = event["card"]
        self._card(number, place, event["card"], came_us, next_us + 5_000_000)

    def _hand_over(self, number: int, one: Truth) -> None:
        """The card goes to whoever has won it, a while after that was said."""
        event, first = one.event, one.rulings[0]
        source = f"score/{event['target']}"
        if first["ruling"] not in ("holds", "returned") or source not in self._front:
            return
        card = self._front[source]
        if first["ruling"] == "returned":
            to = next(f"centre/{n}" for n in range(1, 20) if f"centre/{n}" not in self._slots)
        elif first["player"] == event["target"]:
            return
        else:
            to = f"score/{event['player']}"
        del self._front[source]
        (self._slots if to.startswith("centre") else self._front)[to] = card
        leaves_us = event["t_us"] + self._chance.randint(900_000, 1_800_000)
        self._gone(source, leaves_us, event["player"])
        until_us = self._next_us(number, ("reveal",))
        self._card(number, to, card, leaves_us + self._chance.randint(300_000, 600_000), until_us)

    # ---- forces

    def _lay(self, number: int, event: Event) -> None:
        chance, errors, player = self._chance, self._errors, event["player"]
        zone, t_us = f"force/{player}", event["t_us"]
        self._backs.add(player)
        if chance.random() < errors.back_missed:
            choice_us = self._next_us(number, ("take", "challenge"))
            said_us = min(t_us + chance.randint(*errors.say_us), choice_us - 400_000)
            self._said.append(Delivery(said_us, Lay(said_us, player)))
            return
        seen_us = t_us + 250_000
        if chance.random() < errors.hand_over:
            until_us = t_us + chance.randint(*errors.hand_us)
            seen_us = until_us + 300_000
            self._words.append((t_us - 100_000, ZoneCovered(zone, t_us - 100_000, False)))
            self._words.append((until_us, ZoneCovered(zone, until_us, True)))
            self._covers.append((t_us, until_us))
        self._words.append((seen_us, BackLaid(zone, (t_us - 30_000, max(t_us, seen_us - 200_000)), player, 0.97)))
        if chance.random() < errors.back_moved:
            at_us = seen_us + chance.randint(500_000, 3_000_000)
            self._words.append((at_us, BackMoved(zone, (at_us - 60_000, at_us), 0.4, by=player)))

    def _choose(self, number: int, event: Event) -> None:
        chance = self._chance
        if chance.random() < self._errors.unsaid:
            return
        t_us = event["t_us"] - chance.randint(1_500_000, 3_000_000)
        opened = [one.event["t_us"] for one in self._truth[:number] if one.event["event"] in ("centre", "reveal")]
        t_us = max(t_us, opened[-1] + 2_200_000) if opened else t_us
        if chance.random() < self._errors.late_said:
            t_us = event["t_us"] + chance.randint(0, 4_000_000)
        self._said.append(Delivery(t_us, Choose(event["player"], event["card"])))

    # ---- when it arrives

    def _deliveries(self) -> list[Delivery]:
        chance, errors = self._chance, self._errors
        end_us = self._truth[-1].event["t_us"] + QUIET_END_US
        step_us = round(1e6 / errors.fps)
        words = sorted(self._words, key=lambda one: one[0])
        times = [t_us for t_us, _ in words]
        deliveries = list(self._said)
        at_us = done = past_us = 0
        for frame_us in range(0, end_us, step_us):
            at_us = max(at_us + 1, frame_us + chance.randint(*errors.delay_us))
            until = bisect_left(times, frame_us + 1)
            deliveries += [Delivery(at_us, word) for _, word in words[done:until]]
            done = until
            hidden = [from_us for from_us, to_us in self._covers if from_us <= frame_us < to_us]
            past_us = max(past_us, min([frame_us, *(max(one, frame_us - 3_000_000) for one in hidden)]))
            numbers = tuple(number for from_us, to_us, number in self._open if from_us <= frame_us < to_us)
            deliveries.append(Delivery(at_us, CameraPast(past_us, numbers, frame_us)))
        deliveries.sort(key=lambda one: one.at_us)
        return deliveries
