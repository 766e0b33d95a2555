"""How likely it is that a touch has a hand which nobody has found.

Belongs here: what the answers about the found hands, and the seats, say of another one; and its chance. Does not belong
here: looking for it (finding.py), what follows from it (hands.py).

Hands that lie close answer as one. The network says of each hand whether yet another one is there, but says so too
rarely; that the answers claim skin together, that a height or a count is blurred, that one hand would reach far, that
a seat answers where it was given no hand, or that two seats' answers change along one hand, say more of it. They are
weighed by a logistic regression (`scripts/calibrate_overlooked.py` makes its weights on recordings of our simulator).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from referee.totem.contacts import Feel
from referee.totem.doubt import division
from referee.totem.hand_net import Answer
from referee.totem.seats import LEAST_ANSWER, SeatAnswers
from referee.totem.trace import Layout

Floats = NDArray[np.float32]

# Electrodes with less than this share of the strongest say nothing of where a hand lies.
PRESSED_SHARE = 0.2
OWN_SHARE = 0.5
MANY_HANDS = 3
# Answers below this are noise where seats are compared along a hand.
FAINT_ANSWER = 0.02

SIGNS = ("more", "contested", "in_doubt", "blurred_height", "least_grip", "clear_count", "reach", "three", "other_seat",
         "two_seats")  # fmt: skip
# Weights of the signs in that order, then what is left without any; without seat pads and with them.
WITHOUT_PADS = (0.660, -1.780, 2.302, 0.318, 1.397, -3.714, 1.330, -0.423, 0.0, 0.0, -0.727)
WITH_PADS = (0.843, -0.304, 2.924, 0.300, 1.072, -2.139, 0.779, -1.009, 3.171, 0.617, -1.936)


def chance_overlooked(felt: Feel, layout: Layout, found: Sequence[Answer], seats: SeatAnswers | None) -> float:
    """How likely one more hand than those `found` holds the totem, 0 to 1."""
    if not found:
        return 0.0
    weights = np.array(WITHOUT_PADS if seats is None else WITH_PADS)
    return float(1.0 / (1.0 + np.exp(-(weights[:-1] @ signs(felt, layout, found, seats) + weights[-1]))))


def signs(felt: Feel, layout: Layout, found: Sequence[Answer], seats: SeatAnswers | None) -> NDArray[np.float64]:
    """What speaks for another hand, (len(SIGNS)), in the order of `SIGNS`; the last two are 0 without seat pads."""
    pressed = np.asarray(felt.final * felt.active, np.float32)
    shares = [answer.share for answer in found]
    parts = [division(pressed, shares, k) for k in range(len(found))]
    return np.array(
        [
            np.log(np.mean([answer.more for answer in found]) + 1e-3),
            max(part.contested for part in parts),
            max(part.in_doubt for part in parts),
            np.log1p(max(_spread_mm(answer.lowest, layout.height_mm) for answer in found)),
            min(answer.grip for answer in found),
            np.mean([float(answer.fingers.max()) for answer in found]),
            max(_reach_mm(felt, layout, share) for share in shares) / 100.0,
            float(len(found) >= MANY_HANDS),
            *((0.0, 0.0) if seats is None else _seat_signs(felt, shares, seats)),
        ]
    )


def _spread_mm(lowest: Floats, height_mm: float) -> float:
    """Standard deviation of the height of a lowest contact."""
    heights = np.arange(len(lowest)) * height_mm / len(lowest)
    middle = float((lowest * heights).sum())
    return float(np.sqrt((lowest * (heights - middle) ** 2).sum()))


def _reach_mm(felt: Feel, layout: Layout, share: Floats) -> float:
    """From the lowest to the highest ring that a hand presses on."""
    own = (share > OWN_SHARE) & felt.active & (felt.final > PRESSED_SHARE * felt.scale)
    rings = np.nonzero(own)[0] // layout.sectors
    return float(rings.max() - rings.min() + 1) * layout.pitch_mm if len(rings) else 0.0


def _seat_signs(felt: Feel, shares: Sequence[Floats], seats: SeatAnswers) -> tuple[float, float]:
    """How much a seat answers anywhere that answers most on no hand; how the seats' proportion changes along hands."""
    pressed = felt.active & (felt.final > PRESSED_SHARE * felt.scale)
    ratios = seats.ratios(felt)
    total = np.maximum(np.sum(shares, axis=0), 1.0)
    heard = np.stack([seats.coupling(np.asarray((share / total > OWN_SHARE) * share / total)) for share in shares])
    mine = heard.argmax(axis=1)
    top = np.where(pressed, ratios, 0.0).max(axis=1)
    other = max((float(top[seat]) for seat in range(len(top)) if seat not in mine), default=0.0)
    changes = []
    for k, share in enumerate(shares):
        on = (share > OWN_SHARE) & pressed
        best = int(mine[k])
        if int(on.sum()) < 3 or heard[k, best] < LEAST_ANSWER:
            changes.append(0.0)
            continue
        level = np.maximum(ratios[:, on], 0.0) + LEAST_ANSWER / 4
        low, high = np.percentile(level / level[best], (5.0, 95.0), axis=1)
        audible = np.where(heard[k] < FAINT_ANSWER, 0.0, np.minimum(heard[k] / LEAST_ANSWER, 1.0))
        changes.append(float((np.log(high / low) * audible).max()))
    return other, float(np.mean(changes))
