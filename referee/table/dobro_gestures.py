"""Dobro: one gesture or two, and whose.

Belongs here: whether two cards were laid together, and who laid them. Does not belong here: when that is asked
(`dobro_table`), what may be laid (rules).

Written rules:
- a pair is two cards laid by one hand that did not leave the auction in between; where that cannot be told it is open;
- whose turn it is, is a prior: it settles a near thing in favour of the one in turn, never against what is seen well;
- whoever is not in turn is named only where nobody else can have been.
"""

from __future__ import annotations

from enum import Enum

from referee.table.dobro_items import PlayItem
from referee.table.visits import BRIDGED_US, Visit, Visits

AUCTION = frozenset(("table", "pair"))
PAIR_US = 1_600_000  # a second card that comes later is a play of its own
TOGETHER_US = 250_000  # two cards within that were in one hand, unless two hands were seen
TURN_SURE = 0.6
OTHER_SURE = 0.97
DIFFERENT_SURE = 0.8


class Relation(Enum):
    """How two cards were laid."""

    PAIR = "one gesture"
    APART = "two gestures"
    OPEN = "it cannot be told"


def relation(first: PlayItem, second: PlayItem, laying: Visits) -> Relation:
    """Whether two single cards on the two places of the auction were one play."""
    one, other = first.cards[0].seen, second.cards[0].seen
    sure = min(one.by_chance, other.by_chance) >= DIFFERENT_SURE
    if one.by is not None and other.by is not None and one.by != other.by:
        return Relation.APART if sure else Relation.OPEN
    at_first, at_second = _visits(first, laying), _visits(second, laying)
    if any(visit in at_second for visit in at_first):
        return Relation.PAIR
    if second.t_us - first.t_us <= TOGETHER_US:
        return Relation.PAIR if one.by is not None and one.by == other.by else Relation.OPEN
    if at_first and at_second and max(v.last_us for v in at_first) < min(v.first_us for v in at_second):
        return Relation.APART
    return Relation.OPEN


def _visits(item: PlayItem, laying: Visits) -> list[Visit]:
    first_us, last_us = item.cards[0].seen.between_us
    return laying.between(first_us - BRIDGED_US, last_us + BRIDGED_US)


def whose(item: PlayItem, laying: Visits, turn: str | None, *, missed: bool) -> str | None:
    """Who laid the cards of a play, None where that cannot be told.

    `missed`: a play before may not have been seen; then nobody who is not in turn is named.
    """
    chances: dict[str, float] = {}
    for card in item.cards:
        if card.seen.by is not None:
            chances[card.seen.by] = max(chances.get(card.seen.by, 0.0), card.seen.by_chance)
    if not chances:
        for visit in _visits(item, laying):
            for player in visit.sums:
                chances[player] = max(chances.get(player, 0.0), visit.chance(player))
    if not chances:
        return None
    best = max(chances, key=lambda name: (chances[name], name))
    if best == turn:
        return best if chances[best] >= TURN_SURE and (len(chances) == 1 or _others(chances, best) < 0.5) else None
    return best if chances[best] >= OTHER_SURE and _others(chances, best) < 0.5 and not missed else None


def _others(chances: dict[str, float], player: str) -> float:
    return max((chance for name, chance in chances.items() if name != player), default=0.0)
