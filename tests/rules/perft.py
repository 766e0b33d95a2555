"""Counted trees: how many states and rulings there are after every sequence of so many events.

python -m tests.rules.perft --write     work the files in perft/ out anew
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

from referee.rules import jungle_speed
from referee.rules.jungle_speed_state import State
from tests.rules import moves

FOLDER = Path(__file__).parent / "perft"

TABLES: dict[str, tuple[int, dict[str, Any]]] = {
    "three-players-arrows": (
        5,
        {
            "players": ["Ana", "Bilal", "Chloé"],
            "start": {
                "reserve": {
                    "Ana": ["star/green", "arrow/in"],
                    "Bilal": ["knot/orange", "arrow/out"],
                    "Chloé": ["arrow/in", "knot/green"],
                }
            },
        },
    ),
    "four-players-colour": (
        4,
        {
            "players": ["Ana", "Bilal", "Chloé", "Driss"],
            "options": {"last_colour": "if-missed"},
            "start": {
                "reserve": {
                    "Ana": ["knot/green", "arrow/colour"],
                    "Bilal": ["star/green"],
                    "Chloé": ["knot/orange", "arrow/out"],
                    "Driss": ["star/orange"],
                },
                "face_up": {"Driss": ["knot/yellow"]},
            },
        },
    ),
    "two-persons": (
        4,
        {
            "players": ["Ana R", "Bo R", "Ana L", "Bo L"],
            "options": {"hands": 2},
            "start": {
                "reserve": {
                    "Ana R": ["knot/green"],
                    "Bo R": ["arrow/in", "star/green"],
                    "Ana L": ["knot/orange"],
                    "Bo L": ["star/orange"],
                }
            },
        },
    ),
}


def count(name: str) -> str:
    """One table's tree as text: for each depth the distinct states and the rulings on the way there."""
    depth, header = TABLES[name]
    first = jungle_speed.start({"record": "referee/1", "game": "jungle-speed", **header})  # type: ignore[typeddict-item]
    states = {first[1:]: first}  # what changes, without the set-up (which holds a dict)
    lines = [f"# {name}: depth, distinct states, rulings of the events at that depth"]
    for level in range(1, depth + 1):
        following: dict[tuple[Any, ...], State] = {}
        rulings: Counter[str] = Counter()
        for state in states.values():
            for move in moves.likely(state):
                after, given = jungle_speed.apply(state, move)
                following[after[1:]] = after
                rulings.update(
                    ruling["ruling"] + (f":{ruling['kind']}" if "kind" in ruling else "") for ruling in given
                )
        states = following
        counted = " ".join(f"{kind}={number}" for kind, number in sorted(rulings.items()))
        lines.append(f"{level} {len(states)} {counted}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__" and "--write" in sys.argv:
    FOLDER.mkdir(exist_ok=True)
    for table in TABLES:
        (FOLDER / f"{table}.txt").write_text(count(table), "utf-8")
        print(count(table))
