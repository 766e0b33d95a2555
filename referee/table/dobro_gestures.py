"""Dobro: one gesture or two, and whose.

Belongs here: whether two cards were laid together, and who laid them. Does not belong here: when that is asked
(`dobro_table`), what may be laid (rules).

Written rules:
- a pair is two cards laid by one hand that did not leave the auction in between; where that cannot be told it is open;
- whose turn it is, is a prior: it settles a near thing in favour of the one in turn, never against what is seen well;
- whoever is not in turn is named only where nobody else can have been;
- an arm of which the camera is not sure has laid nothing where all fingers that stayed at the auction then are surely
  another's: nobody is named;
- an arm that is leaving and one that comes are one outline now and then, and a card is taken to lie when the first of
  them moves: where the camera is not sure whose arm it was, fingers that stayed at the auction say it, if they are all
  those of the player in turn; without fingers the only arm over the table does.
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
SOON_US = 300_000  # where arms crossed, a card is taken to lie by so much before its fingers are seen at its place
ALONE_SURE = 0.9  # whose the only arm over the table is
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
    at_first, at_second = _visits(first, laying), _visits(second, laying)
    if one.by is not None and other.by is not None and one.by != other.by:
        if sure:
            return Relation.APART
        stayed = [visit for visit in (*at_first, *at_second) if visit.stay_us >= AT_IT_US]
        same = any(visit in at_second for visit in at_first if visit in stayed)
        return Relation.PAIR if same and len({visit.likeliest() for visit in stayed}) == 1 else Relation.OPEN
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


def whose(item: PlayItem, laying: Visits, anywhere: Visits, turn: str | None, *, missed: bool) -> str | None:
    """Who laid the cards of a play, None where that cannot be told; `laying` are visits of the auction, `anywhere` of
    the whole table.

    `missed`: a play before may not have been seen; then nobody who is not in turn is named, nor anybody by the turn.
    """
    player = _by_arm(item, laying, turn, missed=missed)
    if player is not None and _fingers_deny(item, laying, player):
        player = None
    if player is not None or turn is None or missed:
        return player
    return turn if _only_in_turn(item, laying, anywhere, turn) else None


def _fingers_deny(item: PlayItem, laying: Visits, player: str) -> bool:
    """Whether fingers at the auction were surely others' alone, where it is not sure whose arm brought the cards."""
    seen = [card.seen for card in item.cards]
    if not seen or any(one.by == player and one.by_chance >= OTHER_SURE for one in seen):
        return False
    first_us, last_us = min(one.between_us[0] for one in seen), max(one.between_us[1] for one in seen)
    near = laying.between(first_us - BRIDGED_US, last_us + SOON_US)
    others = [_surely_anothers(visit, player) for visit in near if visit.stay_us >= AT_IT_US]
    return bool(others) and all(others)


def _surely_anothers(visit: Visit, player: str) -> bool:
    name = visit.likeliest()
    return name is not None and name != player and visit.chance(name) >= OTHER_SURE


def _only_in_turn(item: PlayItem, laying: Visits, anywhere: Visits, turn: str) -> bool:
    """Whether nobody but the player in turn can have laid cards of which no arm says it surely."""
    seen = [card.seen for card in item.cards]
    if not seen or any(one.by != turn and one.by_chance >= OTHER_SURE for one in seen):
        return False
    first_us, last_us = min(one.between_us[0] for one in seen), max(one.between_us[1] for one in seen)
    near = laying.between(first_us - BRIDGED_US, last_us + SOON_US)
    if stayed := [visit for visit in near if visit.stay_us >= AT_IT_US]:
        return all(visit.likeliest() == turn and visit.chance(turn) >= TURN_SURE for visit in stayed)
    arms = anywhere.between(first_us - BRIDGED_US, last_us + BRIDGED_US)
    return bool(arms) and all(visit.likeliest() == turn and visit.chance(turn) >= ALONE_SURE for visit in arms)


def _by_arm(item: PlayItem, laying: Visits, turn: str | None, *, missed: bool) -> str | None:
    """Whose arm was there when the cards came, as far as the camera is sure."""
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
