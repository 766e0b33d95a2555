"""What is let out: never a secret, never twice, never what was overturned before."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.announce.publicity import Publicity
from tests.announce.samples import arrow, duel, ruling, triple, won
from tests.rules import cases


def test_a_duel_is_held_back_and_its_winner_is_told() -> None:
    publicity = Publicity("jungle-speed", "after")
    assert [publicity.admit(place, told) for place, told in enumerate((duel(), triple(), arrow(), won()))] == [
        False,
        False,
        True,
        True,
    ]


def test_a_duel_is_told_at_once_where_the_table_wants_it() -> None:
    publicity = Publicity("jungle-speed", "at-once")
    assert all(publicity.admit(place, told) for place, told in enumerate((duel(), triple(), arrow(), won())))


@pytest.mark.parametrize("how", ["after", "at-once"])
@pytest.mark.parametrize("game", ["jungle-bluff", "jungle-speed", "dobro", "speed"])
def test_no_other_secret_is_let_out(game: str, how: str) -> None:
    publicity = Publicity(game, how)
    secret = ruling("undecided", why="result", candidates=["Ana"], public=False)
    assert not publicity.admit(0, secret)
    assert not publicity.admit(1, {**won(), "public": None})


@pytest.mark.parametrize("how", ["after", "at-once"])
def test_of_all_cases_only_duels_and_third_colours_depend_on_the_setting(how: str) -> None:
    for case in cases.load(""):
        if "exit" in case:
            continue
        publicity = Publicity(case["game"], how)
        for place, told in enumerate(cases.run(case["record"])[0]):
            spoils = told["ruling"] == "duel" or (told["ruling"], told.get("kind")) == ("arrow", "triple")
            expected = told["public"] or (how == "at-once" and spoils)
            assert publicity.admit(place, told) is expected


@given(st.lists(st.one_of(st.integers(0, 9), st.frozensets(st.integers(0, 9), max_size=3)), max_size=40))
def test_a_place_is_let_out_once_and_never_after_it_was_overturned(steps: list[Any]) -> None:
    publicity = Publicity("jungle-speed")
    let_out: list[int] = []
    gone: set[int] = set()
    for step in steps:
        if isinstance(step, int):
            if publicity.admit(step, won()):
                assert step not in gone
                let_out.append(step)
        else:
            gone |= publicity.overturn(step)
    assert len(let_out) == len(set(let_out))
