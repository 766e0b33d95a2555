"""A small network that looks at one touch and says which skin belongs to one hand, and what that hand is.

Belongs here: laying electrodes of any layout on one grid, and running the network with numpy alone. Does not
belong here: training (`scripts/train_hand_net.py`), and what is concluded from its answers (hands.py).

The grid is 24 heights by 12 directions; convolutions go round the totem without a seam, so that a turned
totem
gives a turned answer. The weights in `hand_net.npz` were trained on our own simulator only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from referee.totem.contacts import Feel
from referee.totem.seats import SeatView
from referee.totem.trace import Layout

Floats = NDArray[np.float32]

HEIGHTS, DIRECTIONS = 24, 12
MOST_FINGERS = 5
LOW_BINS, SEAT_BINS = 48, 24


@dataclass(frozen=True)
class Grid:
    """How electrodes lie on the grid: (HEIGHTS, rings) and (DIRECTIONS, sectors) shares; rows sum to 1."""

    ring_of: Floats
    sector_of: Floats
    offset: Floats
    pitch_mm: float
    sectors: int

    def lay(self, values: Floats) -> Floats:
        """Electrode values (..., E) on the grid (..., HEIGHTS, DIRECTIONS)."""
        square = values.reshape(*values.shape[:-1], self.ring_of.shape[1], self.sector_of.shape[1])
        return np.asarray(self.ring_of @ square @ self.sector_of.T, np.float32)

    def gather(self, grid: Floats) -> Floats:
        """Grid values (HEIGHTS, DIRECTIONS) back to electrodes (E): the mean over what each covers."""
        rows = self.ring_of / np.maximum(self.ring_of.sum(axis=0), 1e-6)
        columns = self.sector_of / np.maximum(self.sector_of.sum(axis=0), 1e-6)
        return np.asarray((rows.T @ grid @ columns).ravel(), np.float32)


def make_grid(layout: Layout) -> Grid:
    """The grid of a layout; heights are in 24ths of the totem."""
    step = layout.height_mm / HEIGHTS
    centres = (np.arange(HEIGHTS) + 0.5) * step
    edges = np.concatenate([[0.0], (layout.ring_mm[1:] + layout.ring_mm[:-1]) / 2, [layout.height_mm]])
    low, high = centres - step / 2, centres + step / 2
    ring_of = np.clip(np.minimum(high[:, None], edges[None, 1:]) - np.maximum(low[:, None], edges[None, :-1]), 0, None)
    ring_of /= np.maximum(ring_of.sum(axis=1, keepdims=True), 1e-9)
    nearest = np.argmax(ring_of, axis=1)
    offset = (centres - layout.ring_mm[nearest]) / max(layout.pitch_mm, 1e-6)
    width, span = 360.0 / DIRECTIONS, 360.0 / layout.sectors
    sector_of = np.zeros((DIRECTIONS, layout.sectors))
    for direction in range(DIRECTIONS):
        for sector in range(layout.sectors):
            away = abs((direction * width - sector * span + 180.0) % 360.0 - 180.0)
            sector_of[direction, sector] = np.clip((width + span) / 2 - away, 0.0, min(width, span))
    sector_of /= np.maximum(sector_of.sum(axis=1, keepdims=True), 1e-9)
    return Grid(
        ring_of.astype(np.float32),
        sector_of.astype(np.float32),
        offset.astype(np.float32),
        layout.pitch_mm,
        layout.sectors,
    )


CHANNELS = 26


def channels(
    grid: Grid,
    felt: Feel,
    query: int,
    assigned: Floats,
    seat: SeatView | None,
) -> Floats:
    """What the network sees, (CHANNELS, HEIGHTS, DIRECTIONS).

    `query` is the electrode whose hand is asked for, `assigned` (E, 0..1) what belongs to hands already
    found,
    `seat` what the seat of the hand asked for answers (None: no seat pad speaks).
    """
    active = felt.active.astype(np.float32)
    size = np.clip(felt.final / felt.scale, -0.2, 1.0)

    def squashed(us: Floats) -> Floats:
        return np.asarray(np.arcsinh(us / 10_000.0) / 3.0 * active, np.float32)

    mark = np.zeros(len(active), np.float32)
    mark[query] = 1.0
    from_query = felt.half_us - felt.half_us[query]
    silent = np.zeros_like(active)
    share, own, others, flag = (
        (silent, silent, silent, silent)
        if seat is None
        else (seat.share * active, seat.own * active, seat.others * active, silent + 1.0)
    )
    per_electrode = np.stack(
        [
            size,
            np.log1p(np.clip(felt.final, 0, None)) / 6.0,
            squashed(felt.early_us),
            squashed(felt.half_us),
            squashed(felt.late_us),
            np.clip(felt.step / np.maximum(felt.final, 0.1 * felt.scale), 0, 1) * active,
            np.clip(felt.peak / felt.scale, 0, 2),
            *np.clip(felt.snapshots / felt.scale, -0.2, 1.5),
            active,
            mark,
            assigned * size,
            share,
            np.clip(2.0 * own, -0.2, 1.5),
            np.clip(2.0 * others, -0.2, 1.5),
            flag,
            squashed(from_query),
            size * (np.abs(from_query) < 12_000) * active,
        ]
    ).astype(np.float32)
    laid = grid.lay(per_electrode)
    plain = np.ones((HEIGHTS, DIRECTIONS), np.float32)
    rise = (np.arange(HEIGHTS, dtype=np.float32) + 0.5) / HEIGHTS
    context = np.stack(
        [
            plain * grid.offset[:, None],
            plain * np.float32(grid.pitch_mm / 30.0),
            plain * np.float32(2.0 / grid.sectors),
            plain * rise[:, None],
            plain * np.float32(np.log1p(felt.scale) / 6.0),
        ]
    )
    return np.concatenate([laid, context]).astype(np.float32)


@dataclass(frozen=True)
class Answer:
    """The network's answer: share of the query's hand per electrode, and distributions about that hand.

    `grip` probability that it is a hand that closed on the totem and was not found before; `fingers` (6) of
    0..5; `lowest` (48) of 2.5 mm steps of a 120 mm totem; `seat` (24) of 15-degree steps, sector 0 first.
    """

    share: Floats
    grip: float
    fingers: Floats
    lowest: Floats
    seat: Floats


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
    """(C, H, W) with a kernel (O, C, 5, 3): zeros above and below, round about at the sides."""
    _, height, width = x.shape
    tall, wide = kernel.shape[2] // 2, kernel.shape[3] // 2
    padded = np.concatenate([x[:, :, -wide:], x, x[:, :, :wide]], axis=2)
    padded = np.pad(padded, ((0, 0), (tall, tall), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (kernel.shape[2], kernel.shape[3]), (1, 2))
    flat = windows.transpose(1, 2, 0, 3, 4).reshape(height * width, -1)
    out = flat @ kernel.reshape(kernel.shape[0], -1).T + bias
    return np.asarray(out.T.reshape(-1, height, width), np.float32)


def run(x: Floats, w: dict[str, Floats]) -> dict[str, Floats]:
    """The network's raw outputs (logits) for one input (CHANNELS, HEIGHTS, DIRECTIONS)."""
    hidden = np.maximum(convolve(x, w["k0"], w["b0"]), 0)
    layer = 1
    while f"k{layer}" in w:
        hidden = hidden + np.maximum(convolve(hidden, w[f"k{layer}"], w[f"b{layer}"]), 0)
        # The whole touch in a few numbers, given back to every place.
        summary = np.concatenate([hidden.mean(axis=(1, 2)), hidden.max(axis=(1, 2))])
        hidden = hidden + np.maximum(summary @ w[f"g{layer}"] + w[f"h{layer}"], 0)[:, None, None]
        layer += 1
    share = np.tensordot(w["share"], hidden, axes=(1, 0)) + w["share_bias"][:, None, None]
    chance = 1.0 / (1.0 + np.exp(-share[0]))
    weight = chance / max(float(chance.sum()), 1e-3)
    own = (hidden * weight).sum(axis=(1, 2))
    summary = np.concatenate([own, hidden.mean(axis=(1, 2)), hidden.max(axis=(1, 2))])
    dense = np.maximum(summary @ w["d0"] + w["e0"], 0)
    rows = np.concatenate([hidden.max(axis=2), (hidden * chance).max(axis=2)])
    low = np.tensordot(w["low"], rows, axes=(1, 0)).T.ravel() + dense @ w["low_d"] + w["low_b"]
    columns = np.concatenate([hidden.mean(axis=1), (hidden * chance).mean(axis=1)])
    ring = np.maximum(ring_convolve(columns, w["s0"], w["t0"]), 0)
    seat = ring_convolve(ring, w["s1"], w["t1"]).T.ravel()
    return {
        "share": share[0],
        "grip": dense @ w["grip"] + w["grip_b"],
        "fingers": dense @ w["fingers"] + w["fingers_b"],
        "low": low,
        "seat": seat,
    }


def ring_convolve(x: Floats, kernel: Floats, bias: Floats) -> Floats:
    """(C, W) around the totem with a kernel (O, C, K)."""
    half = kernel.shape[2] // 2
    padded = np.concatenate([x[:, -half:], x, x[:, :half]], axis=1)
    windows = np.lib.stride_tricks.sliding_window_view(padded, kernel.shape[2], 1)
    return np.asarray(np.einsum("cwk,ock->ow", windows, kernel) + bias[:, None], np.float32)


def ask(x: Floats, grid: Grid, w: dict[str, Floats] | None = None) -> Answer:
    """Run the network on one input and read its answer."""
    out = run(x, weights() if w is None else w)
    return Answer(
        grid.gather(np.asarray(1.0 / (1.0 + np.exp(-out["share"])), np.float32)),
        float(1.0 / (1.0 + np.exp(-float(out["grip"][0])))),
        softmax(out["fingers"]),
        softmax(out["low"]),
        softmax(out["seat"]),
    )
