"""What a table allows of reviews: the `[review]` table of its profile.

Belongs here: the keys, what they default to, what is wrong with a value. Does not belong here: what follows from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from referee.errors import ProfileError

Replay = Literal["off", "totem", "pictures"]
REPLAYS = ("off", "totem", "pictures")
MOST_APPEALS = 1000


@dataclass(frozen=True)
class ReviewSettings:
    """`appeals`: how many each player has in a game (0: there are none).

    `replay`: what the scoreboard shows everybody of the last ruling besides its sentence: nothing, how the hands came
    to the totem, or that and the pictures.
    """

    appeals: int = 0
    replay: Replay = "off"


def read_review(table: object, where: str) -> ReviewSettings:
    """The settings in a `[review]` table (None: there is none); raises `ProfileError` that names `where`."""
    if table is None:
        return ReviewSettings()
    if not isinstance(table, Mapping):
        raise ProfileError(f"{where}: review: expected a table")
    if strangers := sorted(set(table) - {"appeals", "replay"}):
        raise ProfileError(f"{where}: review.{strangers[0]}: expected appeals or replay")
    appeals: Any = table.get("appeals", 0)
    if type(appeals) is not int or not 0 <= appeals <= MOST_APPEALS:
        raise ProfileError(f"{where}: review.appeals: expected a whole number from 0 to {MOST_APPEALS}")
    replay = table.get("replay", "off")
    if replay not in REPLAYS:
        raise ProfileError(f"{where}: review.replay: expected one of {', '.join(REPLAYS)}")
    return ReviewSettings(appeals, cast(Replay, replay))
