"""Speed: cards laid on the central piles.

Belongs here: judging one play, and two plays whose order cannot be told. Does not belong here: draws, claims and
turn-ups (`speed`).
"""

from __future__ import annotations

from typing import Any

from referee.rules.speed_state import (
    NOBODY,
    UNREADABLE,
    State,
    fits,
    fresh_deal,
    in_deck,
    new_state,
    put,
    rejected,
    ruling,
)
from referee.words import Event, Ruling

Judged = tuple[State, list[Ruling]]


def why_not(state: State, event: Event) -> str:
    """Why a card cannot have been laid at all, whatever lies on the piles; empty when it can."""
    player, pile, card = event["player"], event["pile"], event["card"]
    if player is not None and player not in state.setup.seats:
        return f"{player} is not among the players"
    if not in_deck(card):
        return f"{card} is not a card of this game"
    if pile not in (1, 2):
        return "expected pile 1 or pile 2"
    if player is not None and not state.hand[state.setup.seats[player]]:
        return f"{player} has no card in hand"
    return ""


def play(state: State, event: Event) -> Judged:
    """Judge one card laid on a central pile (SP-08, SP-09, SP-22)."""
    if why := why_not(state, event):
        return state, [rejected(event, why)]
    player, pile, card = event["player"], event["pile"] - 1, event["card"]
    if player is None:
        return state, [undecided(event, "who", state.setup.players)]
    if state.owes:
        return state, [ruling(event, "false-start", ("SP-06", "SP-G04", "speed-decisions-2"), player=player)]
    top = state.tops[pile]
    if UNREADABLE in (card, top):
        return state, [undecided(event, "unreadable", (player,))]
    if not fits(card, top):
        clauses = ("SP-21", "SP-G16") if card[:-1] == top[:-1] else ("SP-09", "SP-10", "SP-G16")
        return state, [ruling(event, "illegal-play", clauses, player=player, card=card, on=top)]
    seat = state.setup.seats[player]
    setup, hand, draw, side, central, tops, owes, _, wins, over, held = state
    tops = (tops[0], card) if pile else (card, tops[1])
    hand, central = put(hand, seat, hand[seat] - 1), put(central, pile, central[pile] + 1)
    after = new_state((setup, hand, draw, side, central, tops, owes, NOBODY, wins, over, held))
    return (after, []) if hand[seat] or draw[seat] else won(after, seat, event)


def won(state: State, seat: int, event: Event) -> Judged:
    """A player is rid of hand and draw pile: the game, and with it perhaps the match, is won (SP-17, SP-18)."""
    name = state.setup.players[seat]
    wins = put(state.wins, seat, state.wins[seat] + 1)
    rulings = [ruling(event, "game-won", ("SP-17",), winner=name)]
    if wins[seat] <= state.setup.best_of // 2:
        return fresh_deal(state.setup, wins), rulings
    rulings.append(ruling(event, "match-won", ("SP-18", "speed-decisions-1"), winner=name))
    return state._replace(wins=wins, claims=NOBODY, owes=NOBODY, over=True), rulings


def in_unknown_order(state: State, first: Event, second: Event) -> Judged:
    """Judge two plays whose order cannot be told: undecided, both, if the order makes a difference (SP-G11).

    A difference is who wins, what stays and what goes back; only which card lay on top when one goes back in
    either order is no difference. An unread card or an unknown player might be any, so on one pile it always is.
    """
    after, rulings = _both(state, first, second)
    other, reversed_rulings = _both(state, second, first)
    unsure = first["pile"] == second["pile"] and any(given["ruling"] == "undecided" for given in rulings)
    if not unsure and after == other and _consequences(rulings) == _consequences(reversed_rulings):
        return after, rulings
    names = state.setup.players
    known = {first["player"], second["player"]}
    candidates = names if None in known else tuple(name for name in names if name in known)
    return state, [undecided(event, "order", candidates) for event in (first, second)]


def _both(state: State, first: Event, second: Event) -> Judged:
    after, rulings = play(state, first)
    if after.over:
        return after, [*rulings, rejected(second, "the match is over")]
    after, more = play(after, second)
    return after, [*rulings, *more]


def _consequences(rulings: list[Ruling]) -> list[tuple[str, str, str]]:
    return sorted((r["ruling"], r.get("player", ""), r.get("card", "")) for r in rulings)


def undecided(event: Event, why: str, candidates: tuple[str, ...]) -> dict[str, Any]:
    """The evidence does not allow a ruling; a person decides (speed-decisions-8)."""
    clauses = ("SP-G11", "speed-decisions-8") if why == "order" else ("speed-decisions-8",)
    return ruling(event, "undecided", clauses, why=why, candidates=list(candidates))
