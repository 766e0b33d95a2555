"""`referee ready`: before a game, whether every card is there and everybody is named who takes the totem.

Belongs here: options and how the answer is printed. Does not belong here: watching (`referee.warmup`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from referee.deck.folder import resolve_deck
from referee.doors import open_doors
from referee.grips import grips_path, keep_grips
from referee.listeners import Troubles
from referee.play import ended_by_signals, play_live, play_recorded
from referee.profile import read_profile
from referee.totem.links.base import table_clock
from referee.warmup import Readiness, Warmup

DEFAULT_FPS = 30.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    add = parser.add_argument
    add(
        "what",
        choices=("cards", "players"),
        help="show all cards, one after another; or everybody takes the totem once",
    )
    add("--profile", required=True, type=Path, metavar="P", help="the table's profile (TOML)")
    add("--camera", metavar="SOURCE", help="instead of the profile's: picamera2, a device, a URL, a video or a folder")
    add("--frames-t", type=Path, metavar="TIMES", help="exposure times of a video's frames, one a line (microseconds)")
    add("--totem", metavar="TRACE", help="instead of the profile's: a port, or a recorded trace (.npz)")
    add("--force", action="store_true", help="players: replace what was kept of their first grips")
    add("--json", action="store_true", help="one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Watch until all is there, the recording is over or Ctrl-C; 0 when nothing is wanting, else 1."""
    profile = read_profile(arguments.profile)
    deck = resolve_deck(profile.deck)
    cards = arguments.what == "cards"
    with ExitStack() as stack:
        stop = stack.enter_context(ended_by_signals())
        clock = table_clock()
        doors = open_doors(profile, clock, arguments.camera, arguments.frames_t, arguments.totem)
        stack.callback(doors.close)

        def named(player: str) -> None:
            if not arguments.json and not cards:
                print(f"{player} is there", flush=True)

        fps, totem = doors.camera.fps or DEFAULT_FPS, doors.totem is not None
        troubles = Troubles(lambda sentence: print(f"referee: {sentence}", file=sys.stderr))
        warmup = Warmup(profile, deck, fps=fps, totem=totem, pads=doors.pads, named=named, troubled=troubles.look)

        def turn(now_us: int) -> None:
            if warmup.every_card if cards else warmup.everybody:
                stop.set()

        if doors.recorded:
            play_recorded(warmup, doors, turn=turn, stop=stop)
        else:
            play_live(warmup, doors, clock, stop, people=turn)
    found = warmup.found()
    kept = None if cards or found.seats is None else grips_path(profile.path)
    if kept is not None and found.seats is not None:
        if keep_grips(kept, doors.pads, found.seats, replace=arguments.force):
            print(f"what the grips showed is kept in {kept} for the next games", file=sys.stderr)
        else:
            print(f"{kept} is there already and was left as it is; --force replaces it", file=sys.stderr)
    bad_pads = found.seats is not None and bool(found.seats.swapped or found.seats.silent)
    wanting = not found.cards.complete if cards else bool(found.missing) or bad_pads
    if arguments.json:
        print(json.dumps(_words(found, cards), ensure_ascii=False))
    elif cards:
        _print_cards(found)
    else:
        _print_players(found)
    return 1 if wanting else 0


def _words(found: Readiness, cards: bool) -> dict[str, object]:
    if not cards:
        seats = found.seats
        pads = None if seats is None else {"swapped": list(seats.swapped), "silent": list(seats.silent)}
        told = {"missing": list(found.missing), "unnamed": found.unknown, "totem_in_place": found.totem.standing}
        return {**told, "seat_pads": pads}
    census = found.cards
    counted = {"missing": census.missing, "extra": census.extra, "strange": census.strange}
    return {"shown": census.shown, "expected": census.expected, "unread": census.unread, **counted}


def _print_cards(found: Readiness) -> None:
    census = found.cards
    print(f"{census.shown} cards were shown, {census.expected} are in the deck")
    for words, some in (("missing", census.missing), ("too many", census.extra), ("not of this deck", census.strange)):
        if some:
            print(f"{words}: {_listed(some)}")
    if census.unread:
        print(f"could not be read: {census.unread}")


def _listed(some: Mapping[str, int]) -> str:
    return ", ".join(card if count == 1 else f"{card} ({count} times)" for card, count in some.items())


def _print_players(found: Readiness) -> None:
    if found.missing:
        print(f"nobody has seen {', '.join(found.missing)} take the totem yet")
    if found.unknown:
        print(f"hands that could not be named: {found.unknown}", file=sys.stderr)
    if found.seats is not None:
        for words, players in (("swapped", found.seats.swapped), ("silent", found.seats.silent)):
            if players:
                print(f"seat pads that are {words}: {', '.join(players)}")
        if not found.seats.swapped and not found.seats.silent:
            print("every seat pad answers for its own player")
    elif found.seats_why:
        print(f"seat pads are not judged: {found.seats_why} (in the order of the seats)", file=sys.stderr)
    if not found.totem.standing:
        print("the totem does not stand in its place")
