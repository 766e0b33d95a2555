"""Speed and accuracy of the reader beside naive template matching, ORB matching and Hu moments, in one run.

    OPENBLAS_NUM_THREADS=1 python benchmarks/speed_vision.py

One core. Beside the median of the time that passed stands the least time the processor took, which says more on
a machine that is busy with other things.

Rectified cards are given to all four with the same corners, half a pixel off the true ones (the usual error of an
edge finder), and each is read several times; what this reader makes once a print (its equations at a size and a blur)
is made at its first reading, whose time stands beside it. Whole pictures are read by the reader alone. Prints medians
and ratios.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.deck.folder import picture, resolve_deck
from referee.sim.tables import Conditions, Table, TrueCard
from referee.vision.change import has_changed, still
from referee.vision.coarse import Guess, search
from referee.vision.finding import coarse_layer, guesses_on_table
from referee.vision.geometry import circle_about, corners_mm, homography
from referee.vision.pyramid import Pyramid
from referee.vision.reader import Reader
from referee.vision.symbols import look

PX = 64
EASY = Conditions((1280, 720), 80.0, 5.0, -0.05, "felt", 1.1, 0.85, 0.0, 0.0, 0, 0.6, 0.0, 3.0, 88, True, 1)

Picture = NDArray[np.uint8]


def main() -> None:
    """Render, read, print."""
    cv2.setNumThreads(1)
    deck = resolve_deck("builtin:totem-rush")
    reader, table = Reader(deck), Table(deck)
    scenes = [table.scene(seed, EASY, cards=8) for seed in range(70_000, 70_006)]
    cards = [(scene.image, card) for scene in scenes for card in scene.cards]
    reader.read(scenes[0].image)  # what is made once a deck is made now
    faces = {c.id: np.asarray(cv2.resize(picture(c), (PX, PX), interpolation=cv2.INTER_AREA)) for c in deck.cards}
    ways: dict[str, Callable[[Picture, TrueCard], str]] = {
        "template matching": _template_matching(faces),
        "ORB matching": _orb(faces),
        "Hu moments": _hu(faces),
        "this reader": _reader(reader),
    }
    print(f"one rectified card against {len(faces)} ({len(cards)} cards)")
    times: dict[str, float] = {}
    for name, way in ways.items():
        took, right = [], 0
        for image, card in cards:
            before = time.perf_counter()
            said = way(image, card)
            took.append(1000 * (time.perf_counter() - before))
            right += said == card.card
        times[name], _ = _timed([partial(way, image, card) for image, card in cards], rounds=3)
        first = f"  (met for the first time {np.median(took):.2f})" if way is ways["this reader"] else ""
        print(f"  {name:20s}{times[name]:8.2f} ms  right {100 * right / len(cards):5.1f} %{first}")
    for name in list(ways)[:-1]:
        print(f"  this reader takes {times['this reader'] / times[name]:.2f} times as long as {name}")
    large = [table.scene(seed, _grown(1.5), cards=8) for seed in range(70_000, 70_004)]
    matched = times["template matching"]
    for name, pictures in (("1280×720", scenes), ("1920×1080", large)):
        wall, processor = _timed([_call(reader.read, scene.image) for scene in pictures])
        print(f"whole picture {name}, 8 cards: median {wall:.0f} ms, processor {processor:.0f} ms at best")
        print(f"  it takes {wall / matched:.0f} times as long as matching one card's templates")
        for part, calls in _finding(reader, [scene.image for scene in pictures]).items():
            wall, processor = _timed(calls)
            print(f"  of it {part:22s} median {wall:6.1f} ms, processor {processor:6.1f} ms at best")
    first = still(scenes[0].image)
    wall, processor = _timed([lambda: has_changed(first, still(scenes[0].image))] * 10)
    print(f"a frame in which nothing changed: median {wall:.2f} ms, processor {processor:.2f} ms at best")
    print(f"largest memory of `referee read` on these pictures: {_memory_mb([s.image for s in scenes]):.0f} MB")


def _timed(calls: list[Callable[[], object]], rounds: int = 5) -> tuple[float, float]:
    """The median of the milliseconds that pass, and the mean over the calls of the least the processor takes."""
    wall, least = [], []
    for call in calls:
        took = []
        for _ in range(rounds):
            before, used = time.perf_counter(), time.process_time()
            call()
            wall.append(1000 * (time.perf_counter() - before))
            took.append(1000 * (time.process_time() - used))
        least.append(min(took))
    return float(np.median(wall)), float(np.mean(least))


def _call(function: Callable[[Picture], object], image: Picture) -> Callable[[], object]:
    return lambda: function(image)


def _grown(share: float) -> Conditions:
    width, height = EASY.size
    return replace(EASY, size=(round(share * width), round(share * height)), side_px=share * EASY.side_px)


def _finding(reader: Reader, images: list[Picture]) -> dict[str, list[Callable[[], object]]]:
    """What of a picture's reading is finding: everything before the first print is laid on it."""

    def guesses(image: Picture) -> object:
        view = reader.view(image)
        assert view is not None
        markers = [circle_about(quad) for quad in view.markers.values()]
        pyramid = Pyramid(image)
        layer = coarse_layer(pyramid, reader.prints.deck.card_mm, view.locals)
        assert layer is not None
        return guesses_on_table(pyramid, reader.prints, view.locals, layer, markers)

    ways: dict[str, Callable[[Picture], object]] = {"markers and view": reader.view, "finding, with these": guesses}
    return {name: [_call(way, image) for image in images] for name, way in ways.items()}


def _memory_mb(images: list[Picture]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        for i, image in enumerate(images):
            cv2.imwrite(str(Path(folder) / f"{i}.png"), image)
        # A process starts with its parent's peak on record: a small one in between makes the figure the reader's.
        command = [sys.executable, "-c", _MEASURE, folder]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout) / 1024


_MEASURE = """
import resource, subprocess, sys
command = [sys.executable, "-m", "referee", "read", sys.argv[1], "--deck", "builtin:totem-rush", "--json"]
subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def _rectified(image: Picture, card: TrueCard) -> Picture:
    corners = card.quad + np.array([[0.5, 0.0], [0.0, 0.5], [-0.5, 0.0], [0.0, -0.5]])
    frame = np.array([[0, 0], [PX, 0], [PX, PX], [0, PX]], np.float64) - 0.5
    return np.asarray(cv2.warpPerspective(image, np.linalg.inv(homography(frame, corners)), (PX, PX)), np.uint8)


def _turns(patch: Picture) -> list[Picture]:
    return [np.ascontiguousarray(np.rot90(patch, k)) for k in range(4)]


def _template_matching(faces: dict[str, Picture]) -> Callable[[Picture, TrueCard], str]:
    names = list(faces)
    stack = np.stack([_unit(faces[n]) for n in names])

    def way(image: Picture, card: TrueCard) -> str:
        likeness = np.stack([stack @ _unit(p) for p in _turns(_rectified(image, card))]).max(0)
        return names[int(likeness.argmax())]

    return way


def _unit(image: Picture) -> NDArray[np.float32]:
    values = image.astype(np.float32).ravel()
    values = values - values.mean()
    return np.asarray(values / max(1e-6, float(np.linalg.norm(values))), np.float32)


def _orb(faces: dict[str, Picture]) -> Callable[[Picture, TrueCard], str]:
    orb = cv2.ORB.create(200, edgeThreshold=8, patchSize=16, fastThreshold=8)
    matcher = cv2.BFMatcher.create(cv2.NORM_HAMMING, crossCheck=True)
    known = {n: orb.detectAndCompute(cv2.resize(f, (128, 128)), None)[1] for n, f in faces.items()}

    def way(image: Picture, card: TrueCard) -> str:
        patch = cv2.resize(_rectified(image, card), (128, 128))
        found = orb.detectAndCompute(patch, None)[1]
        if found is None:
            return "?"
        score = {
            n: sum(m.distance < 40 for m in matcher.match(found, d)) / max(1, len(d))
            for n, d in known.items()
            if d is not None
        }
        return max(score, key=lambda n: score[n])

    return way


def _hu(faces: dict[str, Picture]) -> Callable[[Picture, TrueCard], str]:
    def features(image: Picture) -> NDArray[np.float64]:
        dark = image.min(2)
        _, mask = cv2.threshold(dark, 0, 255, cv2.THRESH_BINARY_INV | cv2.THRESH_OTSU)
        hu = cv2.HuMoments(cv2.moments(mask)).ravel()
        logs = np.sign(hu) * np.log10(np.abs(hu) + 1e-30)
        ink = image[mask > 0].mean(0) / 40 if mask.any() else np.zeros(3)
        return np.concatenate([logs, ink])

    known = {n: features(f) for n, f in faces.items()}

    def way(image: Picture, card: TrueCard) -> str:
        seen = features(_rectified(image, card))
        return min(known, key=lambda n: float(np.abs(known[n] - seen).sum()))

    return way


def _reader(reader: Reader) -> Callable[[Picture, TrueCard], str]:
    corners = corners_mm(reader.prints.deck.card_mm)
    layers: dict[int, Pyramid] = {}

    def way(image: Picture, card: TrueCard) -> str:
        # The ink layer belongs to the picture and is made once for all its cards.
        layer = layers.setdefault(id(image), Pyramid(image)).at(1.0)
        frame = homography(corners, card.quad + np.array([[0.5, 0.0], [0.0, 0.5], [-0.5, 0.0], [0.0, -0.5]]))
        guess = _guess(reader, layer.ink, frame)
        found = look(layer.ink, image, reader.prints, guess, frame, card.side_px) if guess else None
        return found.ranking[0].card if found is not None else "?"

    return way


def _guess(reader: Reader, ink: NDArray[np.float32], frame: NDArray[np.float64]) -> Guess | None:
    return search(ink, reader.prints, frame, reach=1, upright=True)


if __name__ == "__main__":
    main()
