"""A small network that looks at one touch and says which skin belongs to one hand, and what that hand is.

Belongs here: running the network with numpy alone, and what its answers mean. Does not belong here: what it is shown
(features.py), training (`scripts/train_hand_net.py`), and what is concluded from its answers (hands.py).

Convolutions go round the totem without a seam, so that a turned totem gives a turned answer. The weights in
`hand_net.npz` were trained on our own simulator only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from referee.totem.grid import Grid

Floats = NDArray[np.float32]

MOST_FINGERS = 5
LOW_BINS, SEAT_BINS, TIME_BINS, PITCH_BINS = 48, 24, 60, 16
# From finger to finger, mm: the middle of the narrowest bin; each bin is 1 mm.
LEAST_PITCH_MM = 10.5
# The network is surer of fingers than it is right; divided by this, its chances are honest on recordings it never saw
# (temperature scaling: Guo et al., ICML 2017).
FINGERS_TEMPERATURE = 1.3
# The first contact is looked for from this long before the moment asked for to this long after it. Bins are narrow
# (0.15 ms) around that moment and widen away from it.
EARLIEST_MS, LATEST_MS = -100.0, 20.0


def time_bin(ms: float) -> float:
    """Place of a time (ms after the moment asked for) among the time bins, 0 .. TIME_BINS - 1."""
    low, high = np.arcsinh(EARLIEST_MS), np.arcsinh(LATEST_MS)
    share = (np.arcsinh(np.clip(ms, EARLIEST_MS, LATEST_MS)) - low) / (high - low)
    return float(share * (TIME_BINS - 1))


def time_of_bins() -> Floats:
    """Middle of each time bin, ms after the moment asked for, (TIME_BINS)."""
    low, high = np.arcsinh(EARLIEST_MS), np.arcsinh(LATEST_MS)
    return np.asarray(np.sinh(np.linspace(low, high, TIME_BINS)), np.float32)


@dataclass(frozen=True)
class Answer:
    """The network's answer: share of the query's hand per electrode, and distributions about that hand.

    `grip` probability that it is a hand that closed on the totem and was not found before; `fingers` (6) of
    0..5; `lowest` (48) of 2.5 mm steps of a 120 mm totem; `seat` (24) of 15-degree steps, sector 0 first; `first`
    (60) of its first contact (`time_of_bins`); `pitch` (16) of the distance from finger to finger, mm from
    `LEAST_PITCH_MM` on; `more` probability that yet another hand holds the totem, beside this one and those found.
    """

    share: Floats
    grip: float
    fingers: Floats
    lowest: Floats
    seat: Floats
    first: Floats
    pitch: Floats
    more: float = 0.0


def softmax(logits: Floats) -> Floats:
    """Probabilities of logits along the last axis."""
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=-1, keepdims=True), np.float32)


@cache
def weights() -> dict[str, Floats]:
    """The weights that ship with the package."""
    with (
        resources.files("referee.totem").joinpath("hand_net.npz").open("rb") as handle,
        np.load(handle, allow_pickle=False) as archive,
    ):
        return {name: np.asarray(archive[name], np.float32) for name in archive.files}


def convolve(x: Floats, kernel: Floats, bias: Floats) -> Floats:
    """(H, W, C) with a kernel (O, C, K, 3) to (H, W, O): zeros above and below, round about at the sides."""
    height, width, _ = x.shape
    tall = kernel.shape[2] // 2
    # Each place with what lies beside it; then each row of the kernel is one product, and nothing is copied for it.
    beside = np.concatenate([np.roll(x, 1, axis=1), x, np.roll(x, -1, axis=1)], axis=2)
    padded = np.zeros((height + 2 * tall, width, beside.shape[2]), np.float32)
    padded[tall : tall + height] = beside
    taps = np.ascontiguousarray(kernel.transpose(2, 3, 1, 0)).reshape(kernel.shape[2], -1, kernel.shape[0])
    out = np.broadcast_to(bias, (height * width, len(bias))).astype(np.float32)
    for row, tap in enumerate(taps):
        out += padded[row : row + height].reshape(height * width, -1) @ tap
    return np.asarray(out.reshape(height, width, -1), np.float32)


def run(x: Floats, w: dict[str, Floats]) -> dict[str, Floats]:
    """The network's raw outputs (logits) for one input (CHANNELS, HEIGHTS, DIRECTIONS)."""
    _, height, width = x.shape
    places = np.maximum(x.reshape(len(x), -1).T @ w["in"].T + w["in_b"], 0)
    last = np.maximum(places @ w["mix"].T + w["mix_b"], 0).reshape(height, width, -1)
    layer = 0
    while f"k{layer}" in w:
        last = last + np.maximum(convolve(last, w[f"k{layer}"], w[f"b{layer}"]), 0)
        # The whole touch in a few numbers, given back to every place.
        summary = np.concatenate([last.mean(axis=(0, 1)), last.max(axis=(0, 1))])
        last = last + np.maximum(summary @ w[f"g{layer}"] + w[f"h{layer}"], 0)
        layer += 1
    hidden = np.ascontiguousarray(last.transpose(2, 0, 1))
    share = np.tensordot(w["share"], hidden, axes=(1, 0)) + w["share_bias"][:, None, None]
    chance = 1.0 / (1.0 + np.exp(-share[0]))
    weight = chance / max(float(chance.sum()), 1e-3)
    own = (hidden * weight).sum(axis=(1, 2))
    mine = hidden * chance
    summary = np.concatenate([own, hidden.mean(axis=(1, 2)), hidden.max(axis=(1, 2)), mine.max(axis=(1, 2))])
    dense = np.maximum(summary @ w["d0"] + w["e0"], 0)
    rows = np.concatenate([hidden.max(axis=2), mine.max(axis=2)])
    low = np.tensordot(w["low"], rows, axes=(1, 0)).T.ravel() + dense @ w["low_d"] + w["low_b"]
    # Fingers lie one above the other: their number is read from the hand's rows, in their order.
    shape = np.maximum(line_convolve(rows, w["f0"], w["f0_b"]), 0)
    middles = np.tensordot(w["mid"], shape, axes=(1, 0)).T.ravel() + dense @ w["mid_d"] + w["mid_b"]
    seen = np.concatenate([shape.mean(axis=1), shape.max(axis=1), dense, 1.0 / (1.0 + np.exp(-middles))])
    count = np.maximum(seen @ w["f1"] + w["f1_b"], 0)
    columns = np.concatenate([hidden.mean(axis=1), mine.mean(axis=1)])
    ring = np.maximum(ring_convolve(columns, w["s0"], w["t0"]), 0)
    seat = ring_convolve(ring, w["s1"], w["t1"]).T.ravel()
    return {
        "share": share[0],
        "grip": dense @ w["grip"] + w["grip_b"],
        "fingers": count @ w["fingers"] + w["fingers_b"],
        "low": low,
        "seat": seat,
        "first": dense @ w["first"] + w["first_b"],
        "pitch": count @ w["pitch"] + w["pitch_b"],
        "more": dense @ w["more"] + w["more_b"],
    }


def line_convolve(x: Floats, kernel: Floats, bias: Floats) -> Floats:
    """(C, H) along the height with a kernel (O, C, K), zeros above and below."""
    half = kernel.shape[2] // 2
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(x, ((0, 0), (half, half))), kernel.shape[2], 1)
    return _windowed(windows, kernel, bias)


def ring_convolve(x: Floats, kernel: Floats, bias: Floats) -> Floats:
    """(C, W) around the totem with a kernel (O, C, K)."""
    half = kernel.shape[2] // 2
    padded = np.concatenate([x[:, -half:], x, x[:, :half]], axis=1)
    windows = np.lib.stride_tricks.sliding_window_view(padded, kernel.shape[2], 1)
    return _windowed(windows, kernel, bias)


def _windowed(windows: Floats, kernel: Floats, bias: Floats) -> Floats:
    """Windows (C, N, K) with a kernel (O, C, K) to (O, N)."""
    flat = windows.transpose(0, 2, 1).reshape(-1, windows.shape[1])
    return np.asarray(kernel.reshape(len(kernel), -1) @ flat + bias[:, None], np.float32)


def ask(x: Floats, grid: Grid, w: dict[str, Floats] | None = None) -> Answer:
    """Run the network on one input and read its answer."""
    out = run(x, weights() if w is None else w)
    return Answer(
        grid.gather(np.asarray(1.0 / (1.0 + np.exp(-out["share"])), np.float32)),
        float(1.0 / (1.0 + np.exp(-float(out["grip"][0])))),
        softmax(out["fingers"] / FINGERS_TEMPERATURE),
        softmax(out["low"]),
        softmax(out["seat"]),
        softmax(out["first"]),
        softmax(out["pitch"]),
        float(1.0 / (1.0 + np.exp(-float(out["more"][0])))),
    )
