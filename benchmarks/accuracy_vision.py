"""How well cards are read on tables rendered by `referee.sim.tables`: found, right, wrong, withheld, corners.

    python benchmarks/accuracy_vision.py --deck builtin:totem-rush --first-seed 1000 --pictures 100

Prints one line for all cards to read and one for each size; `--out FILE` keeps one JSON object a card. A card
counts when it lies within the picture and at least 70 % of its face is visible; the others only when they are
read wrongly.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from referee.deck.folder import resolve_deck
from referee.sim.tables import Conditions, Scene, Table, hard
from referee.vision.cards import Sighting
from referee.vision.geometry import overlap
from referee.vision.reader import Reader

BANDS = (35, 45, 60, 80, 110, 160, 1000)
LEAST_VISIBLE = 0.7


def main() -> None:
    """Read the command line, render, read, count, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deck", default="builtin:totem-rush")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--pictures", type=int, default=50)
    parser.add_argument("--sides", type=float, nargs=2, default=(60.0, 200.0), metavar=("PX", "PX"))
    parser.add_argument("--harder", action="store_true", help="more blur and noise than a camera is used with")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--save-wrong", type=Path)
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    deck = resolve_deck(arguments.deck)
    reader, table = Reader(deck), Table(deck)
    rows: list[dict[str, object]] = []
    phantoms, started, reading = 0, time.perf_counter(), 0.0
    for seed in range(arguments.first_seed, arguments.first_seed + arguments.pictures):
        sides = (float(arguments.sides[0]), float(arguments.sides[1]))
        random = np.random.default_rng(seed + 10_000_019)
        conditions = harder(random, sides) if arguments.harder else hard(random, sides)
        scene = table.scene(seed, conditions)
        before = time.perf_counter()
        sightings = reader.read(scene.image)
        reading += time.perf_counter() - before
        new, lost = compare(scene, sightings, seed)
        rows += new
        phantoms += lost
        if arguments.save_wrong and any(r["outcome"] == "wrong" for r in new):
            arguments.save_wrong.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(arguments.save_wrong / f"{seed}.png"), scene.image)
    report(rows, phantoms)
    took = time.perf_counter() - started
    print(f"{1000 * reading / arguments.pictures:.0f} ms a picture to read, {took:.0f} s in all")
    if arguments.out:
        arguments.out.write_text("".join(json.dumps(r) + "\n" for r in rows))


def harder(random: np.random.Generator, sides: tuple[float, float]) -> Conditions:
    """Conditions in which many cards cannot be told: what confidence is fitted to and tested on."""
    how = hard(random, sides)
    return replace(
        how,
        size=(1280, 720),
        blur_px=float(random.uniform(0.4, 2.2)),
        noise=float(random.uniform(2, 11)),
        motion_px=float(random.choice([0.0, 0.0, random.uniform(1, 5)])),
        exposure=float(random.uniform(0.3, 1.05)),
        jpeg=int(random.integers(55, 92)),
        pile=1,
    )


def compare(scene: Scene, sightings: list[Sighting], seed: int) -> tuple[list[dict[str, object]], int]:
    """One row a true card, and the number of ids given where no card lies."""
    rows: list[dict[str, object]] = []
    used: set[int] = set()
    height, width = scene.image.shape[:2]
    for card in scene.cards:
        best = max(range(len(sightings)), key=lambda i: overlap(sightings[i].quad, card.quad), default=None)
        found = sightings[best] if best is not None and overlap(sightings[best].quad, card.quad) >= 0.3 else None
        if found is not None and best is not None:
            used.add(best)
        inside = bool(np.all(card.quad >= 0) and np.all(card.quad < [width, height]))
        counts = inside and card.visible >= LEAST_VISIBLE
        row: dict[str, object] = {"seed": seed, "card": card.card, "side": card.side_px, "counts": counts}
        row |= {"visible": card.visible, "veiled": card.veiled, "surface": scene.conditions.surface}
        if found is None:
            row["outcome"] = "missed"
        else:
            rolled = [np.linalg.norm(np.roll(found.quad, k, 0) - card.quad, axis=1).mean() for k in range(4)]
            withheld = "?" in found.card
            row["outcome"] = "withheld" if withheld else "right" if found.card == card.card else "wrong"
            row |= {"said": found.card, "confidence": found.confidence, "corner": float(min(rolled))}
            row |= {"explained": found.look.explained, "seen": found.look.seen, "ink": found.look.seen_ink}
            row["ranking"] = [(r.card, round(r.nats, 2)) for r in found.look.ranking[:12]]
            row["short_px"] = found.look.short_px
        rows.append(row)
    lost = sum(i not in used and "?" not in s.card for i, s in enumerate(sightings))
    return rows, lost


def report(rows: list[dict[str, object]], phantoms: int) -> None:
    """Print the table."""
    print(
        f"{'side':>9s}{'cards':>7s}{'found':>8s}{'right':>8s}{'of found':>9s}"
        f"{'wrong':>7s}{'withheld':>9s}{'corner px':>11s}"
    )
    low = 0.0
    for high in (*BANDS, None):
        band = [r for r in rows if r["counts"] and (high is None or low <= float(str(r["side"])) < high)]
        name = "all" if high is None else f"{low:.0f}-{high}"
        low = high or 0.0
        if not band:
            continue
        count = Counter(str(r["outcome"]) for r in band)
        n, found = len(band), len(band) - count["missed"]
        whole = [float(str(r["corner"])) for r in band if r["outcome"] == "right" and float(str(r["visible"])) > 0.95]
        corner = f"{np.median(whole):.2f}/{np.percentile(whole, 95):.2f}" if whole else "-"
        print(
            f"{name:>9s}{n:7d}{100 * found / n:7.1f}%{100 * count['right'] / n:7.1f}%"
            f"{100 * count['right'] / max(1, found):8.1f}%{count['wrong']:7d}"
            f"{100 * count['withheld'] / n:8.1f}%{corner:>11s}"
        )
    hidden = sum(r["outcome"] == "wrong" and not r["counts"] for r in rows)
    print(f"wrong on cards that need not be read: {hidden}; ids where no card lies: {phantoms}")


if __name__ == "__main__":
    main()
