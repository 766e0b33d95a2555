"""The set-up pages: one page, its state, its picture, and what is asked for on it.

Does not belong here: what an order may be (`set_up`), who is let in (`guard`), cameras and calibrations.
"""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from referee.errors import InputError
from referee.web.guard import Caller
from referee.web.set_up import order_from
from referee.web.set_up_text import SET_UP
from referee.web.shared import BodyError, Pages, answer, body_of, missing, page

_NOTHING = "No table is being set up here: referee calibrate web --profile P."


async def show(pages: Pages, request: Request, caller: Caller) -> Response:
    """The page itself."""
    if pages.set_up is None:
        return missing(pages, request, SET_UP[pages.language_of(request)]["no-set-up"])
    return page(pages, request, caller, "setup.html", labels=SET_UP[pages.language_of(request)])


async def state(pages: Pages, request: Request, caller: Caller) -> Response:
    """How far the set-up is."""
    if pages.set_up is None:
        return PlainTextResponse(_NOTHING, 404)
    # Sentences are put into the page's language, which takes a moment the first time.
    said = await run_in_threadpool(pages.set_up.state, pages.language_of(request))
    return answer(dict(said))


async def picture(pages: Pages, request: Request, caller: Caller) -> Response:
    """What the camera sees, with what is drawn on it."""
    if pages.set_up is None:
        return PlainTextResponse(_NOTHING, 404)
    found = pages.set_up.picture()
    if found is None:
        return PlainTextResponse("No picture has come yet.", 503, {"Retry-After": "1"})
    return Response(found[1], media_type="image/jpeg", headers={"X-Picture": str(found[0])})


async def order(pages: Pages, request: Request, caller: Caller) -> Response:
    """What somebody asks for on the page; its answer comes with the state, by the order's number."""
    if pages.set_up is None:
        return PlainTextResponse(_NOTHING, 404)
    try:
        said = await body_of(request)
    except BodyError as error:
        return error.response
    try:
        number = pages.set_up.order(*order_from(said))
    except InputError as error:
        return PlainTextResponse(str(error), 400)
    return answer({"order": number}, 202)
