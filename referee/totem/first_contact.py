"""When each hand of a touch first met the totem, dated back to the skin.

Belongs here: the moments at which a hand may first have touched (its landings, and sharp steps before them: a palm that
hit and sprang back), and which of them it was. Does not belong here: whose electrodes are whose (hands.py), the landing
on one electrode (contacts.py).

What a moment looks like is weighed by a very small network (two layers), trained by `scripts/train_first_contact.py` on
our own simulator, together with what the hand's own network says about the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from referee.totem.contacts import Feel, contact_us, step_noise
from referee.totem.course import EDGES_US, FRAMES
from referee.totem.hand_net import time_of_bins
from referee.totem.touch import Touch

Floats = NDArray[np.float32]

# A hand's landings lie within this time, and its first one is followed by this share of it within that time.
ONE_HAND_US = 90_000
FOLLOWED_US = 2_000
FOLLOWED_SHARE = 0.08
LONE_SHARE = 0.12
# A palm may hit the totem this long before the fingers close; its step stands out by this (sum of squares).
SLAP_US = 60_000
SLAP_POWER = 60.0
SLAP_SIGMAS = 4.0
MOST_CANDIDATES = 16
# Until so long before another hand lands, what is felt where it will lie is not its own.
BEFORE_OTHERS_US = 2_500
LOOKS = 2 * FRAMES + 2 * (FRAMES - 1) + 8
# A moment is as likely to the hand's network as what it says within this of it, ms and share of its distance.
NEAR_MS, NEAR_SHARE = 0.7, 0.1
NET_WEIGHT, LEAST_MASS = 1.5, 0.02
# Where the hand's network finds all of a hand's moments together less likely than this, the skin that landed first was
# taken for another hand's: then moments of the other hands count too, if they are that likely.
STRANGE_MASS = 0.03
# Two hands closer than this share a moment; another one this close to it may be one's own.
SAME_MOMENT_US, CLOSE_BY_US = 300, 6_000


def own_strong(felt: Feel, own: Floats) -> NDArray[np.int64]:
    """The electrodes a hand clearly owns and presses on."""
    size = felt.final * own
    mine = np.nonzero((own > 0.5) & (size > 0.2 * size.max(initial=1.0)))[0]
    return mine if len(mine) else np.array([int(np.argmax(size))])


def landings_of(felt: Feel, own: Floats) -> list[tuple[int, int, float]]:
    """(time, electrode, counts) of the landing on each of a hand's electrodes that shows a clear step."""
    return [
        (felt.t0_us + int(felt.landed_us[electrode]), int(electrode), float(felt.final[electrode] * own[electrode]))
        for electrode in own_strong(felt, own)
        if felt.landed_step[electrode] > 0
    ]


def landing_us(touch: Touch, felt: Feel, own: Floats, landings: list[tuple[int, int, float]]) -> int:
    """When the first of a hand's fingers landed."""
    segment = touch.segment
    t = segment.t_us
    if not landings:
        # No clear step anywhere (noise, a dry hand): where its skin together gains most.
        signal = segment.above[touch.start : felt.settle + 1, own_strong(felt, own)].sum(axis=1)
        lag = min(5, max(len(signal) - 1, 1))
        gain = signal[lag:] - signal[:-lag]
        return int(t[touch.start + int(np.argmax(gain))]) if len(gain) else int(t[touch.start])
    earliest = agreed_start(landings)
    period = float(np.median(np.diff(t)))
    together = [e for at, e, _ in landings if 0 <= at - earliest <= 2.5 * period]
    signal = segment.above[:, together].sum(axis=1)
    noise = float(np.sqrt((step_noise(touch)[together] ** 2).sum()))
    at = int(np.searchsorted(t, earliest))
    refined = contact_us(t, signal, noise, max(at - round(20_000 / period), 1), at + 3)
    return earliest if refined is None else min(refined[0], earliest + 3000)


def agreed_start(landings: list[tuple[int, int, float]]) -> int:
    """The earliest landing that is not alone: (time, electrode, weight) each.

    A hand's skin lands within a tenth of a second; what lies before that belongs to somebody else, and so
    does a
    first landing that nothing follows.
    """
    landings = sorted(landings)
    times = np.array([at for at, _, _ in landings])
    weights = np.array([weight for _, _, weight in landings])
    total = float(weights.sum())
    middle = int(times[int(np.searchsorted(np.cumsum(weights), total / 2))])
    for at in times[times >= middle - ONE_HAND_US]:
        near = (times >= at) & (times <= at + FOLLOWED_US)
        if weights[near].sum() >= (FOLLOWED_SHARE if near.sum() > 1 else LONE_SHARE) * total:
            return int(at)
    return middle


@dataclass(frozen=True)
class Candidates:
    """Moments at which one hand may first have touched, `at_us` (n), and what each looks like, `looks` (n, LOOKS)."""

    at_us: NDArray[np.int64]
    looks: Floats


@dataclass(frozen=True)
class Contact:
    """A hand's first contact as printed, and all moments `at_us` (n) that it may have been with their `chances` (n)."""

    t_us: int
    at_us: NDArray[np.int64]
    chances: Floats


def candidates(touch: Touch, felt: Feel, owned: list[Floats], which: int) -> Candidates:
    """The moments at which hand `which` of `owned` may first have touched; the first one is the likeliest landing.

    Steps before the landings are looked for at the hand's own heights, on any side, where no other hand lies; and
    where another hand came to lie only later, until just before it landed there.
    """
    layout, own = touch.segment.layout, owned[which]
    landings = landings_of(felt, own)
    landed = landing_us(touch, felt, own, landings)
    rows = (felt.final * own).reshape(layout.rings, layout.sectors).max(axis=1)
    band = np.repeat(rows > 0.25 * rows.max(initial=1.0), layout.sectors)
    others = np.zeros(len(own), bool)
    for k, other in enumerate(owned):
        if k != which:
            others |= other >= 0.2
    anywhere = band.copy()
    band &= ~others
    if not band.any():
        band = own >= own.max()
    taken = others & (felt.landed_step > 0)
    taken_us = felt.t0_us + int(felt.landed_us[taken].min()) - BEFORE_OTHERS_US if taken.any() else landed
    steps = sharp_steps(touch, np.nonzero(band)[0], landed)
    early = [at for at in sharp_steps(touch, np.nonzero(anywhere)[0], landed) if at < taken_us]
    times = [landed]
    for at in [*early, *(at for at, _, _ in landings), *steps]:
        if min(abs(at - other) for other in times) > 400 and len(times) < MOST_CANDIDATES:
            times.append(at)
    looks = [look(touch, felt, own, anywhere if at < taken_us else band, others, at, landed) for at in times]
    return Candidates(np.array(times, np.int64), np.array(looks, np.float32))


def sharp_steps(touch: Touch, electrodes: NDArray[np.int64], landed_us: int) -> list[int]:
    """Times of steps on `electrodes` in the 60 ms before `landed_us`, the sharpest first."""
    segment = touch.segment
    t = segment.t_us
    begin = max(int(np.searchsorted(t, landed_us - SLAP_US)), 2)
    end = int(np.searchsorted(t, landed_us - 1_500))
    if end - begin < 2:
        return []
    steps = np.diff(segment.above[begin - 2 : end][:, electrodes], axis=0)
    sharp = steps / step_noise(touch)[electrodes]
    rising = sharp[1:] > SLAP_SIGMAS
    power = np.where(rising, np.minimum(sharp[1:], 40.0) ** 2, 0.0).sum(axis=1)
    now = np.where(rising, steps[1:], 0.0).sum(axis=1)
    before = np.where(rising, steps[:-1], 0.0).sum(axis=1)
    # Nearing skin gains about a third from scan to scan; landing skin gains more.
    clear = np.nonzero((power > SLAP_POWER) & (now > 1.3 * before))[0]
    times = t[begin:end]
    order = clear[np.argsort(-power[clear])]
    return [int(times[at]) - int(min(times[at] - t[begin + at - 1], 8000)) // 2 for at in order]


def look(
    touch: Touch,
    felt: Feel,
    own: Floats,
    band: NDArray[np.bool_],
    others: NDArray[np.bool_],
    at_us: int,
    landed_us: int,
) -> Floats:
    """What the moment `at_us` looks like, (LOOKS): courses of the hand's heights, of what rose then, of other hands."""
    noise = felt.noise
    course = felt.course.around(at_us)
    here = int(np.searchsorted(EDGES_US, 0))
    gain = course[here + 1] - course[here - 1]
    rose = band & (gain > SLAP_SIGMAS * noise)
    if not rose.any():
        rose = np.zeros_like(band)
        rose[int(np.argmax(np.where(band, gain / noise, -np.inf)))] = True
    whole = max(float((felt.final * own).sum()), 1.0)

    def gains(which: NDArray[np.bool_]) -> Floats:
        scatter = float(np.sqrt((noise[which] ** 2).sum())) if which.any() else 1.0
        return np.asarray(np.arcsinh(np.diff(course[:, which].sum(axis=1)) / (3.0 * scatter)) / 4.0, np.float32)

    layout = touch.segment.layout
    angle = 2.0 * np.pi * (np.arange(len(own)) % layout.sectors) / layout.sectors
    there = (gain * rose * np.exp(1j * angle)).sum()
    usual = (felt.final * own * np.exp(1j * angle)).sum()
    aside = float(np.real(there * np.conj(usual)) / max(abs(there) * abs(usual), 1e-6))
    scalars = [
        float(np.arcsinh((at_us - landed_us) / 1000.0)) / 5.0,
        float(at_us == landed_us),
        float(np.log1p(np.clip(gain[rose] / noise[rose], 0.0, 40.0).sum())) / 6.0,
        float(rose.sum()) / 10.0,
        float(np.clip(gain[rose].sum() / whole, -1.0, 1.0)),
        aside,
        float(np.log1p(whole)) / 8.0,
        float(np.median(np.diff(felt.course.times[:50]))) / 4000.0 if len(felt.course.times) > 1 else 0.25,
    ]
    parts = [
        np.clip(course[:, band].sum(axis=1) / whole, -0.3, 2.0),
        np.clip(course[:, rose].sum(axis=1) / max(float(felt.final[rose].sum()), 0.05 * whole), -0.3, 3.0),
        gains(rose),
        gains(others),
        np.array(scalars),
    ]
    return np.concatenate(parts).astype(np.float32)


@cache
def weights() -> dict[str, Floats]:
    """The weights that ship with the package."""
    with (
        resources.files("referee.totem").joinpath("first_contact.npz").open("rb") as handle,
        np.load(handle, allow_pickle=False) as archive,
    ):
        return {name: np.asarray(archive[name], np.float32) for name in archive.files}


def likelihoods(looks: Floats, w: dict[str, Floats]) -> Floats:
    """Log-likelihoods (up to a constant) of moments that look like `looks` (n, LOOKS) to be a hand's first contact."""
    hidden = np.maximum(looks @ w["k0"] + w["b0"], 0)
    hidden = np.maximum(hidden @ w["k1"] + w["b1"], 0)
    return np.asarray((hidden @ w["k2"] + w["b2"])[:, 0], np.float32)


def moment_chances(moments: Candidates, chances: Floats, asked_us: int) -> Floats:
    """How likely each of the moments (n) is the first contact, by what it looks like and by the hand's network.

    `chances` (TIME_BINS) is the network's, for times after `asked_us`. They are surer than they are right (taking.py).
    """
    mass = masses(moments.at_us, chances, asked_us)
    score = likelihoods(moments.looks, weights()) + NET_WEIGHT * np.log(mass + LEAST_MASS)
    raised = np.exp(score - score.max())
    return np.asarray(raised / raised.sum(), np.float32)


def known_earlier(
    chosen_us: int, moments: Candidates, elsewhere_us: NDArray[np.int64], chances: Floats, asked_us: int
) -> int:
    """`chosen_us`, or the likeliest of `elsewhere_us` (n) where the hand's network knows it there and not at `moments`.

    `elsewhere_us` are moments of the other hands; one that is told too late would seem to have come after the scramble.
    """
    earlier = elsewhere_us[elsewhere_us < chosen_us]
    if not len(earlier) or float(masses(moments.at_us, chances, asked_us).sum()) >= STRANGE_MASS:
        return chosen_us
    there = masses(earlier, chances, asked_us)
    return int(earlier[int(np.argmax(there))]) if float(there.max()) > STRANGE_MASS else chosen_us


def parted(contacts: Sequence[Contact]) -> list[Contact]:
    """The same contacts, but no two hands at one moment where either may have come at another one close by.

    Hands that land within a few milliseconds are taken for one another's; two within one scan are rare. Of two that
    share a moment each keeps it or takes another of its own: what is likeliest of both together.
    """
    out = list(contacts)
    for first, second in combinations(range(len(out)), 2):
        one, other = out[first], out[second]
        if abs(one.t_us - other.t_us) > SAME_MOMENT_US:
            continue
        pairs = [
            (float(chance * other_chance), int(at), int(other_at))
            for at, chance in _close_by(one)
            for other_at, other_chance in _close_by(other)
            if abs(at - other_at) > SAME_MOMENT_US
        ]
        if pairs:
            _, at_us, other_us = max(pairs)
            out[first], out[second] = replace(one, t_us=at_us), replace(other, t_us=other_us)
    return out


def _close_by(contact: Contact) -> list[tuple[int, float]]:
    """The moments of a contact within `CLOSE_BY_US` of the one it is dated to, with their chances."""
    near = np.abs(contact.at_us - contact.t_us) <= CLOSE_BY_US
    return list(zip(contact.at_us[near].tolist(), (contact.chances[near] + 1e-9).tolist(), strict=True))


def masses(at_us: NDArray[np.int64], chances: Floats, asked_us: int) -> Floats:
    """How likely the hand's network finds a first contact near each of the moments `at_us` (n)."""
    ms = (at_us - asked_us) / 1000.0
    near = np.abs(time_of_bins()[None, :] - ms[:, None]) <= NEAR_MS + NEAR_SHARE * np.abs(ms)[:, None]
    return np.asarray((near * chances).sum(axis=1), np.float32)
