"""The web application: one table of routes, each with who may call it.

Belongs here: from a request to a page, a stream or a command. Does not belong here: who is let in (`guard`),
what a page shows (`view`), what a command must be (`desk`), sockets and threads (`server`).
"""

from __future__ import annotations

import asyncio
import html
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from referee.web import view
from referee.web.board import Board, TableSnapshot
from referee.web.desk import CommandError, Desk, LateError, command_from
from referee.web.guard import LARGEST_BODY, SECURITY_HEADERS, Who, own_names, refusal
from referee.web.text import WORDS, language_of

LARGEST_STREAMS = 64
BEAT_S = 2.0
QUIETEST_S = 0.1  # between two messages of a stream: a page need not follow every frame
SILENT_AFTER_S = 5.0  # a session that has said nothing for so long is reported as such
_STATIC = Path(__file__).with_name("static")
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

Handler = Callable[["Pages", Request], Awaitable[Response]]
Show = Callable[[TableSnapshot, str], view.View]


@dataclass(frozen=True)
class Entry:
    """One route: its path, its method, who may call it, what answers."""

    path: str
    method: str
    who: Who
    handler: Handler


class Pages:
    """What the handlers share."""

    def __init__(self, board: Board, desk: Desk, language: str) -> None:
        self.board = board
        self.desk = desk
        self.language = language
        self.closing = asyncio.Event()
        self.streams = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._said: dict[tuple[Show, str], tuple[int, str]] = {}

    def close(self) -> None:
        """End every stream; from any thread."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop may have ended by itself
                self._loop.call_soon_threadsafe(self.closing.set)

    async def stream(self, show: Show, language: str) -> AsyncIterator[str]:
        """Server-sent events: what is there now, then every change, and a beat in between."""
        loop = self._loop = asyncio.get_running_loop()
        changed = asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(changed.set)

        seen, shown = -1, ""
        self.streams += 1
        try:
            with self.board.watched(wake):
                yield "retry: 1000\n\n"
                while not self.closing.is_set():
                    changed.clear()
                    version, snapshot = self.board.current()
                    if version != seen:
                        seen = version
                        said = self._words(show, language, version, snapshot)
                        if said != shown:
                            shown = said
                            yield f"id: {version}\nevent: board\ndata: {said}\n\n"
                    silent = self.board.age_s() > SILENT_AFTER_S
                    yield f"event: beat\ndata: {json.dumps({'silent': silent})}\n\n"
                    await asyncio.sleep(QUIETEST_S)
                    await self._either(changed)
        finally:
            self.streams -= 1

    def _words(self, show: Show, language: str, version: int, snapshot: TableSnapshot) -> str:
        """A snapshot as it is sent, worked out once for all streams: the game needs the processor more."""
        known = self._said.get((show, language))
        if known is None or known[0] != version:
            known = self._said[show, language] = (version, json.dumps(show(snapshot, language), ensure_ascii=False))
        return known[1]

    async def _either(self, changed: asyncio.Event) -> None:
        """Wait for a change, the end or the next beat."""
        waits = [asyncio.ensure_future(changed.wait()), asyncio.ensure_future(self.closing.wait())]
        try:
            await asyncio.wait(waits, timeout=BEAT_S, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()


async def _scoreboard(pages: Pages, request: Request) -> Response:
    return _page("scoreboard.html", _language(pages, request))


async def _operator(pages: Pages, request: Request) -> Response:
    return _page("operator.html", _language(pages, request))


async def _events(pages: Pages, request: Request) -> Response:
    return _stream(pages, view.scoreboard, request)


async def _operator_events(pages: Pages, request: Request) -> Response:
    return _stream(pages, view.operator, request)


async def _command(pages: Pages, request: Request) -> Response:
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > LARGEST_BODY:
                return PlainTextResponse("Too much.", 413)
    except ClientDisconnect:
        return Response(status_code=400)
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return PlainTextResponse("Expected JSON.", 400)
    try:
        pages.desk.put(command_from(said, pages.board.current()[1]))
    except LateError as error:
        return PlainTextResponse(str(error), 409)
    except CommandError as error:
        return PlainTextResponse(str(error), 400)
    return Response(status_code=202)


async def _file(pages: Pages, request: Request) -> Response:
    # The name is looked up among the files there are, never joined to a path.
    content = {path.name: path for path in _STATIC.iterdir() if path.suffix in _TYPES}
    path = content.get(request.path_params["name"])
    if path is None:
        return PlainTextResponse("There is no such file.", 404)
    return Response(path.read_bytes(), media_type=_TYPES[path.suffix])


ROUTES: tuple[Entry, ...] = (
    Entry("/", "GET", Who.ANYONE, _scoreboard),
    Entry("/events", "GET", Who.ANYONE, _events),
    Entry("/static/{name}", "GET", Who.ANYONE, _file),
    Entry("/operator", "GET", Who.OPERATOR, _operator),
    Entry("/operator/events", "GET", Who.OPERATOR, _operator_events),
    Entry("/operator/command", "POST", Who.OPERATOR, _command),
)
"""Every route there is. Nothing is served that does not stand here."""


def make_app(
    board: Board, desk: Desk, language: str = "en", names: frozenset[str] | None = None
) -> tuple[ASGIApp, Pages]:
    """The application and what it shares; `names` are the host names it answers to (this machine's own)."""
    pages = Pages(board, desk, language)
    names = own_names() if names is None else names

    def route(entry: Entry) -> Route:
        async def endpoint(request: Request) -> Response:
            refused = refusal(request.scope, entry.who, names)
            if refused is not None:
                return PlainTextResponse(refused[1], refused[0])
            return await entry.handler(pages, request)

        return Route(entry.path, endpoint, methods=[entry.method])

    return _with_headers(Starlette(routes=[route(entry) for entry in ROUTES])), pages


def _with_headers(app: ASGIApp) -> ASGIApp:
    """The same, with the security headers on every answer, also on those that Starlette gives by itself."""
    extra = [(name.lower().encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]

    async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *extra]}
            await send(message)

        await app(scope, receive, send_with if scope["type"] == "http" else send)

    return wrapped


def _language(pages: Pages, request: Request) -> str:
    return language_of(request.query_params.get("lang"), request.headers.get("accept-language", ""), pages.language)


def _page(name: str, language: str) -> Response:
    """A page with its labels in one language; what changes comes by the stream."""
    labels = WORDS[language].labels
    text = (_STATIC / name).read_text("utf-8")
    for key, label in labels.items():
        text = text.replace(f"[[{key}]]", html.escape(label))
    other = "fr" if language == "en" else "en"
    said = html.escape(json.dumps(labels, ensure_ascii=False))
    text = text.replace("[[language]]", language).replace("[[other-language]]", other).replace("[[labels]]", said)
    return Response(text, media_type="text/html")


def _stream(pages: Pages, show: Show, request: Request) -> Response:
    if request.method == "HEAD":
        return Response(media_type="text/event-stream")
    if pages.streams >= LARGEST_STREAMS:
        return PlainTextResponse("Too many pages are open.", 503, {"Retry-After": "5"})
    return StreamingResponse(pages.stream(show, _language(pages, request)), media_type="text/event-stream")
