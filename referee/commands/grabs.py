"""`referee grabs`: who took the totem, from a recorded trace.

Belongs here: the command's options and how its answers are printed. Does not belong here: how they are found.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

from referee.errors import InputError
from referee.totem.hands import HandReading
from referee.totem.scrambles import Fall, Grab, detect
from referee.totem.taking import COUNT, ORDER, OVERLOOKED
from referee.totem.trace import load_trace

MOST_SEATS = 16
LONGEST_NAME = 64
SAME_PLACE_DEG = 0.5
OPEN = {
    ORDER: "it cannot be told who came together",
    COUNT: "the counts are too close",
    OVERLOOKED: "there may have been another hand",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("trace", metavar="TRACE", type=Path, help="a totem trace (.npz)")
    parser.add_argument(
        "--seats",
        metavar="NAME=DEG,…",
        required=True,
        help="where each player sits, degrees counter-clockwise seen from above",
    )
    parser.add_argument(
        "--angle0",
        metavar="DEG",
        default="0",
        help="direction of the middle of sector 0 on the table (default 0)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--plot", metavar="PNG", type=Path, help="also draw the trace and what was found in it")
    parser.add_argument("--force", action="store_true", help="overwrite the picture if it exists")


def run(arguments: argparse.Namespace) -> int:
    """Print every scramble and fall of the trace; raises `InputError` for wrong options and traces."""
    seats = read_seats(arguments.seats)
    angle0 = read_angle(arguments.angle0, "--angle0")
    picture: Path | None = arguments.plot
    if picture is not None:
        if picture.suffix.lower() != ".png":
            raise InputError(f"--plot: {picture} must end in .png")
        if (picture.exists() or picture.is_symlink()) and not arguments.force:
            raise InputError(f"--plot: {picture} exists; --force overwrites it")
    trace = load_trace(arguments.trace)
    events = detect(trace, seats, angle0)
    for event in events:
        words = grab_words(event) if isinstance(event, Grab) else fall_words(event)
        print(json.dumps(words, ensure_ascii=False) if arguments.json else sentence(words))
    if not events and not arguments.json:
        print("nobody touched the totem")
    if picture is not None:
        from referee.totem.picture import write_picture

        write_picture(picture, trace, events)
    return 0


def read_seats(text: str) -> dict[str, float]:
    """`Ana=0,Bilal=240` as a dictionary; raises `InputError`, also for two players at one angle."""
    seats: dict[str, float] = {}
    for part in text.split(","):
        name, equals, angle = part.rpartition("=")
        name = name.strip()
        if not equals or not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise InputError(f"--seats: {part!r} is not NAME=DEGREES")
        if "=" in name or ";" in name:
            raise InputError(
                f"--seats: {part!r} is not one NAME=DEGREES; players are parted by commas, as Ana=0,Eva=90"
            )
        if name in seats:
            raise InputError(f"--seats: {name!r} stands there twice")
        degrees = read_angle(angle, f"--seats: {name}")
        for other, taken in seats.items():
            if abs((degrees - taken + 180.0) % 360.0 - 180.0) < SAME_PLACE_DEG:
                raise InputError(f"--seats: {other} and {name} sit at the same angle; everybody needs a place")
        seats[name] = degrees
    if len(seats) > MOST_SEATS:
        raise InputError(f"--seats: {len(seats)} players are more than {MOST_SEATS}")
    return seats


def read_angle(text: str, where: str) -> float:
    """Degrees as a number; raises `InputError`."""
    try:
        angle = float(text)
    except ValueError:
        angle = math.nan
    if not math.isfinite(angle) or abs(angle) > 36_000:
        raise InputError(f"{where}: {text!r} is not an angle in degrees")
    return angle


def grab_words(grab: Grab) -> dict[str, Any]:
    """A scramble as the `grab` event of the game record."""
    words: dict[str, Any] = {
        "event": "grab",
        "t_us": grab.t_us,
        "hands": [hand_words(hand) for hand in grab.hands],
    }
    if grab.doubt:
        words["open"] = grab.doubt
    if grab.fell is not None:
        words["fell"] = {"t_us": grab.fell.t_us, "player": grab.fell.player}
    return words


def hand_words(hand: HandReading) -> dict[str, Any]:
    """One hand of a `grab` event: a number where it is sure, `[low, high]` where it is not."""
    fingers, lowest = hand.fingers, hand.lowest_mm
    return {
        "player": hand.player,
        "t_us": hand.t_us,
        "fingers": fingers[0] if fingers[0] == fingers[1] else list(fingers),
        "lowest_mm": lowest[0] if lowest[0] == lowest[1] else list(lowest),
        "grip": hand.grip,
    }


def fall_words(fall: Fall) -> dict[str, Any]:
    """A fall as the `fall` event of the game record."""
    return {"event": "fall", "t_us": fall.t_us, "player": fall.player}


def sentence(words: dict[str, Any]) -> str:
    """An event for a person to read."""
    at = f"{words['t_us'] / 1e6:9.3f} s"
    if words["event"] == "fall":
        return f"{at}  the totem falls ({words['player'] or 'nobody can be named'})"
    lines = []
    for hand in words["hands"]:
        late = (hand["t_us"] - words["t_us"]) / 1000
        fingers, low = hand["fingers"], hand["lowest_mm"]
        many = f"{fingers[0]} to {fingers[1]}" if isinstance(fingers, list) else str(fingers)
        height = f"{low[0]:g} to {low[1]:g}" if isinstance(low, list) else f"{low:g}"
        kind = "" if hand["grip"] else ", a brush"
        lines.append(f"{hand['player'] or 'somebody'} +{late:.1f} ms, fingers {many}, lowest {height} mm{kind}")
    if "open" in words:
        lines.append(f"who took it stays open: {OPEN[words['open']]}")
    if "fell" in words:
        lines.append(f"it falls at {words['fell']['t_us'] / 1e6:.3f} s ({words['fell']['player'] or '?'})")
    return f"{at}  " + "; ".join(lines)
