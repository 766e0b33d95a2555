"""Players' own pages: who gets a seat, what opens with it, and that nobody's secret goes anywhere else."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from referee.private.vault import Vault
from referee.qr import qr_rows
from referee.web.app import ROUTES
from referee.web.board import Offer, TableSnapshot, seats_of
from referee.web.desk import Say
from referee.web.guard import Who
from referee.web.seats import LONGEST_S, OFFER_S, SeatDoors, Seats
from referee.web.sessions import new_cookie
from tests.web.asking import PHONE, Asked, made

NAMES = ("Ana", "Bilal", "Chloé")
HEADER: Any = {"record": "referee/1", "game": "jungle-bluff", "players": list(NAMES), "options": {}}
COUNTS = {"round": 1, "holds": {"Ana": "9"}, "piles": dict.fromkeys(NAMES, 0), "first": "Ana", "totals": None}
BLUFF = TableSnapshot(
    game="jungle-bluff",
    seats=seats_of(NAMES, COUNTS),
    phase="playing",
    turn="Bilal",
    offers=(Offer("Bilal", "challenge", ("Ana",), sure=True), Offer("Bilal", "take", ("3", "7"))),
)


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def opened() -> Vault:
    vault = Vault(HEADER)
    vault.happened({"t_us": 0, "event": "centre", "cards": ["3", "7", "9"]})
    return vault


class Table:
    """An application with seats, its operator and phones."""

    def __init__(self) -> None:
        self.seats = Seats(NAMES)
        self.vault = opened()
        doors = SeatDoors(self.seats, qr_rows, "192.168.1.2", self.vault)
        self.operator = made(seats=doors)
        self.operator.pages.board.update(BLUFF)  # type: ignore[union-attr]

    def phone(self) -> Asked:
        return replace(self.operator, cookie=new_cookie())

    def code(self, player: str) -> str:
        answer = self.operator.post("/operator/seats/hand-out", {"player": player})
        assert answer.status == 200
        return str(answer.json()["address"])

    def join(self, phone: Asked, token: str, **how: Any) -> int:
        where = {"peer": PHONE, "host": "192.168.1.2:8000", "origin": "http://192.168.1.2:8000", **how}
        answer = phone.post("/seat/join", {"token": token}, **where)
        phone.cookie = answer.cookie() or phone.cookie
        return answer.status

    def seated(self, player: str) -> Asked:
        phone = self.phone()
        assert self.join(phone, self.code(player).partition("#")[2]) == 204
        return phone


@pytest.fixture
def table() -> Table:
    return Table()


def test_a_code_leads_a_phone_to_this_machines_address_and_its_token_is_behind_the_hash(table: Table) -> None:
    address = table.code("Bilal")
    assert address.startswith("http://192.168.1.2:8000/seat#")
    rows = table.operator.post("/operator/seats/hand-out", {"player": "Ana"}).json()["code"]
    assert len({*map(len, rows)} | {len(rows)}) == 1


def test_a_token_gives_its_seat_and_a_new_cookie_and_works_once(table: Table) -> None:
    token = table.code("Bilal").partition("#")[2]
    phone = table.phone()
    before = phone.cookie
    assert table.join(phone, token) == 204
    assert phone.cookie != before
    assert table.seats.player(phone.cookie) == "Bilal"
    assert table.seats.player(before) is None
    assert table.join(table.phone(), token) == 403


def test_handing_a_seat_out_anew_or_taking_it_back_ends_what_was_there_at_once(table: Table) -> None:
    first = table.seated("Bilal")
    assert first.ask("/seat/hand").status == 200
    second = table.code("Bilal")
    assert first.ask("/seat/hand").status == 401
    assert table.operator.post("/operator/seats/take-back", {"player": "Bilal"}).status == 200
    assert table.join(table.phone(), second.partition("#")[2]) == 403
    states = {one["player"]: one["state"] for one in table.operator.ask("/operator/seats").json()["seats"]}
    assert states == dict.fromkeys(NAMES, "free")


def test_a_token_is_old_after_a_quarter_of_an_hour_and_a_seat_after_a_day() -> None:
    clock = Clock()
    seats = Seats(NAMES, clock)
    old = seats.hand_out("Ana")
    clock.now_s = OFFER_S + 1
    assert seats.claim(old, "c" * 43) is None
    assert seats.claim(seats.hand_out("Ana"), "c" * 43) == "Ana"
    clock.now_s += LONGEST_S + 1
    assert seats.player("c" * 43) is None


def test_a_phone_has_one_seat_and_a_seat_one_phone(table: Table) -> None:
    phone = table.seated("Ana")
    assert table.seats.claim(table.seats.hand_out("Bilal"), phone.cookie) == "Bilal"
    assert table.seats.states() == {"Ana": "free", "Bilal": "taken", "Chloé": "free"}


def test_tokens_and_cookies_are_kept_as_digests_alone(table: Table) -> None:
    token = table.code("Bilal").partition("#")[2]
    phone = table.seated("Ana")
    kept = repr([vars(chair) for chair in table.seats._chairs.values()])
    assert token not in kept
    assert phone.cookie not in kept


def test_guessing_tokens_is_slowed_down(table: Table) -> None:
    token = table.code("Bilal").partition("#")[2]
    answers = [table.join(table.phone(), f"wrong{number}") for number in range(30)]
    assert answers[0] == 403
    assert answers[-1] == 429
    assert table.join(table.phone(), token) == 429
    assert table.join(table.phone(), token, peer="192.168.1.99") == 204


@pytest.mark.parametrize("token", ["", "x" * 65, 7, None, ["a"], "ä\ud800"[:1]])
def test_what_cannot_be_a_token_is_refused(table: Table, token: Any) -> None:
    phone = table.phone()
    status = phone.post("/seat/join", {"token": token}).status
    assert status in (400, 403)


def test_every_route_of_a_seat_opens_with_a_seat_and_with_nothing_else(table: Table) -> None:
    phone, stranger = table.seated("Bilal"), table.phone()
    for entry in ROUTES:
        if entry.who is not Who.SEAT:
            continue
        for asked, may in ((stranger, False), (table.operator, False), (phone, True)):
            how: dict[str, Any] = {"peer": PHONE, "host": "192.168.1.2:8000"}
            if entry.method == "POST":
                status = asked.post(entry.path, {}, origin="http://192.168.1.2:8000", **how).status
            else:
                status = asked.ask(entry.path, **how).status
            assert (status == 401) is not may, (entry.path, status)


def test_what_a_seat_says_wants_the_token_of_its_cookie_and_our_own_origin(table: Table) -> None:
    phone, other = table.seated("Bilal"), table.seated("Chloé")
    for entry in ROUTES:
        if entry.who is Who.SEAT and entry.method == "POST":
            for token in (False, "0" * 64, other.pages.sessions.token(other.cookie), "ä"):
                assert phone.post(entry.path, {"card": "8"}, token=token).status == 403, entry.path
            for origin in ("http://evil.example", "null", ""):
                assert phone.post(entry.path, {"card": "8"}, origin=origin).status == 403, entry.path
    assert not table.vault.hand("Bilal").chosen


def test_a_seat_opens_nothing_of_the_operators(table: Table) -> None:
    phone = table.seated("Bilal")
    for path in ("/operator", "/operator/seats", "/operator/events"):
        assert phone.ask(path, peer=PHONE, host="192.168.1.2:8000").status == 403
    assert phone.post("/operator/command", {"do": "end"}, peer=PHONE, host="192.168.1.2:8000").status == 403


def test_whose_word_it_is_follows_from_the_seat_whatever_a_page_says(table: Table) -> None:
    phone = table.seated("Bilal")
    word = {"do": "end", "player": "Ana", "call": "challenge", "choice": "Ana"}
    assert phone.post("/seat/say", word).status == 202
    assert table.operator.pages.desk.take() == Say("Bilal", "challenge", "Ana")
    other = table.seated("Chloé")
    assert other.post("/seat/say", {"call": "challenge", "choice": "Ana", "player": "Bilal"}).status == 409
    assert table.operator.pages.desk.take() is None


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ({"call": "take", "choice": "9"}, 400),
        ({"call": "take"}, 400),
        ({"call": "blocked"}, 409),
        ({"call": 7}, 400),
        ([], 400),
        ({"call": "challenge", "choice": ["Ana"]}, 400),
    ],
)
def test_only_what_is_offered_can_be_said(table: Table, word: Any, status: int) -> None:
    assert table.seated("Bilal").post("/seat/say", word).status == status


def test_a_force_goes_to_the_vault_and_nobody_else_hears_of_it(table: Table) -> None:
    phone, other = table.seated("Bilal"), table.seated("Chloé")
    before = table.operator.pages.board.current()  # type: ignore[union-attr]
    assert phone.post("/seat/force", {"card": "8"}).status == 204
    hand = phone.ask("/seat/hand").json()
    assert (hand["chosen"], hand["laid"], len(hand["cards"])) == (True, False, 10)
    assert "8" not in {key for key, value in hand.items() if isinstance(value, str)}
    assert other.ask("/seat/hand").json()["chosen"] is False
    assert table.operator.pages.board.current() == before  # type: ignore[union-attr]
    assert table.operator.pages.desk.take() is None
    assert phone.post("/seat/force", {"card": "11"}).status == 409
    assert phone.post("/seat/force", {"card": 8}).status == 400


def test_a_choice_is_answered_alike_whatever_the_card(table: Table) -> None:
    answers = set()
    for card in ("1", "5", "10"):
        answer = table.seated("Bilal").post("/seat/force", {"card": card})
        answers.add((answer.status, answer.body, json.dumps(answer.headers, sort_keys=True)))
    assert len(answers) == 1


def test_the_stream_of_a_seat_shows_its_own_offers_and_no_secret(table: Table) -> None:
    phone = table.seated("Bilal")
    phone.post("/seat/force", {"card": "8"})
    body = phone.ask("/seat/events?lang=en").body.decode()
    board = json.loads(next(line for line in body.splitlines() if line.startswith("data: {")).removeprefix("data: "))
    assert [offer["call"] for offer in board["offers"]] == ["challenge", "take"]
    assert board["turn"] is True
    assert "force" not in json.dumps(board).lower().replace("forces", "")
    other = table.seated("Ana").ask("/seat/events?lang=en").body.decode()
    assert '"offers": []' in other


def test_the_seats_page_holds_no_script_of_its_own_and_a_token_never_stands_in_an_address(table: Table) -> None:
    text = table.seated("Bilal").ask("/seat?lang=fr").body.decode()
    assert text.count("<script") == 1
    assert " style=" not in text
    assert "[[" not in text
    assert all("{token}" not in entry.path for entry in ROUTES)


def test_leaving_gives_the_seat_back(table: Table) -> None:
    phone = table.seated("Bilal")
    assert phone.post("/seat/leave", {}).status == 200
    assert phone.ask("/seat/hand").status == 401
