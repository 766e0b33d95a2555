"""Counted trees: how many states and rulings there are after every sequence of so many events.

python -m tests.rules.perft --write     work the files in perft/ out anew
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from referee.adjudication import RULES, Game
from tests.rules import dobro_moves, moves

FOLDER = Path(__file__).parent / "perft"

LIKELY: Mapping[str, Callable[[Any], list[dict[str, Any]]]] = {
    "dobro": dobro_moves.likely,
    "jungle-speed": moves.likely,
}
"""The moves of a game's trees."""

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
    "dobro-end-of-a-round": (
        4,
        {
            "game": "dobro",
            "players": ["Ana", "Bilal", "Chloé"],
            "options": {},
            "before": [{"t_us": 0, "event": "recount", "hand": {"Ana": 2, "Bilal": 5, "Chloé": 1}, "pile": 2}],
        },
    ),
    "dobro-referee-calls": (
        4,
        {
            "game": "dobro",
            "players": ["Ana", "Bilal"],
            "options": {"oubli_called_by": "referee", "long_game": True},
            "before": [{"t_us": 0, "event": "recount", "hand": {"Ana": 2, "Bilal": 2}, "pile": 1}],
        },
    ),
}


def count(name: str) -> str:
    """One table's tree as text: for each depth the distinct states and the rulings on the way there.

    What stands under `before` happens first and is not counted.
    """
    depth, table = TABLES[name]
    game = Game({"record": "referee/1", "game": "jungle-speed", **table})  # type: ignore[typeddict-item]
    rules = RULES[game.name]
    first = game.state
    for event in table.get("before", ()):
        first, _ = rules.apply(first, event)
    states = {first[1:]: first}  # what changes, without the set-up (which holds a dict)
    lines = [f"# {name}: depth, distinct states, rulings of the events at that depth"]
    for level in range(1, depth + 1):
        following: dict[tuple[Any, ...], Any] = {}
        rulings: Counter[str] = Counter()
        for state in states.values():
            for move in LIKELY[game.name](state):
                after, given = rules.apply(state, move)
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
