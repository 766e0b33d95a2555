"""Whole games come out as they were ruled."""

from __future__ import annotations

import pytest

from tests.rules import golden


@pytest.mark.parametrize("name", sorted(golden.GAMES))
def test_a_kept_game_is_ruled_as_it_was(name: str) -> None:
    kept = golden.read(name)
    assert golden.with_rulings(kept).rulings == kept.rulings


@pytest.mark.parametrize("name", sorted(golden.GAMES))
def test_a_kept_game_ends_with_a_ranking(name: str) -> None:
    assert [ruling["ruling"] for ruling in golden.read(name).rulings].count("over") == 1
