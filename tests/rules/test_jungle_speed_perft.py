"""Counted trees of small tables stay as they were counted."""

from __future__ import annotations

import pytest

from tests.rules import perft


@pytest.mark.parametrize("name", sorted(perft.TABLES))
def test_the_tree_of_a_small_table_has_as_many_states_and_rulings_as_were_counted(name: str) -> None:
    assert perft.count(name) == (perft.FOLDER / f"{name}.txt").read_text("utf-8")
