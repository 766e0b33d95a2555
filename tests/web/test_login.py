"""Logging in, and what each role may call: every route of the table, by everybody."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from referee.web import streams
from referee.web.accounts import FILE_NAME, Accounts, Role
from referee.web.app import ROUTES
from referee.web.attempts import ACCOUNT_TRIES
from referee.web.guard import Who
from tests.web.asking import PHONE, Asked, made
from tests.web.houses import NAMES, PASSWORD


@pytest.fixture
def asked(accounts: Accounts) -> Asked:
    return made(accounts)


def as_role(asked: Asked, role: Role | None) -> Asked:
    """The same application, somebody logged in."""
    if role is not None:
        assert asked.log_in(NAMES[role], PASSWORD).status == 204
    return asked


def call(asked: Asked, entry: Any, **how: Any) -> int:
    """Call a route as one of our own pages would."""
    path = entry.path.replace("{name}", "style.css").replace("{key}", "ab").replace("{evidence}", "ab")
    path = path.replace("{place}", "0")
    return (asked.post(path, {}, **how) if entry.method == "POST" else asked.ask(path, **how)).status


@pytest.mark.parametrize("role", [None, *Role], ids=str)
def test_every_route_lets_in_whom_it_names_and_nobody_else(accounts: Accounts, role: Role | None) -> None:
    for entry in ROUTES:
        asked = as_role(made(accounts), role)
        may = entry.who.role is None or (role is not None and role >= entry.who.role)
        status = call(asked, entry)
        if entry.who is Who.SEAT:  # no role opens a seat
            assert status == 401, entry
            continue
        refused = {303, 401} if role is None else {403}
        assert (status not in refused) == may or (entry.path, entry.method) == ("/login", "POST"), (entry, status)


@pytest.mark.parametrize("role", [None, Role.VIEWER], ids=str)
def test_sitting_at_the_machine_opens_nothing_once_there_are_accounts(asked: Asked, role: Role | None) -> None:
    as_role(asked, role)
    for path in ("/operator/command", "/review/games/ab/rulings/0/overturn"):
        assert asked.post(path, {"do": "pause"}).status in (401, 403)


def test_every_route_that_changes_something_wants_the_token_of_the_cookie(accounts: Accounts) -> None:
    asked, other = as_role(made(accounts), Role.HEAD), made(accounts)
    for entry in ROUTES:
        if entry.method == "POST" and entry.who is not Who.SEAT:  # a seat's: test_seats
            for token in (False, "0" * 64, other.pages.sessions.token(other.cookie), "ä"):
                assert call(asked, entry, token=token) == 403, (entry.path, token)


def test_every_route_that_changes_something_wants_our_own_origin(accounts: Accounts) -> None:
    asked = as_role(made(accounts), Role.HEAD)
    for entry in ROUTES:
        if entry.method == "POST":
            for origin in ("http://evil.example", "null", "http://127.0.0.1:9000", ""):
                assert call(asked, entry, origin=origin) == 403, (entry.path, origin)


def test_another_sites_page_reads_nothing_not_even_a_stream(accounts: Accounts) -> None:
    asked = as_role(made(accounts), Role.HEAD)
    for entry in ROUTES:
        if entry.method == "GET":
            assert call(asked, entry, origin="http://evil.example") == 403, entry.path
            if not entry.page:
                how = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "no-cors"}
                assert call(asked, entry, **how) == 403, entry.path


def test_a_link_on_another_site_leads_to_a_page(asked: Asked) -> None:
    as_role(asked, Role.HEAD)
    how = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"}
    assert asked.ask("/operator", **how).status == 200
    assert asked.ask("/operator/events", **how).status == 403


def test_whoever_is_not_logged_in_is_led_to_a_page_and_back(asked: Asked) -> None:
    answer = asked.ask("/operator")
    assert answer.status == 303
    assert answer.headers["location"] == "/login?next=%2Foperator"
    assert 'data-next="/operator"' in asked.ask(answer.headers["location"]).body.decode()


@pytest.mark.parametrize(
    "wanted",
    [
        "//evil.example",
        "https://evil.example",
        "/\\evil.example",
        "/games/../../x",
        "javascript:alert(1)",
        '"><script>',
    ],
)
def test_logging_in_leads_to_our_own_pages_alone(asked: Asked, wanted: str) -> None:
    text = asked.ask(f"/login?next={wanted}").body.decode()
    assert 'data-next="/games"' in text
    assert "evil" not in text


def test_logging_in_gives_another_cookie_that_no_script_reads(asked: Asked) -> None:
    planted = asked.cookie
    answer = asked.log_in("Otto", PASSWORD)
    assert answer.status == 204
    said = answer.headers["set-cookie"].lower()
    assert "httponly" in said
    assert "samesite=lax" in said
    assert "secure" not in said
    assert asked.cookie != planted
    assert asked.ask("/operator").status == 200
    asked.cookie = planted
    assert asked.ask("/operator").status == 303


def test_over_tls_the_cookie_is_sent_over_tls_alone(asked: Asked) -> None:
    answer = asked.log_in("Otto", PASSWORD, scheme="https", origin="https://127.0.0.1:8000")
    said = answer.headers["set-cookie"]
    assert said.startswith("__Host-referee=")
    assert "; Secure" in said
    assert "path=/" in said.lower()


def test_logging_out_ends_the_session_on_the_server(asked: Asked) -> None:
    as_role(asked, Role.OPERATOR)
    assert asked.post("/logout", {}).status == 200
    assert asked.ask("/operator").status == 303


def test_an_account_that_is_removed_or_changed_is_out_at_once(tmp_path: Path) -> None:
    accounts = Accounts(tmp_path)
    accounts.add("Hanna", Role.HEAD, PASSWORD)
    accounts.add("Otto", Role.OPERATOR, PASSWORD)
    asked = as_role(made(accounts), Role.OPERATOR)
    assert asked.ask("/operator").status == 200
    accounts.remove("Otto")
    assert asked.ask("/operator").status == 303


def test_accounts_made_while_the_pages_are_served_close_them(tmp_path: Path) -> None:
    accounts = Accounts(tmp_path)
    asked = made(accounts)
    assert asked.ask("/operator").status == 200
    Accounts(tmp_path).add("Hanna", Role.HEAD, PASSWORD)
    assert asked.ask("/operator").status == 303


def test_accounts_that_can_no_longer_be_read_open_nothing(tmp_path: Path) -> None:
    accounts = Accounts(tmp_path)
    accounts.add("Hanna", Role.HEAD, PASSWORD)
    asked = as_role(made(accounts), Role.HEAD)
    (tmp_path / FILE_NAME).write_bytes(b"gone" * 500)
    for entry in ROUTES:
        if entry.who not in (Who.ANYONE, Who.SEAT):
            assert call(asked, entry) == 503, entry.path
    assert asked.ask("/").status == 200


def test_a_wrong_name_and_a_wrong_password_get_the_same_answer(asked: Asked) -> None:
    one, other = asked.log_in("Otto", "wrong"), asked.log_in("Nobody", "wrong")
    assert (one.status, one.body) == (other.status, other.body)
    assert one.status == 403
    assert "set-cookie" not in one.headers


def test_guessing_is_held_back_also_from_many_addresses_and_the_right_password_with_it(asked: Asked) -> None:
    for number in range(ACCOUNT_TRIES):
        how = {"peer": f"192.168.1.{number}", "server": "192.168.1.2", "host": "192.168.1.2:8000"}
        assert asked.log_in("Otto", "wrong", origin="http://192.168.1.2:8000", **how).status == 403
    held = asked.log_in("otto", PASSWORD)
    assert held.status == 429
    assert int(held.headers["retry-after"]) > 60
    assert asked.log_in("Vera", PASSWORD).status == 204


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ([], 400),
        ({}, 400),
        ({"name": 1, "password": "x"}, 400),
        ({"name": "Otto", "password": None}, 400),
        ({"name": "x" * 65, "password": "x"}, 403),
        ({"name": "Otto", "password": "x" * 257}, 403),
        ({"name": "Otto", "password": "x" * 20_000}, 413),
        ({"name": "\x00'; DROP TABLE accounts", "password": "x"}, 403),
        ({"name": "\ud800", "password": "\ud800"}, 400),
    ],
)
def test_words_that_are_no_name_and_password_get_a_sentence(asked: Asked, word: Any, status: int) -> None:
    answer = asked.post("/login", word)
    assert answer.status == status
    assert answer.body


def test_a_flood_of_logins_waits_outside(asked: Asked) -> None:
    for _ in range(4):
        asked.pages.logging_in.acquire()
    assert asked.log_in("Otto", PASSWORD).status == 503
    asked.pages.logging_in.release()
    assert asked.log_in("Otto", PASSWORD).status == 204


def test_a_stream_ends_with_the_right_to_it(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "BEAT_S", 0.01)
    as_role(asked, Role.OPERATOR)
    assert asked.pages.streams is not None
    answer = asked.ask("/operator/events")
    assert answer.status == 200
    cookie = asked.cookie
    asked.post("/logout", {})
    assert asked.cookie == cookie
    assert asked.ask("/operator/events").status == 401


def test_a_web_socket_is_not_opened_whoever_asks(asked: Asked) -> None:
    for origin in ("http://evil.example", "http://127.0.0.1:8000"):
        how = {"upgrade": "websocket", "connection": "Upgrade", "origin": origin, "sec_websocket_version": "13"}
        assert asked.ask("/events", **how).status == (403 if "evil" in origin else 200)


def test_from_the_network_a_login_works_and_without_one_the_scoreboard_alone_is_seen(asked: Asked) -> None:
    how = {"peer": PHONE, "host": "192.168.1.2:8000"}
    assert asked.ask("/", **how).status == 200
    assert asked.ask("/games", **how).status == 303
    assert asked.log_in("Otto", PASSWORD, origin="http://192.168.1.2:8000", **how).status == 204
    assert asked.ask("/operator", **how).status == 200


def test_no_route_takes_a_command_line_or_a_path(asked: Asked) -> None:
    """What may be said by HTTP is a closed list of words; none of it is run, opened or written as settings."""
    for entry in ROUTES:
        if entry.method == "POST":
            names = {part for part in entry.path.split("/") if part}
            assert not names & {"config", "settings", "profile", "exec", "command-line", "path", "upload"}, entry.path
    as_role(asked, Role.HEAD)
    for word in ({"do": "exec", "path": "/bin/sh"}, {"do": "settings", "camera": "rtsp://x"}, {"do": "pause; ls"}):
        answer = asked.post("/operator/command", word)
        assert answer.status == 400
        assert b"expected a command: one of" in answer.body


def test_the_pages_say_nothing_of_the_password(asked: Asked) -> None:
    answer = asked.log_in("Otto", PASSWORD)
    assert PASSWORD not in json.dumps(answer.headers)
    assert PASSWORD.encode() not in asked.ask("/operator").body
