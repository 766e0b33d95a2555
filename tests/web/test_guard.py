"""Who is let in: every route, from everywhere."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.web.app import ROUTES
from referee.web.desk import Desk, Pause
from referee.web.guard import LARGEST_BODY, SECURITY_HEADERS, Who, own_names
from tests.web.asking import HERE, PHONE, Answer, ask

PAUSE = b'{"do":"pause"}'
CLOSED = [entry for entry in ROUTES if entry.who not in (Who.ANYONE, Who.SEAT)]


def fits(entry: Any, **more: Any) -> Answer:
    """A request that the route itself would welcome, from somebody with the token of their cookie."""
    path = entry.path.replace("{name}", "style.css")
    if entry.method == "POST":
        host = more.get("host", "127.0.0.1:8000")
        more = {"origin": f"http://{host}", "content_type": "application/json", "body": PAUSE, "token": True, **more}
    return ask(path, entry.method, **more)


@pytest.mark.parametrize("entry", ROUTES, ids=lambda entry: f"{entry.method} {entry.path}")
def test_without_accounts_everything_is_open_on_the_referees_machine_and_elsewhere_only_what_is_anyones(
    entry: Any,
) -> None:
    assert isinstance(entry.who, Who)
    from_phone = fits(entry, peer=PHONE, host="192.168.1.2:8000").status
    if entry.who is Who.SEAT:  # sitting at the machine is no seat at the table
        assert (fits(entry).status, from_phone) == (401, 401)
        return
    assert fits(entry).status not in (401, 403)
    assert (from_phone == 403) == (entry.who is not Who.ANYONE)


def test_whatever_changes_something_takes_a_role_or_a_seat_but_for_logging_in_and_taking_one() -> None:
    for entry in ROUTES:
        opens = entry.path in ("/login", "/seat/join")
        assert entry.method == "GET" or entry.who is not Who.ANYONE or opens, entry.path
        assert (entry.who is Who.SEAT) <= entry.path.startswith("/seat/"), entry.path
        assert not entry.path.startswith("/operator") or entry.who is Who.OPERATOR, entry.path
        assert not entry.page or entry.method == "GET", entry.path


@pytest.mark.parametrize("entry", CLOSED, ids=lambda entry: entry.path)
@pytest.mark.parametrize(
    "how",
    [
        {"peer": PHONE},
        {"peer": PHONE, "host": "localhost:8000"},
        {"peer": HERE, "server": "192.168.1.2"},
        {"host": "192.168.1.2:8000"},
        {"host": "table.local:8000"},
        {"x_forwarded_for": "192.168.1.9"},
        {"forwarded": "for=192.168.1.9"},
        {"via": "1.1 proxy"},
        {"x_real_ip": "127.0.0.1"},
    ],
    ids=str,
)
def test_without_accounts_what_is_not_anyones_is_closed_to_everybody_who_is_not_on_this_machine(
    entry: Any, how: dict[str, str]
) -> None:
    answer = fits(entry, **how)
    assert answer.status == 403
    assert b"own machine only" in answer.body


@pytest.mark.parametrize("peer", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
def test_the_operators_side_is_open_from_this_machine_by_every_name_of_it(peer: str) -> None:
    for host in ("127.0.0.1:8000", "localhost:8000", "[::1]:8000", "LOCALHOST"):
        assert ask("/operator", peer=peer, host=host).status == 200


@pytest.mark.parametrize("entry", ROUTES, ids=lambda entry: entry.path)
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "", ":8000", "[::1", "a b", "localhost:x"]
)
def test_a_name_that_is_not_this_machines_is_refused_everywhere(entry: Any, host: str) -> None:
    assert fits(entry, host=host).status == 421


def test_the_scoreboard_answers_to_the_machines_name_and_to_any_of_its_addresses() -> None:
    for host in ("table:8000", "table.local", "192.168.1.2:8000", "[fe80::1]:8000"):
        assert ask("/", host=host, peer=PHONE).status == 200


@pytest.mark.parametrize(
    "origin",
    [None, "null", "http://evil.example", "http://127.0.0.1:9000", "https://127.0.0.1:8000", "http://localhost:8000"],
)
def test_a_command_from_another_page_is_refused_and_not_queued(origin: str | None) -> None:
    desk = Desk()
    headers = {} if origin is None else {"origin": origin}
    answer = ask("/operator/command", "POST", body=PAUSE, desk=desk, content_type="application/json", **headers)
    assert answer.status == 403
    assert desk.take() is None


def test_a_command_from_our_own_page_is_queued() -> None:
    desk = Desk()
    answer = ask(
        "/operator/command",
        "POST",
        body=PAUSE,
        desk=desk,
        token=True,
        content_type="application/json; charset=utf-8",
        origin="http://127.0.0.1:8000",
    )
    assert answer.status == 202
    assert desk.take() == Pause()


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_command_that_a_form_could_send_is_refused(kind: str) -> None:
    answer = ask("/operator/command", "POST", body=PAUSE, origin="http://127.0.0.1:8000", content_type=kind)
    assert answer.status == 415


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"\xff\xfe", 400),
        (b"[" * 10_000, 400),
        (b'{"do":"dance"}', 400),
        (b'{"do":"resume"}', 409),
        (b'{"do":"pause","more":"' + b"x" * LARGEST_BODY + b'"}', 413),
    ],
)
def test_a_command_that_cannot_be_gets_a_sentence(body: bytes, status: int) -> None:
    answer = ask(
        "/operator/command",
        "POST",
        body=body,
        token=True,
        origin="http://127.0.0.1:8000",
        content_type="application/json",
    )
    assert answer.status == status
    assert answer.body


@given(st.text(max_size=30), st.sampled_from(["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"]))
def test_nothing_else_is_served(path: str, method: str) -> None:
    path = "/" + path.split("?")[0]
    # A line break at the end of a path is passed over by the router.
    known = {entry.path for entry in ROUTES}
    if path.removesuffix("\n") not in known:
        assert ask(path, method).status in (404, 405)


def test_an_address_that_leads_nowhere_is_a_page_for_people_and_a_sentence_for_programs() -> None:
    page = ask("/nowhere?lang=fr", accept="text/html,*/*")
    assert (page.status, page.headers["content-type"].partition(";")[0]) == (404, "text/html")
    assert "Cette page n&#x27;existe pas." in page.body.decode()
    plain = ask("/nowhere")
    assert (plain.status, plain.body) == (404, b"There is no such page.")


@pytest.mark.parametrize("name", ["../app.py", "..%2fapp.py", "/etc/passwd", "scoreboard.html", "app.py", ""])
def test_files_are_served_by_their_names_alone(name: str) -> None:
    assert ask(f"/static/{name}").status == 404


@pytest.mark.parametrize("path", ["/", "/operator", "/events", "/static/page.js", "/nowhere", "/operator/command"])
def test_every_answer_carries_the_security_headers(path: str) -> None:
    headers = ask(path).headers
    for name, value in SECURITY_HEADERS.items():
        assert headers[name.lower()] == value
    assert "unsafe" not in headers["content-security-policy"]


@pytest.mark.parametrize("path", ["/", "/operator"])
def test_pages_hold_no_script_and_no_style_of_their_own(path: str) -> None:
    text = ask(path + "?lang=fr").body.decode()
    assert '<script type="module" src=' in text
    assert text.count("<script") == 1
    assert "<style" not in text
    assert " style=" not in text
    assert "javascript:" not in text
    assert "[[" not in text
    assert '<html lang="fr">' in text


def test_this_machine_goes_by_its_own_name_at_home() -> None:
    first = socket.gethostname().lower().split(".")[0]
    assert {"localhost", "127.0.0.1", first, f"{first}.local", f"{first}.lan"} <= own_names()


def test_a_stream_begins_with_the_whole_table() -> None:
    body = ask("/events?lang=en").body.decode()
    assert body.startswith("retry: ")
    assert "event: board\ndata: {" in body
    assert "Ana’s turn" in body
