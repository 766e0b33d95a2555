"""Dobro: one gesture or two, and whose.

Belongs here: whether two cards were laid together, and who laid them. Does not belong here: when that is asked
(`dobro_table`), what may be laid (rules).

Written rules:
- a pair is two cards laid by one hand that did not leave the auction in between; where that cannot be told it is open;
- whose turn it is, is a prior: it settles a near thing in favour of the one in turn, never against what is seen well;
- whoever is not in turn is named only where nobody else can have been.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from referee.table.dobro_items import PlayItem
from referee.table.presence import BRIDGED_US, Visit, Visits
from referee.vision.sightings import CardSeen

AUCTION = frozenset(("table", "pair"))
PAIR_US = 1_600_000  # a second card that comes later is a play of its own
TOGETHER_US = 250_000  # two cards within that were in one hand, unless two hands were seen
AWAY_US = 450_000  # no hand fetches another card sooner
AT_IT_US = 150_000  # fingers that lay a card are at its place for longer
TURN_SURE = 0.55
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
    if second.t_us - first.t_us <= (AWAY_US if one.by == other.by else TOGETHER_US):
        return Relation.PAIR if one.by is not None and one.by == other.by else Relation.OPEN
    if not at_first or not at_second:
        return Relation.OPEN
    away_us = min(v.first_us for v in at_second) - max(v.last_us for v in at_first)
    return Relation.APART if away_us > AWAY_US else Relation.OPEN


def placed(seen: CardSeen, laying: Visits, said_us: int, turn: str | None) -> CardSeen:
    """A card as it is first told at `said_us`, laid when and by whom a hand was seen to lay it.

    An arm that lies over a place on its way elsewhere looks like the card's arrival now and then; a card is laid by
    fingers that are at its place. Where the arm and the fingers are not one player's, whoever of them is in turn has
    laid it; where neither is, nobody is named.
    """
    from_us, to_us = seen.between_us[0] - BRIDGED_US, max(said_us, seen.between_us[1])
    near = [one for one in laying.between(from_us, to_us) if one.stay_us >= AT_IT_US]
    if not near or any(one.first_us - BRIDGED_US <= seen.edge_us <= one.last_us + BRIDGED_US for one in near):
        return seen
    hands = [one for one in near if one.likeliest() == turn]
    if seen.by == turn and not hands:
        return seen
    between = (seen.between_us[0], max(seen.between_us[1], min(near[-1].last_us, said_us)))
    if not hands:
        return replace(seen, by=None, by_chance=0.0, between_us=between)
    last = hands[-1]
    edge_us = min(max(last.first_us + last.stay_us // 2, between[0]), between[1])
    chance = 0.0 if turn is None else last.chance(turn)
    return replace(seen, by=turn, by_chance=chance, between_us=between, edge_us=edge_us)


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
        for visit in [item.hand] if item.hand is not None else _visits(item, laying):
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
