"""What all handlers of requests share, and the small things each of them does.

Belongs here: the row of a route, what it is handed, reading a body, making a page. Does not belong here: any route
(`app` has the table), who is let in (`guard`).
"""

from __future__ import annotations

import html
import json
import re
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response

from referee.web.accounts import Accounts
from referee.web.attempts import Attempts
from referee.web.board import Board
from referee.web.desk import Desk
from referee.web.guard import LARGEST_BODY, Caller, Who, cookie_name
from referee.web.last_ruling import LastRuling
from referee.web.reviews import Reviews
from referee.web.seats import SeatDoors
from referee.web.sessions import Sessions, new_cookie
from referee.web.set_up import SetUp
from referee.web.streams import Streams
from referee.web.text import WORDS, language_of

STATIC = Path(__file__).with_name("static")


class Pages:
    """What the handlers share."""

    def __init__(
        self,
        board: Board | None,
        desk: Desk,
        language: str,
        accounts: Accounts | None = None,
        reviews: Reviews | None = None,
        seats: SeatDoors | None = None,
        set_up: SetUp | None = None,
    ) -> None:
        """None stands for what there is not: a game, a journal, accounts, players' own pages, a set-up under way."""
        self.board = board
        self.desk = desk
        self.language = language
        self.accounts = accounts
        self.reviews = reviews
        self.seats = seats
        self.joining = Attempts()
        self.set_up = set_up
        self.sessions = Sessions()
        self.attempts = Attempts()
        self.logging_in = threading.BoundedSemaphore(4)  # more would only wait, and hold up everybody else's pages
        self.last_ruling = LastRuling()
        self.streams = None if board is None else Streams(board)

    def close(self) -> None:
        """End every stream; from any thread."""
        if self.streams is not None:
            self.streams.close()

    def language_of(self, request: Request) -> str:
        """The language a request asks for, else the browser's, else the table's."""
        said = request.headers.get("accept-language", "")
        return language_of(request.query_params.get("lang"), said, self.language)


_INCLUDED = re.compile(r"\[\[>([a-z_]+\.html)\]\]\n")
"""What several pages have in common stands in a file of its own: `[[>NAME.html]]` alone on a line."""

Handler = Callable[[Pages, Request, Caller], Awaitable[Response]]


@dataclass(frozen=True)
class Entry:
    """One route: its path, its method, who may call it, what answers; `page`: links elsewhere may lead to it."""

    path: str
    method: str
    who: Who
    handler: Handler
    page: bool = False


class BodyError(Exception):
    """A body that is no command; `response` says so."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


async def body_of(request: Request) -> Any:
    """The JSON a request carries; raises `BodyError` when it is too much or none."""
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > LARGEST_BODY:
                raise BodyError(PlainTextResponse("Too much.", 413))
    except ClientDisconnect as error:
        raise BodyError(Response(status_code=400)) from error
    try:
        return orjson.loads(body)  # strict: no NaN, and no half characters that could not be written again
    except orjson.JSONDecodeError as error:
        raise BodyError(PlainTextResponse("Expected JSON.", 400)) from error


def answer(word: Any, status: int = 200) -> Response:
    """Anything as JSON."""
    return Response(json.dumps(word, ensure_ascii=False, allow_nan=False), status, media_type="application/json")


def page(
    pages: Pages,
    request: Request,
    caller: Caller,
    name: str,
    data: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
) -> Response:
    """A page with its labels in one language; what changes comes by its script.

    `data` are further marks `[[key]]` and what stands in their place, as text.
    """
    language = pages.language_of(request)
    labels = labels or WORDS[language].labels
    cookie = caller.cookie or new_cookie()
    marks = {
        "language": language,
        "other-language": "fr" if language == "en" else "en",
        "labels": json.dumps(labels, ensure_ascii=False),
        "token": pages.sessions.token(cookie),
        "caller": caller.name,
        # Whoever only sits at the machine has nothing to log out of.
        "role": "" if caller.role is None or caller.here else caller.role.word,
        **labels,
        **(data or {}),
    }
    response = Response(_filled(name, marks), media_type="text/html")
    if not caller.cookie:
        give_cookie(response, request, cookie)
    return response


def missing(pages: Pages, request: Request, sentence: str, status: int = 404) -> Response:
    """A page that is not there, or not to be seen now: one sentence and the way back."""
    language = pages.language_of(request)
    labels = WORDS[language].labels
    marks = {
        "language": language,
        "other-language": "fr" if language == "en" else "en",
        "other": labels["other"],
        "sentence": sentence,
        "first-page": labels["first-page"],
    }
    return Response(_filled("missing.html", marks), status, media_type="text/html")


def no_such_page(pages: Pages, request: Request) -> Response:
    """The answer to an address that leads nowhere: a page for a person, a sentence for a program."""
    sentence = WORDS[pages.language_of(request)].labels["no-page"]
    if "text/html" in request.headers.get("accept", ""):
        return missing(pages, request, sentence)
    return PlainTextResponse(sentence, 404)


def _filled(name: str, marks: Mapping[str, str]) -> str:
    """A page with each mark `[[key]]` replaced by its text."""
    text = _INCLUDED.sub(lambda found: (STATIC / found[1]).read_text("utf-8"), (STATIC / name).read_text("utf-8"))
    first, *rest = text.split("[[")
    parts = [first]
    for part in rest:  # in one pass: what is put in is not looked at again
        key, _, after = part.partition("]]")
        parts += [html.escape(marks[key]), after]
    return "".join(parts)


def give_cookie(response: Response, request: Request, value: str) -> None:
    """Set our cookie: for this host, out of reach of scripts, not sent along by other sites' requests."""
    # Lax and not Strict: a link to a ruling, sent to a friend who is logged in, should open. GETs change nothing.
    response.set_cookie(
        cookie_name(request.scope),
        value,
        path="/",
        httponly=True,
        samesite="lax",
        secure=request.scope["scheme"] == "https",
    )
