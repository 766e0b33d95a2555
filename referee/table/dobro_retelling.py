"""Dobro: what is told again: cards read late, draws in doubt, and what people settle.

Belongs here: `correct` events for what stands in the record already, and whether a play stands that nobody can rule on.
Does not belong here: events that leave for the first time (`dobro_table`).

Written rules: a person's word is the last one; of two sure readings of one card neither is believed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from referee.table.calls import NO_CARD, Correct, Notice, Settle
from referee.table.dobro_gestures import PAIR_US, Relation, relation
from referee.table.dobro_items import DoubtfulDraw, PlayItem
from referee.table.presence import Visits
from referee.table.told import Told
from referee.table.waiting import LaidCard
from referee.vision.sightings import UNREADABLE
from referee.words import Event

MOST_KEPT = 200
ValueSaid = Callable[[PlayItem, str | None, int], int | None]
"""What a player said of the jokers of a play, after a moment."""


class Retelling:
    """The released plays and draws that may have to be told again."""

    def __init__(self, told: Told, notice: Callable[[Notice], None], value_said: ValueSaid) -> None:
        self._told = told
        self._value_said = value_said
        self._notice = notice
        self._plays: deque[PlayItem] = deque(maxlen=MOST_KEPT)
        self._draws: deque[DoubtfulDraw] = deque(maxlen=MOST_KEPT)
        self._clearer: list[LaidCard] = []
        self._apart: list[LaidCard] = []

    def told(self, item: PlayItem, event: Event, handle: int) -> None:
        """A play was told."""
        item.told, item.handle = event, handle
        self._plays.append(item)

    def drew(self, event: Event, handle: int) -> None:
        """A draw was told; one between counts may be settled later."""
        if isinstance(event["count"], list):
            self._draws.append(DoubtfulDraw(event["player"], handle, event))

    def drew_after_all(self, events: Sequence[Event]) -> None:
        """These draws, just told, ended visits of which it was told before that somebody may have drawn."""
        for place, event in enumerate(events):
            hint = next((one for one in self._draws if one.player == event["player"] and one.event is not event), None)
            if hint is not None:
                hint.ended = self._told.count - len(events) + place

    def is_open(self) -> bool:
        """Whether the last play stands undecided: what comes after it cannot be ruled yet."""
        return any(item.is_undecided and not item.settled for item in list(self._plays)[-2:])

    def found(self, card: LaidCard) -> bool:
        """Whether this is the card of a play that was told without its card ever having been seen."""
        first_us, last_us = card.seen.between_us
        for item in self._plays:
            hand = item.hand
            if hand is None or item.cards or item.settled or not item.is_undecided:
                continue
            if first_us <= hand.last_us and last_us >= hand.first_us:
                item.cards, item.hand = [card], None
                self.clearer(card)
                return True
        return False

    def clearer(self, card: LaidCard) -> None:
        """The camera has spoken of a card again."""
        if card not in self._clearer:
            self._clearer.append(card)

    def due(self, now_us: int) -> list[Event]:
        """The corrections that later frames ask for."""
        events: list[Event] = []
        for card in self._clearer:
            item = next((one for one in self._plays if card in one.cards), None)
            if item is not None and not item.settled:
                events += self._again(item, now_us)
        self._clearer.clear()
        return events

    def _again(self, item: PlayItem, now_us: int) -> list[Event]:
        told, names = item.told, item.names()
        if told is None or item.handle is None or told["cards"] == names:
            return []
        before = told["cards"]
        if any(old not in (UNREADABLE, new) for old, new in zip(before, names, strict=True)):
            if all(new in (UNREADABLE, old) for old, new in zip(before, names, strict=True)):
                return []  # what was read once stays read
            both = sorted({*before, *names} - {UNREADABLE})
            self._notice(Notice(now_us, "two-readings", {"cards": both}))
            item.settled = True  # by a person, from here on
            unknown = {**item.event(told["player"]), "cards": [UNREADABLE] * len(names), "may_be": [both] * len(names)}
            item.told = unknown
            return [self._told.correct(item.handle, unknown, "camera", "read as two cards", now_us)]
        item.told = item.event(told["player"])
        return [self._told.correct(item.handle, item.told, "camera", "read late", now_us)]

    def completed(self, item: PlayItem, laying: Visits, now_us: int) -> list[Event]:
        """The correction of a card that was told alone, where the one laid with it, on the auction's other place, was
        seen only after that."""
        other = self._plays[-1] if self._plays else None
        if other is None or other.handle is None or other.told is None or other.settled or other.is_undecided:
            return []
        if len(other.cards) != 1 or len(item.cards) != 1 or other.cards[0].seen.zone == item.cards[0].seen.zone:
            return []
        if abs(item.t_us - other.t_us) > PAIR_US:
            return []
        first, second = sorted((other, item), key=lambda one: one.t_us)
        found = relation(first, second, laying)
        if found is Relation.APART:
            return []
        other.take_in(item.cards, is_open=found is Relation.OPEN)
        if other.value is None:  # the one seen late may be a joker
            other.value = self._value_said(other, other.told["player"], other.since_us)
        other.told = other.event(other.told["player"])
        return [self._told.correct(other.handle, other.told, "camera", "laid together", now_us)]

    def apart(self) -> list[LaidCard]:
        """The cards that were laid alone, as a person says, and are yet to be told; each once."""
        found, self._apart = self._apart, []
        return found

    # ---- what people say

    def answer(self, call: Settle | Correct) -> list[Event]:
        """The correction a person asks for."""
        if isinstance(call, Correct):
            event = call.recorded()
            self._told.append(event)
            self._leave_alone(call.ref)
            return [event]
        stands = self._told.at(call.index)
        if stands is None:
            self._notice(Notice(call.t_us, "nothing-to-settle", {"index": call.index}))
            return []
        if stands["event"] == "play" and (
            call.card is not None or UNREADABLE in stands["cards"] or not stands["player"]
        ):
            return self._settle_play(call, stands)
        return self._settle_draw(call, stands)

    def _settle_play(self, call: Settle, stands: Event) -> list[Event]:
        right = {**stands}
        if call.player is not None:
            right["player"] = call.player
        item = next((one for one in self._plays if one.handle == call.index), None)
        if call.card is not None:
            cards = list(stands["cards"])
            place = cards.index(UNREADABLE) if UNREADABLE in cards else 0
            cards[place : place + 1] = [] if call.card == NO_CARD else [call.card]
            right["cards"] = cards
            if call.card == NO_CARD and item is not None:
                self._part(item, place)
        if item is not None and item.value is None:
            # Nobody knew whose word counted for the joker.
            item.value = self._value_said(item, right["player"], item.since_us)
            right |= {} if item.value is None else {"value": item.value}
        if UNREADABLE not in right["cards"] and right["player"] is not None:
            right.pop("may_be", None)
            self._leave_alone(call.index)
        if item is not None:
            item.told = right
        return [self._told.correct(call.index, right, "operator", "settled", call.t_us)]

    def _part(self, item: PlayItem, place: int) -> None:
        """One of two cards was not laid with the other: nobody had seen it, or it is a play of its own."""
        item.open_pair = False
        if item.hand is not None:
            item.hand = None
        else:
            self._apart.append(item.cards.pop(place))

    def _settle_draw(self, call: Settle, stands: Event) -> list[Event]:
        """Whether somebody had drawn, since they last laid cards: `player` had not, None: they had."""
        about = stands["on"] if stands["event"] == "call" else call.player
        found = [one for one in self._draws if about in (None, one.player) and self._is_since(one, stands["t_us"])]
        most = max(found, key=lambda one: int(one.event["count"][1]), default=None)
        events = []
        for one in found:
            self._draws.remove(one)
            fewest, all_of_them = one.event["count"]
            # They had drawn: what was missing, and once.
            count = fewest if call.player is not None else all_of_them if one is most else 0
            right = {**one.event, "count": count} if count else None
            events.append(self._told.correct(one.handle, right, "operator", "settled", call.t_us))
            if one.ended is not None and call.player is None:
                # It was drawn by then: the end of the same visit is no second draw.
                events.append(self._told.correct(one.ended, None, "operator", "settled", call.t_us))
        return events

    def _is_since(self, draw: DoubtfulDraw, until_us: int) -> bool:
        """Whether a draw stands between a player's last play and a moment."""
        plays = [item.t_us for item in self._plays if item.told is not None and item.told["player"] == draw.player]
        last_us = max((t_us for t_us in plays if t_us < until_us), default=0)
        return last_us <= int(draw.event["t_us"]) <= until_us

    def _leave_alone(self, handle: int | None) -> None:
        """A person has spoken on an event: the camera does not speak on it any more."""
        for item in self._plays:
            if item.handle == handle:
                item.settled = True
