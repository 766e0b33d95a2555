"""Make `referee/totem/hand_net.npz`: lessons from our own simulator, training with JAX, weights for numpy.

    pip install jax optax            (only for this script; the package itself runs the weights with numpy)
    python scripts/train_hand_net.py lessons OUT.npz --first 0 --count 4000     (once per process)
    python scripts/train_hand_net.py train LESSONS.npz... --epochs 12

The lessons are made by the very code that reads real touches: each simulated recording goes through the
detector, and each question the hand finder would ask becomes one lesson with the simulator's truth as answer.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

KIND_CHANCES = {
    "single": 2.0, "far": 2.0, "near": 3.0, "verynear": 2.0, "ties": 1.5, "stacked": 3.0, "handonhand": 2.0,
    "multi": 2.5, "sequence": 2.0, "fall_scramble": 1.0, "feint": 0.6, "hover": 0.6, "sleeve": 0.6,
    "spill": 0.6, "brush": 0.2,
}  # fmt: skip
LAYOUT_CHANCES = {
    (12, 4): 7, (8, 6): 6, (6, 4): 5, (6, 2): 2, (4, 3): 1.5, (10, 4): 1, (8, 4): 1, (12, 3): 0.7, (12, 2):
    0.7,
}  # fmt: skip


def choice(random: np.random.Generator, chances: Mapping[Any, float]) -> Any:
    """One key by its weight."""
    keys = list(chances)
    weight = np.array([chances[k] for k in keys], float)
    return keys[int(random.choice(len(keys), p=weight / weight.sum()))]


def lessons_of(seed: int) -> list[dict[str, Any]]:
    """The lessons of one simulated recording."""
    from referee.sim.totem import simulate
    from referee.totem.contacts import feel
    from referee.totem.hand_net import LOW_BINS, MOST_FINGERS, channels, make_grid
    from referee.totem.hands import Questions
    from referee.totem.scrambles import detect
    from referee.totem.seats import answers
    from referee.totem.touch import Touch
    from referee.totem.trace import trace_of

    random = np.random.default_rng([seed, 31])
    made = simulate(
        seed,
        choice(random, KIND_CHANCES),
        choice(random, LAYOUT_CHANCES),
        float(random.choice([250.0, 500.0, 1000.0])),
        seat_pads=random.random() < 0.4,
        noisy=random.random() < 0.25,
        wet=random.random() < 0.2,
    )
    trace = trace_of(Path("simulated"), made.arrays)
    touches: list[Touch] = []
    names = () if trace.seats is None else trace.seats.names

    def keep(touch: Touch, seats: Mapping[str, float], angle0: float) -> None:
        touches.append(touch)

    detect(trace, made.truth["seats"], reader=keep)
    handled = made.truth["handling"]
    lessons = []
    for touch in touches:
        felt = feel(touch)
        if touch.held_us < 80_000 and felt.lifted_us is None:
            continue
        if any(a <= touch.t_us[touch.start] <= b for a, b in handled):
            continue
        rows = (trace.t_us > felt.settle_us - 24_000) & (trace.t_us <= felt.settle_us)
        if not rows.any():
            continue
        parts = np.stack([skin[rows].mean(axis=0) for skin in made.skin])
        total = parts.sum(axis=0)
        grid = make_grid(trace.layout)
        questions = Questions(felt, touch.segment.noise, answers(touch, felt))
        found: set[int] = set()
        for _ in range(9):
            asked = questions.next()
            if asked is None:
                break
            query, view, by_seat = asked
            owner = int(np.argmax(parts[:, query]))
            if by_seat and view is not None:
                mine = [
                    i for i, (hand, truth) in enumerate(made.hands)
                    if truth is not None and hand.player == names[view.seat] and parts[i].max() > 0.02
                ]  # fmt: skip
                owner = max(mine, key=lambda i: float(parts[i].max())) if mine else -1
            hand, truth = made.hands[owner] if owner >= 0 else (None, None)
            good = hand is not None and truth is not None and hand.grip and owner not in found
            share = np.clip(parts[owner] / np.maximum(total, 1e-4), 0, 1).astype(np.float32)
            seen = questions.assigned
            if random.random() < 0.5:
                # What was found before is not found exactly.
                seen = np.clip(seen + random.normal(0, 0.12, len(seen)), 0, 1).astype(np.float32)
            lesson = {
                "x": channels(grid, felt, query, seen, view).astype(np.float16),
                "share": grid.lay(share if good else np.zeros_like(share)).astype(np.float16),
                "weight": grid.lay(np.clip(felt.final / felt.scale, 0, 1) * felt.active).astype(np.float16),
                "grip": float(good),
                "fingers": 0,
                "low": 0,
                "seat": 0.0,
            }
            if good and truth is not None and hand is not None:
                lesson["fingers"] = min(truth.fingers, MOST_FINGERS)
                lesson["low"] = int(np.clip(truth.lowest_mm / trace.layout.height_mm * LOW_BINS, 0, LOW_BINS - 1))
                lesson["seat"] = hand.seat_deg % 360.0
                found.add(owner)
                questions.found(share, None if view is None else view.seat)
            lessons.append(lesson)
    return lessons


def make_lessons(out: Path, first: int, count: int) -> None:
    """Write the lessons of `count` recordings from seed `first` on."""
    rows: list[dict[str, Any]] = []
    start = time.monotonic()
    for seed in range(first, first + count):
        rows += lessons_of(seed)
    arrays = {key: np.array([row[key] for row in rows]) for key in rows[0]}
    np.savez(out, **arrays)
    print(f"{len(rows)} lessons from {count} recordings in {time.monotonic() - start:.0f} s")


def train(
    files: list[Path], epochs: int, width: int, layers: int, out: Path, rate: float, start_from: Path | None
) -> None:
    """Train on lesson files and write the weights."""
    import jax
    import jax.numpy as jnp
    import optax

    from referee.totem.hand_net import CHANNELS, LOW_BINS, SEAT_BINS

    data = [np.load(f) for f in files]
    all_of = {key: np.concatenate([d[key] for d in data]) for key in data[0].files}
    count = len(all_of["grip"])
    random = np.random.default_rng(5)
    order = random.permutation(count)
    held = order[: count // 20]
    order = order[count // 20 :]
    keys = iter(jax.random.split(jax.random.PRNGKey(1), 64))

    def normal(*shape: int, scale: float) -> Any:
        return jax.random.normal(next(keys), shape) * scale

    w: dict[str, Any] = {}
    inputs = CHANNELS
    for layer in range(layers):
        w[f"k{layer}"] = normal(width, inputs, 5, 3, scale=(1.0 if layer == 0 else 0.5) / np.sqrt(inputs * 15 / 2))
        w[f"b{layer}"] = jnp.zeros(width)
        if layer:
            w[f"g{layer}"] = normal(2 * width, width, scale=0.5 / np.sqrt(2 * width))
            w[f"h{layer}"] = jnp.zeros(width)
        inputs = width
    dense = 64
    w |= {
        "share": normal(1, width, scale=0.1), "share_bias": jnp.zeros(1),
        "d0": normal(3 * width, dense, scale=1 / np.sqrt(1.5 * width)), "e0": jnp.zeros(dense),
        "low": normal(2, 2 * width, scale=0.1), "low_d": normal(dense, LOW_BINS, scale=0.02),
        "low_b": jnp.zeros(LOW_BINS),
        "s0": normal(width, 2 * width, 5, scale=1 / np.sqrt(5 * width)), "t0": jnp.zeros(width),
        "s1": normal(2, width, 7, scale=1 / np.sqrt(7 * width)), "t1": jnp.zeros(2),
        "grip": normal(dense, 1, scale=0.1), "grip_b": jnp.zeros(1),
        "fingers": normal(dense, 6, scale=0.1), "fingers_b": jnp.zeros(6),
    }  # fmt: skip

    if start_from is not None:
        w = {name: jnp.asarray(value, jnp.float32) for name, value in np.load(start_from).items()}

    def convolve(x: Any, kernel: Any, bias: Any) -> Any:
        x = jnp.concatenate([x[..., -1:], x, x[..., :1]], axis=-1)
        out = jax.lax.conv_general_dilated(x, kernel, (1, 1), ((2, 2), (0, 0)))
        return out + bias[None, :, None, None]

    def ring(x: Any, kernel: Any, bias: Any) -> Any:
        half = kernel.shape[2] // 2
        x = jnp.concatenate([x[..., -half:], x, x[..., :half]], axis=-1)
        return jax.lax.conv_general_dilated(x, kernel, (1,), "VALID") + bias[None, :, None]

    def run(w: dict[str, Any], x: Any) -> dict[str, Any]:
        hidden = jax.nn.relu(convolve(x, w["k0"], w["b0"]))
        for layer in range(1, layers):
            hidden = hidden + jax.nn.relu(convolve(hidden, w[f"k{layer}"], w[f"b{layer}"]))
            summary = jnp.concatenate([hidden.mean((2, 3)), hidden.max((2, 3))], axis=1)
            hidden = hidden + jax.nn.relu(summary @ w[f"g{layer}"] + w[f"h{layer}"])[:, :, None, None]
        share = jnp.einsum("oc,bchw->bohw", w["share"], hidden)[:, 0] + w["share_bias"][0]
        chance = jax.nn.sigmoid(share)
        weight = chance / jnp.maximum(chance.sum((1, 2), keepdims=True), 1e-3)
        own = (hidden * weight[:, None]).sum((2, 3))
        summary = jnp.concatenate([own, hidden.mean((2, 3)), hidden.max((2, 3))], axis=1)
        dense = jax.nn.relu(summary @ w["d0"] + w["e0"])
        rows = jnp.concatenate([hidden.max(3), (hidden * chance[:, None]).max(3)], axis=1)
        low = jnp.einsum("oc,bch->bho", w["low"], rows).reshape(len(x), -1) + dense @ w["low_d"] + w["low_b"]
        columns = jnp.concatenate([hidden.mean(2), (hidden * chance[:, None]).mean(2)], axis=1)
        seat = ring(jax.nn.relu(ring(columns, w["s0"], w["t0"])), w["s1"], w["t1"])
        return {
            "share": share, "grip": (dense @ w["grip"] + w["grip_b"])[:, 0],
            "fingers": dense @ w["fingers"] + w["fingers_b"], "low": low,
            "seat": seat.transpose(0, 2, 1).reshape(len(x), -1),
        }  # fmt: skip

    centres = (np.arange(SEAT_BINS) // 2) * 30.0 + np.where(np.arange(SEAT_BINS) % 2, 7.5, -7.5)

    def losses(w: dict[str, Any], batch: dict[str, Any]) -> Any:
        out = run(w, batch["x"])
        good = batch["grip"]
        many = jnp.maximum(good.sum(), 1.0)
        share = optax.sigmoid_binary_cross_entropy(out["share"], batch["share"])
        share = ((share * (batch["weight"] + 0.02)).sum((1, 2)) / (batch["weight"] + 0.02).sum((1, 2)) * good).sum()
        grip = optax.sigmoid_binary_cross_entropy(out["grip"], good).mean()
        fingers = (optax.softmax_cross_entropy_with_integer_labels(out["fingers"], batch["fingers"]) * good).sum()
        low = (optax.softmax_cross_entropy_with_integer_labels(out["low"], batch["low"]) * good).sum()
        away = (batch["seat"][:, None] - centres[None, :] + 180.0) % 360.0 - 180.0
        soft = jnp.exp(-0.5 * (away / 7.0) ** 2)
        soft = soft / soft.sum(1, keepdims=True)
        seat = -(soft * jax.nn.log_softmax(out["seat"])).sum(1) * good
        return jnp.stack([2.0 * share / many, grip, fingers / many, 0.5 * low / many, 0.3 * seat.sum() / many])

    steps = epochs * (len(order) // 64)
    schedule = optax.cosine_onecycle_schedule(steps, rate, 0.15)
    rule = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule, weight_decay=2e-4))
    state = rule.init(w)

    @jax.jit
    def step(w: Any, state: Any, batch: Any) -> Any:
        value, slope = jax.value_and_grad(lambda w: losses(w, batch).sum())(w)
        change, state = rule.update(slope, state, w)
        return optax.apply_updates(w, change), state, value

    def batch_of(rows: Any) -> dict[str, Any]:
        return {k: np.asarray(v[rows], np.int32 if k in ("fingers", "low") else np.float32) for k, v in all_of.items()}

    watch = jax.jit(lambda w, batch: (losses(w, batch), run(w, batch["x"])))
    for epoch in range(epochs):
        start = time.monotonic()
        mean, done = 0.0, 0
        for begin in range(0, len(order) - 63, 64):
            rows = order[begin : begin + 64]
            w, state, value = step(w, state, batch_of(rows))
            mean, done = mean + float(value), done + 1
        random.shuffle(order)
        parts, right, known, grip_right = np.zeros(5), 0, 0, 0
        for begin in range(0, len(held) - 63, 64):
            batch = batch_of(held[begin : begin + 64])
            loss, said = watch(w, batch)
            parts += np.asarray(loss)
            good = batch["grip"] > 0.5
            right += int((np.argmax(said["fingers"], 1) == batch["fingers"])[good].sum())
            known += int(good.sum())
            grip_right += int(((np.asarray(said["grip"]) > 0) == good).sum())
        parts /= max(len(held) // 64, 1)
        print(
            f"epoch {epoch + 1}: train {mean / done:.3f} held share {parts[0]:.3f} grip {parts[1]:.3f} "
            f"fingers {parts[2]:.3f} low {parts[3]:.3f} seat {parts[4]:.3f}; fingers exact "
            f"{right / max(known, 1):.3f}, grip right {grip_right / max(len(held) // 64 * 64, 1):.3f}; "
            f"{time.monotonic() - start:.0f} s",
            flush=True,
        )
        kept = {key: np.asarray(value, np.float16) for key, value in w.items()}
        np.savez_compressed(out, **kept)


def main() -> None:
    """The command line of this script."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tasks = parser.add_subparsers(dest="task", required=True)
    make = tasks.add_parser("lessons")
    make.add_argument("out", type=Path)
    make.add_argument("--first", type=int, default=0)
    make.add_argument("--count", type=int, default=2000)
    learn = tasks.add_parser("train")
    learn.add_argument("files", type=Path, nargs="+")
    learn.add_argument("--epochs", type=int, default=12)
    learn.add_argument("--width", type=int, default=24)
    learn.add_argument("--layers", type=int, default=4)
    learn.add_argument("--rate", type=float, default=3e-3)
    learn.add_argument("--from", dest="start_from", type=Path, help="weights to go on from")
    learn.add_argument("--out", type=Path, default=Path("referee/totem/hand_net.npz"))
    a = parser.parse_args()
    if a.task == "lessons":
        make_lessons(a.out, a.first, a.count)
    else:
        train(a.files, a.epochs, a.width, a.layers, a.out, a.rate, a.start_from)


if __name__ == "__main__":
    main()
