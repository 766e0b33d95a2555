"""Dobro: cards are laid, or a player passes.

Belongs here: whether a play stands, the value in play, the player before who has not refilled, picking up. Does not
belong here: drawing and calling (`dobro`), scoring (`dobro_round`).
"""

from __future__ import annotations

from functools import lru_cache

from referee.rules.dobro_cards import REVERSE, UNREADABLE, Illegal, Worth, in_pack, worth
from referee.rules.dobro_round import end_if_out, end_round
from referee.rules.dobro_rulings import Refusal, Rulings
from referee.rules.dobro_state import (
    EARLY_US,
    Laid,
    State,
    believed,
    changed,
    doubt,
    following,
    missing,
    new_state,
    owes_a_draw,
)
from referee.words import Event


def play(state: State, event: Event, rulings: Rulings) -> State | Refusal:
    """Judge one or two cards that were laid; what may not stand goes back to the hand (DO-G31)."""
    players, cards, name = state.setup.players, event["cards"], event["player"]
    if why := _why_impossible(state, cards, name):
        return why
    if name is None:
        able = [player for player, count in zip(players, state.hand, strict=True) if count >= len(cards)]
        rulings.give("undecided", ("dobro-decisions-9",), why="who", candidates=able)
        return state
    if UNREADABLE in cards:
        rulings.give("undecided", ("dobro-decisions-9",), why="unreadable", candidates=[name])
        return state
    seat = state.setup.seats[name]
    if seat != state.turn:
        return out_of_turn(state, seat, rulings)
    laid = worth(cards, event.get("value"))
    if isinstance(laid, Worth):
        laid = _against(state.value, laid, len(cards))
    if isinstance(laid, Illegal):
        rulings.give("illegal-play", laid.clauses, player=name, cards=list(cards), on=state.value, why=laid.why)
        return state
    return _lay(_close_turn_before(state, seat, rulings), seat, cards, laid, rulings)


def _why_impossible(state: State, cards: list[str], name: str | None) -> Refusal | None:
    """What no table can show: such cards are not in the pack, or not in the hand."""
    if not 1 <= len(cards) <= 2:
        return Refusal("expected one or two cards", ("DO-12", "DO-16"))
    for card in cards:
        if card != UNREADABLE and not in_pack(card):
            return Refusal(f"{card} is not a card of this game", ("DO-04", "DO-07"))
    if REVERSE in cards and len(state.hand) == 2:
        return Refusal("two players play without reverses: replace the card", ("DO-59", "dobro-decisions-5"))
    if name is None:
        return None if max(state.hand) >= len(cards) else Refusal("nobody holds so many cards")
    if name not in state.setup.seats:
        return Refusal(f"{name} is not among the players")
    held = state.hand[state.setup.seats[name]]
    return None if held >= len(cards) else Refusal(f"{name} holds only {held} of the {len(cards)} cards")


def out_of_turn(state: State, seat: int, rulings: Rulings) -> State:
    """Somebody plays or passes who is not next: nothing changes."""
    just_played = state.latest is not None and state.latest.seat == seat
    once: tuple[str, ...] = ("DO-16",) if just_played else ()
    rulings.warn(seat, "out-of-turn", ("DO-15", *once, "DO-G31", "dobro-decisions-2"))
    return state


@lru_cache(maxsize=4096)
def _against(value: int | None, laid: Worth, count: int) -> Worth | Illegal:
    """What is laid against the value in play; the clauses then say what it did."""
    total = laid.total
    if value is None:
        if total is None:
            return Illegal("opening-special", ("DO-12", "DO-G04"))
        return Worth(total, ("DO-12", *laid.clauses))
    if total is None:
        return laid
    if total < value:
        return Illegal("too-low", ("DO-03", *laid.clauses, "DO-G31"))
    if total == value:
        return Worth(total, (*laid.clauses, "DO-24", "DO-25") if count == 2 else (*laid.clauses, "DO-24"))
    return Worth(total, (*laid.clauses, "DO-26"))


def _close_turn_before(state: State, seat: int, rulings: Rulings) -> State:
    """The next card is laid: has the latest player forgotten to draw? (DO-33, DO-G08, dobro-decisions-3)."""
    state = believed(state, seat)
    latest, oubli, forgetters, doubted = state.latest, state.oubli, state.forgetters, state.doubted
    if seat in forgetters:
        forgetters -= {seat}
    same = state if forgetters is state.forgetters else state._replace(forgetters=forgetters)
    if latest is None or latest.seat == seat:
        return same
    owes = owes_a_draw(state, latest.seat)
    if not owes and not doubt(state, latest.seat) and missing(state, latest.seat) <= 0:
        return same
    early = rulings.t_us - latest.t_us < EARLY_US
    by_referee = state.setup.options.oubli_called_by == "referee"
    if not owes and (early or by_referee):
        clauses = ("DO-23", "DO-G08") if early else ("DO-G09", "dobro-decisions-8")
        candidates = [state.setup.players[latest.seat]]
        rulings.give("undecided", (*clauses, "dobro-decisions-9"), why="drawn", candidates=candidates)
    elif not owes:
        doubted |= {latest.seat}
    elif early:
        rulings.warn(seat, "early-play", ("DO-23", "DO-G08", "dobro-decisions-2"))
    elif by_referee:
        oubli = latest.seat
        give_oubli(state, oubli, ("DO-G09", "dobro-decisions-8"), rulings)
    else:
        forgetters |= {latest.seat}
    return state._replace(oubli=oubli, forgetters=forgetters, doubted=doubted)


def give_oubli(state: State, seat: int, clauses: tuple[str, ...], rulings: Rulings) -> None:
    """Say that a forgetter takes the Oubli card, from the centre or from whoever holds it (DO-35, DO-G38, DO-G39)."""
    rulings.give("oubli", ("DO-33", "DO-34", "DO-35", *clauses), player=state.setup.players[seat])


def _lay(state: State, seat: int, cards: list[str], laid: Worth, rulings: Rulings) -> State:
    """The cards stay: say the new value."""
    setup, number, hand, pile, piles, table, value, _, clockwise, oubli, totals, _, forgetters, _, *rest = state
    doubled = laid.total is not None and laid.total == value
    if laid.total is not None:
        value = laid.total * (2 if doubled else 1)
    left = hand[seat] - len(cards)
    hand, table = changed(hand, seat, left), table + len(cards)
    if REVERSE in cards:
        clockwise = not clockwise
    turn = (seat + (1 if clockwise else -1)) % len(hand)
    latest, declared = Laid(seat, rulings.t_us), 0
    before = (setup, number, hand, pile, piles, table, value, turn, clockwise, oubli, totals)
    after = new_state((*before, latest, forgetters, declared, *rest))
    players = setup.players
    rulings.give(
        "value",
        (*laid.clauses, "dobro-decisions-1"),
        player=players[seat],
        value=value,
        doubled=doubled,
        next=players[turn] if pile or left else None,
    )
    return end_if_out(after, rulings)


def pass_turn(state: State, event: Event, rulings: Rulings) -> State | Refusal:
    """Judge a pass: it ends the auction, and the passer takes what lies there and opens the next (DO-20, DO-38)."""
    seat = state.setup.seats.get(event["player"])
    if seat is None:
        return Refusal(f"{event['player']} is not among the players")
    if seat != state.turn:
        return out_of_turn(state, seat, rulings)
    if state.value is None:
        if not event.get("only_specials", False):
            return Refusal("an auction is opened with a card or a pair, not with a pass", ("DO-12", "DO-G06"))
        return _hand_opening_on(state, seat, rulings)
    clauses = ("DO-20", "DO-38", "DO-39", "DO-40", "DO-41", "DO-G07")
    rulings.give("picks-up", clauses, player=event["player"], cards=state.table)
    state = believed(state, seat)
    return state._replace(
        piles=changed(state.piles, seat, state.piles[seat] + state.table),
        table=0,
        value=None,
        forgetters=state.forgetters - {seat},
    )


def _hand_opening_on(state: State, seat: int, rulings: Rulings) -> State:
    """An opener shows nothing but specials: the next one opens (DO-G05, dobro-decisions-4)."""
    state = believed(state, seat)
    declared = 0 if state.pile else state.declared + 1
    stale = state.latest is not None and state.latest.seat == seat  # their next turn has come: too late to call
    state = state._replace(
        turn=following(state, seat),
        latest=None if stale else state.latest,
        forgetters=state.forgetters - {seat},
        declared=declared,
    )
    if declared < len(state.hand):
        return state
    return end_round(state, seat, ("DO-44", "DO-46", "DO-G17", "dobro-decisions-4", "dobro-decisions-9"), rulings)
