"""What the totem of a simulated table feels, from the first scan to the last: the arrays of a trace.

Belongs here: running the totem's physics over a whole game, a few hands at a time, so that minutes cost little
memory. Does not belong here: who touches (`scramble`), the byte protocol (`totem_device`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.sim.electronics import random_electronics, to_counts
from referee.sim.hands import NEVER_US, Hand
from referee.sim.motion import lifted_share, tilt_deg
from referee.sim.scenes import Script
from referee.sim.skin import Cylinder, Floats
from referee.sim.skin_signal import feel
from referee.sim.totem import add_seat_pads, scan_times
from referee.totem.scans import Layout, ScanBatch

# A nearing hand adds less than a count before this, a leaving one after it.
BEFORE_US, AFTER_US = 400_000, 500_000


@dataclass(frozen=True)
class TotemKind:
    """How the totem is built: its electrodes, scan rate, seat pads, and how bad its electronics are.

    `keyed`: its base holds it one way round only, and says whether it stands there.
    """

    rings: int = 8
    sectors: int = 6
    rate_hz: float = 1000.0
    seat_pads: bool = False
    keyed: bool = False
    noisy: bool = False
    wet: bool = False

    @property
    def cylinder(self) -> Cylinder:
        """Its geometry."""
        return Cylinder(self.rings, self.sectors)


def trace_arrays(script: Script, kind: TotemKind, seed: int) -> dict[str, NDArray[Any]]:
    """The arrays of a totem trace (formats.md, "Totem trace") of everything in `script`."""
    random = np.random.default_rng([seed, 7919])
    totem = kind.cylinder
    electronics = random_electronics(random, kind.noisy, kind.wet)
    t_us, _ = scan_times(random, script.duration_us, kind.rate_hz)
    middle = t_us - int(500_000 / kind.rate_hz)
    blur, hover_blur = float(random.uniform(0.6, 1.8)), float(random.uniform(2.0, 6.0))
    signals = _signals(totem, script.hands, middle, blur, hover_blur)
    skin = np.zeros((len(t_us), totem.rings * totem.sectors), np.float32)
    for signal in signals:
        skin[signal.rows] += signal.values
    lifted = lifted_share(script, middle)
    arrays: dict[str, NDArray[Any]] = {
        "t_us": t_us,
        "counts": to_counts(random, totem, electronics, skin, t_us, lifted),
        "tilt_deg": tilt_deg(random, script, t_us),
        "rings": np.array(totem.rings),
        "sectors": np.array(totem.sectors),
        "ring_mm": totem.ring_mm,
        "boot_id": np.array(int(random.integers(1, 2**31))),
    }
    if kind.keyed:
        arrays["seated"] = lifted == 0
    if kind.seat_pads:
        scale = electronics.gain * (1.0 - (1.0 - electronics.off_table_gain) * lifted)
        whole = [signal.whole(len(t_us)) for signal in signals]
        add_seat_pads(random, script, whole, t_us, scale, electronics.noise, arrays)
        _order_pads(arrays, list(script.seats))
    return arrays


def _order_pads(arrays: dict[str, NDArray[Any]], players: list[str]) -> None:
    """Number the seat pads as the players sit, clockwise: over the wire they have no names."""
    place = np.array([players.index(str(name)) for name in arrays["seat_names"]], np.int8)
    index = arrays["seat_index"]
    arrays["seat_index"] = np.where(index < 0, index, place[np.maximum(index, 0)]).astype(np.int8)
    arrays["seat_names"] = np.array(players)


def scans(arrays: dict[str, NDArray[Any]], totem: Cylinder) -> ScanBatch:
    """The same readings as one batch of scans, for a totem that speaks them."""
    names = arrays.get("seat_names")
    layout = Layout(
        totem.rings, totem.sectors, tuple(float(mm) for mm in totem.ring_mm), totem.diameter_mm, totem.height_mm,
        0 if names is None else len(names),
    )  # fmt: skip
    return ScanBatch(
        layout=layout,
        boot_id=int(arrays["boot_id"]),
        t_us=arrays["t_us"],
        counts=arrays["counts"],
        tilt_deg=arrays["tilt_deg"],
        seated=arrays.get("seated"),
        seat_index=arrays.get("seat_index"),
        seat_delta=arrays.get("seat_delta"),
    )


@dataclass(frozen=True)
class _Signal:
    """One hand's part of the readings, and which scans it covers."""

    rows: slice
    values: Floats

    def whole(self, scans: int) -> Floats:
        out = np.zeros((scans, self.values.shape[1]), np.float32)
        out[self.rows] = self.values
        return out


def _signals(
    totem: Cylinder, hands: list[Hand], t_us: NDArray[np.int64], blur: float, hover_blur: float
) -> list[_Signal]:
    """Each hand's signal, in the order of `hands`; hands that meet in time are felt together."""
    out: dict[int, _Signal] = {}
    for group in _meeting(hands):
        low = min(span(hands[i])[0] for i in group)
        high = max(span(hands[i])[1] for i in group)
        rows = slice(int(np.searchsorted(t_us, low)), int(np.searchsorted(t_us, high)))
        felt, _ = feel(totem, [hands[i] for i in group], t_us[rows], blur, hover_blur)
        out.update({i: _Signal(rows, values) for i, values in zip(group, felt, strict=True)})
    return [out[i] for i in range(len(hands))]


def span(hand: Hand) -> tuple[int, int]:
    """From when to when a hand is felt at all."""
    return (
        min(touch.land_us for touch in hand.touches) - BEFORE_US,
        min(max(touch.leave_us for touch in hand.touches) + AFTER_US, NEVER_US),
    )


def _meeting(hands: list[Hand]) -> list[list[int]]:
    """Hands by number, in groups that do not meet in time."""
    groups: list[list[int]] = []
    end = -(10**18)
    for i in sorted(range(len(hands)), key=lambda i: span(hands[i])[0]):
        low, high = span(hands[i])
        if low > end:
            groups.append([])
        groups[-1].append(i)
        end = max(end, high)
    return groups
