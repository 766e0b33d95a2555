"""Whole matches of Speed, played by chance: records of what happened at a table that never was.

Belongs here: who lays, draws and turns up what and when, as events of a record. Does not belong here: pixels (other
modules of this room), or judging; the rules only tell the players what is waited for and what went back.

The cards are real: the deck is shuffled and halved, and only cards from a player's hand are laid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from referee.record import Record
from referee.rules import speed
from referee.rules.speed_state import DRAW, HAND, RANKS, SIDE, State, fits
from referee.words import Event, Header, Ruling

_WENT_BACK = frozenset(("illegal-play", "false-start", "undecided", "rejected"))


def deck() -> list[str]:
    """The 52 cards, in order."""
    return [rank + suit for suit in "SHDC" for rank in RANKS]


def play(
    seed: int,
    players: Sequence[str],
    options: Mapping[str, Any] | None = None,
    *,
    most_events: int = 2000,
    clumsy: float = 0.02,
) -> Record:
    """Play one match to its end (or to `most_events`) and return its record.

    `clumsy` is the chance, at each moment, of a wrong card, a false start, a sixth card, a card nobody can read or
    two cards of unknown order; a person corrects the last two at once. The same seed gives the same match.
    """
    header: Header = {
        "record": "referee/1",
        "game": "speed",
        "players": list(players),
        "options": dict(options or {}),
    }
    return _Match(Random(seed), header, clumsy).play(most_events)


class _Match:
    def __init__(self, chance: Random, header: Header, clumsy: float) -> None:
        self._chance = chance
        self._header = header
        self._clumsy = clumsy
        self._t_us = 0
        self._events: list[Event] = []
        self._state: State = speed.start(header)
        self._deal()

    def _deal(self) -> None:
        cards = deck()
        self._chance.shuffle(cards)
        self._hand = [[cards.pop() for _ in range(HAND)] for _ in range(2)]
        self._draw = [[cards.pop() for _ in range(DRAW)] for _ in range(2)]
        self._side = [[cards.pop() for _ in range(SIDE)] for _ in range(2)]
        self._middle: list[str] = []

    def play(self, most_events: int) -> Record:
        while not self._state.over and len(self._events) < most_events:
            self._next()
        self._write({"event": "end"}, 1_000_000)
        return Record(self._header, self._events, self._events)

    def _write(self, event: dict[str, Any], after_us: int) -> Event:
        self._t_us += after_us
        whole = {"t_us": self._t_us, **event}
        self._events.append(whole)
        return whole

    def _happen(self, event: dict[str, Any], after_us: int) -> list[Ruling]:
        self._state, rulings = speed.apply(self._state, self._write(event, after_us))
        return rulings

    def _next(self) -> None:
        chance, expected = self._chance, speed.expected(self._state)
        names = self._header["players"]
        if chance.random() < self._clumsy:
            self._mishap()
        elif expected["waiting_for"] == "flip":
            for name in expected["may_flip"]:
                self._turn_up(names.index(name))
        elif expected["waiting_for"] == "shuffle":
            self._shuffle()
        else:
            self._act(chance.randrange(2))

    def _turn_up(self, seat: int) -> None:
        card = self._side[seat].pop()
        self._middle.append(card)
        event = {"event": "turn_up", "player": self._header["players"][seat], "card": card}
        self._happen(event, self._chance.randint(1_000, 40_000))

    def _shuffle(self) -> None:
        left = [len(self._hand[seat]) + len(self._draw[seat]) for seat in (0, 1)]
        more = 0 if left[0] > left[1] else 1 if left[1] > left[0] else self._chance.randrange(2)
        self._chance.shuffle(self._middle)
        counts = [len(self._middle) // 2] * 2
        counts[more] += len(self._middle) % 2
        for seat, count in enumerate(counts):
            self._side[seat] += [self._middle.pop() for _ in range(count)]
        self._happen({"event": "reshuffle", "counts": counts}, self._chance.randint(5_000_000, 20_000_000))

    def _fitting(self, seat: int) -> list[tuple[int, str]]:
        tops = self._state.tops
        return [(pile, card) for card in self._hand[seat] for pile in (1, 2) if fits(card, tops[pile - 1])]

    def _act(self, seat: int) -> None:
        """A player lays a card that fits, or draws, or says they are stuck."""
        chance, name = self._chance, self._header["players"][seat]
        fitting = self._fitting(seat)
        missing = min(HAND - len(self._hand[seat]), len(self._draw[seat]))
        if missing and (not fitting or chance.random() < 0.7):
            self._hand[seat] += [self._draw[seat].pop() for _ in range(missing)]
            self._happen({"event": "draw", "player": name, "count": missing}, chance.randint(300_000, 900_000))
        elif fitting:
            pile, card = chance.choice(fitting)
            self._lay(seat, pile, card)
        else:
            self._happen({"event": "blocked", "player": name}, chance.randint(500_000, 1_500_000))

    def _lay(self, seat: int, pile: int, card: str) -> None:
        event = self._laid(seat, pile, card)
        self._settle(seat, card, self._happen(event, self._chance.randint(200_000, 1_200_000)))

    def _laid(self, seat: int, pile: int, card: str) -> dict[str, Any]:
        return {"event": "play", "player": self._header["players"][seat], "pile": pile, "card": card}

    def _settle(self, seat: int, card: str, rulings: list[Ruling]) -> None:
        """Move the card that was laid, unless it went back; deal anew once a game is won."""
        if any(ruling["ruling"] in _WENT_BACK for ruling in rulings):
            return
        self._hand[seat].remove(card)
        self._middle.append(card)
        if any(ruling["ruling"] == "game-won" for ruling in rulings):
            self._deal()

    def _mishap(self) -> None:
        chance, seat = self._chance, self._chance.randrange(2)
        kind = chance.choice(("any card", "sixth card", "stuck", "turn up", "unread", "together"))
        name, hand = self._header["players"][seat], self._hand[seat]
        if kind == "any card" and hand:
            self._lay(seat, chance.choice((1, 2)), chance.choice(hand))
        elif kind == "sixth card" and self._draw[seat]:
            self._happen({"event": "draw", "player": name, "count": HAND - len(hand) + 1}, 500_000)
        elif kind == "stuck":
            self._happen({"event": "blocked", "player": name}, 500_000)
        elif kind == "turn up" and self._side[seat] and seat not in self._state.owes:
            self._happen({"event": "turn_up", "player": name, "card": self._side[seat][-1]}, 500_000)
        elif kind == "unread" and hand and not self._state.owes:
            self._lay_unread(seat, chance.choice((1, 2)), chance.choice(hand))
        elif kind == "together" and not self._state.owes:
            self._lay_together()

    def _correct(self, place: int, right: dict[str, Any]) -> None:
        correction = {"event": "correct", "ref": place, "by": "host", "reason": "seen again", "with": right}
        self._write(correction, 2_000_000)

    def _lay_unread(self, seat: int, pile: int, card: str) -> None:
        place, before = len(self._events), self._state
        right = self._laid(seat, pile, card)
        self._happen({**right, "card": "?"}, 400_000)
        self._correct(place, right)
        self._state, rulings = speed.apply(before, {"t_us": self._events[place]["t_us"], **right})
        self._settle(seat, card, rulings)

    def _lay_together(self) -> None:
        """Both lay a card and nobody can tell who was first; where that matters a person says so."""
        choices = [self._fitting(seat) for seat in (0, 1)]
        if not all(choices):
            return
        laid = [(seat, *self._chance.choice(fitting)) for seat, fitting in enumerate(choices)]
        self._chance.shuffle(laid)
        place, before = len(self._events), self._state
        rulings: list[Ruling] = []
        for seat, pile, card in laid:
            rulings += self._happen({**self._laid(seat, pile, card), "together": place}, 3_000)
        if not any(ruling["ruling"] == "undecided" for ruling in rulings):
            for seat, _, card in laid:
                self._settle(seat, card, rulings)
            return
        self._state = before
        for step, (seat, pile, card) in enumerate(laid):
            right = self._laid(seat, pile, card)
            self._correct(place + step, right)
            self._state, given = speed.apply(self._state, {"t_us": self._events[place + step]["t_us"], **right})
            self._settle(seat, card, given)
