"""Whose hand: names from seat pads, and from the side a hand came from.

Belongs here: weighing the two, and withholding. Does not belong here: what seats answer (seats.py), the network.

Rule: a player is named only when all others together are unlikely.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from referee.totem.hand_net import Answer

Floats = NDArray[np.float32]

PLAYER_SURE = 0.97
# A hand that came from a place nobody sits at is as likely as this (somebody leant over).
STRAY = 0.02
# Against a seat pad's word, a side speaks only if it is this many times likelier.
SIDE_VETO = 30.0
SIDE_LEAD = 30.0


def seat_chances(answer: Answer, seats_deg: Mapping[str, float], angle0_deg: float) -> dict[str, float]:
    """How likely each seat is, from the side the hand came from; what is missing to 1 is nobody at
    the table.
    """
    bins = answer.seat
    centres = (np.arange(len(bins)) // 2) * 30.0 + np.where(np.arange(len(bins)) % 2, 7.5, -7.5)
    raw = {}
    for name, seat in seats_deg.items():
        away = (centres - (seat - angle0_deg) + 180.0) % 360.0 - 180.0
        # People sit where they sit within some 10 degrees, and lean.
        kernel = np.exp(-0.5 * (away / 11.0) ** 2)
        raw[name] = float((bins * kernel).sum() / kernel.sum()) + STRAY / len(bins)
    total = sum(raw.values())
    return {name: value / total for name, value in raw.items()}


def seat_name(claim: list[str], chances: Mapping[str, float] | None, heard: set[str]) -> str | None:
    """The player of a hand that `claim`s' seats answer for; direction, if known, may settle it or forbid it.

    `heard` are all whose seats answer for some hand: a hand that came from somebody else's side, whose seat is
    silent, is not named after a neighbour who merely touches that person.
    """
    if not claim:
        return None
    if chances is None:
        return claim[0] if len(claim) == 1 else None
    silent = max((chance for name, chance in chances.items() if name not in heard), default=0.0)
    by_side = sorted(claim, key=lambda name: -chances.get(name, 0.0))
    best = by_side[0]
    if chances.get(best, 0.0) * SIDE_VETO < silent:
        return None
    if len(claim) > 1 and chances.get(best, 0.0) < SIDE_LEAD * chances.get(by_side[1], 0.0):
        return None
    return best


def joint_names(chances: list[dict[str, float]], known: list[str | None]) -> list[str | None]:
    """Names by direction when every player has one hand; None below `PLAYER_SURE`."""
    out: list[str | None] = []
    for k, own in enumerate(chances):
        if known[k] is not None:
            out.append(None)
            continue
        weight = {}
        for name, chance in own.items():
            factor = 1.0
            for j, other in enumerate(chances):
                if j == k:
                    continue
                # If I am `name`, then nobody else is.
                factor *= (0.0 if known[j] == name else 1.0) if known[j] else 1.0 - other[name]
            weight[name] = chance * factor
        total = sum(weight.values())
        best = max(weight, key=lambda name: weight[name])
        sure = total > 0 and weight[best] / total >= PLAYER_SURE
        out.append(best if sure else None)
    return out
