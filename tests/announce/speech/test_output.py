"""Speech as a whole, from rulings to files, with the tone voice: what is said, in which order, and what is not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.announce.outputs import Notice, Status
from referee.announce.speech.output import Speech
from referee.announce.speech.players import Files, Speaker
from referee.announce.speech.voice import Voice
from referee.errors import HardwareError
from tests.announce.samples import PLAYERS, HandClock, arrow, ruling, wait_until, won

AGES_S = 1_000.0
CORRECTION = "Correction: the last ruling does not hold."


class Table:
    """A table that is spoken to: the clock stands until the test moves it, so that speech lasts as long as it wants."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.clock = HandClock()
        self.folder = folder / "said"
        self.speech = Speech(
            "jungle-speed",
            PLAYERS,
            "en",
            Files(self.folder, self.clock.now_us, clock_s=self.clock.now_s),
            partial(Voice, "tone"),
            folder / "cache",
            now_us=self.clock.now_us,
            **options,
        )

    def ruled(self, place: int, given_ruling: dict[str, Any]) -> None:
        self.speech.ruled(Notice(place, {**given_ruling, "t_us": 1_000 * place}))

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "said.jsonl").read_text("utf-8").splitlines()]

    def said(self) -> list[str]:
        return [line["text"] for line in self.lines()]

    def speaking(self) -> bool:
        return self.speech.current is not None

    def hear(self, count: int) -> list[str]:
        """Let time go by until so many utterances have ended."""

        def heard() -> bool:
            self.clock.move(0.05)
            return len(self.lines()) >= count

        assert wait_until(heard)
        return self.said()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path)
    yield made
    made.clock.move(AGES_S)
    made.speech.close(0.0)


def test_a_ruling_is_said(table: Table) -> None:
    table.ruled(0, won())
    assert table.hear(1) == ["Ana wins against Bilal. Bilal picks up 3 cards."]
    assert table.lines()[0]["places"] == [0]
    assert table.lines()[0]["seconds"] > 0.5
    assert table.speech.health.sentence == ""


def test_rulings_wait_for_each_other(table: Table) -> None:
    for place, winner in enumerate(("Ana", "Chloé", "Driss")):
        table.ruled(place, won(winner))
    said = table.hear(3)
    assert [sentence.split()[0] for sentence in said] == ["Ana", "Chloé", "Driss"]
    assert not any(line["cut"] for line in table.lines())


def test_a_ruling_overturned_before_it_is_said_is_not_said_and_not_corrected(table: Table) -> None:
    table.ruled(0, won("Ana"))
    assert wait_until(table.speaking)
    table.ruled(1, won("Chloé"))
    table.speech.overturned(frozenset({1}))
    table.ruled(2, won("Driss"))
    assert [sentence.split()[0] for sentence in table.hear(2)] == ["Ana", "Driss"]


def test_a_ruling_overturned_while_it_is_heard_is_cut_and_corrected(table: Table) -> None:
    table.ruled(0, won("Ana"))
    assert wait_until(lambda: table.speech.begun(0))
    table.speech.overturned(frozenset({0}))
    table.ruled(1, won("Chloé"))
    said = table.hear(3)
    assert [line["cut"] for line in table.lines()] == [True, False, False]
    assert said[1] == CORRECTION
    assert said[2].startswith("Chloé")


def test_a_ruling_overturned_after_it_was_heard_is_corrected_once(table: Table) -> None:
    table.ruled(0, won("Ana"))
    table.hear(1)
    table.speech.overturned(frozenset({0, 1, 2}))
    table.speech.overturned(frozenset({0}))
    table.ruled(5, won("Chloé"))
    assert table.hear(3)[1:2] == [CORRECTION]
    assert table.said()[2].startswith("Chloé")


def test_several_that_were_heard_are_corrected_in_one_sentence(table: Table) -> None:
    table.ruled(0, won("Ana"))
    table.ruled(1, won("Chloé"))
    table.hear(2)
    table.speech.overturned(frozenset({0, 1}))
    assert table.hear(3)[2] == "Correction: the last rulings do not hold."


def test_after_a_correction_the_last_of_the_restated_rulings_are_said_and_no_old_warning(table: Table) -> None:
    for place in range(6):
        table.ruled(place, ruling("out", player="Ana", rank=place))
    table.hear(6)
    table.speech.overturned(frozenset(range(1, 6)))
    assert wait_until(lambda: table.speech.current is not None and table.speech.current.kind == "overturned")
    for place in range(1, 6):
        again = ruling("out", player="Bilal", rank=place)
        table.speech.ruled(Notice(place + 100, {**again, "t_us": 1_000 * place}))
        table.speech.ruled(Notice(place + 200, {**arrow(), "t_us": 1_000 * place}))
    table.ruled(300, ruling("out", player="Driss", rank=9))
    assert table.hear(11)[6:] == [
        "Correction: the last rulings do not hold.",
        *(f"Bilal is out, rank {rank}." for rank in (3, 4, 5)),
        "Driss is out, rank 9.",
    ]


def test_a_ruling_cuts_off_what_matters_less(table: Table) -> None:
    table.ruled(0, arrow())
    assert wait_until(lambda: table.speech.begun(0))
    table.ruled(1, won())
    said = table.hear(2)
    assert [line["cut"] for line in table.lines()] == [True, False]
    assert said[1].startswith("Ana wins")


def test_a_notice_that_comes_too_late_is_not_said(table: Table) -> None:
    table.ruled(0, won("Ana"))
    assert wait_until(lambda: table.speech.begun(0))
    table.ruled(1, arrow())
    table.clock.move(AGES_S)
    table.ruled(2, won("Driss"))
    assert [sentence.split()[0] for sentence in table.hear(2)] == ["Ana", "Driss"]


def test_what_nobody_can_tell_is_said_in_one_phrase(table: Table) -> None:
    table.ruled(0, ruling("undecided", why="fingers", candidates=["Ana", "Bilal"]))
    assert table.hear(1) == ["Undecided: the finger counts do not decide, Ana or Bilal."]


def test_what_is_about_the_record_is_not_said_to_the_table(table: Table) -> None:
    table.ruled(0, ruling("rejected", event=4, why="the game is over"))
    table.ruled(1, won())
    assert len(table.hear(1)) == 1


def test_who_is_waited_for_is_reminded_once(tmp_path: Path) -> None:
    table = Table(tmp_path, remind_after_us=8_000_000)
    table.speech.status(Status(turn="Bilal", waiting_for="flip"))
    table.clock.move(7.9)
    assert table.said() == []
    assert table.hear(1) == ["Bilal, it is your turn."]
    table.clock.move(AGES_S)
    table.speech.close(1.0)
    assert len(table.said()) == 1


def test_a_ruling_makes_a_reminder_out_of_date(tmp_path: Path) -> None:
    table = Table(tmp_path, remind_after_us=8_000_000)
    table.speech.status(Status(turn="Bilal", waiting_for="flip"))
    table.ruled(0, won())
    table.hear(1)
    table.clock.move(AGES_S)
    table.speech.close(1.0)
    assert len(table.said()) == 1


def test_closing_says_what_waits(tmp_path: Path) -> None:
    table = Table(tmp_path)
    speech = Speech(
        "jungle-speed",
        PLAYERS,
        "fr",
        Files(tmp_path / "other", table.clock.now_us, paced=False),
        partial(Voice, "tone"),
        tmp_path / "cache",
        now_us=table.clock.now_us,
    )
    for place in range(5):
        speech.ruled(Notice(place, won()))
    speech.close(30.0)
    speech.close(30.0)
    assert len((tmp_path / "other" / "said.jsonl").read_text("utf-8").splitlines()) == 5
    table.speech.close(0.0)


def test_phrases_are_rendered_ahead_and_a_second_game_finds_them(tmp_path: Path) -> None:
    first = Table(tmp_path / "1", ahead=partial(Voice, "tone", gently=True))
    assert first.speech.ahead > 100
    assert wait_until(lambda: first.speech.ahead == 0)
    first.speech.close(1.0)
    kept = {path.name for path in (tmp_path / "1" / "cache").iterdir()}
    assert len(kept) > 100
    second = Table(tmp_path / "2")
    second.ruled(0, won(cards=7))
    second.hear(1)
    second.speech.close(1.0)
    assert {path.name for path in (tmp_path / "2" / "cache").iterdir()} <= kept


def broken_voice() -> Voice:
    raise HardwareError("no voice is installed")


@pytest.mark.parametrize("ahead", [broken_voice, None])
def test_without_a_voice_it_is_silent_and_says_so(tmp_path: Path, ahead: Any) -> None:
    clock = HandClock()
    files = Files(tmp_path / "said", clock.now_us)
    speech = Speech("dobro", PLAYERS, "en", files, broken_voice, tmp_path / "cache", now_us=clock.now_us, ahead=ahead)
    speech.ruled(Notice(0, ruling("oubli", player="Ana")))
    assert wait_until(lambda: speech.health.sentence == "no voice is installed")
    speech.close(5.0)
    assert (tmp_path / "said" / "said.jsonl").read_text() == ""


def test_a_speaker_that_comes_back_is_used_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.announce.speech.output._RETRY_S", 0.0)
    clock, player = HandClock(), tmp_path / "player"
    speech = Speech(
        "jungle-speed", PLAYERS, "en", Speaker([str(player)]), partial(Voice, "tone"), tmp_path / "cache",
        now_us=clock.now_us,
    )  # fmt: skip
    speech.ruled(Notice(0, won()))
    assert wait_until(lambda: "cannot be started" in speech.health.sentence)
    player.write_text("#!/bin/sh\ncat > /dev/null\n")
    player.chmod(0o755)
    speech.ruled(Notice(1, won()))
    assert wait_until(lambda: speech.health.sentence == "")
    speech.close(5.0)


def test_a_bug_in_the_thread_is_a_sentence_and_closing_still_ends(tmp_path: Path) -> None:
    def bug() -> Voice:
        raise ZeroDivisionError("bug")

    clock = HandClock()
    files = Files(tmp_path / "said", clock.now_us)
    speech = Speech("speed", PLAYERS[:2], "en", files, bug, tmp_path, now_us=clock.now_us)
    assert wait_until(lambda: "speech has stopped" in speech.health.sentence)
    speech.ruled(Notice(0, ruling("turn-up")))
    speech.close(30.0)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("ruled"), st.integers(0, 3)),
        st.tuples(st.just("overturned"), st.integers(0, 12)),
    ),
    max_size=12,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_each_ruling_is_said_once_or_was_overturned_before(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]]
) -> None:
    folder = tmp_path_factory.mktemp("game")
    clock = HandClock()
    files = Files(folder / "said", clock.now_us, paced=False)
    cache = tmp_path_factory.getbasetemp() / "shared-cache"
    speech = Speech("jungle-speed", PLAYERS, "en", files, partial(Voice, "tone"), cache, now_us=clock.now_us)
    place, overturned = 0, set()
    for what, number in steps:
        if what == "ruled":
            speech.ruled(Notice(place, {**won(PLAYERS[number], "Bo"), "t_us": 1_000 * place}))
            place += 1
        elif number < place:
            speech.overturned(frozenset({number}))
            overturned.add(number)
    speech.close(30.0)
    lines = [json.loads(line) for line in (folder / "said" / "said.jsonl").read_text("utf-8").splitlines()]
    said = [line["places"][0] for line in lines if line["places"]]
    corrections = [line for line in lines if not line["places"]]
    assert said == sorted(set(said))
    assert {*range(place)} - overturned <= {*said}
    assert len(corrections) == len(overturned & {*said})
