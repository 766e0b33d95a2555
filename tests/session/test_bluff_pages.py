"""What pages show and ask of Jungle Bluff, and what a tap says to the table."""

from __future__ import annotations

from typing import Any

from referee.ledger import Ledger
from referee.pages import Pages, calls_of, pressed
from referee.session import Snapshot
from referee.table.calls import Challenge, Notice, Settle, Take
from referee.web import desk, view
from referee.web.board import Offer

NAMES = ("Ana", "Bilal", "Chloé")
HEADER: Any = {"record": "referee/1", "game": "jungle-bluff", "players": list(NAMES), "options": {}}
CARDS = tuple(str(value) for value in range(1, 11))


def pages_of(*events: dict[str, Any]) -> Pages:
    ledger = Ledger(HEADER)
    pages = Pages("jungle-bluff", NAMES, CARDS, ledger)
    opening: list[dict[str, Any]] = [{"t_us": 0, "event": "centre", "cards": ["3", "7", "9"]}]
    opening += [{"t_us": 1, "event": "commit", "player": name} for name in NAMES]
    for event in [*opening, *events]:
        ledger.add(event)
    pages.stands(Snapshot(9, ledger.expected(), ledger.summary(), tuple(ledger.standing), len(ledger.events), {}))
    return pages


TAKEN = {"t_us": 5, "event": "take", "player": "Ana", "card": "9"}


def test_the_board_shows_the_turn_what_is_held_and_what_may_be_said() -> None:
    board = pages_of(TAKEN).board.current()[1]
    assert board.turn == "Bilal"
    assert [seat.counts["holds"] for seat in board.seats] == ["9", "", ""]
    assert board.offers == (Offer("Bilal", "challenge", ("Ana",), sure=True), Offer("Bilal", "take", ("3", "7")))
    shown = view.scoreboard(board, "fr")
    assert shown["headline"] == "Au tour de Bilal"
    assert shown["players"][0]["counts"][0] == {"label": "détient", "count": "9"}


def test_a_tap_is_a_word_to_the_table() -> None:
    pages = pages_of(TAKEN)
    assert calls_of(desk.Say("Bilal", "challenge", "Ana"), pages, 9) == [Challenge(9, "Bilal", "Ana")]
    assert calls_of(desk.Say("Bilal", "take", "3"), pages, 9) == [Take(9, "Bilal", "3")]
    assert pressed("Bilal", pages, 9) == [Challenge(9, "Bilal", "Ana")]
    assert pressed("Chloé", pages, 9) == []


def test_an_open_challenge_asks_who_has_the_card_and_any_of_the_two_may_be_said() -> None:
    pages = pages_of(TAKEN, {"t_us": 6, "event": "challenge", "player": "Bilal", "target": "Ana"})
    board = pages.board.current()[1]
    assert board.question is not None
    asked = view.operator(board, "en")["question"]
    assert [choice["text"] for choice in asked["choices"]] == ["Bilal has the card", "Ana has the card"]
    said = desk.command_from({"do": "settle", "question": board.question.id, "answer": "Ana"}, board)
    assert calls_of(said, pages, 9) == [Settle(9, 5, player="Ana")]


def test_a_take_by_nobody_knows_whom_asks_who_it_was() -> None:
    pages = pages_of({**TAKEN, "player": None})
    board = pages.board.current()[1]
    assert board.question is not None
    assert [one["value"] for one in view.operator(board, "en")["question"]["choices"]] == list(NAMES)
    said = desk.command_from({"do": "settle", "question": board.question.id, "answer": "Ana"}, board)
    assert calls_of(said, pages, 9) == [Settle(9, 4, player="Ana")]


def test_a_card_that_could_not_be_read_is_asked_for_by_name() -> None:
    pages = pages_of({**TAKEN, "card": "?"})
    question = pages.question()
    assert question is not None
    assert question.cards == CARDS


def test_a_moved_force_is_shown_on_every_page_for_a_while() -> None:
    pages = pages_of(TAKEN)
    pages.noticed(Notice(8, "force-moved", {"player": "Bilal"}))
    pages.noticed(Notice(8, "table-moved", {"by_mm": 3.0}))
    ledger = Ledger(HEADER)
    pages.stands(Snapshot(9, ledger.expected(), ledger.summary(), (), 0, {}))
    board = pages.board.current()[1]
    assert view.scoreboard(board, "en")["notices"] == ["Bilal’s force was moved."]
    later = Snapshot(20_000_000, ledger.expected(), ledger.summary(), (), 0, {})
    pages.stands(later)
    assert view.scoreboard(pages.board.current()[1], "en")["notices"] == []


def test_showing_a_card_under_the_hood_is_for_the_hood_alone() -> None:
    pages, shown = pages_of(), []
    pages.show = lambda player, t_us: shown.append((player, t_us))
    assert calls_of(desk.Say("Ana", "show"), pages, 9) == []
    assert shown == [("Ana", 9)]
