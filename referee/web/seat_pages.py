"""The players' phone pages: taking a seat by a code, saying what one says in the game, telling one's secret.

Written rules of this module:
- whose word it is follows from the seat alone; a page cannot say a name;
- a secret goes through the private door and nowhere else: not into a command, a snapshot, a log or another page;
- a token comes in the body of a request, never in an address: addresses are kept in histories.
Does not belong here: who has which seat (`seats`), what a page shows (`seat_view`), what may be said (`desk`).
"""

from __future__ import annotations

import ipaddress
import math

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from referee.web.desk import CommandError, LateError, command_from
from referee.web.guard import Caller, is_loopback
from referee.web.seat_view import SeatShow, hand_view
from referee.web.seats import LONGEST_TOKEN, SeatDoors
from referee.web.sessions import new_cookie
from referee.web.shared import BodyError, Pages, answer, body_of, give_cookie, page
from referee.web.table_pages import stream_of
from referee.web.text import WORDS

_NO_SEATS = "No seats are handed out here."


async def show_seat(pages: Pages, request: Request, caller: Caller) -> Response:
    """The phone page: a seat's own, or how to get one."""
    doors = pages.seats
    player = None if doors is None else doors.seats.player(caller.cookie)
    secret = "yes" if doors is not None and doors.private is not None else ""
    return page(pages, request, caller, "seat.html", {"player": player or "", "secret": secret})


async def join(pages: Pages, request: Request, caller: Caller) -> Response:
    """A browser takes the seat of the token it has read from a code: 204 and a new cookie, or a sentence why not."""
    if pages.seats is None:
        return PlainTextResponse(_NO_SEATS, 404)
    try:
        said = await body_of(request)
    except BodyError as error:
        return error.response
    labels = WORDS[pages.language_of(request)].labels
    token = said.get("token") if isinstance(said, dict) else None
    if not isinstance(token, str) or not 0 < len(token) <= LONGEST_TOKEN:
        return PlainTextResponse(labels["seat-wrong"], 403)
    address = request.client.host if request.client is not None else ""
    wait_s = pages.joining.begin(f"seat {address}", address)
    if wait_s > 0:
        minutes = labels["login-wait"].replace("{}", str(math.ceil(wait_s / 60)))
        return PlainTextResponse(minutes, 429, {"Retry-After": str(math.ceil(wait_s))})
    # Whoever is logged in keeps their cookie; any other is new, so that one somebody has planted is worth nothing.
    logged_in = pages.sessions.account(caller.cookie) is not None if caller.cookie else False
    cookie = caller.cookie if logged_in else new_cookie()
    if pages.seats.seats.claim(token, cookie) is None:
        return PlainTextResponse(labels["seat-wrong"], 403)
    pages.joining.right(f"seat {address}", address)
    response = Response(status_code=204)
    give_cookie(response, request, cookie)
    return response


async def events(pages: Pages, request: Request, caller: Caller) -> Response:
    """A seat's stream; it ends with the right to it."""
    doors = pages.seats
    if doors is None or caller.seat is None:
        return PlainTextResponse(_NO_SEATS, 404)
    player = caller.seat
    return stream_of(pages, SeatShow(player), request, lambda: doors.seats.player(caller.cookie) == player)


async def say(pages: Pages, request: Request, caller: Caller) -> Response:
    """What a player says in the game."""
    if pages.board is None or caller.seat is None:
        return PlainTextResponse(_NO_SEATS, 404)
    try:
        said = await body_of(request)
    except BodyError as error:
        return error.response
    word = {**said, "do": "say", "player": caller.seat} if isinstance(said, dict) else said
    try:
        pages.desk.put(command_from(word, pages.board.current()[1]))
    except LateError as error:
        return PlainTextResponse(str(error), 409)
    except CommandError as error:
        return PlainTextResponse(str(error), 400)
    return Response(status_code=202)


async def hand(pages: Pages, request: Request, caller: Caller) -> Response:
    """What a player may see of their own secret."""
    doors = pages.seats
    if doors is None or doors.private is None or caller.seat is None:
        return PlainTextResponse(_NO_SEATS, 404)
    game = "" if pages.board is None else pages.board.current()[1].game
    return answer(hand_view(doors.private.hand(caller.seat), game, pages.language_of(request)))


async def choose(pages: Pages, request: Request, caller: Caller) -> Response:
    """A player tells their secret; the answer says whether it counts, and nothing else."""
    doors = pages.seats
    if doors is None or doors.private is None or caller.seat is None:
        return PlainTextResponse(_NO_SEATS, 404)
    try:
        said = await body_of(request)
    except BodyError as error:
        return error.response
    card = said.get("card") if isinstance(said, dict) else None
    if not isinstance(card, str) or len(card) > 8:
        return PlainTextResponse("Expected a card.", 400)
    return Response(status_code=204 if doors.private.choose(caller.seat, card) else 409)


async def leave(pages: Pages, request: Request, caller: Caller) -> Response:
    """A player gives the seat back."""
    if pages.seats is not None:
        pages.seats.seats.leave(caller.cookie)
    return answer({})


# ---- what the operator does with seats


async def list_seats(pages: Pages, request: Request, caller: Caller) -> Response:
    """How each seat is; none where none are handed out."""
    if pages.seats is None:
        return answer({"seats": []})
    words = WORDS[pages.language_of(request)].seat_states
    states = pages.seats.seats.states()
    return answer({"seats": [{"player": name, "state": one, "text": words[one]} for name, one in states.items()]})


async def hand_out(pages: Pages, request: Request, caller: Caller) -> Response:
    """A seat's code, for this one answer: nothing keeps it."""
    doors, player = pages.seats, await _player(pages, request)
    if doors is None or isinstance(player, Response):
        return player if isinstance(player, Response) else PlainTextResponse(_NO_SEATS, 404)
    address = f"{_base(request, doors)}/seat#{doors.seats.hand_out(player)}"
    return answer({"player": player, "address": address, "code": list(doors.qr(address))})


async def take_back(pages: Pages, request: Request, caller: Caller) -> Response:
    """A seat is nobody's any more."""
    doors, player = pages.seats, await _player(pages, request)
    if doors is None or isinstance(player, Response):
        return player if isinstance(player, Response) else PlainTextResponse(_NO_SEATS, 404)
    doors.seats.take_back(player)
    return answer({})


async def _player(pages: Pages, request: Request) -> str | Response:
    """The player a request names, or the answer to one that names none."""
    if pages.seats is None:
        return PlainTextResponse(_NO_SEATS, 404)
    try:
        said = await body_of(request)
    except BodyError as error:
        return error.response
    player = said.get("player") if isinstance(said, dict) else None
    if not isinstance(player, str) or player not in pages.seats.seats.players:
        return PlainTextResponse("Expected a player of this table.", 400)
    return player


def _base(request: Request, doors: SeatDoors) -> str:
    """Where a phone finds this machine: as the operator does, unless that is a name for the machine itself."""
    host = request.headers.get("host", "")
    name, colon, port = host.rpartition(":") if not host.endswith("]") else (host, "", "")
    here = name if colon else host
    if doors.host and (here.strip("[]").lower() == "localhost" or _is_here(here)):
        there = f"[{doors.host}]" if ":" in doors.host else doors.host
        host = f"{there}{colon}{port}"
    return f"{request.url.scheme}://{host}"


def _is_here(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return is_loopback(name.strip("[]"))
