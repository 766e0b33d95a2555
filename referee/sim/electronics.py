"""What the electronics make of skin: counts with noise, mains, drift, spikes, cross-talk, and seat pads.

Belongs here: everything between a covered electrode and an integer reading, as ranges one can turn. Does not
belong here: hands and what they do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.sim.skin import Cylinder, Floats


@dataclass(frozen=True)
class Electronics:
    """One totem's electronics; counts per fully covered electrode `gain`, the rest in counts or shares."""

    gain: float
    noise: float
    mains_hz: float
    mains_counts: float
    mains_share: float
    drift_counts: float
    crosstalk: float
    ring_crosstalk: float
    spikes_per_s: float
    common_spikes_per_s: float
    off_table_gain: float
    table_counts: float
    wet_counts: float
    walk: float


def random_electronics(random: np.random.Generator, noisy: bool, wet: bool) -> Electronics:
    """Electronics as different as homes are."""
    return Electronics(
        gain=float(np.exp(random.normal(np.log(260.0), 0.3))),
        noise=float(random.uniform(1.0, 3.0) if not noisy else random.uniform(2.5, 7.0)),
        mains_hz=50.0 if random.random() < 0.7 else 60.0,
        mains_counts=float(random.uniform(0.0, 1.5) if not noisy else random.uniform(1.0, 6.0)),
        mains_share=float(random.uniform(0.0, 0.03) if not noisy else random.uniform(0.02, 0.1)),
        drift_counts=float(random.uniform(0.0, 8.0) if not wet else random.uniform(5.0, 25.0)),
        crosstalk=float(random.uniform(0.005, 0.05)),
        ring_crosstalk=float(random.uniform(0.0, 0.025)),
        spikes_per_s=float(random.uniform(0.0, 3.0)),
        common_spikes_per_s=float(random.uniform(0.0, 0.3)),
        off_table_gain=float(random.uniform(0.7, 1.0)),
        table_counts=float(random.uniform(2.0, 9.0)),
        wet_counts=float(random.uniform(20.0, 110.0) if wet else 0.0),
        walk=float(random.uniform(0.0, 0.05)),
    )


def crosstalk_matrix(totem: Cylinder, electronics: Electronics) -> Floats:
    """How much of each electrode's signal appears on the others, (electrodes, electrodes)."""
    count = totem.rings * totem.sectors
    mix = np.eye(count, dtype=np.float32)
    for ring in range(totem.rings):
        for sector in range(totem.sectors):
            here = ring * totem.sectors + sector
            for other in range(totem.sectors):
                mix[here, ring * totem.sectors + other] += electronics.ring_crosstalk
            for step in (-1, 1):
                mix[here, ring * totem.sectors + (sector + step) % totem.sectors] += electronics.crosstalk
                if 0 <= ring + step < totem.rings:
                    mix[here, (ring + step) * totem.sectors + sector] += electronics.crosstalk
    return mix


def to_counts(
    random: np.random.Generator,
    totem: Cylinder,
    electronics: Electronics,
    skin: Floats,
    t_us: NDArray[np.int64],
    lifted: Floats,
) -> NDArray[np.int32]:
    """Integer readings from the skin's signal; `lifted` (N) is 1 while the totem is off the table."""
    scans, count = skin.shape
    seconds = (t_us - t_us[0]) / 1e6
    gain = electronics.gain * (1.0 - (1.0 - electronics.off_table_gain) * lifted)
    signal = (skin @ crosstalk_matrix(totem, electronics).T) * gain[:, None]
    base = random.uniform(800.0, 1200.0, count)
    drift = np.outer(
        np.sin(2 * np.pi * seconds / random.uniform(6.0, 30.0) + random.uniform(0, 6.3)),
        random.normal(0.0, 1.0, count) * electronics.drift_counts / 3,
    )
    walk = np.cumsum(random.normal(0.0, electronics.walk, (scans, 1)), axis=0)
    phase = 2 * np.pi * electronics.mains_hz * seconds + random.uniform(0, 6.3)
    wave = np.sin(phase) + 0.3 * np.sin(3 * phase + 1.0)
    pickup = electronics.mains_counts * random.uniform(0.4, 1.0, count) + signal * electronics.mains_share
    noise = random.normal(0.0, electronics.noise, (scans, count)) * random.uniform(0.7, 1.2, count)
    out = base + signal + drift + walk + wave[:, None] * pickup + noise
    ring_of = np.arange(count) // totem.sectors
    table = electronics.table_counts * random.uniform(0.8, 1.4, count) * (ring_of == 0)
    wet = electronics.wet_counts * random.uniform(0.6, 1.1, count) * np.exp(-totem.ring_mm[ring_of] / 9.0)
    out -= np.outer(lifted, table + wet)
    period = float(np.median(np.diff(t_us))) / 1e6 if scans > 1 else 0.001
    hits = random.random((scans, count)) < electronics.spikes_per_s * period / count
    struck = int(np.count_nonzero(hits))
    out[hits] += random.choice([-1.0, 1.0], struck) * random.uniform(30.0, 200.0, struck)
    common = random.random(scans) < electronics.common_spikes_per_s * period
    out[common] += random.uniform(15.0, 60.0, (int(np.count_nonzero(common)), 1))
    return np.asarray(np.round(out), np.int32)


def seat_readings(
    random: np.random.Generator,
    per_player: Floats,
    coupling: Floats,
    seat_index: NDArray[np.int8],
    noise: float,
    leak: float,
) -> NDArray[np.int16]:
    """How far each electrode moved when a seat's pad was driven, (N, electrodes).

    `per_player` (P, N, electrodes): counts each player's skin adds; `coupling` (P, P, N): share of player p's
    skin that answers when seat s is driven (row s; own hand on the diagonal, touching skins off it).
    """
    _, scans, count = per_player.shape
    out = np.empty((scans, count), np.float64)
    offset = random.uniform(0.0, leak, (coupling.shape[0], count))
    for seat in range(coupling.shape[0]):
        rows = np.nonzero(seat_index == seat)[0]
        mixed = np.einsum("pn,pne->ne", coupling[seat][:, rows], per_player[:, rows])
        out[rows] = mixed + offset[seat]
    out[seat_index < 0] = 0.0
    out += random.normal(0.0, noise, out.shape)
    return np.round(np.clip(out, -32000, 32000)).astype(np.int16)
