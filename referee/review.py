"""A kept game looked at again: what a correction would change, and what is kept of a review.

Belongs here: the difference before it is confirmed, and the entries that uphold, overturn, appeal or bookmark.
Does not belong here: pages, accounts (`referee.web`), writing (`referee.journal.store`), the rules.

Written rules:
- a ruling stands unless the evidence is clear: nothing is changed without a reason in words and the name of who gave
  it, and both are kept;
- the game is worked out again by the same ledger that judged it, so what is kept is what a game that is running
  would have kept;
- nothing is edited: what no longer stands is named by an `overturned` ruling and stays.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.corrections import WITH_A_CARD, Choices, Saying, choices, event_at, handle_of, said_of
from referee.decision import decisions
from referee.errors import InputError, ProfileError
from referee.journal import entries as kinds
from referee.journal.derived import INTERRUPTED
from referee.journal.entries import Entry
from referee.journal.reading import KeptGame
from referee.ledger import OVERTURNED, Given, Ledger, same_ruling
from referee.record import to_line
from referee.review_settings import read_review
from referee.words import Event, Ruling

LONGEST_REASON = 500


class ReviewError(InputError):
    """What was asked cannot be done with this ruling; the message is for whoever asked."""


@dataclass(frozen=True)
class Difference:
    """What a correction changes: rulings that stand no more, those that stand instead, counts before and after.

    `owed`: the game would come out differently even without the correction (another version of the rules, or rulings
    that a power cut left out); that is in the difference too.
    """

    void: tuple[Given, ...]
    new: tuple[Given, ...]
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    owed: bool
    words: tuple[Event | Ruling, ...]
    given: tuple[Given, ...]

    @property
    def digest(self) -> str:
        """Tells this difference from another: what was confirmed is what is kept."""
        said = b"".join(to_line(one.ruling) for part in (self.void, self.new) for one in part)
        return hashlib.sha256(said).hexdigest()


def causes(kept: KeptGame) -> dict[int, int]:
    """For each standing ruling (by place) the index of the event that caused it; the deciding event where it is known.

    For a ruling that no longer stands: the event after which it was given.
    """
    found = {one.place: one.event for one in kept.rulings}
    ledger = _ledger(kept)
    ledger.catch_up()
    return found | {one.place: one.event for one in ledger.standing if one.place in found}


def choices_of(kept: KeptGame, place: int) -> Choices | None:
    """What may be said of the event that a ruling came from; None where there is nothing to say."""
    ruling = ruling_at(kept, place)
    handle = handle_of(kept.events, causes(kept)[place], ruling["t_us"])
    return None if handle is None else _choices_at(kept, handle)


def other_choices(kept: KeptGame, place: int) -> list[Choices]:
    """What may be said of the other events a ruling rests on: the cards and hands its decision record lists.

    Of a choice or a share also the scramble before it.
    """
    own = choices_of(kept, place)
    at = causes(kept)[place]
    wanted = {
        (word.get("what"), word.get("player"), word.get("t_us"))
        for word in kept.decisions.get(place, {}).get("inputs", ())
    }
    found: dict[int, Choices] = {}
    for index in range(min(at, len(kept.events) - 1), -1, -1):
        event = kept.events[index]
        if own is not None and own.event["event"] in ("choose", "share") and event["event"] == "grab":
            if not any(one.event["event"] == "grab" for one in found.values()):
                found |= _at(kept, index)
        elif event["event"] in WITH_A_CARD:
            now = event_at(kept.events, index) or event
            if any((now["event"], now.get("player"), one.get("t_us", event["t_us"])) in wanted for one in (now, event)):
                found |= _at(kept, index)
    return [one for handle, one in sorted(found.items()) if own is None or handle != own.ref]


def _at(kept: KeptGame, handle: int) -> dict[int, Choices]:
    found = _choices_at(kept, handle)
    return {} if found is None else {handle: found}


def _choices_at(kept: KeptGame, handle: int) -> Choices | None:
    event = event_at(kept.events, handle)
    losers: Sequence[str] = ()
    if event is not None and event["event"] == "share":
        asked = [
            one.ruling["losers"]
            for one in kept.rulings
            if one.event < handle and one.ruling["ruling"] == "share-needed" and one.ruling["player"] == event["player"]
        ]
        losers = asked[-1] if asked else ()
    return choices(kept.header, kept.events, handle, deck_of(kept), losers)


def cause(kept: KeptGame, place: int) -> Event | None:
    """The event that a ruling came from as it counts now; None where nothing stands there."""
    handle = handle_of(kept.events, causes(kept)[place], ruling_at(kept, place)["t_us"])
    return None if handle is None else event_at(kept.events, handle)


def counts(kept: KeptGame) -> dict[str, Any]:
    """The counts as the game stands."""
    return _ledger(kept).summary()


def deck_of(kept: KeptGame) -> tuple[str, ...]:
    """The ids of the game's cards: the deck's if it was kept, else those that were seen."""
    for settings in kept.settings:
        if settings.get("deck"):
            return tuple(settings["deck"])
    return tuple(sorted({event["card"] for event in kept.events if isinstance(event.get("card"), str)} - {"?", "back"}))


def ruling_at(kept: KeptGame, place: int) -> Ruling:
    """The ruling at a place; raises `ReviewError` where there is none."""
    if not 0 <= place < len(kept.rulings):
        raise ReviewError(f"there is no ruling {place} in this game")
    return kept.rulings[place].ruling


def is_given_again(kept: KeptGame, place: int) -> bool:
    """Whether a ruling was worked out again and came out the same: then it is shown once, where it stands."""
    own = kept.rulings[place]
    if own.stands or own.ruling["ruling"] == OVERTURNED:
        return False
    return any(one.stands and same_ruling(one.ruling, own.ruling) for one in kept.rulings)


def correction(kept: KeptGame, place: int, saying: Saying, by: str, reason: str) -> Event:
    """The `correct` event of what a person says; raises `ReviewError` for what cannot be said."""
    reason = _reason(reason)
    _standing(kept, place)
    offered = choices_of(kept, place)
    if saying.ref is not None and (offered is None or saying.ref != offered.ref):
        offered = next((one for one in other_choices(kept, place) if one.ref == saying.ref), None)
        if offered is None:
            raise ReviewError(f"this ruling does not rest on event {saying.ref}")
    if offered is None:
        raise ReviewError("nothing stands any more that this ruling came from")
    try:
        right = said_of(offered, saying, kept.header)
    except InputError as error:
        raise ReviewError(str(error)) from error
    t_us = max(event["t_us"] for event in kept.events)
    return {"t_us": t_us, "event": "correct", "ref": offered.ref, "by": by, "reason": reason, "with": right}


def preview(kept: KeptGame, correct: Event) -> Difference:
    """What a correction would change; raises `ReviewError` when it cannot be applied."""
    ledger = _ledger(kept)
    before = ledger.summary()
    owed = ledger.catch_up()
    given = ledger.add(correct)
    if any(one.ruling["ruling"] == "rejected" and one.ruling.get("event") == len(kept.events) for one in given):
        raise ReviewError("this correction cannot be applied to the game")
    void: list[Given] = []
    new: list[Given] = []
    for one in [*owed, *given]:
        if one.ruling["ruling"] == OVERTURNED:
            void += [Given(place, ledger.given[place]) for place in one.ruling["refs"]]
        else:
            new.append(one)
    for old in [*void]:
        again = next((one for one in new if one.place == old.place or same_ruling(one.ruling, old.ruling)), None)
        if again is not None:  # came out the same, or was given and taken back in one go
            void.remove(old)
            new.remove(again)
    words = (*(one.ruling for one in owed), correct, *(one.ruling for one in given))
    return Difference(tuple(void), tuple(new), before, ledger.summary(), bool(owed), words, (*owed, *given))


def overturn(kept: KeptGame, difference: Difference) -> list[Entry]:
    """The entries of an ended game's correction: the event, what it makes void, what stands instead and on what."""
    found = [Entry(kinds.RULING if "ruling" in word else kinds.EVENT, word) for word in difference.words]
    events = [*kept.judged, *(word for word in difference.words if "ruling" not in word)]
    records = decisions(kept.header, events, difference.given, _touches(kept))
    return [*found, *(Entry(kinds.DECISION, word) for word in records), *_still_interrupted(kept)]


def _touches(kept: KeptGame) -> str:
    """What felt the scrambles of this game: `totem`, or `camera` for a plain wooden one."""
    every = (one for record in kept.decisions.values() for one in record.get("inputs", ()))
    return "camera" if any(one.get("what") == "hand" and one.get("source") == "camera" for one in every) else "totem"


def uphold(kept: KeptGame, place: int, by: str, reason: str) -> list[Entry]:
    """A ruling was looked at again and stands."""
    _standing(kept, place)
    return [Entry(kinds.UPHELD, {"place": place, "by": by, "reason": _reason(reason)})]


def appeals_allowed(kept: KeptGame) -> int:
    """How many appeals each player has in this game, by the profile kept with it; 0 where that has none."""
    for settings in kept.settings:
        try:
            return read_review(tomllib.loads(settings.get("profile") or "").get("review"), "profile").appeals
        except (tomllib.TOMLDecodeError, ProfileError):
            continue
    return 0


def appeals_left(kept: KeptGame) -> dict[str, int]:
    """How many appeals each player still has; one that was right costs none."""
    left = dict.fromkeys(kept.header["players"], appeals_allowed(kept))
    for appeal in kept.appeals:
        if kept.rulings[appeal["place"]].stands:
            left[appeal["player"]] = left.get(appeal["player"], 0) - 1
    return left


def appeal(kept: KeptGame, place: int, player: str, by: str) -> list[Entry]:
    """A player asks that a ruling be looked at again; raises `ReviewError` when there is no appeal left."""
    _standing(kept, place)
    left = appeals_left(kept)
    if player not in left:
        raise ReviewError(f"{player} is not among the players")
    if left[player] <= 0:
        raise ReviewError(f"{player} has no appeal left")
    if any(said["place"] == place for said in kept.upheld):
        raise ReviewError("this ruling was looked at again already, and stands")
    if any(said["place"] == place for said in kept.appeals):
        raise ReviewError("this ruling is under appeal already")
    return [Entry(kinds.APPEAL, {"place": place, "player": player, "by": by})]


def bookmark(kept: KeptGame, place: int, on: bool, by: str) -> list[Entry]:
    """Mark a ruling to be found again, or not any more; its evidence is pinned for as long as one mark needs it."""
    ruling_at(kept, place)
    marked = bookmarks(kept)
    if (place in marked) is on:
        return []
    wanted = marked | {place} if on else marked - {place}
    found = [Entry(kinds.NOTE, {"place": place, "bookmark": on, "by": by})]
    for row in kept.evidence:
        if place in row.places and row.gone is None and row.pinned is not bool(wanted & set(row.places)):
            found.append(Entry(kinds.UNPIN if row.pinned else kinds.PIN, {"id": row.id}))
    return found


def bookmarks(kept: KeptGame) -> frozenset[int]:
    """The places of rulings that are marked."""
    marked: set[int] = set()
    for note in kept.notes:
        if "bookmark" in note:
            (marked.add if note["bookmark"] else marked.discard)(note["place"])
    return frozenset(marked)


def _ledger(kept: KeptGame) -> Ledger:
    return Ledger(kept.header, kept.judged, [dict(one.ruling) for one in kept.rulings])


def _standing(kept: KeptGame, place: int) -> None:
    ruling_at(kept, place)
    if not kept.rulings[place].stands:
        raise ReviewError("this ruling stands no more")


def _reason(reason: str) -> str:
    said = " ".join(reason.split())
    if not said:
        raise ReviewError("a reason is needed")
    if len(said) > LONGEST_REASON or not said.isprintable():
        raise ReviewError(f"reason: expected at most {LONGEST_REASON} printable characters")
    return said


def _still_interrupted(kept: KeptGame) -> Sequence[Entry]:
    """A game that was cut off stays so: correcting it is not going on with it."""
    return [Entry(kinds.INTERRUPTED, {"why": "corrected"})] if kept.row.state == INTERRUPTED else []
