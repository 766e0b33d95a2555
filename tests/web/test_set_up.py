"""What the set-up pages may be asked for, and who may ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import InputError
from referee.web.accounts import Accounts, Role
from referee.web.app import make_app
from referee.web.desk import CommandError, Desk
from referee.web.set_up import order_from
from referee.web.set_up_text import SET_UP
from tests.web.asking import OWN, PHONE, Asked, ask
from tests.web.houses import NAMES, PASSWORD

JPEG = b"\xff\xd8\xff\xd9"
ROUTES = (("/setup", "GET"), ("/setup/state", "GET"), ("/setup/picture", "GET"), ("/setup/order", "POST"))


class Sham:
    """A set-up that remembers what it was asked for."""

    def __init__(self) -> None:
        self.orders: list[tuple[str, Mapping[str, Any]]] = []
        self.full = False

    def state(self, language: str) -> Mapping[str, Any]:
        return {"language": language}

    def picture(self) -> tuple[int, bytes] | None:
        return (7, JPEG)

    def order(self, word: str, values: Mapping[str, Any], /) -> int:
        if self.full:
            raise InputError("the set-up is busy, try again")
        self.orders.append((word, values))
        return len(self.orders)


def asked(sham: Sham, accounts: Accounts | None = None) -> Asked:
    return Asked(*make_app(None, Desk(), names=OWN, accounts=accounts, set_up=sham))


@pytest.mark.parametrize(
    ("said", "order"),
    [
        ({"do": "open", "step": "camera"}, ("open", {"step": "camera"})),
        ({"do": "people", "players": ["Ana", "Ben"], "deck": "builtin:x"}, None),
        ({"do": "corners", "points": [[0, 0], [9, 0], [9, 9], [0, 9.5]], "width_mm": 300, "height_mm": 200}, None),
        ({"do": "move", "zone": "face_up/Ana", "x": 1, "y": 2.5, "whole": True}, None),
        ({"do": "keep"}, ("keep", {})),
        ({"do": "heard", "yes": False}, ("heard", {"yes": False})),
        ({"do": "play", "language": "fr"}, ("play", {"language": "fr"})),
    ],
)
def test_an_order_of_the_list_is_taken_with_its_values(said: Any, order: Any) -> None:
    found = order_from(said)
    expected = order if order is not None else (said["do"], {key: said[key] for key in said if key != "do"})
    assert found == expected


@pytest.mark.parametrize(
    "said",
    [
        None,
        [],
        {"do": "run"},
        {"do": ["open"]},
        {"do": "open"},
        {"do": "open", "step": "/etc/passwd"},
        {"do": "open", "step": "camera", "source": "/dev/video3"},
        {"do": "keep", "profile": "other.toml"},
        {"do": "play", "language": "en", "engine": "sh"},
        {"do": "people", "players": "Ana", "deck": "builtin:x"},
        {"do": "people", "players": ["A"] * 17, "deck": "builtin:x"},
        {"do": "people", "players": ["A\n"], "deck": "builtin:x"},
        {"do": "move", "zone": "z", "x": True, "y": 0, "whole": True},
        {"do": "move", "zone": "z", "x": 1e9, "y": 0, "whole": True},
        {"do": "move", "zone": "z" * 129, "x": 1, "y": 0, "whole": True},
        {"do": "corners", "points": [[0, 0]] * 3, "width_mm": 1, "height_mm": 1},
        {"do": "corners", "points": [[0, 0, 0]] * 4, "width_mm": 1, "height_mm": 1},
        {"do": "heard", "yes": 1},
    ],
)
def test_anything_else_is_refused_in_a_sentence(said: Any) -> None:
    with pytest.raises(CommandError) as caught:
        order_from(said)
    assert "\n" not in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
WORDS = st.sampled_from(["open", "people", "corners", "move", "mat", "measured", "card", "heard", "keep", "x"])
KEYS = st.sampled_from(["step", "players", "deck", "points", "width_mm", "height_mm", "zone", "x", "y", "whole", "yes"])


@given(WORDS, st.dictionaries(KEYS, JSON))
def test_no_words_of_a_page_raise_anything_else(word: str, rest: dict[str, Any]) -> None:
    try:
        order_from({**rest, "do": word})
    except CommandError:
        return


def test_without_a_set_up_its_pages_say_so() -> None:
    for path, method in ROUTES:
        more = {"origin": "http://127.0.0.1:8000", "content_type": "application/json", "token": True}
        answer = ask(path, method, body=b'{"do":"keep"}', **(more if method == "POST" else {}))
        assert answer.status == 404
        assert b"referee calibrate web" in answer.body


def test_the_page_its_state_and_its_picture_are_there_and_an_order_is_queued() -> None:
    sham = Sham()
    browser = asked(sham)
    assert browser.ask("/setup?lang=fr").status == 200
    assert browser.ask("/setup/state?lang=fr").json() == {"language": "fr"}
    picture = browser.ask("/setup/picture")
    assert (picture.body, picture.headers["content-type"]) == (JPEG, "image/jpeg")
    assert picture.headers["cache-control"] == "no-store"
    answer = browser.post("/setup/order", {"do": "open", "step": "table"})
    assert (answer.status, answer.json()) == (202, {"order": 1})
    assert sham.orders == [("open", {"step": "table"})]
    assert browser.post("/setup/order", {"do": "dance"}).status == 400
    sham.full = True
    assert b"busy" in browser.post("/setup/order", {"do": "keep"}).body


def test_the_first_page_leads_to_the_set_up_while_no_game_is_played() -> None:
    answer = asked(Sham()).ask("/")
    assert (answer.status, answer.headers["location"]) == (303, "/setup")


def test_with_accounts_operators_and_head_referees_set_up_and_nobody_else(accounts: Accounts) -> None:
    for role, may in ((None, False), (Role.VIEWER, False), (Role.OPERATOR, True), (Role.HEAD, True)):
        sham = Sham()
        browser = asked(sham, accounts)
        if role is not None:
            assert browser.log_in(NAMES[role], PASSWORD).status == 204
        for path, method in ROUTES:
            answer = browser.ask(path) if method == "GET" else browser.post(path, {"do": "keep"})
            assert (answer.status in (200, 202)) == may, (role, path)
        assert bool(sham.orders) == may


def test_whoever_logs_in_on_the_way_to_the_set_up_comes_back_to_it(accounts: Accounts) -> None:
    browser = asked(Sham(), accounts)
    sent = browser.ask("/setup", peer=PHONE, host="192.168.1.2:8000")
    assert sent.headers["location"] == "/login?next=%2Fsetup"
    assert b'data-next="/setup"' in browser.ask("/login?next=%2Fsetup").body


def test_an_order_from_another_page_is_refused() -> None:
    sham = Sham()
    assert asked(sham).post("/setup/order", {"do": "keep"}, origin="http://evil.example").status == 403
    assert asked(sham).post("/setup/order", {"do": "keep"}, token="0" * 64).status == 403
    assert sham.orders == []


def test_both_languages_have_the_same_words() -> None:
    assert set(SET_UP["en"]) == set(SET_UP["fr"])
    assert all(SET_UP["fr"].values())
    for key, words in SET_UP["en"].items():
        assert words.count("{}") == SET_UP["fr"][key].count("{}"), key
