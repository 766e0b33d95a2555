"""Jungle Bluff: how a round closes, and the game with it.

Belongs here: keeping score cards, the next first player, the final and the totals. Does not belong here: what leads
up to it (`jungle_bluff`).
"""

from __future__ import annotations

from typing import Any

from referee.rules.jungle_bluff_state import FINAL, ROUNDS, VALUES, State, ruling
from referee.words import Event, Ruling

Judged = tuple[State, list[Ruling]]


def close_round(state: State, event: Event) -> Judged:
    """Everybody has chosen: keep what is held, see who goes first, and go on to the next round or to the end."""
    names, count = state.setup.players, len(state.setup.players)
    kept = [(seat, card) for seat, card in enumerate(state.holds) if card is not None]
    first = min(kept, key=lambda held: (-VALUES[held[1]], state.since[held[0]]))[0] if kept else state.first
    piles = tuple(pile if card is None else (*pile, card) for pile, card in zip(state.piles, state.holds, strict=True))
    after = state._replace(piles=piles, first=first, holds=(None,) * count, centre=None)
    after = _end_final(after) if state.round == FINAL else _next_round(after)
    rulings = [
        ruling(
            event,
            "round-over",
            ("JB-19", "JB-20", "JB-24", "JB-25", "JB-G12", "jungle-bluff-decisions-4"),
            kept={names[seat]: card for seat, card in kept},
            first=names[after.first],
        )
    ]
    if after.unread:
        candidates = [names[seat] for seat in sorted(after.unread)]
        rulings.append(
            ruling(event, "undecided", ("JB-28", "jungle-bluff-decisions-5"), why="final force", candidates=candidates)
        )
    elif after.over:
        rulings.append(_final_ruling(after, event))
    return after, rulings


def _next_round(state: State) -> State:
    """The forces wait to be shown; in the final only those take part who have a score pile (JB-29, JB-G17)."""
    count = len(state.setup.players)
    clockwise = [(state.first + step) % count for step in range(count)]
    final = state.round == ROUNDS
    order = tuple(seat for seat in clockwise if state.piles[seat] or not final)
    spent = tuple(
        values if force is None else values | {VALUES[force]}
        for values, force in zip(state.spent, state.forces, strict=True)
    )
    return state._replace(
        round=state.round + 1,
        first=order[0] if order else state.first,
        order=order,
        committed=frozenset(),
        forces=(None,) * count,
        compared=frozenset(),
        chosen=0,
        spent=spent,
        laid=state.forces if order else None,
        over=not order,
    )


def _end_final(state: State) -> State:
    """The forces of the final leave the game (JB-28, JB-30); without having read them all there is no result."""
    piles = list(state.piles)
    for seat in state.order:
        if (force := state.forces[seat]) is not None:
            left = list(piles[seat])
            left.remove(force)
            piles[seat] = tuple(left)
    unread = frozenset(seat for seat in state.order if state.forces[seat] is None)
    return state._replace(
        piles=tuple(piles),
        committed=frozenset(),
        forces=(None,) * len(piles),
        unread=unread,
        over=not unread,
    )


def totals(state: State) -> dict[str, int]:
    """The value of every score pile (JB-31)."""
    return {
        name: sum(VALUES[card] for card in pile) for name, pile in zip(state.setup.players, state.piles, strict=True)
    }


def _final_ruling(state: State, event: Event) -> dict[str, Any]:
    reached = totals(state)
    ranking = [
        [name for name, total in reached.items() if total == place]
        for place in sorted(set(reached.values()), reverse=True)
    ]
    return ruling(event, "over", ("JB-28", "JB-31", "JB-32", "JB-G18"), why="final", totals=reached, ranking=ranking)
