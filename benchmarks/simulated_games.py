"""Whole games with pictures, refereed and scored: `python benchmarks/simulated_games.py --games 6 --seconds 90`.

Each game is a table of its own: its seed, 3 to 8 players, light and table top, markers printed, loose or none, 30 or
15 frames a second, 960x540 or 1280x720, pads only or seat pads. `referee run` gets the recording and nothing else;
`referee.sim.scoring` compares what it said with the truth. With `--keep FOLDER` the recordings stay. In a recording
nobody settles what is undecided, and from then on the referee no longer knows who holds what; with `--person` the same
tables are played behind the referee's own doors and a simulated person answers on the operator's page, as at a real
table.

Prints a line a game and a table at the end; exit status 1 when a ruling was wrong with assurance.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
from rich.console import Console
from rich.table import Table as Sheet

from referee.demo import play_demo_fast
from referee.record import parse_line, read_records
from referee.sim.light import LIGHTS
from referee.sim.recorded_table import write_table
from referee.sim.scenery import MATS
from referee.sim.scenes import NAMES
from referee.sim.scoring import Score, never_shown, score
from referee.sim.settings import Settings, set_up
from referee.sim.surfaces import SURFACES

LONGEST_RUN_S = 3600
SIZES = ((960, 540), (1280, 720))
RATES = (30.0, 15.0)


def settings_of(seed: int, seconds: float) -> Settings:
    """One of many tables: every kind of light, table top, camera and totem comes up in turn."""
    return Settings(
        players=tuple(NAMES[: 3 + seed % 6]),
        seconds=seconds,
        seed=seed,
        light=LIGHTS[seed % len(LIGHTS)],
        surface=SURFACES[seed * 7 % len(SURFACES)],
        mat=MATS[seed // 2 % len(MATS)],
        fps=RATES[seed // 3 % 2],
        size=SIZES[seed // 5 % 2],
        seat_pads=seed // 4 % 2 == 1,
    )


def referee_it(folder: Path, timeout_s: float) -> tuple[list[dict[str, Any]], list[dict[str, Any]], str | None]:
    """What `referee run` says about a recording: events, rulings, and what went wrong."""
    record = folder / "said.jsonl"
    record.unlink(missing_ok=True)
    command = [sys.executable, "-m", "referee", "run", "--profile", str(folder / "profile.toml")]
    command += ["--camera", str(folder / "video.mp4"), "--frames-t", str(folder / "frames_t.txt")]
    command += ["--totem", str(folder / "totem.npz"), "--record", str(record), "--json"]
    if (folder / "calls.jsonl").exists():
        command += ["--calls", str(folder / "calls.jsonl")]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout_s, env=environment, check=False
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return [], [], f"took longer than {timeout_s:.0f} s"
    last = next(iter(done.stderr.strip().splitlines()[::-1]), f"ended with status {done.returncode}")
    problem = last if done.returncode not in (0, 1) or "Traceback" in done.stderr else None
    events = [word for line in _lines(record) if "event" in (word := line) and "ruling" not in word]
    rulings = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return events, [r for r in rulings if "ruling" in r], problem


def _lines(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    words = [parse_line(line) for line in path.read_bytes().splitlines()]
    return [word for word in words if word is not None]


def play_and_score(settings: Settings, folder: Path, timeout_s: float) -> Score:
    """Record one table, referee it, compare."""
    if not (folder / "truth.json").exists():
        write_table(set_up(settings), folder, force=True)
    truth = _lines(folder / "truth.jsonl")[1:]
    frames = json.loads((folder / "truth.json").read_text("utf-8"))["frames"]
    events, rulings, problem = referee_it(folder, timeout_s)
    unseen = never_shown(truth, frames)
    result = score(truth, _lines(folder / "rulings.jsonl"), events, rulings, unseen, settings.fps)
    if problem is not None:
        result.errors += 1
        result.notes.append(f"error: {problem}")
    return result


def play_with_a_person(settings: Settings, folder: Path) -> Score:
    """The same table without files, and with somebody who answers when the referee asks."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("record*"):
        path.unlink()
    played = play_demo_fast(settings, folder, lambda *_: [])
    with played.record.open("rb") as stream:
        (record,) = read_records(stream, str(played.record))
    return score(played.events, played.rulings, record.events, record.rulings, played.unseen, settings.fps)


def table_of(scores: dict[str, Score]) -> Sheet:
    """The scores as a table, one column a group."""
    sheet = Sheet("", *scores)
    for name in Score().counts():
        sheet.add_row(name, *(str(one.counts()[name]) for one in scores.values()))
    return sheet


def main() -> int:
    """Run it; 1 when a ruling or a card was wrong with assurance."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1000, help="of the first game")
    parser.add_argument("--seconds", type=float, default=90.0)
    parser.add_argument("--person", action="store_true", help="somebody settles what is undecided")
    parser.add_argument("--keep", type=Path, help="keep the recordings here, and use those that are there")
    parser.add_argument("--timeout", type=float, default=LONGEST_RUN_S, help="seconds for one run of the referee")
    parser.add_argument("--verbose", action="store_true", help="say what was wrong or missing")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    console = Console()
    groups = {"all": Score(), "pads only": Score(), "seat pads": Score()}
    with tempfile.TemporaryDirectory() as temporary:
        for place in range(arguments.games):
            settings = settings_of(arguments.seed + place, arguments.seconds)
            folder = (arguments.keep or Path(temporary)) / f"game-{settings.seed}"
            start = time.monotonic()
            if arguments.person:
                one = play_with_a_person(settings, folder)
            else:
                one = play_and_score(settings, folder, arguments.timeout)
            groups["all"].add(one)
            groups["seat pads" if settings.seat_pads else "pads only"].add(replace(one, notes=[]))
            _tell(console, place + 1, arguments.games, settings, one, time.monotonic() - start, arguments.verbose)
            if arguments.keep is None:
                for path in folder.iterdir():
                    path.unlink()
    console.print(table_of(groups))
    whole = groups["all"]
    return 1 if whole.rulings_wrong > whole.wrong_after_open or whole.flips_wrong or whole.errors else 0


def _tell(console: Console, place: int, of: int, settings: Settings, one: Score, seconds: float, verbose: bool) -> None:
    pads = "seat pads" if settings.seat_pads else "pads only"
    size = f"{settings.size[0]}x{settings.size[1]}@{settings.fps:g}"
    words = (
        f"{place}/{of} seed {settings.seed}: {len(settings.players)} players, {settings.light}, {settings.surface}",
        f"{settings.mat} mat, {size}, {pads}: flips {one.flips_right}/{one.flips} (wrong {one.flips_wrong})",
        f"rulings {one.rulings_right}/{one.rulings} (open {one.rulings_open}, wrong {one.rulings_wrong}",
        f"of these {one.wrong_after_open} after one left open)",
        f"by touch {one.touch_right}/{one.touch_rulings} (open {one.touch_open}, wrong {one.touch_wrong})",
        f"{seconds:.0f} s",
    )
    console.print(", ".join(words), highlight=False, soft_wrap=True)
    if verbose or one.errors:
        for note in one.notes:
            console.print("   ", note, highlight=False, markup=False, soft_wrap=True)


if __name__ == "__main__":
    sys.exit(main())
