"""The operator's commands: what is taken, what is refused, what came too late."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.web.board import TableSnapshot
from referee.web.desk import (
    LARGEST_QUEUE,
    Choose,
    Command,
    CommandError,
    Correct,
    Desk,
    End,
    LateError,
    Pause,
    Recount,
    Resume,
    Settle,
    Share,
    Start,
    command_from,
)
from tests.web.tables import ALL, CARD, CHOICE, OVER, PAUSED, SHARE, TABLE, WAITING, WHO


@pytest.mark.parametrize(
    ("snapshot", "said", "command"),
    [
        (CHOICE, {"do": "choose", "question": 7, "choice": "arrow"}, Choose(7, "arrow")),
        (SHARE, {"do": "share", "question": 8, "shares": {"Bilal": 4, "Ana": 5}}, Share(8, (("Ana", 5), ("Bilal", 4)))),
        (SHARE, {"do": "share", "question": 8, "shares": {"Bilal": 0, "Ana": 9}}, Share(8, (("Ana", 9), ("Bilal", 0)))),
        (WHO, {"do": "settle", "question": 5, "answer": "David"}, Settle(5, "David")),
        (WHO, {"do": "settle", "question": 5, "answer": None}, Settle(5, None)),
        (WHO, {"do": "settle", "question": 5, "answer": "David", "others": ["Bilal"]}, Settle(5, "David", ("Bilal",))),
        (WHO, {"do": "settle", "question": 5, "answer": "Bilal"}, Settle(5, "Bilal")),
        (CARD, {"do": "settle", "question": 6, "answer": "octagon/red"}, Settle(6, "octagon/red")),
        (TABLE, {"do": "correct", "ref": 17, "choice": "Bilal"}, Correct(17, "Bilal")),
        (TABLE, {"do": "correct", "ref": 17, "choice": None}, Correct(17, None)),
        (TABLE, {"do": "recount", "pile": "reserve", "counts": {"Ana": 7}}, Recount("reserve", (("Ana", 7),))),
        (TABLE, {"do": "pause"}, Pause()),
        (PAUSED, {"do": "resume"}, Resume()),
        (WAITING, {"do": "start"}, Start()),
        (OVER, {"do": "start"}, Start()),
        (PAUSED, {"do": "end"}, End()),
    ],
)
def test_a_command_that_answers_what_is_shown_is_taken(
    snapshot: TableSnapshot, said: dict[str, Any], command: Command
) -> None:
    assert command_from(said, snapshot) == command


@pytest.mark.parametrize(
    ("snapshot", "said"),
    [
        (TABLE, {"do": "choose", "question": 7, "choice": "arrow"}),
        (WHO, {"do": "settle", "question": 4, "answer": "Ana"}),
        (WHO, {"do": "choose", "question": 5, "choice": "duel"}),
        (TABLE, {"do": "correct", "ref": 16, "choice": None}),
        (WAITING, {"do": "correct", "ref": 17, "choice": None}),
        (PAUSED, {"do": "pause"}),
        (TABLE, {"do": "resume"}),
        (OVER, {"do": "end"}),
        (TABLE, {"do": "start"}),
    ],
)
def test_a_command_about_something_that_is_over_comes_too_late(snapshot: TableSnapshot, said: dict[str, Any]) -> None:
    with pytest.raises(LateError):
        command_from(said, snapshot)


@pytest.mark.parametrize(
    ("snapshot", "said"),
    [
        (CHOICE, {"do": "choose", "question": 7, "choice": "both"}),
        (CHOICE, {"do": "choose", "question": "7", "choice": "duel"}),
        (CHOICE, {"do": "choose", "question": True, "choice": "duel"}),
        (SHARE, {"do": "share", "question": 8, "shares": {"Bilal": 4, "Ana": 4}}),
        (SHARE, {"do": "share", "question": 8, "shares": {"Ana": 9}}),
        (SHARE, {"do": "share", "question": 8, "shares": {"Bilal": -1, "Ana": 10}}),
        (SHARE, {"do": "share", "question": 8, "shares": {"Bilal": 4.0, "Ana": 5}}),
        (SHARE, {"do": "share", "question": 8, "shares": [4, 5]}),
        (WHO, {"do": "settle", "question": 5, "answer": "Hugo"}),
        (WHO, {"do": "settle", "question": 5}),
        (CARD, {"do": "settle", "question": 6, "answer": "Ana"}),
        (TABLE, {"do": "correct", "ref": 17, "choice": "Eva"}),
        (TABLE, {"do": "correct", "ref": 17}),
        (TABLE, {"do": "recount", "pile": "face_up", "counts": {"Ana": 7}}),
        (TABLE, {"do": "recount", "pile": "reserve", "counts": {}}),
        (TABLE, {"do": "recount", "pile": "reserve", "counts": {"Eva": 7}}),
        (TABLE, {"do": "recount", "pile": "reserve", "counts": {"Ana": 1001}}),
        (TABLE, {"do": "dance"}),
        (TABLE, {"do": ["pause"]}),
        (TABLE, {}),
        (TABLE, None),
    ],
)
def test_a_command_that_cannot_be_is_refused_in_a_sentence(snapshot: TableSnapshot, said: Any) -> None:
    with pytest.raises(CommandError) as caught:
        command_from(said, snapshot)
    assert not isinstance(caught.value, LateError)
    assert "\n" not in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["Ana", "reserve"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(["question", "choice", "shares", "answer", "ref", "pile", "counts"])
DOES = st.sampled_from(["choose", "share", "settle", "correct", "recount", "pause", "resume", "start", "end"])


@given(st.sampled_from(sorted(ALL)), DOES, st.dictionaries(KEYS, JSON))
def test_no_words_of_a_page_raise_anything_else(name: str, do: str, rest: dict[str, Any]) -> None:
    try:
        command_from({**rest, "do": do}, ALL[name])
    except CommandError:
        return


def test_commands_are_taken_in_the_order_they_were_given_and_once() -> None:
    desk = Desk()
    for command in (Pause(), Settle(1, "Ana"), Settle(1, "Ana"), Resume()):
        desk.put(command)
    assert [desk.take() for _ in range(4)] == [Pause(), Settle(1, "Ana"), Resume(), None]


def test_a_session_that_takes_nothing_fills_no_memory() -> None:
    desk = Desk()
    for number in range(LARGEST_QUEUE):
        desk.put(Settle(number, None))
    with pytest.raises(CommandError, match="busy"):
        desk.put(Pause())
