"""The scoreboard and the operator's page, their streams, and what the operator taps.

Does not belong here: what they show (`view`), what a command must be (`desk`), who is let in (`guard`).
"""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse

from referee.errors import InputError
from referee.web import view
from referee.web.desk import CommandError, LateError, command_from
from referee.web.guard import Caller, Who, caller_of
from referee.web.shared import STATIC, BodyError, Pages, body_of, missing, page
from referee.web.streams import Show
from referee.web.text import WORDS

TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_NO_GAME = "No game is being played here."


async def scoreboard(pages: Pages, request: Request, caller: Caller) -> Response:
    """What everybody may see; where no game is played, the set-up under way or the games that were."""
    if pages.board is None:
        return RedirectResponse("/games" if pages.set_up is None else "/setup", 303)
    replay = "off" if pages.reviews is None else pages.reviews.replay
    return page(pages, request, caller, "scoreboard.html", {"replay-there": replay})


async def operator(pages: Pages, request: Request, caller: Caller) -> Response:
    """Where a person decides."""
    if pages.board is None:
        return missing(pages, request, WORDS[pages.language_of(request)].labels["no-game"])
    return page(pages, request, caller, "operator.html", {"games-there": "off" if pages.reviews is None else "on"})


async def events(pages: Pages, request: Request, caller: Caller) -> Response:
    """The scoreboard's stream."""
    return _stream(pages, view.scoreboard, request, Who.ANYONE)


async def operator_events(pages: Pages, request: Request, caller: Caller) -> Response:
    """The operator's stream; it ends with the right to it."""
    return _stream(pages, view.operator, request, Who.OPERATOR)


async def command(pages: Pages, request: Request, caller: Caller) -> Response:
    """What the operator has tapped."""
    if pages.board is None:
        return PlainTextResponse(_NO_GAME, 404)
    try:
        said = await body_of(request)
    except BodyError as error:
        return error.response
    try:
        pages.desk.put(command_from(said, pages.board.current()[1]))
    except LateError as error:
        return PlainTextResponse(str(error), 409)
    except CommandError as error:
        return PlainTextResponse(str(error), 400)
    return Response(status_code=202)


async def file(pages: Pages, request: Request, caller: Caller) -> Response:
    """A script, a style or a picture of the pages."""
    # The name is looked up among the files there are, never joined to a path.
    content = {path.name: path for path in STATIC.iterdir() if path.suffix in TYPES}
    path = content.get(request.path_params["name"])
    if path is None:
        return PlainTextResponse("There is no such file.", 404)
    return Response(path.read_bytes(), media_type=TYPES[path.suffix])


def _stream(pages: Pages, show: Show, request: Request, who: Who) -> Response:
    def may_go_on() -> bool:
        try:
            return who is Who.ANYONE or caller_of(request.scope, pages.accounts, pages.sessions).may(who)
        except InputError:
            return False

    return stream_of(pages, show, request, may_go_on)


def stream_of(pages: Pages, show: Show, request: Request, may_go_on: Callable[[], bool]) -> Response:
    """A stream of the table, for as long as whoever looks may."""
    streams = pages.streams
    if streams is None:
        return PlainTextResponse(_NO_GAME, 404)
    if request.method == "HEAD":
        return Response(media_type="text/event-stream")
    if streams.are_full:
        return PlainTextResponse("Too many pages are open.", 503, {"Retry-After": "5"})

    content = streams.follow(show, pages.language_of(request), may_go_on)
    return StreamingResponse(content, media_type="text/event-stream")
