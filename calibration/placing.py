"""What a profile already says of a table that is being calibrated: its lens, its deck, its seats, and what is wanting.

Belongs here: from a profile that may be half written to values, and what a view of the table is worth for its cards.
Does not belong here: finding the table (`calibration.table`), asking people.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from calibration.profile_file import read_raw
from calibration.table import CardSize, TableFound, advice, outside, smallest_card
from referee.deck.census import check
from referee.deck.folder import Deck, resolve_deck
from referee.errors import InputError
from referee.profile import Profile, TotemPart, read_profile
from referee.table.layouts import Layout, layout_of, make_layout
from referee.vision.reader import TableSetup, read_setup
from referee.vision.table import MARKER_IDS, MARKER_SIDE_MM, Lens

USUAL_CARD_MM = (60.0, 60.0)


def setup_of(path: Path) -> TableSetup:
    """Lens and markers as the profile has them; nothing where it is not written yet."""
    if not path.exists():
        return TableSetup(None, None, None, MARKER_IDS, MARKER_SIDE_MM, None)
    return read_setup(path)


def lens_for(setup: TableSetup, size: tuple[int, int]) -> Lens | None:
    """The calibrated lens; raises `InputError` when it was calibrated for pictures of another size."""
    if setup.lens is not None and setup.size is not None and tuple(setup.size) != size:
        width, height = (round(side) for side in setup.size)
        raise InputError(f"the lens was calibrated for {width}x{height} and the pictures are {size[0]}x{size[1]}")
    return setup.lens


def deck_of(path: Path, content: Mapping[str, Any]) -> Deck | None:
    """The deck that a profile's content names; None while it names none."""
    named = content.get("deck")
    if not isinstance(named, str):
        return None
    return resolve_deck(named if named.startswith("builtin:") else str((path.parent / named).resolve()))


def layout_for(path: Path, content: Mapping[str, Any], deck: Deck | None, lay_out: bool) -> Layout | None:
    """The table's seats: those of the profile, or new ones; None while nobody said who plays."""
    card_mm = USUAL_CARD_MM if deck is None else deck.card_mm
    if content.get("seat") and not lay_out:
        profile: Profile = read_profile(path)
        return layout_of(profile, card_mm)
    players, game = content.get("players"), content.get("game")
    if not isinstance(players, list) or not isinstance(game, str):
        return None
    totem = read_profile(path).totem if _whole(path, content) else TotemPart()
    return make_layout(game, [str(player) for player in players], card_mm, totem)


def judged(found: TableFound, layout: Layout | None, deck: Deck | None) -> tuple[list[str], CardSize | None]:
    """What is to be bettered about a view, in sentences, and the smallest card in it."""
    if layout is None:
        return [], None
    problems = []
    beyond = outside(found, layout)
    if beyond:
        problems.append(f"outside of the picture: {', '.join(beyond)}; move the camera up or the seats in")
    if deck is None:
        return problems, None
    card = smallest_card(found, layout, deck.card_mm, _needs_px(deck))
    todo = advice(found, layout, card)
    return [*problems, *([] if todo is None else [todo])], card


@lru_cache(maxsize=8)
def _needs_px(deck: Deck) -> int | None:
    # Comparing all cards of a deck takes seconds, and while a table is set up it stays the same.
    return check(deck).needs_px


def _whole(path: Path, content: Mapping[str, Any]) -> bool:
    """Whether the profile on the disk can be read as one."""
    before = read_raw(path)
    return all(before.get(key) == content.get(key) and key in before for key in ("game", "players", "deck"))
