"""A scramble that is told again: what the later reading adds, and what it contradicts.

Belongs here: joining two readings of one scramble, and whether two events say the same. Does not belong here:
reading the totem, releasing events.

Written rules: a later reading may add hands and narrow what was open. Where it contradicts what was said (another
exact count, another name), both stand as an interval or as null: then neither is ruled with assurance.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from referee.totem.hands import HandReading
from referee.totem.scrambles import Grab
from referee.words import Event

SAME_HAND_US = 60_000
SAME_TIME_US = 2_000


def join_readings(before: Grab, after: Grab) -> Grab:
    """The scramble as both readings have it, the later one leading."""
    left = list(before.hands)
    hands = []
    for hand in after.hands:
        twin = _twin(hand, left)
        if twin is not None:
            left.remove(twin)
            hand = _join_hands(twin, hand)
        hands.append(hand)
    hands.sort(key=lambda hand: hand.t_us)
    t_us = min((hand.t_us for hand in hands), default=after.t_us)
    return replace(after, t_us=t_us, hands=tuple(hands), fell=after.fell or before.fell)


def says_the_same(one: Event, other: Event) -> bool:
    """Whether two `grab` events lead to the same rulings: hands, order, values; times to within 2 ms."""
    return (
        len(one["hands"]) == len(other["hands"])
        and all(_same_hand(a, b) for a, b in zip(one["hands"], other["hands"], strict=True))
        and (one.get("fell") or {}).get("player", "") == (other.get("fell") or {}).get("player", "")
        and one.get("doubt") == other.get("doubt")
    )


def _same_hand(a: dict[str, Any], b: dict[str, Any]) -> bool:
    alike = all(a.get(key) == b.get(key) for key in ("player", "fingers", "lowest_mm", "grip"))
    return alike and abs(a["t_us"] - b["t_us"]) <= SAME_TIME_US


def _twin(hand: HandReading, before: list[HandReading]) -> HandReading | None:
    near = [
        other
        for other in before
        if other.grip == hand.grip
        and abs(other.t_us - hand.t_us) <= SAME_HAND_US
        and (other.player is None or hand.player is None or other.player == hand.player)
    ]
    by_name = [other for other in near if other.player is not None and other.player == hand.player]
    return min(by_name or near, key=lambda other: abs(other.t_us - hand.t_us), default=None)


def _join_hands(before: HandReading, after: HandReading) -> HandReading:
    # A contact is dated from the scans around it: both readings saw them, the first one's word stands.
    return replace(
        after,
        t_us=before.t_us if abs(before.t_us - after.t_us) <= SAME_TIME_US else after.t_us,
        player=after.player or before.player,
        fingers=_meet(before.fingers, after.fingers),
        lowest_mm=_meet(before.lowest_mm, after.lowest_mm),
        chances=after.chances or before.chances,
    )


def _meet(before: tuple[Any, Any], after: tuple[Any, Any]) -> tuple[Any, Any]:
    """What both intervals allow; their hull where they contradict each other."""
    low, high = max(before[0], after[0]), min(before[1], after[1])
    return (low, high) if low <= high else (min(before[0], after[0]), max(before[1], after[1]))
