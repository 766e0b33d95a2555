"""Requests straight to the application, as uvicorn would hand them over."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

from starlette.types import ASGIApp

from referee.web.accounts import Accounts
from referee.web.app import make_app
from referee.web.board import Board
from referee.web.desk import Desk
from referee.web.sessions import new_cookie
from referee.web.shared import Pages
from tests.web.tables import TABLE

HERE, PHONE = "127.0.0.1", "192.168.1.20"
OWN = frozenset(("localhost", "127.0.0.1", "::1", "table", "table.local"))


class Answer:
    """What came back."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""

    def json(self) -> Any:
        """The body, read."""
        return json.loads(self.body)

    def cookie(self) -> str:
        """The value of the cookie that was set; empty when none was."""
        return self.headers.get("set-cookie", "").partition(";")[0].partition("=")[2]


def ask(path: str, method: str = "GET", desk: Desk | None = None, **how: Any) -> Answer:
    """One request to a fresh application without accounts; see `Asked.ask`."""
    return Asked(*make_app(Board(TABLE), desk or Desk(), names=OWN)).ask(path, method, **how)


def made(accounts: Accounts | None = None, **more: Any) -> Asked:
    """An application to ask several times."""
    return Asked(*make_app(Board(TABLE), Desk(), names=OWN, accounts=accounts, **more))


@dataclass
class Asked:
    """An application, and a browser's cookie for it."""

    app: ASGIApp
    pages: Pages
    cookie: str = field(default_factory=new_cookie)

    def post(self, path: str, word: Any, **how: Any) -> Answer:
        """Send a word as our own pages do."""
        how = {"origin": "http://127.0.0.1:8000", "content_type": "application/json", "token": True, **how}
        return self.ask(path, "POST", body=json.dumps(word).encode(), **how)

    def log_in(self, name: str, password: str, **how: Any) -> Answer:
        """Log in; the cookie is kept."""
        answer = self.post("/login", {"name": name, "password": password}, **how)
        self.cookie = answer.cookie() or self.cookie
        return answer

    def ask(
        self,
        path: str,
        method: str = "GET",
        host: str = "127.0.0.1:8000",
        peer: str = HERE,
        server: str | None = None,
        body: bytes = b"",
        token: bool | str = False,
        scheme: str = "http",
        **headers: str,
    ) -> Answer:
        """One request; a stream is left after its start. `token` True sends the right one."""
        plain, _, query = path.partition("?")
        raw = [(b"host", host.encode())] if host else []
        raw += [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in headers.items()]
        if self.cookie:
            raw.append((b"cookie", f"other=1; referee={self.cookie}; __Host-referee={self.cookie}".encode()))
        if token:
            said = self.pages.sessions.token(self.cookie) if token is True else token
            raw.append((b"x-referee-token", said.encode()))
        scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": scheme,
            "path": plain,
            "raw_path": plain.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": raw,
            "client": (peer, 50_000),
            "server": (server or peer.replace(PHONE, "192.168.1.2"), 8000),
        }
        answer = Answer()

        async def run() -> None:
            left = asyncio.Event()
            sent = False

            async def receive() -> dict[str, Any]:
                nonlocal sent
                if not sent:
                    sent = True
                    return {"type": "http.request", "body": body, "more_body": False}
                await left.wait()
                return {"type": "http.disconnect"}

            async def send(message: Any) -> None:
                if message["type"] == "http.response.start":
                    answer.status = message["status"]
                    answer.headers = {k.decode().lower(): v.decode() for k, v in message["headers"]}
                else:
                    answer.body += message.get("body", b"")
                    if (
                        answer.headers.get("content-type", "").startswith("text/event-stream")
                        and b"data:" in answer.body
                    ):
                        left.set()

            await asyncio.wait_for(self.app(scope, receive, send), 20)

        asyncio.run(run())
        return answer
