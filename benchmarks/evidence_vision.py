"""What many frames of one still card are worth: only noise, light and the last tenth of a pixel move in them.

    python benchmarks/evidence_vision.py --tables 20 --first-seed 1 --picture docs/pictures/evidence-vision.png

Of each rendered table 8 frames are made: the same scene a little brighter or darker, shifted by a tenth of a
pixel, with noise and JPEG of its own. Drawn is how often the likeliest card is the card, for three ways of
counting: the first frame alone, the frames added up by `referee.vision.evidence`, and their nats simply summed.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.deck.folder import resolve_deck
from referee.sim.tables import Scene, Table, hard
from referee.vision.confidence import shares
from referee.vision.evidence import Evidence, add
from referee.vision.geometry import overlap
from referee.vision.reader import Reader

FRAMES = 8
EDGES = (0.0, 0.6, 0.8, 0.9, 0.97, 0.99, 1.0001)
SIZE, PAD = 420, 60
WAYS = ("one frame", "evidence", "summed")
COLOURS = ((60, 60, 200), (60, 150, 60), (200, 120, 40))
MOST_NATS = 30.0

Picture = NDArray[np.uint8]


def main() -> None:
    """Render, read, add up, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--picture", type=Path, required=True)
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    deck = resolve_deck("builtin:totem-rush")
    reader, table = Reader(deck), Table(deck)
    judged: dict[str, list[tuple[float, bool]]] = {way: [] for way in WAYS}
    for seed in range(arguments.first_seed, arguments.first_seed + arguments.tables):
        random = np.random.default_rng(seed)
        how = replace(
            hard(random, (28, 42)), size=(960, 540), noise=0.0, jpeg=100, pile=1, arms=0, motion_px=0.0, glare=0.0
        )
        scene = table.scene(seed, replace(how, blur_px=float(random.uniform(1.2, 2.6))), cards=10)
        for way, rows in follow(reader, scene, random).items():
            judged[way] += rows
    canvas = np.full((SIZE + 2 * PAD, SIZE + 2 * PAD, 3), 255, np.uint8)
    cv2.rectangle(canvas, _at(0, 1), _at(1, 0), (0, 0, 0), 1)
    cv2.line(canvas, _at(0, 0), _at(1, 1), (170, 170, 170), 1, cv2.LINE_AA)
    for i, (way, colour) in enumerate(zip(WAYS, COLOURS, strict=True)):
        confidence = np.array([c for c, _ in judged[way]])
        right = np.array([r for _, r in judged[way]])
        sure = confidence >= 0.99
        print(f"{way}: {len(right)} cards, sure of {int(sure.sum())}, of these wrong {int((sure & ~right).sum())}")
        last: tuple[int, int] | None = None
        for low, high in pairwise(EDGES):
            band = (confidence >= low) & (confidence < high)
            if not band.any():
                continue
            share, mean = float(right[band].mean()), float(confidence[band].mean())
            print(f"   {low:.2f}-{min(high, 1.0):.2f}: {int(band.sum()):5d} cards, {100 * share:5.1f} % right")
            here = _at(mean, share)
            cv2.circle(canvas, here, 4, colour, -1, cv2.LINE_AA)
            if last is not None:
                cv2.line(canvas, last, here, colour, 1, cv2.LINE_AA)
            last = here
        cv2.putText(canvas, way, (PAD + 12, PAD + 24 + 20 * i), 0, 0.5, colour, 1, cv2.LINE_AA)
    for tick in (0.0, 0.5, 1.0):
        cv2.putText(canvas, f"{tick:.1f}", (_at(tick, 0)[0] - 10, SIZE + PAD + 18), 0, 0.42, (0, 0, 0), 1)
        cv2.putText(canvas, f"{tick:.1f}", (PAD - 34, _at(0, tick)[1] + 4), 0, 0.42, (0, 0, 0), 1)
    cv2.putText(canvas, f"confidence after {FRAMES} frames", (SIZE // 2 - 40, SIZE + PAD + 42), 0, 0.5, (0, 0, 0), 1)
    cv2.putText(canvas, "share right", (PAD, PAD - 18), 0, 0.5, (0, 0, 0), 1)
    arguments.picture.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(arguments.picture), canvas)


def follow(reader: Reader, scene: Scene, random: np.random.Generator) -> dict[str, list[tuple[float, bool]]]:
    """For each true card: the confidence of the likeliest card after all frames, and whether it is the card."""
    card_mm = reader.prints.deck.card_mm
    noise = float(random.uniform(3, 9))
    kept = [Evidence() for _ in scene.cards]
    sums: list[dict[str, float]] = [{} for _ in scene.cards]
    first: list[list[float]] = [[] for _ in scene.cards]
    tops: list[str] = ["" for _ in scene.cards]
    for _ in range(FRAMES):
        for s in reader.read(frame_of(scene.image, noise, random)):
            i = max(range(len(scene.cards)), key=lambda k: overlap(scene.cards[k].quad, s.quad))
            if overlap(scene.cards[i].quad, s.quad) < 0.5 or s.look.seen < 0.9 or not s.look.ranking:
                continue
            if not first[i]:
                first[i] = shares(r.nats for r in s.look.ranking)
                tops[i] = s.look.ranking[0].card
            kept[i] = add(kept[i], s.look, card_mm)
            floor = min(r.nats for r in s.look.ranking)
            seen = {r.card: r.nats for r in s.look.ranking}
            sums[i] = {c: sums[i].get(c, 0.0) + seen.get(c, floor) for c in {*sums[i], *seen}}
    rows: dict[str, list[tuple[float, bool]]] = {way: [] for way in WAYS}
    for i, card in enumerate(scene.cards):
        if not first[i] or card.visible < 0.99:
            continue
        rows["one frame"].append((first[i][0], tops[i] == card.card))
        for way, nats in (("evidence", kept[i].nats), ("summed", sums[i])):
            best = max(nats, key=lambda c: nats[c])
            odds = [max(-MOST_NATS, value - nats[best]) for value in nats.values()]
            rows[way].append((max(shares(odds)), best == card.card))
    return rows


def frame_of(image: Picture, noise: float, random: np.random.Generator) -> Picture:
    """One more frame of a still scene."""
    shift = np.array([[1, 0, random.normal(0, 0.1)], [0, 1, random.normal(0, 0.1)]])
    moved = cv2.warpAffine(image, shift, image.shape[1::-1], flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    lit = moved.astype(np.float32) * np.float32(random.normal(1, 0.02))
    raw = np.clip(lit + random.normal(0, noise, image.shape), 0, 255).astype(np.uint8)
    _, data = cv2.imencode(".jpg", raw, [cv2.IMWRITE_JPEG_QUALITY, 85])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def _at(x: float, y: float) -> tuple[int, int]:
    return PAD + round(x * SIZE), PAD + round((1 - y) * SIZE)


if __name__ == "__main__":
    main()
