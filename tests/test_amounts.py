"""One and many, in both languages."""

from __future__ import annotations

import pytest

from referee.amounts import amount
from referee.doctor.finding import Finding


def test_one_is_singular_and_all_else_is_plural() -> None:
    assert [amount(count, "game") for count in (0, 1, 2)] == ["0 games", "1 game", "2 games"]
    assert [amount(count, "entry", "entries") for count in (1, 3)] == ["1 entry", "3 entries"]


@pytest.mark.parametrize(
    ("games", "open_games", "english", "french"),
    [
        (1, 0, "1 game is kept, 0 not ended.", "1 partie gardée, dont 0 non terminée."),
        (2, 1, "2 games are kept, 1 not ended.", "2 parties gardées, dont 1 non terminée."),
        (5, 2, "5 games are kept, 2 not ended.", "5 parties gardées, dont 2 non terminées."),
    ],
)
def test_the_doctor_counts_in_both_languages(games: int, open_games: int, english: str, french: str) -> None:
    finding = Finding("games.folder", "ok", {"games": games, "open": open_games})
    assert (finding.says("en"), finding.says("fr")) == (english, french)
