"""Make `referee/vision/rank_net.npz`: training with PyTorch on lessons of `rank_lessons.py`, weights for numpy.

apt-get install fonts-urw-base35 fonts-freefont-ttf fonts-liberation2 ...   (free fonts; the list is in docs/vision.md)
pip install torch                  (only for this script; the package itself runs the weights with numpy)
python scripts/rank_lessons.py train0.npz --split train --count 1500 ; ... --split choose ; ... --split report
python scripts/train_ranks.py corner TRAIN.npz... --choose CHOOSE.npz --epochs 8 --out corner.npz
python scripts/train_ranks.py face TRAIN.npz... --choose CHOOSE.npz --epochs 6 --out face.npz
python scripts/train_ranks.py mean corner6.npz corner8.npz --out corner.npz       (two late states of one network)
python scripts/train_ranks.py join corner.npz face.npz --out referee/vision/rank_net.npz
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from referee.vision.corners import CORNER_SIZE, FACE_SIZE
from referee.vision.rank_net import LAYOUTS, SIGNS, SUITS

# How lessons keep ink: a byte of paper, and what black is above it.
PAPER, SPAN = 55, 200
BATCH = 128
_WIDE, _THIN = np.ones((3, 3), np.uint8), np.ones((1, 2), np.uint8)
WIDTHS = {"corner": (16, 32, 48, 64, 96), "face": (16, 24, 40, 48, 64)}


def examples(files: list[Path], which: str) -> tuple[Any, Any, Any]:
    """Parts (uint8 N×H×W×3) with their signs or layouts and their suits (-1: not asked)."""
    parts, says, suits = [], [], []
    for file in files:
        with np.load(file) as data:
            if which == "corner":
                parts.append(data["corners"].reshape(-1, *data["corners"].shape[2:]))
                says.append(data["signs"].ravel())
                suits.append(data["suits"].ravel())
            else:
                parts.append(data["face"])
                says.append(data["layout"])
                suits.append(data["pips"])
    stacked = np.concatenate([np.ascontiguousarray(part.transpose(0, 2, 3, 1)) for part in parts])
    return stacked, np.concatenate(says).astype(np.int64), np.concatenate(suits).astype(np.int64)


def train(
    which: str, files: list[Path], choose: Path | None, epochs: int, rate: float, start: Path | None, out: Path
) -> None:
    """Train one network and write its weights as `referee.vision.rank_net` runs them."""
    import torch
    from torch import nn
    from torch.nn import functional

    torch.manual_seed(3)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    c0, c1, c2, c3, dense = WIDTHS[which]
    size = CORNER_SIZE if which == "corner" else FACE_SIZE
    half = [(v + 1) // 2 for v in size]
    flat = c3 * (half[0] // 4) * (half[1] // 4)
    answers = len(SIGNS if which == "corner" else LAYOUTS)

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.k0, self.n0 = nn.Conv2d(3, c0, 5, 2, 2), nn.BatchNorm2d(c0)
            self.k1, self.n1 = nn.Conv2d(c0, c1, 3, 1, 1), nn.BatchNorm2d(c1)
            self.k2, self.n2 = nn.Conv2d(c1, c2, 3, 1, 1), nn.BatchNorm2d(c2)
            self.k3, self.n3 = nn.Conv2d(c2, c3, 3, 1, 1), nn.BatchNorm2d(c3)
            self.dense = nn.Linear(flat, dense)
            self.sign = nn.Linear(dense, answers)
            self.suit = nn.Linear(dense, len(SUITS))

        def forward(self, x: Any) -> Any:
            x = functional.relu(self.n0(self.k0(x)))
            x = functional.max_pool2d(functional.relu(self.n1(self.k1(x))), 2)
            x = functional.max_pool2d(functional.relu(self.n2(self.k2(x))), 2)
            x = functional.relu(self.n3(self.k3(x)))
            # The numpy side flattens rows, columns, channels.
            x = functional.dropout(x.permute(0, 2, 3, 1).flatten(1), 0.25, self.training)
            x = functional.dropout(functional.relu(self.dense(x)), 0.15, self.training)
            return self.sign(x), self.suit(x)

    net = Net().to(memory_format=torch.channels_last)
    if start is not None:
        net.load_state_dict(torch.load(start))
    x, say, suit = examples(files, which)
    print(f"{which}: {len(x)} examples, {sum(p.numel() for p in net.parameters())} weights", flush=True)
    say, suit = torch.from_numpy(say), torch.from_numpy(suit)
    chosen = examples([choose], which) if choose is not None else None

    def shown(ink: NDArray[np.float32]) -> Any:
        # In this order of bytes, and in halves, the processor's convolutions are twice as fast.
        return torch.from_numpy(ink).permute(0, 3, 1, 2)

    random = np.random.default_rng(7)
    steps = epochs * (len(x) // BATCH)
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps, pct_start=0.15)
    begun = time.monotonic()
    for epoch in range(epochs):
        net.train()
        order, total = random.permutation(len(x)), 0.0
        for k in range(len(x) // BATCH):
            pick = order[k * BATCH : (k + 1) * BATCH]
            ink = shown(varied(x[pick], random, 1.0 if which == "corner" else 0.3))
            with torch.autocast("cpu", torch.bfloat16):
                a, b = net(ink)
            a, b = a.float(), b.float()
            loss = functional.cross_entropy(a, say[pick], ignore_index=-1, label_smoothing=0.01)
            loss = loss + 0.5 * functional.cross_entropy(b, suit[pick], ignore_index=-1, label_smoothing=0.01)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += float(loss.detach())
        line = f"epoch {epoch}: loss {total / (len(x) // BATCH):.4f}, {time.monotonic() - begun:.0f} s"
        if chosen is not None:
            net.eval()
            cx, cs, cu = chosen
            ink = (cx.astype(np.float32) - PAPER) / SPAN
            with torch.no_grad():
                both = [net(shown(ink[i : i + 512])) for i in range(0, len(cx), 512)]
            logits, marks = (torch.cat([o[i] for o in both]) for i in (0, 1))
            a, b = logits.argmax(1).numpy(), marks.argmax(1).numpy()
            asked = torch.from_numpy(cs)
            line += f"; choose: {float(functional.cross_entropy(logits, asked, ignore_index=-1)):.4f}"
            right, known = (a == cs)[cs >= 0].mean(), (b == cu)[cu >= 0].mean()
            real = (cs >= 0) & (cs < answers - 1)
            line += f", {100 * right:.2f} % (signs {100 * (a == cs)[real].mean():.2f} %), suits {100 * known:.2f} %"
        print(line, flush=True)
        save(net, which, out)
        torch.save(net.state_dict(), out.with_suffix(".pt"))


def varied(parts: NDArray[np.uint8], random: np.random.Generator, much: float) -> NDArray[np.float32]:
    """Parts (N×H×W×3) as ink, a little moved, stretched, thickened or thinned, paler and noisier: new each time."""
    count, h, w = parts.shape[:3]
    grow = 1 + much * random.uniform(-0.17, 0.17, (count, 2))
    shear, shift = much * random.uniform(-0.1, 0.1, (count, 2)), much * random.uniform(-0.12, 0.12, (count, 2)) * [w, h]
    middle = np.array([w - 1, h - 1]) / 2
    choice, amount = random.random(count), random.uniform(0, 0.7, count)
    made = np.empty(parts.shape, np.float32)
    for k, part in enumerate(parts):
        turn = np.array([[grow[k, 0], shear[k, 0]], [shear[k, 1], grow[k, 1]]])
        way = np.column_stack([turn, middle - turn @ middle + shift[k]])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        moved = cv2.warpAffine(part, way, (w, h), flags=flags, borderMode=cv2.BORDER_REPLICATE)
        if choice[k] < 0.3:
            other = cv2.dilate(moved, _WIDE) if choice[k] < 0.15 else cv2.erode(moved, _THIN)
            moved = cv2.addWeighted(moved, 1 - amount[k], other, amount[k], 0)
        made[k] = moved
    made -= PAPER
    made *= (random.uniform(0.7, 1.05, (count, 1, 1, 1)) / SPAN).astype(np.float32)
    made += random.uniform(0, 0.03, (count, 1, 1, 1)).astype(np.float32) * random.standard_normal(
        made.shape, np.float32
    )
    return made


def save(net: Any, which: str, out: Path) -> None:
    """Weights as numpy runs them: kernels as (row, column, channel) × output, each with its norm folded in."""
    w = {}
    for i in range(4):
        layer, norm = getattr(net, f"k{i}"), getattr(net, f"n{i}")
        gain = (norm.weight / (norm.running_var + norm.eps).sqrt()).detach().numpy()
        w[f"k{i}"] = layer.weight.detach().numpy().transpose(2, 3, 1, 0).reshape(-1, layer.out_channels) * gain
        w[f"b{i}"] = (layer.bias - norm.running_mean).detach().numpy() * gain + norm.bias.detach().numpy()
    for name, layer in (("d0", net.dense), ("sign", net.sign), ("suit", net.suit)):
        w[name] = layer.weight.detach().numpy().T
        w["e0" if name == "d0" else f"{name}_b"] = layer.bias.detach().numpy()
    np.savez_compressed(out, **{f"{which}.{name}": value.astype(np.float16) for name, value in w.items()})


def main() -> None:
    """Train a network, take the mean of two states of one, or join the two networks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("corner", "face", "mean", "join"))
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--choose", type=Path)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--start", type=Path, help="a .pt file of weights to go on from")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    if arguments.what == "mean":
        # Weights of two late states of one network: their mean errs less than either.
        first, second = (dict(np.load(file)) for file in arguments.files)
        middle = {k: ((first[k].astype(np.float32) + second[k]) / 2).astype(np.float16) for k in first}
        np.savez_compressed(arguments.out, **middle)
        return
    if arguments.what == "join":
        arrays = {name: data[name] for data in map(np.load, arguments.files) for name in data.files}
        np.savez_compressed(arguments.out, **arrays)
        return
    train(
        arguments.what,
        arguments.files,
        arguments.choose,
        arguments.epochs,
        arguments.rate,
        arguments.start,
        arguments.out,
    )


if __name__ == "__main__":
    main()
