"""The session on one side, the pages on the other: snapshots go out, the operator's taps come in as calls.

Written rules of this module:
- a page is shown only what may be shown: rulings that are public, the players' names, counts;
- a tap is looked at again before it is followed: what it answers must still be open.
Does not belong here: pages, routes, HTTP (`referee.web`), what a call does (`referee.table`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from referee.corrections import event_at, handle_of
from referee.ledger import OVERTURNED, Given, Ledger, OpenOrder, same_ruling
from referee.offers import Buttons, call_of_say, offers
from referee.record import Step
from referee.session import CAMERA, TOTEM, Session, Snapshot, Source
from referee.table.calls import NO_CARD, Call, Choose, Correct, InOrder, Notice, Recount, Settle, Share
from referee.table.settling import TOPPLER
from referee.table.speed_cards import BELOW, TOO_SOON
from referee.web import desk
from referee.web.board import (
    Board,
    Correctable,
    Offer,
    Phase,
    Question,
    ShownNotice,
    ShownRuling,
    SourceState,
    TableSnapshot,
    facts_of,
    seats_of,
)
from referee.words import Event
from referee.worlds import OPEN

MOST_RULINGS = 12
ASKING = ("undecided", "choice-needed", "share-needed")
WITH_PLAYERS = ("grab", "fall")
SHOWING = ("flip", "play", "turn_up")
ENDS = ("over", "match-won")
CLEARED = ("won", "to-pot", "fault", "game-won")  # after these, cards that lay there have left the table
UNREAD = "?"
IN_ORDER = ("play", "turn_up")  # of these the first one that is open is asked for
PARTNER_WITHIN = 4  # events: what shares a play's `together` key stands so near before it
DRAWN = "drawn"  # why it is undecided: whether somebody had drawn
RECOUNTED = ("reserve", "hand", "draw")
CHOICES = ("take", "challenge")
FINAL_FORCE = "final force"
MOST_NOTICES = 8
SHOWN_NOTICES = ("force-moved", "not-the-forces", "force-not-seen", "not-read", "was-read")


class Pages:
    """Shows a session on a board."""

    def __init__(self, game: str, players: Sequence[str], cards: Sequence[str], ledger: Ledger) -> None:
        """`cards` are the ids of the deck, for a card that could not be read."""
        self._game = game
        self.players = tuple(players)
        self._cards = tuple(dict.fromkeys(cards))
        self._ledger = ledger
        self.buttons = Buttons()
        self.show: Callable[[str, int], object] | None = None  # who hears that a player shows a card under the hood
        self.waiting = False
        self._notices: deque[ShownNotice] = deque(maxlen=MOST_NOTICES)
        self.board = Board(TableSnapshot(game, seats_of(players, ledger.summary()), phase="waiting"))

    def given(self, given: Sequence[Given]) -> None:
        """Nothing: what stands is shown as a whole."""

    def noticed(self, notice: Notice) -> None:
        """Those that the table should hear of are shown for a while; all are on the terminal."""
        if notice.kind in SHOWN_NOTICES:
            self._notices.append(ShownNotice(notice.t_us, notice.kind, dict(notice.about)))

    def stands(self, snapshot: Snapshot) -> None:
        """Show how the game stands."""
        self.board.update(self.shown(snapshot))

    def shown(self, snapshot: Snapshot) -> TableSnapshot:
        """A session's snapshot as a page's."""
        counts, expected = snapshot.counts, snapshot.expected
        over = next((one.ruling for one in reversed(snapshot.standing) if one.ruling["ruling"] in ENDS), None)
        phase: Phase = "waiting" if self.waiting else "over" if over is not None else "playing"
        return TableSnapshot(
            game=self._game,
            seats=seats_of(self.players, counts),
            phase=phase,
            t_us=snapshot.t_us,
            turn=counts.get("turn") or (expected["asked"] if expected["waiting_for"] == "choice" else None),
            waiting_for=expected["waiting_for"],
            waiting_on=tuple(expected.get("may_play", ())),
            colour_mode=counts.get("colour_mode"),
            facts=facts_of(self.players, counts),
            rulings=self._rulings(snapshot.standing),
            question=self.question(),
            correctable=self._correctable(),
            recountable=tuple(key for key in RECOUNTED if isinstance(counts.get(key), dict)),
            camera=_state(snapshot.sources.get(CAMERA)),
            totem=_state(snapshot.sources.get(TOTEM)),
            paused=snapshot.paused and not self.waiting,
            ranking=_ranking(over),
            offers=self._offers(snapshot, phase),
            notices=tuple(self._notices),
        )

    def said(self, say: desk.Say, t_us: int) -> list[Call]:
        """What somebody said, as calls; showing a card under the hood is for the hood alone."""
        if say.call == "show" and self.show is not None:
            self.show(say.player, t_us)
        call = call_of_say(say, t_us)
        return [] if call is None else [call]

    def _offers(self, snapshot: Snapshot, phase: Phase) -> tuple[Offer, ...]:
        """What may be said now."""
        if phase != "playing" or snapshot.paused:
            return ()
        return offers(
            self._game, self.players, snapshot.expected, snapshot.counts, self._ledger.events, self.show is not None
        )

    def _rulings(self, standing: Sequence[Given]) -> tuple[ShownRuling, ...]:
        """The last rulings, and which of them were overturned; what came out the same again is shown once."""
        stands = {one.place: one.ruling for one in standing}
        shown: list[ShownRuling] = []
        for place in range(self._ledger.count - 1, -1, -1):
            ruling = self._ledger.given[place]
            if ruling["ruling"] == OVERTURNED or not ruling["public"]:
                continue
            void = place not in stands
            if not (void and any(same_ruling(ruling, other) for other in stands.values())):
                shown.append(ShownRuling(place, ruling, void))
            if len(shown) == MOST_RULINGS:
                break
        return tuple(sorted(shown, key=lambda one: (one.ruling["t_us"], one.place)))

    def question(self) -> Question | None:
        """What a person must say now: the last undecided thing that nothing has settled since."""
        asked = self.asked()
        if asked is None:
            return None
        ruling = asked.ruling
        if ruling["ruling"] != "undecided":
            return Question(asked.place, ruling)
        if (order := self.order(asked)) is not None:
            card = str(order.flip.event["card"])
            # What follows from it may be ruled much later: it is that touch that is asked about.
            asks = {**ruling, "t_us": order.grab.event["t_us"]}
            return Question(asked.place, asks, (card,), card=card, lay=order.flip.event["player"])
        event = self._event(asked)
        if event is not None and event["event"] == "flip":
            first_us, last_us = event.get("between", (event["t_us"], event["t_us"]))
            cards = tuple(event.get("may_be", self._cards))
            return Question(asked.place, ruling, cards, between_us=(first_us, last_us))
        if event is not None and event["event"] == "turn_up" and ruling["why"] == "unreadable":
            # It is the card below that is asked for: what was laid on it has been read.
            t_us, asks = event["t_us"], {**ruling, "candidates": [event["player"]]}
            return Question(asked.place, asks, tuple(event.get("may_be", self._cards)), between_us=(t_us, t_us))
        if event is not None and event["event"] in SHOWING and "card" in event and ruling["why"] == "unreadable":
            cards, under = tuple(event.get("may_be", self._cards)), event.get("under")
            return Question(asked.place, ruling, cards, under=under, between_us=_between(event), pile=_pile(event))
        if event is not None and event["event"] == "play" and "cards" in event and ruling["why"] == "unreadable":
            place = event["cards"].index(UNREAD)
            may_be = event.get("may_be", ())[place : place + 1]
            return Question(asked.place, {**ruling, "place": place}, tuple(*may_be) or self._cards)
        if event is not None and event["event"] in CHOICES:
            return self._open_choice(asked, event)
        who = ruling["candidates"] or list(self.players)
        others = self.players if event is None or event["event"] in WITH_PLAYERS else ()
        about = None if event is None else event.get("card")
        under = None if event is None else event.get("under")
        claims = event is not None and event["event"] == "blocked"
        soon = event is not None and TOO_SOON in event.get("doubt", ())
        asks = {**ruling, "candidates": who}
        return Question(
            asked.place,
            asks,
            others=others,
            fell=is_fall(event),
            card=about,
            soon=soon,
            under=under,
            between_us=_between(event),
            claims=claims,
            pile=None if event is None or ruling["why"] == "order" else _pile(event),
        )

    def _open_choice(self, asked: Given, event: Event) -> Question:
        """A take or challenge of Jungle Bluff that the evidence leaves open, or the game's end."""
        ruling = asked.ruling
        if ruling["why"] == FINAL_FORCE or (event["event"] == "take" and event["card"] == UNREAD):
            return Question(asked.place, ruling, self._cards)
        if event["event"] == "challenge":
            return Question(asked.place, ruling, holds=True)
        return Question(asked.place, {**ruling, "candidates": ruling["candidates"] or list(self.players)})

    def asked(self) -> Given | None:
        """The ruling that asks a person something and still stands open.

        The latest first; what was never answered is asked for as long as it stands. Where something is open because a
        card was not read, that card is asked first, as long as it lies there: with it the rest may be clear.
        """
        expected = self._ledger.expected()
        waiting: Given | None = None
        swept = False
        for one in reversed(self._ledger.standing):
            kind = one.ruling["ruling"]
            swept = swept or kind in CLEARED
            if kind == "undecided" and one.ruling["why"] == OPEN:
                if waiting is None and self.order(one) is not None:
                    waiting = one
                continue  # it waits for something before it, and that is asked
            if kind == "undecided":
                event = self._event(one)
                if event is not None and event["event"] in IN_ORDER:
                    # What lies on a card that is open comes clear with it: the lowest one is asked for.
                    if BELOW not in event.get("doubt", ()) and not swept:
                        waiting = one
                elif event is not None and event["event"] == "flip":
                    if event["card"] == UNREAD and not (swept and self._has_left(event)):
                        return one if waiting is None or waiting.ruling["why"] == "unreadable" else waiting
                elif one.ruling["why"] != "unreadable":
                    return waiting or one
                else:
                    waiting = waiting or one
            elif kind in ASKING and expected["asked"] == one.ruling.get("player"):
                return waiting or one
        return waiting

    def order(self, asked: Given) -> OpenOrder | None:
        """The touch whose order to a card keeps this ruling open; None where that is not why."""
        rests_on = asked.ruling.get("rests_on", ()) if asked.ruling.get("why") == OPEN else ()
        return self._ledger.open_order(rests_on) if rests_on else None

    def _has_left(self, flip: Event) -> bool:
        """Whether a card that was not read has left the table."""
        lying = self._ledger.lying()
        return lying is None or UNREAD not in lying["face_up"].get(flip["player"], ())

    def handle(self, given: Given) -> int | None:
        """What a correction names to change the event that caused a ruling: its index, or that of its insertion."""
        handle = handle_of(self._ledger.events, given.event, given.ruling["t_us"])
        if handle is None:
            return None
        handle = self._one_of_two(handle, given.ruling["t_us"])
        return self._unread_below(handle) if given.ruling.get("why") == "unreadable" else handle

    def handle_of(self, step: Step) -> int | None:
        """What a correction names to change what a step of the record says."""
        return handle_of(self._ledger.events, step.place, step.event["t_us"])

    def _one_of_two(self, handle: int, t_us: int) -> int:
        """A card whose partner may follow is ruled with the event after it: the one of the ruling's moment is meant."""
        event = self.shown_event(handle)
        if event is None or event["t_us"] == t_us:
            return handle
        for place in range(handle - 1, max(handle - PARTNER_WITHIN, -1), -1):
            other = self.shown_event(place)
            if other is not None and "together" in other and other["t_us"] == t_us:
                return place
        return handle

    def _unread_below(self, handle: int) -> int:
        """A card that was read and lies on a turned-up one that was not: it is that one that is asked for."""
        event = self.shown_event(handle)
        if event is None or event["event"] != "play" or event.get("card", UNREAD) == UNREAD:
            return handle
        for place in range(handle - 1, -1, -1):
            below = self.shown_event(place)
            turned = below is not None and below["event"] == "turn_up" and below["card"] == UNREAD
            if turned and below is not None and self.players.index(below["player"]) + 1 == event["pile"]:
                return place
        return handle

    def _event(self, given: Given) -> Event | None:
        handle = self.handle(given)
        return None if handle is None else self.shown_event(handle)

    def shown_event(self, handle: int) -> Event | None:
        """The event that stands at a handle, corrections applied; None where nothing does."""
        return event_at(self._ledger.events, handle)

    def _correctable(self) -> Correctable | None:
        for one in reversed(self._ledger.standing):
            event, handle = self._event(one), self.handle(one)
            if event is None or handle is None or event["event"] not in (*SHOWING, *WITH_PLAYERS):
                continue
            if event["event"] in SHOWING:
                return Correctable(handle, event, "card", tuple(event.get("may_be", self._cards)))
            return Correctable(handle, event, "who", self.players)
        return None


def _pile(event: Event) -> int | None:
    """The central pile of Speed that a card was laid on."""
    return int(event["pile"]) if event["event"] == "play" and "card" in event and "pile" in event else None


def _between(event: Event | None) -> tuple[int, int] | None:
    """When a card was laid that may lie under another one."""
    if event is None or "under" not in event:
        return None
    first_us, last_us = event["between"]
    return first_us, last_us


def is_fall(event: Event | None) -> bool:
    """Whether it is open who knocked the totem over: then nobody may have, and it fell all the same."""
    return event is not None and (event["event"] == "fall" or TOPPLER in event.get("doubt", ()))


def _has_another(event: Event | None) -> bool:
    """Whether a play of two cards is asked about, one of which is known: it stands without the other."""
    cards = [] if event is None or event["event"] != "play" or event["player"] is None else event.get("cards", [])
    return len(cards) == 2 and any(card != UNREAD for card in cards)


def calls_of(command: desk.Command, pages: Pages, t_us: int) -> list[Call]:
    """What an operator's tap asks of the table; empty where it answers what is open no longer."""
    match command:
        case desk.Settle() | desk.Choose() | desk.Share():
            asked = pages.asked()
            if asked is None or asked.place != command.question:
                return []
            return _answer(command, asked, pages, t_us)
        case desk.Correct():
            event = pages.shown_event(command.ref)
            if event is None:
                return []
            if command.choice is None:
                return [Correct(t_us, "it never happened", None, ref=command.ref)]
            if event["event"] in SHOWING:
                return [Settle(t_us, command.ref, card=command.choice)]
            return [Settle(t_us, command.ref, player=command.choice)]
        case desk.Overturn():
            if pages.shown_event(command.ref) is None:
                return []
            return [Correct(t_us, command.reason, command.event, ref=command.ref, by=command.by)]
        case desk.Say():
            return pages.said(command, t_us)
        case desk.Recount():
            counts = dict(command.counts)
            match command.pile:
                case "reserve":
                    return [Recount(t_us, counts)]
                case "hand":
                    return [Recount(t_us, hand=counts)]
                case "draw":
                    return [Recount(t_us, draw=counts)]
                case _:
                    return []
        case _:
            return []


def _answer(command: Any, asked: Given, pages: Pages, t_us: int) -> list[Call]:
    match command:
        case desk.Choose():
            return [Choose(t_us, asked.ruling["player"], "arrow" if command.choice == "arrow" else "duel")]
        case desk.Share():
            return [Share(t_us, asked.ruling["player"], dict(command.shares))]
        case _:
            if (order := pages.order(asked)) is not None:
                return _in_order(order, command.answer is not None, pages, t_us)
            handle = pages.handle(asked)
            if handle is None:
                return []
            if asked.ruling["why"] == DRAWN:
                return [Settle(t_us, handle, player=command.answer)]
            if asked.ruling["why"] == FINAL_FORCE:
                first = asked.ruling["candidates"][0]
                return [] if command.answer is None else [Settle(t_us, handle, player=first, card=command.answer)]
            if command.answer is None and _has_another(pages.shown_event(handle)):
                return [Settle(t_us, handle, card=NO_CARD)]
            if command.answer is None and not is_fall(pages.shown_event(handle)):
                return [Correct(t_us, "nothing happened", None, ref=handle)]
            if asked.ruling["why"] == "unreadable" and command.answer not in pages.players:
                return [Settle(t_us, handle, card=command.answer)]
            return [Settle(t_us, handle, player=command.answer, others=command.others)]


def _in_order(order: OpenOrder, lay: bool, pages: Pages, t_us: int) -> list[Call]:
    grab, flip = pages.handle_of(order.grab), pages.handle_of(order.flip)
    if grab is None or flip is None:
        return []
    return [InOrder(t_us, grab, flip, lay, moved=lay != order.card_first)]


def follow(command: desk.Command, session: Session, pages: Pages, now_us: int, end: Callable[[], None]) -> None:
    """Do what the operator asks."""
    match command:
        case desk.Pause():
            session.pause(True, now_us)
        case desk.Resume():
            session.pause(False, now_us)
        case desk.Start():
            pages.waiting = False
            session.pause(False, now_us)
        case desk.End():
            end()
        case _:
            for call in calls_of(command, pages, now_us):
                session.call(call)


def pressed(player: str, pages: Pages, t_us: int) -> list[Call]:
    """What a seat button says: "it was me", when it is asked who was first and this player may have been; else what the
    player may say in the game."""
    asked = pages.asked()
    if asked is None or asked.ruling["ruling"] != "undecided" or asked.ruling["why"] in ("unreadable", OPEN):
        said = pages.buttons.pressed(player, pages.board.current()[1].offers, t_us)
        return [] if said is None else pages.said(said, t_us)
    handle, candidates = pages.handle(asked), asked.ruling["candidates"]
    may_be = not candidates or player in candidates
    return [Settle(t_us, handle, player=player)] if may_be and handle is not None else []


def _state(source: Source | None) -> SourceState | None:
    return None if source is None else SourceState(source.freshness, source.age_us, source.problem)


def _ranking(over: dict[str, Any] | None) -> tuple[tuple[str, ...], ...]:
    ranking = [] if over is None else over.get("ranking", [])
    return tuple(tuple(place) if isinstance(place, list) else (place,) for place in ranking)
