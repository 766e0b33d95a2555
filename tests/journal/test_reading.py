"""Lists and searches."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from referee.errors import RecordError
from referee.journal import entries as kinds
from referee.journal.derived import closeness_us, players_in
from referee.journal.entries import Entry
from referee.journal.reading import JournalView, Search
from referee.journal.store import Journal
from tests.journal.samples import HEADER, SETTINGS, clip, one_game, won


@pytest.fixture
def journal(tmp_path: Path) -> tuple[Path, list[str]]:
    """Three games: one close, one of another day and players, one of another game."""
    fault = {"t_us": 30, "ruling": "fault", "player": "Chloé", "kind": "wrong-grab", "clauses": [], "public": True}
    keys = [
        one_game(tmp_path, won(9, 5000), won(20, 300), fault),
        one_game(
            tmp_path,
            won(9, 9000, "Zoë", "Straße"),
            header={**HEADER, "players": ["Zoë", "Straße"]},
            settings=replace(SETTINGS, begun="2026-04-02T23:30:00+02:00"),
        ),
        one_game(tmp_path, header={"record": "referee/1", "game": "speed", "players": ["Ana", "Bo"]}),
    ]
    return tmp_path, keys


@pytest.mark.parametrize(
    ("search", "found"),
    [
        (Search(), [2, 1, 0]),
        (Search(player="ana"), [2, 0]),
        (Search(player="STRASSE"), [1]),
        (Search(player="an"), []),
        (Search(text="zo"), [1]),
        (Search(text="o'); DROP TABLE games; --"), []),
        (Search(game="speed"), [2]),
        (Search(day_from=date(2026, 4, 1)), [1]),
        (Search(day_to=date(2026, 3, 1)), [2, 0]),
        (Search(day_from=date(2026, 4, 2), day_to=date(2026, 4, 2)), [1]),
        (Search(kind="fault"), [0]),
        (Search(kind="won"), [1, 0]),
        (Search(closer_than_us=301), [0]),
        (Search(kind="won", closer_than_us=300), []),
        (Search(state="ended"), [2, 1, 0]),
        (Search(state="interrupted"), []),
    ],
)
def test_games_are_found_by(search: Search, found: list[int], journal: tuple[Path, list[str]]) -> None:
    folder, keys = journal
    with JournalView.open(folder) as view:
        assert [row.key for row in view.games(search)] == [keys[number] for number in found]
        assert view.count(search) == len(found)


def test_a_list_goes_on_after_its_last_game(journal: tuple[Path, list[str]]) -> None:
    folder, keys = journal
    with JournalView.open(folder) as view:
        first = view.games(limit=2)
        assert [row.key for row in [*first, *view.games(limit=2, after=first[-1].key)]] == keys[::-1]


def test_the_closest_ruling_comes_first(journal: tuple[Path, list[str]]) -> None:
    folder, keys = journal
    with JournalView.open(folder) as view:
        closest = view.rulings(closest_first=True)
        assert [(row.key, row.place, row.closeness_us) for row in closest] == [
            (keys[0], 1, 300),
            (keys[0], 0, 5000),
            (keys[1], 0, 9000),
        ]
        assert [row.place for row in view.rulings(Search(player="chloé"))] == [2]
        assert [row.closeness_us for row in view.rulings(Search(closer_than_us=5001), limit=1, offset=1)] == [5000]


def test_an_overturned_ruling_is_in_no_list_and_no_closeness(journal: tuple[Path, list[str]]) -> None:
    folder, keys = journal
    void = {"t_us": 50, "ruling": "overturned", "refs": [1], "clauses": [], "public": True}
    with Journal.open(folder) as writer, JournalView.open(folder) as view:
        writer.add(keys[0], [Entry(kinds.APPEAL, {"place": 1, "player": "Bo"})])
        assert view.games()[2].open_appeals == 1
        writer.add(keys[0], [Entry(kinds.RULING, void)])
        assert [row.place for row in view.rulings(Search(player="Ana"))] == [0]
        assert (view.games()[2].closest_us, view.games()[2].open_appeals) == (5000, 0)
        game = view.game(keys[0])
        assert [ruling.place for ruling in game.rulings if ruling.stands] == [0, 2]


def test_an_appeal_is_closed_when_the_ruling_is_upheld(journal: tuple[Path, list[str]]) -> None:
    folder, keys = journal
    with Journal.open(folder) as writer, JournalView.open(folder) as view:
        writer.add(keys[0], [Entry(kinds.APPEAL, {"place": 0, "player": "Bo"})])
        assert view.rulings(Search(player="Ana"))[-1].appealed
        writer.add(keys[0], [Entry(kinds.UPHELD, {"place": 0, "by": "Chloé", "reason": "the pictures are clear"})])
        row = view.rulings(Search(player="Ana"))[-1]
        assert (row.appealed, row.upheld) == (False, True)
        assert view.game(keys[0]).upheld[0]["reason"] == "the pictures are clear"


def test_evidence_is_found_by_its_id_with_its_game_and_its_file(journal: tuple[Path, list[str]]) -> None:
    folder, keys = journal
    with Journal.open(folder) as writer, JournalView.open(folder) as view:
        writer.add(keys[1], [clip("abc", [0, 1]), Entry(kinds.PIN, {"id": "abc"})])
        found = view.evidence("abc")
        assert found is not None
        assert (found.key, found.places, found.pinned, found.gone) == (keys[1], (0, 1), True, None)
        assert found.path == folder / "evidence" / keys[1] / "abc.webm"
        writer.add(keys[1], [Entry(kinds.EVIDENCE_GONE, {"id": "abc", "why": "quota"})])
        assert view.game(keys[1]).evidence[0].gone == "quota"
        assert view.evidence("no") is None
        with pytest.raises(RecordError, match="there is no game no"):
            view.game("no")


@pytest.mark.parametrize(
    ("margin", "us"),
    [
        ({"by": "time", "us": 27000}, 27000),
        ({"by": "arrival", "us": [-15000, 18000]}, 15000),
        ({"by": "time", "us": 27000, "arrival_us": [-200, 900]}, 200),
        ({"by": "fingers", "count": [4, 3], "arrival_us": [-200, 900]}, 200),
        ({"by": "fingers", "count": [4, 3]}, None),
        ({"by": "time", "us": 1e300}, 2**53),
        ({"by": "time", "us": "close"}, None),
        ("close", None),
        (None, None),
    ],
)
def test_closeness_is_the_smallest_margin_in_time(margin: object, us: int | None) -> None:
    assert closeness_us({"margin": margin}) == us


def test_whom_a_ruling_is_about_is_named_once() -> None:
    assert players_in({"winner": "Ana", "losers": ["Bo", "Ana"]}) == ["Ana", "Bo"]
    assert players_in({"player": None, "candidates": ["Bo"]}) == ["Bo"]
