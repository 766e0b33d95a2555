"""The table in `docs/announcing.md` says what the referee says: it is this one, row by row.

`python -m tests.announce.test_announcing_page` prints the table to paste.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.announce.lamps import signals_of
from referee.announce.manners import Importance, for_the_ear, manner_of
from referee.announce.sentences import ruling_kinds, ruling_sentence
from tests.announce.samples import ruling

PAGE = Path(__file__).parents[2] / "docs" / "announcing.md"
GAMES = {"jungle-speed": "Jungle Speed", "speed": "Speed", "dobro": "Dobro", "jungle-bluff": "Jungle Bluff"}
_ONE = {"Bilal": 3}

EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "jungle-speed": [
        ruling("duel", players=["Ana", "Bilal"], by="shape"),
        ruling("arrow", player="Ana", kind="in"),
        ruling("won", winner="Ana", losers=["Bilal"], picks_up=_ONE, next="Bilal"),
        ruling("to-pot", player="Ana", cards=4, pot=4, next="Ana"),
        ruling("fault", player="Bilal", kind="wrong-grab", picks_up=_ONE, next="Bilal"),
        ruling("cancelled", players=["Ana", "Bilal"], why="another duel was taken"),
        ruling("choice-needed", player="Ana", options=["duel", "arrow"]),
        ruling("share-needed", player="Ana", cards=9, losers=["Bilal", "Chloé"]),
        ruling("colour-mode", on=True),
        ruling("out", player="Ana", rank=1),
        ruling("over", why="two-left", ranking=[["Ana"], ["Bilal"]]),
        ruling("warning", player="Ana", kind="out-of-turn"),
        ruling("undecided", why="fingers", candidates=["Ana", "Bilal"]),
        ruling("rejected", event=12, why="the game is over"),
    ],
    "speed": [
        ruling("turn-up"),
        ruling("illegal-play", player="Ana", card="QS", on="2H"),
        ruling("false-start", player="Ana"),
        ruling("reshuffle-needed"),
        ruling("game-won", winner="Ana"),
        ruling("match-won", winner="Ana"),
        ruling("fault", player="Ana", kind="too-many"),
        ruling("warning", player="Ana", kind="miscount"),
        ruling("undecided", why="order", candidates=["Ana", "Bilal"]),
        ruling("rejected", event=12, why="the game is over"),
    ],
    "dobro": [
        ruling("value", value=14, doubled=True, next="Bilal"),
        ruling("illegal-play", player="Ana", why="too-low", on=8),
        ruling("picks-up", player="Ana", cards=5),
        ruling("oubli", player="Ana"),
        ruling("round-over", round=1, rounds=3, counts={"Ana": 2}, points={"Ana": 9}, opener="Ana"),
        ruling("over", ranking=[["Ana"], ["Bilal"]], totals={"Ana": 3, "Bilal": 9}),
        ruling("warning", player="Ana", kind="false-call"),
        ruling("undecided", why="who", candidates=["Ana", "Bilal"]),
        ruling("rejected", event=12, why="the game is over"),
    ],
    "jungle-bluff": [
        ruling("holds", player="Ana", card="7"),
        ruling("returned", card="7"),
        ruling("refused", player="Ana", why="the 7 is not in the centre"),
        ruling("round-over", kept={"Ana": "7"}, first="Bilal"),
        ruling("over", ranking=[["Ana"], ["Bilal"]], totals={"Ana": 41, "Bilal": 30}),
        ruling("undecided", why="who", candidates=["Ana", "Bilal"]),
        ruling("rejected", event=12, why="the game is over"),
        {"t_us": 0, "ruling": "warning", "kind": "force-moved", "player": "Bilal", "clauses": [], "public": True},
    ],
}


def said(given: dict[str, Any], language: str, game: str) -> str:
    sentence = ruling_sentence(for_the_ear(given), language, game)
    manner = manner_of(given)
    return re.split(r"(?<=[.?!]) ", sentence)[0] if manner is not None and manner.brief else sentence


def how(given: dict[str, Any]) -> str:
    manner = manner_of(given)
    if manner is None:
        return "shown, not said"
    if given["ruling"] == "duel":
        return f'only with `duel = "at-once"`; within {(manner.lives_us or 0) / 1e6:g} s'
    if manner.importance is Importance.RULING:
        return "always"
    return f"within {(manner.lives_us or 0) / 1e6:g} s" + (", the latest alone" if manner.replaces else "")


def lamps(given: dict[str, Any]) -> str:
    words = [
        f"{name} {'beep' if name == 'buzzer' else 'blink' if signal.times > 1 else 'light'}"
        for name, signal in signals_of(given)
    ]
    return ", ".join(words) or "-"


def rows(game: str) -> Iterator[str]:
    for given in EXAMPLES[game]:
        english, french = (said(given, language, game) for language in ("en", "fr"))
        yield f"| `{given['ruling']}` | {english} | {french} | {how(given)} | {lamps(given)} |"


@pytest.mark.parametrize("game", GAMES)
def test_the_page_has_every_kind_of_ruling_as_it_is_said(game: str) -> None:
    assert {given["ruling"] for given in EXAMPLES[game]} == ruling_kinds(game)
    page = PAGE.read_text("utf-8").splitlines()
    assert [row for row in rows(game) if row not in page] == []


if __name__ == "__main__":
    for named, title in GAMES.items():
        print(f"\n### {title}\n\n| ruling | English | French | said | lamps |\n|---|---|---|---|---|")
        print("\n".join(rows(named)))
