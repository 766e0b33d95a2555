"""Logging in and out.

Belongs here: the page, the try, its limits. Does not belong here: what a password is checked against (`accounts`).
"""

from __future__ import annotations

import math
import re

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from referee.web.accounts import LONGEST_NAME, LONGEST_PASSWORD, account_key
from referee.web.guard import Caller
from referee.web.shared import BodyError, Pages, answer, body_of, give_cookie, page
from referee.web.text import WORDS

# Where somebody may be sent after logging in: our own pages, and nothing that could lead elsewhere.
_NEXT = re.compile(r"/(operator|setup|games(/[0-9a-z]{1,64}(/rulings/[0-9]{1,9})?)?)?")


async def show_login(pages: Pages, request: Request, caller: Caller) -> Response:
    """The page to log in."""
    wanted = request.query_params.get("next", "")
    return page(pages, request, caller, "login.html", {"next": wanted if _NEXT.fullmatch(wanted) else "/games"})


async def log_in(pages: Pages, request: Request, caller: Caller) -> Response:
    """One try: 204 and a new cookie, or a sentence why not."""
    try:
        said = await body_of(request)
    except BodyError as error:
        return error.response
    labels = WORDS[pages.language_of(request)].labels
    name, password = (said.get("name"), said.get("password")) if isinstance(said, dict) else (None, None)
    if not isinstance(name, str) or not isinstance(password, str):
        return PlainTextResponse("Expected a name and a password.", 400)
    accounts = pages.accounts
    if accounts is None or len(name) > LONGEST_NAME or len(password) > LONGEST_PASSWORD:
        return PlainTextResponse(labels["login-wrong"], 403)
    address = request.client.host if request.client is not None else ""
    if not pages.logging_in.acquire(blocking=False):
        return PlainTextResponse(labels["login-busy"], 503, {"Retry-After": "2"})
    try:
        wait_s = pages.attempts.begin(account_key(name), address)
        if wait_s > 0:
            minutes = labels["login-wait"].replace("{}", str(math.ceil(wait_s / 60)))
            return PlainTextResponse(minutes, 429, {"Retry-After": str(math.ceil(wait_s))})
        account = await run_in_threadpool(accounts.check, name, password)
    finally:
        pages.logging_in.release()
    if account is None:
        return PlainTextResponse(labels["login-wrong"], 403)
    pages.attempts.right(account_key(name), address)
    pages.sessions.close(caller.cookie)
    response = Response(status_code=204)
    give_cookie(response, request, pages.sessions.open(account))
    return response


async def log_out(pages: Pages, request: Request, caller: Caller) -> Response:
    """The end of a session."""
    pages.sessions.close(caller.cookie)
    return answer({})
