"""Cards across which a lamp's hard shadow falls, and cards of which a plain thing hides as much: found, right, wrong.

    OPENBLAS_NUM_THREADS=1 python benchmarks/shadows_vision.py --first-seed 1 --cards 200

Each card lies alone on a table of `referee.sim.tables`, seen as a good camera sees it. The shadow's edge is straight
and as soft as a small lamp's; it takes 20 to 70 % of the light. The plain thing is grey.
"""

from __future__ import annotations

import argparse
from collections import Counter

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.deck.folder import resolve_deck
from referee.sim.tables import SURFACES, Conditions, Scene, Table
from referee.vision.geometry import overlap
from referee.vision.reader import Reader

Picture = NDArray[np.uint8]


def main() -> None:
    """Read the command line, render, read, count, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deck", default="builtin:totem-rush")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--cards", type=int, default=100)
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    deck = resolve_deck(asked.deck)
    reader, table = Reader(deck), Table(deck)
    counted: dict[str, Counter[str]] = {name: Counter() for name in ("half in shadow", "a band of shadow", "covered")}
    for seed in range(asked.first_seed, asked.first_seed + asked.cards):
        random = np.random.default_rng([seed, 77])
        surface = str(random.choice(SURFACES))
        side = float(random.uniform(60, 130))
        easy = Conditions((960, 540), side, 4.0, -0.05, surface, 1.1, 0.85, 0.0, 0.0, 0, 0.6, 0.0, 3.0, 88, True, 1)
        scene = table.single(seed, easy, [str(random.choice([card.id for card in deck.cards]))])
        turn, start = float(random.uniform(0, 2 * np.pi)), float(random.uniform(-0.25, 0.25))
        half, band = _stripe(scene, turn, start, 9.0), _stripe(scene, turn, start, float(random.uniform(0.2, 0.5)))
        dark, grey = np.float32(random.uniform(0.3, 0.8)), np.float32(random.uniform(40, 200))
        pictures = {
            "half in shadow": scene.image * (1 - (1 - dark) * half),
            "a band of shadow": scene.image * (1 - (1 - dark) * band),
            "covered": scene.image * (1 - half) + grey * half,
        }
        for name, picture in pictures.items():
            counted[name][_outcome(reader, scene, picture.astype(np.uint8))] += 1
    print(f"{'':18s}" + "".join(f"{what:>10s}" for what in ("right", "?", "missed", "wrong")))
    for name, count in counted.items():
        print(f"{name:18s}" + "".join(f"{count[what]:10d}" for what in ("right", "?", "missed", "wrong")))


def _stripe(scene: Scene, turn: float, start: float, wide: float) -> NDArray[np.float32]:
    """1 on a stripe across the card that begins and is as wide as shares of its side say, 0 beside it; H×W×1."""
    card = scene.cards[0]
    middle, across = card.quad.mean(0), np.array([np.cos(turn), np.sin(turn)])
    along = np.array([-across[1], across[0]])
    ends = ((start, -9.0), (start + wide, -9.0), (start + wide, 9.0), (start, 9.0))
    corners = np.array([middle + card.side_px * (across * a + along * b) for a, b in ends])
    mask = np.zeros(scene.image.shape[:2], np.float32)
    cv2.fillConvexPoly(mask, np.round(corners).astype(np.int32), 1.0)
    return np.asarray(cv2.GaussianBlur(mask, (0, 0), 1.2)[:, :, None], np.float32)


def _outcome(reader: Reader, scene: Scene, image: Picture) -> str:
    card = scene.cards[0]
    seen = reader.read(image)
    if any(s.card not in ("?", card.card) for s in seen):
        return "wrong"
    here = [s.card for s in seen if overlap(s.quad, card.quad) > 0.3]
    return "missed" if not here else "right" if card.card in here else "?"


if __name__ == "__main__":
    main()
