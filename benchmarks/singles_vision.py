"""How photographs of single cards are read again, re-lit, blurred, warped and scaled.

    python benchmarks/singles_vision.py FOLDER --game 52 --variants 4 --first-seed 1

The folder holds one photograph a card, named after its id. The deck is enrolled from them as `referee deck enrol
--photos` does; then every photograph is altered at random and read. Nothing is written but a temporary deck.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.card_finder import find_plain
from calibration.deck import enrol_photos
from referee.deck.collect import picture_files, plan_for
from referee.deck.folder import load_deck
from referee.deck.ids import game_name
from referee.deck.pictures import read_picture
from referee.deck.write import id_of_stem, write_deck
from referee.vision.reader import Reader

Picture = NDArray[np.uint8]


def main() -> None:
    """Enrol, alter, read, count, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--game", default="52")
    parser.add_argument("--variants", type=int, default=4)
    parser.add_argument("--first-seed", type=int, default=1)
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    plan = plan_for("photographs", game_name(arguments.game) or arguments.game)
    with tempfile.TemporaryDirectory() as folder:
        enrolled = enrol_photos(arguments.folder, plan, find_plain)
        write_deck(Path(folder) / "d", plan.name, plan.game, plan.card_mm, plan.read, enrolled.cards)
        reader = Reader(load_deck(Path(folder) / "d"))
    count: Counter[str] = Counter()
    for i, path in enumerate(picture_files(arguments.folder)):
        truth, photo = id_of_stem(path.stem), read_picture(path)
        for variant in range(arguments.variants):
            random = np.random.default_rng(arguments.first_seed + 1000 * i + variant)
            said = [s.card for s in reader.read(altered(photo, random))]
            count["pictures"] += 1
            count["found"] += bool(said)
            count["right"] += truth in said
            count["withheld"] += bool(said) and truth not in said and all("?" in card for card in said)
            wrong = [card for card in said if "?" not in card and card != truth]
            count["wrong"] += bool(wrong)
            if wrong:
                print(f"{path.name}, variant {variant}: read as {', '.join(wrong)}")
    total = count["pictures"]
    print(f"{total} pictures of {len(enrolled.cards)} cards enrolled ({len(enrolled.missing)} missing)")
    for what in ("found", "right", "withheld", "wrong"):
        print(f"  {what:9s}{count[what]:6d}  {100 * count[what] / total:5.1f} %")


def altered(photo: Picture, random: np.random.Generator) -> Picture:
    """A photograph as another camera, lens and lamp would have taken it."""
    height, width = photo.shape[:2]
    scale = float(np.exp(random.uniform(np.log(0.35), 0.0)))
    size = (round(width * scale), round(height * scale))
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    pushed = corners + random.uniform(-0.05, 0.05, (4, 2)) * [width, height]
    angle = float(random.uniform(-25, 25))
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), angle, 0.85)
    placed = (pushed @ turn[:, :2].T + turn[:, 2]) * scale
    warp = cv2.getPerspectiveTransform(corners, placed.astype(np.float32))
    shrunk = cv2.GaussianBlur(photo, (0, 0), max(0.01, 0.35 / scale))
    seen = cv2.warpPerspective(shrunk, warp, size, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    x = np.linspace(-0.5, 0.5, size[0], dtype=np.float32)[None, :, None]
    tint = np.exp(random.uniform(-0.2, 0.2, 3)).astype(np.float32)
    seen = seen * tint * np.float32(random.uniform(0.5, 1.15)) * (1 + np.float32(random.uniform(-0.5, 0.5)) * x)
    seen = cv2.GaussianBlur(seen, (0, 0), float(random.uniform(0.3, 1.2)))
    seen += random.normal(0, random.uniform(1, 6), seen.shape).astype(np.float32)
    raw = np.clip(seen, 0, 255).astype(np.uint8)
    _, data = cv2.imencode(".jpg", raw, [cv2.IMWRITE_JPEG_QUALITY, int(random.integers(70, 95))])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


if __name__ == "__main__":
    main()
