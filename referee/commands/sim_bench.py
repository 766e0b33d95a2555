"""`referee sim bench`: a bench to try a set-up on, with no camera, no totem and nobody's hands.

Belongs here: options, where camera and totem are to be found, the end by Ctrl-C or SIGTERM. Does not belong here: the
bench (`referee.sim.set_up`), its server (`referee.sim.bench_server`).
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

from referee.errors import InputError
from referee.play import ended_by_signals
from referee.sim.bench_server import DOINGS, BenchServer
from referee.sim.set_up import BenchCamera, BenchTotem
from referee.sim.settings import names_of
from referee.vision.reader import read_setup

LAST_PORT = 65_535
FASTEST = 60.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add = parser.add_argument
    add("--port", type=int, default=9000, metavar="N", help="of the page and the camera (default %(default)s)")
    add("--totem", type=Path, metavar="PORT", help="where the totem's port is to be (without it there is none)")
    add("--profile", type=Path, metavar="P", help="the mat lies there as it was printed for this profile")
    add("--players", default="3", metavar="N|NAMES", help="how many, or their names clockwise (default 3)")
    add("--size", default="1280x720", metavar="WxH", help="pixels (default %(default)s)")
    add("--fps", type=float, default=15.0, help="pictures a second (default %(default)g)")
    add("--seed", type=int, default=0, metavar="K", help="the same seed gives the same bench (default 0)")
    add("--now", choices=tuple(DOINGS), default="table", help="what goes on at first (default %(default)s)")
    add("--json", action="store_true", help="one JSON object with the addresses")


def run(arguments: argparse.Namespace) -> int:
    """Be there until the end; 0 then."""
    size = re.fullmatch(r"(\d{3,4})x(\d{3,4})", arguments.size)
    if size is None:
        raise InputError(f"--size: {arguments.size}: expected WIDTHxHEIGHT, for instance 1280x720")
    if not 0 <= arguments.port <= LAST_PORT:
        raise InputError(f"--port: {arguments.port}: expected 0 to {LAST_PORT}")
    if not 0 < arguments.fps <= FASTEST:
        raise InputError(f"--fps: {arguments.fps:g}: expected a number up to {FASTEST:g}")
    if arguments.seed < 0:
        raise InputError(f"--seed: {arguments.seed}: expected a number from 0")
    players = names_of(arguments.players)
    markers = None
    if arguments.profile is not None:
        centres = read_setup(arguments.profile).centres_mm or {}
        if sorted(centres) != [0, 1, 2, 3]:
            raise InputError(f"{arguments.profile}: table.markers: expected the places of four markers")
        markers = [(float(centres[k][0]), float(centres[k][1])) for k in range(4)]
    totem = None
    if arguments.totem is not None:
        totem = BenchTotem(arguments.totem, arguments.seed, players=len(players))
    try:
        lamp = tuple if totem is None else totem.lamp_changes
        camera = BenchCamera(arguments.seed, (int(size[1]), int(size[2])), players, markers, lamp)
        server = BenchServer(camera, totem, arguments.port, arguments.fps)
        server.go_on(arguments.now)
        try:
            with ended_by_signals() as stop:
                _say(arguments, server)
                stop.wait()
        finally:
            server.close()
    finally:
        if totem is not None:
            totem.close()
    return 0


def _say(arguments: argparse.Namespace, server: BenchServer) -> None:
    totem = None if arguments.totem is None else str(arguments.totem)
    if arguments.json:
        print(json.dumps({"page": server.address, "camera": server.camera_address, "totem": totem}), flush=True)
        return
    print(f"what goes on: {server.address}", flush=True)
    print(f"the camera:   --camera {server.camera_address}", flush=True)
    if totem is not None:
        print(f"the totem:    --port {totem}", flush=True)
