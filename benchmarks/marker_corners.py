"""How much truer a table is by its markers' sides than by their outlines: the same pictures, both ways.

    python benchmarks/marker_corners.py --count 36 --first 83000

Rendered tables of three sizes in all kinds of light, one picture each as a game sees it; the error over the whole mat.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from numpy.typing import NDArray

from referee.sim.light import LIGHTS
from referee.sim.scenery import draw_scenery
from referee.sim.seating import draw_seating
from referee.sim.sensor import Sensor
from referee.vision import table
from referee.vision.table import Lens, find_markers, view_from_markers

SIZES = ((960, 540), (1280, 720), (1920, 1080))
KNOWN = ("lens and mat known", "mat known", "lens known", "neither known")
SIDES = table.side_corners


def one(seed: int) -> tuple[list[list[float]], list[float]]:
    """Median and worst error (mm) by outline, then by sides, for each of what may be known; the seconds both took."""
    random = np.random.default_rng([seed, 81])
    size = SIZES[seed % 3]
    seating = draw_seating([f"p{k}" for k in range(2 + seed % 5)], random)
    kind, top, mat = (
        tuple(LIGHTS)[seed % len(LIGHTS)],
        ("wood", "felt", "checks")[seed % 3],
        ("printed", "loose")[seed % 2],
    )
    scenery = draw_scenery(seating.places(), size, kind, top, mat, random)
    picture = Sensor(size, scenery.light, random).expose(scenery.empty)
    lens = Lens(scenery.optics.matrix, scenery.optics.distortion)
    places = {k: np.array(place) for k, place in enumerate(seating.markers)}
    x, y = (max(abs(marker[i]) for marker in seating.markers) + 20 for i in (0, 1))
    grid = np.stack(np.meshgrid(np.linspace(-x, x, 25), np.linspace(-y, y, 19)), -1).reshape(-1, 2)
    seen = scenery.optics.pixels(grid)
    rows: list[list[float]] = []
    took = []
    for corners in (lambda grey, quad: quad, SIDES):
        table.side_corners = corners
        begin = time.process_time()
        markers = find_markers(picture)
        took.append(time.process_time() - begin)
        row: list[float] = []
        for known, centres in ((lens, places), (None, places), (lens, None), (None, None)):
            view = view_from_markers(markers, size, centres, lens=known)
            assert view is not None
            off = np.linalg.norm(view.millimetres(seen) - grid, axis=1)
            row += [float(np.median(off)), float(off.max())]
        rows.append(row)
    return rows, took


def main() -> None:
    """Print both ways side by side."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=36)
    parser.add_argument("--first", type=int, default=83_000)
    arguments = parser.parse_args()
    found = [one(seed) for seed in range(arguments.first, arguments.first + arguments.count)]
    errors: NDArray[np.float64] = np.array([rows for rows, _ in found])
    print(f"{'':20}  outline: median, worst table, worst place     sides: the same                 truer")
    for k, known in enumerate(KNOWN):
        outline, sides = errors[:, 0, 2 * k : 2 * k + 2], errors[:, 1, 2 * k : 2 * k + 2]
        shown = [
            f"{np.median(way[:, 0]):.3f} {way[:, 0].max():.3f} {way[:, 1].max():.3f} mm" for way in (outline, sides)
        ]
        better = int((sides[:, 1] < outline[:, 1]).sum())
        print(f"{known:20}  {shown[0]:40}  {shown[1]:30}  {better} of {len(errors)}")
    took = 1000 * np.median(np.array([seconds for _, seconds in found]), axis=0)
    print(f"processor time a picture: {took[0]:.1f} and {took[1]:.1f} ms (median)")


if __name__ == "__main__":
    main()
