"""Every Jungle Speed case: from a record to the rulings that must come."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules import cases

CASES = cases.load("jungle-speed")


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_case_is_ruled_as_the_text_says(case: dict[str, Any]) -> None:
    assert cases.failure(case) == ""


def test_no_two_cases_bear_the_same_name() -> None:
    names = [case["id"] for case in CASES]
    assert sorted(names) == sorted(set(names))


def test_a_case_with_a_wrong_expectation_fails() -> None:
    case = next(case for case in CASES if case["id"] == "first-to-grab")
    wrong = {**case, "expect": [{"ruling": "won", "winner": "Ana"}]}
    assert "wanted" in cases.failure(wrong)
    assert "must not come" in cases.failure({**case, "never": [{"ruling": "won"}]})
    assert "state pot" in cases.failure({**case, "state": {"pot": 77}})
    assert cases.failure({**case, "exit": 2}) == "was not refused"
