"""Every Jungle Bluff case: from a record to the rulings that must come."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules import cases

CASES = cases.load("jungle-bluff")


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_case_is_ruled_as_the_text_says(case: dict[str, Any]) -> None:
    assert cases.failure(case) == ""


def test_no_two_cases_bear_the_same_name() -> None:
    names = [case["id"] for case in CASES]
    assert sorted(names) == sorted(set(names))
