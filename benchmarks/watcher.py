"""What watching costs: milliseconds of one core a frame, while the table rests and while people play.

    python benchmarks/watcher.py                       # a simulated table, rendered as it goes
    python benchmarks/watcher.py --game FOLDER         # a recorded table
    python benchmarks/watcher.py --size 1280x720 --players 6 --seconds 20

Rendering and decoding are not counted. Processor time is counted, not time on the wall, so that whatever else the
machine does falls out.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import cv2
import numpy as np

from referee.cli import main as referee
from referee.deck.folder import resolve_deck
from referee.profile import read_profile
from referee.session import make_watcher
from referee.table.layouts import layout_of
from referee.vision.camera import CameraSettings, open_camera
from referee.vision.watcher import Watcher

GOAL_MEAN_MS, GOAL_P99_MS = 6.0, 25.0


def watch(folder: Path) -> tuple[list[float], list[bool]]:
    """Milliseconds of each frame of a recorded table, and whether anything but `CameraPast` was said or held."""
    profile = read_profile(folder / "profile.toml")
    watcher: Watcher = make_watcher(profile, layout_of(profile), resolve_deck(profile.deck))
    source = open_camera(CameraSettings(str(folder / "video.mp4")), lambda: 0, folder / "frames_t.txt")
    costs, busy = [], []
    for frame in source.frames():
        start = time.process_time()
        said = watcher.feed(frame)
        costs.append((time.process_time() - start) * 1000)
        busy.append(len(said) > 1)
    return costs, busy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", type=Path, help="a recorded table (video.mp4, frames_t.txt, profile.toml)")
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--players", default="6")
    parser.add_argument("--seconds", default="20")
    parser.add_argument("--seed", default="7")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.game
        if folder is None:
            folder = Path(scratch) / "game"
            options = ["--players", arguments.players, "--seconds", arguments.seconds, "--seed", arguments.seed]
            if referee(["sim", "record", "--out", str(folder), "--size", arguments.size, *options]) != 0:
                sys.exit("the table could not be made")
        costs, busy = watch(folder)
    ms, was_busy = np.array(costs), np.array(busy)
    for name, part in (("all frames", ms), ("something said", ms[was_busy]), ("nothing said", ms[~was_busy])):
        if len(part):
            print(f"{name:15s} {len(part):5d}  mean {part.mean():6.2f}  p50 {np.median(part):6.2f}  p99 "
                  f"{np.quantile(part, 0.99):6.2f}  worst {part.max():6.2f} ms")  # fmt: skip
    good = ms.mean() <= GOAL_MEAN_MS and np.quantile(ms, 0.99) <= GOAL_P99_MS
    print(f"goal: mean {GOAL_MEAN_MS:g} ms, p99 {GOAL_P99_MS:g} ms: {'met' if good else 'not met'}")


if __name__ == "__main__":
    main()
