"""A game of Jungle Bluff played by simulated people: what truly happens, as motions and as a record.

Written rules of this module:
- the cards are real: one series a player and a spare one; forces lie face down, are shuffled and laid open again;
- everything is decided before anything is shown: nobody reacts to the referee, but for a challenge's winner, whom the
  rules tell as the referee would; the same seed is the same game;
- the record is the truth in the words of a game record; challenges are what players say on their phones, forces what
  they tell the private reader before they lay them (`secrets`).
Does not belong here: how it looks (`film`), motions (`card_stage`), rules.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from referee.errors import DeckError
from referee.rules import jungle_bluff
from referee.rules.jungle_bluff_state import FINAL, State
from referee.sim.card_stage import CardStage
from referee.sim.habits import Range, draw_people
from referee.sim.places import Point, draw_places
from referee.sim.played import PlayedGame, Wish
from referee.sim.timeline import PINCH, Pose
from referee.table.layouts import make_layout
from referee.words import Ruling

GAME = "jungle-bluff"
FIRST_CARD_US = 1_300_000
QUIET_END_US = 2_500_000
READY_Z_MM = 60.0


@dataclass(frozen=True)
class BluffHabits:
    """Times in milliseconds as (least, most) or (median, log-normal sigma); mistakes as chances per occasion.

    Assumptions about a lively table, measured on nobody; mistakes are made more often than good players make them.
    """

    pace_scale: float = 1.0
    fitts_ms: Range = (90, 95)
    deal_ms: Range = (60, 220)  # between two cards laid open
    think_ms: Range = (700, 0.5)  # before a force is laid
    choose_ms: Range = (800, 0.5)  # before a choice
    say_ms: Range = (500, 1500)  # between telling the phone and laying
    hand_over_ms: Range = (700, 1600)  # between a challenge's outcome and the card's being fetched
    tidy_ms: Range = (700, 1500)
    dwell_ms: Range = (40, 160)
    out_of_turn: float = 0.03
    too_soon: float = 0.02  # a take before all forces lie
    nudge: float = 0.04  # a force straightened while it lies
    back: float = 0.03  # a score card lifted, looked at and put back
    off_mm: float = 5.0
    turn_deg: float = 5.0
    challenge: float = 0.45


def play(wish: Wish, random: np.random.Generator) -> PlayedGame:
    """One game of about `wish.seconds` (or to its end); raises `DeckError` for a deck with too few series."""
    return _Game(wish, random, BluffHabits(pace_scale=1 / wish.pace)).play()


class _Game:
    def __init__(self, wish: Wish, places_random: np.random.Generator, habits: BluffHabits) -> None:
        self.random = np.random.default_rng([wish.seed, 49979687])
        self.habits, self.players, self.deck = habits, wish.players, wish.deck
        copies = Counter({card.id: card.count for card in wish.deck.cards})
        if wish.deck.game != GAME or min(copies[str(value)] for value in range(1, 11)) <= len(wish.players):
            raise DeckError(f"{wish.deck.name}: expected a Jungle Bluff deck with a series a player and a spare one")
        self.places = draw_places(make_layout(GAME, wish.players, wish.deck.card_mm), places_random)
        self.header = wish.header(GAME)
        people = draw_people(self.players, self.random)
        self.people = people
        self.stage = CardStage(self.places, people, habits.fitts_ms, wish.deck.card_mm, self.random)
        self.state: State = jungle_bluff.start(self.header)
        self.end_us = int(wish.seconds * 1e6)
        self.now = FIRST_CARD_US
        self.events: list[dict[str, Any]] = []
        self.calls: list[dict[str, Any]] = []
        self.secrets: list[dict[str, Any]] = []
        self.series = {name: list(range(1, 11)) for name in self.players}
        self.forces: dict[str, str] = {}
        self.slots: dict[str, str] = {}
        self.front: dict[str, str] = {}

    def play(self) -> PlayedGame:
        """Play until the time is over or the game is."""
        spare = [str(value) for value in self.random.permutation(10) + 1]
        self._show("centre", spare[: len(self.players)])
        while True:
            self._lay_forces()
            self._choices()
            self._tidy()
            if self.state.over or self.now > self.end_us:
                break
            forces = [str(card) for card in self.random.permutation(list(self.forces.values()))]
            self.forces = {}
            self._show("reveal", forces)
            if self.now > self.end_us:
                break
        end = max(self.now + QUIET_END_US, *(self.stage.free_us(p) + 200_000 for p in self.players))
        self.events.append({"t_us": end, "event": "end"})
        self.events.sort(key=lambda event: event["t_us"])
        return PlayedGame(
            self.header,
            tuple(self.events),
            tuple(self.calls),
            self.stage.timeline(end),
            None,
            self.places,
            self.deck,
            tuple(sorted(self.secrets, key=lambda one: one["t_us"])),
        )

    # -- time, chance and the record

    def _between(self, low_high: Range) -> int:
        return int(1000 * self.habits.pace_scale * self.random.uniform(*low_high))

    def _draw(self, player: str, spread: Range) -> int:
        return int(1000 * self.habits.pace_scale * self.people[player].draw_ms(self.random, spread))

    def _chance(self, share: float) -> bool:
        return bool(self.random.random() < share)

    def _happen(self, event: dict[str, Any]) -> list[Ruling]:
        self.events.append(event)
        self.state, rulings = jungle_bluff.apply(self.state, event)
        return rulings

    def _pose(self, zone: str, player: str) -> Pose:
        x, y = self.places.centre(zone)
        off = np.clip(self.random.normal(0, self.habits.off_mm, 2), -11, 11)
        turn = 0.0 if zone.startswith("centre") else self.stage.facing(player)
        return Pose(x + float(off[0]), y + float(off[1]), turn + float(self.random.normal(0, self.habits.turn_deg)))

    def _grip(self, player: str) -> Point:
        out = self.places.chair(player).outward
        far = float(self.random.uniform(24, 36))
        return far * out[0], far * out[1]

    def _put(self, player: str, card: str, zone: str, *, face_down: bool = False, after_us: int = 0) -> int:
        """A player lays a card that is in the hand; returns when it lies."""
        stage, pose = self.stage, self._pose(zone, player)
        grip_us = max(self.now, stage.free_us(player)) + after_us
        laid_us = grip_us + max(stage.reach_us(player, (pose.x, pose.y)), 260_000)
        grip = self._grip(player)
        stage.carry(player, card, zone, pose, grip_us, laid_us, face_down=face_down, grip_mm=grip, shape=PINCH)
        stage.hold(player, stage.free_us(player) + self._between(self.habits.dwell_ms))
        return stage.free_us(player)

    def _fetch(self, player: str, zone: str, to: Point, at_us: int) -> tuple[int, int]:
        """A player takes the card of a place; returns when it leaves and when it is in the hand at `to`."""
        stage = self.stage
        grip_us = max(at_us, stage.free_us(player)) + max(stage.reach_us(player, self.places.centre(zone)), 250_000)
        stage.take_back(player, zone, grip_us, grip_us + 300_000, to)
        return grip_us, stage.free_us(player)

    def _near(self, player: str, share: float = 0.75) -> Point:
        """Somewhere before a player, on the way to their rest."""
        rest = self.places.chair(player).rest
        return share * rest[0], share * rest[1]

    # -- a round

    def _show(self, name: str, cards: list[str]) -> None:
        """Score cards, or shuffled forces, are laid open in the centre one by one."""
        dealer = self.players[self.state.first]
        for place, card in enumerate(cards, start=1):
            zone = f"centre/{place}"
            self.now = self._put(dealer, card, zone, after_us=self._between(self.habits.deal_ms))
            self.slots[zone] = card
        laid_us = self.now
        self.stage.home(dealer)
        self._happen({"t_us": laid_us, "event": name, "cards": cards})
        self.now = laid_us + 300_000

    def _lay_forces(self) -> None:
        """Everybody who takes part lays a force, each in their own time."""
        habits, begin = self.habits, self.now
        order = [self.players[seat] for seat in self.random.permutation(list(self.state.order))]
        laid = []
        for player in order:
            if self.state.round == FINAL:
                force = str(self.random.choice(self.state.piles[self.state.setup.seats[player]]))
            else:
                force = str(self.series[player].pop(int(self.random.integers(len(self.series[player])))))
            self.forces[player] = force
            said_us = begin + 500_000 + self._draw(player, habits.think_ms)
            self.secrets.append({"t_us": said_us, "event": "force", "player": player, "card": force})
            self.now = said_us + self._between(habits.say_ms)
            laid.append((self._put(player, force, f"force/{player}", face_down=True), player, force))
            self.stage.home(player)
        late = max(laid)[1]
        if len(laid) > 1 and self._chance(habits.too_soon):
            self._too_soon(begin, min(t_us for t_us, player, _ in laid if player == late))
        for t_us, player, force in sorted(laid):
            self._happen({"t_us": t_us, "event": "commit", "player": player})
            self._happen({"t_us": t_us + 1, "event": "force", "player": player, "card": force})
        self.now = max(t_us for t_us, _, _ in laid) + 700_000

    def _too_soon(self, begin: int, last_us: int) -> None:
        """Somebody challenges on the phone before all forces lie."""
        asked, other = (self.players[seat] for seat in self.state.order[:2])
        t_us = int(self.random.uniform(begin + 200_000, max(begin + 300_000, last_us - 900_000)))
        if t_us < last_us - 500_000:
            call = {"t_us": t_us, "event": "challenge", "player": asked, "target": other}
            self.calls.append(call)
            self._happen(call)

    def _choices(self) -> None:
        for seat in self.state.order:
            player = self.players[seat]
            self.now += self._draw(player, self.habits.choose_ms)
            if self._chance(self.habits.out_of_turn):
                self._out_of_turn(player)
            if self._chance(self.habits.nudge):
                self._nudge()
            if self._chance(self.habits.back) and self.slots:
                self._look_at(player)
            holders = [name for name in self.players if f"score/{name}" in self.front]
            if holders and self._chance(self.habits.challenge):
                self._challenge(player, str(self.random.choice(holders)))
            else:
                self._take(player)

    def _out_of_turn(self, asked: str) -> None:
        """Somebody else says a challenge on the phone."""
        player = str(self.random.choice([name for name in self.players if name != asked]))
        target = str(self.random.choice([name for name in self.players if name != player]))
        call = {"t_us": self.now, "event": "challenge", "player": player, "target": target}
        self.calls.append(call)
        self._happen(call)
        self.now += 600_000

    def _nudge(self) -> None:
        """A player straightens their own force a little."""
        player = self.players[int(self.random.choice(self.state.order))]
        stage, zone = self.stage, f"force/{player}"
        centre = self.places.centre(zone)
        arrive = max(self.now, stage.free_us(player)) + stage.reach_us(player, centre)
        stage.move(player, arrive, centre, 16.0, PINCH)
        stage.hold(player, arrive + 250_000)
        stage.home(player)
        self.now = max(self.now, arrive)

    def _look_at(self, player: str) -> None:
        """A score card is lifted and put back."""
        zone = str(self.random.choice(list(self.slots)))
        _, there_us = self._fetch(player, zone, self._near(player, 0.5), self.now)
        self.now = there_us + 200_000
        self.now = self._put(player, self.slots[zone], zone)
        self.stage.home(player)
        self.now += 900_000

    def _take(self, player: str) -> None:
        """A score card of the centre goes in front of a player; high ones are liked."""
        zones = list(self.slots)
        likes = np.array([int(self.slots[zone]) ** 1.5 for zone in zones])
        zone = str(self.random.choice(zones, p=likes / likes.sum()))
        card = self.slots.pop(zone)
        left_us, there_us = self._fetch(player, zone, self._near(player, 0.6), self.now)
        self.now = there_us
        laid_us = self._put(player, card, f"score/{player}")
        self.front[f"score/{player}"] = card
        self.stage.home(player)
        event = {"t_us": left_us, "event": "take", "player": player, "card": card, "zone": f"score/{player}"}
        self._happen(event)
        self.now = laid_us + 200_000

    def _challenge(self, player: str, target: str) -> None:
        """A player challenges a holder on the phone, and fetches the card where the challenge is won."""
        call = {"t_us": self.now, "event": "challenge", "player": player, "target": target}
        self.calls.append(call)
        first = self._happen(dict(call))[0]
        self.now += self._between(self.habits.hand_over_ms)
        if first["ruling"] == "holds" and first["player"] == player:
            source, to = f"score/{target}", f"score/{player}"
            _, there_us = self._fetch(player, source, self._near(player, 0.6), self.now)
            self.now = there_us
            self.front[to] = self.front.pop(source)
            self.now = self._put(player, self.front[to], to) + 200_000
            self.stage.home(player)

    def _tidy(self) -> None:
        """Score cards go to their piles, the rest of the centre away, and everybody takes up their force."""
        habits = self.habits
        self.now += self._between(habits.tidy_ms)
        begin, done = self.now, [self.now]
        for zone in [*self.front]:
            player = zone.partition("/")[2]
            self._fetch(player, zone, self.places.chair(player).rest, begin + self._between((0, 500)))
            done.append(self.stage.free_us(player))
        dealer = self.players[self.state.first]
        for zone in [*self.slots]:
            self._fetch(dealer, zone, self._near(dealer), self.stage.free_us(dealer))
        for player in [*self.forces]:
            at_us = max(begin + self._between((200, 900)), self.stage.free_us(player))
            self._fetch(player, f"force/{player}", self.places.chair(player).rest, at_us)
            done.append(self.stage.free_us(player))
        self.front, self.slots = {}, {}
        self.now = max([*done, self.stage.free_us(dealer)]) + self._between(habits.tidy_ms)
