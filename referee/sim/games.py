"""Whole games of Jungle Speed, played by chance: records of what happened at a table that never was.

Belongs here: who flips what and when, who grabs and how, as events of a record. Does not belong here: pixels and
electrodes (other modules of this room), or judging; the rules only tell the players whose turn it is.

The cards are real: the deck is shuffled and dealt, and what a loser picks up is turned again later in that order,
because the state of the rules keeps the order of known cards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from referee.record import Record
from referee.rules import jungle_speed
from referee.rules.jungle_speed_state import State
from referee.words import Event, Header

SHAPES = tuple(f"shape-{number}" for number in range(1, 19))
COLOURS = ("purple", "green", "orange", "yellow")
ARROWS = ("arrow/in",) * 3 + ("arrow/out",) * 3 + ("arrow/colour",) * 2


def deck(player_count: int) -> list[str]:
    """The 80 cards of the default profile; 78 without colour arrows for three players (JS-09)."""
    symbols = [f"{shape}/{colour}" for shape in SHAPES for colour in COLOURS]
    arrows = [arrow for arrow in ARROWS if player_count != 3 or arrow != "arrow/colour"]
    return symbols + arrows


def play(
    seed: int,
    players: Sequence[str],
    options: Mapping[str, Any] | None = None,
    *,
    most_events: int = 2000,
    clumsy: float = 0.02,
) -> Record:
    """Play one game to its end (or to `most_events`) and return its record.

    `clumsy` is the chance, for each flip, that somebody grabs wrongly, brushes, knocks the totem over or flips
    out of turn. The same seed gives the same game.
    """
    header: Header = {
        "record": "referee/1",
        "game": "jungle-speed",
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
        self._state = self._deal()

    def _deal(self) -> State:
        """The fresh deal with known cards; the record itself only says that it is a fresh deal."""
        fresh: State = jungle_speed.start(self._header)
        cards = deck(len(fresh.reserve))
        self._chance.shuffle(cards)
        reserves = []
        for pile in fresh.reserve:
            reserves.append(tuple(cards[: len(pile)]))
            del cards[: len(pile)]
        return fresh._replace(reserve=tuple(reserves), pot=tuple(cards))

    def play(self, most_events: int) -> Record:
        while not self._state.over and len(self._events) < most_events:
            self._next()
        self._happen({"event": "end"}, 1_000_000)
        return Record(self._header, self._events, self._events)

    def _happen(self, event: dict[str, Any], after_us: int) -> list[str]:
        self._t_us += after_us
        whole = {"t_us": self._t_us, **event}
        for hand in whole.get("hands", ()):
            hand["t_us"] += self._t_us
        self._events.append(whole)
        self._state, rulings = jungle_speed.apply(self._state, whole)
        moved = [r for r in rulings if r["ruling"] in ("won", "fault")]
        return [name for r in moved for name, count in r["picks_up"].items() if count]

    def _next(self) -> None:
        chance, expected = self._chance, jungle_speed.expected(self._state)
        if expected["waiting_for"] == "choose":
            self._happen(
                {"event": "choose", "player": expected["asked"], "choice": chance.choice(("duel", "arrow"))},
                chance.randint(500_000, 2_000_000),
            )
        elif expected["waiting_for"] == "share":
            self._share()
        elif expected["may_take"] and chance.random() < 0.9:
            self._scramble(expected["may_take"])
        elif chance.random() < self._clumsy:
            self._mishap()
        elif expected["may_flip"]:
            self._flip(chance.choice(expected["may_flip"]))
        else:
            self._scramble(expected["may_take"] or list(self._header["players"]))

    def _flip(self, player: str) -> None:
        seat = self._state.setup.seats[player]
        card = self._state.reserve[seat][0]
        volley = self._state.volley is not None
        after = self._chance.randint(20_000, 120_000) if volley else self._chance.randint(700_000, 1_800_000)
        self._happen({"event": "flip", "player": player, "card": card}, after)

    def _hand(self, player: str, after_us: int, *, grip: bool = True) -> dict[str, Any]:
        hand = {
            "player": player,
            "t_us": after_us,
            "fingers": self._chance.randint(1, 5) if grip else 1,
            "lowest_mm": self._chance.randint(2, 90),
        }
        return hand if grip else {**hand, "grip": False}

    def _scramble(self, able: list[str]) -> None:
        chance = self._chance
        hands, after = [], 0
        for player in chance.sample(able, min(len(able), chance.choice((1, 2, 2, 3)))):
            hands.append(self._hand(player, after))
            after += chance.choice((chance.randint(0, 40_000), chance.randint(40_000, 150_000)))
        others = [name for name in self._header["players"] if name not in able]
        if others and chance.random() < 2 * self._clumsy:
            hands.append(self._hand(chance.choice(others), after))
        picked = self._happen({"event": "grab", "hands": hands}, chance.randint(250_000, 900_000))
        self._t_us += after
        for player in picked[:1]:
            self._happen({"event": "pick_up", "player": player}, chance.randint(1_000_000, 3_000_000))

    def _share(self) -> None:
        pending = self._state.share
        assert pending is not None
        cards = len(self._state.face_up[pending.winner]) + len(self._state.pot)
        names = [self._header["players"][seat] for seat in pending.losers]
        shares = dict.fromkeys(names, 0)
        for _ in range(cards):
            shares[self._chance.choice(names)] += 1
        winner = self._header["players"][pending.winner]
        self._happen({"event": "share", "player": winner, "shares": shares}, 2_000_000)

    def _mishap(self) -> None:
        chance, players = self._chance, self._header["players"]
        player = chance.choice(players)
        kind = chance.choice(("grab", "brush", "fall", "lost fall", "out of turn"))
        after = chance.randint(200_000, 800_000)
        seat = self._state.setup.seats[player]
        if kind == "grab":
            self._happen({"event": "grab", "hands": [self._hand(player, 0)]}, after)
        elif kind == "brush":
            self._happen({"event": "grab", "hands": [self._hand(player, 0, grip=False)]}, after)
        elif kind == "fall":
            self._happen({"event": "fall", "player": player}, after)
        elif kind == "lost fall":
            self._happen({"event": "fall", "player": None}, after)
        elif self._state.reserve[seat] and not self._state.rank[seat]:
            self._flip(player)
