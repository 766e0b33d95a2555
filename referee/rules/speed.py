"""Speed with 52 cards: from events to rulings.

The rules of this module (decisions in `seeds/speed.toml`):
- `start(header)` gives the first state; `apply(state, event)` gives the next state and the rulings.
- Pure: the same state and event give the same answer; no state is ever changed.
- Total: no event raises. What cannot happen is `rejected` and leaves the state untouched (but for a held play,
  which is judged as soon as something else happens).
- A play that bears a `together` key is held until the next event, for its partner may follow: two plays whose order
  cannot be told are judged side by side.

Belongs here: the dispatch of events, draws, claims, turn-ups and shuffles, and what one may ask of a state. Does not
belong here: what a state is (`speed_state`), how a laid card is judged (`speed_play`).
"""

from __future__ import annotations

from typing import Any

from referee.rules.speed_play import in_unknown_order, play, undecided, why_not, won
from referee.rules.speed_state import (
    BOTH,
    DECK,
    HAND,
    NOBODY,
    State,
    could_draw,
    in_deck,
    left,
    new_state,
    put,
    rejected,
    ruling,
    start,
    steps,
    waits_for_shuffle,
)
from referee.words import Event, Expected, Ruling

__all__ = ["apply", "expected", "start", "summary"]

Judged = tuple[State, list[Ruling]]


def apply(state: State, event: Event) -> Judged:
    """Judge one event: the state it leads to, and the rulings it causes, in order.

    A `rejected` ruling does not yet say which event it was; whoever counts the events adds that.
    """
    if state.held is None:
        return _judge(state, event)
    first, before = state.held, state._replace(held=None)
    if event["event"] == "play" and event.get("together") == first["together"] and not why_not(before, event):
        return in_unknown_order(before, first, event)
    settled, rulings = play(before, first)
    after, more = _judge(settled, event)
    return after, [*rulings, *more]


def _judge(state: State, event: Event) -> Judged:
    name = event["event"]
    if name == "end":
        return state, []
    if state.over:
        return state, [rejected(event, "the match is over")]
    if name == "play":
        if event.get("together") is not None and not why_not(state, event):
            return state._replace(held=event), []
        return play(state, event)
    if name == "recount":
        return _recount(state, event)
    if name == "reshuffle":
        return _reshuffle(state, event)
    if name not in ("turn_up", "draw", "blocked"):
        return state, [rejected(event, f"{name} is not an event of this game")]
    if name == "blocked" and event["player"] is None:
        return state, [undecided(event, "who", state.setup.players)]
    seat = state.setup.seats.get(event["player"])
    if seat is None:
        return state, [rejected(event, f"{event['player']} is not among the players")]
    if name == "turn_up":
        return _turn_up(state, seat, event)
    return _draw(state, seat, event) if name == "draw" else _blocked(state, seat, event)


def _turn_up(state: State, seat: int, event: Event) -> Judged:
    """A side card goes onto the player's own central pile: exactly one when it is due (SP-05, SP-G19, SP-G20)."""
    player, card = event["player"], event["card"]
    if not in_deck(card):
        return state, [rejected(event, f"{card} is not a card of this game")]
    if seat not in state.owes:
        return state, [rejected(event, f"{player} has no card to turn up now")]
    setup, hand, draw, side, central, tops, owes, *rest = state
    side, central = put(side, seat, side[seat] - 1), put(central, seat, central[seat] + 1)
    tops = (tops[0], card) if seat else (card, tops[1])
    return new_state((setup, hand, draw, side, central, tops, owes - {seat}, *rest)), []


def _draw(state: State, seat: int, event: Event) -> Judged:
    """Cards from the draw pile into the hand, which holds five at most (SP-11, SP-12)."""
    player, count = event["player"], event["count"]
    if count < 1:
        return state, [rejected(event, "expected 1 card or more")]
    if count > state.draw[seat]:
        return state, [rejected(event, f"{player} has only {state.draw[seat]} to draw")]
    if state.hand[seat] + count > HAND:
        clauses = ("SP-12", "SP-G16", "speed-decisions-4", "speed-decisions-7")
        return state, [ruling(event, "fault", clauses, player=player, kind="too-many")]
    setup, hand, draw, *rest = state
    hand, draw = put(hand, seat, hand[seat] + count), put(draw, seat, draw[seat] - count)
    return new_state((setup, hand, draw, *rest)), []


def _blocked(state: State, seat: int, event: Event) -> Judged:
    """A player says they are stuck; once both have, each turns a card up or the middle is shuffled (SP-15, SP-16)."""
    if state.owes:
        return state, [rejected(event, "cards are still to be turned up")]
    if could_draw(state, seat):
        return state, [rejected(event, f"{event['player']} has to draw first")]
    if seat in state.claims:
        return state, []
    claims = state.claims | {seat}
    if claims != BOTH:
        return state._replace(claims=claims), []
    if all(state.side):
        clauses = ("SP-15", "SP-G07", "speed-decisions-2")
        return state._replace(claims=NOBODY, owes=BOTH), [ruling(event, "turn-up", clauses)]
    return state._replace(claims=claims), [ruling(event, "reshuffle-needed", ("SP-16", "speed-decisions-2"))]


def _reshuffle(state: State, event: Event) -> Judged:
    """The central cards become two side piles, as even as can be, and both turn one up (SP-16, SP-G05)."""
    counts, middle = event["counts"], sum(state.central)
    if not waits_for_shuffle(state):
        return state, [rejected(event, "nothing is to be shuffled now")]
    if min(counts) < 0 or sum(counts) != middle:
        return state, [rejected(event, f"the two piles must add up to {middle}")]
    more = counts[0] - counts[1]
    if abs(more) > 1:
        return state, [rejected(event, "the two piles may differ by one card at most")]
    if more and (left(state, 0) - left(state, 1)) * more < 0:
        return state, [rejected(event, "the odd card goes to whoever has more cards left")]
    return state._replace(
        side=(state.side[0] + counts[0], state.side[1] + counts[1]),
        central=(0, 0),
        claims=NOBODY,
        owes=BOTH,
    ), [ruling(event, "turn-up", ("SP-16", "SP-G05", "speed-decisions-2"))]


def _recount(state: State, event: Event) -> Judged:
    """A person counted hands or draw piles anew; a claim that the new counts do not bear out is void (recount)."""
    seats = state.setup.seats
    counted: list[tuple[int, int]] = [state.hand, state.draw]
    if not event.keys() & {"hand", "draw"}:
        return state, [rejected(event, "expected hand or draw")]
    for place, (key, most) in enumerate((("hand", HAND), ("draw", DECK))):
        for player, count in event.get(key, {}).items():
            if player not in seats:
                return state, [rejected(event, f"{player} is not among the players")]
            if not 0 <= count <= most:
                return state, [rejected(event, f"{player}: expected 0 to {most} cards")]
            counted[place] = put(counted[place], seats[player], count)
    after = state._replace(hand=counted[0], draw=counted[1])
    rulings = [
        ruling(event, "warning", ("SP-04", "recount"), player=name, kind="miscount")
        for seat, name in enumerate(state.setup.players)
        if (after.hand[seat], after.draw[seat]) != (state.hand[seat], state.draw[seat])
    ]
    rid = [seat for seat in (0, 1) if not left(after, seat)]
    if len(rid) == 2:
        return state, [rejected(event, "both cannot be rid of all their cards")]
    if rid:
        after, more = won(after, rid[0], event)
        return after, [*rulings, *more]
    return after._replace(claims=frozenset(seat for seat in after.claims if not could_draw(after, seat))), rulings


def _settled(state: State) -> State:
    """The state once a held play is judged by itself."""
    return state if state.held is None else play(state._replace(held=None), state.held)[0]


def summary(state: State) -> dict[str, Any]:
    """The state as `referee adjudicate --state` prints it: counts, games won."""
    state = _settled(state)
    players = state.setup.players
    return {
        "hand": dict(zip(players, state.hand, strict=True)),
        "draw": dict(zip(players, state.draw, strict=True)),
        "side": dict(zip(players, state.side, strict=True)),
        "central": list(state.central),
        "wins": dict(zip(players, state.wins, strict=True)),
        "over": state.over,
    }


def expected(state: State) -> Expected:
    """What may come next: whose side card is due, who may lay or draw, whether the middle is to be shuffled."""
    state = _settled(state)
    answer = Expected(waiting_for="nothing", may_flip=[], may_take=[], asked=None, may_play=[], may_draw=[])
    if state.over:
        return answer
    players = state.setup.players
    if state.owes:
        answer["waiting_for"] = "flip"
        answer["may_flip"] = [players[seat] for seat in sorted(state.owes)]
        return answer
    answer["waiting_for"] = "shuffle" if waits_for_shuffle(state) else "play"
    if waits_for_shuffle(state):
        half, odd = divmod(sum(state.central), 2)
        more = 1 if left(state, 1) > left(state, 0) else 0
        answer["split"] = [half + odd * (more == 0), half + odd * (more == 1)]
    answer["steps"] = [steps(top) if count else {} for top, count in zip(state.tops, state.central, strict=True)]
    answer["may_play"] = [name for seat, name in enumerate(players) if state.hand[seat]]
    answer["may_draw"] = [name for seat, name in enumerate(players) if could_draw(state, seat)]
    answer["left"] = {name: left(state, seat) for seat, name in enumerate(players)}
    answer["lacking"] = {
        name: min(HAND - state.hand[seat], state.draw[seat])
        for seat, name in enumerate(players)
        if could_draw(state, seat)
    }
    return answer
