"""Jungle Bluff: from events to rulings.

The rules of this module (decisions in `seeds/jungle-bluff.toml`):
- `start(header)` gives the first state; `apply(state, event)` gives the next state and the rulings.
- Pure: the same state and event give the same answer; no state is ever changed.
- Total: no event raises. A choice that may not be made is `refused`, what cannot happen is `rejected`; both leave the
  state untouched.
- No public ruling tells a force: every challenge cites the same clauses whatever decided it, a tie is never named,
  and what is ruled on the private reader's events is not public (JB-13, JB-G25).

Belongs here: the dispatch of events, the cards of a round, forces and choices, and what one may ask of a state. Does
not belong here: what a state is (`jungle_bluff_state`), how a round closes (`jungle_bluff_round`).
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from referee.rules.jungle_bluff_round import close_round, totals
from referee.rules.jungle_bluff_state import (
    FINAL,
    SPECIALS,
    UNREADABLE,
    VALUES,
    State,
    at_table,
    in_game,
    new_state,
    outcome,
    rejected,
    ruling,
    start,
    with_seat,
)
from referee.words import Event, Expected, Ruling

__all__ = ["apply", "expected", "start", "summary"]

Judged = tuple[State, list[Ruling]]

RESULTS = ("holder", "challenger", "none")
_CHALLENGE = ("JB-13", "JB-14", "JB-15", "JB-G25")
_ADVANCED_CHALLENGE = (*_CHALLENGE, "JB-34", "JB-35", "JB-36", "JB-38")


def apply(state: State, event: Event) -> Judged:
    """Judge one event: the state it leads to, and the rulings it causes, in order.

    A `rejected` ruling does not yet say which event it was; whoever counts the events adds that.
    """
    name = event["event"]
    if name == "end":
        return state, []
    if state.over:
        return state, [rejected(event, "the game is over")]
    if name in ("centre", "reveal"):
        return _lay_open(state, event)
    if name not in ("commit", "force", "take", "challenge"):
        return state, [rejected(event, f"{name} is not an event of this game")]
    player, seats = event["player"], state.setup.seats
    if player is not None and player not in seats:
        return state, [rejected(event, f"{player} is not among the players")]
    if name == "take":
        return _take(state, event)
    if name == "commit":
        return _commit(state, seats[player], event)
    return (_force if name == "force" else _challenge)(state, seats[player], event)


def _lay_open(state: State, event: Event) -> Judged:
    """The first score cards (JB-02), or the shuffled forces of the last round (JB-21)."""
    cards, count = event["cards"], len(state.setup.players)
    if event["event"] == "centre" and (state.round > 1 or state.centre is not None):
        return state, [rejected(event, "the first score cards are already laid")]
    if event["event"] == "reveal" and state.laid is None:
        return state, [rejected(event, "no forces are to be shown now")]
    if len(cards) != count:
        return state, [rejected(event, f"expected {count} cards, one a player")]
    for card in cards:
        if card in SPECIALS and not state.setup.advanced:
            return state, [rejected(event, "a special card does not belong in a classic game (JB-04)")]
        if not in_game(state.setup, card):
            return state, [rejected(event, f"{card} is not a card of this game")]
    if state.laid is not None and None not in state.laid:
        shown = Counter(card for card in cards if card != UNREADABLE)
        if not shown <= Counter(state.laid):
            return state, [rejected(event, "these are not the forces that were laid (JB-21)")]
    return state._replace(centre=tuple(cards), laid=None), []


def _commit(state: State, seat: int, event: Event) -> Judged:
    """A face-down force lies in front of a player, one for the whole round (JB-06, JB-07)."""
    if state.centre is None:
        why = "the score cards of the round are not laid yet"
    elif seat not in state.order:
        why = f"{event['player']} has no score pile and sits out the final"
    elif seat in state.committed:
        why = f"{event['player']} has already laid a force"
    else:
        setup, number, first, centre, order, committed, *rest = state
        return new_state((setup, number, first, centre, order, committed | {seat}, *rest)), []
    return state, [rejected(event, why)]


def _force(state: State, seat: int, event: Event) -> Judged:
    """The private reader has read a force; nothing of it becomes public (jungle-bluff-decisions-2)."""
    card = event["card"]
    if seat not in state.committed:
        why = f"{event['player']} has laid no force"
    elif state.forces[seat] is not None:
        why = f"{event['player']}'s force has already been read"
    elif seat in state.compared:
        why = f"{event['player']}'s force has already been compared"
    elif card == UNREADABLE:
        return state, []
    elif not _may_be_force(state, seat, card):
        why = f"the card that was read cannot be {event['player']}'s force"  # which card, and why not, is secret
    else:
        *before, forces, compared, chosen, holds, since, spent, piles, laid, unread, over = state
        forces = with_seat(forces, seat, card)
        return new_state((*before, forces, compared, chosen, holds, since, spent, piles, laid, unread, over)), []
    return state, [rejected(event, why)]


def _may_be_force(state: State, seat: int, card: str) -> bool:
    """In the final a card of the own score pile (JB-27), before it any value not yet spent (JB-01, JB-G02)."""
    if state.round == FINAL:
        return card in state.piles[seat]
    return in_game(state.setup, card) and VALUES[card] not in state.spent[seat]


def _why_no_choice(state: State, seat: int) -> tuple[str, str]:
    """Why a player may not choose now, and the clause that says so; empty when they may."""
    name = state.setup.players[seat]
    if not at_table(state):
        return "not all forces are laid", "JB-06"
    if seat not in state.order:
        return f"{name} has no score pile and sits out the final", "JB-29"
    if seat in state.order[: state.chosen]:
        return f"{name} has already chosen", "JB-18"
    asked = state.order[state.chosen]
    return ("", "") if seat == asked else (f"it is {state.setup.players[asked]}'s choice", "JB-09")


def _take(state: State, event: Event) -> Judged:
    """A player takes a score card from the centre (JB-10)."""
    player, card = event["player"], event["card"]
    if card != UNREADABLE and card not in VALUES:
        return state, [rejected(event, f"{card} is not a card of this game")]
    names = state.setup.players
    if player is None:
        candidates = tuple(names[seat] for seat in state.order[state.chosen :])
        return state, [_undecided(event, "who", candidates, "jungle-bluff-decisions-6")]
    seat = state.setup.seats[player]
    why, clause = _why_no_choice(state, seat)
    if why:
        return state, [_refused(event, why, clause)]
    centre = state.centre or ()
    if card == UNREADABLE or (card not in centre and UNREADABLE in centre):
        return state, [_undecided(event, "unreadable", (player,), "jungle-bluff-decisions-6")]
    if card not in centre:
        return state, [_refused(event, f"the {card} is not in the centre", "JB-10")]
    place = centre.index(card)
    after = _holding(state, seat, card, centre[:place] + centre[place + 1 :])
    return _chosen(after, event, [ruling(event, "holds", ("JB-10",), player=player, card=card)])


def _holding(state: State, seat: int, card: str, centre: tuple[str, ...] | None) -> State:
    """The state once a player holds a card by the choice that is being made."""
    setup, number, first, _, order, committed, forces, compared, chosen, holds, since, *rest = state
    holds, since = with_seat(holds, seat, card), with_seat(since, seat, chosen)
    return new_state((setup, number, first, centre, order, committed, forces, compared, chosen, holds, since, *rest))


def _challenge(state: State, seat: int, event: Event) -> Judged:
    """A player challenges a holder: the forces decide, or the result that a public record keeps (JB-13 to JB-17)."""
    player, target, result = event["player"], event["target"], event.get("result")
    setup = state.setup
    if target not in setup.seats:
        return state, [rejected(event, f"{target} is not among the players")]
    if result is not None and (result not in RESULTS or (result == "none" and not setup.advanced)):
        return state, [rejected(event, "expected a result: holder or challenger (in the advanced game also none)")]
    why, clause = _why_no_choice(state, seat)
    holder = setup.seats[target]
    card = state.holds[holder] or ""
    if not why and not state.chosen:
        why, clause = "the first player must take", "JB-11"
    elif not why and not card:
        why, clause = f"{target} has nothing to defend", "JB-12"
    if why:
        return state, [_refused(event, why, clause)]
    defending, attacking = state.forces[holder], state.forces[seat]
    if defending is not None and attacking is not None:
        compared = outcome(defending, attacking)
        if result not in (None, compared):
            # Two sources disagree; saying so aloud would tell something of the forces.
            return state, [_undecided(event, "result", (player, target), "JB-G08", public=False)]
        result = compared
    if result is None:
        return state, [_undecided(event, "force", (player, target), "JB-G08", "jungle-bluff-decisions-2")]
    after = state._replace(compared=state.compared | {seat, holder})
    if result == "none":
        after = after._replace(centre=(*(after.centre or ()), card), holds=with_seat(after.holds, holder, None))
        return _chosen(after, event, [ruling(event, "returned", ("JB-37",), card=card)])
    if result == "challenger":
        after = _holding(after._replace(holds=with_seat(after.holds, holder, None)), seat, card, after.centre)
    winner = player if result == "challenger" else target
    clauses = _ADVANCED_CHALLENGE if setup.advanced else _CHALLENGE
    return _chosen(after, event, [ruling(event, "holds", clauses, player=winner, card=card)])


def _chosen(state: State, event: Event, rulings: list[Ruling]) -> Judged:
    """A choice is made: the next one, or the end of the round (JB-18)."""
    setup, number, first, centre, order, committed, forces, compared, chosen, *rest = state
    chosen += 1
    after = new_state((setup, number, first, centre, order, committed, forces, compared, chosen, *rest))
    if chosen < len(order):
        return after, rulings
    after, more = close_round(after, event)
    return after, [*rulings, *more]


def _refused(event: Event, why: str, clause: str) -> Ruling:
    return ruling(event, "refused", (clause, "jungle-bluff-decisions-1"), player=event["player"], why=why)


def _undecided(event: Event, why: str, candidates: tuple[str, ...], *clauses: str, public: bool = True) -> Ruling:
    return ruling(event, "undecided", clauses, why=why, candidates=list(candidates), public=public)


def summary(state: State) -> dict[str, Any]:
    """The state as `referee adjudicate --state` prints it: nothing of a force is in it."""
    players = state.setup.players
    return {
        "round": state.round,
        "holds": {name: card for name, card in zip(players, state.holds, strict=True) if card is not None},
        "piles": {
            name: len(pile) - (seat in state.unread)
            for seat, (name, pile) in enumerate(zip(players, state.piles, strict=True))
        },
        "first": players[state.first],
        "totals": totals(state) if state.over else None,
        "over": state.over,
    }


def expected(state: State) -> Expected:
    """What may come next: cards to lay open, forces to lay, whose choice it is."""
    names = state.setup.players
    answer = Expected(waiting_for="nothing", may_flip=[], may_take=[], asked=None, may_play=[])
    if state.over or state.unread:
        return answer
    if state.centre is None:
        answer["waiting_for"] = "centre" if state.laid is None else "reveal"
    elif at_table(state):
        answer["waiting_for"], answer["asked"] = "choice", names[state.order[state.chosen]]
        answer["may_play"] = [names[state.order[state.chosen]]]
    else:
        answer["waiting_for"] = "commit"
        answer["may_play"] = [names[seat] for seat in sorted({*state.order} - state.committed)]
    return answer
