"""What is told again: cards read late, scrambles felt on, and what people settle.

Belongs here: `correct` events for what stands in the record already. Does not belong here: events that leave for the
first time (`fusion`).

Written rules: a person's word is the last one; of two sure readings of one card neither is believed; what was ruled on
a doubt is told again when the doubt is gone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from referee.races import ARRIVAL, IN_ORDER
from referee.table.calls import Correct, InOrder, Notice, Settle
from referee.table.hands_said import may_be_there, speaks_against
from referee.table.late import says_the_same
from referee.table.layouts import Layout
from referee.table.settings import FusionSettings
from referee.table.settling import settled
from referee.table.sight import Sight
from referee.table.sweeps import PickUp
from referee.table.told import Told
from referee.table.touches import Touches
from referee.table.waiting import FlipItem, GrabItem
from referee.table.watermarks import START_US, Watermarks
from referee.vision.sightings import UNREADABLE
from referee.words import Event

PASSING = frozenset(("camera", "hidden"))
"""The doubts that later frames may remove."""

MOST_GRABS = 30
# Nobody takes a pile for a touch of the totem sooner than this after it: what is taken before was owed already.
SOONEST_PICK_UP_US = 400_000


class Retelling:
    """The released cards and scrambles that may have to be told again."""

    def __init__(
        self,
        told: Told,
        sight: Sight,
        touches: Touches,
        marks: Watermarks,
        settings: FusionSettings,
        notice: Callable[[Notice], None],
    ) -> None:
        self.grabs: deque[GrabItem] = deque(maxlen=MOST_GRABS)
        self._clearer: list[FlipItem] = []
        self._since_us = START_US
        self._told = told
        self._sight = sight
        self._touches = touches
        self._marks = marks
        self._settings = settings
        self._notice = notice

    def is_unsettled(self) -> bool:
        """Whether it may be open who has to pick up: a card nobody could read, hands that leave it open."""
        unread = any(
            card.said == UNREADABLE and card.handle is not None and not card.settled
            for card in self._sight.cards.values()
        )
        return unread or (bool(self.grabs) and self.grabs[-1].open and not self.grabs[-1].settled)

    def play_went_on(self, t_us: int) -> None:
        """A card was turned or the totem fell: what is picked up later has another reason than the last scramble."""
        self._since_us = max(self._since_us, t_us)

    def arrived(self, card: FlipItem) -> None:
        """A card was told; if it arrived for long it may open the order of touches that were told."""
        self.play_went_on(card.t_us)
        first_us, last_us = card.seen.between_us
        for grab in self.grabs:
            if first_us < grab.t_us < last_us:
                grab.again = True

    def clearer(self, card: FlipItem) -> None:
        """A card that was told is told by the camera again."""
        if card not in self._clearer:
            self._clearer.append(card)

    def due(self, now_us: int) -> list[Event]:
        """The corrections that later evidence asks for."""
        events: list[Event] = []
        for card in self._clearer:
            if not card.settled:
                events += self._card(card, now_us)
        self._clearer.clear()
        for grab in list(self.grabs):
            asked = grab.again or grab.doubts & PASSING
            if grab.again and grab.settled:
                events += self._came_then(grab, now_us)
            elif asked and not grab.settled and self._marks.has_seen("camera", self._touches.need_us(grab)):
                events += self._grab(grab, now_us)
        return events

    def _card(self, card: FlipItem, now_us: int) -> list[Event]:
        read = card.seen.card
        if card.handle is None or read in (card.said, UNREADABLE):
            return []
        if card.said == UNREADABLE:
            event, reason = card.event(read), "read late"
            card.said = read
        else:
            both = sorted({read, card.said or read})
            self._notice(Notice(now_us, "two-readings", {"zone": card.seen.zone, "cards": both}))
            event = {**card.event(UNREADABLE), "may_be": both}
            card.said, reason, card.settled = UNREADABLE, "read as two cards", True  # by a person, from here on
        return [self._told.correct(card.handle, event, "camera", reason, now_us)]

    def _grab(self, grab: GrabItem, now_us: int) -> list[Event]:
        again, grab.again = grab.again, False
        event, doubts = self._touches.grab(grab)
        if grab.handle is None or (grab.said is not None and says_the_same(grab.said, event)):
            return []
        grab.said, grab.doubts = event, doubts
        by, reason = (grab.by, "felt on") if again else ("camera", "seen after all")
        return [self._told.correct(grab.handle, event, by, reason, now_us)]

    def _came_then(self, grab: GrabItem, now_us: int) -> list[Event]:
        """A card was told after a person had settled the touch in whose moment it came: their order is open."""
        grab.again = False
        stands = None if grab.handle is None else self._told.at(grab.handle)
        if grab.handle is None or stands is None or stands.get("settled_by") != "operator":
            return []
        if "doubt" in stands or IN_ORDER in stands or not self._sight.arriving(grab.t_us):
            return []
        right = {**stands, "doubt": [ARRIVAL]}
        return [self._told.correct(grab.handle, right, "camera", "a card came then", now_us)]

    def follow(self, pick_up: PickUp, layout: Layout, now_us: int) -> list[Event]:
        """An open scramble is settled by who picks up, where that says who was first; empty where it does not.

        With two players entitled, one who takes the own or the other's pile has lost; with everybody entitled, one
        whose own pile goes to the pot has taken it; with nobody entitled, whoever picks up was at fault. Where it may
        be open what lay on the table nothing follows, nor against what was seen of the first hand, nor while somebody
        without the right may have been there; one who picks up came to the totem later.
        """
        grab = self.grabs[-1] if self.grabs else None
        if not self._settings.follow_pick_ups or grab is None or grab.settled or not grab.open:
            return []
        if grab.t_us < self._since_us < pick_up.t_us or pick_up.t_us < grab.t_us + SOONEST_PICK_UP_US:
            return []
        if grab.unfelt and not grab.rights:
            return []  # the totem felt nothing and nobody had a reason to take it: whoever picks up had another one
        if grab.rights is None or grab.handle is None or grab.said is None or grab.doubts - {"order", "hand", "later"}:
            return []
        if grab.rights and pick_up.player not in grab.rights:
            grab.intruders |= set() if pick_up.own or pick_up.to_pot else {pick_up.player}
            return []
        owners = {layout.owner(zone) for zone in pick_up.zones}
        rivals = set(grab.rights) - {pick_up.player}
        first: str | None = None
        if pick_up.to_pot:
            first = pick_up.player if len(grab.rights) > 2 and len(rivals) < len(grab.rights) else None
        elif not grab.rights:
            first = None if pick_up.own else pick_up.player
        elif len(grab.rights) == 2 and len(rivals) == 1 and owners & set(grab.rights):
            first = rivals.pop()
        there = may_be_there(grab.said)
        if first is None or first not in there:
            return []
        if grab.rights and not pick_up.to_pot and speaks_against(grab.said, first, pick_up.player):
            return []  # arms that cross are taken for one another: two witnesses that contradict settle nothing
        if grab.rights and there - set(grab.rights) - grab.intruders:
            return []  # somebody without the right may have been there too, and has not picked up
        grab.settled = True
        call = Settle(now_us, grab.handle, player=first)
        right = settled(grab.said, call, self._settings, by="players", later=sorted(grab.intruders & there))
        return [self._told.correct(grab.handle, right, "camera", f"{pick_up.player} picked up", now_us)]

    def answer(self, call: Settle | InOrder | Correct) -> list[Event]:
        """The corrections a person asks for."""
        if isinstance(call, InOrder):
            return self._in_order(call)
        if isinstance(call, Settle):
            stands = self._told.at(call.index)
            if stands is None:
                self._notice(Notice(call.t_us, "nothing-to-settle", {"index": call.index}))
                return []
            right = settled(stands, call, self._settings)
            self._leave_alone(call.index)
            return [self._told.correct(call.index, right, "operator", "settled", call.t_us)]
        event = call.recorded()
        self._told.append(event)
        if call.ref is not None:
            self._leave_alone(call.ref)
        return [event]

    def _in_order(self, call: InOrder) -> list[Event]:
        """A touch after a card, or before it, as a person says: where they stand otherwise both are put in anew."""
        told, grab, flip = self._told, self._told.at(call.grab), self._told.at(call.flip)
        if grab is None or flip is None:
            self._notice(Notice(call.t_us, "nothing-to-settle", {"index": call.grab}))
            return []
        grab = {**grab, IN_ORDER: [*grab.get(IN_ORDER, ()), flip["player"]]}
        if not call.moved:
            return [told.correct(call.grab, grab, "operator", "settled", call.t_us)]
        # When a card came is an estimate, a touch is felt: it is the card's time that gives way.
        flip = {**flip, "t_us": grab["t_us"] + (-1 if call.lay else 1)}
        events = [
            told.correct(one, None, "operator", "settled", call.t_us, moved=True) for one in (call.flip, call.grab)
        ]
        for event in (flip, grab) if call.lay else (grab, flip):
            put_in, handle = told.add(event, "operator", call.t_us)
            events.append(put_in)
            self._stands_at(call.flip if event is flip else call.grab, handle)
        return events

    def _stands_at(self, was: int, handle: int) -> None:
        items: list[GrabItem | FlipItem] = [*self.grabs, *self._sight.cards.values()]
        for item in items:
            if item.handle == was:
                item.handle = handle

    def _leave_alone(self, handle: int) -> None:
        """A person has spoken on an event: the sensors do not speak on it any more."""
        spoken: list[GrabItem | FlipItem] = [*self.grabs, *self._sight.cards.values()]
        for item in spoken:
            if item.handle == handle:
                item.settled = True
