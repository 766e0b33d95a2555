"""`referee calibrate`: from a box of parts to a profile, one part at a time. Thin over `calibration`.

Belongs here: which calibrations there are and their options. Does not belong here: what they do.
"""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

from referee.announce.sentences import LANGUAGES
from referee.table.layouts import MEANINGS

ACTIONS = {
    "camera": "the lens, from pictures of the printed board",
    "deck": "a deck, from a camera or photographs (as `referee deck enrol`)",
    "light": "glare, flicker, exposure",
    "speaker": "play a phrase and ask whether it was heard",
    "table": "how the camera sees the table, seats, whether cards are large enough",
    "time": "the time between camera and totem, by the totem's blinking lamp",
    "totem": "levels, a finger, hands, broken electrodes, earthing",
    "web": "all of them on pages: guided, with the live picture, on a phone if wanted",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `referee calibrate …`."""
    actions = parser.add_subparsers(dest="action", metavar="PART", required=True)
    made = {
        name: actions.add_parser(name, help=line, description=line, allow_abbrev=False)
        for name, line in ACTIONS.items()
    }
    for name, action in made.items():
        if name != "deck":
            action.add_argument(
                "--profile", required=True, type=Path, metavar="P", help="the profile to write into (made if missing)"
            )
        if name not in ("deck", "web"):
            action.add_argument("--force", action="store_true", help="write over what is there (a copy is kept)")
            action.add_argument("--json", action="store_true", help="one JSON object a line")
    for name in ("camera", "light", "table", "time", "web"):
        made[name].add_argument(
            "--camera", metavar="SOURCE", help="instead of the profile's: picamera2, a device, a URL, a video, a folder"
        )
    _camera(made["camera"])
    _table(made["table"])
    for name in ("time", "totem", "web"):
        made[name].add_argument(
            "--port", metavar="PORT", help="the totem's port (else the profile's, else the one board)"
        )
    made["time"].add_argument("--seconds", type=_positive, default=20.0, metavar="S", help="how long (default: 20)")
    _totem(made["totem"])
    made["light"].add_argument("--frames", type=int, default=90, metavar="N", help="how many (default: %(default)s)")
    _speaker(made["speaker"])
    _deck(made["deck"])
    _web(made["web"])


def _camera(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--measured-mm", type=_positive, metavar="MM", help="the board's 100 mm ruler, as you measured it"
    )
    parser.add_argument("--on-mat", type=Path, metavar="PICTURE", help="a picture of the board lying flat on the mat")
    parser.add_argument(
        "--show", type=Path, metavar="PICTURE", help="keep the last picture with what is missing drawn in"
    )
    parser.add_argument("--seconds", type=_positive, default=300.0, metavar="S", help="a camera: at most so long")


def _table(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--game", choices=tuple(MEANINGS), help="for a profile that does not say it yet")
    parser.add_argument("--players", metavar="A,B,C", help="clockwise, for a profile that does not say it yet")
    parser.add_argument("--deck", metavar="DECK", help="for a profile that does not say it yet")
    parser.add_argument("--mat", metavar="W,H", help="distances between the markers' centres, across and down (mm)")
    parser.add_argument("--marker-mm", type=_positive, metavar="MM", help="a marker's side as printed (default: 40)")
    parser.add_argument("--corners", metavar="X,Y,…", help="four corners in pixels, clockwise from top left, no mat")
    parser.add_argument("--size-mm", metavar="W,H", help="with --corners: the size of what they bound")
    parser.add_argument(
        "--measured-mm", type=_positive, metavar="MM", help="the mat's 100 mm ruler, as you measured it"
    )
    parser.add_argument("--lay-out", action="store_true", help="work the seats out anew")


def _totem(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--players", action="store_true", help="everybody takes the totem once, too")
    parser.add_argument("--step-seconds", type=_positive, metavar="S", help="no questions: each step takes so long")


def _speaker(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="default: %(default)s")
    parser.add_argument("--engine", default="auto", help="default: the first installed")
    parser.add_argument("--heard", choices=("yes", "no"), help="the answer, if nobody is to be asked")


def _deck(parser: argparse.ArgumentParser) -> None:
    # The same arguments and the same code as `referee deck enrol`.
    from referee.commands.deck import add_enrol_options

    add_enrol_options(parser)


def _web(parser: argparse.ArgumentParser) -> None:
    from referee.commands.serving import add_web_options

    parser.add_argument("--web", default="8000", metavar="[HOST:]PORT", help="where the pages are (127.0.0.1:8000)")
    parser.add_argument("--journal", type=Path, metavar="DIR", help="the journal whose accounts may log in")
    parser.add_argument("--lang", choices=LANGUAGES, help="language of the pages (else the browser's)")
    add_web_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do one calibration; returns the exit status."""
    if arguments.action == "deck":
        from referee.commands.deck import enrol

        return enrol(arguments)
    module = importlib.import_module(f"referee.commands.calibrate.{arguments.action}")
    status: int = module.run(arguments)
    return status


def _positive(text: str) -> float:
    """A number above zero, as argparse asks for it."""
    value = float(text)
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"expected a number above 0, found {text}")
    return value
