"""`referee sim`: recorded tables with simulated people and their truth beside them; a bench to try a set-up on.

Belongs here: options and progress. Does not belong here: how a table is simulated (`referee.sim`).
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

import cv2
from rich.console import Console
from rich.progress import Progress

from referee.commands import sim_bench
from referee.errors import InputError
from referee.sim.light import LIGHTS
from referee.sim.plays import PLAYS
from referee.sim.recorded_table import write_table
from referee.sim.scenery import MATS
from referee.sim.settings import ANY, JUNGLE_SPEED, Settings, TableSetUp, names_of, set_up, usual_players
from referee.sim.surfaces import SURFACES

MOST_GAMES = 1000
# What of a game is counted aloud: a name, and the events it counts.
COUNTED = {
    "jungle-speed": (("flips", "flip"), ("grabs", "grab")),
    "dobro": (("plays", "play"), ("draws", "draw")),
    "jungle-bluff": (("takes", "take"), ("challenges", "challenge")),
    "speed": (("plays", "play"), ("blocks", "blocked")),
}
IN_WORDS = {"flips": "cards turned", "grabs": "scrambles"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    record = actions.add_parser(
        "record",
        help="write recorded tables: video, times, profile, totem trace, and the truth",
        description="Writes a recorded table with simulated people; the referee may have all but truth* and rulings*.",
        allow_abbrev=False,
    )
    record.add_argument(
        "--out", type=Path, required=True, metavar="FOLDER", help="where to; FOLDER/game-1 … for several"
    )
    record.add_argument("--game", default=JUNGLE_SPEED, help=f"{', '.join(PLAYS)} (default {JUNGLE_SPEED})")
    record.add_argument(
        "--players", metavar="N|NAMES", help="how many, or their names clockwise (default 4, or what the game is for)"
    )
    record.add_argument("--seconds", type=float, default=90.0, metavar="S", help="about how long (default 90)")
    record.add_argument(
        "--seed", type=int, default=0, metavar="K", help="the same seed gives the same table (default 0)"
    )
    record.add_argument("--games", type=int, default=1, metavar="N", help="that many, seeds K, K+1, … (default 1)")
    record.add_argument("--light", default=ANY, help=f"{', '.join(LIGHTS)} or {ANY} (default)")
    record.add_argument("--surface", default=ANY, help=f"{', '.join(SURFACES)} or {ANY} (default)")
    record.add_argument("--mat", default=ANY, help=f"{', '.join(MATS)} or {ANY} (default): where the markers are")
    record.add_argument("--fps", type=float, default=30.0, help="frames a second (default 30)")
    record.add_argument("--size", default="960x540", metavar="WxH", help="pixels (default 960x540)")
    record.add_argument("--deck", default=ANY, help="a deck of the game (default: one drawn by us)")
    record.add_argument("--seat-pads", action="store_true", help="the totem has a pad at each seat")
    record.add_argument("--keyed", action="store_true", help="the totem's base holds it one way round and says so")
    record.add_argument("--noisy", action="store_true", help="bad electronics in the totem")
    record.add_argument("--wet", action="store_true", help="a wet table under the totem")
    record.add_argument("--pace", type=float, default=1.0, metavar="X", help="how much quicker people play (default 1)")
    record.add_argument("--force", action="store_true", help="overwrite what exists")
    record.add_argument("--json", action="store_true", help="one JSON object a table")
    bench = actions.add_parser(
        "bench",
        help="a simulated camera and totem, to try the set-up with no hardware",
        description="A camera and a totem that are not there, and a page to say what goes on before them.",
        allow_abbrev=False,
    )
    sim_bench.configure(bench)


def run(arguments: argparse.Namespace) -> int:
    """Simulate and write; raises `InputError` for options nobody can grant."""
    if arguments.action == "bench":
        return sim_bench.run(arguments)
    if not 1 <= arguments.games <= MOST_GAMES:
        raise InputError(f"--games: {arguments.games}: expected 1 to {MOST_GAMES}")
    if arguments.seed < 0:
        raise InputError(f"--seed: {arguments.seed}: expected a number from 0")
    cv2.setNumThreads(1)
    folders = (
        [arguments.out] if arguments.games == 1 else [arguments.out / f"game-{k + 1}" for k in range(arguments.games)]
    )
    for place, folder in enumerate(folders):
        settings = _settings(arguments, arguments.seed + place)
        table = set_up(settings)
        _write(table, folder, arguments.force)
        events = table.game.events
        told = {
            "folder": str(folder),
            "game": settings.game,
            "seed": settings.seed,
            "players": list(settings.players),
            "seconds": round(events[-1]["t_us"] / 1e6, 1),
            **{name: sum(event["event"] == kind for event in events) for name, kind in COUNTED[settings.game]},
            "light": table.scenery.light.kind,
            "surface": table.scenery.surface,
            "mat": table.scenery.mat,
        }
        print(json.dumps(told, ensure_ascii=False) if arguments.json else _sentence(told))
    return 0


def _write(table: TableSetUp, folder: Path, force: bool) -> None:
    with Progress(console=Console(stderr=True), disable=not sys.stderr.isatty(), transient=True) as bar:
        task = bar.add_task(str(folder), total=None)
        write_table(table, folder, lambda done, of: bar.update(task, completed=done, total=of), force=force)


def _settings(arguments: argparse.Namespace, seed: int) -> Settings:
    size = re.fullmatch(r"(\d{1,5})x(\d{1,5})", arguments.size)
    if size is None:
        raise InputError(f"--size: {arguments.size}: expected WIDTHxHEIGHT, for instance 960x540")
    return Settings(
        players=names_of(arguments.players or usual_players(arguments.game), arguments.game),
        seconds=arguments.seconds,
        seed=seed,
        light=arguments.light,
        surface=arguments.surface,
        mat=arguments.mat,
        fps=arguments.fps,
        size=(int(size[1]), int(size[2])),
        deck=arguments.deck,
        seat_pads=arguments.seat_pads,
        keyed=arguments.keyed,
        noisy=arguments.noisy,
        wet=arguments.wet,
        pace=arguments.pace,
        game=arguments.game,
    )


def _sentence(told: dict[str, object]) -> str:
    counts = ", ".join(f"{told[name]} {IN_WORDS.get(name, name)}" for name, _ in COUNTED[str(told["game"])])
    return (
        f"{told['folder']}: {told['seconds']} s, {counts} "
        f"({told['light']} light, {told['surface']}, mat: {told['mat']})"
    )
