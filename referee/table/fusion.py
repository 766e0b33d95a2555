"""Sightings, scrambles and calls become the events of a game, in the order in which they happened.

Belongs here: the reorder buffer: what waits, when it may leave, what is told again as a correction. Does not belong
here: whose hand it was (`identity`), how a scramble is written (`hands_said`), what follows from it (rules).

Written rules:
- an event leaves when both sources have seen past it: a card when the totem has, a touch when the camera has; the
  earliest waiting event holds back all later ones;
- a card that is seen and not read holds back for `unread_us` at most, then it is turned as `?`; a pile under its
  owner's hand holds a scramble back for `hidden_us` at most, a silent source for `camera_us` or `totem_us`;
- what is released under such a limit bears a doubt, so that nobody is ruled first by it; when the evidence comes
  after all it leaves as a `correct`;
- waits are counted on the camera's watermark or on the clock that is told (`now`), never on the order of arrival.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from referee.table.arms import PRESENT, Arms, Stay
from referee.table.calls import Call, Correct, Notice, Settle
from referee.table.covers import Covers
from referee.table.hands_said import PERHAPS, Said, candidates, is_open, nobody, say_hands
from referee.table.identity import ARRIVAL_US, believe, sure_name
from referee.table.late import join_readings, says_the_same
from referee.table.layouts import Layout
from referee.table.plain_totem import PlainTotem
from referee.table.settings import FusionSettings
from referee.table.settling import TOPPLER, settled
from referee.table.sweeps import Sweeps
from referee.table.told import Told
from referee.table.waiting import (
    UNREADABLE,
    CallItem,
    FallItem,
    FlipItem,
    GrabItem,
    Item,
    PickUpItem,
    order,
)
from referee.table.watermarks import START_US, Health, Source, Watermarks
from referee.totem.hands import HandReading
from referee.totem.scrambles import Fall, Grab
from referee.vision.sightings import (
    TOTEM,
    CameraPast,
    CardSeen,
    HandSeen,
    PileShifted,
    PileTaken,
    Sighting,
    TableMoved,
    TotemSeen,
    ZoneCovered,
)
from referee.words import Event, Expected

SAME_SCRAMBLE_US = 250_000
PARTED = 0.3  # so many of the arms that were hidden in another's outline still are after a longer look
MOST_WAITING = 400
MOST_CARDS = 400
MOST_GRABS = 30
MOST_NOTICES = 100
DEFAULT_SETTINGS = FusionSettings()


class Fusion:
    """The table of one game: takes what the sources say, gives the events of the record.

    `plain_totem`: there is no sensing totem, grabs are seen by the camera alone. The caller appends every event it
    is given to the record, and nothing else, so that indices agree (an event of its own goes through `add`).
    """

    def __init__(
        self, layout: Layout, settings: FusionSettings = DEFAULT_SETTINGS, *, plain_totem: bool = False
    ) -> None:
        self.layout = layout
        self.settings = settings
        self._plain_only = plain_totem
        self._marks = Watermarks({"camera": settings.camera_us, "totem": settings.totem_us})
        self._told = Told()
        self._waiting: list[Item] = []
        self._cards: dict[int, FlipItem] = {}
        self._grabs: deque[GrabItem] = deque(maxlen=MOST_GRABS)
        self._said: list[Settle | Correct] = []
        self._arms = Arms(settings.frame_us)
        self._covers = Covers(layout)
        self._sweeps = Sweeps(layout, settings)
        self._plain = PlainTotem(self._arms, settings, layout.totem.height_mm)
        self._moving = False
        self._gaps: deque[tuple[int, int]] = deque(maxlen=50)
        self._silences: deque[tuple[int, int]] = deque(maxlen=50)
        self._expected: tuple[int, Expected] | None = None
        self._notices: deque[Notice] = deque(maxlen=MOST_NOTICES)
        self._lying: dict[str, tuple[int | None, str]] = {}

    @classmethod
    def resume(
        cls,
        layout: Layout,
        events: Sequence[Event],
        settings: FusionSettings = DEFAULT_SETTINGS,
        *,
        plain_totem: bool = False,
        lying: Mapping[str, str] | None = None,
    ) -> Fusion:
        """Go on with a game whose record holds `events` already (all of them, corrections included).

        `lying` are the tops that lie on the face-up piles (player → card): the camera sees them anew, and they
        are no new flips. A top that was `?` and is read now is corrected.
        """
        fusion = cls(layout, settings, plain_totem=plain_totem)
        fusion._told = Told(events)
        for player, card in (lying or {}).items():
            fusion._lying[player] = (fusion._told_flip(events, player), card)
        return fusion

    # ---- what the sources say

    def sighting(self, s: Sighting) -> None:
        """A word of the camera."""
        match s:
            case CardSeen():
                self._card(s)
            case PileTaken():
                self._pile_taken(s)
            case HandSeen():
                self._hand(s)
            case ZoneCovered():
                self._covers.covered(s.zone, s.t_us, s.clear)
            case TotemSeen():
                self._plain.totem(s)
            case CameraPast():
                self._camera_past(s)
            case PileShifted():
                self._notices.append(Notice(s.between_us[1], "pile-shifted", {"zone": s.zone, "card": s.card}))
            case TableMoved():
                self._notices.append(Notice(s.t_us, "table-moved", {"by_mm": s.by_mm}))

    def touch(self, t: Grab | Fall) -> None:
        """A word of the totem; a scramble first provisional (`final` false), then final."""
        if isinstance(t, Fall):
            self._wait(FallItem(t))
            return
        before = self._same_scramble(t)
        if before is None:
            self._wait(GrabItem(t))
        else:
            before.touch = join_readings(before.touch, t)
            if before.handle is not None:
                before.again = True
        # The totem speaks in order: what it says of a moment comes after all it has to say before.
        self._marks.advance("totem", t.t_us + 1)

    def totem_past(self, t_us: int) -> None:
        """Every scramble and fall that began before `t_us` has been said, provisionally at least."""
        self._marks.advance("totem", t_us)

    def totem_silent(self, from_us: int, to_us: int, touched_us: int | None) -> None:
        """The totem was not heard for a while (unplugged, started anew); `touched_us`: a touch was in flight then."""
        self._silences.append((from_us, to_us))
        if touched_us is not None:
            begun = Grab(touched_us, (), final=True)
            before = self._same_scramble(begun)
            if before is None:
                self._wait(GrabItem(begun, broken=True))
            else:
                before.broken = True
                before.again = True
        self._marks.advance("totem", to_us)

    def call(self, c: Call) -> None:
        """A word of a person: a button, or the operator's page."""
        if isinstance(c, Settle | Correct):
            self._said.append(c)
        else:
            self._wait(CallItem(c))

    def source(self, name: Source, health: Health, t_us: int) -> None:
        """A source is fresh, stale or lost since `t_us`."""
        self._marks.set_health(name, health, t_us)

    def now(self, t_us: int) -> None:
        """The table's clock, so that waits have limits when a source is silent."""
        self._marks.at(t_us)

    def expected(self, e: Expected) -> None:
        """What may come next after everything released so far; it may add a doubt, never decide."""
        self._expected = (self._told.count, e)

    def add(self, event: Event) -> int:
        """An event of the caller's own goes to the end of the record (`end`); returns its index."""
        return self._told.append(event)

    def notices(self) -> list[Notice]:
        """What people should hear of that is no event; each once."""
        found = list(self._notices)
        self._notices.clear()
        return found

    # ---- what leaves

    def release(self) -> list[Event]:
        """Events that are ready, in the order in which they happened, corrections of earlier ones first.

        Call it until it returns nothing: a scramble may be held back until `expected` has been told about
        everything before it.
        """
        events = self._answers() + self._reviews()
        while self._waiting:
            item = min(self._waiting, key=order)
            if not (self._may_leave(item) or len(self._waiting) > MOST_WAITING):
                break
            if events and self._expected is not None and isinstance(item, GrabItem) and len(item.touch.hands) > 1:
                break
            events += self._leave(item)
        return events

    def finish(self) -> list[Event]:
        """The sources have ended: everything that still waits, as what can be said of it."""
        self._marks.ended = True
        events: list[Event] = []
        while more := self.release():
            events += more
        return events

    # ---- the camera's words

    def _card(self, seen: CardSeen) -> None:
        item = self._cards.get(seen.number)
        if item is not None:
            self._card_again(item, seen)
            return
        meaning, player = self.layout.meaning(seen.zone), self.layout.owner(seen.zone)
        if meaning == "shared" and seen.by is not None:
            self._to_sweeps(seen.zone, seen.between_us[1], {seen.by: seen.by_chance})
        if meaning != "flip" or player is None:
            return
        if seen.card == "back":
            self._notices.append(Notice(seen.between_us[1], "face-down", {"zone": seen.zone}))
            return
        item = FlipItem(player, seen)
        if not self._is_lying(item):
            self._wait(item)
        self._cards[seen.number] = item
        if len(self._cards) > MOST_CARDS:
            oldest = next(iter(self._cards))
            if self._cards[oldest].handle is not None:
                del self._cards[oldest]

    def _card_again(self, item: FlipItem, seen: CardSeen) -> None:
        item.seen = seen
        item.closed = item.closed and not item.is_read
        if item.handle is not None:
            item.again = True

    def _is_lying(self, item: FlipItem) -> bool:
        """Whether a card lay there before the game went on; then it is no flip."""
        lying = self._lying.pop(item.player, None)
        if lying is None or lying[1] not in (item.seen.card, UNREADABLE):
            return False
        item.handle, item.said = lying[0] if lying[0] is not None else -1, lying[1]
        if item.is_read:
            item.again = True
        return True

    def _pile_taken(self, pile: PileTaken) -> None:
        for item in self._waiting:
            if isinstance(item, FlipItem) and item.seen.zone == pile.zone and item.t_us <= pile.between_us[1]:
                item.swept = True
        if self.layout.meaning(pile.zone) == "flip":
            self._sweeps.taken(pile)

    def _hand(self, seen: HandSeen) -> None:
        if seen.place == TOTEM:
            self._arms.seen(seen.t_us, seen.chances)
            return
        owner = self.layout.owner(seen.place)
        if owner is not None:
            self._covers.hand(seen.place, seen.t_us, seen.chances.get(owner, 0.0))
        self._to_sweeps(seen.place, seen.t_us, seen.chances)

    def _to_sweeps(self, place: str, t_us: int, chances: Mapping[str, float]) -> None:
        for pick_up in self._sweeps.hand(place, t_us, chances):
            self._wait(PickUpItem(pick_up))

    def _camera_past(self, past: CameraPast) -> None:
        before = self._marks.past("camera")
        # A watermark that is held back says the same again frame by frame: then its leap is no gap.
        if self._moving and before != START_US and past.t_us - before > 4 * self.settings.frame_us:
            self._gaps.append((before, past.t_us))
        self._moving = past.t_us > before
        for item in self._waiting:
            if isinstance(item, FlipItem) and not item.is_read:
                item.closed = item.seen.number not in past.open_numbers
        for scramble in self._plain.past(past.t_us):
            touch = scramble.touch
            if self._is_plain(touch.t_us):
                if isinstance(touch, Fall):
                    self._wait(FallItem(touch, by="camera"))
                else:
                    self._wait(GrabItem(touch, by="camera", order_open=scramble.order_open))
        self._marks.advance("camera", past.t_us)
        if self._plain_only:
            self._marks.advance("totem", self._plain.watermark(past.t_us))

    def _is_plain(self, t_us: int) -> bool:
        """Whether the camera alone sees the totem at `t_us`."""
        silent = any(from_us <= t_us <= to_us for from_us, to_us in self._silences)
        return self._plain_only or silent or self._marks.is_lost("totem", t_us)

    # ---- the totem's words

    def _same_scramble(self, grab: Grab) -> GrabItem | None:
        waiting = [item for item in self._waiting if isinstance(item, GrabItem)]
        grips = not grab.hands or any(hand.grip for hand in grab.hands)
        for item in [*waiting, *self._grabs]:
            if item.by == "totem" and not item.touch.final and grips:
                near = abs(item.touch.t_us - grab.t_us) <= SAME_SCRAMBLE_US
                if near or item.touch.t_us <= grab.t_us <= (item.touch.settled_us or item.touch.t_us):
                    return item
        return None

    # ---- waiting

    def _wait(self, item: Item) -> None:
        self._waiting.append(item)

    def _clock_us(self) -> int:
        told_us = START_US if self._told.last_us is None else self._told.last_us
        return max(self._marks.now_us, self._marks.past("camera"), self._marks.past("totem"), told_us)

    def _may_leave(self, item: Item) -> bool:
        marks, t_us = self._marks, item.t_us
        if isinstance(item, GrabItem | FallItem):
            return self._touch_may_leave(item)
        if not marks.is_through("camera", t_us):
            return False
        if not isinstance(item, FlipItem):
            return self._totem_through(t_us)
        if not self._totem_through(item.seen.between_us[1]):
            return False
        past_us = marks.past("camera")
        if marks.ended or marks.gave_up("camera", t_us) or past_us > t_us + self.settings.unread_us:
            return True
        return (item.is_read or item.closed or item.swept) and not self._hidden(item.seen.between_us[0])

    def _totem_through(self, t_us: int) -> bool:
        return self._marks.is_through("totem", t_us) or (self._is_plain(t_us) and not self._plain_only)

    def _touch_may_leave(self, item: GrabItem | FallItem) -> bool:
        marks, t_us = self._marks, item.t_us
        need_us = self._need_us(item) if isinstance(item, GrabItem) else t_us + self.settings.look_us
        if not marks.is_through("camera", need_us):
            return False
        if isinstance(item, GrabItem) and not item.looked:
            item.looked = True
            item.look_more = not marks.gave_up("camera", need_us) and self._is_nameless(item)
            return self._touch_may_leave(item)
        past_us = marks.past("camera")
        if marks.ended or marks.gave_up("camera", need_us) or past_us > t_us + self.settings.hidden_us:
            return True
        return not self._hidden(t_us)

    def _need_us(self, item: GrabItem) -> int:
        """How far the camera must have seen to say whose hands they are."""
        return item.last_us + (self.settings.look_more_us if item.look_more else self.settings.look_us)

    def _is_nameless(self, item: GrabItem) -> bool:
        """Whether a hand that may be the first has no name yet."""
        grips = [hand for hand in item.touch.hands if hand.grip]
        belief = believe(grips, self._stays(item), self.layout.players, self.settings, self.layout.totem.seat_pads)
        return any(
            sure_name(belief.marginal(place), self.settings) is None
            for place, hand in enumerate(grips)
            if hand.t_us - item.t_us <= self.settings.together_us + self.settings.contact_us
        )

    def _stays(self, item: GrabItem) -> list[Stay] | None:
        """The arms at the totem around a scramble; None: the camera was blind then."""
        if self._was_blind(item.t_us):
            return None
        return self._arms.stays(item.t_us - self.settings.frame_us, self._need_us(item))

    def _hidden(self, t_us: int) -> bool:
        """Whether a card that nobody has seen may have lain on a pile at `t_us`."""
        found = self._covers.hidden(t_us, self._marks.past("camera"), self.settings.hidden_us)
        return any(not self._card_since(zone, from_us) for zone, from_us in found)

    def _card_since(self, zone: str, from_us: int) -> bool:
        """Whether a card was seen on a pile since something hid it: then that is the card under the hand."""
        return any(card.seen.zone == zone and card.seen.between_us[1] >= from_us for card in self._cards.values())

    # ---- leaving

    def _leave(self, item: Item) -> list[Event]:
        self._waiting.remove(item)
        if isinstance(item, PickUpItem) and self._is_unsettled():
            return []
        by = "camera"
        match item:
            case FlipItem():
                item.said = item.seen.card
                event = item.event(item.said)
            case GrabItem():
                item.rights = self._may_take()
                event, item.doubts = self._say_grab(item)
                item.said, by = event, item.by
                self._grabs.append(item)
            case FallItem():
                event, by = self._say_fall(item), item.by
            case PickUpItem() | CallItem():
                event = item.event()
                by = "camera" if isinstance(item, PickUpItem) else "operator"
        told, item.handle = self._told.add(event, by, self._clock_us())
        if isinstance(item, FlipItem):
            self._look_again_at_touches(item)
        return [told]

    def _is_unsettled(self) -> bool:
        """Whether it may be open who has to pick up: then nobody is said to do it wrongly."""
        unread = any(
            card.said == UNREADABLE and card.handle is not None and not card.settled for card in self._cards.values()
        )
        return unread or (bool(self._grabs) and self._grabs[-1].open and not self._grabs[-1].settled)

    def _look_again_at_touches(self, item: FlipItem) -> None:
        """A card that came late with a long arrival may open the order of touches that were told."""
        first_us, last_us = item.seen.between_us
        for grab in self._grabs:
            if first_us < grab.t_us < last_us:
                grab.again = True

    def _say_grab(self, item: GrabItem) -> tuple[Event, frozenset[str]]:
        touch, t_us = item.touch, item.t_us
        hands = list(touch.hands)
        stays = self._stays(item)
        if item.broken and stays:
            known = {hand.player for hand in hands}
            full_mm = (0.0, self.layout.totem.height_mm)
            hands += [
                HandReading(stay.player, t_us, (1, 5), full_mm, True)
                for stay in stays
                if stay.player not in known and stay.chance >= self.settings.name_sure
            ]
        grips = [hand for hand in hands if hand.grip]
        brushes = [hand for hand in hands if not hand.grip]
        has_pads = self.layout.totem.seat_pads
        players = self.layout.players
        # Hands that were one outline part in a longer look.
        merged = self.settings.arm_merged * (PARTED if item.look_more else 1.0)
        belief = believe(grips, stays, players, replace(self.settings, arm_merged=merged), has_pads)
        said, doubt = say_hands(grips, belief, self.settings, item.rights)
        unfelt = self._unfelt(said, stays or (), t_us)
        if not doubt and unfelt:
            doubt = "hand"
        for brush in brushes:
            alone = believe([brush], stays, players, self.settings, has_pads)
            said += say_hands([brush], alone, self.settings, None)[0]
        doubts = self._doubts(item, doubt) if grips or item.broken else frozenset()
        if doubts:
            said.append(nobody(t_us, self.layout.totem.height_mm))
        said += candidates(said, self.settings, unfelt, self.layout.totem.height_mm)
        said.sort(key=lambda hand: hand.t_us)
        item.open = is_open(said, self.settings)
        event: dict[str, Any] = {"t_us": t_us, "event": "grab", "hands": [hand.word() for hand in said]}
        if touch.fell is not None:
            names = [hand.player for hand in said if hand.grip]
            who = names[0] if len(names) == 1 else touch.fell.player
            event["fell"] = {"t_us": touch.fell.t_us, "player": who if who in names else None}
        if doubts:
            event["doubt"] = sorted(doubts)
        return event, doubts

    def _unfelt(self, said: Sequence[Said], stays: Sequence[Stay], t_us: int) -> set[str]:
        """Players whose arm came as early as the first hand and of whom the totem felt none: two taken for one?"""
        settings = self.settings
        named = {hand.player for hand in said}
        if None in named or not said:
            return set()
        by_us = t_us - ARRIVAL_US + settings.together_us + settings.frame_us
        return {
            stay.player
            for stay in stays
            if stay.player not in named
            and stay.chance >= PRESENT
            and stay.first_us <= by_us
            and stay.last_us >= t_us + settings.frame_us
        }

    def _may_take(self) -> Sequence[str] | None:
        if self._expected is None or self._expected[0] != self._told.count:
            return None
        return self._expected[1]["may_take"]

    def _doubts(self, item: GrabItem, order_doubt: str) -> frozenset[str]:
        """Why nobody can be ruled first in a scramble (empty: no reason)."""
        t_us, past_us, settings = item.t_us, self._marks.past("camera"), self.settings
        doubts = {order_doubt} - {""}
        if item.order_open:
            doubts.add("order")
        if item.broken:
            doubts.add("totem")
        if past_us <= t_us or any(a < t_us < b and b - a > settings.camera_us for a, b in self._gaps):
            doubts.add("camera")
        elif self._hidden(t_us):
            doubts.add("hidden")
        for card in self._cards.values():
            first_us, last_us = card.seen.between_us
            if first_us < t_us < last_us and last_us - first_us > settings.wide_us:
                doubts.add("arrival")
        return frozenset(doubts)

    def _was_blind(self, t_us: int) -> bool:
        past_us = self._marks.past("camera")
        return past_us <= t_us or any(a < t_us + self.settings.look_us and t_us < b for a, b in self._gaps)

    def _say_fall(self, item: FallItem) -> Event:
        """The fall by its player; by nobody if no arm was there; and where arms were there, but whose, open."""
        t_us, player = item.t_us, item.fall.player
        nobody_known: Event = {"t_us": t_us, "event": "fall", "player": player}
        if player is not None or self._was_blind(t_us):
            return nobody_known
        frame_us, look_us = self.settings.frame_us, self.settings.look_us
        stays = [
            stay
            for stay in self._arms.stays(t_us - frame_us, t_us + frame_us)
            if stay.first_us <= t_us + frame_us and stay.chance >= PERHAPS
        ]
        if not stays:
            return nobody_known
        if len(stays) == 1 and stays[0].chance >= self.settings.name_sure and stays[0].first_us >= t_us - 2 * look_us:
            return {**nobody_known, "player": stays[0].player}
        height_mm = self.layout.totem.height_mm
        said = [nobody(t_us, height_mm)]
        said += candidates(said, self.settings, {stay.player for stay in stays}, height_mm)
        fell = {"t_us": t_us, "player": None}
        return {
            "t_us": t_us,
            "event": "grab",
            "hands": [hand.word() for hand in said],
            "fell": fell,
            "doubt": [TOPPLER],
        }

    # ---- what is told again

    def _reviews(self) -> list[Event]:
        events: list[Event] = []
        for card in list(self._cards.values()):
            if card.again and not card.settled:
                events += self._review_card(card)
        for grab in list(self._grabs):
            waits = grab.doubts & {"camera", "hidden"}
            if (grab.again or waits) and not grab.settled and self._can_review(grab):
                events += self._review_grab(grab)
        return events

    def _review_card(self, card: FlipItem) -> list[Event]:
        card.again = False
        read = card.seen.card
        if card.handle is None or card.handle < 0 or read in (card.said, UNREADABLE):
            return []
        if card.said == UNREADABLE:
            event, reason = card.event(read), "read late"
            card.said = read
        else:
            # Two sure readings that differ: neither is believed.
            both = sorted({read, card.said or read})
            self._notices.append(Notice(self._clock_us(), "two-readings", {"zone": card.seen.zone, "cards": both}))
            event = {**card.event(UNREADABLE), "may_be": both}
            card.said, reason, card.settled = UNREADABLE, "read as two cards", True  # by a person, from here on
        return [self._told.correct(card.handle, event, "camera", reason, self._clock_us())]

    def _can_review(self, grab: GrabItem) -> bool:
        return self._marks.has_seen("camera", self._need_us(grab))

    def _review_grab(self, grab: GrabItem) -> list[Event]:
        again, grab.again = grab.again, False
        event, doubts = self._say_grab(grab)
        assert grab.handle is not None
        assert grab.said is not None
        if says_the_same(grab.said, event):
            return []
        by = grab.by if again else "camera"
        reason = "felt on" if again else "seen after all"
        grab.said, grab.doubts = event, doubts
        return [self._told.correct(grab.handle, event, by, reason, self._clock_us())]

    # ---- a person's words

    def _answers(self) -> list[Event]:
        events: list[Event] = []
        for call in self._said:
            if isinstance(call, Settle):
                stands = self._told.at(call.index)
                if stands is None:
                    self._notices.append(Notice(call.t_us, "nothing-to-settle", {"index": call.index}))
                    continue
                right = settled(stands, call, self.settings)
                events.append(self._told.correct(call.index, right, "operator", "settled", call.t_us))
                self._forget(call.index)
                continue
            where = {"before": call.before} if call.before is not None else {"ref": call.ref}
            event: dict[str, Any] = {"t_us": call.t_us, "event": "correct", **where}
            event |= {"by": "operator", "reason": call.reason, "with": call.event}
            self._told.append(event)
            events.append(event)
            if call.ref is not None:
                self._forget(call.ref)
        self._said.clear()
        return events

    def _forget(self, handle: int) -> None:
        """A person has spoken on an event: the sensors do not speak on it any more."""
        spoken: list[GrabItem | FlipItem] = [*self._grabs, *self._cards.values()]
        for item in spoken:
            if item.handle == handle:
                item.settled = True

    @staticmethod
    def _told_flip(events: Sequence[Event], player: str) -> int | None:
        """The handle of a player's last flip."""
        last = None
        for index, event in enumerate(events):
            what = event["with"] if event["event"] == "correct" and "before" in event else event
            if what is not None and what["event"] == "flip" and what["player"] == player:
                last = index
        return last
