"""Whole games of Dobro, played by chance: records of what happened at a table that never was.

Belongs here: who lays what and when, who forgets to draw, who calls it, as events of a record. Does not belong here:
pixels (other modules of this room), or judging; the rules only tell the players how the game stands.

The cards are real: the pack is shuffled, dealt and drawn, and nobody lays a card that is not in their hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from random import Random
from typing import Any

from referee.record import Record
from referee.rules import dobro
from referee.rules.dobro_cards import JOKER, JOKER_VALUES, NUMBERS, REVERSE, SKIP, Worth, worth
from referee.rules.dobro_state import State
from referee.words import Event, Header, Ruling

_COPIES = {2: 5, 3: 6, 4: 6, 5: 6, 6: 6, 7: 5, 8: 4, 9: 3, 10: 3, 11: 3, 12: 3}  # DO-G02
_Move = tuple[list[str], int | None]
"""Cards to lay, and what is said of a joker."""


def deck(player_count: int) -> list[str]:
    """The 57 cards of the default profile; 55 without reverses for two players (DO-59)."""
    numbers = [str(number) for number, copies in _COPIES.items() for _ in range(copies)]
    reverses = [] if player_count == 2 else [REVERSE] * 2
    return [*numbers, *[JOKER] * 3, *[SKIP] * 2, *reverses]


def play(
    seed: int,
    players: Sequence[str],
    options: Mapping[str, Any] | None = None,
    *,
    most_events: int = 4000,
    clumsy: float = 0.02,
) -> Record:
    """Play one game to its end (or to `most_events`) and return its record.

    `clumsy` is the chance, for each turn, that somebody forgets to draw, plays too soon, too low or out of turn,
    draws too many or calls wrongly. The same seed gives the same game.
    """
    header: Header = {
        "record": "referee/1",
        "game": "dobro",
        "players": list(players),
        "options": dict(options or {}),
    }
    return _Game(Random(seed), header, clumsy).play(most_events)


class _Game:
    def __init__(self, chance: Random, header: Header, clumsy: float) -> None:
        self._chance = chance
        self._header = header
        self._clumsy = clumsy
        self._t_us = 0
        self._events: list[Event] = []
        self._state: State = dobro.start(header)
        self._deal()

    def _deal(self) -> None:
        """Shuffle, deal, and leave the draw pile; what two players set aside is simply not drawn (DO-60, DO-61)."""
        state = self._state
        cards = deck(len(state.hand))
        self._chance.shuffle(cards)
        self._hands: list[list[str]] = []
        for count in state.hand:
            self._hands.append(cards[:count])
            del cards[:count]
        self._pile = cards[: state.pile]

    def play(self, most_events: int) -> Record:
        while not self._state.over and len(self._events) < most_events:
            self._next()
        self._happen({"event": "end"}, 1_000_000)
        return Record(self._header, self._events, self._events)

    def _happen(self, event: dict[str, Any], after_us: int) -> list[Ruling]:
        """Let an event happen; deal anew where it ended a round."""
        self._t_us += after_us
        whole = {"t_us": self._t_us, **event}
        self._events.append(whole)
        self._state, rulings = dobro.apply(self._state, whole)
        if not self._state.over and any(ruling["ruling"] == "round-over" for ruling in rulings):
            self._deal()
        return rulings

    def _next(self) -> None:
        chance, state = self._chance, self._state
        seat = state.turn
        if state.forgetters and chance.random() < 0.4:
            self._call_forgetter(chance.choice(sorted(state.forgetters)))
        elif chance.random() < self._clumsy:
            self._mishap()
        elif not self._hands[seat]:
            self._draw(seat)
        else:
            self._take_turn(seat)

    def _take_turn(self, seat: int) -> None:
        chance, player, value = self._chance, self._header["players"][seat], self._state.value
        moves = list(self._moves(seat))
        thinking = chance.randint(1_000_000, 4_000_000)
        if value is None and not moves:
            self._happen({"event": "pass", "player": player, "only_specials": True}, thinking)
        elif not moves or (value is not None and chance.random() < 0.12):
            self._happen({"event": "pass", "player": player}, thinking)
        else:
            self._lay(seat, chance.choice(moves), thinking)

    def _lay(self, seat: int, move: _Move, after_us: int) -> None:
        """Lay cards; if they stand, draw, or forget to."""
        cards, said = move
        event: dict[str, Any] = {"event": "play", "player": self._header["players"][seat], "cards": cards}
        if said is not None:
            event["value"] = said
        number = self._state.round
        stands = any(ruling["ruling"] == "value" for ruling in self._happen(event, after_us))
        if not stands or self._state.over or self._state.round != number:
            return
        for card in cards:
            self._hands[seat].remove(card)
        if self._chance.random() >= 2 * self._clumsy:
            self._draw(seat)

    def _moves(self, seat: int) -> Iterator[_Move]:
        """Everything a hand can lay that stands against the value in play."""
        hand, value = self._hands[seat], self._state.value
        pairs = sorted({(one, other) for one, other in combinations(sorted(hand), 2)})
        for cards in [*([card] for card in sorted(set(hand))), *(list(pair) for pair in pairs)]:
            free = cards.count(JOKER) == len(cards)
            for said in JOKER_VALUES if free else (None,):
                laid = worth(cards, said)
                if isinstance(laid, Worth) and _stands(value, laid.total):
                    yield cards, said

    def _draw(self, seat: int, more: int = 0) -> None:
        """Fill a hand, or take so many cards too many, which go back."""
        missing = self._state.setup.hand_size - len(self._hands[seat])
        count = min(missing + more, len(self._pile))
        if count < 1:
            return
        kept = min(count, missing)
        self._hands[seat] += self._pile[:kept]
        del self._pile[:kept]
        event = {"event": "draw", "player": self._header["players"][seat], "count": count}
        self._happen(event, self._chance.randint(400_000, 1_200_000))

    def _call_forgetter(self, forgetter: int) -> None:
        players = self._header["players"]
        caller = self._chance.choice([name for name in players if name != players[forgetter]])
        event = {"event": "call", "player": caller, "on": players[forgetter]}
        self._happen(event, self._chance.randint(300_000, 900_000))
        self._draw(forgetter)

    def _mishap(self) -> None:
        chance, state, players = self._chance, self._state, self._header["players"]
        seat = chance.randrange(len(players))
        player, hand = players[seat], self._hands[seat]
        after = chance.randint(200_000, 900_000)
        kind = chance.choice(("out of turn", "pass", "any card", "any two", "call", "too many", "unread", "unknown"))
        if kind == "out of turn" and hand and seat != state.turn:
            self._lay(seat, ([chance.choice(hand)], None), after)
        elif kind == "pass":
            self._happen({"event": "pass", "player": player}, after)
        elif kind == "any card" and self._hands[state.turn]:
            self._lay(state.turn, ([chance.choice(self._hands[state.turn])], None), after)
        elif kind == "any two" and len(self._hands[state.turn]) > 1:
            said = chance.choice((None, *NUMBERS.values()))
            self._lay(state.turn, (chance.sample(self._hands[state.turn], 2), said), after)
        elif kind == "call":
            other = chance.choice([name for name in players if name != player])
            self._happen({"event": "call", "player": player, "on": other}, after)
        elif kind == "too many":
            self._draw(seat, chance.randint(1, 2))
        elif kind == "unread" and hand:
            self._happen({"event": "play", "player": player, "cards": ["?"]}, after)
        elif kind == "unknown" and hand:
            self._happen({"event": "play", "player": None, "cards": [chance.choice(hand)]}, after)


def _stands(value: int | None, total: int | None) -> bool:
    """Whether a sum (None for a special card) answers the value in play (None: it opens)."""
    if total is None:
        return value is not None
    return value is None or total >= value
