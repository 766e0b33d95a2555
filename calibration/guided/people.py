"""The first step: which game, who plays, clockwise, with which deck.

Written rules:
- a deck is chosen from those offered: the ones that ship, and folders beside the profile that are decks;
- where other people play than before, their places are laid out anew, since nobody's place can be another's.
Does not belong here: making a deck (`calibration.guided.cards`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from calibration.guided.bench import Bench, Step, Values, unknown
from calibration.profile_file import Part
from referee.deck.folder import BUILTIN, resolve_deck
from referee.errors import DeckError, InputError
from referee.profile import LONGEST_NAME, MOST_PLAYERS
from referee.table.layouts import MEANINGS, PLAYED_BY

MOST_FOLDERS = 50


class PeopleStep(Step):
    """Offer, take, write."""

    name = "deck"

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self._offered = offered(bench.profile.absolute().parent)

    def do(self, word: str, values: Values) -> None:
        if word != "people":
            raise unknown(self.name, word)
        deck = values.get("deck")
        if deck not in self._offered:
            raise InputError("deck: expected one of those offered")
        game = self._offered[str(deck)]["game"]
        if game not in MEANINGS:
            raise InputError(f"{game}: cannot be followed on a table yet, expected {', '.join(MEANINGS)}")
        names = _names(values.get("players"), *PLAYED_BY[str(game)])
        before = self.bench.content
        others = before.get("players") != names or before.get("game") != game
        drops = ("seat", "zone") if others else ()
        cards = self._offered[str(deck)]["cards"]
        found = {"game": game, "players": names, "deck": deck}
        self.bench.write(Part("deck", found, {"cards": cards, "players": len(names)}, drops))

    def words(self) -> dict[str, Any]:
        content = self.bench.content
        players = content.get("players")
        return {
            "players": players if isinstance(players, list) else [],
            "deck": content.get("deck"),
            "most_players": MOST_PLAYERS,
            "decks": [{"id": key, **deck} for key, deck in self._offered.items()],
        }


def offered(folder: Path) -> dict[str, Mapping[str, Any]]:
    """The decks there are for games that a table can follow: by the name a profile has for them."""
    found: dict[str, Mapping[str, Any]] = {}
    names = [f"builtin:{name}" for name in BUILTIN]
    beside = sorted(path for path in folder.iterdir() if (path / "deck.toml").is_file()) if folder.is_dir() else []
    for name in [*names, *(path.name for path in beside[:MOST_FOLDERS])]:
        try:
            deck = resolve_deck(name if name.startswith("builtin:") else str(folder / name))
        except DeckError:
            continue
        if deck.game in MEANINGS:
            found[name] = {"name": deck.name, "game": deck.game, "cards": sum(card.count for card in deck.cards)}
    # The first one is chosen where nobody chose yet: the game that most people come for.
    order = list(MEANINGS)
    return dict(sorted(found.items(), key=lambda one: order.index(one[1]["game"])))


def _names(said: object, fewest: int, most: int) -> list[str]:
    if not isinstance(said, list) or not fewest <= len(said) <= most:
        many = f"{fewest} to {most}" if fewest < most else f"{most}"
        raise InputError(f"players: expected {many} names, clockwise")
    names = []
    for name in said:
        if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
            raise InputError(f"players: expected names of 1 to {LONGEST_NAME} printable characters")
        names.append(name.strip())
    if len(set(names)) != len(names):
        raise InputError("players: expected names that differ")
    return names
