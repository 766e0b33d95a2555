"""The `[evidence]` table of a profile."""

from __future__ import annotations

import pytest

from referee.errors import ProfileError
from referee.evidence.settings import EvidenceSettings, read_evidence


def test_a_profile_without_the_table_keeps_the_table_alone() -> None:
    assert read_evidence(None, "p") == EvidenceSettings()
    assert EvidenceSettings().area == "table"


def test_what_is_written_is_what_is_read() -> None:
    read = read_evidence({"keep": "counts", "before_s": 1, "most_mb": 5, "rulings": ["fault"]}, "p")
    assert (read.keep, read.before_s, read.most_bytes, read.rulings) == ("counts", 1.0, 5_000_000, {"fault"})


@pytest.mark.parametrize(
    "table",
    [
        7,
        {"keep": "some"},
        {"area": 3},
        {"before_s": -1},
        {"after_s": "2"},
        {"after_s": 9},
        {"most_mb": 0},
        {"most_days": float("nan")},
        {"most_days": True},
        {"rulings": "won"},
        {"rulings": [1]},
        {"keeps": "all"},
    ],
)
def test_a_wrong_value_is_one_sentence_that_names_it(table: object) -> None:
    with pytest.raises(ProfileError) as said:
        read_evidence(table, "p.toml")
    assert str(said.value).startswith("p.toml: evidence")
    assert str(said.value).count("expected") == 1
