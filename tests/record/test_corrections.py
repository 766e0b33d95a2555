"""Corrections: which event counts in which place."""

from __future__ import annotations

from typing import Any

import pytest

from referee.record import resolve


def event(name: str, **more: Any) -> dict[str, Any]:
    return {"t_us": 5, "event": name, **more}


def correct(**more: Any) -> dict[str, Any]:
    return {"t_us": 9, "event": "correct", "by": "host", "reason": "seen", **more}


def steps(*events: dict[str, Any]) -> list[tuple[int, str, bool]]:
    return [(step.place, step.event["event"], bool(step.refused)) for step in resolve(list(events))]


def test_without_corrections_every_event_is_its_own_step() -> None:
    assert steps(event("a"), event("b")) == [(0, "a", False), (1, "b", False)]


def test_a_replaced_event_keeps_its_place_its_index_and_its_time() -> None:
    found = list(resolve([event("a"), event("b"), correct(ref=0, **{"with": {"event": "c"}})]))
    assert [(step.place, step.event) for step in found] == [(0, event("c")), (1, event("b"))]


def test_the_last_correction_of_an_event_counts() -> None:
    first, second = correct(ref=0, **{"with": event("c")}), correct(ref=0, **{"with": event("d")})
    assert steps(event("a"), first, second) == [(0, "d", False)]


def test_an_event_that_never_happened_leaves_no_step() -> None:
    assert steps(event("a"), event("b"), correct(ref=0, **{"with": None})) == [(1, "b", False)]


def test_insertions_stand_before_their_event_in_the_order_given_and_bear_its_index() -> None:
    first, second = correct(before=1, **{"with": {"event": "c"}}), correct(before=1, **{"with": event("d", t_us=6)})
    assert steps(event("a"), event("b"), first, second) == [
        (0, "a", False),
        (1, "c", False),
        (1, "d", False),
        (1, "b", False),
    ]


def test_an_insertion_can_be_replaced_and_taken_back() -> None:
    put_in = correct(before=0, **{"with": event("c")})
    replaced = correct(ref=1, **{"with": event("d")})
    taken_back = correct(ref=1, **{"with": None})
    assert steps(event("a"), put_in, replaced) == [(0, "d", False), (0, "a", False)]
    assert steps(event("a"), put_in, replaced, taken_back) == [(0, "a", False)]


@pytest.mark.parametrize(
    "bad",
    [
        correct(ref=1, **{"with": None}),
        correct(ref=-1, **{"with": None}),
        correct(ref=7, **{"with": None}),
        correct(before=1, **{"with": event("c")}),
        correct(before=0, **{"with": None}),
        correct(ref=0, before=0, **{"with": event("c")}),
        correct(ref=0, **{"with": event("correct")}),
    ],
)
def test_a_correction_that_cannot_be_is_refused_and_changes_nothing(bad: dict[str, Any]) -> None:
    assert steps(event("a"), bad) == [(0, "a", False), (1, "correct", True)]


def test_a_correction_cannot_be_corrected_nor_stand_before_one() -> None:
    good = correct(ref=0, **{"with": None})
    assert steps(event("a"), good, correct(ref=1, **{"with": None})) == [(2, "correct", True)]
    assert steps(event("a"), good, correct(before=1, **{"with": event("c")})) == [(2, "correct", True)]
