"""The review pages over the network's own door: what is shown, who may see and do what, what is refused."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from referee import review
from referee.journal.entries import Entry
from referee.journal.store import Journal
from referee.ledger import Ledger
from referee.totem.curves import read_curves
from referee.web.accounts import Accounts, Role
from referee.web.app import make_app
from referee.web.board import Board, ShownRuling
from referee.web.desk import Desk, Overturn
from referee.web.reviews import MissingError, Reviews
from referee.web.text import LANGUAGES
from tests.review.kept import DUEL_US, EVENTS, add_evidence, begin, header_of, place_of, play, read, whole_game
from tests.web.asking import OWN, Answer, Asked
from tests.web.tables import TABLE
from tests.web.test_login import NAMES, PASSWORD

NASTY = '<img src=x onerror="document.title=1">'


@dataclass
class House:
    """A journal, its accounts, and an application over it."""

    folder: Path
    journal: Journal
    reviews: Reviews
    accounts: Accounts
    desk: Desk

    def asked(self, role: Role | None = Role.HEAD) -> Asked:
        """A browser of somebody with this role."""
        app, pages = make_app(Board(TABLE), self.desk, names=OWN, accounts=self.accounts, reviews=self.reviews)
        made = Asked(app, pages)
        if role is not None:
            assert made.log_in(NAMES[role], PASSWORD).status == 204
        return made


@pytest.fixture(scope="module")
def accounts(tmp_path_factory: pytest.TempPathFactory) -> Accounts:
    found = Accounts(tmp_path_factory.mktemp("accounts"))
    for role, name in NAMES.items():
        found.add(name, role, PASSWORD)
    return found


@pytest.fixture
def house(tmp_path: Path, accounts: Accounts) -> Iterator[House]:
    with Journal.open(tmp_path / "journal") as journal:
        yield House(journal.folder, journal, Reviews(journal.folder, read_curves, journal), accounts, Desk())


def won_at(house: House, key: str) -> str:
    """The address of the game's duel."""
    return f"/review/games/{key}/rulings/{place_of(read(house.folder, key), 'won')}"


def overturned(asked: Asked, address: str, word: dict[str, Any]) -> Answer:
    """Look at the difference, then confirm it."""
    shown = asked.post(f"{address}/preview", word)
    assert shown.status == 200
    return asked.post(f"{address}/overturn", {**word, "digest": shown.json()["digest"]})


FIRST = {"do": "first", "names": ["Chloé"], "reason": "seen on frame 31"}


# ---- what is shown


def test_games_are_listed_latest_first_and_page_by_page(house: House) -> None:
    keys = [whole_game(house.journal, events=EVENTS[:1]) for _ in range(55)]
    asked = house.asked(Role.VIEWER)
    first = asked.ask("/review/games").json()
    assert [row["key"] for row in first["games"]] == keys[::-1][:50]
    rest = asked.ask(f"/review/games?after={first['after']}").json()
    assert [row["key"] for row in rest["games"]] == keys[::-1][50:]
    assert rest["after"] is None


@pytest.mark.parametrize(
    ("query", "many"),
    [
        ("player=zoé", 1),
        ("player=Ana", 2),
        ("from=2026-11-25", 1),
        ("to=2026-11-25", 1),
        ("kind=fault", 2),
        ("kind=out", 0),
        ("closer=49", 1),
        ("closer=48", 0),
        ("text=chlo", 1),
        ("game=dobro", 0),
    ],
)
def test_games_are_found_by_player_day_kind_closeness_and_words(house: House, query: str, many: int) -> None:
    whole_game(house.journal)
    events = [{**event, "player": "Zoé"} if event.get("player") == "Chloé" else event for event in EVENTS]
    events[3] = {**events[3], "hands": events[3]["hands"][:1]}
    whole_game(house.journal, ("Ana", "Bilal", "Zoé"), events, begun="2026-11-20T20:00:00+01:00")
    assert len(house.asked(Role.VIEWER).ask(f"/review/games?{quote(query, safe='=&')}").json()["games"]) == many


@pytest.mark.parametrize(
    "query", ["from=yesterday", "closer=-1", "closer=x", "closer=99999999999999", "player=" + "x" * 65]
)
def test_a_search_that_cannot_be_is_one_sentence(house: House, query: str) -> None:
    answer = house.asked(Role.VIEWER).ask(f"/review/games?{query}")
    assert answer.status == 400
    assert b": expected" in answer.body


def test_the_closest_rulings_of_all_games_come_closest_first(house: House) -> None:
    closer = [*EVENTS]
    closer[3] = {**EVENTS[3], "hands": [EVENTS[3]["hands"][0], {**EVENTS[3]["hands"][1], "t_us": DUEL_US + 41_000}]}
    keys = [whole_game(house.journal), whole_game(house.journal, events=closer)]
    rows = house.asked(Role.VIEWER).ask("/review/games?view=closest&kind=won").json()["rulings"]
    assert [row["key"] for row in rows] == keys[::-1]
    assert [row["closeness"] for row in rows] == ["41 ms", "48 ms"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_ruling_shows_what_it_rests_on_in_both_languages(house: House, language: str) -> None:
    key = whole_game(house.journal)
    address = won_at(house, key)
    add_evidence(house.journal, key, [int(address.rpartition("/")[2])])
    shown = house.asked().ask(f"{address}?lang={language}").json()
    assert [hand["player"] for hand in shown["hands"]] == ["Ana", "Chloé"]
    assert [hand["t_us"] for hand in shown["hands"]] == [DUEL_US, DUEL_US + 48_300]
    assert all(clause["text"] for clause in shown["clauses"])
    assert shown["margin"]
    assert shown["alternatives"][0]["gives"]
    assert [len(stretch["clip"]["t_us"]) for stretch in shown["stretches"]] == [60]
    assert [crop["candidates"] for crop in shown["stretches"][0]["crops"]] == [["knot/green"], ["knot/red", "moon/red"]]
    assert shown["choices"]["first"] == ["Ana", "Bilal", "Chloé"]
    assert shown["may"] == {"decide": True, "appeal": True, "bookmark": True}


def test_evidence_that_was_deleted_is_said_and_the_ruling_still_shown(house: House) -> None:
    key = whole_game(house.journal)
    address = won_at(house, key)
    ids = add_evidence(house.journal, key, [int(address.rpartition("/")[2])])
    house.journal.add(key, [Entry("evidence-gone", {"id": ids["clip"], "why": "the quota"})])
    shown = house.asked().ask(address).json()
    assert shown["stretches"][0]["clip"] is None
    assert [row["gone"] for row in shown["evidence"] if row["kind"] == "clip"] == ["the quota"]
    assert house.asked().ask(f"/review/games/{key}/evidence/{ids['clip']}").status == 404


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{", b'{"clip": 3, "frames": {}, "crops": [1], "counts": [{"id": []}]}', b"\xff" * 10]
)
def test_a_sheet_that_says_nonsense_leaves_the_ruling_readable(house: House, content: bytes) -> None:
    key = whole_game(house.journal)
    address = won_at(house, key)
    ids = add_evidence(house.journal, key, [int(address.rpartition("/")[2])])
    (house.folder / "evidence" / key / f"{ids['sheet']}.json").write_bytes(content)
    shown = house.asked().ask(address)
    assert shown.status == 200
    assert shown.json()["stretches"][0]["clip"] is None


def test_readings_of_the_totem_come_as_curves(house: House) -> None:
    key = whole_game(house.journal)
    ids = add_evidence(house.journal, key, [1])
    window = f"from={DUEL_US - 100_000}&to={DUEL_US + 100_000}"
    curves = house.asked().ask(f"/review/games/{key}/evidence/{ids['counts']}/curves?{window}").json()
    assert [ring["mm"] for ring in curves["rings"]] == [20.0, 45.0, 70.0, 95.0]
    before = curves["t_us"].index(next(t for t in curves["t_us"] if t >= DUEL_US))
    assert max(curves["rings"][0]["level"][:before]) < 50 < min(curves["rings"][0]["level"][before:])
    assert house.asked().ask(f"/review/games/{key}/evidence/{ids['clip']}/curves").status == 404


# ---- what is decided


def test_overturning_is_shown_first_and_kept_as_it_was_shown(house: House) -> None:
    key = whole_game(house.journal)
    asked, address = house.asked(), won_at(house, key)
    before = read(house.folder, key)
    shown = asked.post(f"{address}/preview", FIRST).json()
    assert "Ana wins" in shown["void"][0]["text"]
    assert "Chloé wins" in shown["new"][0]["text"]
    assert shown["changes"]
    assert read(house.folder, key).lines == before.lines
    assert asked.post(f"{address}/overturn", {**FIRST, "digest": shown["digest"]}).status == 200
    after = asked.ask(address).json()
    assert after["void"]
    assert after["overturned"]["by"] == "Hanna"
    assert after["overturned"]["reason"] == "seen on frame 31"
    assert "Chloé wins" in after["overturned"]["instead"][0]["text"]
    assert read(house.folder, key).events[-1]["by"] == "Hanna"


@pytest.mark.parametrize("digest", ["", "0" * 64])
def test_what_was_not_shown_is_not_kept(house: House, digest: str) -> None:
    key = whole_game(house.journal)
    before = read(house.folder, key).lines
    answer = house.asked().post(f"{won_at(house, key)}/overturn", {**FIRST, "digest": digest})
    assert answer.status == 409
    assert read(house.folder, key).lines == before


@pytest.mark.parametrize(
    "word",
    [
        {},
        {"do": "first", "names": ["Chloé"]},
        {"do": "first", "names": "Chloé", "reason": "x"},
        {"do": "first", "names": [1], "reason": "x"},
        {"do": "first", "names": ["Mallory"], "reason": "x"},
        {"do": "first", "names": ["Chloé"], "reason": "  "},
        {"do": "with", "names": [], "reason": "x", "with": {"event": "end"}},
        {"do": "never", "names": [], "reason": "x" * 501},
    ],
    ids=str,
)
def test_words_that_are_no_correction_get_a_sentence(house: House, word: dict[str, Any]) -> None:
    key = whole_game(house.journal)
    answer = house.asked().post(f"{won_at(house, key)}/preview", word)
    assert answer.status == 400
    assert answer.body


def test_a_running_game_is_corrected_by_its_session_and_by_nobody_else(house: House) -> None:
    keeper = begin(house.journal)
    play(keeper, Ledger(header_of()), EVENTS)
    house.reviews = Reviews(house.folder, read_curves, house.journal, lambda: keeper.key, house.desk)
    before = read(house.folder, keeper.key).lines
    assert overturned(house.asked(), won_at(house, keeper.key), FIRST).status == 202
    command = house.desk.take()
    assert isinstance(command, Overturn)
    assert (command.ref, command.by, command.reason) == (3, "Hanna", "seen on frame 31")
    assert command.event is not None
    assert command.event["hands"][0]["player"] == "Chloé"
    assert read(house.folder, keeper.key).lines == before


def test_upholding_appealing_and_marking_are_kept_with_who_did_it(house: House) -> None:
    key = whole_game(house.journal)
    address, operator = won_at(house, key), house.asked(Role.OPERATOR)
    assert operator.post(f"{address}/appeal", {"player": "Chloé"}).status == 200
    assert operator.post(f"{address}/appeal", {"player": "Chloé"}).status == 400
    assert operator.post(f"{address}/bookmark", {"on": True}).status == 200
    assert house.asked().post(f"{address}/uphold", {"reason": "clear"}).status == 200
    kept = read(house.folder, key)
    assert [(one["player"], one["by"]) for one in kept.appeals] == [("Chloé", "Otto")]
    assert [(one["by"], one["reason"]) for one in kept.upheld] == [("Hanna", "clear")]
    assert review.bookmarks(kept) == {int(address.rpartition("/")[2])}


def test_an_operator_may_not_overturn_and_a_viewer_may_only_look(house: House) -> None:
    key = whole_game(house.journal)
    address = won_at(house, key)
    for role, what in (
        (Role.OPERATOR, "preview"),
        (Role.OPERATOR, "overturn"),
        (Role.OPERATOR, "uphold"),
        (Role.VIEWER, "appeal"),
        (Role.VIEWER, "bookmark"),
    ):
        assert house.asked(role).post(f"{address}/{what}", FIRST).status == 403
    assert house.asked(Role.VIEWER).ask(address).json()["may"] == {"decide": False, "appeal": False, "bookmark": False}


def test_pages_that_only_show_say_so(house: House) -> None:
    key = whole_game(house.journal)
    house.reviews = Reviews(house.folder, read_curves)
    asked, address = house.asked(), won_at(house, key)
    assert asked.ask(address).json()["read-only"]
    assert asked.post(f"{address}/uphold", {"reason": "x"}).status == 409


# ---- what is refused


def test_a_game_that_is_being_played_is_hidden_from_those_who_only_look(house: House) -> None:
    keeper = begin(house.journal)
    play(keeper, Ledger(header_of()), EVENTS[:4])
    ids = add_evidence(house.journal, keeper.key, [1])
    places = [won_at(house, keeper.key), f"/review/games/{keeper.key}"]
    places += [f"/review/games/{keeper.key}/evidence/{ids['frame']}"]
    places += [f"/review/games/{keeper.key}/evidence/{ids['counts']}/curves"]
    for place in places:
        assert house.asked(Role.VIEWER).ask(place).status == 403, place
        assert house.asked(Role.OPERATOR).ask(place).status == 200, place
    assert house.asked(Role.VIEWER).ask("/review/games?view=closest").json()["rulings"] == []
    keeper.close()
    for place in places:
        assert house.asked(Role.VIEWER).ask(place).status == 200, place


def test_evidence_is_given_by_its_id_within_its_own_game(house: House) -> None:
    one, other = whole_game(house.journal), whole_game(house.journal)
    ids = add_evidence(house.journal, one, [1])
    asked = house.asked(Role.VIEWER)
    answer = asked.ask(f"/review/games/{one}/evidence/{ids['frame']}")
    assert (answer.status, answer.headers["content-type"]) == (200, "image/jpeg")
    assert asked.ask(f"/review/games/{other}/evidence/{ids['frame']}").status == 404
    assert asked.ask(f"/review/games/{one}/evidence/{ids['sheet']}").status == 404
    assert house.asked(None).ask(f"/review/games/{one}/evidence/{ids['frame']}").status == 401


def test_a_clip_is_given_in_parts_for_seeking(house: House) -> None:
    key = whole_game(house.journal)
    ids = add_evidence(house.journal, key, [1])
    answer = house.asked().ask(f"/review/games/{key}/evidence/{ids['clip']}", range="bytes=10-19")
    assert answer.status == 206
    assert len(answer.body) == 10
    assert answer.headers["content-type"] == "video/webm"


@pytest.mark.parametrize(
    "name",
    [
        "..%2f..%2fjournal.sqlite3",
        "../../journal.sqlite3",
        "%2e%2e%2fjournal.sqlite3",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "....//journal.sqlite3",
        "journal.sqlite3",
        "a%00.jpg",
        "",
    ],
)
def test_no_path_leads_out_of_the_evidence(house: House, name: str) -> None:
    key = whole_game(house.journal)
    for path in (f"/review/games/{key}/evidence/{name}", f"/review/games/{name}/evidence/ab", f"/review/games/{name}"):
        for unquoted in (path, path.replace("%2f", "/").replace("%2e", ".").replace("%00", "\x00")):
            assert house.asked().ask(unquoted).status in (307, 404)


def test_a_journal_from_elsewhere_that_names_other_files_shows_none_of_them(house: House) -> None:
    key = whole_game(house.journal)
    folder = house.folder / "evidence" / key
    folder.mkdir(parents=True)
    (folder / "link.jpg").symlink_to("/etc/passwd")
    (house.folder / "accounts.sqlite3").write_bytes(b"secret")
    word = {"id": "ab12", "kind": "frame", "name": "link.jpg", "bytes": 1, "sha256": "", "places": [1]}
    house.journal.add(key, [Entry("evidence", word)])
    answer = house.asked().ask(f"/review/games/{key}/evidence/ab12")
    assert answer.status == 404
    assert b"root" not in answer.body
    row = read(house.folder, key).evidence[0]
    for name in ("/etc/passwd", "../../accounts.sqlite3", "../../journal.sqlite3", "."):
        with pytest.raises(MissingError):
            house.reviews.file(dataclasses.replace(row, path=folder / name))


def test_a_sheet_cannot_name_another_games_evidence(house: House) -> None:
    one, other = whole_game(house.journal), whole_game(house.journal)
    address = won_at(house, one)
    place = int(address.rpartition("/")[2])
    ids, foreign = add_evidence(house.journal, one, [place]), add_evidence(house.journal, other, [place])
    sheet = house.folder / "evidence" / one / f"{ids['sheet']}.json"
    said = json.loads(sheet.read_text("utf-8"))
    said["frames"] = [{"id": foreign["frame"], "t_us": 1}]
    sheet.write_text(json.dumps(said), "utf-8")
    assert house.asked().ask(address).json()["stretches"][0]["frames"] == []


def test_names_of_players_and_cards_leave_as_text_and_in_no_header(house: House) -> None:
    players = (NASTY, "Bilal", "</script><script>alert(1)</script>")
    events = [
        {**event, **({"player": players[0]} if event.get("player") == "Ana" else {}), "t_us": event["t_us"]}
        for event in EVENTS[:2]
    ]
    key = whole_game(house.journal, players, events)
    asked = house.asked()
    for path in (f"/games/{key}", f"/games/{key}/rulings/0", "/games"):
        page = asked.ask(path)
        assert page.status == 200
        assert b"<img" not in page.body
        assert b"alert(1)" not in page.body
    for path in ("/review/games", f"/review/games/{key}"):
        answer = asked.ask(path)
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert NASTY in str(answer.json())


def test_a_body_that_is_too_large_is_refused_before_it_is_read(house: House) -> None:
    key = whole_game(house.journal)
    word = {**FIRST, "reason": "x" * 20_000}
    for what in ("preview", "overturn", "uphold", "appeal", "bookmark"):
        assert house.asked().post(f"{won_at(house, key)}/{what}", word).status == 413


@pytest.mark.parametrize("place", ["99", "-1", "x", "1e3", "9" * 30, "١"])
def test_a_ruling_that_is_not_there_is_not_found(house: House, place: str) -> None:
    key = whole_game(house.journal)
    assert house.asked().ask(f"/review/games/{key}/rulings/{place}").status == 404


# ---- the replay on the scoreboard


def last_shown(house: House, replay: Any, place: int, key: str) -> Asked:
    """A browser that nobody logged in with, at a scoreboard whose last ruling is at a place."""
    reviews = Reviews(house.folder, read_curves, house.journal, lambda: key, house.desk, replay)
    ruling = read(house.folder, key).rulings[place].ruling
    board = Board(dataclasses.replace(TABLE, rulings=(ShownRuling(place, ruling),)))
    return Asked(*make_app(board, house.desk, names=OWN, accounts=house.accounts, reviews=reviews))


@pytest.mark.parametrize("replay", ["off", "totem", "pictures"])
def test_the_scoreboard_replays_what_the_table_has_chosen_and_nothing_else(house: House, replay: str) -> None:
    keeper = begin(house.journal)
    play(keeper, Ledger(header_of()), EVENTS)
    place = place_of(read(house.folder, keeper.key), "won")
    ids = add_evidence(house.journal, keeper.key, [place])
    asked = last_shown(house, replay, place, keeper.key)
    answer = asked.ask("/replay")
    assert answer.status == (404 if replay == "off" else 200)
    if replay != "off":
        assert [hand["player"] for hand in answer.json()["hands"]] == ["Ana", "Chloé"]
        assert (answer.json()["clip"] is not None) == (replay == "pictures")
    clip = asked.ask(f"/replay/clip/{ids['clip']}")
    assert clip.status == (200 if replay == "pictures" else 404)
    for other in ("frame", "crop", "counts", "sheet"):
        assert asked.ask(f"/replay/clip/{ids[other]}").status == 404


def test_the_replay_shows_no_other_rulings_clip_and_nothing_held_back(house: House) -> None:
    keeper = begin(house.journal)
    play(keeper, Ledger(header_of()), EVENTS)
    kept = read(house.folder, keeper.key)
    ids = add_evidence(house.journal, keeper.key, [place_of(kept, "won")])
    asked = last_shown(house, "pictures", place_of(kept, "fault"), keeper.key)
    assert asked.ask(f"/replay/clip/{ids['clip']}").status == 404
    duel = next(one.place for one in kept.rulings if not one.ruling["public"])
    held_back = last_shown(house, "pictures", duel, keeper.key)
    assert held_back.ask("/replay").json() == {"place": None, "hands": [], "clip": None}
