"""Make `referee/totem/hand_net.npz`: lessons from our own simulator, training with JAX, weights for numpy.

    pip install jax optax            (only for this script; the package itself runs the weights with numpy)
    python scripts/train_hand_net.py lessons OUT.npz --first 0 --count 4000     (once per process)
    python scripts/train_hand_net.py train LESSONS.npz... --epochs 12

What a lesson is stands in `scripts/totem_lessons.py`. Two of the things learnt are never asked for: the heights of the
fingers' middles feed the count of fingers, and whether there is a thumb only shapes what the network looks for.
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

from totem_lessons import LAYOUTS, MOST_ELECTRODES, make_lessons

# Where the channels stand among the inputs of a weight: the axis, and how many times one after the other.
HEARD = {"k": (1, 1), "g": (0, 2), "share": (1, 1), "d0": (0, 4), "low": (1, 2), "f0": (1, 2), "s0": (1, 2)}


def widened(name: str, fresh: Any, kept: Any) -> Any:
    """Weights `kept` of a network with fewer channels as a part of the `fresh` ones, which are random.

    It answers as before: nothing that was there listens to the new channels yet.
    """
    wide, kept = np.array(fresh), np.asarray(kept, np.float32)
    if wide.shape == kept.shape:
        return kept
    axis, times = HEARD.get(name if name in HEARD else name[0], (0, 1))
    for part, old in zip(np.split(wide, times, axis), np.split(kept, times, axis), strict=True):
        place = [slice(0, side) for side in old.shape]
        listened = [*place[:axis], slice(None), *place[axis + 1 :]]
        if name in HEARD or name[1:].isdigit():
            part[tuple(listened)] = 0.0
        part[tuple(place)] = old
    return wide


def train(
    files: list[Path],
    epochs: int,
    width: int,
    layers: int,
    out: Path,
    rate: float,
    start_from: Path | None,
    keep_rate: bool,
    only: tuple[str, ...] = (),
) -> None:
    """Train on lesson files and write the weights; `keep_rate` for a first run that another one goes on from.

    With `only`, the weights of these names are trained and all others stay.
    """
    import jax
    import jax.numpy as jnp
    import optax

    from referee.totem.features import CHANNELS, FEATURES, context
    from referee.totem.grid import DIRECTIONS, HEIGHTS, make_grid
    from referee.totem.hand_net import LEAST_PITCH_MM, LOW_BINS, PITCH_BINS, SEAT_BINS, TIME_BINS
    from referee.totem.trace import Layout

    data = [np.load(f) for f in files]
    all_of = {key: np.concatenate([d[key] for d in data]) for key in data[0].files if key != "more"}
    # Lessons made before this was asked do not know it (-1).
    all_of["more"] = np.concatenate([d["more"] if "more" in d.files else np.full(len(d["grip"]), -1.0) for d in data])
    count = len(all_of["grip"])
    random = np.random.default_rng(5)
    # Lessons of one recording stay on one side: the held ones are the last of the files.
    order, held = np.arange(count - count // 20), np.arange(count - count // 20, count)
    random.shuffle(order)
    keys = iter(jax.random.split(jax.random.PRNGKey(1), 64))

    lay = np.zeros((len(LAYOUTS), HEIGHTS * DIRECTIONS, MOST_ELECTRODES), np.float32)
    around = np.zeros((len(LAYOUTS), CHANNELS - FEATURES, HEIGHTS, DIRECTIONS), np.float32)
    for number, (rings, sectors) in enumerate(LAYOUTS):
        heights = (np.arange(rings) + 0.5) * 120.0 / rings
        grid = make_grid(Layout(rings, sectors, heights, 120.0))
        lay[number, :, : rings * sectors] = np.kron(grid.ring_of, grid.sector_of)
        around[number] = context(grid, 0.0)
    lay_of, around_of = jnp.asarray(lay), jnp.asarray(around)

    def on_grid(batch: dict[str, Any], values: Any) -> Any:
        return jnp.einsum("bce,bge->bcg", values, lay_of[batch["layout"]]).reshape(
            *values.shape[:2], HEIGHTS, DIRECTIONS
        )

    def inputs_of(batch: dict[str, Any]) -> Any:
        place = around_of[batch["layout"]]
        size = jnp.log1p(batch["scale"])[:, None, None] / 6.0
        place = place.at[:, -1].set(jnp.broadcast_to(size, place[:, -1].shape))
        return jnp.concatenate([on_grid(batch, batch["x"]), place], axis=1)

    def normal(*shape: int, scale: float) -> Any:
        return jax.random.normal(next(keys), shape) * scale

    first, dense, lines, ring = 64, 64, 32, 24
    w: dict[str, Any] = {
        "in": normal(first, CHANNELS, scale=np.sqrt(2 / CHANNELS)), "in_b": jnp.zeros(first),
        "mix": normal(width, first, scale=np.sqrt(2 / first)), "mix_b": jnp.zeros(width),
    }  # fmt: skip
    for layer in range(layers):
        w[f"k{layer}"] = normal(width, width, 5, 3, scale=0.5 / np.sqrt(width * 15 / 2))
        w[f"b{layer}"] = jnp.zeros(width)
        w[f"g{layer}"] = normal(2 * width, width, scale=0.5 / np.sqrt(2 * width))
        w[f"h{layer}"] = jnp.zeros(width)
    w |= {
        "share": normal(1, width, scale=0.1), "share_bias": jnp.zeros(1),
        "d0": normal(4 * width, dense, scale=1 / np.sqrt(2 * width)), "e0": jnp.zeros(dense),
        "low": normal(2, 2 * width, scale=0.1), "low_d": normal(dense, LOW_BINS, scale=0.02),
        "low_b": jnp.zeros(LOW_BINS),
        "f0": normal(lines, 2 * width, 9, scale=1 / np.sqrt(9 * width)), "f0_b": jnp.zeros(lines),
        "mid": normal(2, lines, scale=0.1), "mid_d": normal(dense, LOW_BINS, scale=0.02),
        "mid_b": jnp.full(LOW_BINS, -2.0),
        "f1": normal(2 * lines + dense + LOW_BINS, dense, scale=1 / np.sqrt(lines + dense / 2)),
        "f1_b": jnp.zeros(dense),
        "s0": normal(ring, 2 * width, 5, scale=1 / np.sqrt(5 * width)), "t0": jnp.zeros(ring),
        "s1": normal(2, ring, 7, scale=1 / np.sqrt(7 * ring)), "t1": jnp.zeros(2),
        "grip": normal(dense, 1, scale=0.1), "grip_b": jnp.zeros(1),
        "thumb": normal(dense, 1, scale=0.1), "thumb_b": jnp.zeros(1),
        "more": normal(dense, 1, scale=0.1), "more_b": jnp.zeros(1),
        "fingers": normal(dense, 6, scale=0.1), "fingers_b": jnp.zeros(6),
        "pitch": normal(dense, PITCH_BINS, scale=0.1), "pitch_b": jnp.zeros(PITCH_BINS),
        "first": normal(dense, TIME_BINS, scale=0.1), "first_b": jnp.zeros(TIME_BINS),
    }  # fmt: skip
    if start_from is not None:
        w |= {name: jnp.asarray(widened(name, w[name], value)) for name, value in np.load(start_from).items()}

    def convolve(x: Any, kernel: Any, bias: Any) -> Any:
        x = jnp.concatenate([x[..., -1:], x, x[..., :1]], axis=-1)
        out = jax.lax.conv_general_dilated(x, kernel, (1, 1), ((2, 2), (0, 0)))
        return out + bias[None, :, None, None]

    def line(x: Any, kernel: Any, bias: Any, seam: bool) -> Any:
        half = kernel.shape[2] // 2
        x = jnp.concatenate([x[..., -half:], x, x[..., :half]], axis=-1) if seam else x
        room = [(0, 0)] if seam else [(half, half)]
        return jax.lax.conv_general_dilated(x, kernel, (1,), room) + bias[None, :, None]

    def run(w: dict[str, Any], x: Any) -> dict[str, Any]:
        hidden = jax.nn.relu(jnp.einsum("oc,bchw->bohw", w["in"], x) + w["in_b"][None, :, None, None])
        hidden = jax.nn.relu(jnp.einsum("oc,bchw->bohw", w["mix"], hidden) + w["mix_b"][None, :, None, None])
        for layer in range(layers):
            hidden = hidden + jax.nn.relu(convolve(hidden, w[f"k{layer}"], w[f"b{layer}"]))
            summary = jnp.concatenate([hidden.mean((2, 3)), hidden.max((2, 3))], axis=1)
            hidden = hidden + jax.nn.relu(summary @ w[f"g{layer}"] + w[f"h{layer}"])[:, :, None, None]
        share = jnp.einsum("oc,bchw->bohw", w["share"], hidden)[:, 0] + w["share_bias"][0]
        chance = jax.nn.sigmoid(share)
        weight = chance / jnp.maximum(chance.sum((1, 2), keepdims=True), 1e-3)
        own = (hidden * weight[:, None]).sum((2, 3))
        mine = hidden * chance[:, None]
        summary = jnp.concatenate([own, hidden.mean((2, 3)), hidden.max((2, 3)), mine.max((2, 3))], axis=1)
        dense = jax.nn.relu(summary @ w["d0"] + w["e0"])
        rows = jnp.concatenate([hidden.max(3), mine.max(3)], axis=1)
        low = jnp.einsum("oc,bch->bho", w["low"], rows).reshape(len(x), -1) + dense @ w["low_d"] + w["low_b"]
        shape = jax.nn.relu(line(rows, w["f0"], w["f0_b"], False))
        middles = jnp.einsum("oc,bch->bho", w["mid"], shape).reshape(len(x), -1) + dense @ w["mid_d"] + w["mid_b"]
        count = jnp.concatenate([shape.mean(2), shape.max(2), dense, jax.nn.sigmoid(middles)], axis=1)
        count = jax.nn.relu(count @ w["f1"] + w["f1_b"])
        columns = jnp.concatenate([hidden.mean(2), mine.mean(2)], axis=1)
        seat = line(jax.nn.relu(line(columns, w["s0"], w["t0"], True)), w["s1"], w["t1"], True)
        return {
            "share": share, "grip": (dense @ w["grip"] + w["grip_b"])[:, 0],
            "fingers": count @ w["fingers"] + w["fingers_b"], "low": low,
            "seat": seat.transpose(0, 2, 1).reshape(len(x), -1), "first": dense @ w["first"] + w["first_b"],
            "pitch": count @ w["pitch"] + w["pitch_b"], "middles": middles,
            "thumb": (dense @ w["thumb"] + w["thumb_b"])[:, 0],
            "more": (dense @ w["more"] + w["more_b"])[:, 0],
        }  # fmt: skip

    centres = (np.arange(SEAT_BINS) // 2) * 30.0 + np.where(np.arange(SEAT_BINS) % 2, 7.5, -7.5)
    bins = np.arange(TIME_BINS, dtype=np.float32)

    def soft_loss(logits: Any, away: Any, good: Any) -> Any:
        soft = jnp.exp(-0.5 * away**2)
        soft = soft / soft.sum(1, keepdims=True)
        return -((soft * jax.nn.log_softmax(logits)).sum(1) * good).sum()

    def losses(w: dict[str, Any], batch: dict[str, Any]) -> tuple[Any, Any]:
        out = run(w, inputs_of(batch))
        good = batch["grip"]
        many = jnp.maximum(good.sum(), 1.0)
        truth = on_grid(batch, jnp.stack([batch["share"], batch["weight"]], axis=1))
        share = optax.sigmoid_binary_cross_entropy(out["share"], truth[:, 0])
        weight = truth[:, 1] + 0.02
        share = ((share * weight).sum((1, 2)) / weight.sum((1, 2)) * good).sum()
        grip = optax.sigmoid_binary_cross_entropy(out["grip"], good).mean()
        fingers = (optax.softmax_cross_entropy_with_integer_labels(out["fingers"], batch["fingers"]) * good).sum()
        low = (optax.softmax_cross_entropy_with_integer_labels(out["low"], batch["low"]) * good).sum()
        away = (batch["seat"][:, None] - centres[None, :] + 180.0) % 360.0 - 180.0
        seat = soft_loss(out["seat"], away / 7.0, good * batch["side"])
        first = soft_loss(out["first"], (batch["first"][:, None] - bins[None, :]) / 0.7, good)
        off = batch["pitch"][:, None] - LEAST_PITCH_MM - np.arange(PITCH_BINS, dtype=np.float32)[None, :]
        pitch = soft_loss(out["pitch"], off, good)
        middles = (optax.sigmoid_binary_cross_entropy(out["middles"], batch["middles"]).sum(1) * good).sum()
        thumb = (optax.sigmoid_binary_cross_entropy(out["thumb"], batch["thumb"]) * good).sum()
        known = batch["more"] >= 0
        more = (optax.sigmoid_binary_cross_entropy(out["more"], jnp.maximum(batch["more"], 0)) * known).mean()
        parts = [2.0 * share, many * grip, fingers, 0.4 * low, 0.2 * seat, 0.3 * first, 0.1 * pitch]
        return jnp.stack([*parts, 0.1 * middles, 0.2 * thumb, 0.3 * many * more]) / many, out

    steps = epochs * (len(order) // 64)
    schedule = (
        optax.linear_schedule(rate / 10.0, rate, 200)
        if keep_rate
        else optax.cosine_onecycle_schedule(steps, rate, 0.15)
    )
    rule = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule, weight_decay=2e-3))
    free = {name: value for name, value in w.items() if not only or name in only}
    fixed = {name: value for name, value in w.items() if name not in free}
    state = rule.init(free)

    @jax.jit
    def step(free: Any, state: Any, batch: Any) -> Any:
        value, slope = jax.value_and_grad(lambda free: losses(fixed | free, batch)[0].sum())(free)
        change, state = rule.update(slope, state, free)
        return optax.apply_updates(free, change), state, value

    whole = ("fingers", "low", "layout")

    turned_over = np.tile(np.arange(MOST_ELECTRODES), (len(LAYOUTS), 1))
    for number, (rings, sectors) in enumerate(LAYOUTS):
        ring, sector = np.divmod(np.arange(rings * sectors), sectors)
        turned_over[number, : rings * sectors] = ring * sectors + (-sector) % sectors

    def batch_of(rows: Any, mirror: bool = False) -> dict[str, Any]:
        batch = {k: np.asarray(v[rows], np.int32 if k in whole else np.float32) for k, v in all_of.items()}
        batch["side"] = np.ones(len(rows), np.float32)
        if mirror:
            # A mirrored right hand is a left one: the same lesson, but it does not tell how often hands are left ones.
            over = random.random(len(rows)) < 0.5
            places = turned_over[batch["layout"][over]]
            for name in ("x", "share", "weight"):
                values = batch[name][over]
                where = places if values.ndim == 2 else np.broadcast_to(places[:, None, :], values.shape)
                batch[name][over] = np.take_along_axis(values, where, axis=-1)
            batch["side"][over] = 0.0
        return batch

    watch = jax.jit(losses)
    names = ("share", "grip", "fingers", "low", "seat", "first", "pitch", "middles", "thumb", "more")
    for epoch in range(epochs):
        start = time.monotonic()
        mean, done = 0.0, 0
        for begin in range(0, len(order) - 63, 64):
            free, state, value = step(free, state, batch_of(order[begin : begin + 64], mirror=True))
            done += 1
            mean += float(value)
            if done % 100 == 0:
                print(
                    f"  {done} of {len(order) // 64}: {mean / done:.3f}, {time.monotonic() - start:.0f} s", flush=True
                )
        random.shuffle(order)
        w = fixed | free
        parts, right, known, grip_right = np.zeros(len(names)), 0, 0, 0
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
            f"epoch {epoch + 1}: train {mean / done:.3f} held "
            + " ".join(f"{name} {value:.3f}" for name, value in zip(names, parts, strict=True))
            + f"; fingers exact {right / max(known, 1):.3f}, "
            f"grip right {grip_right / max(len(held) // 64 * 64, 1):.3f}; {time.monotonic() - start:.0f} s",
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
    learn.add_argument("--only", default="", help="train only the weights of these names, with commas")
    learn.add_argument("--keep-rate", action="store_true", help="do not let the rate sink: another run goes on")
    learn.add_argument("--out", type=Path, default=Path("referee/totem/hand_net.npz"))
    a = parser.parse_args()
    if a.task == "lessons":
        make_lessons(a.out, a.first, a.count)
    else:
        train(
            a.files,
            a.epochs,
            a.width,
            a.layers,
            a.out,
            a.rate,
            a.start_from,
            a.keep_rate,
            tuple(a.only.split(",")) if a.only else (),
        )


if __name__ == "__main__":
    main()
