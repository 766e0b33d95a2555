"""The review pages and the replay: who may not see and do what; each hole other services had, tried here."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from referee.journal.entries import Entry
from referee.ledger import Ledger
from referee.totem.curves import read_curves
from referee.web.accounts import Role
from referee.web.app import make_app
from referee.web.board import Board, ShownRuling
from referee.web.reviews import MissingError, Reviews
from tests.review.kept import EVENTS, add_evidence, begin, header_of, place_of, play, read, whole_game
from tests.web.asking import OWN, Asked
from tests.web.houses import FIRST, House, won_at
from tests.web.tables import TABLE

NASTY = '<img src=x onerror="document.title=1">'


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
    for path, status in ((f"/games/{key}", 200), (f"/games/{key}/rulings/0", 404), ("/games", 200)):
        page = asked.ask(path)
        assert page.status == status
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
