"""Make `referee/vision/rank_net.npz`: training with PyTorch on lessons of `rank_lessons.py`, weights for numpy.

apt-get install fonts-urw-base35 fonts-freefont-ttf fonts-liberation2 ...   (free fonts; the list is in docs/vision.md)
pip install torch                  (only for this script; the package itself runs the weights with numpy)
python scripts/rank_lessons.py train0.npz --split train --count 1500 ; ... --split choose ; ... --split report
python scripts/train_ranks.py corner TRAIN.npz... --choose CHOOSE.npz --epochs 8 --out corner.npz
python scripts/train_ranks.py face TRAIN.npz... --choose CHOOSE.npz --epochs 6 --out face.npz
python scripts/train_ranks.py join corner.npz face.npz --out referee/vision/rank_net.npz
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from referee.vision.corners import CORNER_SIZE, FACE_SIZE
from referee.vision.rank_net import LAYOUTS, SIGNS, SUITS

WIDTHS = {"corner": (16, 32, 48, 64, 96), "face": (16, 24, 40, 48, 64)}


def examples(files: list[Path], which: str) -> tuple[Any, Any, Any]:
    """Parts (uint8 N×3×H×W) with their signs or layouts and their suits (-1: not asked)."""
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
    return np.concatenate(parts), np.concatenate(says).astype(np.int64), np.concatenate(suits).astype(np.int64)


def train(
    which: str, files: list[Path], choose: Path | None, epochs: int, rate: float, start: Path | None, out: Path
) -> None:
    """Train one network and write its weights as `referee.vision.rank_net` runs them."""
    import torch
    from torch import nn
    from torch.nn import functional

    torch.manual_seed(3)
    torch.set_num_threads(1)
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

    net = Net()
    if start is not None:
        net.load_state_dict(torch.load(start))
    x, say, suit = examples(files, which)
    print(f"{which}: {len(x)} examples, {sum(p.numel() for p in net.parameters())} weights", flush=True)
    x, say, suit = torch.from_numpy(x), torch.from_numpy(say), torch.from_numpy(suit)
    random = np.random.default_rng(7)
    batch = 128
    steps = epochs * (len(x) // batch)
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps, pct_start=0.15)
    begun = time.monotonic()
    for epoch in range(epochs):
        net.train()
        order, total = random.permutation(len(x)), 0.0
        for k in range(len(x) // batch):
            pick = order[k * batch : (k + 1) * batch]
            ink = (x[pick].float() - 55) / 200
            ink = varied(ink, torch, 1.0 if which == "corner" else 0.3)
            a, b = net(ink)
            loss = functional.cross_entropy(a, say[pick], ignore_index=-1, label_smoothing=0.01)
            loss = loss + 0.5 * functional.cross_entropy(b, suit[pick], ignore_index=-1, label_smoothing=0.01)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += float(loss.detach())
        line = f"epoch {epoch}: loss {total / (len(x) // batch):.4f}, {time.monotonic() - begun:.0f} s"
        if choose is not None:
            net.eval()
            cx, cs, cu = examples([choose], which)
            with torch.no_grad():
                both = [net((torch.from_numpy(cx[i : i + 512]).float() - 55) / 200) for i in range(0, len(cx), 512)]
            a, b = (torch.cat([o[i] for o in both]).argmax(1).numpy() for i in (0, 1))
            right, known = (a == cs)[cs >= 0].mean(), (b == cu)[cu >= 0].mean()
            real = (cs >= 0) & (cs < answers - 1)
            line += (
                f"; choose: {100 * right:.2f} % (signs {100 * (a == cs)[real].mean():.2f} %), suits {100 * known:.2f} %"
            )
        print(line, flush=True)
        save(net, which, out)
        torch.save(net.state_dict(), out.with_suffix(".pt"))


def varied(ink: Any, torch: Any, much: float) -> Any:
    """Parts a little moved, stretched, sheared, thickened or thinned, lighter and noisier: new each time."""
    count = len(ink)
    grow = 1 + much * (0.34 * torch.rand(count, 2) - 0.17)
    shear, shift = much * (0.2 * torch.rand(count, 2) - 0.1), much * (0.24 * torch.rand(count, 2) - 0.12)
    way = torch.stack(
        [
            torch.stack([grow[:, 0], shear[:, 0], shift[:, 0]], 1),
            torch.stack([shear[:, 1], grow[:, 1], shift[:, 1]], 1),
        ],
        1,
    )
    grid = torch.nn.functional.affine_grid(way, list(ink.shape), align_corners=False)
    ink = torch.nn.functional.grid_sample(ink, grid, padding_mode="border", align_corners=False)
    choice = torch.rand(count)
    wide = torch.nn.functional.max_pool2d(ink, 3, 1, 1)
    thin = -torch.nn.functional.max_pool2d(-ink, (1, 2), 1, (0, 1))[:, :, :, : ink.shape[3]]
    amount = (0.7 * torch.rand(count, 1, 1, 1)) * (choice < 0.3)[:, None, None, None]
    ink = ink + amount * ((wide if float(choice[0]) < 0.15 else thin) - ink)
    return ink * (0.75 + 0.3 * torch.rand(count, 1, 1, 1)) + 0.03 * torch.rand(count, 1, 1, 1) * torch.randn_like(ink)


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
    """Train a network, or join the two."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("corner", "face", "join"))
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--choose", type=Path)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--start", type=Path, help="a .pt file of weights to go on from")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
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
