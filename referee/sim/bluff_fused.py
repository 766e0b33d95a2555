"""Whole games of Jungle Bluff through the table on drawn words, beside what is true.

Belongs here: feeding a table as a session would, a person who answers what was undecided, and the tally. Does not
belong here: error rates (`bluff_senses`), printing.

Written rules:
- the rulings that stand are compared with the true ones, in their order, as they are given; the first wrong one ends
  the comparison of its game, so that one error is counted once;
- a person answers an open question after `PATIENCE_US`; until then the game goes on as it may.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from referee.ledger import OVERTURNED, Given, Ledger
from referee.private.vault import Vault
from referee.record import Record
from referee.sim.bluff_senses import BluffErrors, Choose, Truth, sense, truths
from referee.table.bluff_table import BluffTable
from referee.table.calls import Challenge, Correct, Lay, Settle, Take
from referee.table.layouts import make_layout
from referee.table.settings import FusionSettings
from referee.vision.sightings import CameraPast
from referee.words import Event, Header, Ruling

PATIENCE_US = 2_000_000
DECISIVE = ("holds", "returned", "refused", "round-over", "over")
Publish = Callable[[int, Sequence[Event], Sequence[Ruling]], None]
"""Told of everything that becomes public, and when (table microseconds)."""


@dataclass
class Tally:
    """Rulings by outcome, and the first wrong one of each game that had one."""

    rulings: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    notices: Counter[str] = field(default_factory=Counter)
    wrong: list[tuple[Any, Any]] = field(default_factory=list)
    games: int = 0
    ended: int = 0

    def add(self, other: Tally) -> None:
        """Count another tally in."""
        self.rulings += other.rulings
        self.reasons += other.reasons
        self.notices += other.notices
        self.wrong += other.wrong
        self.games += other.games
        self.ended += other.ended


def play_through(
    game: Record, errors: BluffErrors, seed: int, settings: FusionSettings, publish: Publish | None = None
) -> Tally:
    """One game through a table; returns its tally."""
    chance = Random(seed)
    truth = truths(game, errors, chance)
    desk = _Desk(game.header, truth, settings, publish)
    for delivery in sense(truth, errors, chance):
        desk.deliver(delivery.at_us, delivery.word)
        if desk.tally.wrong:
            break
    desk.finish()
    return desk.tally


class _Desk:
    """A session without doors: the record, the vault, and a person who knows the truth."""

    def __init__(
        self, header: Header, truth: Sequence[Truth], settings: FusionSettings, publish: Publish | None
    ) -> None:
        layout = make_layout("jungle-bluff", header["players"], (63.0, 88.0))
        self._vault = Vault(header)
        self._table = BluffTable(layout, settings, self._vault)
        self._ledger = Ledger(header)
        self._publish = publish
        self._table.expected(self._ledger.expected())
        self._true = [ruling for one in truth for ruling in one.rulings if ruling["ruling"] in DECISIVE]
        self._choices = [one for one in truth if one.event["event"] in ("take", "challenge")]
        self._forces = {
            (one.before.round, one.event["player"]): one.event["card"] for one in truth if one.event["event"] == "force"
        }
        self._open: dict[int, int] = {}
        self.tally = Tally(games=1)

    def deliver(self, at_us: int, word: Any) -> None:
        if isinstance(word, Choose):
            self._vault.choose(word.player, word.card)
        elif isinstance(word, Lay | Take | Challenge | Settle | Correct):
            self._table.call(word)
        else:
            self._table.sighting(word)
            if not isinstance(word, CameraPast):
                return
        self._table.now(at_us)
        self._answer(at_us)
        self._work(at_us)

    def finish(self) -> None:
        for event in self._table.finish():
            self._take(event, 0)
        self.tally.notices.update(notice.kind for notice in self._table.notices())
        if not self.tally.wrong:
            self.tally.ended = int(self._ledger.summary()["over"])
            missing = len(self._true) - self._given()
            self.tally.rulings["missing"] += max(0, missing)

    def _work(self, at_us: int) -> None:
        while events := self._table.release():
            for event in events:
                self._take(event, at_us)

    def _take(self, event: Event, at_us: int) -> None:
        if self.tally.wrong:
            return
        before = len(self._ledger.standing)
        given = self._ledger.add(event)
        self._table.expected(self._ledger.expected())
        if self._publish is not None:
            self._publish(at_us, [event], [one.ruling for one in given])
        for one in given:
            if one.ruling["ruling"] == "undecided":
                self._open[one.place] = at_us
                self.tally.reasons[f"{event['event']} {one.ruling['why']}"] += 1
        if given and before <= len(self._ledger.standing):
            self._compare(given)

    def _given(self) -> int:
        return sum(1 for one in self._ledger.standing if one.ruling["ruling"] in DECISIVE)

    def _compare(self, given: Sequence[Given]) -> None:
        """Every decisive ruling that stands must be the true one at its place."""
        stands = [one.ruling for one in self._ledger.standing if one.ruling["ruling"] in DECISIVE]
        asked = any(one.ruling["ruling"] in ("undecided", OVERTURNED) for one in given)
        place = 0
        for ruling in stands:
            # A refusal that was not said changes nothing of what follows: it is missing, and not wrong.
            while place < len(self._true) and _is_unsaid(self._true[place], ruling):
                place += 1
            true = self._true[place] if place < len(self._true) else None
            place += 1
            if true is None or essence(ruling) != essence(true):
                self.tally.rulings["wrong"] += 1
                self.tally.wrong.append((ruling, true))
                return
        new = sum(1 for one in given if one.ruling["ruling"] in DECISIVE)
        self.tally.rulings["right"] += 0 if asked else new
        self.tally.rulings["undecided"] += sum(1 for one in given if one.ruling["ruling"] == "undecided")

    def _answer(self, at_us: int) -> None:
        """A person answers the open question after a while."""
        stands = {one.place: one for one in self._ledger.standing}
        for place, since_us in list(self._open.items()):
            one = stands.get(place)
            if one is None:
                del self._open[place]
                continue
            if at_us < since_us + PATIENCE_US:
                continue
            self._open[place] = at_us
            call = self._settle(one, at_us)
            if call is not None:
                self._table.call(call)

    def _settle(self, one: Given, at_us: int) -> Settle | None:
        why, event = one.ruling["why"], self._event(one)
        handle = self._handle(one)
        if handle is None or event is None:
            return None
        if why == "final force":
            player = one.ruling["candidates"][0]
            return Settle(at_us, handle, player=player, card=self._forces[11, player])
        true = self._choices[self._decided()]
        if event["event"] == "challenge":
            first = true.rulings[0]
            return Settle(at_us, handle, player=first.get("player", true.event["player"]))
        if why == "unreadable":
            return Settle(at_us, handle, card=true.event["card"])
        return Settle(at_us, handle, player=true.event["player"])

    def _decided(self) -> int:
        """How many choices have been ruled."""
        return sum(1 for one in self._ledger.standing if one.ruling["ruling"] in ("holds", "returned", "refused"))

    def _handle(self, one: Given) -> int | None:
        from referee.corrections import handle_of

        return handle_of(self._ledger.events, one.event, one.ruling["t_us"])

    def _event(self, one: Given) -> Event | None:
        from referee.corrections import event_at

        handle = self._handle(one)
        return None if handle is None else event_at(self._ledger.events, handle)


def _is_unsaid(true: Ruling, given: Ruling) -> bool:
    return bool(true["ruling"] == "refused" and essence(true) != essence(given))


def essence(ruling: Ruling) -> dict[str, Any]:
    """What a ruling says, without times, clauses and wording."""
    return {key: value for key, value in ruling.items() if key not in ("t_us", "clauses", "why", "public")}
