"""Exhibits: what is kept of a game to show why it was ruled so.

Written rules of this module:
- it is told what came in and what was given, and asks the witness (`referee.evidence`) for the seconds around it;
- what the witness has written is named in the journal at the next datum, all files of a moment in one transaction;
- a card is shown as it was when it was read, however long ago it was turned;
- where somebody's secret lies no picture is kept.
Does not belong here: files, rings, processes (`referee.evidence`), what follows from an event (`referee.rules`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import cv2

from referee.begin import Begun
from referee.deck.folder import Deck, resolve_deck
from referee.doors import Doors
from referee.evidence.crops import Spot
from referee.evidence.files import Item
from referee.evidence.settings import EvidenceSettings
from referee.evidence.windows import CardShown, Mark, Wanted
from referee.evidence.witness import Witness
from referee.journal import entries as kinds
from referee.journal.entries import Entry
from referee.journal.files import EVIDENCE
from referee.ledger import Given, Ledger
from referee.profile import Profile, Rect
from referee.pruning import prune, take_up
from referee.session import Snapshot
from referee.table.calls import Notice
from referee.table.layouts import MEANINGS, layout_of
from referee.totem.scans import ScanBatch
from referee.vision.camera import Frame
from referee.vision.sightings import CardSeen, Sighting
from referee.vision.watcher import Watcher
from referee.words import Event, Ruling

MOST_SEEN = 256  # cards whose sightings are remembered: more than lie face up at any table
MOST_CARDS = 12  # shown with one ruling
CANDIDATES = 2
PICTURE_PX = 200  # the longer side of a deck's picture as it is kept
HIDDEN_MM = 20.0  # about the place of a hidden card, that it may stick out of
TURNED = frozenset(("flip", "turn_up", "play"))
BETWEEN_RIVALS = frozenset(("won", "duel"))  # of any other ruling all cards on the table say why
Record = Callable[[Sequence[Entry]], None]


class Exhibits:
    """A listener and a tap of a session; see the rules of the module."""

    def __init__(
        self,
        settings: EvidenceSettings,
        ledger: Ledger,
        witness: Witness,
        record: Record,
        pictures: Mapping[str, bytes] | None = None,
    ) -> None:
        """`record` keeps entries in the journal, of a running game and of one that has just ended.

        `pictures` are the deck's own, by card (`deck_pictures`).
        """
        self._pictures = pictures or {}
        self._settings, self._ledger, self._witness, self._record = settings, ledger, witness, record
        # Cards that several people turn at once come between the same two frames: their place tells them apart.
        self._seen: OrderedDict[tuple[tuple[int, int], str], CardSeen] = OrderedDict()

    # ---- what came in

    def frame(self, frame: Frame, seen: Sequence[Sighting], watcher: Watcher) -> None:
        """A picture goes to the witness, and where its cards lie."""
        self._witness.frame(frame, watcher.view)
        for sighting in seen:
            if isinstance(sighting, CardSeen):
                self._see(frame, sighting, watcher)
        self._collect()

    def scans(self, batch: ScanBatch) -> None:
        """Scans go to the witness."""
        self._witness.scans(batch)

    def _see(self, frame: Frame, seen: CardSeen, watcher: Watcher) -> None:
        self._seen[seen.between_us, seen.zone] = seen
        while len(self._seen) > MOST_SEEN:
            self._seen.popitem(last=False)
        corners = watcher.corners(seen)
        if corners is not None:
            self._witness.look(Spot(seen.number, frame.t_us, corners))

    # ---- what was given

    def given(self, given: Sequence[Given]) -> None:
        """Ask for the seconds around those that matter."""
        for one in given:
            if one.ruling["ruling"] in self._settings.rulings:
                self._witness.want(self._wanted(one))

    def noticed(self, notice: Notice) -> None:
        """A table that was moved shows less of itself for sure."""
        if notice.kind == "table-moved":
            self._witness.moved(float(notice.about["by_mm"]))

    def stands(self, snapshot: Snapshot) -> None:
        """The clock goes on."""
        self._witness.now(snapshot.t_us)
        self._collect()

    def finish(self) -> None:
        """The game is over: wait for what is still being written and name it in the journal."""
        self._name(self._witness.finish())

    def close(self) -> None:
        """End the witness, whatever it does."""
        self._witness.close()

    def _collect(self) -> None:
        self._name(self._witness.take())

    def _name(self, items: Sequence[Item]) -> None:
        if items:
            self._record([Entry(kinds.EVIDENCE, item.word()) for item in items])

    def _wanted(self, given: Given) -> Wanted:
        ruling, index = given.ruling, given.event
        events = self._ledger.events
        cause = as_it_stands(events, index) if 0 <= index < len(events) else None
        marks = tuple(marks_of(cause, index)) if cause is not None else ()
        marks = marks or (Mark(ruling["t_us"], "call", None, index),)
        cards = self._cards(ruling, index)
        arrivals = tuple(Mark(events[c.event]["t_us"], "arrival", c.player, c.event) for c in cards)
        first_us, last_us = (end(mark.t_us for mark in marks) for end in (min, max))
        before_us, after_us = (round(1e6 * s) for s in (self._settings.before_s, self._settings.after_s))
        # The same card may be what caused the ruling and what it rests on.
        every = tuple(dict.fromkeys((*marks, *arrivals)))
        meant = dict.fromkeys(card for shown in cards for card in shown.candidates)
        pictures = tuple((card, self._pictures[card]) for card in meant if card in self._pictures)
        return Wanted(first_us - before_us, last_us + after_us, (given.place,), every, cards, pictures)

    def _cards(self, ruling: Ruling, index: int) -> tuple[CardShown, ...]:
        """The last card of everybody whose cards the ruling compares, and the last card of all, before its cause."""
        named = set(names_in(ruling) if ruling["ruling"] in BETWEEN_RIVALS else self._ledger.header["players"])
        found: list[CardShown] = []
        last = True
        for place in range(min(index, len(self._ledger.events) - 1), -1, -1):
            event = self._ledger.events[place]
            if event["event"] not in TURNED or not (last or event.get("player") in named):
                continue
            named.discard(str(event.get("player")))
            last = False
            seen = self._seen_of(event)
            if seen is not None:
                player = event.get("player")
                meant = may_be(event) or likeliest(seen.nats)
                found.append(CardShown(seen.number, place, player, seen.zone, str(event["card"]), meant))
            if not named or len(found) == MOST_CARDS:
                break
        return tuple(found)

    def _seen_of(self, event: Event) -> CardSeen | None:
        """The sighting an event came from; None where it is not known, or not known which of several."""
        between = event.get("between")
        if not between:
            return None
        both = [seen for (span, _), seen in self._seen.items() if span == (between[0], between[1])]
        theirs = [seen for seen in both if seen.zone.partition("/")[2] == event.get("player")]
        found = theirs or both
        return found[0] if len(found) == 1 else None


def as_it_stands(events: Sequence[Event], index: int) -> Event:
    """An event as the last correction of it says."""
    for event in reversed(events):
        if event["event"] == "correct" and event.get("ref") == index and isinstance(event.get("with"), Mapping):
            return {"t_us": events[index]["t_us"], **event["with"]}
    return events[index]


def marks_of(event: Event, index: int) -> Iterator[Mark]:
    """The moments of an event that a frame should show."""
    player = event.get("player")
    if event["event"] == "grab":
        for hand in event.get("hands", ()):
            yield Mark(hand["t_us"], "contact", hand["player"], index)
        if (fell := event.get("fell")) is not None:
            yield Mark(fell["t_us"], "fall", fell["player"], index)
    elif event["event"] == "fall":
        yield Mark(event["t_us"], "fall", player, index)
    elif event["event"] in TURNED:
        yield Mark(event["t_us"], "arrival", player, index)
    else:
        yield Mark(event["t_us"], "call", player if isinstance(player, str) else None, index)


def names_in(ruling: Ruling) -> list[str]:
    """Whom a ruling names."""
    found: list[Any] = []
    for key in ("winner", "player", "players", "losers", "candidates"):
        value = ruling.get(key)
        found += value if isinstance(value, list) else [value]
    return [name for name in dict.fromkeys(found) if isinstance(name, str)]


def may_be(event: Event) -> tuple[str, ...]:
    """The cards an event says it may be, the one that was read first; empty where it says nothing but that one."""
    card, others = (
        event.get("card"),
        [*event.get("may_be", ()), *([event["runner_up"]] if "runner_up" in event else [])],
    )
    read = [card] if isinstance(card, str) and card != "?" else []
    return tuple(dict.fromkeys([*read, *others])) if others else ()


def deck_pictures(deck: Deck) -> dict[str, bytes]:
    """Each card as it is in the deck, small, as JPEG; one whose picture cannot be read is left out."""
    found: dict[str, bytes] = {}
    for card in deck.cards:
        picture = cv2.imread(str(card.image), cv2.IMREAD_COLOR)
        if picture is None:
            continue
        scale = PICTURE_PX / max(picture.shape[:2])
        small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else picture
        found[card.id] = cv2.imencode(".jpg", small)[1].tobytes()
    return found


def likeliest(nats: Mapping[str, float]) -> tuple[str, ...]:
    """The cards it may be, likeliest first."""
    return tuple(sorted(nats, key=lambda card: (-nats[card], card))[:CANDIDATES])


def hidden_rects(profile: Profile) -> list[Rect]:
    """Where cards lie that nobody but their owner may see (mm), with a border."""
    if "hidden" not in MEANINGS.get(profile.game, {}).values():
        return []
    layout = layout_of(profile, resolve_deck(profile.deck).card_mm)
    rects = [zone.rect for name, zone in layout.zones.items() if layout.meaning(name) == "hidden"]
    return [(a - HIDDEN_MM, b - HIDDEN_MM, c + HIDDEN_MM, d + HIDDEN_MM) for a, b, c, d in rects]


def begin_exhibits(
    game: Begun, profile: Profile, deck: Deck, settings: EvidenceSettings, doors: Doors, tell: Callable[[str], None]
) -> Exhibits | None:
    """The exhibits of a game that has started; None where none are kept: no journal, or the profile wants nothing.

    Room is made first, by the quota over the games before. `tell` gets sentences for whoever runs the game.
    """
    journal, key = game.journal, game.key
    if journal is None or key is None or settings.keep == "nothing":
        return None
    try:
        for sentence in take_up(journal):
            tell(sentence)
        prune(journal, settings, datetime.now().astimezone(), running=key)
    except OSError as error:
        tell(f"older evidence could not be looked through or removed ({error.strerror or error})")
    rects = [*profile.zones.values(), *(rect for seat in profile.seats for rect in seat.zones.values())]
    witness = Witness(
        journal.folder / EVIDENCE / key,
        settings,
        (doors.camera.width, doors.camera.height),
        rects,
        complete=doors.recorded,
        pad_names=doors.pads,
        hidden=hidden_rects(profile),
        tell=tell,
    )
    pictures = {} if settings.keep == "counts" else deck_pictures(deck)
    return Exhibits(settings, game.ledger, witness, lambda entries: journal.add(key, entries), pictures)
