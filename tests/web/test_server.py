"""The pages on a real socket."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from referee.errors import HardwareError, InputError
from referee.web import streams, view
from referee.web.accounts import FILE_NAME, Accounts
from referee.web.board import Board, TableSnapshot
from referee.web.desk import Desk, Settle
from referee.web.server import WebServer, serve
from tests.web.tables import TABLE, WHO


@dataclass
class Served:
    """A board on the network of this machine."""

    board: Board
    desk: Desk
    server: WebServer

    @contextmanager
    def get(self, path: str) -> Iterator[http.client.HTTPResponse]:
        """An answer, not yet read."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        connection.request("GET", path)
        answer = connection.getresponse()
        try:
            yield answer
        finally:
            answer.close()
            connection.close()


@pytest.fixture
def served() -> Iterator[Served]:
    board, desk = Board(TABLE), Desk()
    made = Served(board, desk, serve(board, desk, port=0))
    yield made
    made.server.stop()


def until(true: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Wait for something to become true."""
    end_s = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end_s:
            return False
        time.sleep(0.05)
    return True


def events(answer: http.client.HTTPResponse) -> Iterator[tuple[str, Any]]:
    """Server-sent events, one by one."""
    kind = ""
    while line := answer.readline().decode():
        word, _, value = line.rstrip("\n").partition(": ")
        if word == "event":
            kind = value
        elif word == "data":
            yield kind, json.loads(value)


def boards(answer: http.client.HTTPResponse) -> Iterator[Any]:
    """Those that carry a table."""
    return (value for kind, value in events(answer) if kind == "board")


def test_a_page_gets_the_whole_table_at_once_and_every_change_after_it(served: Served) -> None:
    with served.get("/events?lang=en") as answer:
        stream = boards(answer)
        assert next(stream)["headline"] == "Ana’s turn"
        served.board.update(WHO)
        assert next(stream)["headline"] == "To decide"


def test_whoever_connects_again_gets_the_whole_table_again(served: Served) -> None:
    for _ in range(2):
        with served.get("/operator/events?lang=fr") as answer:
            assert next(boards(answer))["headline"] == "Au tour d'Ana"


def test_many_changes_at_once_end_in_the_last_one(served: Served) -> None:
    with served.get("/events?lang=en") as answer:
        stream = boards(answer)
        next(stream)
        for _ in range(200):
            served.board.update(WHO)
            served.board.update(TABLE)
        served.board.update(WHO)
        assert any(board["headline"] == "To decide" for board in stream)


def test_a_table_is_put_into_words_once_for_all_who_look_at_it(monkeypatch: pytest.MonkeyPatch) -> None:
    worded: list[tuple[int, str]] = []

    def scoreboard(snapshot: TableSnapshot, language: str) -> view.View:
        worded.append((snapshot.t_us, language))
        return {"headline": f"{snapshot.t_us} {language}"}

    monkeypatch.setattr(view, "scoreboard", scoreboard)
    board = Board(TABLE)
    server = serve(board, Desk(), port=0)
    try:
        for language in ("en", "fr", "en", "fr", "en"):
            with Served(board, Desk(), server).get(f"/events?lang={language}") as answer:
                assert next(boards(answer))["headline"] == f"{TABLE.t_us} {language}"
        assert sorted(worded) == [(TABLE.t_us, "en"), (TABLE.t_us, "fr")]
    finally:
        server.stop()


def test_a_stream_says_when_the_session_has_gone_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    board = Board(TABLE, lambda: now)
    monkeypatch.setattr(streams, "BEAT_S", 0.05)
    server = serve(board, Desk(), port=0)
    try:
        with Served(board, Desk(), server).get("/events") as answer:
            beats = (value["silent"] for kind, value in events(answer) if kind == "beat")
            assert next(beats) is False
            now = 60.0
            assert any(beats)
            board.update(TABLE)
            assert not all(beats)
    finally:
        server.stop()


def test_streams_are_bounded_and_a_place_is_free_again_when_a_page_goes(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "LARGEST_STREAMS", 2)
    monkeypatch.setattr(streams, "BEAT_S", 0.05)
    with served.get("/events") as one, served.get("/events") as other:
        next(boards(one))
        next(boards(other))
        with served.get("/events") as refused:
            assert refused.status == 503
    assert until(lambda: _opens(served))


def _opens(served: Served) -> bool:
    with served.get("/events") as answer:
        return answer.status == 200


def test_the_operators_page_leads_to_the_games_only_where_they_are_served(served: Served) -> None:
    served.board.update(WHO)
    with served.get("/operator") as page:
        assert '<a href="/games" data-there="off">' in page.read().decode()


def test_a_command_goes_from_the_network_to_the_desk(served: Served) -> None:
    served.board.update(WHO)
    with served.get("/operator") as page:
        cookie = page.headers["Set-Cookie"].split(";")[0]
        token = page.read().decode().partition('data-token="')[2].partition('"')[0]
    connection = http.client.HTTPConnection("127.0.0.1", served.server.port, timeout=20)
    connection.request(
        "POST",
        "/operator/command",
        json.dumps({"do": "settle", "question": 5, "answer": "David"}),
        {
            "Content-Type": "application/json",
            "Origin": f"http://127.0.0.1:{served.server.port}",
            "Cookie": cookie,
            "X-Referee-Token": token,
        },
    )
    assert connection.getresponse().status == 202
    connection.close()
    assert served.desk.take() == Settle(5, "David")


def own_address() -> str | None:
    """An address of this machine that is not the loopback, if it has one; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        try:
            line.connect(("192.0.2.1", 9))  # reserved for documentation (RFC 5737)
        except OSError:
            return None
        address = str(line.getsockname()[0])
    return None if address.startswith("127.") or address == "0.0.0.0" else address


def test_with_the_scoreboard_alone_the_network_sees_it_and_the_operators_page_stays_here() -> None:
    address = own_address()
    if address is None:
        pytest.skip("this machine has no address but the loopback")
    server = serve(Board(TABLE), Desk(), host="0.0.0.0", port=0, scoreboard_only=True)
    try:
        for host, path, status in (
            (address, "/", 200),
            (address, "/operator", 403),
            (address, "/operator/events", 403),
            ("127.0.0.1", "/operator", 200),
        ):
            connection = http.client.HTTPConnection(host, server.port, timeout=20)
            connection.request("GET", path)
            assert connection.getresponse().status == status
            connection.close()
    finally:
        server.stop()


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_without_accounts_the_pages_are_not_opened_to_the_network(host: str, tmp_path: Path) -> None:
    for accounts in (None, Accounts(tmp_path)):
        with pytest.raises(InputError, match="opens the pages to the network and there is no account yet"):
            serve(Board(TABLE), Desk(), host=host, port=0, accounts=accounts)


def test_accounts_that_cannot_be_read_open_nothing(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"no accounts at all" * 100)
    with pytest.raises(InputError, match=r"accounts\.sqlite3: cannot be read"):
        serve(Board(TABLE), Desk(), host="0.0.0.0", port=0, accounts=Accounts(tmp_path))


@pytest.mark.parametrize("rubbish", [b"\x00\x01\x02\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET /" + b"x" * 200_000])
def test_rubbish_is_answered_and_nothing_is_printed(
    served: Served, rubbish: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.create_connection(("127.0.0.1", served.server.port), timeout=20) as line:
        line.sendall(rubbish)
        assert line.recv(64).startswith(b"HTTP/1.1 4")
    with served.get("/") as answer:
        assert answer.status == 200
    assert capfd.readouterr() == ("", "")


def test_stopping_ends_open_streams_and_frees_the_port() -> None:
    board, desk = Board(TABLE), Desk()
    server = serve(board, desk, port=0)
    with Served(board, desk, server).get("/events") as answer:
        next(boards(answer))
        server.stop()
        server.stop()
        assert not list(boards(answer))  # it comes to its end
    assert not any(thread.name == "web" for thread in threading.enumerate())
    again = serve(board, desk, port=server.port)
    assert again.port == server.port
    again.stop()


def test_a_port_that_is_taken_is_one_sentence(served: Served) -> None:
    with pytest.raises(HardwareError, match=rf"cannot be served at 127\.0\.0\.1, port {served.server.port}: \w"):
        serve(Board(TABLE), Desk(), port=served.server.port)


@pytest.mark.parametrize(("host", "port"), [("256.1.1.1", 0), ("127.0.0.1", 70_000), ("nowhere.invalid", 0)])
def test_an_address_that_cannot_be_is_one_sentence(host: str, port: int) -> None:
    with pytest.raises(HardwareError, match="the pages cannot be served at"):
        serve(Board(TABLE), Desk(), host, port)
