"""What a page says of hands that were felt, and of those that only may have been somebody's."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from referee.journal.reading import KeptGame
from referee.web import review_view


def test_a_hand_that_only_may_have_been_somebodys_is_not_shown_as_a_contact() -> None:
    felt: dict[str, Any] = {"what": "hand", "player": None, "t_us": 5, "fingers": [2, 3], "lowest_mm": [10, 20]}
    perhaps = {**felt, "player": "Ana", "fingers": [1, 5], "perhaps": True}
    kept = cast(KeptGame, SimpleNamespace(decisions={3: {"inputs": [perhaps, felt]}}))
    assert [hand["player"] for hand in review_view.hands(kept, 3)] == ["?"]
