"""Jungle Bluff where a case file does not reach: what may come next."""

from __future__ import annotations

from typing import Any

from referee.rules import jungle_bluff
from referee.rules.jungle_bluff_state import State
from tests.rules.test_jungle_bluff_properties import header


def after(state: State, *events: dict[str, Any]) -> State:
    for event in events:
        state, _ = jungle_bluff.apply(state, {"t_us": 0, **event})
    return state


def waits(state: State) -> tuple[str, str | None, list[str]]:
    expected = jungle_bluff.expected(state)
    return expected["waiting_for"], expected["asked"], expected["may_play"]


def test_what_is_waited_for_is_said_in_every_phase() -> None:
    state = jungle_bluff.start(header(2, advanced=False))
    assert waits(state) == ("centre", None, [])
    state = after(state, {"event": "centre", "cards": ["3", "9"]})
    assert waits(state) == ("commit", None, ["Ana", "Bilal"])
    state = after(state, {"event": "commit", "player": "Ana"})
    assert waits(state) == ("commit", None, ["Bilal"])
    state = after(state, {"event": "commit", "player": "Bilal"})
    assert waits(state) == ("choice", "Ana", ["Ana"])
    state = after(state, {"event": "take", "player": "Ana", "card": "9"})
    assert waits(state) == ("choice", "Bilal", ["Bilal"])
    state = after(state, {"event": "take", "player": "Bilal", "card": "3"})
    assert waits(state) == ("reveal", None, [])
    assert waits(state._replace(unread=frozenset((0,)))) == ("nothing", None, [])
    assert waits(state._replace(over=True)) == ("nothing", None, [])
