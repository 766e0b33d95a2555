"""Simulated people play Dobro: they think, lay, draw, pass, and now and then forget, err or call wrongly.

Written rules of this module:
- the cards are real: nobody lays a card that is not in their hand; the rules only tell the players how the game stands;
- what truly happened is written down in the words of a record, at the moments at which it happened;
- what people say goes to the referee as calls (`PlayedGame.calls`); what it answers is not known here.
Does not belong here: how a gesture moves (`dobro_stage`), how it looks (`film`).

Every chance and time below is an assumption about a lively table; mistakes are made more often than good players
make them, so that a few minutes hold some of each kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from referee.deck.folder import Deck
from referee.rules import dobro
from referee.rules.dobro_cards import JOKER, JOKER_VALUES, REVERSE, UNREADABLE, Worth, worth
from referee.rules.dobro_state import EARLY_US, State
from referee.sim.card_stage import CardStage
from referee.sim.dobro_stage import DobroStage
from referee.sim.habits import draw_people
from referee.sim.places import draw_places
from referee.sim.played import PlayedGame, Wish
from referee.table.layouts import make_layout
from referee.words import Event, Header, Ruling

PRIME = 86028121
NOT_IN_THE_PACK = ("direction", "oubli")
START_US = 1_600_000
END_US = 3_000_000
LEAST_US = 150_000  # between two things that happen one after the other
DEAL_US = (5_000_000, 7_000_000)


@dataclass(frozen=True)
class DobroHabits:
    """Times in milliseconds as (least, most), chances per occasion."""

    think_ms: tuple[float, float] = (1200, 3000)  # from a play to the next card lying
    draw_ms: tuple[float, float] = (150, 700)  # from a hand being free to its setting out for the draw pile
    react_ms: tuple[float, float] = (900, 2200)  # from a mistake being said to its being taken back
    call_ms: tuple[float, float] = (900, 2600)
    early_ms: tuple[float, float] = (1000, 1700)  # from a card lying to the next one, of people who do not wait
    say_ms: tuple[float, float] = (-900, 1300)  # a joker's value, from the moment it lies
    pass_by_choice: float = 0.09
    forget: float = 0.06
    called: float = 0.75  # of those who forgot
    wrong_call: float = 0.015
    illegal: float = 0.05
    out_of_turn: float = 0.02
    early: float = 0.03
    one_by_one: float = 0.4  # of two cards to be drawn
    unsaid_joker: float = 0.06


def play(wish: Wish, random: np.random.Generator) -> PlayedGame:
    """A game of about `wish.seconds`, or to its end."""
    places = draw_places(make_layout("dobro", wish.players, wish.deck.card_mm), random)
    own = np.random.default_rng([wish.seed, PRIME])
    people = draw_people(wish.players, own)
    cards = CardStage(places, people, (60, 85), wish.deck.card_mm, own)
    header = wish.header("dobro")
    game = _Game(header, DobroStage(cards, own), wish.deck, own, wish.pace)
    end_us = game.play(int(wish.seconds * 1e6))
    timeline = cards.timeline(end_us)
    return PlayedGame(
        header,
        tuple(game.events),
        tuple(sorted(game.calls, key=lambda call: int(call["t_us"]))),
        timeline,
        None,
        places,
        wish.deck,
    )


class _Game:
    """One game: what has happened is in `events` and `calls`, what will at a known moment in `_coming`."""

    def __init__(self, header: Header, stage: DobroStage, deck: Deck, random: np.random.Generator, pace: float) -> None:
        self.events: list[Event] = []
        self.calls: list[Event] = []
        self._players = header["players"]
        self._stage, self._random, self._pace = stage, random, pace
        self._habits = DobroHabits()
        two = len(self._players) == 2
        self._pack = [
            card.id
            for card in deck.cards
            for _ in range(card.count)
            if card.id not in NOT_IN_THE_PACK and not (two and card.id == REVERSE)
        ]
        self._state: State = dobro.start(header)
        self._coming: list[Event] = []
        self._t_us = START_US
        self._quick = False
        self._deal(START_US // 2)

    # ---- chance and time

    def _ms(self, span: tuple[float, float]) -> int:
        return int(1000 * self._random.uniform(*span))

    def _happens(self, chance: float) -> bool:
        return bool(self._random.random() < chance)

    def _deal(self, t_us: int) -> None:
        pack = [self._pack[k] for k in self._random.permutation(len(self._pack))]
        self._hands: list[list[str]] = []
        for count in self._state.hand:
            self._hands.append(pack[:count])
            del pack[:count]
        self._pile = pack[: self._state.pile]
        self._stage.deal(len(self._pile), t_us)

    # ---- what happens

    def _will(self, event: dict[str, Any]) -> None:
        """Something will happen at a moment that is known already."""
        self._coming.append(event)

    def _until(self, t_us: int) -> list[Ruling]:
        """Everything up to a moment has happened; what was ruled of it."""
        rulings: list[Ruling] = []
        for event in sorted((e for e in self._coming if e["t_us"] <= t_us), key=lambda e: int(e["t_us"])):
            self._coming.remove(event)
            self.events.append(event)
            self._state, given = dobro.apply(self._state, event)
            rulings += given
        self._t_us = max(self._t_us, t_us)
        return rulings

    def play(self, most_us: int) -> int:
        """Play until it is over or the time is up; returns when everything lies still."""
        while not self._state.over and self._t_us < most_us:
            self._turn()
        self._until(max([self._t_us, *(e["t_us"] for e in self._coming)]))
        end_us = max(self._t_us, *(self._stage.cards.free_us(name) for name in self._players)) + END_US
        self.events.append({"t_us": end_us, "event": "end"})
        return end_us

    # ---- turns

    def _turn(self) -> None:
        habits, seat = self._habits, self._state.turn
        at_us = self._t_us + int(self._ms(habits.think_ms) / self._pace)
        latest, quick, self._quick = self._state.latest, self._quick, False
        if latest is not None and quick:
            at_us = latest.t_us + self._ms(habits.early_ms)
        elif latest is not None and self._owes(latest.seat):
            at_us = max(at_us, latest.t_us + EARLY_US + 250_000)
        at_us = max(at_us, self._t_us + LEAST_US)
        moves = list(self._moves(seat))
        if self._happens(habits.out_of_turn):
            at_us = self._out_of_turn(at_us)
        if not self._state.over and self._happens(habits.illegal):
            at_us = self._illegal(seat, at_us)
        if self._state.value is None and not moves:
            self._say(seat, {"event": "pass", "only_specials": True}, at_us)
            self._go_on(at_us)
        elif not moves or (self._state.value is not None and self._happens(habits.pass_by_choice)):
            self._pass(seat, at_us)
        else:
            cards, said = moves[int(self._random.integers(len(moves)))]
            self._lay(seat, cards, said, at_us)

    def _owes(self, seat: int) -> bool:
        """Whether somebody is yet to draw, or has forgotten to."""
        return self._state.pile > 0 and self._state.hand[seat] < self._state.setup.hand_size

    def _moves(self, seat: int) -> Iterator[tuple[list[str], int | None]]:
        """Everything a hand can lay that stands; jokers alone are laid less willingly."""
        hand, value = self._hands[seat], self._state.value
        pairs = sorted({(one, other) for one, other in combinations(sorted(hand), 2)})
        for cards in [*([card] for card in sorted(set(hand))), *(list(pair) for pair in pairs)]:
            free = all(card == JOKER for card in cards)
            stand = []
            for said in JOKER_VALUES if free else (None,):
                laid = worth(cards, said)
                if isinstance(laid, Worth) and _stands(value, laid.total):
                    stand.append(said)
            if stand:
                yield cards, stand[int(self._random.integers(len(stand)))]

    def _lay(self, seat: int, cards: list[str], said: int | None, at_us: int) -> None:
        """Cards that stand: laid, and then a draw, unless it is forgotten."""
        habits, player = self._habits, self._players[seat]
        laid_us = self._stage.lay(player, cards, at_us)
        event: dict[str, Any] = {"t_us": laid_us, "event": "play", "player": player, "cards": cards, "zone": "table"}
        if said is not None and not self._happens(habits.unsaid_joker):
            event["value"] = said
            say_us = max(self._t_us + 100_000, laid_us + self._ms(habits.say_ms))
            self.calls.append({"t_us": say_us, "event": "joker", "player": player, "value": said})
        number = self._state.round
        self._will(event)
        rulings = self._until(laid_us)
        stands = any(ruling["ruling"] == "value" for ruling in rulings)
        if not stands:
            self._take_back(seat, len(cards), laid_us)
            return
        for card in cards:
            self._hands[seat].remove(card)
        if any(ruling["ruling"] == "round-over" for ruling in rulings):
            self._next_round(laid_us)
            return
        if self._state.over or self._state.round != number:
            return
        if not self._happens(habits.forget):
            early = self._happens(habits.early) and self._state.pile > 0
            self._refill(seat, laid_us + (2_600_000 if early else 0), early)
            if early:
                self._quick = True
        elif self._state.pile:
            self._forgotten(seat, laid_us)
        if REVERSE in cards and seat != self._state.turn:
            self._stage.turn_direction(player, self._stage.cards.free_us(player) + 200_000)
        self._wrong_call(laid_us)

    def _refill(self, seat: int, after_us: int, late: bool = False) -> None:
        """A player fills up the hand, in one visit of the pile or two."""
        player, missing = self._players[seat], self._state.setup.hand_size - len(self._hands[seat])
        count = min(missing, len(self._pile))
        if count < 1:
            return
        visits = [1] * count if count > 1 and self._happens(self._habits.one_by_one) else [count]
        start_us = after_us
        for number in visits:
            start_us = max(self._stage.cards.free_us(player), start_us) + self._ms(self._habits.draw_ms)
            lifted_us = self._stage.draw(player, number, start_us)
            self._hands[seat] += self._pile[:number]
            del self._pile[:number]
            self._will({"t_us": lifted_us, "event": "draw", "player": player, "count": number})
        if not late:
            # Everybody waits for the draw, or nearly.
            self._t_us = max(self._t_us, lifted_us - 900_000)

    def _forgotten(self, seat: int, laid_us: int) -> None:
        """Somebody has not drawn: the next one plays, and then perhaps somebody says so."""
        habits, number = self._habits, self._state.round
        self._t_us = max(self._t_us, laid_us + EARLY_US - 600_000)
        before = self._state.latest
        for _ in range(3):  # a pass does not make a forgetter, the card after it does
            if self._state.over or self._state.round != number or self._state.turn == seat:
                return
            self._turn()
            if self._state.latest is not before:
                break
        if seat not in self._state.forgetters or self._state.round != number or not self._happens(habits.called):
            return
        t_us = self._t_us + self._ms(habits.call_ms)
        self._until(t_us - 1)
        if seat not in self._state.forgetters:
            return
        callers = [one for one in range(len(self._players)) if one != seat]
        caller = callers[int(self._random.integers(len(callers)))]
        self._say(caller, {"event": "call", "on": self._players[seat]}, t_us)
        there_us = self._stage.move_oubli(self._players[seat], f"pile/{self._players[seat]}", t_us + 500_000)
        self._refill(seat, there_us)

    def _wrong_call(self, after_us: int) -> None:
        """Somebody calls on a player who owes nothing."""
        if not self._happens(self._habits.wrong_call) or self._state.over:
            return
        names = self._players
        on, caller = self._random.permutation(len(names))[:2]
        t_us = max([after_us, self._t_us, *(e["t_us"] for e in self._coming)]) + self._ms(self._habits.call_ms)
        self._until(t_us - 1)
        self._say(int(caller), {"event": "call", "on": names[int(on)]}, t_us)

    def _say(self, seat: int, what: dict[str, Any], t_us: int) -> list[Ruling]:
        """Something is said aloud: it happens, and the referee hears it."""
        event = {"t_us": t_us, "player": self._players[seat], **what}
        self.calls.append(event)
        self._will(event)
        return self._until(t_us)

    def _pass(self, seat: int, at_us: int) -> None:
        player = self._players[seat]
        self._say(seat, {"event": "pass"}, at_us)
        taken_us = self._stage.pick_up(player, at_us + self._ms((300, 900)))
        self._t_us = max(self._t_us, taken_us + 1_200_000)

    # ---- mistakes

    def _illegal(self, seat: int, at_us: int) -> int:
        """Cards that may not lie there are laid and taken back; returns when the player thinks again."""
        hand, value = self._hands[seat], self._state.value
        pairs = [list(pair) for pair in combinations(hand, 2)]
        wrong = [
            cards
            for cards in [*([card] for card in hand), *pairs]
            if JOKER not in cards and not _legal(value, cards)
        ]  # fmt: skip
        if not wrong:
            return at_us
        cards = wrong[int(self._random.integers(len(wrong)))]
        return self._wrong_cards(seat, cards, at_us)

    def _out_of_turn(self, at_us: int) -> int:
        """Somebody lays a card who is not next."""
        others = [one for one in range(len(self._players)) if one != self._state.turn and self._hands[one]]
        if not others:
            return at_us
        seat = others[int(self._random.integers(len(others)))]
        cards = [self._hands[seat][int(self._random.integers(len(self._hands[seat])))]]
        return self._wrong_cards(seat, cards, at_us)

    def _wrong_cards(self, seat: int, cards: list[str], at_us: int) -> int:
        player = self._players[seat]
        laid_us = self._stage.lay(player, cards, max(at_us, self._stage.cards.free_us(player)))
        self._will({"t_us": laid_us, "event": "play", "player": player, "cards": cards, "zone": "table"})
        self._until(laid_us)
        return self._take_back(seat, len(cards), laid_us)

    def _take_back(self, seat: int, count: int, laid_us: int) -> int:
        player = self._players[seat]
        self._stage.take_back(player, count, laid_us + self._ms(self._habits.react_ms))
        return self._go_on(self._stage.cards.free_us(player) + 300_000)

    def _go_on(self, t_us: int) -> int:
        self._until(t_us)
        return t_us + int(self._ms(self._habits.think_ms) / self._pace)

    # ---- rounds

    def _next_round(self, over_us: int) -> None:
        """The table is cleared and dealt anew."""
        opener = self._players[self._state.turn] if not self._state.over else self._players[0]
        self._coming.clear()
        done_us = self._stage.clear(opener, over_us + 1_500_000)
        done_us = self._stage.move_oubli(opener, "oubli", done_us + 400_000)
        t_us = max(done_us, over_us) + self._ms((DEAL_US[0] / 1000, DEAL_US[1] / 1000))
        if not self._state.over:
            self._deal(t_us - 500_000)
        self._until(t_us)


def _stands(value: int | None, total: int | None) -> bool:
    """Whether a sum (None for a special card) answers the value in play (None: it opens)."""
    if total is None:
        return value is not None
    return value is None or total >= value


def _legal(value: int | None, cards: list[str]) -> bool:
    laid = worth(cards, None)
    return UNREADABLE in cards or (isinstance(laid, Worth) and _stands(value, laid.total))
