"""`referee calibrate web`: all calibrations on pages, guided, with the live picture, on a phone if wanted.

Belongs here: opening camera and pages, the end by Ctrl-C, SIGTERM or a tap. Does not belong here: the steps
(`calibration.guided`), the pages (`referee.web`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

from calibration.guided.bench import Bench
from calibration.guided.eye import Eye
from calibration.guided.room import Room
from calibration.profile_file import check_folder, read_raw, value_at
from calibration.totem_link import port_of
from referee.announce.settings import USUAL_SPEED
from referee.announce.speech.players import Speaker
from referee.announce.speech.voice import Voice
from referee.commands.calibrate.common import EXIT_DONE, settings_of
from referee.commands.serving import address_of, serve_pages
from referee.play import ended_by_signals
from referee.totem.links.base import Clock, table_clock
from referee.totem.links.serial_port import SerialLink
from referee.vision.camera import CameraSettings
from referee.web.desk import Desk

USUAL_CAMERA = "0"
_LOOK_S = 0.2


def run(arguments: argparse.Namespace) -> int:
    """Serve the set-up pages until somebody says that the table is set up, or Ctrl-C."""
    set_up_table(arguments)
    return EXIT_DONE


def is_set_up(profile: Path) -> bool:
    """Whether a profile says enough to play: a game, players and a deck. Raises `ProfileError` for no TOML."""
    content = read_raw(profile)
    return all(content.get(key) for key in ("game", "players", "deck"))


def set_up_table(arguments: argparse.Namespace, alive: Callable[[], None] = lambda: None) -> bool:
    """Serve until the end; True when somebody said that the table is set up and it can be played on.

    `alive` is called a few times a second for as long as the set-up is.
    """
    check_folder(arguments.profile)
    address = address_of(arguments.web)
    content = read_raw(arguments.profile)
    named = arguments.camera is not None
    if not named and value_at(content, "camera.source") is None:
        arguments.camera = USUAL_CAMERA
    clock = table_clock()
    language = arguments.lang or ("fr" if value_at(content, "announce.language") == "fr" else "en")
    bench = bench_of(arguments.profile, settings_of(arguments), clock, arguments.port)
    bench.camera_named = named
    with closing(Room(bench)) as room:
        room.start()
        with ended_by_signals() as stop:
            server = serve_pages(address, arguments, None, Desk(), language, arguments.journal, None, set_up=room)
            print(f"set-up: {server.address}setup", file=sys.stderr, flush=True)
            try:
                while not room.finished.wait(_LOOK_S) and not stop.is_set():
                    if room.is_alive:
                        alive()
            finally:
                # Whoever tapped last is to see what came of it.
                stop.wait(0.0 if stop.is_set() else 1.0)
                server.stop()
    if room.finished.is_set():
        print(f"{arguments.profile}: the table is set up", file=sys.stderr)
    return room.finished.is_set()


def bench_of(profile: Path, settings: CameraSettings, clock: Clock, port: str | None = None) -> Bench:
    """What the set-up works with on this machine; raises as the camera's door does."""
    return Bench(
        profile=profile,
        eye=Eye(settings, clock),
        clock=clock,
        open_totem=lambda: SerialLink(port_of(profile, port), clock),
        voice=partial(_voice, "auto"),
        player=Speaker,
        port_named=port,
    )


def _voice(engine: str, language: str) -> Voice:
    return Voice(engine, language, "", USUAL_SPEED)
