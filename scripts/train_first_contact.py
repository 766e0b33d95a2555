"""Make `referee/totem/first_contact.npz`: which of several moments is a hand's first contact.

    pip install jax optax            (only for this script; the package itself runs the weights with numpy)
    python scripts/train_first_contact.py lessons OUT.npz --first 200000 --count 3000
    python scripts/train_first_contact.py train LESSONS.npz [--from WEIGHTS.npz --rate 6e-4]

Each hand of a simulated recording is two lessons: the moments the finder would weigh, and how far each is from the
truth; once with every electrode's owner taken from the simulation, blurred, and once as the hands are really found.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from totem_lessons import felt_touches, recording_of

from referee.totem.finding import find_hands
from referee.totem.first_contact import LOOKS, MOST_CANDIDATES, candidates
from referee.totem.grid import make_grid
from referee.totem.hands import own_electrodes
from referee.totem.seats import answers
from referee.totem.trace import trace_of


def lessons_of(seed: int) -> list[tuple[Any, Any]]:
    """(looks, ms from the truth) of the moments of each hand of one recording."""
    random = np.random.default_rng([seed, 33])
    made, _ = recording_of(seed)
    trace = trace_of(Path("simulated"), made.arrays)
    lessons = []
    for touch, felt, parts in felt_touches(trace, made):
        shares = np.clip(parts / np.maximum(parts.sum(axis=0), 1e-4), 0, 1)
        blurred = np.clip(shares + random.normal(0.0, 0.1, shares.shape), 0, 1).astype(np.float32) * felt.active
        there = [
            k for k, (hand, truth) in enumerate(made.hands)
            if truth is not None and hand.grip and bool((felt.active & (shares[k] > 0.5)).any())
        ]  # fmt: skip
        for place, k in enumerate(there):
            moments = candidates(touch, felt, [blurred[other] for other in there], place)
            lessons.append((moments.looks, (moments.at_us - made.hands[k][1].t_us) / 1000.0))
        found = find_hands(touch, felt, answers(touch, felt), make_grid(trace.layout))
        owned = own_electrodes(felt, found) if found else []
        for place, own in enumerate(owned):
            truth = made.hands[int(np.argmax((parts * own).sum(axis=1)))][1]
            if truth is not None and truth.grip:
                moments = candidates(touch, felt, owned, place)
                lessons.append((moments.looks, (moments.at_us - truth.t_us) / 1000.0))
    return lessons


def make_lessons(out: Path, first: int, count: int) -> None:
    """Write the lessons of `count` recordings from seed `first` on, filled up to the same number of moments."""
    rows = [row for seed in range(first, first + count) for row in lessons_of(seed)]
    looks = np.zeros((len(rows), MOST_CANDIDATES, LOOKS), np.float16)
    away_ms = np.full((len(rows), MOST_CANDIDATES), np.inf, np.float32)
    for place, (look, away) in enumerate(rows):
        looks[place, : len(look)] = look
        away_ms[place, : len(away)] = away
    np.savez(out, looks=looks, away_ms=away_ms)
    print(f"{len(rows)} lessons from {count} recordings")


def train(files: list[Path], epochs: int, rate: float, begin_with: Path | None, out: Path) -> None:
    """Train on lesson files, from the weights of `begin_with` or anew, and write the weights."""
    import jax
    import jax.numpy as jnp
    import optax

    looks = np.concatenate([np.load(file)["looks"] for file in files]).astype(np.float32)
    away = np.concatenate([np.load(file)["away_ms"] for file in files])
    known = np.abs(away).min(axis=1) < 3.0
    looks, away = looks[known], away[known]
    held = len(looks) // 10
    random = np.random.default_rng(4)
    keys = jax.random.split(jax.random.PRNGKey(2), 3)
    sizes = (LOOKS, 48, 24, 1)
    w: dict[str, Any] = {}
    for layer, key in enumerate(keys):
        w[f"k{layer}"] = jax.random.normal(key, sizes[layer : layer + 2]) * np.sqrt(2 / sizes[layer])
        w[f"b{layer}"] = jnp.zeros(sizes[layer + 1])
    if begin_with is not None:
        with np.load(begin_with) as before:
            w = {name: jnp.asarray(before[name]) for name in w}

    def score(w: dict[str, Any], looks: Any) -> Any:
        hidden = jax.nn.relu(looks @ w["k0"] + w["b0"])
        hidden = jax.nn.relu(hidden @ w["k1"] + w["b1"])
        return (hidden @ w["k2"] + w["b2"])[..., 0]

    def loss(w: dict[str, Any], looks: Any, away: Any) -> Any:
        there = jnp.isfinite(away)
        logits = jnp.where(there, score(w, looks), -1e9)
        wanted = jnp.where(there, jnp.exp(-jnp.abs(jnp.where(there, away, 99.0)) / 0.5), 0.0)
        wanted = wanted / wanted.sum(axis=1, keepdims=True)
        return -(wanted * jax.nn.log_softmax(logits)).sum(axis=1).mean()

    steps = epochs * ((len(looks) - held) // 128)
    rule = optax.adamw(optax.cosine_onecycle_schedule(steps, rate, 0.1), weight_decay=1e-2)
    state = rule.init(w)

    @jax.jit
    def step(w: Any, state: Any, looks: Any, away: Any) -> Any:
        value, slope = jax.value_and_grad(loss)(w, looks, away)
        change, state = rule.update(slope, state, w)
        return optax.apply_updates(w, change), state, value

    order = np.arange(len(looks) - held)
    for epoch in range(epochs):
        start, values = time.monotonic(), []
        random.shuffle(order)
        for begin in range(0, len(order) - 127, 128):
            rows = order[begin : begin + 128]
            w, state, value = step(w, state, looks[rows], away[rows])
            values.append(float(value))
        there = np.isfinite(away[-held:])
        best = np.argmax(np.where(there, np.asarray(score(w, looks[-held:])), -np.inf), axis=1)
        error = np.abs(away[-held:][np.arange(held), best])
        first = np.abs(away[-held:, 0])
        said = [f"{np.percentile(e, 50):.2f} / {np.percentile(e, 95):.1f} ms" for e in (error, first)]
        print(
            f"epoch {epoch + 1}: {np.mean(values):.3f} held {float(loss(w, looks[-held:], away[-held:])):.3f}, "
            f"error {said[0]}, of the likeliest landing {said[1]}; {time.monotonic() - start:.0f} s",
            flush=True,
        )
    np.savez_compressed(out, **{name: np.asarray(value, np.float32) for name, value in w.items()})


def main() -> None:
    """The command line of this script."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tasks = parser.add_subparsers(dest="task", required=True)
    make = tasks.add_parser("lessons")
    make.add_argument("out", type=Path)
    make.add_argument("--first", type=int, default=200_000)
    make.add_argument("--count", type=int, default=3000)
    learn = tasks.add_parser("train")
    learn.add_argument("files", type=Path, nargs="+")
    learn.add_argument("--epochs", type=int, default=30)
    learn.add_argument("--rate", type=float, default=3e-3)
    learn.add_argument("--from", dest="begin_with", type=Path, help="weights to go on from")
    learn.add_argument("--out", type=Path, default=Path("referee/totem/first_contact.npz"))
    options = parser.parse_args()
    if options.task == "lessons":
        make_lessons(options.out, options.first, options.count)
    else:
        train(options.files, options.epochs, options.rate, options.begin_with, options.out)


if __name__ == "__main__":
    main()
