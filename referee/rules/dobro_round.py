"""Dobro: the end of a round, and of the game.

Belongs here: when a round is over, its points, the next deal, the final ranking. Does not belong here: what a play,
a pass or a draw does.
"""

from __future__ import annotations

from referee.rules.dobro_rulings import Rulings
from referee.rules.dobro_score import openers, points, ranking
from referee.rules.dobro_state import NOBODY, State, deal


def end_if_out(state: State, rulings: Rulings) -> State:
    """End the round if the draw pile and somebody's hand are empty (DO-45, DO-G13, DO-G16, dobro-decisions-6).

    Normally that is whoever just played. A hand left empty while there still was a pile ends the round when the
    pile runs out; of several, the one who acted last has ended it.
    """
    if state.pile or all(state.hand):
        return state
    back = -1 if state.clockwise else 1
    count = len(state.hand)
    seats = ((state.turn + back * distance) % count for distance in range(1, count + 1))
    ender = next(seat for seat in seats if not state.hand[seat])
    return end_round(state, ender, ("DO-44", "DO-45", "DO-46", "dobro-decisions-6"), rulings)


def end_round(state: State, ender: int, why: tuple[str, ...], rulings: Rulings) -> State:
    """Score the round that somebody has ended; deal the next one, or rank the players after the last (DO-02)."""
    setup, players = state.setup, state.setup.players
    scored = points(state.piles, setup.options.scoring, state.oubli)
    leading = openers(scored, ender, clockwise=state.clockwise)
    totals = tuple(total + more for total, more in zip(state.totals, scored, strict=True))
    clauses = (*why, "DO-47", "DO-48", "DO-49", "DO-G03")
    if len(set(state.piles)) < len(players):
        clauses += ("DO-50",)
    if state.oubli != NOBODY:
        clauses += ("DO-36", "DO-51", "DO-G11")
    clauses += ("DO-53", "DO-G24") if len(leading) == 1 else ("DO-53", "DO-54", "DO-G25")
    rulings.give(
        "round-over",
        clauses,
        round=state.round,
        rounds=setup.rounds,
        counts=dict(zip(players, state.piles, strict=True)),
        points=dict(zip(players, scored, strict=True)),
        opener=players[leading[0]],
    )
    if state.round < setup.rounds:
        return deal(setup, state.round + 1, leading[0], clockwise=state.clockwise, totals=totals)
    _end_game(state, totals, rulings)
    return deal(setup, state.round, NOBODY, clockwise=state.clockwise, totals=totals)._replace(
        hand=(0,) * len(players), pile=0, piles=state.piles, over=True
    )


def _end_game(state: State, totals: tuple[int, ...], rulings: Rulings) -> None:
    setup, players = state.setup, state.setup.players
    ranked = ranking(totals, state.piles)
    clauses: tuple[str, ...] = ("DO-62", "DO-G27") if setup.options.long_game else ("DO-55",)
    clauses += ("DO-01", "DO-56", "DO-G34")
    if len(set(totals)) < len(players):
        clauses += ("DO-57", "DO-G28", "dobro-decisions-6")
    if len(ranked) < len(players):
        clauses += ("DO-58",)
    rulings.give(
        "over",
        clauses,
        why="last-round",
        totals=dict(zip(players, totals, strict=True)),
        ranking=[[players[seat] for seat in place] for place in ranked],
    )
