"""When a hand may really have come: a first contact as chances over moments, and who came together with the first.

Belongs here: how often, and by how much, first contacts are told wrongly, and what follows for the time between hands.
Does not belong here: how a contact is dated (first_contact.py), who takes the totem (taking.py), house rules: the time
within which hands are together comes from the caller.

Rule: a first contact is right to about a millisecond or wrong by tens of them, the latter the likelier the less surely
the hand's skin is told from the others'. The chances are measured on recordings no lesson had
(`scripts/calibrate_taking.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from referee.totem.doubt import Division
from referee.totem.first_contact import Contact

Floats = NDArray[np.float64]

# A clear first contact is right to within these, ms, so often.
NEAR_MS = np.array([-0.96, -0.4, 0.0, 0.4, 0.96])
NEAR_SHARE = np.array([0.12, 0.22, 0.32, 0.22, 0.12])
# The others are off by about so much, ms, and so often by each.
FAR_MS = np.array([4.0, 10.0, 20.0, 35.0, 55.0])
FAR_SHARE = np.array([0.25, 0.25, 0.22, 0.18, 0.10])
# Chance that a contact is told too late, or too early, for no reason seen: at least, and by the doubt about the hand's
# skin.
LEAST_LATE, MORE_LATE, MOST_LATE = 0.012, 0.25, 0.4
LEAST_EARLY, MORE_EARLY, MOST_EARLY = 0.004, 0.07, 0.15
HALF_DOUBT = 0.25
# A moment farther than this from the one printed is another one. Others come true more often than their chances say:
# all on one side together by this factor and power, up to this. So few of a side are weighed.
OTHER_MS = 3.0
OTHER_FACTOR, OTHER_POWER, MOST_OTHER = 1.1, 0.6, 0.5
MOST_MOMENTS = 3
# A printed contact is right at least this often, whatever speaks against it.
MOST_WRONG = 0.8

Moments = tuple[tuple[float, float], ...]
"""Moments (ms after the contact that is told) at which a hand may really have come, each with its chance."""


def moments_of(contact: Contact, divided: Division) -> Moments:
    """When a hand may really have come."""
    late, early = told_wrong(divided)
    before, before_share = _others(contact, -1)
    after, after_share = _others(contact, 1)
    others = [*zip(before, before_share, strict=True), *zip(after, after_share, strict=True)]
    return spread(late, early, [(float(at_ms), float(share)) for at_ms, share in others])


def spread(late: float, early: float, others: Sequence[tuple[float, float]] = ()) -> Moments:
    """Moments where a contact is told too `late` and too `early` so often, and `others` are as likely as they say."""
    wrong = late + early + sum(share for _, share in others)
    scale = min(1.0, MOST_WRONG / wrong) if wrong > 0 else 1.0
    return (
        *zip(NEAR_MS.tolist(), (NEAR_SHARE * (1.0 - wrong * scale)).tolist(), strict=True),
        *zip((-FAR_MS).tolist(), (FAR_SHARE * late * scale).tolist(), strict=True),
        *zip(FAR_MS.tolist(), (FAR_SHARE * early * scale).tolist(), strict=True),
        *((at_ms, share * scale) for at_ms, share in others),
    )


def told_wrong(divided: Division) -> tuple[float, float]:
    """How likely a first contact is told much too late, and much too early, for no reason that its moments show."""
    doubt = divided.in_doubt + divided.contested
    share = doubt * doubt / (doubt + HALF_DOUBT)
    return min(LEAST_LATE + MORE_LATE * share, MOST_LATE), min(LEAST_EARLY + MORE_EARLY * share, MOST_EARLY)


def _others(contact: Contact, side: int) -> tuple[Floats, Floats]:
    """The likeliest other moments before (`side` -1) or after (1) the printed one, ms from it; how often each is it."""
    away_ms = (contact.at_us - contact.t_us) / 1000.0
    there = np.nonzero(side * away_ms > OTHER_MS)[0]
    there = there[np.argsort(-contact.chances[there])][:MOST_MOMENTS]
    chances = contact.chances[there].astype(np.float64)
    total = float(chances.sum())
    if total <= 0.0:
        return np.zeros(0), np.zeros(0)
    return away_ms[there], chances / total * min(OTHER_FACTOR * total**OTHER_POWER, MOST_OTHER)


def moved(moments: Moments, by_us: int) -> Moments:
    """The same moments, of a contact that is told so much later (us)."""
    return tuple((at_ms - by_us / 1000.0, share) for at_ms, share in moments)


def may_have_come(told_us: int, moments: Moments, sure: float) -> tuple[int, int]:
    """Between which times a hand told at `told_us` came: it came before, and after, with less than 1 - `sure` each."""
    cuts = []
    for side in (1, -1):
        left = 1.0 - sure
        for at_ms, share in sorted(moments, reverse=side < 0):
            left -= share
            if left <= 0.0:
                cuts.append(told_us + round(1000.0 * at_ms))
                break
    return (cuts[0], cuts[1]) if len(cuts) == 2 else (told_us, told_us)


def chances_within(hands: Sequence[tuple[int, Moments]], within_us: int) -> list[float]:
    """How likely each hand (told at so many us, with its moments) came within that time of the first of them all."""
    # Whole microseconds: at the very limit nothing hangs on a rounding error.
    times = [np.array([told_us + round(1000.0 * at_ms) for at_ms, _ in moments]) for told_us, moments in hands]
    shares = [np.array([share for _, share in moments]) for _, moments in hands]
    chances = []
    for k, own in enumerate(times):
        begins = own - within_us
        # It is within unless another hand came more than that time before it.
        none_before = np.ones(len(own))
        for j, other in enumerate(times):
            if j != k:
                none_before *= (shares[j][:, None] * (other[:, None] >= begins[None, :])).sum(axis=0) / shares[j].sum()
        chances.append(float((shares[k] * none_before).sum() / shares[k].sum()))
    return chances
