"""How close the last ruling was, on the scoreboard: for tables that have chosen to show it.

Written rules of this module:
- a table that has chosen nothing shows nothing, and pictures take a choice of their own (profile, `[review] replay`);
- it is about the last ruling the scoreboard shows, and no other: nothing else of the journal is reached from here.
Does not belong here: the review pages, which take a role (`review_pages`).
"""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response

from referee.errors import RefereeError
from referee.web.guard import Caller
from referee.web.reviews import MEDIA, NAME
from referee.web.shared import Pages, answer


async def replay(pages: Pages, request: Request, caller: Caller) -> Response:
    """How the hands came to the totem at the last ruling, and its clip where the table shows pictures."""
    reviews = pages.reviews
    if reviews is None or reviews.replay == "off":
        return PlainTextResponse("This table shows no replays.", 404)
    return answer(await run_in_threadpool(pages.last_ruling.shown, reviews, _place(pages)))


async def clip(pages: Pages, request: Request, caller: Caller) -> Response:
    """The clip of the last ruling, and no other file."""
    reviews, wanted = pages.reviews, request.path_params["evidence"]
    if reviews is None or reviews.replay != "pictures" or not NAME.fullmatch(wanted):
        return PlainTextResponse("This table shows no pictures.", 404)
    shown = await run_in_threadpool(pages.last_ruling.shown, reviews, _place(pages))
    if shown["clip"] is None or shown["clip"]["id"] != wanted:
        return PlainTextResponse("This is not the clip of the last ruling.", 404)

    def found() -> Response:
        try:
            with reviews.view() as view:
                row = view.evidence(wanted)
            if row is not None and row.key == reviews.running():
                return FileResponse(reviews.file(row), media_type=MEDIA[".webm"])
        except RefereeError:
            pass
        return PlainTextResponse("This clip is not there.", 404)

    return await run_in_threadpool(found)


def _place(pages: Pages) -> int | None:
    """The place of the last ruling on the scoreboard that still stands."""
    if pages.board is None:
        return None
    shown = pages.board.current()[1].rulings
    return next((one.place for one in reversed(shown) if one.ruling["public"] and not one.overturned), None)
