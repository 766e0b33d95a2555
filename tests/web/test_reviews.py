"""The review pages over the network's own door: what is shown, and what is decided."""

from __future__ import annotations

import html
from typing import Any
from urllib.parse import quote

import pytest

from referee import review
from referee.journal.entries import Entry
from referee.ledger import Ledger
from referee.totem.curves import read_curves
from referee.web.accounts import Role
from referee.web.desk import Overturn
from referee.web.reviews import Reviews
from referee.web.text import LANGUAGES
from tests.review.kept import DUEL_US, EVENTS, add_evidence, begin, header_of, play, read, whole_game
from tests.web.houses import FIRST, House, overturned, won_at

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


def test_a_ruling_that_no_file_names_shows_the_evidence_of_its_moment_alone(house: House) -> None:
    key = whole_game(house.journal)
    address = won_at(house, key)
    add_evidence(house.journal, key, [77])  # as of a ruling that was given again since
    add_evidence(house.journal, key, [78], at_us=DUEL_US + 90_000_000)
    shown = house.asked().ask(address).json()
    (stretch,) = shown["stretches"]
    assert stretch["from_us"] <= DUEL_US <= stretch["to_us"]
    assert {row["kind"] for row in shown["evidence"]} == {"sheet", "clip", "frame", "crop", "card", "counts"}


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


@pytest.mark.parametrize("path", ["/games/0123abc", "/games/..", "/games/{key}/rulings/9999", "/games/{key}/rulings/x"])
def test_a_page_of_a_game_or_ruling_that_is_not_there_says_so_in_a_sentence(house: House, path: str) -> None:
    key = whole_game(house.journal)
    for language, said in (("en", "There is no such"), ("fr", "existe pas.")):
        asked = house.asked(Role.VIEWER).ask(f"{path.replace('{key}', key)}?lang={language}", accept="text/html")
        text = html.unescape(asked.body.decode())
        assert (asked.status, asked.headers["content-type"].partition(";")[0]) == (404, "text/html")
        assert said in text
        assert "panel" not in text, "nothing that stays empty"


def test_the_page_of_a_game_that_is_being_played_is_refused_with_a_sentence(house: House) -> None:
    keeper = begin(house.journal)
    play(keeper, Ledger(header_of()), EVENTS[:4])
    asked = house.asked(Role.VIEWER).ask(f"/games/{keeper.key}")
    assert (asked.status, b"still being played" in asked.body) == (403, True)
    assert house.asked(Role.OPERATOR).ask(f"/games/{keeper.key}").status == 200
    keeper.close()


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


def test_a_card_stands_beside_the_decks_own_pictures_of_all_it_may_be(house: House) -> None:
    key = whole_game(house.journal)
    address = won_at(house, key)
    add_evidence(house.journal, key, [int(address.rpartition("/")[2])])
    asked = house.asked()
    (stretch,) = asked.ask(address).json()["stretches"]
    crop = stretch["crops"][1]
    assert (crop["card"], crop["candidates"]) == ("knot/red", ["knot/red", "moon/red"])
    for card in crop["candidates"]:
        got = asked.ask(f"/review/games/{key}/evidence/{stretch['pictures'][card]}")
        assert got.status == 200
        assert got.body[:2] == b"\xff\xd8"


def test_a_card_of_the_duel_is_corrected_from_the_page_of_its_ruling(house: House) -> None:
    key = whole_game(house.journal)
    address = won_at(house, key)
    asked = house.asked()
    (chloe,) = [one for one in asked.ask(address).json()["other-choices"] if "Chloé" in one["event"]]
    said = {"do": "card", "names": ["moon/red"], "ref": chloe["ref"], "reason": "frame 12"}
    found = asked.post(f"{address}/preview", said)
    assert found.status == 200
    assert "Chloé" in str(found.json()["void"])
    wrong = asked.post(f"{address}/preview?lang=fr", {**said, "reason": " "})
    assert (wrong.status, wrong.body.decode()) == (400, "il faut une raison")
    assert asked.post(f"{address}/preview", {**said, "ref": 999}).status == 400
    assert asked.post(f"{address}/preview", {**said, "ref": "0"}).status == 400
    done = asked.post(f"{address}/overturn", {**said, "digest": found.json()["digest"]})
    assert done.status == 200
    assert not asked.ask(address).json()["choices"]
