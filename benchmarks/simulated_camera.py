"""What a frame of the simulated camera costs: `python benchmarks/simulated_camera.py` (about three minutes).

Processor time of one thread for each frame of a 20 s game (limit: 25 ms in the mean at 960x540, so that 30 frames a
second leave a quarter of a core), beside it in the same run what copying and encoding the same frames as video
costs, so that the ratio travels between machines.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import cv2
import numpy as np

from referee.sim.scenes import NAMES
from referee.sim.settings import Settings, frame_times, set_up

SECONDS = 20.0


def measure(players: int, size: tuple[int, int], seed: int, folder: Path) -> str:
    """One row: set-up, frames, video."""
    start = time.process_time()
    table = set_up(Settings(NAMES[:players], SECONDS, seed, size=size))
    film = table.film()
    made_s = time.process_time() - start
    codec = cv2.VideoWriter_fourcc(*"mp4v")
    video = cv2.VideoWriter(str(folder / "x.mp4"), codec, 30.0, size)
    frames, encoding = [], []
    for t_us in frame_times(table.game.timeline.end_us, 30.0, seed).tolist():
        a = time.process_time()
        picture = film.frame(t_us)
        b = time.process_time()
        video.write(picture)
        frames.append(b - a)
        encoding.append(time.process_time() - b)
    video.release()
    ms = 1000 * np.array(frames)
    return (
        f"{players} players {size[0]}x{size[1]}: set-up {made_s:4.1f} s; a frame {ms.mean():5.1f} ms in the mean, "
        f"{np.quantile(ms, 0.95):5.1f} (95 %), {np.quantile(ms, 0.99):5.1f} (99 %), {ms.max():5.1f} at most; "
        f"encoding it {1000 * np.mean(encoding):4.1f} ms"
    )


def main() -> None:
    """Print the table."""
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as folder:
        for size in ((960, 540), (1280, 720)):
            for players in (4, 6, 8):
                print(measure(players, size, 20 + players, Path(folder)), flush=True)


if __name__ == "__main__":
    main()
