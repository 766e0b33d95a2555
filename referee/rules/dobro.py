"""Dobro: from events to rulings.

The rules of this module (the decisions `dobro-decisions-1` to `-9` in `seeds/dobro.toml`):
- `start(header)` gives the first state; `apply(state, event)` gives the next state and the rulings.
- Pure: the same state and event give the same answer; no state is ever changed.
- Total: no event raises. What cannot happen is `rejected` and leaves the state untouched.
- `correct` is not an event of a state but of a record: `referee.record.resolve` applies it beforehand.

Belongs here: the dispatch of events, drawing, calling, recounts, and what one may ask of a state. Does not belong
here: plays and passes (`dobro_play`), the end of a round (`dobro_round`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from referee.rules.dobro_play import give_oubli, pass_turn, play
from referee.rules.dobro_round import end_if_out
from referee.rules.dobro_rulings import Refusal, Rulings
from referee.rules.dobro_setup import start
from referee.rules.dobro_state import (
    NOBODY,
    State,
    believed,
    changed,
    doubt,
    missing,
    owes_a_draw,
    spare,
)
from referee.words import Event, Expected, Ruling

__all__ = ["apply", "expected", "start", "summary"]

COUNT_LIMIT = 1000


def apply(state: State, event: Event) -> tuple[State, list[Ruling]]:
    """Judge one event: the state it leads to, and the rulings it causes, in order.

    A `rejected` ruling does not yet say which event it was; whoever counts the events adds that.
    """
    name = event["event"]
    if name == "end":
        return state, []
    rulings = Rulings(state.setup.players, event["t_us"])
    if state.over:
        outcome: State | Refusal = Refusal("the game is over")
    elif (judge := _JUDGES.get(name)) is None:
        outcome = Refusal(f"{name} is not an event of this game")
    else:
        outcome = judge(state, event, rulings)
    if isinstance(outcome, Refusal):
        rulings.refuse(outcome)
        return state, rulings.given
    return outcome, rulings.given


def _draw(state: State, event: Event, rulings: Rulings) -> State | Refusal:
    """Cards are drawn: a hand ends full at most, and what is too much goes back (DO-22, DO-G10)."""
    seat, count = state.setup.seats.get(event["player"]), event["count"]
    if seat is None:
        return Refusal(f"{event['player']} is not among the players")
    if isinstance(count, list):
        return _draw_unsurely(state, seat, count[0], count[1], rulings)
    if count < 1:
        return Refusal("expected at least 1 card")
    if doubt(state, seat):
        return _draw_unsurely(state, seat, count, count, rulings)
    if count > state.pile + spare(state, seat):
        return Refusal(f"only {state.pile} cards are left to draw", ("DO-44", "DO-G12", "dobro-decisions-2"))
    held, full = state.hand[seat], state.setup.hand_size
    after = min(held + count, full)
    if held + count > full:
        passed: tuple[str, ...] = ("DO-42",) if held >= full else ()
        rulings.warn(seat, "too-many", ("DO-22", *passed, "DO-G10", "dobro-decisions-2"))
    drawn = state._replace(
        hand=changed(state.hand, seat, after),
        pile=max(0, state.pile + held - after),
        forgetters=state.forgetters - {seat} if after == full else state.forgetters,
        doubted=state.doubted - {seat} if after == full else state.doubted,
    )
    return end_if_out(drawn, rulings)


def _draw_unsurely(state: State, seat: int, fewest: int, most: int, rulings: Rulings) -> State | Refusal:
    """Between so many cards are drawn: the hand counts as full as it may be, what may be missing is kept in mind."""
    if not 0 <= fewest <= most or most < 1:
        return Refusal("expected at least 1 card, and the fewer of the two counts first")
    held, full, doubtful = state.hand[seat], state.setup.hand_size, doubt(state, seat)
    if fewest > state.pile + doubtful + spare(state, seat):
        return Refusal(f"only {state.pile} cards are left to draw", ("DO-44", "DO-G12", "dobro-decisions-2"))
    if held - doubtful + fewest > full:
        rulings.warn(seat, "too-many", ("DO-22", "DO-G10", "dobro-decisions-2"))
    after = min(held + min(most, state.pile), full)
    surely = min(held - doubtful + fewest, after)
    may_be_called = seat in state.forgetters or seat in state.doubted
    drawn = believed(
        state._replace(
            hand=changed(state.hand, seat, after),
            pile=state.pile + held - after,
            forgetters=state.forgetters - {seat} if after == full else state.forgetters,
        ),
        seat,
        after - surely,
    )
    if may_be_called and after > surely:
        drawn = drawn._replace(doubted=drawn.doubted | {seat})
    return end_if_out(drawn, rulings)


def _call(state: State, event: Event, rulings: Rulings) -> State | Refusal:
    """Somebody says that another forgot to draw (DO-33)."""
    seats = state.setup.seats
    for name in (event["player"], event["on"]):
        if name not in seats:
            return Refusal(f"{name} is not among the players")
    caller, forgetter = seats[event["player"]], seats[event["on"]]
    if caller == forgetter:
        return Refusal(f"{event['player']} cannot call themselves", ("DO-33", "dobro-decisions-2"))
    if state.setup.options.oubli_called_by == "referee":
        rulings.warn(caller, "false-call", ("DO-33", "DO-G09", "DO-G37", "dobro-decisions-8"))
        return state
    if not state.pile and not any(state.unsure):
        rulings.warn(caller, "false-call", ("DO-33", "DO-37", "DO-G37", "dobro-decisions-2"))
        return state
    if forgetter in state.doubted or (forgetter in state.forgetters and not state.pile):
        rulings.give("undecided", ("DO-33", "DO-G10", "dobro-decisions-9"), why="drawn", candidates=[event["on"]])
        return state
    if forgetter not in state.forgetters:
        rulings.warn(caller, "false-call", ("DO-33", "DO-G08", "DO-G37", "dobro-decisions-2"))
        return state
    give_oubli(state, forgetter, ("dobro-decisions-3",), rulings)
    return state._replace(oubli=forgetter, forgetters=state.forgetters - {forgetter})


def _recount(state: State, event: Event, rulings: Rulings) -> State | Refusal:
    """A person counted hands or the draw pile anew (recount)."""
    setup, counts, pile = state.setup, event.get("hand", {}), event.get("pile", state.pile)
    if state.latest is not None and owes_a_draw(state, state.latest.seat):
        return Refusal(f"a recount waits until {setup.players[state.latest.seat]} has drawn")
    for name in counts:
        if name not in setup.seats:
            return Refusal(f"{name} is not among the players")
    for name, count in (*counts.items(), ("pile", pile)):
        if not 0 <= count <= COUNT_LIMIT:
            return Refusal(f"{name}: expected 0 to {COUNT_LIMIT} cards")
    hand = tuple(counts.get(name, held) for name, held in zip(setup.players, state.hand, strict=True))
    for seat, count in enumerate(hand):
        if count != state.hand[seat]:
            rulings.warn(seat, "miscount", ("DO-08", "recount"))
    forgetters = frozenset(seat for seat in state.forgetters if hand[seat] < setup.hand_size)
    counted = state._replace(hand=hand, pile=pile, forgetters=forgetters, declared=0, unsure=(), doubted=frozenset())
    return end_if_out(counted, rulings)


_JUDGES: Mapping[str, Callable[[State, Event, Rulings], State | Refusal]] = {
    "play": play,
    "pass": pass_turn,
    "draw": _draw,
    "call": _call,
    "recount": _recount,
}


def summary(state: State) -> dict[str, Any]:
    """The state as `referee adjudicate --state` prints it."""
    players = state.setup.players
    return {
        "round": state.round,
        "hand": dict(zip(players, state.hand, strict=True)),
        "pile": state.pile,
        "piles": dict(zip(players, state.piles, strict=True)),
        "table": state.table,
        "value": state.value,
        "turn": None if state.over else players[state.turn],
        "direction": "clockwise" if state.clockwise else "anticlockwise",
        "oubli": None if state.oubli == NOBODY else players[state.oubli],
        "totals": dict(zip(players, state.totals, strict=True)),
        "over": state.over,
    }


def expected(state: State) -> Expected:
    """What may come next: who is to play or pass, and whose hand is not full."""
    players = state.setup.players
    answer = Expected(waiting_for="nothing", may_flip=[], may_take=[], asked=None, may_play=[], may_draw=[])
    if not state.over:
        answer["waiting_for"], answer["asked"] = "play", players[state.turn]
        answer["may_play"] = [players[state.turn]]
        answer["may_draw"] = [name for seat, name in enumerate(players) if owes_a_draw(state, seat)]
        answer["may_pass"] = [] if state.value is None else [players[state.turn]]
        lacks = (missing(state, seat) + doubt(state, seat) for seat in range(len(players)))
        answer["lacking"] = {name: lack for name, lack in zip(players, lacks, strict=True) if lack > 0}
        direction, holder = ("clockwise" if state.clockwise else "anticlockwise"), state.oubli
        answer["markers"] = {"direction": direction, "oubli": None if holder == NOBODY else players[holder]}
    return answer
