"""How true calibrations are, against rendered cameras, tables and lamps whose truth is known.

    python benchmarks/calibration_truth.py camera|table|time|refusals [--first SEED] [--count N]

`camera` solves for a lens from 18 rendered pictures and prints how far the model is off over the picture; `table` goes
the whole way, from pictures of the board to a mat seen by that same camera; `time` fits offsets of cameras at 30 frames
a second; `refusals` counts how often spoilt pictures of the board are refused, and with which reason.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from calibration.boards import A4_BOARD, Board
from calibration.camera import CameraCalibration
from calibration.lamp_time import fit_offset
from calibration.lens import Solved
from calibration.looks import Refused, look_at
from calibration.table import Mat, find_table
from referee.sim.boards import Lens, Manner
from referee.sim.lamp_camera import LampScene
from referee.sim.scenery import draw_scenery
from referee.sim.seating import draw_seating
from referee.sim.sensor import Sensor
from referee.vision.table import find_markers, view_from_markers
from tests.calibration.rendered import Hands, board_print, model_error, usual_lens
from tests.calibration.test_time import blinking, changes_us, watched

SIZES = ((960, 540), (1280, 720), (1920, 1080))
LIGHTS = ("day", "evening", "ceiling", "hard", "dim", "glare")


def solved(lens: Lens, seed: int, pictures: int = 18) -> tuple[Solved, int]:
    """The lens as calibration finds it, and how many pictures were kept."""
    hands = Hands(lens, seed)
    calibration = CameraCalibration(A4_BOARD)
    for number, picture in enumerate(hands.round_about(pictures)):
        calibration.add(picture, str(number))
    return calibration.solve(), len(calibration.looks)


def camera(seed: int) -> list[float]:
    """One camera; the worst error over the picture, and the focal length's."""
    lens = usual_lens(seed, SIZES[seed % 3])
    found, kept = solved(lens, seed)
    off = model_error(lens, found.lens)
    focal = abs(found.lens.matrix[0, 0] / lens.focal_px - 1)
    print(
        f"{seed} {lens.size[0]}x{lens.size[1]} {kept} pictures: held out {found.held_out_px:.3f} px, model error "
        f"{np.median(off):.3f} median {off.max():.3f} worst px, focal length {focal:.3%} off"
    )
    return [float(np.median(off)), float(off.max()), focal]


def table(seed: int) -> list[float]:
    """One table, with the lens calibrated before: the error over the mat by three ways of knowing its size."""
    random = np.random.default_rng([seed, 81])
    size = SIZES[seed % 3]
    seating = draw_seating([f"p{k}" for k in range(2 + seed % 5)], random)
    scenery = draw_scenery(
        seating.places(), size, LIGHTS[seed % 6], ("wood", "felt", "checks")[seed % 3], "printed", random
    )
    optics = scenery.optics
    bend = tuple(float(value) for value in optics.distortion)
    true = Lens(size, float(optics.matrix[0, 0]), (float(optics.matrix[0, 2]), float(optics.matrix[1, 2])), bend)
    lens = solved(true, seed, 14)[0].lens
    sensor = Sensor(size, scenery.light, random)
    pictures = [sensor.expose(scenery.empty) for _ in range(9)]
    places = {k: np.array(place) for k, place in enumerate(seating.markers)}
    x, y = (max(abs(marker[i]) for marker in seating.markers) + 20 for i in (0, 1))
    grid = np.stack(np.meshgrid(np.linspace(-x, x, 25), np.linspace(-y, y, 19)), -1).reshape(-1, 2)
    seen = optics.pixels(grid)
    row: list[float] = []
    known = find_table(pictures, Mat(places), lens).view
    live = view_from_markers(find_markers(pictures[0]), size, places, lens=lens)
    assert live is not None
    for view in (known, find_table(pictures, Mat(None), lens).view, find_table(pictures, Mat(places), None).view, live):
        off = np.linalg.norm(view.millimetres(seen) - grid, axis=1)
        row += [float(np.median(off)), float(off.max())]
    print(f"{seed} {size[0]}x{size[1]} residual {known.residual_mm:.2f} mm:", " ".join(f"{v:.2f}" for v in row))
    return row


def time(seed: int) -> list[float]:
    """One camera's offset: the error, and how far off it was said to be at most."""
    random = np.random.default_rng([seed, 91])
    late = float(random.uniform(-50_000, 180_000))
    scene = LampScene(
        exposure_us=int(random.uniform(1_000, 33_000)),
        late_us=late,
        jitter_us=float((0.0, 300.0, 3_000.0)[seed % 3]),
        noise=float(random.uniform(1, 5)),
        glow=float(random.uniform(0.1, 1.0)),
        ambient=float(random.uniform(0.05, 0.5)),
        lamp_px=(150.0, 90.0),
    )
    changes = blinking(random)
    watch = watched(random, changes, scene)
    brightness, line = watch.brightness()
    found = fit_offset(np.array(watch.t_us), brightness, changes_us(changes), line)
    error = found.offset_us + late
    print(
        f"{seed} jitter {scene.jitter_us / 1000:.1f} ms: {error / 1000:+.2f} ms off, said ± {found.error_us / 1000:.2f}"
    )
    return [abs(error), found.error_us]


def refusals(seed: int) -> list[float]:
    """Spoilt pictures of one camera; prints the reasons by kind."""
    hands = Hands(usual_lens(seed), seed)
    random = np.random.default_rng([seed, 95])
    others = (
        Board(7, 9, 26.0, 20.0, "DICT_6X6_50"),
        Board(5, 7, 30.0, 22.0, "DICT_5X5_50"),
        Board(9, 11, 18.0, 14.0, "DICT_5X5_100"),
    )
    prints = [board_print(board) for board in others]
    good = 0
    counted: dict[str, Counter[str]] = {}
    for _ in range(10):
        at = (float(random.uniform(0.4, 0.6)), float(random.uniform(0.42, 0.58)))
        turn = (float(random.uniform(-30, 30)), float(random.uniform(-30, 30)), float(random.uniform(0, 360)))
        away = float(random.uniform(0.36, 0.5))
        angle = float(random.uniform(0, 180))
        x, y = at[0] * 1280 + float(random.uniform(-40, 40)), at[1] * 720 + float(random.uniform(-60, 60))
        spoilt = {
            "good": hands.picture(at, away, turn),
            "blurred": hands.picture(at, away, turn, Manner(blur_px=float(random.uniform(2.6, 5)))),
            "shaken": hands.picture(at, away, turn, Manner(motion_px=float(random.uniform(9, 18)), motion_deg=angle)),
            "mirrored": np.ascontiguousarray(hands.picture(at, away, turn)[:, ::-1]),
            "another board": hands.picture(at, away, turn, printed=prints[int(random.integers(3))]),
            "half covered": hands.picture(at, away, turn, Manner(hand=(x, y, 125.0))),
            "burnt out": hands.picture(at, away, turn, Manner(white=330.0)),
        }
        for kind, picture in spoilt.items():
            found = look_at(picture, A4_BOARD, kind)
            why = found.why.split(":")[0].split("(")[0] if isinstance(found, Refused) else "kept"
            counted.setdefault(kind, Counter())[why.strip()[:44]] += 1
            good += kind == "good" and why == "kept"
    for kind, reasons in counted.items():
        print(f"{seed} {kind}: {dict(reasons)}")
    return [good / 10]


def main() -> None:
    """Print one line a case and the whole."""
    kinds = {"camera": camera, "table": table, "time": time, "refusals": refusals}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=tuple(kinds))
    parser.add_argument("--first", type=int, default=81_000)
    parser.add_argument("--count", type=int, default=12)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    rows = np.array([kinds[options.kind](options.first + k) for k in range(options.count)])
    for share in (50, 95, 100):
        print(f"{share} %:", " ".join(f"{value:.4g}" for value in np.percentile(rows, share, axis=0)))


if __name__ == "__main__":
    main()
