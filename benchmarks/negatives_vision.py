"""Pictures without a card: how often the reader names one all the same.

    python benchmarks/negatives_vision.py --deck builtin:totem-rush --pictures 200

Half are tables rendered here with what lies on tables (books, phones, envelopes, notes, hands, other decks' backs)
and no card; the others are cuts of the sample pictures that scikit-image ships (`pip install -e ".[bench]"`).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.deck.folder import resolve_deck
from referee.sim.tables import Table, hard
from referee.vision.reader import Reader

Picture = NDArray[np.uint8]


def main() -> None:
    """Make the pictures, read them, count the ids."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deck", default="builtin:totem-rush")
    parser.add_argument("--pictures", type=int, default=100)
    parser.add_argument("--first-seed", type=int, default=40_000)
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    deck = resolve_deck(arguments.deck)
    reader, table = Reader(deck), Table(deck)
    samples = sample_pictures()
    ids = unknown = with_id = 0
    for i in range(arguments.pictures):
        random = np.random.default_rng(arguments.first_seed + i)
        image = cut(samples, random) if samples and i % 2 else cluttered(table, random)
        said = [s.card for s in reader.read(image)]
        named = [card for card in said if "?" not in card]
        ids, unknown, with_id = ids + len(named), unknown + len(said) - len(named), with_id + bool(named)
    print(
        f"{arguments.deck}: {arguments.pictures} pictures without a card ({len(samples)} sample pictures): "
        f"{ids} ids in {with_id} pictures, {unknown} times `?`"
    )


def sample_pictures() -> list[Picture]:
    """scikit-image's sample pictures that lie in its package; none when it is not installed."""
    try:
        import skimage.data
    except ImportError:
        return []
    folder = Path(skimage.data.__file__).parent
    paths = [p for p in sorted(folder.iterdir()) if p.suffix in (".png", ".jpg", ".jpeg")]
    read = [cv2.imread(str(p), cv2.IMREAD_COLOR) for p in paths]
    return [np.asarray(image, np.uint8) for image in read if image is not None and min(image.shape[:2]) > 60]


def cut(samples: list[Picture], random: np.random.Generator) -> Picture:
    """A part of a sample picture, mirrored or not, at a size of 480 to 960 pixels."""
    image = samples[int(random.integers(len(samples)))]
    height, width = image.shape[:2]
    share = random.uniform(0.5, 1.0)
    h, w = int(height * share), int(width * share)
    y, x = int(random.integers(height - h + 1)), int(random.integers(width - w + 1))
    part = image[y : y + h, x : x + w]
    scale = random.uniform(480, 960) / max(part.shape[:2])
    grown = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
    return np.asarray(grown[:, ::-1] if random.random() < 0.5 else grown, np.uint8)


def cluttered(table: Table, random: np.random.Generator) -> Picture:
    """A table with rectangles, discs and written paper of many sizes on it, and no card."""
    image = table.single(int(random.integers(1 << 30)), hard(random), []).image.copy()
    height, width = image.shape[:2]
    for _ in range(int(random.integers(3, 9))):
        centre = (int(random.uniform(0.1, 0.9) * width), int(random.uniform(0.1, 0.9) * height))
        size = (random.uniform(0.04, 0.22) * width, random.uniform(0.04, 0.22) * width)
        box = cv2.boxPoints((centre, size, random.uniform(0, 180)))
        colour = tuple(
            float(v) for v in (random.uniform(200, 250, 3) if random.random() < 0.5 else random.uniform(5, 250, 3))
        )
        cv2.fillConvexPoly(image, np.round(box).astype(np.int32), colour, cv2.LINE_AA)
        ink = tuple(float(v) for v in random.uniform(0, 200, 3))
        kind = int(random.integers(4))
        if kind == 0:
            text = "".join(chr(int(c)) for c in random.integers(65, 91, 5))
            cv2.putText(image, text, (centre[0] - 40, centre[1]), 0, random.uniform(0.5, 1.5), ink, 2, cv2.LINE_AA)
        elif kind == 1:
            cv2.circle(image, centre, int(0.3 * min(size)), ink, -1 if random.random() < 0.5 else 3, cv2.LINE_AA)
        elif kind == 2:
            for k in range(-3, 4):
                at = (int(centre[0] - 0.3 * size[0]), centre[1] + k * 9)
                cv2.line(image, at, (int(centre[0] + 0.3 * size[0]), at[1]), ink, 1, cv2.LINE_AA)
    return image


if __name__ == "__main__":
    main()
