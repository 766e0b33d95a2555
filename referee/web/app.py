"""The web application: one table of routes, each with who may call it.

Belongs here: the table, and what stands before every handler. Does not belong here: what a handler does (modules of
their own), who is let in (`guard`), sockets and threads (`server`).
"""

from __future__ import annotations

from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from referee.web import login, replay, review_pages, seat_pages, set_up_pages, table_pages
from referee.web.accounts import Accounts
from referee.web.board import Board
from referee.web.desk import Desk
from referee.web.guard import SECURITY_HEADERS, Caller, Who, admit, own_names
from referee.web.reviews import Reviews
from referee.web.seats import SeatDoors
from referee.web.set_up import SetUp
from referee.web.shared import Entry, Pages, no_such_page

ROUTES: tuple[Entry, ...] = (
    Entry("/", "GET", Who.ANYONE, table_pages.scoreboard, page=True),
    Entry("/events", "GET", Who.ANYONE, table_pages.events),
    Entry("/replay", "GET", Who.ANYONE, replay.replay),
    Entry("/replay/clip/{evidence}", "GET", Who.ANYONE, replay.clip),
    Entry("/static/{name}", "GET", Who.ANYONE, table_pages.file),
    Entry("/login", "GET", Who.ANYONE, login.show_login, page=True),
    Entry("/login", "POST", Who.ANYONE, login.log_in),
    Entry("/logout", "POST", Who.VIEWER, login.log_out),
    Entry("/operator", "GET", Who.OPERATOR, table_pages.operator, page=True),
    Entry("/operator/events", "GET", Who.OPERATOR, table_pages.operator_events),
    Entry("/operator/command", "POST", Who.OPERATOR, table_pages.command),
    Entry("/operator/seats", "GET", Who.OPERATOR, seat_pages.list_seats),
    Entry("/operator/seats/hand-out", "POST", Who.OPERATOR, seat_pages.hand_out),
    Entry("/operator/seats/take-back", "POST", Who.OPERATOR, seat_pages.take_back),
    Entry("/seat", "GET", Who.ANYONE, seat_pages.show_seat, page=True),
    Entry("/seat/join", "POST", Who.ANYONE, seat_pages.join),
    Entry("/seat/events", "GET", Who.SEAT, seat_pages.events),
    Entry("/seat/say", "POST", Who.SEAT, seat_pages.say),
    Entry("/seat/hand", "GET", Who.SEAT, seat_pages.hand),
    Entry("/seat/force", "POST", Who.SEAT, seat_pages.choose),
    Entry("/seat/leave", "POST", Who.SEAT, seat_pages.leave),
    Entry("/setup", "GET", Who.OPERATOR, set_up_pages.show, page=True),
    Entry("/setup/state", "GET", Who.OPERATOR, set_up_pages.state),
    Entry("/setup/picture", "GET", Who.OPERATOR, set_up_pages.picture),
    Entry("/setup/order", "POST", Who.OPERATOR, set_up_pages.order),
    Entry("/games", "GET", Who.VIEWER, review_pages.show_games, page=True),
    Entry("/games/{key}", "GET", Who.VIEWER, review_pages.show_game, page=True),
    Entry("/games/{key}/rulings/{place}", "GET", Who.VIEWER, review_pages.show_ruling, page=True),
    Entry("/review/games", "GET", Who.VIEWER, review_pages.list_games),
    Entry("/review/games/{key}", "GET", Who.VIEWER, review_pages.read_game),
    Entry("/review/games/{key}/rulings/{place}", "GET", Who.VIEWER, review_pages.read_ruling),
    Entry("/review/games/{key}/evidence/{evidence}", "GET", Who.VIEWER, review_pages.media),
    Entry("/review/games/{key}/evidence/{evidence}/curves", "GET", Who.VIEWER, review_pages.curves),
    Entry("/review/games/{key}/rulings/{place}/appeal", "POST", Who.OPERATOR, review_pages.appeal),
    Entry("/review/games/{key}/rulings/{place}/bookmark", "POST", Who.OPERATOR, review_pages.bookmark),
    Entry("/review/games/{key}/rulings/{place}/preview", "POST", Who.HEAD, review_pages.preview),
    Entry("/review/games/{key}/rulings/{place}/overturn", "POST", Who.HEAD, review_pages.overturn),
    Entry("/review/games/{key}/rulings/{place}/uphold", "POST", Who.HEAD, review_pages.uphold),
)
"""Every route there is. Nothing is served that does not stand here."""


def make_app(
    board: Board | None,
    desk: Desk,
    language: str = "en",
    names: frozenset[str] | None = None,
    accounts: Accounts | None = None,
    reviews: Reviews | None = None,
    seats: SeatDoors | None = None,
    set_up: SetUp | None = None,
) -> tuple[ASGIApp, Pages]:
    """The application and what it shares; `names` are the host names it answers to (this machine's own)."""
    pages = Pages(board, desk, language, accounts, reviews, seats, set_up)
    names = own_names() if names is None else names

    def route(entry: Entry) -> Route:
        async def endpoint(request: Request) -> Response:
            return await _answer(pages, entry, request, names)

        return Route(entry.path, endpoint, methods=[entry.method])

    async def nowhere(request: Request, error: Exception) -> Response:
        return no_such_page(pages, request)

    made = Starlette(routes=[route(entry) for entry in ROUTES], exception_handlers={404: nowhere})
    return _with_headers(made), pages


async def _answer(pages: Pages, entry: Entry, request: Request, names: frozenset[str]) -> Response:
    """Everything that stands before a handler, then the handler."""
    seats = None if pages.seats is None else pages.seats.seats
    caller = await run_in_threadpool(
        admit, request.scope, entry.who, entry.page, names, pages.accounts, pages.sessions, seats
    )
    if isinstance(caller, Caller):
        return await entry.handler(pages, request, caller)
    if caller.log_in and entry.page:
        return RedirectResponse(f"/login?next={quote(request.url.path, safe='')}", 303)
    return PlainTextResponse(caller.reason, caller.status)


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
