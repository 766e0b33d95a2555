"""The board: newest wins, readers are woken, states are read."""

from __future__ import annotations

import threading
from dataclasses import replace

from referee.rules.jungle_speed import start, summary
from referee.web.board import Board, Seat, facts_of, seats_of, shown_rulings
from tests.web.tables import FAULT, HELD_BACK, TABLE, WHO, WON, given

HEADER = {
    "record": "referee/1",
    "game": "jungle-speed",
    "players": ["Ana", "Bilal", "Chloé"],
    "options": {},
    "start": {},
}


def test_the_newest_snapshot_is_what_is_read() -> None:
    board = Board(TABLE)
    assert board.current() == (0, TABLE)
    board.update(WHO)
    assert board.current() == (1, WHO)


def test_the_same_again_wakes_nobody_and_counts_as_a_sign_of_life() -> None:
    now = 0.0
    board = Board(TABLE, lambda: now)
    woken: list[int] = []
    with board.watched(lambda: woken.append(1)):
        now = 9.0
        assert board.age_s() == 9.0
        board.update(replace(TABLE))
        assert board.age_s() == 0.0
        assert woken == []
        board.update(WHO)
        assert woken == [1]
    board.update(TABLE)
    assert woken == [1]
    assert board.current()[0] == 2


def test_a_reader_in_another_thread_never_sees_half_a_change() -> None:
    board, seen = Board(TABLE), set()
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            version, snapshot = board.current()
            seen.add((version % 2, snapshot is WHO))

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(500):
        board.update(WHO)
        board.update(TABLE)
    done.set()
    reader.join()
    assert seen <= {(0, False), (1, True)}


def test_seats_and_facts_come_from_a_games_own_state() -> None:
    players = HEADER["players"]
    assert isinstance(players, list)
    counts = summary(start(HEADER))  # type: ignore[arg-type]
    seats = seats_of(players, counts)
    assert [seat.name for seat in seats] == players
    assert all(seat.counts["face_up"] == 0 and seat.counts["reserve"] > 20 for seat in seats)
    assert facts_of(players, counts) == {"pot": 0}


def test_a_player_who_is_out_is_marked() -> None:
    state = {
        "reserve": {"Ana": 0, "Bilal": 3},
        "pot": 2,
        "turn": "Bilal",
        "colour_mode": False,
        "out": ["Ana"],
        "over": False,
    }
    assert seats_of(["Ana", "Bilal"], state) == (Seat("Ana", {"reserve": 0}, True), Seat("Bilal", {"reserve": 3}))
    assert facts_of(["Ana", "Bilal"], state) == {"pot": 2}


def test_overturned_rulings_are_marked_and_what_is_not_public_is_left_out() -> None:
    shown = shown_rulings([FAULT, HELD_BACK, given(1, "overturned", refs=[0]), WON])
    assert [(one.place, one.overturned) for one in shown] == [(0, True), (3, False)]


def test_a_count_that_is_open_is_no_number() -> None:
    state = {"reserve": {"Ana": None, "Bilal": 3}, "pot": None, "turn": None, "out": []}
    assert seats_of(["Ana", "Bilal"], state) == (Seat("Ana", {"reserve": None}), Seat("Bilal", {"reserve": 3}))
    assert facts_of(["Ana", "Bilal"], state) == {"pot": None}
