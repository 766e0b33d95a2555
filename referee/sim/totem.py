"""The simulated totem: a script of hands becomes a recording and the truth about it.

Belongs here: putting geometry, hands, electronics, motion and seat pads together into the arrays of a totem
trace, and writing what really happened beside it. Does not belong here: the byte protocol that carries such
counts, and anything the referee concludes from them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.sim.electronics import Electronics, random_electronics, seat_readings, to_counts
from referee.sim.hands import Hand
from referee.sim.manner import USUAL, Manner
from referee.sim.motion import lifted_share, tilt_deg
from referee.sim.scenes import SETTLE_US, Script, random_script
from referee.sim.skin import Cylinder, Floats
from referee.sim.skin_signal import HandTruth, feel

LAYOUTS = ((12, 4), (8, 6), (6, 4), (6, 2), (4, 3))


@dataclass(frozen=True)
class Recording:
    """The arrays of a totem trace and the truth, as kept in `NAME.npz` and `NAME.json`.

    `skin` is each hand's part of the signal (N, electrodes), `hands` who that was: for training and tests.
    """

    arrays: dict[str, NDArray[Any]]
    truth: dict[str, Any]
    skin: tuple[Floats, ...] = ()
    hands: tuple[tuple[Hand, HandTruth | None], ...] = ()

    def save(self, path: Path) -> None:
        """Write `path` (`.npz`) and the truth beside it (`.json`)."""
        with path.open("wb") as handle:
            np.savez_compressed(handle, **self.arrays)  # type: ignore[arg-type]
        path.with_suffix(".json").write_text(json.dumps(self.truth, ensure_ascii=False, indent=1), encoding="utf-8")


def simulate(
    seed: int,
    kind: str,
    layout: tuple[int, int] = (12, 4),
    rate_hz: float = 1000.0,
    seat_pads: bool = False,
    noisy: bool = False,
    wet: bool = False,
    manner: Manner = USUAL,
    electronics: Electronics | None = None,
) -> Recording:
    """One recording of `kind` (scenes.KINDS); the same arguments give the same recording."""
    random = np.random.default_rng([seed, 7919])
    script = random_script(random, kind, Cylinder(*layout).height_mm, manner)
    return record(random, script, layout, rate_hz, seat_pads, noisy, wet, electronics=electronics)


def record(
    random: np.random.Generator,
    script: Script,
    layout: tuple[int, int],
    rate_hz: float,
    seat_pads: bool,
    noisy: bool = False,
    wet: bool = False,
    couples_well: bool = False,
    electronics: Electronics | None = None,
) -> Recording:
    """The recording of a script; with `couples_well` every seat's pad does; `electronics` None: drawn at random."""
    totem, manner = Cylinder(*layout), script.manner
    if electronics is None:
        electronics = random_electronics(random, noisy, wet)
    electronics = replace(electronics, gain=electronics.gain * manner.gain)
    t_us, gaps = scan_times(random, script.duration_us, rate_hz)
    # The readings of one scan are an average over it: what is felt is the state half a scan before its end.
    middle = t_us - int(500_000 / rate_hz)
    blur, hover_blur = float(random.uniform(0.6, 1.8)), float(random.uniform(2.0, 6.0))
    signals, truths = feel(totem, script.hands, middle, blur, hover_blur, manner)
    lifted = lifted_share(script, middle)
    counts = to_counts(random, totem, electronics, np.sum(signals, axis=0, dtype=np.float32)
                       if signals else np.zeros((len(t_us), totem.rings * totem.sectors), np.float32),
                       t_us, lifted)  # fmt: skip
    arrays: dict[str, NDArray[Any]] = {
        "t_us": t_us,
        "counts": counts,
        "tilt_deg": tilt_deg(random, script, t_us),
        "rings": np.array(totem.rings),
        "sectors": np.array(totem.sectors),
        "ring_mm": totem.ring_mm,
        "boot_id": np.array(int(random.integers(1, 2**31))),
    }
    truth = truth_of_script(script, truths, rate_hz, totem, gaps, noisy, wet)
    if seat_pads:
        scale = electronics.gain * (1.0 - (1.0 - electronics.off_table_gain) * lifted)
        truth["pads"] = add_seat_pads(random, script, signals, t_us, scale, electronics.noise, arrays, couples_well)
    return Recording(arrays, truth, tuple(signals), tuple(zip(script.hands, truths, strict=True)))


def scan_times(
    random: np.random.Generator, duration_us: int, rate_hz: float
) -> tuple[NDArray[np.int64], list[list[int]]]:
    """Ends of scans with jitter, and now and then a few scans lost."""
    period = 1e6 / rate_hz
    count = int(duration_us / period)
    jitter = random.normal(0.0, period * random.uniform(0.005, 0.05), count)
    t = np.round(np.arange(1, count + 1) * period + jitter).astype(np.int64)
    t = np.maximum.accumulate(t + np.arange(count) * 0)
    keep = np.ones(count, bool)
    gaps = []
    for _ in range(int(random.integers(0, 3)) if random.random() < 0.4 else 0):
        start = int(random.integers(50, max(count - 60, 51)))
        length = int(random.uniform(3_000, 25_000) / period)
        keep[start : start + length] = False
        if start + length < count and length:
            gaps.append([int(t[start - 1]), int(t[start + length])])
    t = t[keep]
    return t[np.concatenate([[True], np.diff(t) > 0])], gaps


def gap_class(gap_us: int | None) -> str:
    """The class by which order is scored."""
    if gap_us is None:
        return "single"
    return "<5ms" if gap_us < 5000 else "5-40ms" if gap_us < 40_000 else "40-100ms" if gap_us <= 100_000 else ">100ms"


def truth_of_script(
    script: Script,
    truths: list[HandTruth | None],
    rate_hz: float,
    totem: Cylinder,
    gaps: list[list[int]],
    noisy: bool,
    wet: bool,
) -> dict[str, Any]:
    """The truth in the same words as the sample traces'."""

    def words(truth: HandTruth) -> dict[str, Any]:
        return {
            "player": truth.player,
            "t_us": truth.t_us,
            "fingers": truth.fingers,
            "lowest_mm": truth.lowest_mm,
            "grip": truth.grip,
        }

    scrambles = []
    for group, lift, fall, turned in zip(script.groups, script.lifts, script.group_fall, script.turned, strict=True):
        hands = sorted((t for i in group if (t := truths[i])), key=lambda t: t.t_us)
        last = hands[-1].t_us
        ends = [last + SETTLE_US]
        ends += [lift.start_us] if lift else []
        ends += [fall.start_us] if fall else []
        gap = hands[1].t_us - hands[0].t_us if len(hands) > 1 else None
        entry: dict[str, Any] = {
            "t_us": hands[0].t_us,
            "hands": [words(t) for t in hands],
            "yaw_changed": turned,
            "gap_us": gap,
            "class": gap_class(gap),
            "settle_us": min(ends),
            "lift_us": lift.start_us if lift else None,
            "end_us": lift.end_us
            if lift
            else fall.end_us
            if fall
            else max(script.hands[i].touches[0].leave_us for i in group) + 60_000,
        }
        if fall:
            entry["fell"] = {"t_us": (fall.start_us + fall.end_us) // 2, "player": fall.player}
        scrambles.append(entry)
    brushes = []
    for hand, maybe in zip(script.hands, truths, strict=True):
        if maybe is not None and not hand.grip:
            brushes.append({**words(maybe), "t_end_us": hand.touches[0].leave_us})
    return {
        "scrambles": scrambles,
        "falls": [
            {
                "t_us": (f.start_us + f.end_us) // 2,
                "start_us": f.start_us,
                "end_us": f.end_us,
                "player": f.player,
                "contact": f.contact,
            }
            for f in script.falls
        ],
        "brushes": brushes,
        "handling": [list(h) for h in script.handling],
        "optional": [],
        "wobbles": [w.start_us for w in script.wobbles],
        "kind": script.kind,
        "seats": script.seats,
        "rate_hz": rate_hz,
        "rings": totem.rings,
        "sectors": totem.sectors,
        "duration_us": script.duration_us,
        "noisy": noisy,
        "wet": wet,
        "gaps_us": gaps,
        "group": script.kind,
    }


def add_seat_pads(
    random: np.random.Generator,
    script: Script,
    signals: list[Floats],
    t_us: NDArray[np.int64],
    scale: Floats,
    noise: float,
    arrays: dict[str, NDArray[Any]],
    couples_well: bool = False,
) -> dict[str, Any]:
    """Fill in `seat_names`, `seat_index`, `seat_delta`; returns the truth about the pads."""
    names = [str(n) for n in random.permutation(list(script.seats))]
    players, scans = len(names), len(t_us)
    coupling: dict[str, tuple[str, float]] = {}
    for name in names:
        kind = str(random.choice(["strong", "cushion", "weak"], p=[0.65, 0.25, 0.1]))
        kind = "strong" if couples_well else kind
        low, high = {"strong": (0.26, 0.6), "cushion": (0.1, 0.16), "weak": (0.01, 0.06)}[kind]
        coupling[name] = (kind, round(float(random.uniform(low, high)), 3))
    matrix = np.zeros((players, players, scans), np.float32)
    lifted, touching = [], []
    for p, name in enumerate(names):
        matrix[p, p] = coupling[name][1]
        if random.random() < 0.1 and script.groups and not couples_well:
            start = int(random.uniform(0.2, 0.7) * script.duration_us)
            stop = start + int(random.uniform(200_000, 900_000))
            matrix[p, p, (t_us >= start) & (t_us < stop)] *= 0.03
            lifted.append([name, start, stop])
    for group in script.groups:
        for i in group:
            for j in group:
                hand, other = script.hands[i], script.hands[j]
                if i >= j or random.random() > 0.45:
                    continue
                share = float(random.uniform(0.1, 0.45))
                start = max(hand.touches[0].land_us, other.touches[0].land_us) + int(random.uniform(0, 30_000))
                stop = min(hand.touches[0].leave_us, other.touches[0].leave_us)
                on = (t_us >= start) & (t_us < stop)
                a, b = names.index(hand.player), names.index(other.player)
                matrix[a, b, on] = share * matrix[a, a, on]
                matrix[b, a, on] = share * matrix[b, b, on]
                touching.append([hand.player, other.player, round(share, 3), start, stop])
    for group in script.groups:
        # An arm along the totem, a knee under the table: somebody who is not at the totem touches one who is.
        if random.random() < 0.25 and len(names) > 2 and not couples_well:
            holder = script.hands[int(random.choice(group))]
            friend = str(random.choice([n for n in names if n != holder.player]))
            share = float(random.uniform(0.1, 0.45))
            start = holder.touches[0].land_us - int(random.uniform(0, 300_000))
            stop = start + int(random.uniform(300_000, 1_200_000))
            on = (t_us >= start) & (t_us < stop)
            a, b = names.index(holder.player), names.index(friend)
            matrix[b, a, on] = np.maximum(matrix[b, a, on], share * matrix[b, b, on])
            matrix[a, b, on] = np.maximum(matrix[a, b, on], share * matrix[a, a, on])
            touching.append([holder.player, friend, round(share, 3), start, stop])
    per_player = np.zeros((players, scans, arrays["counts"].shape[1]), np.float32)
    for hand, signal in zip(script.hands, signals, strict=True):
        if hand.player:
            per_player[names.index(hand.player)] += signal * scale[:, None]
    index = ((np.arange(scans) + int(random.integers(0, players))) % players).astype(np.int8)
    arrays["seat_names"] = np.array(names)
    arrays["seat_index"] = index
    arrays["seat_delta"] = seat_readings(random, per_player, matrix, index, noise * 1.3, float(random.uniform(0, 4)))
    return {
        "coupling": {n: list(c) for n, c in coupling.items()},
        "lifted": lifted,
        "touching": touching,
        "fault": None,
    }
