"""Calibrating the totem: what it reads untouched, under a finger and in hands, and which electrodes are broken.

Written rules:
- an electrode is called dead or joined only by what was felt while a hand went over all of it;
- mains pickup is measured at rest and in a hand: a totem without earth hums when it is held, and its swing is small;
- the one threshold that comes of it is where something counts as near; contacts are found by their steps, not by it.
Does not belong here: asking people (`referee.commands.calibrate`), reading hands (`referee.totem`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.profile_file import Part
from referee.errors import InputError
from referee.totem.baseline import LEAST_NOISE, WARM_SIGMAS, without_spikes
from referee.totem.enrol import Findings
from referee.totem.scans import Layout, ScanBatch
from referee.vision.geometry import Array

MAINS_HZ = (50.0, 60.0)
LEAST_SECONDS = 1.0
# Of the strongest reading of the median electrode: under it an electrode did not feel the hand that went over it.
DEAD_SHARE = 0.2
# Two electrodes that read the same in every scan are one; neighbours under one finger differ by far more.
JOINED_CORRELATION, JOINED_SHARE = 0.995, 0.15
# Swing over noise in a whole hand; the totems we simulate have 60 to 300.
LEAST_SWING_SIGMAS = 25.0
EARTH_SHARE = 0.12  # of the swing: mains pickup while held, from which on earthing is in question
# Where something counts as near, as a share of a whole hand's swing: 6 of 260 counts suit every totem we simulate.
NEAR_SHARE = 6.0 / 260.0
TOUCHED_SIGMAS = 8.0


@dataclass(frozen=True)
class Rest:
    """The untouched totem, by electrode: level, standard deviation, amplitude of mains pickup (counts)."""

    level: Array
    noise: Array
    mains: Array
    mains_hz: float
    seconds: float


@dataclass(frozen=True)
class Felt:
    """The totem in hands: by electrode the strongest reading above its level; mains pickup while held (counts).

    `dead` did not feel the hand that went over them, `joined` are pairs that always read the same.
    """

    swing: Array
    held_mains: float
    dead: tuple[int, ...]
    joined: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class TotemFound:
    """What a totem's calibration found; `problems` in sentences, empty for a good totem."""

    layout: Layout
    rest: Rest
    finger: float
    felt: Felt
    warm_counts: float
    problems: tuple[str, ...]

    @property
    def hand(self) -> float:
        """A whole hand's swing: that of the median electrode, counts."""
        return float(np.median(self.felt.swing))


def joined_batches(batches: Sequence[ScanBatch]) -> tuple[NDArray[np.int64], Array]:
    """The times (N) and readings (N×E) of many batches, spikes of a single scan taken out; raises `InputError`."""
    if not batches or sum(len(batch) for batch in batches) < 3:
        raise InputError("the totem gave no readings")
    t_us = np.concatenate([batch.t_us for batch in batches])
    counts = np.concatenate([batch.counts for batch in batches]).astype(np.float32)
    return t_us[1:-1], without_spikes(counts).astype(np.float64)


def at_rest(batches: Sequence[ScanBatch]) -> Rest:
    """The untouched totem; raises `InputError` when it was touched after all, or for too short a time."""
    t_us, counts = joined_batches(batches)
    seconds = float(t_us[-1] - t_us[0]) / 1e6
    if seconds < LEAST_SECONDS:
        raise InputError(f"{seconds:.1f} s of the untouched totem, expected {LEAST_SECONDS:g} s at least")
    level = np.median(counts, axis=0)
    noise = 1.4826 * np.median(np.abs(counts - level), axis=0)
    scale = np.maximum(noise, LEAST_NOISE)
    moved = np.abs(counts - level) > np.maximum(TOUCHED_SIGMAS * scale, 20.0)
    if float(moved.any(1).mean()) > 0.05:
        raise InputError("the totem was touched while it was to be left alone: begin again, hands off the table")
    waves = [_mains(t_us, counts - level, hertz) for hertz in MAINS_HZ]
    strongest = int(np.argmax([wave.sum() for wave in waves]))
    return Rest(level, counts.std(axis=0), waves[strongest], MAINS_HZ[strongest], seconds)


def finger_swing(batches: Sequence[ScanBatch], rest: Rest) -> float:
    """How far one finger moves the electrode it lies on (counts); raises `InputError` when none was felt."""
    _, counts = joined_batches(batches)
    above = counts - rest.level
    strongest = float(np.percentile(above.max(axis=1), 99))
    if strongest < TOUCHED_SIGMAS * float(np.median(np.maximum(rest.noise, LEAST_NOISE))):
        raise InputError("no finger was felt: is the electrodes' cable in, and was the foil touched?")
    return strongest


def in_hands(batches: Sequence[ScanBatch], rest: Rest) -> Felt:
    """The totem while a whole hand went over all of it; raises `InputError` when none was felt."""
    t_us, counts = joined_batches(batches)
    above = counts - rest.level
    swing = np.percentile(above, 99.5, axis=0)
    typical = float(np.median(swing))
    if typical < TOUCHED_SIGMAS * float(np.median(np.maximum(rest.noise, LEAST_NOISE))):
        raise InputError("a hand was hardly felt on most electrodes: go over all of the totem, from all sides")
    dead = tuple(int(e) for e in np.nonzero(swing < DEAD_SHARE * typical)[0])
    return Felt(swing, _held_mains(t_us, above, rest.mains_hz), dead, _joined(above, dead, swing))


def judge(layout: Layout, rest: Rest, finger: float, felt: Felt) -> TotemFound:
    """What follows from the three steps."""
    noise = float(np.median(np.maximum(rest.noise, LEAST_NOISE)))
    hand = float(np.median(felt.swing))
    problems = [f"electrode {name_of(layout, e)} does not feel a hand: wire off, or short to ground" for e in felt.dead]
    problems += [
        f"electrodes {name_of(layout, a)} and {name_of(layout, b)} read the same: a short between their wires or foils"
        for a, b in felt.joined
    ]
    if hand < LEAST_SWING_SIGMAS * noise:
        problems.append(
            f"a hand moves the readings by {hand / noise:.0f} times their noise, expected {LEAST_SWING_SIGMAS:g}"
        )
    if felt.held_mains > EARTH_SHARE * hand:
        problems.append(
            f"a held totem hums at {rest.mains_hz:g} Hz with {felt.held_mains / hand:.0%} of a hand's swing: connect "
            "its ground to earth (a supply with an earthed plug), away from mains cables"
        )
    # Under a hand's hovering, over the noise with its hum.
    warm = max(NEAR_SHARE * hand, WARM_SIGMAS * 0.5 * noise)
    return TotemFound(layout, rest, finger, felt, round(warm, 1), tuple(problems))


def name_of(layout: Layout, electrode: int) -> str:
    """An electrode as a person finds it: number, height, direction."""
    ring, sector = divmod(electrode, layout.sectors)
    return f"{electrode} ({layout.ring_mm[ring]:.0f} mm high, at {sector * 360 // layout.sectors}°)"


def _mains(t_us: NDArray[np.int64], above: Array, hertz: float) -> Array:
    """The amplitude of a sine of this frequency in each column (least squares, as scans come unevenly)."""
    phase = 2 * np.pi * hertz * (t_us - t_us[0]) / 1e6
    design = np.column_stack([np.sin(phase), np.cos(phase), np.ones(len(phase)), np.linspace(-1, 1, len(phase))])
    found = np.linalg.lstsq(design, above, rcond=None)[0]
    return np.asarray(np.hypot(found[0], found[1]), np.float64)


def _held_mains(t_us: NDArray[np.int64], above: Array, hertz: float) -> float:
    """Mains pickup of the electrode that was held most, while it was held steadily (counts)."""
    electrode = int(np.argmax(np.percentile(above, 99.5, axis=0)))
    signal = above[:, electrode]
    # Windows of five periods: short enough for a hand to keep still, long enough to see a hum in.
    window_us = int(5e6 / hertz)
    windows = []
    for begin in range(int(t_us[0]), int(t_us[-1]) - window_us, window_us):
        rows = (t_us >= begin) & (t_us < begin + window_us)
        if rows.sum() >= 15:
            hum = float(_mains(t_us[rows], signal[rows, None], hertz)[0])
            windows.append((float(signal[rows].mean()), hum))
    strongest = max((mean for mean, _ in windows), default=0.0)
    held = [hum for mean, hum in windows if mean > 0.7 * strongest]
    return float(np.median(held)) if held else 0.0


def _joined(above: Array, dead: tuple[int, ...], swing: Array) -> tuple[tuple[int, int], ...]:
    alive = [e for e in range(above.shape[1]) if e not in dead]
    busy = above[(above[:, alive] > 0.2 * np.median(swing)).any(axis=1)] if alive else above[:0]
    if len(busy) < 10 or len(alive) < 2:
        return ()
    related = np.atleast_2d(np.corrcoef(busy[:, alive].T))
    pairs = []
    for i, one in enumerate(alive):
        for j in range(i + 1, len(alive)):
            other = alive[j]
            apart = abs(float(swing[one] - swing[other])) / float(max(swing[one], swing[other]))
            if related[i, j] > JOINED_CORRELATION and apart < JOINED_SHARE:
                pairs.append((one, other))
    return tuple(pairs)


def totem_part(found: TotemFound, device: str, firmware: str, players: Findings | None = None) -> Part:
    """What the profile keeps of a totem."""
    layout = found.layout
    values: dict[str, Any] = {
        "totem.rings": layout.rings,
        "totem.sectors": layout.sectors,
        "totem.diameter_mm": layout.diameter_mm,
        "totem.height_mm": layout.height_mm,
        "totem.warm_counts": found.warm_counts,
    }
    figures: dict[str, Any] = {
        "device": device,
        "firmware": firmware,
        "level": [round(float(value), 1) for value in found.rest.level],
        "noise": [round(float(value), 2) for value in found.rest.noise],
        "swing": [round(float(value)) for value in found.felt.swing],
        "finger_counts": round(found.finger),
        "hand_counts": round(found.hand),
        "mains_hz": found.rest.mains_hz,
        "mains_counts": round(float(np.median(found.rest.mains)), 2),
        "held_mains_counts": round(found.felt.held_mains, 2),
        "dead": list(found.felt.dead),
        "joined": [list(pair) for pair in found.felt.joined],
    }
    if players is not None:
        figures["player"] = _players(players)
    return Part("totem", values, figures)


def _players(findings: Findings) -> Mapping[str, Any]:
    return {
        one.player: {
            "pad": -1 if one.pad is None else one.pad,
            "coupling": one.coupling,
            **({} if one.pitch_mm is None else {"pitch_mm": one.pitch_mm}),
        }
        for one in findings.players
    }
