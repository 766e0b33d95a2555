"""How close the last ruling was, for the scoreboard of a table that has chosen to show it.

Written rules of this module:
- it is about the ruling it is asked for, of the running game, and only if that may be said aloud;
- it is worked out once for all who look, and not more often than once a second;
- pictures are in it only where the table has chosen so.
Does not belong here: HTTP (`replay`).
"""

from __future__ import annotations

import threading
import time
from typing import Any

from referee.errors import RefereeError
from referee.journal.reading import KeptGame
from referee.web import evidence_view, review_view
from referee.web.reviews import Reviews

FRESH_S = 1.0
_NOTHING: dict[str, Any] = {"place": None, "hands": [], "clip": None}


class LastRuling:
    """What is shown of the last ruling, remembered for a moment."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._place: int | None = None
        self._read_s = 0.0
        self._shown = _NOTHING

    def shown(self, reviews: Reviews, place: int | None) -> dict[str, Any]:
        """The replay of the ruling at a place of the running game."""
        with self._turn:
            now_s = time.monotonic()
            if place != self._place or now_s - self._read_s > FRESH_S:
                self._shown = _NOTHING if place is None else _replay(reviews, place)
                self._place, self._read_s = place, time.monotonic()
            return self._shown


def _replay(reviews: Reviews, place: int) -> dict[str, Any]:
    key = reviews.running()
    if key is None:
        return _NOTHING
    try:
        with reviews.view() as view:
            kept = view.game(key)
    except RefereeError:
        return _NOTHING
    if place >= len(kept.rulings) or not kept.rulings[place].ruling["public"]:
        return _NOTHING
    clip = _clip(kept, place, reviews) if reviews.replay == "pictures" else None
    return {"place": place, "hands": review_view.hands(kept, place), "clip": clip}


def _clip(kept: KeptGame, place: int, reviews: Reviews) -> dict[str, Any] | None:
    stretches = evidence_view.stretches(kept, place, reviews.file)
    return next((stretch["clip"] for stretch in reversed(stretches) if stretch["clip"] is not None), None)
