"""What is news when a game is worked out again, and how it is shown."""

from __future__ import annotations

import io
from typing import Any

from referee.ledger import Given, overturned
from referee.listeners import JsonLines, News, Sheet
from referee.words import Ruling


def won(t_us: int, winner: str = "Ana") -> Ruling:
    more: dict[str, Any] = {"losers": ["Bo"], "picks_up": {"Bo": 2}, "next": "Bo", "clauses": [], "public": True}
    return {"t_us": t_us, "ruling": "won", "winner": winner, **more}


def test_a_ruling_that_comes_out_the_same_is_neither_said_again_nor_taken_back() -> None:
    news = News()
    first = [Given(0, won(1)), Given(1, won(2))]
    assert news.of(first) == first
    again = [Given(2, overturned(9, [0, 1])), Given(3, won(1, "Cy")), Given(4, won(2))]
    said = news.of(again)
    assert [(one.place, one.ruling["ruling"]) for one in said] == [(2, "overturned"), (3, "won")]
    assert said[0].ruling["refs"] == [0]


def test_what_was_given_again_is_taken_back_under_its_first_place() -> None:
    news = News()
    news.of([Given(0, won(1)), Given(1, won(2))])
    news.of([Given(2, overturned(9, [0, 1])), Given(3, won(0)), Given(4, won(1)), Given(5, won(2))])
    last = news.of([Given(6, overturned(10, [5]))])
    assert [one.ruling["refs"] for one in last] == [[1]]


def test_when_all_comes_out_the_same_there_is_no_news() -> None:
    news = News()
    news.of([Given(0, won(1))])
    assert news.of([Given(1, overturned(2, [0])), Given(2, won(1))]) == []


def test_json_lines_hold_every_ruling_with_its_place_by_counting() -> None:
    stream = io.BytesIO()
    JsonLines(stream).given([Given(0, won(1)), Given(1, overturned(2, [0]))])
    assert [line[:2] for line in stream.getvalue().splitlines()] == [b'{"', b'{"']


def test_a_sheet_has_a_sentence_a_ruling_with_how_close_it_was() -> None:
    lines: list[str] = []
    sheet = Sheet(lines.append, "en", "jungle-speed")
    sheet.given([Given(0, {**won(1_500_000), "margin": {"by": "time", "us": 27_000}})])
    assert "1.500 s" in lines[0]
    assert "Ana wins" in lines[0]
    assert "27 ms" in lines[0]
    sheet.given([Given(1, overturned(2_000_000, [0])), Given(2, won(1_500_000, "Cy"))])
    assert "no longer stand" in lines[1]
    assert "Cy wins" in lines[2]


class _Gone(io.BytesIO):
    def write(self, content: object, /) -> int:
        raise BrokenPipeError


def test_a_reader_that_goes_away_does_not_end_the_game() -> None:
    lines = JsonLines(_Gone())
    lines.given([Given(0, won(1))])
    lines.given([Given(1, won(2))])
