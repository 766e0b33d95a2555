"""A game of Jungle Speed played by simulated people: what truly happens, as motions and as a record.

Written rules of this module:
- the cards are real and shuffled; the rules say what is live, and people react to what they can see, late,
  and with mistakes (`habits`, `reactions`);
- everything is decided before anything is shown: nobody reacts to the referee, and the same seed is the same game;
- the record is the truth in the words of a game record, the calls are what an operator would press.
Does not belong here: how it looks (`film`), what electrodes feel (`touches`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from referee.deck.folder import Deck
from referee.errors import DeckError
from referee.rules import jungle_speed
from referee.rules.jungle_speed_state import State
from referee.sim.habits import Habits, draw_people
from referee.sim.hands import random_body
from referee.sim.played import PlayedGame
from referee.sim.reactions import Reactions
from referee.sim.scenes import Script
from referee.sim.scramble import Reach, Touching, fallen_us, words
from referee.sim.seating import Seating
from referee.sim.stage import Stage
from referee.sim.tidying import Tidying
from referee.sim.timeline import PINCH
from referee.sim.totem_gestures import TotemGestures
from referee.sim.touches import TotemKind
from referee.words import Header

TURNS_WHEN_PUT_BACK = 0.3
FIRST_CARD_US = 1_400_000
QUIET_END_US = 1_500_000


def play(
    deck: Deck,
    seating: Seating,
    seed: int,
    seconds: float,
    habits: Habits | None = None,
    totem: TotemKind | None = None,
    options: dict[str, Any] | None = None,
) -> PlayedGame:
    """One game of about `seconds` (or to its end), with `laid_us` on its flips.

    Raises `DeckError` for a deck that cannot be dealt.
    """
    return _Game(deck, seating, seed, seconds, habits or Habits(), totem or TotemKind(), options or {}).play()


class _Game:
    def __init__(
        self,
        deck: Deck,
        seating: Seating,
        seed: int,
        seconds: float,
        habits: Habits,
        totem: TotemKind,
        options: dict[str, Any],
    ) -> None:
        self.random = random = np.random.default_rng([seed, 104729])
        self.deck, self.seating, self.habits = deck, seating, habits
        self.players = tuple(seat.player for seat in seating.seats)
        self.header: Header = {
            "record": "referee/1",
            "game": "jungle-speed",
            "players": list(self.players),
            "options": options,
            "start": {},
        }
        self.people = draw_people(self.players, random)
        self.state = self._deal()
        self.stage = Stage(seating, self.people, habits, deck.card_mm, random)
        script = Script(
            "table",
            {seat.player: seat.angle_deg for seat in seating.seats},  # type: ignore[misc]
            {name: random_body(random) for name in self.players},
        )
        self.touching = Touching(script, totem.cylinder, habits, random)
        self.turns_when_put_back = 0.0 if totem.keyed else TURNS_WHEN_PUT_BACK
        self.reactions = Reactions(
            self.people, habits, random, self.stage.free_us, lambda p: self.stage.reach_us(p, self.stage.totem_spot())
        )
        self.gestures = TotemGestures(self.stage, self.touching, random)
        self.tidying = Tidying(self.stage, habits, random)
        self.end_us = int(seconds * 1e6)
        self.now = FIRST_CARD_US
        self.events: list[dict[str, Any]] = []
        self.calls: list[dict[str, Any]] = []
        self.pending: list[Reach] = []
        for player, count in zip(self.players, map(len, self.state.reserve), strict=True):
            self.stage.set_reserve(player, count, 0)

    def _deal(self) -> State:
        """The fresh deal with known cards."""
        fresh: State = jungle_speed.start(self.header)
        leave_out = "arrow/colour" if len(self.players) == 3 else ""
        cards = [card.id for card in self.deck.cards for _ in range(card.count) if card.id != leave_out]
        wanted = sum(map(len, fresh.reserve)) + len(fresh.pot)
        if self.deck.game != "jungle-speed" or len(cards) != wanted:
            raise DeckError(f"{self.deck.name}: {len(cards)} cards to deal, expected a Jungle Speed deck of {wanted}")
        cards = [str(card) for card in self.random.permutation(cards)]
        reserves = []
        for pile in fresh.reserve:
            reserves.append(tuple(cards[: len(pile)]))
            del cards[: len(pile)]
        return fresh._replace(reserve=tuple(reserves), pot=tuple(cards))

    def play(self) -> PlayedGame:
        """Play until the time is over or the game is."""
        last_start = self.end_us - 4_000_000
        while not self.state.over and (self.now < last_start or self.pending):
            self._next()
        end = max(self.now + QUIET_END_US, max(self.stage.free_us(p) for p in self.players) + 200_000)
        self.events.append({"t_us": end, "event": "end"})
        self.touching.script.duration_us = end
        return PlayedGame(
            self.header,
            tuple(self.events),
            tuple(self.calls),
            self.stage.timeline(end),
            self.touching.script,
            self.seating.places(),
            self.deck,
        )

    # -- what happens

    def _happen(self, event: dict[str, Any]) -> None:
        self.events.append(event)
        self.state, _ = jungle_speed.apply(self.state, event)

    def _between(self, low_high: tuple[float, float]) -> int:
        """A time from a range in milliseconds, in microseconds."""
        return int(1000 * self.random.uniform(*low_high))

    def _next(self) -> None:
        expected = jungle_speed.expected(self.state)
        if expected["waiting_for"] == "choose":
            self._call(
                {"event": "choose", "player": expected["asked"], "choice": str(self.random.choice(["duel", "arrow"]))}
            )
        elif expected["waiting_for"] == "share":
            self._share()
        elif self.state.volley is not None and not self.pending:
            self._volley(expected["may_flip"])
        elif expected["may_flip"]:
            self._turn(expected["may_flip"][0])
        elif self.pending:
            self._scramble()
        else:
            self._somebody_must(expected["may_take"])

    def _somebody_must(self, able: list[str]) -> None:
        """Nobody can turn a card: in the end somebody takes the totem."""
        self.now += 600_000
        self.pending = self.reactions.after(self.state, able, self.players[0], self.now, sure=True)
        if not self.pending:
            self.state = self.state._replace(over=True)

    def _call(self, event: dict[str, Any]) -> None:
        self.now += int(self.random.uniform(700_000, 2_200_000))
        whole = {"t_us": self.now, **event}
        self.calls.append(whole)
        self._happen(whole)
        self._tidy(self.now)

    def _share(self) -> None:
        pending = self.state.share
        assert pending is not None
        cards = len(self.state.face_up[pending.winner]) + len(self.state.pot)
        names = [self.players[seat] for seat in pending.losers]
        shares = dict.fromkeys(names, 0)
        for _ in range(cards):
            shares[str(self.random.choice(names))] += 1
        self._call({"event": "share", "player": self.players[pending.winner], "shares": shares})

    # -- turning cards

    def _turn(self, whose: str) -> None:
        """The next card of the round, unless a reach for the totem comes first."""
        random, habits = self.random, self.habits
        flipper = self._out_of_turn(whose) if random.random() < habits.out_of_turn and not self.pending else whose
        pace = int(1000 * habits.pace_scale * self.people[flipper].draw_ms(random, habits.pace_ms))
        reach = self.stage.reach_us(flipper, self.seating.seat(flipper).reserve)
        lift = max(self.now + pace, self.stage.free_us(flipper) + reach + 40_000)
        edge = lift + self._between(habits.lift_ms)
        if self.pending:
            first = self.pending[0].contact_us
            busy = flipper in {r.player for r in self.pending}
            if busy or first < edge + 20_000:
                if not busy and first > edge - 160_000:
                    # Too late to stop: the card comes just before the first touch.
                    self._turn_card(flipper, first - int(random.uniform(4_000, 60_000)), None)
                elif not busy and lift < first - 60_000 and edge < first + 250_000:
                    self._stopped_turn(flipper, lift, edge)
                self._scramble()
                return
        elif random.random() < habits.stopped_turn:
            self._stopped_turn(flipper, lift, edge)
            self.now = self.stage.free_us(flipper)
            return
        self._turn_card(flipper, edge, lift)
        self._react(flipper, edge)
        self._stay_or_go(flipper)
        if not self.pending and self.state.volley is None:
            self._mishap()

    def _out_of_turn(self, whose: str) -> str:
        able = [
            name for name, seat in self.state.setup.seats.items()
            if name != whose and self.state.reserve[seat] and not self.state.rank[seat]
        ]  # fmt: skip
        return str(self.random.choice(able)) if able else whose

    def _turn_card(self, player: str, edge: int, lift: int | None) -> None:
        """The card goes over, and the rules hear of it."""
        lift = edge - self._between(self.habits.lift_ms) if lift is None else lift
        laid = edge + self._between(self.habits.lay_ms)
        seat = self.state.setup.seats[player]
        card = self.state.reserve[seat][0]
        assert card is not None
        self.stage.turn_card(player, card, edge, lift, laid, len(self.state.reserve[seat]) - 1)
        self._happen({"t_us": edge, "event": "flip", "player": player, "card": card, "laid_us": laid})
        self.now = laid

    def _stopped_turn(self, player: str, lift: int, edge: int) -> None:
        """A card is lifted and put back unseen."""
        seat = self.state.setup.seats[player]
        card = self.state.reserve[seat][0]
        assert card is not None
        laid = edge + self._between(self.habits.lay_ms)
        self.stage.turn_card(player, card, edge, lift, laid, len(self.state.reserve[seat]), stopped=True)
        self.stage.home(player)

    def _react(self, flipper: str, edge_us: int, sure: bool = False) -> None:
        """People see the card and some of them set out; who is on the way already stays so."""
        able = jungle_speed.expected(self.state)["may_take"]
        new = self.reactions.after(self.state, able, flipper, edge_us, sure)
        on_the_way = {reach.player for reach in self.pending}
        self.pending += [reach for reach in new if reach.player not in on_the_way]
        self.pending.sort(key=lambda reach: reach.contact_us)

    def _stay_or_go(self, player: str) -> None:
        """After a card is laid: the arm stays over it for a while, or goes home."""
        if player in {reach.player for reach in self.pending}:
            return
        linger = self._between(self.habits.linger_ms) if self.random.random() < self.habits.linger else 0
        self.stage.home(player, linger)

    def _volley(self, owing: list[str]) -> None:
        """Everybody who owes a card turns one, at a count."""
        random, habits = self.random, self.habits
        go = self.now + self._between(habits.count_in_ms)
        go = max(go, *(self.stage.free_us(p) + self.stage.reach_us(p, self.seating.seat(p).reserve) for p in owing))
        edges = {
            p: go + self._between(habits.lift_ms) + int(1000 * abs(random.normal(0, habits.volley_spread_ms)))
            for p in owing
        }
        last = ""
        for player in sorted(owing, key=lambda p: edges[p]):
            if self.state.volley is None or self.state.over:
                break
            self._turn_card(player, edges[player], None)
            last = player
        self.now = max(self.stage.free_us(p) for p in owing)
        self._tidy(self.now)
        if last and not self.state.over:
            self._react(last, edges[last])
        for player in owing:
            self._stay_or_go(player)

    # -- the totem

    def _scramble(self) -> None:
        """The hands on their way meet at the totem; what follows from it is done."""
        landing, stopping = self.reactions.meet(self.pending)
        self.pending = []
        outcome = self.touching.scramble(landing, self.turns_when_put_back)
        for reach in stopping:
            self.gestures.stop_short(reach)
        if outcome is None:
            self.now = max(reach.contact_us for reach in landing) + 300_000
            return
        self._happen(outcome.event)
        free = self.gestures.scramble(landing, outcome)
        for player in self.players:
            if self.stage.hand(player).shape == PINCH:  # whoever had just laid a card
                self.stage.home(player)
        self._tidy(outcome.event["settle_us"] + 400_000)
        self.now = max(self.now, free + 150_000)

    def _mishap(self) -> None:
        """A brush, a feint, a knock: now and then, while nobody is reaching."""
        random, habits = self.random, self.habits
        kinds = ("brush", "feint", "topple", "wobble")
        chances = [habits.brush, habits.feint, habits.topple, habits.wobble]
        kind = str(random.choice([*kinds, ""], p=[*chances, 1 - sum(chances)]))
        player = str(random.choice(self.players))
        start = max(self.now, self.stage.free_us(player)) + int(random.uniform(100_000, 400_000))
        arrive = start + self.stage.reach_us(player, self.stage.totem_spot())
        if not kind or self.state.rank[self.state.setup.seats[player]]:
            return
        if kind == "brush":
            felt = self.gestures.brush(player, start, arrive)
            self.now = arrive + 800_000
            if felt is not None:
                self._happen({"t_us": felt.t_us, "event": "grab", "hands": [words(felt)]})
                self._tidy(self.now)
        elif kind == "feint":
            back = self.gestures.feint(player, start, arrive)
            if random.random() < 0.5:  # the others wait, or play on
                self.now = back + 200_000
        elif kind == "topple":
            fall, culprit = self.gestures.topple(player, start, arrive)
            self._happen({"t_us": fallen_us(fall), "event": "fall", "player": culprit})
            self.now = max(self.now, self.gestures.fall(fall, {player: arrive}))
            self._tidy(fall.up_us)
        else:
            self.gestures.wobble(arrive)
            self.now = arrive + 700_000

    def _tidy(self, start_us: int) -> None:
        """Cards go where the rules say they belong; people do it after a moment."""
        picked = self.tidying.follow(self.state, start_us + self._between(self.habits.tidy_ms))
        for event in picked:
            self._happen(event)
        self.now = max(self.now, self.tidying.done_us)
