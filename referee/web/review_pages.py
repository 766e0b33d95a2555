"""The review pages: games, one game, one ruling, its evidence, and what is decided about it.

Belongs here: from a request to an answer. Does not belong here: what may be seen and done (`reviews`), what is shown
(`review_view`, `evidence_view`), who is let in (`guard`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from datetime import date
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response

from referee import review
from referee.corrections import Saying
from referee.errors import InputError, RefereeError
from referee.journal.reading import JournalView, Search
from referee.web import evidence_view, review_view
from referee.web.accounts import Role
from referee.web.guard import Caller, Who
from referee.web.review_text import REVIEW
from referee.web.reviews import MEDIA, RUNNING, ChangedError, HiddenError, MissingError, ReadOnlyError, Reviews
from referee.web.shared import BodyError, Handler, Pages, answer, body_of, missing, page

PAGE_ROWS = 50
LONGEST_WORD = 64
DAY_MS = 86_400_000
LARGEST_US = 2**53

Work = Callable[[Pages, Reviews, Request, Caller], Response]


def _working(work: Work) -> Handler:
    """A handler of work on the journal: in a thread of its own, its errors as sentences."""

    async def handler(pages: Pages, request: Request, caller: Caller) -> Response:
        reviews = pages.reviews
        if reviews is None:
            return PlainTextResponse(REVIEW[pages.language_of(request)].labels["no-journal"], 404)
        return await run_in_threadpool(_said, work, pages, reviews, request, caller)

    return handler


def _said(work: Work, pages: Pages, reviews: Reviews, request: Request, caller: Caller) -> Response:
    def refused(error: Exception, status: int) -> Response:
        said = str(error)
        return PlainTextResponse(REVIEW[pages.language_of(request)].refusals.get(said, said), status)

    try:
        return work(pages, reviews, request, caller)
    except MissingError as error:
        return refused(error, 404)
    except HiddenError as error:
        return refused(error, 403)
    except (ChangedError, ReadOnlyError) as error:
        return refused(error, 409)
    except InputError as error:
        return refused(error, 400)
    except RefereeError as error:
        return refused(error, 503)


# ---- pages


def _page(name: str) -> Handler:
    async def handler(pages: Pages, request: Request, caller: Caller) -> Response:
        language = pages.language_of(request)
        words = REVIEW[language]
        if pages.reviews is None:
            return missing(pages, request, words.labels["no-journal"])
        try:
            await run_in_threadpool(_is_there, pages.reviews, request, caller)
        except InputError as error:
            said = words.refusals.get(str(error), str(error))
            return missing(pages, request, said, 403 if isinstance(error, HiddenError) else 404)
        except RefereeError as error:
            return missing(pages, request, str(error), 503)
        data = {
            "page": name.removesuffix(".html"),
            "title": words.labels["games" if name == "games.html" else "review"],
            "scoreboard-there": "" if pages.board is None else "1",
            "kinds": json.dumps(words.kinds, ensure_ascii=False),
        }
        return page(pages, request, caller, name, data, words.labels)

    return handler


def _is_there(reviews: Reviews, request: Request, caller: Caller) -> None:
    """Raises `MissingError` or `HiddenError` where the address names a game or a ruling that cannot be shown."""
    if "key" not in request.path_params:
        return
    kept = reviews.game(request.path_params["key"], _role(caller))
    if "place" in request.path_params and _place(request) >= len(kept.rulings):
        raise MissingError("There is no such ruling.")


show_games, show_game, show_ruling = _page("games.html"), _page("game.html"), _page("ruling.html")


# ---- what they show


def _games(pages: Pages, reviews: Reviews, request: Request, caller: Caller) -> Response:
    language, query = pages.language_of(request), request.query_params
    search = _search(query)
    with reviews.view() as view:
        if query.get("view") == "closest":
            hidden = set() if caller.may(Who.OPERATOR) else _played(reviews, view)
            return answer(_closest(view, search, _number(query, "offset", 10_000_000), language, hidden))
        after = query.get("after") or None
        if after is not None and len(after) > LONGEST_WORD:
            raise InputError("after: expected the key of a game")
        rows = view.games(search, PAGE_ROWS + 1, after)
    more = len(rows) > PAGE_ROWS
    shown = rows[:PAGE_ROWS]
    return answer(
        {"games": [review_view.game_row(row, language) for row in shown], "after": shown[-1].key if more else None}
    )


def _played(reviews: Reviews, view: JournalView) -> set[str | None]:
    """The games that are being played."""
    return {reviews.running(), *(row.key for row in view.games(Search(state=RUNNING)))}


def _closest(
    view: JournalView, search: Search, offset: int, language: str, hidden: Collection[str | None]
) -> Mapping[str, Any]:
    rows = view.rulings(search, PAGE_ROWS + 1, closest_first=True, offset=offset)
    shown = [review_view.ruling_row(row, language) for row in rows[:PAGE_ROWS] if row.key not in hidden]
    return {"rulings": shown, "offset": offset + PAGE_ROWS if len(rows) > PAGE_ROWS else None}


def _game(pages: Pages, reviews: Reviews, request: Request, caller: Caller) -> Response:
    kept = reviews.game(request.path_params["key"], _role(caller))
    return answer(review_view.game(kept, pages.language_of(request)))


def _ruling(pages: Pages, reviews: Reviews, request: Request, caller: Caller) -> Response:
    kept = reviews.game(request.path_params["key"], _role(caller))
    place = _place(request)
    if place >= len(kept.rulings):
        raise MissingError("There is no such ruling.")
    shown = review_view.ruling(kept, place, pages.language_of(request))
    may = reviews.journal is not None
    return answer(
        {
            **shown,
            "running": reviews.is_played(kept.row.key, kept.row.state),
            "stretches": evidence_view.stretches(kept, place, reviews.file),
            "evidence": evidence_view.listed(kept, place),
            "may": {
                "decide": may and caller.may(Who.HEAD),
                "appeal": may and caller.may(Who.OPERATOR),
                "bookmark": may and caller.may(Who.OPERATOR),
            },
            "read-only": not may,
        }
    )


def _media(pages: Pages, reviews: Reviews, request: Request, caller: Caller) -> Response:
    path, row = reviews.media(request.path_params["key"], request.path_params["evidence"], _role(caller))
    kind = MEDIA.get(path.suffix)
    if kind is None:
        raise MissingError("This evidence is not shown as a file.")
    how = "inline" if kind.startswith(("image/", "video/")) else "attachment"
    return FileResponse(path, media_type=kind, filename=f"{row.id}{path.suffix}", content_disposition_type=how)


def _curves(pages: Pages, reviews: Reviews, request: Request, caller: Caller) -> Response:
    path, row = reviews.media(request.path_params["key"], request.path_params["evidence"], _role(caller))
    if row.kind != "counts":
        raise MissingError("This evidence holds no readings of the totem.")
    times = (_number(request.query_params, key, LARGEST_US) or None for key in ("from", "to"))
    return answer(reviews.curves(path, *times))


# ---- what is decided


def _deciding(work: Callable[[Pages, Reviews, Request, Caller, Mapping[str, Any]], Response]) -> Handler:
    """A handler of something decided: the body is read first."""

    async def handler(pages: Pages, request: Request, caller: Caller) -> Response:
        try:
            said = await body_of(request)
        except BodyError as error:
            return error.response
        if not isinstance(said, dict):
            return PlainTextResponse("Expected a JSON object.", 400)

        def with_body(pages: Pages, reviews: Reviews, request: Request, caller: Caller) -> Response:
            return work(pages, reviews, request, caller, said)

        return await _working(with_body)(pages, request, caller)

    return handler


def _preview(pages: Pages, reviews: Reviews, request: Request, caller: Caller, said: Mapping[str, Any]) -> Response:
    key, place = request.path_params["key"], _place(request)
    kept, found = reviews.preview(key, place, _saying(said), caller.name, _text(said, "reason"))
    return answer(review_view.difference(found, kept, pages.language_of(request)))


def _overturn(pages: Pages, reviews: Reviews, request: Request, caller: Caller, said: Mapping[str, Any]) -> Response:
    key, place = request.path_params["key"], _place(request)
    reason, digest = _text(said, "reason"), _text(said, "digest")
    done = reviews.overturn(key, place, _saying(said), caller.name, reason, digest)
    return answer({"kept": done}, 200 if done else 202)


def _uphold(pages: Pages, reviews: Reviews, request: Request, caller: Caller, said: Mapping[str, Any]) -> Response:
    place, reason = _place(request), _text(said, "reason")
    reviews.keep(request.path_params["key"], lambda kept: review.uphold(kept, place, caller.name, reason))
    return answer({"kept": True})


def _appeal(pages: Pages, reviews: Reviews, request: Request, caller: Caller, said: Mapping[str, Any]) -> Response:
    place, player = _place(request), _text(said, "player")
    reviews.keep(request.path_params["key"], lambda kept: review.appeal(kept, place, player, caller.name))
    return answer({"kept": True})


def _bookmark(pages: Pages, reviews: Reviews, request: Request, caller: Caller, said: Mapping[str, Any]) -> Response:
    place, on = _place(request), said.get("on") is True
    reviews.keep(request.path_params["key"], lambda kept: review.bookmark(kept, place, on, caller.name))
    return answer({"kept": True})


list_games, read_game, read_ruling = _working(_games), _working(_game), _working(_ruling)
media, curves = _working(_media), _working(_curves)
preview, overturn, uphold = _deciding(_preview), _deciding(_overturn), _deciding(_uphold)
appeal, bookmark = _deciding(_appeal), _deciding(_bookmark)


# ---- reading what was asked


def _role(caller: Caller) -> Role:
    return caller.role or Role.VIEWER


def _place(request: Request) -> int:
    said = str(request.path_params["place"])
    if not (said.isascii() and said.isdigit() and len(said) <= 9):
        raise MissingError("There is no such ruling.")
    return int(said)


def _text(said: Mapping[str, Any], key: str) -> str:
    value = said.get(key)
    if not isinstance(value, str):
        raise InputError(f"{key}: expected a text")
    return value


def _saying(said: Mapping[str, Any]) -> Saying:
    do, names, counts, ref = said.get("do"), said.get("names", []), said.get("counts", []), said.get("ref")
    if do not in ("first", "order", "player", "card", "choice", "share", "never"):
        raise InputError("do: expected one of first, order, player, card, choice, share, never")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError("names: expected a list of names")
    if not isinstance(counts, list) or not all(map(_is_whole, counts)):
        raise InputError("counts: expected a list of whole numbers")
    if ref is not None and not _is_whole(ref):
        raise InputError("ref: expected the number of an event")
    return Saying(do, tuple(names), tuple(counts), ref)


def _is_whole(value: Any) -> bool:
    return type(value) is int and abs(value) <= LARGEST_US


def _search(query: Mapping[str, str]) -> Search:
    def word(key: str) -> str | None:
        said = query.get(key, "").strip()
        if len(said) > LONGEST_WORD:
            raise InputError(f"{key}: expected at most {LONGEST_WORD} characters")
        return said or None

    def day(key: str) -> date | None:
        said = word(key)
        try:
            return None if said is None else date.fromisoformat(said)
        except ValueError as error:
            raise InputError(f"{key}: expected a day, as 2026-11-30") from error

    closer_ms = _number(query, "closer", DAY_MS)
    return Search(
        player=word("player"),
        day_from=day("from"),
        day_to=day("to"),
        game=word("game"),
        kind=word("kind"),
        closer_than_us=closer_ms * 1000 or None,
        text=word("text") or "",
    )


def _number(query: Mapping[str, str], key: str, largest: int) -> int:
    said = query.get(key, "").strip() or "0"
    if not (said.isascii() and said.isdigit() and int(said[:17]) <= largest):
        raise InputError(f"{key}: expected a whole number up to {largest}")
    return int(said)
