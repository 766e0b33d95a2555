"""A match of Speed played by two simulated people: what truly happens, as motions and as a record.

Written rules of this module:
- the cards are real and shuffled; people lay what fits on what they have noticed lying there, so that a card laid on
  one that has just been covered is judged as it lands;
- everything is decided before anything is shown: nobody reacts to the referee, but for the count at a turn-up, and the
  same seed is the same match;
- the record is the truth in the words of a game record; `blocked` is what the players say by their buttons.
Does not belong here: how it looks (`film`), how people are (`speed_habits`), motions (`card_stage`), rules.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from referee.errors import DeckError
from referee.rules import speed
from referee.rules.speed_state import DECK, DRAW, HAND, SIDE, State, fits, left
from referee.sim.card_stage import CardStage
from referee.sim.habits import Range, draw_people
from referee.sim.places import Point, draw_places
from referee.sim.played import PlayedGame, Wish
from referee.sim.speed_habits import SpeedHabits
from referee.sim.timeline import FLAT, PINCH, Pose, Rest, Turn
from referee.table.layouts import make_layout
from referee.words import Ruling

GAME = "speed"
FIRST_TURN_US = 1_600_000
QUIET_END_US = 1_500_000
LAST_START_US = 2_500_000
LOOK_AGAIN_US = 120_000
JUST_US = 400_000
STIRRED_US = 320_000  # a card that was just laid is seen to have come before it is known
READY_MM = 182.0  # from the middle to where a hand waits with its next card
READY_Z_MM = 45.0
ASIDE_MM = 26.0  # and so far to the left, beside the draw pile
WENT_BACK = frozenset(("illegal-play", "false-start"))


def play(wish: Wish, random: np.random.Generator, habits: SpeedHabits | None = None) -> PlayedGame:
    """One match of about `wish.seconds` (or to its end); raises `DeckError` for a deck that is none of 52 cards."""
    return _Match(wish, random, habits or SpeedHabits(pace_scale=1 / wish.pace)).play()


class _Match:
    def __init__(self, wish: Wish, places_random: np.random.Generator, habits: SpeedHabits) -> None:
        self.random = np.random.default_rng([wish.seed, 86028121])
        self.habits, self.players, self.deck = habits, wish.players, wish.deck
        self.places = draw_places(make_layout(GAME, wish.players, wish.deck.card_mm), places_random)
        self.header = wish.header(GAME)
        self.people = draw_people(self.players, self.random)
        self.stage = CardStage(self.places, self.people, habits.fitts_ms, wish.deck.card_mm, self.random)
        self.state: State = speed.start(self.header)
        self.end_us = int(wish.seconds * 1e6)
        self.events: list[dict[str, Any]] = []
        self.calls: list[dict[str, Any]] = []
        self._due: list[tuple[int, int, Callable[[int], None]]] = []
        self._numbers = count()
        self._round = 0  # what was planned before the table was cleared is not done any more
        self._noticed: list[list[list[tuple[int, str]]]] = [[[], []], [[], []]]  # player, pile: (known from, card)
        self._fouls: list[Rest | None] = [None, None]
        self._coming: list[int | None] = [None, None]  # the pile each player's hand is on its way to
        self._stuck_us: list[int | None] = [None, None]
        self._said = [False, False]
        self._laid_us = 0
        self._moved = [(0, -STIRRED_US), (0, -STIRRED_US)]  # who laid the last card on each pile, and when
        self._cards = self._all_cards()
        self._hand: list[list[str]] = [[], []]
        self._draw: list[list[str]] = [[], []]
        self._side: list[list[str]] = [[], []]
        self._middle: list[str] = []

    def _all_cards(self) -> list[str]:
        cards = [card.id for card in self.deck.cards for _ in range(card.count)]
        if self.deck.game != GAME or len(cards) != DECK:
            raise DeckError(f"{self.deck.name}: {len(cards)} cards to deal, expected a deck of {DECK} for Speed")
        return cards

    def play(self) -> PlayedGame:
        """Play until the time is over or the match is."""
        self._deal(0)
        self._at(FIRST_TURN_US, self._turn_up)
        now = 0
        while self._due and not self.state.over:
            now, _, do = heapq.heappop(self._due)
            do(now)
        end = max(now + QUIET_END_US, *(self.stage.free_us(p) + 200_000 for p in self.players))
        self.events.append({"t_us": end, "event": "end"})
        return PlayedGame(
            self.header, tuple(self.events), tuple(self.calls), self.stage.timeline(end), None, self.places, self.deck
        )

    # -- time and chance

    def _at(self, t_us: int, do: Callable[[int], None]) -> None:
        """Do it then, unless the table has been cleared by that time; nothing new begins when time is nearly over."""
        mine = self._round

        def still(now: int) -> None:
            if mine == self._round:
                do(now)

        heapq.heappush(self._due, (t_us, next(self._numbers), still))

    def _between(self, low_high: Range) -> int:
        return int(1000 * self.random.uniform(*low_high))

    def _draw_us(self, seat: int, spread: Range) -> int:
        return int(1000 * self.people[self.players[seat]].draw_ms(self.random, spread))

    def _chance(self, share: float) -> bool:
        return bool(self.random.random() < share)

    def _is_late(self, now: int) -> bool:
        return now > self.end_us - LAST_START_US

    def _happen(self, event: dict[str, Any]) -> list[Ruling]:
        self.events.append(event)
        self.state, rulings = speed.apply(self.state, event)
        return rulings

    # -- dealing and turning up

    def _pose(self, zone: str, seat: int) -> Pose:
        x, y = self.places.centre(zone)
        return Pose(x, y, self.stage.facing(self.players[seat]) + float(self.random.normal(0, 4)))

    def _deal(self, now: int) -> None:
        cards = [str(card) for card in self.random.permutation(self._cards)]
        for seat, name in enumerate(self.players):
            self._hand[seat], self._draw[seat], self._side[seat] = cards[:HAND], cards[HAND:][:DRAW], cards[20:26]
            cards = cards[HAND + DRAW + SIDE :]
            self.stage.set_stock(f"draw/{name}", DRAW, now, self._pose(f"draw/{name}", seat))
            self.stage.set_stock(f"side/{name}", SIDE, now, self._pose(f"side/{name}", seat))
        self._middle = []

    def _turn_up(self, now: int) -> None:
        """Both turn a side card, at a count; now and then one is late, and the other plays too soon."""
        habits, random = self.habits, self.random
        late = int(random.integers(2)) if self._chance(habits.late) else None
        edges = []
        for seat in (0, 1):
            edge = now + self._between(habits.lift_ms) + int(1000 * abs(random.normal(0, habits.turn_spread_ms)))
            edge += self._between(habits.late_ms) if seat == late else 0
            edges.append(self._turn_card(seat, edge))
        both = max(edges)
        for seat in (0, 1):
            self._at(edges[seat], self._turned(seat))
            self._stuck_us[seat], self._said[seat] = None, False
            ready = max(both + self._draw_us(seat, habits.notice_ms), self.stage.free_us(self.players[seat]))
            if late == 1 - seat and self._chance(habits.early):
                ready = self.stage.free_us(self.players[seat]) + 40_000
            self._at(ready + self._find_us(seat), self._decide(seat))

    def _turn_card(self, seat: int, edge: int) -> int:
        """The motion of a side card going over; returns when it stands on its edge."""
        stage, player, habits, random = self.stage, self.players[seat], self.habits, self.random
        lift = edge - self._between(habits.lift_ms)
        free = stage.free_us(player) + stage.reach_us(player, self.places.centre(f"side/{player}")) + 40_000
        lift, edge = max(lift, free), edge + max(0, free - lift)
        pile = next(one for one in reversed(stage.timeline(0).stocks) if one.name == f"side/{player}")
        zone = f"central/{seat + 1}"
        end = self._landing(seat, zone)
        # It is turned about the edge that faces the middle: the way its pile lies beside the central one.
        axis = 90.0 + float(random.normal(0, 8))
        turn = Turn(
            stage.next_number(), self._side[seat][-1], zone, stage.pile(zone), pile.pose, end, axis,
            lift, edge, edge + self._between(habits.lay_ms), False, False, player,
        )  # fmt: skip
        stage.turn_over(turn)
        stage.set_stock(pile.name, pile.count - 1, lift + 30_000, pile.pose)
        stage.put_down(turn.card, zone, end, turn.laid_us)
        self._go_ready(seat, 20_000)
        return edge

    def _turned(self, seat: int) -> Callable[[int], None]:
        def happen(now: int) -> None:
            card = self._side[seat].pop()
            self._happen({
                "t_us": now, "event": "turn_up", "player": self.players[seat], "card": card,
                "zone": f"central/{seat + 1}",
            })  # fmt: skip
            self._middle.append(card)
            self._stuck_us = [None, None]
            self._lies(seat, card, now, seat)

        return happen

    def _lies(self, pile: int, card: str, now: int, by: int | None) -> None:
        """A card is the top of a pile now; its player knows at once, the other a little later."""
        for seat in (0, 1):
            known = now if seat == by else now + self._draw_us(seat, self.habits.notice_ms)
            self._noticed[seat][pile].append((known, card))

    # -- what one player does next

    def _find_us(self, seat: int) -> int:
        return int(self.habits.pace_scale * self._draw_us(seat, self.habits.find_ms))

    def _ready(self, seat: int) -> Point:
        out = self.places.chair(self.players[seat]).outward
        # A player's left is a quarter turn clockwise from where they sit, as the picture shows it.
        left_of = (-out[1], out[0])
        spread = self.random.normal(0, 7, 2)
        x, y = (READY_MM * out[i] + ASIDE_MM * left_of[i] + float(spread[i]) for i in (0, 1))
        return x, y

    def _go_ready(self, seat: int, after_us: int) -> int:
        """The hand goes back to where the next card is held ready; returns when it is there."""
        stage, player = self.stage, self.players[seat]
        stage.hold(player, stage.free_us(player) + after_us)
        spot, out = self._ready(seat), stage.free_us(player)
        stage.move(player, out + self._reach_us(seat, spot), spot, READY_Z_MM, PINCH, out)
        return stage.free_us(player)

    def _reach_us(self, seat: int, to: Point) -> int:
        return max(self.stage.reach_us(self.players[seat], to), int(1000 * self.habits.slowest_reach_ms))

    def _tops(self, seat: int, now: int) -> list[str | None]:
        """The tops as a player knows them; None where a wrong card lies."""
        tops: list[str | None] = []
        for pile in (0, 1):
            known = [card for from_us, card in self._noticed[seat][pile] if from_us <= now]
            tops.append(known[-1] if known and self._fouls[pile] is None else None)
        return tops

    def _fitting(self, seat: int, now: int) -> list[tuple[int, str]]:
        tops = self._tops(seat, now)
        found = [
            (pile, card) for card in self._hand[seat] for pile in (0, 1) if (top := tops[pile]) and fits(card, top)
        ]
        busy = {pile for pile, (by, t_us) in enumerate(self._moved) if by != seat and now < t_us + STIRRED_US}
        if self._coming[1 - seat] is not None:
            busy.add(int(self._coming[1 - seat] or 0))
        if busy and self._chance(self.habits.give_way):
            found = [one for one in found if one[0] not in busy]
        return [found[int(i)] for i in self.random.permutation(len(found))]

    def _decide(self, seat: int) -> Callable[[int], None]:
        def decide(now: int) -> None:
            if self._is_late(now) or (not self._hand[seat] and not self._draw[seat]):
                return
            if now < self.stage.free_us(self.players[seat]):
                self._at(self.stage.free_us(self.players[seat]), decide)
                return
            self._act(seat, now)

        return decide

    def _act(self, seat: int, now: int) -> None:
        habits = self.habits
        fitting = self._fitting(seat, now)
        missing = min(HAND - len(self._hand[seat]), len(self._draw[seat]))
        hasty = missing and not fitting and not self._said[seat] and not self._is_moving(seat, now)
        if hasty and self._chance(habits.hasty_claim):
            self._say_blocked(seat, now)
        elif missing and (not fitting or missing >= 3 or self._chance(habits.refill)):
            self._draw_one(seat, now)
        elif fitting:
            self._stuck_us[seat] = None
            pile, card = fitting[0]
            if self._chance(habits.wrong_card):
                card = str(self.random.choice(self._hand[seat]))
            self._launch(seat, pile, card, now)
        elif self._chance(habits.hover):
            self._hover(seat, now)
        else:
            self._look_on(seat, now)

    def _look_on(self, seat: int, now: int) -> None:
        """Nothing fits: look again a little later, and after a while say so."""
        if self._stuck_us[seat] is None:
            self._stuck_us[seat] = now + self._draw_us(seat, self.habits.stuck_ms)
        elif now >= (self._stuck_us[seat] or 0) and not self._said[seat] and not self.state.owes:
            if any(foul is not None for foul in self._fouls) or self._is_moving(seat, now):
                self._stuck_us[seat] = now + 400_000
            else:
                self._say_blocked(seat, now)
                return
        self._at(now + LOOK_AGAIN_US, self._decide(seat))

    def _is_moving(self, seat: int, now: int) -> bool:
        """Whether the other is laying a card, or has just laid one: then one looks before one says anything."""
        return self._coming[1 - seat] is not None or now < self._laid_us + JUST_US

    def _say_blocked(self, seat: int, now: int) -> None:
        self._said[seat] = True
        event = {"t_us": now, "event": "blocked", "player": self.players[seat]}
        self.calls.append(event)
        rulings = self._happen(event)
        kinds = {ruling["ruling"] for ruling in rulings}
        if "turn-up" in kinds:
            self._round += 1
            self._coming = [None, None]
            self._at(now + self._between(self.habits.count_in_ms), self._turn_up)
        elif "reshuffle-needed" in kinds:
            self._round += 1
            self._at(now + 800_000, self._shuffle)
        else:
            if "rejected" in kinds:
                self._said[seat] = False
            self._at(now + LOOK_AGAIN_US, self._decide(seat))

    def _hover(self, seat: int, now: int) -> None:
        """A hand that goes over a pile and comes back."""
        player, pile = self.players[seat], int(self.random.integers(2))
        x, y = self.places.centre(f"central/{pile + 1}")
        spot = (x + float(self.random.normal(0, 12)), y + float(self.random.normal(0, 12)))
        self.stage.move(player, now + self._reach_us(seat, spot), spot, 50.0, PINCH, now)
        self._at(self._go_ready(seat, 30_000) + LOOK_AGAIN_US, self._decide(seat))

    def _draw_one(self, seat: int, now: int) -> None:
        """One card from the draw pile, or several where a run has left several to draw."""
        stage, player = self.stage, self.players[seat]
        missing = min(HAND - len(self._hand[seat]), len(self._draw[seat]))
        pile = self.places.centre(f"draw/{player}")
        grip = now + self._reach_us(seat, pile)
        stage.draw_card(
            player, f"draw/{player}", grip, grip + self._reach_us(seat, pile) + 40_000, self._ready(seat), missing
        )

        def happen(t_us: int) -> None:
            self._hand[seat] += [self._draw[seat].pop() for _ in range(missing)]
            self._happen({"t_us": t_us, "event": "draw", "player": player, "count": missing})

        self._at(grip, happen)
        self._at(stage.free_us(player) + self._draw_us(seat, self.habits.find_ms) // 2, self._decide(seat))

    # -- laying

    def _landing(self, seat: int, zone: str) -> Pose:
        """Where a card comes to lie: near the middle of its pile, more or less straight."""
        habits, random = self.habits, self.random
        x, y = self.places.centre(zone)
        crooked = self._chance(habits.crooked)
        turn = self.stage.facing(self.players[seat]) + float(
            random.uniform(-40, 40) if crooked else random.normal(0, 8)
        )
        off = np.clip(random.normal(0, habits.off_mm * (1.6 if crooked else 1.0), 2), -18, 18)
        return Pose(x + float(off[0]), y + float(off[1]), turn)

    def _launch(self, seat: int, pile: int, card: str, now: int) -> None:
        """A card sets out; it is judged when it lands."""
        end = self._landing(seat, f"central/{pile + 1}")
        out = self.places.chair(self.players[seat]).outward
        # The fingers hold it by its near half, or the whole hand slaps it down.
        grip, shape = (float(self.random.uniform(6, 30)), PINCH) if self._chance(0.8) else (0.0, FLAT)
        lands = now + self._reach_us(seat, (end.x, end.y))
        self._coming[seat] = pile
        self._at(
            lands, lambda t_us: self._land(seat, pile, card, end, (grip * out[0], grip * out[1]), shape, now, t_us)
        )

    def _land(
        self, seat: int, pile: int, card: str, end: Pose, grip: Point, shape: str, from_us: int, now: int
    ) -> None:
        habits, player, zone = self.habits, self.players[seat], f"central/{pile + 1}"
        rest = self.stage.carry(player, card, zone, end, from_us, now, grip_mm=grip, shape=shape)
        self._hand[seat].remove(card)
        self._coming[seat], self._laid_us, self._moved[pile] = None, now, (seat, now)
        event = {"t_us": now, "event": "play", "player": player, "pile": pile + 1, "card": card, "zone": zone}
        kinds = {ruling["ruling"] for ruling in self._happen(event)}
        linger = self._between(habits.linger_ms) if self._chance(habits.linger) else self._between(habits.dwell_ms)
        back = self._go_ready(seat, linger)
        if kinds & WENT_BACK:
            self._fouls[pile] = rest
            self._at(
                max(back, now + self._draw_us(seat, habits.own_notice_ms)), self._take_back(seat, pile, card, rest)
            )
            return
        self._middle.append(card)
        self._said = [False, False]
        self._lies(pile, card, now, seat)
        if "game-won" in kinds:
            self._round += 1
            self._at(max(self.stage.free_us(p) for p in self.players) + 1_200_000, self._next_game)
            return
        # A run that was planned goes on at once; else it is a new look.
        more = any(fits(other, card) for other in self._hand[seat])
        self._at(back + (self._draw_us(seat, habits.next_ms) if more else self._find_us(seat)), self._decide(seat))

    def _take_back(self, seat: int, pile: int, card: str, rest: Rest) -> Callable[[int], None]:
        def take(now: int) -> None:
            stage, player = self.stage, self.players[seat]
            if now < stage.free_us(player):
                self._at(stage.free_us(player), take)
                return
            grip = now + self._reach_us(seat, (rest.pose.x, rest.pose.y))
            stage.pull_out(player, rest, grip, grip + 250_000, self._ready(seat))

            def gone(t_us: int) -> None:
                self._hand[seat].append(card)
                if self._fouls[pile] is rest:
                    self._fouls[pile] = None
                self._at(stage.free_us(player) + self._find_us(seat), self._decide(seat))

            self._at(grip, gone)

        return take

    # -- the middle is cleared

    def _collect(self, now: int) -> int:
        """Each takes the pile next to them off the table; returns when both have."""
        done = []
        self._noticed = [[[], []], [[], []]]
        self._fouls = [None, None]
        self._coming = [None, None]
        for seat, player in enumerate(self.players):
            zone, chair = f"central/{seat + 1}", self.places.chair(player)
            away = (chair.shoulder[0] * 0.7, chair.shoulder[1] * 0.7)
            if self.stage.pile(zone):
                self.stage.push(player, [(zone, self.stage.pile(zone))], away, now, None)
            self.stage.home(player)
            done.append(self.stage.free_us(player))
        return max(done)

    def _shuffle(self, now: int) -> None:
        """The central piles are shuffled into two new side piles, under which an old card may lie."""
        done = self._collect(now) + self._between(self.habits.deal_ms)
        more = [left(self.state, seat) for seat in (0, 1)]
        odd = 0 if more[0] > more[1] else 1 if more[1] > more[0] else 0
        cards = [str(card) for card in self.random.permutation(self._middle)]
        self._middle = []
        counts = [len(cards) // 2, len(cards) // 2]
        counts[odd] += len(cards) % 2
        for seat, player in enumerate(self.players):
            self._side[seat] = self._side[seat] + cards[: counts[seat]]
            cards = cards[counts[seat] :]
            self.stage.move(player, done, self.places.centre(f"side/{player}"), READY_Z_MM, PINCH)
            self.stage.set_stock(f"side/{player}", len(self._side[seat]), done, self._pose(f"side/{player}", seat))
            self._go_ready(seat, 200_000)

        def happen(t_us: int) -> None:
            self._happen({"t_us": t_us, "event": "reshuffle", "counts": counts})
            self._at(t_us + self._between(self.habits.count_in_ms), self._turn_up)

        self._at(done, happen)

    def _next_game(self, now: int) -> None:
        """All cards are gathered and dealt anew."""
        if self._is_late(now):
            return
        done = self._collect(now)
        for seat, player in enumerate(self.players):
            for kind in ("draw", "side"):
                if self.stage.stock(f"{kind}/{player}"):
                    self.stage.set_stock(f"{kind}/{player}", 0, done, self._pose(f"{kind}/{player}", seat))
        dealt = done + self._between(self.habits.deal_ms)
        self._at(dealt, self._deal)
        self._at(dealt + self._between(self.habits.count_in_ms), self._turn_up)
