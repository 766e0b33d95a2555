"""Whose hand it was: what the totem and the camera say about each hand, as one posterior.

Belongs here: likelihoods of each player for each hand, and the joint posterior over all hands of a scramble. Does
not belong here: how a hand is written into an event (`hands_said`), who may take the totem.

Written rules:
- three witnesses: the name the totem gives (seat pads, or the side where it is sure), its chances by side, and
  the arms the camera sees; each may be silent, none is believed without limit;
- two hands of one scramble are two players' unless there is no other way to see it;
- a name is a name only from `FusionSettings.name_sure` on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from referee.table.arms import PRESENT, Stay
from referee.table.settings import FusionSettings
from referee.totem.hands import HandReading

MOST_NAMES = 6  # so many players at least are weighed for one hand, the likeliest ones
MOST_JOINT = 2000  # and more as long as there are not many more joint assignments than that
LEAST_SHARE = 1e-3  # players less likely than this share of the likeliest are not weighed
SIDE_FLOOR = 0.01  # people lean over
# A hand comes into the camera's view of the totem about so long before it closes on it, with this spread.
ARRIVAL_US, ARRIVAL_SPREAD_US = 140_000, 70_000
SOONEST_US = 80_000  # no hand closes sooner than this after its arm came into view
ARRIVAL_ELSE = 0.1  # it hovered, or was lost on the way: any other time
IDLE_ARRIVAL = 0.4  # how well an arm that only happens to be there fits in time, on average


@dataclass(frozen=True)
class Belief:
    """The posterior over the hands of a scramble: joint assignments (a player a hand) with their chances."""

    assignments: tuple[tuple[tuple[str, ...], float], ...]

    def marginal(self, hand: int) -> dict[str, float]:
        """The chances of each player for one hand, the likeliest first."""
        chances: dict[str, float] = {}
        for players, chance in self.assignments:
            chances[players[hand]] = chances.get(players[hand], 0.0) + chance
        return dict(sorted(chances.items(), key=lambda item: (-item[1], item[0])))

    def together(self, hands: Sequence[int]) -> tuple[frozenset[str], float]:
        """The likeliest set of players behind several hands, whoever is which, and its chance."""
        chances: dict[frozenset[str], float] = {}
        for players, chance in self.assignments:
            key = frozenset(players[hand] for hand in hands)
            chances[key] = chances.get(key, 0.0) + chance
        best = max(chances, key=lambda key: (chances[key], sorted(key)))
        return best, chances[best]


def believe(
    hands: Sequence[HandReading],
    stays: Sequence[Stay] | None,
    players: Sequence[str],
    settings: FusionSettings,
    has_pads: bool,
) -> Belief:
    """The posterior for these hands; `stays` are the arms at the totem around them, None: the camera was blind."""
    if not hands:
        return Belief((((), 1.0),))
    weighed = []
    most = max(MOST_NAMES, int(MOST_JOINT ** (1 / len(hands))))
    for hand in hands:
        own = {
            player: felt(hand, player, len(players), settings, has_pads) * seen(hand, player, stays, settings)
            for player in players
        }
        top = max(own.values())
        likely = sorted((p for p in own if own[p] >= LEAST_SHARE * top), key=lambda p: (-own[p], p))[:most]
        weighed.append({player: own[player] / top for player in likely})
    # An arm that is there and is nobody's who touched: people reach and come too late.
    rare = settings.arm_idle * IDLE_ARRIVAL / max(len(players) - 1, 1)
    idle: dict[str, float] = {}
    for stay in stays or ():
        idle[stay.player] = min(idle.get(stay.player, 1.0), 1.0 - stay.chance * (1.0 - rare))
    joint = []
    for names in product(*weighed):
        weight = math.prod(own[name] for own, name in zip(weighed, names, strict=True))
        weight *= settings.hand_split ** (len(names) - len(set(names)))
        weight *= math.prod(idle[player] for player in idle if player not in names)
        joint.append((names, weight))
    total = sum(weight for _, weight in joint)
    return Belief(tuple((names, weight / total) for names, weight in joint))


def felt(hand: HandReading, player: str, count: int, settings: FusionSettings, has_pads: bool) -> float:
    """How likely the totem's word is if the hand is this player's."""
    if hand.player is not None:
        right = settings.pad_name_right if has_pads else settings.side_name_right
        return right if hand.player == player else (1.0 - right) / max(count - 1, 1)
    chances = hand.chances
    return 1.0 / count if not chances else max(chances.get(player, 0.0), SIDE_FLOOR)


def seen(hand: HandReading, player: str, stays: Sequence[Stay] | None, settings: FusionSettings) -> float:
    """How likely the camera's words are if the hand is this player's."""
    if stays is None:
        return 1.0
    there = [stay for stay in stays if stay.last_us >= hand.t_us - settings.frame_us]
    best = max(
        (stay.chance * arrival(hand.t_us - stay.first_us) for stay in there if stay.player == player), default=0.0
    )
    others = any(stay.player != player and stay.chance >= PRESENT for stay in there)
    missed = settings.arm_merged if others else settings.arm_missed
    return missed + (1.0 - missed) * best


def arrival(after_us: int) -> float:
    """How well a contact so long after an arm's first sight fits that arm (1 best)."""
    away = (after_us - ARRIVAL_US) / ARRIVAL_SPREAD_US
    return ARRIVAL_ELSE + (1.0 - ARRIVAL_ELSE) * math.exp(-0.5 * away * away)


def sure_name(marginal: Mapping[str, float], settings: FusionSettings) -> str | None:
    """The player of a hand, or None where nobody is sure."""
    name, chance = next(iter(marginal.items()))
    return name if chance >= settings.name_sure else None
