"""The vault: a second copy of a running game, the only one that knows the forces.

Written rules of this module:
- it is told every event of the record, and judges it by the same rules; forces stand in this copy alone;
- what it answers is a challenge's outcome, whether shown cards can be the forces that were laid, and, when the game is
  over, the forces of the final, which follow from the totals anyway (JB-28); a representation names no force;
- a force may be changed until its card lies face down, and counts from then on (JB-07);
- where nobody saw it laid and a person says afterwards that it lay, what was chosen by then counts: what was chosen
  since may be meant for the next round;
- forces are forgotten at the end of their round where the table wants it so, else with the game.
Does not belong here: how a force is read (`hood`, the phone page), who may ask (`referee.web`), events.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from referee.private.store import Nowhere, SecretStore
from referee.record import resolve
from referee.rules import jungle_bluff
from referee.rules.jungle_bluff_state import FINAL, SPECIALS, VALUES, State, in_game
from referee.words import Event, Header

LATE_US = (
    15_000_000  # a card that was laid and not chosen yet is chosen within this, or it is not known which one it was
)
MOST_CHOICES = 50  # of one player in one round
Choice = tuple[int, str]
"""When a card was chosen, and which."""
Forget = Literal["round", "game"]
Result = Literal["holder", "challenger", "none", "unknown"]


@dataclass(frozen=True)
class Hand:
    """What one player may see of their own: the cards they may lay, whether one was chosen, whether it counts yet.

    `may_choose`: a force may be chosen or changed now.
    """

    cards: tuple[str, ...] = field(repr=False)
    chosen: bool
    laid: bool
    may_choose: bool


class Vault:
    """The forces of one game; for all threads. See the rules of the module."""

    def __init__(
        self,
        header: Header,
        store: SecretStore | None = None,
        forget: Forget = "game",
        events: Sequence[Event] = (),
    ) -> None:
        """A fresh game's, or that of a game that goes on after `events`."""
        self._lock = threading.RLock()
        self._header = header
        self._store: SecretStore = Nowhere() if store is None else store
        self._forget_after_round = forget == "round"
        self._events: list[Event] = [*events]
        self._forces = {(one.round_number, one.player): one.card for one in self._store.read()}
        self._kept = set(self._forces)
        self._choices: dict[tuple[int, str], list[Choice]] = {}
        self._late: dict[tuple[int, str], int] = {}
        self._now_us = 0
        self._sealed: list[tuple[str, str]] = []
        self._open_round = 1
        self._state: State = self._work_out()

    def __repr__(self) -> str:
        return f"Vault(round {self._state.round})"

    # ---- what players do

    def hand(self, player: str) -> Hand:
        """What `player`, and nobody else, may see."""
        with self._lock:
            state, seat = self._state, self._state.setup.seats.get(player)
            if seat is None:
                return Hand((), chosen=False, laid=False, may_choose=False)
            chosen, laid = self._is_chosen(player), seat in state.committed
            may = self._may_choose(player)
            cards = tuple(card for card in VALUES if self._is_possible(player, card)) if may else ()
            return Hand(cards, chosen, laid, may)

    def choose(self, player: str, card: str) -> bool:
        """A player has chosen a force, or the hooded camera has read it; False where it cannot be one now."""
        with self._lock:
            if not (self._may_choose(player) and card in VALUES and self._is_possible(player, card)):
                return False
            key = (self._state.round, player)
            self._forces[key] = card
            self._choices[key] = [*self._choices.get(key, ()), (self._now_us, card)][-MOST_CHOICES:]
            if self._state.setup.seats[player] in self._state.committed:
                self._counts(player)
                self._state = self._with_force(self._state, player)
            return True

    def _may_choose(self, player: str) -> bool:
        state = self._state
        seat = state.setup.seats.get(player)
        if seat is None or state.over or state.centre is None or seat not in state.order or seat in state.compared:
            return False
        if seat in state.committed and self._now_us > self._late.get((state.round, player), self._now_us) + LATE_US:
            return False
        return seat not in state.committed or not self._is_chosen(player)

    def _is_chosen(self, player: str) -> bool:
        seat = self._state.setup.seats[player]
        return (self._state.round, player) in self._forces or self._state.forces[seat] is not None

    def _is_possible(self, player: str, card: str) -> bool:
        """Whether the rules take this card for this player's force."""
        state = self._state
        if card in SPECIALS and not in_game(state.setup, card):
            return False
        seat = state.setup.seats[player]
        forces = (*state.forces[:seat], None, *state.forces[seat + 1 :])
        laid = state._replace(committed=state.committed | {seat}, forces=forces)
        return not jungle_bluff.apply(laid, _force(0, player, card))[1]

    # ---- what the table asks

    def now(self, t_us: int) -> None:
        """The table's clock: what is chosen from here on was chosen at this moment."""
        with self._lock:
            self._now_us = max(self._now_us, t_us)

    def happened(self, event: Event) -> None:
        """An event went into the record."""
        with self._lock:
            self._events.append(event)
            if event["event"] == "correct":
                self._laid_by_word(event)
                self._state = self._work_out()
            else:
                self._state = self._after(self._state, event)
                if event["event"] == "commit" and event["player"] in self._state.setup.seats:
                    self._counts(event["player"])
            if self._forget_after_round and self._state.round > self._open_round and self._state.laid is None:
                self._forget_before(self._state.round)

    def result(self, challenge: Event) -> Result | None:
        """Who wins this challenge (`unknown`: a force was not read); None where the rules refuse it."""
        with self._lock:
            bare = {key: value for key, value in challenge.items() if key != "result"}
            first = jungle_bluff.apply(self._state, bare)[1][0]
            if first["ruling"] == "undecided":
                return "unknown"
            if first["ruling"] == "returned":
                return "none"
            if first["ruling"] != "holds":
                return None
            return "challenger" if first["player"] == challenge["player"] else "holder"

    def agrees(self, reveal: Event) -> bool:
        """Whether these cards can be the forces of the last round (JB-21)."""
        with self._lock:
            return not jungle_bluff.apply(self._state, reveal)[1]

    def closing(self, choice: Event) -> list[Event]:
        """The final's forces as events, where this choice ends the game; nothing before that."""
        with self._lock:
            state = self._state
            if state.round != FINAL or state.chosen + 1 < len(state.order):
                return []
            after = self._after(state, choice)
            if not (after.over or after.unread):
                return []
            return [
                _force(t_us + 1, player, card)
                for player, t_us in self._committed_us().items()
                if (card := state.forces[state.setup.seats[player]]) is not None
            ]

    def sealed(self) -> list[tuple[str, str]]:
        """Players whose force counts since this was last asked, each with the commitment that the record may show."""
        with self._lock:
            found, self._sealed = self._sealed, []
            return found

    def _committed_us(self) -> dict[str, int]:
        """When each force of the final was laid."""
        laid: dict[str, int] = {}
        for _, event, _ in resolve(self._events):
            if event["event"] == "reveal":
                laid = {}
            elif event["event"] == "commit":
                laid.setdefault(event["player"], event["t_us"])
        return laid

    # ---- the second copy

    def _work_out(self) -> State:
        state = jungle_bluff.start(self._header)
        for step in resolve(self._events):
            if not step.refused:
                state = self._after(state, step.event)
        return state

    def _after(self, state: State, event: Event) -> State:
        if event["event"] == "challenge" and "result" not in event:
            return state  # open in the record, and so here: who has the card is said by an event of its own
        after, rulings = jungle_bluff.apply(state, event)
        if rulings and event["event"] == "reveal" and state.laid is not None:
            # A person has said that what is shown counts, though other cards were read.
            after, rulings = jungle_bluff.apply(state._replace(laid=(None,) * len(state.laid)), event)
        if rulings and rulings[0]["ruling"] == "undecided" and rulings[0]["why"] == "result":
            # A person has said how this challenge ended, and against the forces: what was read was not so.
            seats = [state.setup.seats[event[key]] for key in ("player", "target")]
            forces = tuple(None if seat in seats else force for seat, force in enumerate(state.forces))
            after, _ = jungle_bluff.apply(state._replace(forces=forces), event)
        if event["event"] == "commit" and not rulings:
            after = self._with_force(after, event["player"])
        return after

    def _with_force(self, state: State, player: str) -> State:
        card = self._forces.get((state.round, player))
        return state if card is None else jungle_bluff.apply(state, _force(0, player, card))[0]

    def _laid_by_word(self, event: Event) -> None:
        """A force was laid that nobody saw, as a person says afterwards: only what was chosen by then can be it."""
        right = event["with"]
        if "before" not in event or right["event"] != "commit" or event["by"] != "operator":
            return
        key, laid_us = (self._state.round, right["player"]), right["t_us"]
        if key in self._kept:
            return
        choices = self._choices.get(key, [])
        by_then = [card for at_us, card in choices if at_us <= laid_us][-1:]
        chosen = by_then or [card for at_us, card in choices if at_us <= laid_us + LATE_US][:1]
        self._forces.pop(key, None)
        self._forces.update((key, card) for card in chosen)
        self._late[key] = laid_us

    def _counts(self, player: str) -> None:
        """A force counts from now on, and is kept."""
        key = (self._state.round, player)
        if key in self._forces and key not in self._kept:
            seal = self._store.put(*key, self._forces[key])
            self._kept.add(key)
            if seal is not None:
                self._sealed.append((player, seal))

    def _forget_before(self, round_number: int) -> None:
        """The cards of the rounds before are laid open, shuffled: whose was which is nobody's business any more."""
        for old in range(self._open_round, round_number):
            self._store.forget(old)
        self._forces = {key: card for key, card in self._forces.items() if key[0] >= round_number}
        self._choices = {key: made for key, made in self._choices.items() if key[0] >= round_number}
        self._kept &= set(self._forces)
        self._open_round = round_number
        nothing: frozenset[int] = frozenset()
        self._state = self._state._replace(spent=(nothing,) * len(self._state.spent))


def _force(t_us: int, player: str, card: str) -> dict[str, Any]:
    return {"t_us": t_us, "event": "force", "player": player, "card": card}
