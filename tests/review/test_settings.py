"""The `[review]` table of a profile."""

from __future__ import annotations

import pytest

from referee.errors import ProfileError
from referee.review_settings import ReviewSettings, read_review


def test_a_table_that_says_nothing_has_no_appeals_and_shows_no_replay() -> None:
    assert read_review(None, "p.toml") == read_review({}, "p.toml") == ReviewSettings(0, "off")
    assert read_review({"appeals": 2, "replay": "pictures"}, "p.toml") == ReviewSettings(2, "pictures")


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (3, "review: expected a table"),
        ({"apeals": 1}, "review.apeals: expected appeals or replay"),
        ({"appeals": -1}, "review.appeals: expected a whole number"),
        ({"appeals": True}, "review.appeals: expected a whole number"),
        ({"replay": "on"}, "review.replay: expected one of off, totem, pictures"),
        ({"replay": ["off"]}, "review.replay: expected one of"),
    ],
)
def test_what_cannot_be_is_one_sentence_that_names_the_key(table: object, sentence: str) -> None:
    with pytest.raises(ProfileError, match=sentence):
        read_review(table, "p.toml")
