"""Jungle Speed: from events to rulings.

The rules of this module (decisions page in `seeds/jungle-speed.toml`):
- `start(header)` gives the first state; `apply(state, event)` gives the next state and the rulings.
- Pure: the same state and event give the same answer; no state is ever changed.
- Total: no event raises. What cannot happen is `rejected` and leaves the state untouched (but for a share that
  the event settled before it was rejected).
- `correct` is not an event of a state but of a record: `referee.record.resolve` applies it beforehand.

Belongs here: the dispatch of events and what one may ask of a state. Does not belong here: how an event is judged
(`jungle_speed_flip`, `jungle_speed_grab`, `jungle_speed_table`).
"""

from __future__ import annotations

from typing import Any

from referee.rules.cards import face, in_deck
from referee.rules.jungle_speed_flip import flip, settle
from referee.rules.jungle_speed_grab import choose_situation, fall, grab, read_hands, share, share_evenly
from referee.rules.jungle_speed_setup import PILE_LIMIT, start
from referee.rules.jungle_speed_state import CALM, CALM_FIELDS, NOBODY, State, entitled, new_state
from referee.rules.jungle_speed_table import Table
from referee.words import Event, Expected, Lying, Ruling

__all__ = ["apply", "expected", "start", "summary"]


def apply(state: State, event: Event) -> tuple[State, list[Ruling]]:
    """Judge one event: the state it leads to, and the rulings it causes, in order.

    A `rejected` ruling does not yet say which event it was; whoever counts the events adds that.
    """
    name = event["event"]
    if name == "flip" and (after := _calm_flip(state, event)) is not None:
        return after, []
    if name == "end":
        if state.share is None:
            return state, []
        table = Table(state, event["t_us"])
        share_evenly(table)
        return table.freeze(), table.rulings
    if state.over:
        return state, [_rejected(event, "the game is over")]
    if name == "pick_up" and _picks_up_rightly(state, event):
        return state, []
    table = Table(state, event["t_us"])
    if state.choice is not None and name != "choose":
        taker = table.name(state.choice.taker)
        return state, [_rejected(event, f"{taker} has to choose between the duel and the arrow first")]
    settled = state
    if state.share is not None and name != "share":
        share_evenly(table)
        settled = table.freeze()
        if table.over:
            return settled, [*table.rulings, _rejected(event, "the game is over")]
    given = len(table.rulings)
    why = _judge(table, name, event)
    if why:
        if table.volley != settled.volley or table.over:
            # A second flip closed the volley, and then there was nothing left to flip for (situations-4).
            return table.freeze(), [*table.rulings, _rejected(event, why)]
        return settled, [*table.rulings[:given], _rejected(event, why)]
    return table.freeze(), table.rulings


def _picks_up_rightly(state: State, event: Event) -> bool:
    """Whether the cards are taken by whoever has to, while nothing is asked: then nothing follows."""
    return (
        state.choice is None
        and state.share is None
        and state.setup.seats.get(event["player"], NOBODY) in state.takers_up
    )


def _calm_flip(state: State, event: Event) -> State | None:
    """The state after a flip that only moves a card and the turn, or None when more may follow from it.

    Most flips are so: in turn, a symbol, no situation of the player's own, no top that might match. This is a short
    cut and no rule of its own: the same flip gives the same state on the long way (`jungle_speed_flip`).
    """
    if state[CALM_FIELDS] != CALM:
        return None
    setup, reserve, face_up, pot, rank, turn, duels, inward = state[:8]
    card: str = event["card"]
    shape, colour, arrow = face(card)
    if turn == NOBODY or setup.players[turn] != event["player"] or arrow is not None or shape is None:
        return None
    for duel in duels:
        if turn in duel.members or setup.options.missed_duel == "lapses":
            return None
    for owner, _, _ in inward:
        if owner == turn:
            return None
    count = len(reserve)
    following = turn + 1 if turn + 1 < count else 0
    while not reserve[following] or rank[following]:
        following = following + 1 if following + 1 < count else 0
    mine = reserve[turn]
    if following == turn and len(mine) == 1:
        return None
    alike = 0
    for seat, pile in enumerate(face_up):
        if pile and seat != turn:  # the player's own top is covered
            top = face(pile[-1])
            if top[0] == shape:
                return None
            alike += top[1] == colour
    if alike == 2 and count == 3:  # three of one colour
        return None
    reserves, piles = [*reserve], [*face_up]
    reserves[turn] = mine[1:]
    piles[turn] += (card,)
    return new_state(
        (
            setup,
            tuple(reserves),
            tuple(piles),
            pot,
            rank,
            following,
            duels,
            inward,
            *CALM,
            state[-1],
        )
    )


def _judge(table: Table, name: str, event: Event) -> str:
    """Hand an event to those who judge it; returns why it cannot happen, or an empty string."""
    if name == "flip":
        return _why_no_flip(table, event["player"], event["card"]) or flip(
            table, table.setup.seats[event["player"]], event["card"]
        )
    if name == "grab":
        seats, fell = table.setup.seats, event.get("fell")
        toppler = NOBODY if fell is None or fell["player"] is None else seats.get(fell["player"])
        if toppler is None:
            return f"{event['fell']['player']} is not among the players"
        hands = read_hands(event["hands"], seats)
        if isinstance(hands, str):
            return hands
        table.settled_by = event.get("settled_by")
        grab(table, hands, fell is not None, toppler)
        return ""
    if name == "fall":
        player = event["player"]
        if player is not None and player not in table.setup.seats:
            return f"{player} is not among the players"
        fall(table, player)
        return ""
    if name == "pick_up":
        return _pick_up(table, event["player"])
    if name == "choose":
        return choose_situation(table, event["player"], event["choice"])
    if name == "share":
        return share(table, event["player"], event["shares"])
    if name == "recount":
        return _recount(table, event["reserve"])
    return f"{name} is not an event of this game"


def _why_no_flip(table: Table, player: str, card: str) -> str:
    seat = table.setup.seats.get(player)
    if seat is None:
        return f"{player} is not among the players"
    if not in_deck(card):
        return f"{card} is not a card of this game"
    if table.count == 3 and face(card).arrow == "colour":
        return "three players play without colour arrows: set it aside and flip again (JS-09)"
    if not table.is_in(seat):
        return f"{player} is out"
    return "" if table.reserve[seat] else f"{player} has no reserve to flip from"


def _pick_up(table: Table, player: str) -> str:
    """Somebody was seen taking cards: check it against the latest ruling that moved any (pick-up)."""
    seat = table.setup.seats.get(player)
    if seat is None:
        return f"{player} is not among the players"
    if seat not in (table.takers_up if table.moved is None else table.moved):
        table.warn(seat, "wrong-pick-up", "JS-18", "JS-19", "pick-up")
    return ""


def _recount(table: Table, counts: dict[str, int]) -> str:
    """A person counted the reserves anew; what was known of a changed one is forgotten (recount)."""
    if table.volley is not None:
        return "a recount waits until the outward arrow is settled"
    seats = table.setup.seats
    for player, count in counts.items():
        if player not in seats:
            return f"{player} is not among the players"
        if not 0 <= count <= PILE_LIMIT:
            return f"{player}: expected 0 to {PILE_LIMIT} cards"
        if count and not table.is_in(seats[player]):
            return f"{player} is out"
    changed = [seats[player] for player, n in counts.items() if n != len(table.reserve[seats[player]])]
    for player, count in counts.items():
        table.reserve[seats[player]] = (None,) * count
    for seat in sorted(changed):
        table.warn(seat, "miscount", "JS-04", "recount")
    if changed:
        table.turn = table.next_able(max(table.turn, 0))
        table.check_out()
        settle(table)
    return ""


def _rejected(event: Event, why: str) -> Ruling:
    return {"t_us": event["t_us"], "ruling": "rejected", "why": why, "clauses": [], "public": True}


def summary(state: State) -> dict[str, Any]:
    """The state as `referee adjudicate --state` prints it: counts, turn, mode, who is out."""
    players = state.setup.players
    waits = state.volley is not None or state.choice is not None or state.share is not None
    turn = NOBODY if waits or state.over else state.turn
    gone = sorted((rank, seat) for seat, rank in enumerate(state.rank) if rank)
    return {
        "reserve": {name: len(state.reserve[seat]) for seat, name in enumerate(players)},
        "face_up": {name: len(state.face_up[seat]) for seat, name in enumerate(players)},
        "pot": len(state.pot),
        "turn": None if turn == NOBODY else players[turn],
        "colour_mode": state.colour_mode,
        "out": [players[seat] for _, seat in gone],
        "over": state.over,
    }


def outlook(state: State) -> tuple[Any, ...]:
    """What of a state can still change a ruling: two states with the same outlook are ruled alike from here on.

    Of piles that is how many cards they have and what is on top: which cards lie below, or in a reserve, no ruling
    asks (decisions page, "A grab", 15), unless house rules take single arrows off (`last_out` = `card`).
    """
    whole = state.setup.options.last_out == "card"
    reserve, face_up, pot, *rest = state[1:]
    piles = face_up if whole else tuple((len(pile), pile[-1:]) for pile in face_up)
    return (tuple(map(len, reserve)), piles, len(pot), *rest)


def lying(state: State) -> Lying:
    """Where each card lies as far as it is known: reserves next card first, face-up piles and the pot bottom first."""
    players = state.setup.players
    return Lying(
        reserve=dict(zip(players, state.reserve, strict=True)),
        face_up=dict(zip(players, state.face_up, strict=True)),
        pot=state.pot,
    )


def expected(state: State) -> Expected:
    """What may come next: who may flip, who may take, what is waited for."""
    players = state.setup.players
    answer = Expected(waiting_for="nothing", may_flip=[], may_take=[], asked=None)
    if state.over:
        return answer
    if state.choice is not None:
        answer["waiting_for"], answer["asked"] = "choose", players[state.choice.taker]
        return answer
    answer["may_take"] = [players[seat] for seat in sorted(entitled(state))]
    if state.volley is not None:
        answer["may_flip"] = [players[seat] for seat in sorted(state.volley.owes)]
    elif state.turn != NOBODY:
        answer["may_flip"] = [players[state.turn]]
    if state.share is not None:
        answer["waiting_for"], answer["asked"] = "share", players[state.share.winner]
        answer["may_flip"] = []
    elif state.volley is not None:
        answer["waiting_for"] = "volley"
    else:
        answer["waiting_for"] = "flip" if answer["may_flip"] else "take"
    return answer
