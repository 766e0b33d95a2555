"""Jungle Speed: hands on the totem, and the totem falling.

Belongs here: "A grab" and falls (decisions page), choosing and sharing. Does not belong here: which hand of several
counts first (`jungle_speed_hands`), how a situation is resolved (`jungle_speed_table`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

from referee.rules.jungle_speed_flip import judge_volley, settle
from referee.rules.jungle_speed_hands import Grip, bounds, choose, margin_of, new_grip
from referee.rules.jungle_speed_state import NOBODY, Choice, Duel, Scramble, is_own
from referee.rules.jungle_speed_table import Table
from referee.words import Hand

MOST_FINGERS = 5
_TIME = attrgetter("t_us")


def read_hands(hands: Sequence[Hand], seats: Mapping[str, int]) -> list[Grip] | str:
    """The hands of a scramble in time order, or why they cannot be."""
    if not hands:
        return "a scramble without hands"
    grips = []
    for hand in hands:
        player, fingers_said, lowest_said = hand["player"], hand["fingers"], hand["lowest_mm"]
        seat = NOBODY if player is None else seats.get(player)
        if seat is None:
            return f"{player} is not among the players"
        fingers = fewest, most = (fingers_said, fingers_said) if type(fingers_said) is int else bounds(fingers_said)
        if not 0 <= fewest <= most <= MOST_FINGERS or fewest % 1 or most % 1:
            return f"fingers: expected whole numbers from 0 to {MOST_FINGERS}, low first"
        lowest = low, high = bounds(lowest_said)
        if not 0 <= low <= high:
            return "lowest_mm: expected a height, or [low, high] with low first"
        closed = hand.get("grip", True)
        grips.append(new_grip((seat, hand["t_us"], fingers, lowest, closed, fingers_said, lowest_said)))
    if len(grips) > 1:
        grips.sort(key=_TIME)  # stable: equal times stay in the order of `hands`
    return grips


def grab(table: Table, hands: list[Grip], fell: bool, toppler: int) -> None:
    """One scramble for the totem; `toppler` is the seat that knocked it over, if it `fell` and one did."""
    closed = [hand for hand in hands if hand.closed]
    if closed and table.volley is not None:
        judge_volley(table)
    entitled = table.entitled()
    grips = [hand for hand in closed if hand.seat == NOBODY or not table.rank[hand.seat]]
    if len(grips) < len(hands) or toppler != NOBODY:
        _warn(table, hands, toppler)
    if not grips:
        if closed or fell:
            table.colour_off(totem_or_arrow=True)
        _judge_toppler(table, toppler, entitled)
    elif not _judge_grips(table, grips, entitled, toppler):
        return  # undecided: nothing moves
    settle(table)


def _warn(table: Table, hands: list[Grip], toppler: int) -> None:
    """Warn players who are out, once each, and hands that only brushed (grab-0)."""
    gone = {toppler} if toppler != NOBODY and table.rank[toppler] else set()
    for hand in hands:
        if hand.seat == NOBODY:
            continue
        if table.rank[hand.seat]:
            gone.add(hand.seat)
        elif not hand.closed:
            table.warn(hand.seat, "brush", "JS-G18", "grab-0")
    for seat in sorted(gone):
        table.warn(seat, "out-player", "JS-10", "grab-0", "JS-G38")


def _judge_grips(table: Table, grips: list[Grip], entitled: frozenset[int], toppler: int) -> bool:
    """Steps 1 to 8 of a grab; False when the evidence does not decide."""
    if len(grips) == 1 and grips[0].seat in entitled:
        _take(table, grips[0].seat, Scramble((), _late_toppler(table, toppler, entitled, ()), None))
        return True
    latest_us = grips[0].t_us + table.options.simultaneous_ms * 1000
    together = [grip for grip in grips if grip.t_us <= latest_us]
    seats = [grip.seat for grip in together]
    if NOBODY in seats:
        table.undecided("who", [seat for seat in seats if seat != NOBODY], "grab-11")
        return False
    grips = [grip for grip in grips if grip.seat != NOBODY]
    rivals = [grip for grip in together if grip.seat in entitled] or together
    chosen = choose(rivals)
    if chosen.grip is None:
        table.undecided(chosen.why, chosen.candidates, "JS-39", "JS-40", "grab-1", "grab-12")
        return False
    margin = margin_of(chosen.grip, rivals, together, grips)
    if margin is not None and table.settled_by is not None:
        margin = {**margin, "settled_by": table.settled_by}
    seat = chosen.grip.seat
    if seat in entitled:
        intruders = tuple(dict.fromkeys([grip.seat for grip in grips if grip.seat not in entitled]))
        _take(table, seat, Scramble(intruders, _late_toppler(table, toppler, entitled, intruders), margin))
        return True
    if table.unreadable():
        table.undecided("unreadable", (seat,), "grab-11")
        return False
    others = dict.fromkeys([grip.seat for grip in grips if grip.seat != seat])
    _wrong_hand(table, seat, others, margin)
    if toppler != seat:
        _judge_toppler(table, toppler, entitled)
    return True


def _late_toppler(table: Table, toppler: int, entitled: frozenset[int], intruders: tuple[int, ...]) -> int:
    """Who pays for knocking the totem over once it is taken: nobody with the right, nobody twice (grab-7)."""
    if toppler == NOBODY or toppler in entitled or toppler in intruders or not table.is_in(toppler):
        return NOBODY
    return toppler


def _take(table: Table, seat: int, scramble: Scramble) -> None:
    """An entitled hand takes the totem: the duel, the arrow, or the taker's choice (grab-3, grab-5, grab-6)."""
    duel = _duel_of(table, seat)
    if duel is None:
        table.take_arrow(seat, scramble.margin)
    elif table.rush_is_live():
        table.choice = Choice(seat, scramble)
        table.rule(
            "choice-needed",
            ("JS-43", "grab-6"),
            scramble.margin,
            player=table.name(seat),
            options=["duel", "arrow"],
        )
    else:
        table.take_duel(seat, duel, scramble)


def _duel_of(table: Table, seat: int) -> Duel | None:
    for duel in table.duels:
        if seat in duel.members and not is_own(table.setup, duel):
            return duel
    return None


def _wrong_hand(table: Table, seat: int, others: Mapping[int, Any], margin: dict[str, Any] | None) -> None:
    """A hand without the right came first (grab-2, grab-4, two-persons)."""
    duels = table.duels
    table.colour_off(totem_or_arrow=True)
    if not duels:
        table.fault(seat, "wrong-grab", ("JS-25", "grab-2", "grab-8"), margin)
        for other in others:
            if not table.over:
                table.warn(other, "brush", "grab-2")
        return
    if any(seat in duel.members for duel in duels):  # a member without the right: both hands are one person's
        table.fault(seat, "own-duel", ("JS-54", "two-persons", "grab-8"), margin)
        return
    for duel in duels:
        table.cancel(duel.members, "somebody without the right took the totem", "JS-27", "grab-4", "JS-G09")
    table.fault(seat, "intervention", ("JS-27", "grab-4", "grab-8"), margin)


def _judge_toppler(table: Table, toppler: int, entitled: frozenset[int]) -> None:
    """Who knocked the totem over without the right pays for it, unless they paid already (grab-7)."""
    if toppler == NOBODY or toppler in entitled or table.over or not table.is_in(toppler):
        return
    table.fault_unless_unreadable(toppler, "wrong-fall", ("JS-26", "grab-7", "grab-8"))


def fall(table: Table, player: str | None) -> None:
    """The totem falls with no hand closed on it (grab-9)."""
    if table.volley is not None:
        judge_volley(table)
    entitled = table.entitled()
    table.colour_off(totem_or_arrow=True)
    if player is None:
        if table.options.unknown_fall == "pot":
            _everything_to_pot(table)
    elif not table.is_in(seat := table.setup.seats[player]):
        table.warn(seat, "out-player", "JS-10", "grab-0")
    elif seat in entitled:
        table.warn(seat, "knocked-over", "JS-28", "grab-9")
    else:
        table.fault_unless_unreadable(seat, "wrong-fall", ("JS-26", "grab-9", "grab-8"))
    settle(table)


def _everything_to_pot(table: Table) -> None:
    """Nobody knows who did it: all face-up piles go to the pot, the turn stays (grab-9, JS-G20)."""
    before = len(table.pot)
    for seat in range(table.count):
        table.pot += table.take_pile(seat)
    table.duels, table.inward, table.triple = (), (), NOBODY
    table.picked_up({})
    table.rule(
        "to-pot",
        ("JS-26", "grab-9", "JS-G20"),
        player=None,
        cards=len(table.pot) - before,
        pot=len(table.pot),
        next=table.name(table.whose_turn()),
    )
    table.colour_off(totem_or_arrow=False)
    table.check_out()


def choose_situation(table: Table, player: str, choice: str) -> str:
    """The taker says which of the two situations is taken; returns why that cannot be (JS-43)."""
    pending = table.choice
    if pending is None:
        return "no choice is open"
    if table.setup.seats.get(player) != pending.taker:
        return f"the choice is {table.name(pending.taker)}'s"
    if choice not in ("duel", "arrow"):
        return "expected duel or arrow"
    duel = _duel_of(table, pending.taker)
    table.choice = None
    if choice == "arrow" or duel is None:
        table.take_arrow(pending.taker, pending.scramble.margin)
    else:
        table.take_duel(pending.taker, duel, pending.scramble)
    settle(table)
    return ""


def share(table: Table, player: str, shares: Mapping[str, int]) -> str:
    """The winner says who gets how many of the shared cards; returns why that cannot be (JS-37)."""
    pending = table.share
    if pending is None:
        return "nothing is to be shared"
    if table.setup.seats.get(player) != pending.winner:
        return f"the cards are {table.name(pending.winner)}'s to share"
    losers = table.names(pending.losers)
    if any(name not in losers for name in shares):
        return f"only {', '.join(losers)} can be given cards"
    cards = len(table.face_up[pending.winner]) + len(table.pot)
    if any(count < 0 for count in shares.values()) or sum(shares.values()) != cards:
        return f"the shares must add up to {cards}"
    table.share = None
    table.win(pending.winner, pending.losers, [shares.get(name, 0) for name in losers], pending.scramble)
    settle(table)
    return ""


def share_evenly(table: Table) -> None:
    """Play went on before the winner spoke: evenly, odd cards clockwise from the winner (grab-5)."""
    pending = table.share
    assert pending is not None
    table.share = None
    each, odd = divmod(len(table.face_up[pending.winner]) + len(table.pot), len(pending.losers))
    shares = [each + (place < odd) for place in range(len(pending.losers))]
    table.win(pending.winner, pending.losers, shares, pending.scramble)
    settle(table)
