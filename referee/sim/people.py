"""A game of Jungle Speed played by simulated people: what truly happens, as motions and as a record.

Written rules of this module:
- the cards are real and shuffled; the rules say what is live, and people react to what they can see, late,
  and with mistakes (`habits`, `reactions`);
- everything is decided before anything is shown: nobody reacts to the referee, and the same seed is the same game;
- the record is the truth in the words of a game record, the calls are what an operator would press.
Does not belong here: how it looks (`film`), what electrodes feel (`touches`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from referee.deck.folder import Deck
from referee.errors import DeckError
from referee.rules import jungle_speed
from referee.rules.jungle_speed_state import State
from referee.sim.habits import Habits, draw_people
from referee.sim.hands import random_body
from referee.sim.reactions import SEEN_AFTER_EDGE_US, Reactions
from referee.sim.scenes import Fall, Script
from referee.sim.scramble import Outcome, Reach, Touching, fallen_us, words
from referee.sim.seating import POT, Seating
from referee.sim.stage import Stage
from referee.sim.tidying import Tidying
from referee.sim.timeline import GRIP, OPEN, ArmKey, Timeline, TotemKey
from referee.sim.touches import TotemKind
from referee.words import Event, Header

TURNS_WHEN_PUT_BACK = 0.3
FIRST_CARD_US = 1_400_000
QUIET_END_US = 1_500_000
FINGERS_MM = 55.0  # so far an open hand's fingers reach beyond the middle of its grip


@dataclass(frozen=True)
class PlayedGame:
    """What truly happened: header, events (with `laid_us` on flips), the operator's calls, motions, touches."""

    header: Header
    events: tuple[Event, ...]
    calls: tuple[Event, ...]
    timeline: Timeline
    touching: Script
    seating: Seating
    deck: Deck


def play(
    deck: Deck,
    seating: Seating,
    seed: int,
    seconds: float,
    habits: Habits | None = None,
    totem: TotemKind | None = None,
    options: dict[str, Any] | None = None,
) -> PlayedGame:
    """One game of about `seconds` (or to its end); raises `DeckError` for a deck that cannot be dealt."""
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
            self.seating,
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
            self._stop_short(reach)
        if outcome is None:
            self.now = max(reach.contact_us for reach in landing) + 300_000
            return
        self._happen(outcome.event)
        self._show_hands(landing, outcome)
        for player in self.players:
            if self.stage.hand(player).shape == "pinch":
                self.stage.home(player)
        ends = outcome.event["settle_us"]
        self._tidy(ends + 400_000)
        self.now = max(self.now, outcome.free_us + 150_000)

    def _stop_short(self, reach: Reach) -> None:
        """A hand that comes too late turns back on the way."""
        stage, seat = self.stage, self.seating.seat(reach.player)
        far = self.random.uniform(FINGERS_MM + 25, FINGERS_MM + 130)
        spot = stage.totem_spot()
        t = reach.launch_us + int(0.8 * (reach.contact_us - reach.launch_us))
        stage.move(
            reach.player,
            t,
            (spot[0] + far * seat.outward[0], spot[1] + far * seat.outward[1]),
            50.0,
            OPEN,
            reach.launch_us,
        )
        stage.home(reach.player, int(self.random.uniform(50_000, 250_000)))

    def _show_hands(self, landing: list[Reach], outcome: Outcome) -> None:
        """Arms and totem as the camera sees the scramble."""
        stage, random = self.stage, self.random
        spot = stage.totem_spot()
        for reach in landing:
            height = outcome.middle_mm[reach.player]
            stage.approach(reach.player, reach.contact_us + 12_000, height, reach.launch_us)
            stage.follow(reach.player, [ArmKey(reach.contact_us + 45_000, *spot, height, GRIP)])
        if outcome.lift is not None and outcome.carrier is not None:
            self._carry(outcome)
        elif outcome.fall is not None:
            self._fall(outcome.fall, outcome.leave_us)
        for player, leave in outcome.leave_us.items():
            if player != outcome.carrier:
                stage.hold(player, leave)
                stage.home(player)
        if outcome.lift is None and outcome.fall is None and random.random() < 1:
            self.now = outcome.free_us

    def _carry(self, outcome: Outcome) -> None:
        """The totem goes with the hand that has it, and comes back to the middle."""
        stage, random, lift = self.stage, self.random, outcome.lift
        assert lift is not None
        assert outcome.carrier is not None
        seat, spot = self.seating.seat(outcome.carrier), stage.totem_spot()
        far = float(random.uniform(30, 150))
        away = (spot[0] + far * seat.outward[0], spot[1] + far * seat.outward[1])
        back = (float(np.clip(random.normal(0, 3), -7, 7)), float(np.clip(random.normal(0, 3), -7, 7)))
        top = lift.start_us + int(0.35 * (lift.end_us - lift.start_us))
        turn = top + int(0.25 * (lift.end_us - lift.start_us))
        down = lift.end_us - 60_000
        lean = min(lift.tilt_deg, 60.0)
        toward = float(np.rad2deg(np.arctan2(-seat.outward[1], seat.outward[0])))
        stage.totem(
            TotemKey(lift.start_us, *spot, 0.0, 0.0, toward),
            TotemKey(top, *away, float(random.uniform(30, 80)), lean, toward),
            TotemKey(turn, *away, 40.0, lean, toward),
            TotemKey(down, *back, 0.0, 0.0, toward),
        )
        z = outcome.middle_mm[outcome.carrier]
        stage.hold(outcome.carrier, lift.start_us)
        stage.follow(
            outcome.carrier,
            [ArmKey(top, *away, z + 50, GRIP), ArmKey(turn, *away, z + 40, GRIP), ArmKey(down, *back, z, GRIP)],
        )
        stage.hold(outcome.carrier, outcome.leave_us[outcome.carrier])
        stage.home(outcome.carrier)

    def _fall(self, fall: Fall, holding: dict[str, int]) -> None:
        """It tips over, lies there, and somebody stands it up again."""
        stage, random = self.stage, self.random
        toward = float(random.uniform(0, 360))
        spot = stage.totem_spot()
        roll = float(random.uniform(10, 50))
        lies = (spot[0] + roll * float(np.cos(np.deg2rad(toward))), spot[1] - roll * float(np.sin(np.deg2rad(toward))))
        back = (float(random.normal(0, 2)), float(random.normal(0, 2)))
        stage.totem(
            TotemKey(fall.start_us, *spot, 0.0, 0.0, toward),
            TotemKey(fall.end_us, *lies, 0.0, 88.0, toward),
            TotemKey(fall.up_us - 250_000, *lies, 0.0, 88.0, toward),
            TotemKey(fall.up_us, *back, 0.0, 0.0, toward),
        )
        helper = str(random.choice([p for p in self.players if p not in holding] or list(self.players)))
        if helper in holding:
            stage.hold(helper, min(holding[helper], fall.up_us - 800_000))
        done = fall.up_us + 150_000
        taken = max(fall.up_us - 300_000, stage.free_us(helper) + 50_000)
        middle = (lies[0] + 55 * float(np.cos(np.deg2rad(toward))), lies[1] - 55 * float(np.sin(np.deg2rad(toward))))
        stage.move(helper, taken, middle, 20.0, GRIP)
        stage.hold(helper, max(fall.up_us - 250_000, taken))
        stage.follow(helper, [ArmKey(max(fall.up_us, taken + 150_000), *back, 60.0, GRIP)])
        stage.hold(helper, done)
        stage.home(helper)
        self.touching.stand_up(helper, taken, done)
        self.now = max(self.now, done + 600_000)

    # -- small mistakes

    def _mishap(self) -> None:
        """A brush, a feint, a knock: now and then, while nobody is reaching."""
        random, habits = self.random, self.habits
        chance = random.random()
        player = str(random.choice(self.players))
        seat = self.state.setup.seats[player]
        start = max(self.now, self.stage.free_us(player)) + int(random.uniform(100_000, 400_000))
        arrive = start + self.stage.reach_us(player, self.stage.totem_spot())
        if self.state.rank[seat]:
            return
        if chance < habits.brush:
            self._brush(player, start, arrive)
        elif (chance := chance - habits.brush) < habits.feint:
            self._feint(player, start, arrive)
        elif (chance := chance - habits.feint) < habits.topple:
            self._topple(player, start, arrive)
        elif chance - habits.topple < habits.wobble:
            lean = self.touching.wobble(arrive)
            toward = float(random.uniform(0, 360))
            spot = self.stage.totem_spot()
            self.stage.totem(
                TotemKey(arrive, *spot, 0.0, 0.0, toward),
                TotemKey(arrive + 70_000, *spot, 0.0, 0.7 * lean, toward),
                TotemKey(arrive + 300_000, *spot, 0.0, 0.0, toward),
            )
            self.now = arrive + 700_000

    def _beside(self, player: str, far: float) -> tuple[float, float]:
        spot, out = self.stage.totem_spot(), self.seating.seat(player).outward
        return spot[0] + far * out[0], spot[1] + far * out[1]

    def _brush(self, player: str, start: int, arrive: int) -> None:
        felt = self.touching.brush(player, arrive)
        self.stage.move(player, arrive, self._beside(player, FINGERS_MM + 8), 60.0, OPEN, start)
        self.stage.home(player, 30_000)
        self.now = arrive + 800_000
        if felt is not None:
            self._happen({"t_us": felt[0].t_us, "event": "grab", "hands": [words(felt[0])]})
            self._tidy(self.now)

    def _feint(self, player: str, start: int, arrive: int) -> None:
        stay = int(self.random.uniform(20_000, 400_000))
        self.touching.hover(player, arrive, stay)
        self.stage.move(
            player, arrive, self._beside(player, FINGERS_MM + float(self.random.uniform(16, 40))), 60.0, OPEN, start
        )
        self.stage.home(player, stay)
        if self.random.random() < 0.5:
            self.now = arrive + stay + 200_000

    def _topple(self, player: str, start: int, arrive: int) -> None:
        """Knocked over in passing: by a fingertip, which is felt, or by a sleeve, which is nobody's."""
        felt = self.touching.brush(player, arrive) if self.random.random() < 0.6 else None
        self.stage.move(player, arrive, self._beside(player, FINGERS_MM), 60.0, OPEN, start)
        self.stage.home(player, 60_000)
        fall = self.touching.topple(arrive + int(self.random.uniform(5_000, 40_000)), player if felt else None)
        self._happen({"t_us": fallen_us(fall), "event": "fall", "player": player if felt else None})
        self._fall(fall, {player: arrive})
        self._tidy(self.now - 800_000)

    def _tidy(self, start_us: int) -> None:
        """Cards go where the rules say they belong; people do it after a moment."""
        picked = self.tidying.follow(self.state, start_us + self._between(self.habits.tidy_ms))
        for event in picked:
            self._happen(event)
        self.now = max(self.now, self.tidying.done_us)


__all__ = ["POT", "SEEN_AFTER_EDGE_US", "PlayedGame", "play"]
