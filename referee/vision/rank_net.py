"""Two small networks: one says which sign stands in a card's corner, one what the face's pips amount to.

Belongs here: running the networks with numpy alone, and what their answers are about. Does not belong here: what they
are shown (`corners`), training (`scripts/train_ranks.py`), and what is concluded from their answers (`ranks`).

The weights in `rank_net.npz` were trained on drawn cards only (`scripts/rank_cards.py`, `scripts/rank_lessons.py`).
"""

from __future__ import annotations

from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

# What a corner may say; the last stands for no sign, or none that is a rank.
SIGNS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "1", "11", "12", "joker", "")
NO_SIGN = len(SIGNS) - 1
SUITS = ("S", "H", "D", "C", "")
NO_SUIT = len(SUITS) - 1
# What a face's pips may say; a court card has a picture instead, the last is anything else.
COURT = "court"
LAYOUTS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", COURT, "")
NO_LAYOUT = len(LAYOUTS) - 1


@cache
def weights() -> dict[str, Floats]:
    """The weights that ship with the package."""
    with (
        resources.files("referee.vision").joinpath("rank_net.npz").open("rb") as handle,
        np.load(handle, allow_pickle=False) as archive,
    ):
        return {name: np.asarray(archive[name], np.float32) for name in archive.files}


def ask(parts: Floats, which: str) -> tuple[Floats, Floats]:
    """Logits of signs or layouts, and of suits, for parts N×3×H×W; `which` is `corner` or `face`."""
    return run(parts, {name.removeprefix(f"{which}."): w for name, w in weights().items() if name.startswith(which)})


def run(parts: Floats, w: dict[str, Floats]) -> tuple[Floats, Floats]:
    """One network's two answers (N×K and N×5 logits)."""
    hidden = np.asarray(parts.transpose(0, 2, 3, 1))
    hidden = _convolve(hidden, w["k0"], w["b0"], step=2)
    hidden = _pool(_convolve(hidden, w["k1"], w["b1"]))
    hidden = _pool(_convolve(hidden, w["k2"], w["b2"]))
    hidden = _convolve(hidden, w["k3"], w["b3"])
    dense = np.maximum(hidden.reshape(len(hidden), -1) @ w["d0"] + w["e0"], 0)
    return dense @ w["sign"] + w["sign_b"], dense @ w["suit"] + w["suit_b"]


def _convolve(x: Floats, kernel: Floats, bias: Floats, step: int = 1) -> Floats:
    """N×H×W×C with a kernel (side·side·C × O) and zeros around, then the positive part; N×H'×W'×O."""
    side = round((kernel.shape[0] / x.shape[3]) ** 0.5)
    around = side // 2
    padded = np.pad(x, ((0, 0), (around, around), (around, around), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (side, side), (1, 2))[:, ::step, ::step]
    rows = windows.transpose(0, 1, 2, 4, 5, 3)
    flat = np.ascontiguousarray(rows).reshape(-1, kernel.shape[0])
    out = np.maximum(flat @ kernel + bias, 0)
    return np.asarray(out.reshape(*rows.shape[:3], -1), np.float32)


def _pool(x: Floats) -> Floats:
    """The largest of each 2×2, what is left over at the right and at the bottom left out."""
    h, w = x.shape[1] // 2, x.shape[2] // 2
    even = x[:, : 2 * h, : 2 * w]
    return np.maximum(
        np.maximum(even[:, ::2, ::2], even[:, 1::2, ::2]), np.maximum(even[:, ::2, 1::2], even[:, 1::2, 1::2])
    )
