"""Jungle Speed: cards are turned, groups are judged, volleys open and close.

Belongs here: situations 1 to 5 and the last card (decisions page). Does not belong here: hands and the totem.
"""

from __future__ import annotations

from referee.rules.cards import UNREADABLE, Card, Face, face
from referee.rules.jungle_speed_state import NOBODY, Duel, Inward, LastCard, Volley
from referee.rules.jungle_speed_table import Table

THREE_PLAYERS = 3


def flip(table: Table, seat: int, card: str) -> str:
    """A player turns a card; returns why that cannot be, or an empty string.

    A second flip by a player who owes nothing closes an open volley first (situations-4).
    """
    volley = table.volley
    if volley is not None and seat not in volley.owes:
        close_volley(table)
        settle(table)
        if table.over:
            return "the game is over"
        volley = table.volley
    if volley is not None:
        _flip_in_volley(table, seat, card)
    else:
        _flip_in_turn(table, seat, card)
    settle(table)
    return ""


def _flip_in_turn(table: Table, seat: int, card: str) -> None:
    if seat != table.turn:
        table.warn(seat, "out-of-turn", "JS-12", "JS-G17", "situations-5")
    if table.options.missed_duel == "lapses":
        table.duels = ()
    shown = _lay(table, seat, card)
    table.turn = table.next_able(seat + 1)
    if shown.arrow is None:
        if card == UNREADABLE:
            table.undecided("unreadable", (seat,), "grab-11")
        if table.colour_mode:
            table.colour_off(totem_or_arrow=False)
        judge(table, (seat,))
        return
    _rule_arrow(table, seat, shown.arrow)
    if shown.arrow == "in":
        table.colour_off(totem_or_arrow=True)
        table.inward += (Inward(seat, not table.reserve[seat], seat),)
    elif shown.arrow == "out":
        table.colour_off(totem_or_arrow=True)
        if table.reserve[seat]:
            _open_volley(table, seat, (seat + 1) % table.count)
        else:
            _leave_on_outward(table, seat)
    elif not table.reserve[seat] and table.options.last_colour == "automatic":
        table.colour_off(totem_or_arrow=True)
        table.fault(seat, "last-colour", ("JS-49", "last-card"))
    else:
        table.colour_on()
        judge(table, (seat,), compare_all=True)


def _flip_in_volley(table: Table, seat: int, card: str) -> None:
    volley = table.volley
    assert volley is not None
    shown = _lay(table, seat, card)
    table.volley = Volley(volley.origin, volley.resume, volley.owes - {seat}, (*volley.fresh, seat))
    if card == UNREADABLE:
        table.undecided("unreadable", (seat,), "grab-11")
    if shown.arrow is not None:
        _rule_arrow(table, seat, shown.arrow)
        emptied = not table.reserve[seat]
        if shown.arrow == "in":
            table.inward += (Inward(seat, emptied, volley.origin),)
        elif emptied and (shown.arrow == "out" or table.options.last_colour == "automatic"):
            table.last += (LastCard(seat, card, volley.origin),)
        elif shown.arrow == "out":
            table.waiting += (seat,)
    if not table.volley.owes:
        close_volley(table)


def _lay(table: Table, seat: int, card: str) -> Face:
    """Move a card from the reserve's top to the face-up pile; the flip is believed (grab-15)."""
    table.reserve[seat] = table.reserve[seat][1:]
    table.face_up[seat] += (card,)
    table.cover(seat)
    return face(card)


_ARROW_CLAUSES = {
    "in": ("JS-22", "JS-24", "JS-29", "situations-3"),
    "out": ("JS-22", "JS-24", "JS-33", "situations-4"),
    "colour": ("JS-22", "JS-24", "JS-35", "situations-2"),
}


def _rule_arrow(table: Table, seat: int, kind: str) -> None:
    table.rule("arrow", _ARROW_CLAUSES[kind], player=table.name(seat), kind=kind)


# --- groups ---------------------------------------------------------------------------------------------


def judge(table: Table, fresh: tuple[int, ...], *, compare_all: bool = False) -> None:
    """Groups with a card turned since the last judgement become duels (situations-1, JS-14, JS-15).

    `fresh` are the seats of those cards, in the order of their flips; after a colour arrow all tops are compared.
    Players who still owe a card of a volley do not take part with the card they are about to cover.
    """
    owes, rank, face_up = table.volley.owes if table.volley is not None else (), table.rank, table.face_up
    by, place = ("colour", 1) if table.colour_mode else ("shape", 0)  # where a face says it
    shown = {
        seat: face(pile[-1])
        for seat, pile in enumerate(face_up)
        if pile and not rank[seat] and (seat not in owes or _in_live_duel(table, seat))
    }
    keys = [shown[seat][place] for seat in (shown if compare_all else fresh) if seat in shown]
    for key in keys if len(keys) == 1 else dict.fromkeys(keys):
        if key is not None:
            members = [seat for seat, one in shown.items() if one[place] == key]
            if len(members) > 1:
                _bear(table, Duel(tuple(members), by, key))
    if table.count == THREE_PLAYERS:
        _judge_triple(table, fresh, shown)


def _in_live_duel(table: Table, seat: int) -> bool:
    return any(seat in duel.members for duel in table.duels)


def _bear(table: Table, duel: Duel) -> None:
    """A duel is born, or one of the same symbol grows."""
    kept = tuple(other for other in table.duels if (other.by, other.key) != (duel.by, duel.key))
    table.duels = (*kept, duel)
    clauses = ["JS-14", "situations-1"] if duel.by == "shape" else ["JS-35", "situations-2"]
    if len(duel.members) > 2:
        clauses.append("JS-G03")
    table.rule("duel", clauses, players=table.names(duel.members), by=duel.by)


def _judge_triple(table: Table, fresh: tuple[int, ...], shown: dict[int, Face]) -> None:
    """Three players show one colour: it acts as an inward arrow (JS-38)."""
    if len(shown) != THREE_PLAYERS or not fresh:
        return
    colours = {one.colour for one in shown.values()}
    if len(colours) == 1 and None not in colours:
        table.triple = fresh[-1]
        table.rule("arrow", ("JS-38", "situations-3"), player=table.name(fresh[-1]), kind="triple")


# --- volleys --------------------------------------------------------------------------------------------


def _open_volley(table: Table, origin: int, resume: int) -> None:
    """Everyone in with a reserve owes a card (JS-33)."""
    owes = frozenset(s for s in range(table.count) if table.reserve[s] and not table.rank[s])
    table.volley = Volley(origin, resume, owes, ())


def judge_volley(table: Table) -> None:
    """Judge the cards flipped since the last judgement of the volley: first the mode, then groups."""
    volley = table.volley
    assert volley is not None
    # Mere brushes judge nothing, but one may fell the totem: that fault sweeps cards that were still to be judged.
    fresh = tuple(seat for seat in volley.fresh if table.face_up[seat])
    table.volley = Volley(volley.origin, volley.resume, volley.owes, ())
    arrows = {seat: face(table.face_up[seat][-1]).arrow for seat in fresh}
    at_work = any(arrow == "colour" and not _is_last(table, seat) for seat, arrow in arrows.items())
    if at_work:
        table.colour_on()
    else:
        table.colour_off(totem_or_arrow=any(arrow is not None for arrow in arrows.values()))
    judge(table, fresh, compare_all=at_work)


def _is_last(table: Table, seat: int) -> bool:
    return any(last.owner == seat for last in table.last)


def close_volley(table: Table) -> None:
    """Debts are over, all shown tops are judged, and the turn goes on (situations-4)."""
    assert table.volley is not None
    table.volley = table.volley._replace(owes=frozenset())
    judge_volley(table)
    resume = table.volley.resume
    table.volley = None
    table.turn = table.next_able(resume)


def settle(table: Table) -> None:
    """What waits for calm: last cards, then waiting arrows, then whether anybody can go on."""
    if table.over or table.volley is not None or table.choice is not None or table.share is not None:
        return
    if table.duel_is_live():
        return
    _judge_last_cards(table)
    if table.over or table.rush_is_live():
        return
    if table.turn == NOBODY:
        table.finish("stalemate", "JS-44", "situations-5", "out")
    elif table.waiting:
        origin, table.waiting = table.waiting[0], ()
        _open_volley(table, origin, table.turn)


def _judge_last_cards(table: Table) -> None:
    """Last cards of a closed volley, clockwise from the owner of its first arrow (last-card)."""
    if not table.last:
        return
    order = table.clockwise(table.last[0].origin)
    for last in sorted(table.last, key=lambda one: order.index(one.owner)):
        if table.over or last not in table.last:
            continue
        table.last = tuple(other for other in table.last if other != last)
        if face(last.card).arrow == "out":
            _leave_on_outward(table, last.owner)
        else:
            table.fault(last.owner, "last-colour", ("JS-49", "last-card", "JS-G15"))


def _leave_on_outward(table: Table, seat: int) -> None:
    """The last card is an outward arrow: it goes to the pot with the pile, and its owner is out (JS-46)."""
    if table.options.last_out == "pile":
        moved: tuple[Card, ...] = table.take_pile(seat)
    else:
        pile = table.face_up[seat]
        table.face_up[seat], moved = pile[:-1], pile[-1:]
        table.cover(seat)
    table.pot += moved
    table.picked_up({})
    table.rule(
        "to-pot",
        ("JS-46", "last-card", "JS-G12"),
        player=table.name(seat),
        cards=len(moved),
        pot=len(table.pot),
        next=table.name(table.turn),
    )
    table.colour_off(totem_or_arrow=False)
    table.check_out()
