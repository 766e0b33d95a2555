"""Sightings, scrambles and calls become the events of a game, in the order in which they happened.

Belongs here: the reorder buffer, from words to waiting items and from waiting items to released events. Does not
belong here: when an item may leave (`gate`), how a touch is written (`touches`), what is told again (`retelling`), what
follows from an event (rules).

Written rules:
- an event leaves when both sources have seen past it; the earliest waiting item holds back all later ones;
- what is released under a limit bears a doubt, so that nobody is ruled first by it; when the evidence comes after all
  it leaves as a `correct`;
- waits are counted on watermarks or on the clock that is told (`now`), never on the order of arrival.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace

from referee.table.base import TableBase
from referee.table.calls import Call, Choose, Correct, InOrder, Notice, Recount, Settle, Share
from referee.table.gate import Gate
from referee.table.late import join_readings
from referee.table.layouts import Layout
from referee.table.plain_totem import PlainTotem, is_unfelt
from referee.table.retelling import Retelling
from referee.table.settings import FusionSettings
from referee.table.sight import Sight
from referee.table.sweeps import Sweeps
from referee.table.told import Told
from referee.table.touches import FELLED_BEFORE_US, Touches
from referee.table.waiting import (
    CallItem,
    FallItem,
    FlipItem,
    GrabItem,
    Item,
    PickUpItem,
    order,
)
from referee.table.watermarks import START_US, Health, Source
from referee.totem.scrambles import Fall, Grab
from referee.vision.sightings import (
    TOTEM,
    UNREADABLE,
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
MOST_WAITING = 400
MOST_FELT = 30
MOST_SILENCES = 50
DEFAULT_SETTINGS = FusionSettings()


class Fusion(TableBase):
    """The table of one game: takes what the sources say, gives the events of the record.

    `plain_totem`: there is no sensing totem, grabs are seen by the camera alone. The caller appends every event it
    is given to the record, and nothing else, so that indices agree (an event of its own goes through `add`).
    """

    def __init__(
        self, layout: Layout, settings: FusionSettings = DEFAULT_SETTINGS, *, plain_totem: bool = False
    ) -> None:
        super().__init__(layout, settings, {"camera": settings.camera_us, "totem": settings.totem_us})
        self._plain_only = plain_totem
        self._sight = Sight(layout, settings, self._marks)
        self._touches = Touches(layout, settings, self._sight)
        self._gate = Gate(self._marks, self._sight, self._touches, settings, self._is_out)
        self._retelling = self._new_retelling()
        self._waiting: list[Item] = []
        self._said: list[Settle | InOrder | Correct] = []
        self._sweeps = Sweeps(layout, settings)
        height_mm = layout.totem.height_mm
        self._plain = PlainTotem(self._sight.arms, settings, height_mm, layout.players, self._sight.lost_frames)
        self._silences: deque[tuple[int, int]] = deque(maxlen=MOST_SILENCES)
        self._felt: deque[int] = deque(maxlen=MOST_FELT)
        self._expected: tuple[int, Expected] | None = None
        self._turns: dict[str, int] = {}  # since when it has been whose turn
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

        `lying` are tops of face-up piles (player → card) that the camera will say anew, if it does: they are no new
        flips then. A top that was `?` and is read now is corrected.
        """
        fusion = cls(layout, settings, plain_totem=plain_totem)
        fusion._told = Told(events)
        fusion._retelling = fusion._new_retelling()
        for player, card in (lying or {}).items():
            fusion._lying[player] = (_last_flip(events, player), card)
        return fusion

    def _new_retelling(self) -> Retelling:
        return Retelling(self._told, self._sight, self._touches, self._marks, self.settings, self._notices.append)

    # ---- what the sources say

    def sighting(self, s: Sighting) -> None:
        """A word of the camera."""
        match s:
            case CardSeen():
                self._card(s)
            case PileTaken():
                self._pile_taken(s)
            case HandSeen():
                self._sight.frame(s.t_us)
                self._hand(s)
            case ZoneCovered():
                self._sight.frame(s.t_us)
                self._sight.covers.covered(s.zone, s.t_us, s.clear)
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
        before = self._same_scramble(t) if isinstance(t, Grab) else None
        self._felt.append(t.t_us)
        if isinstance(t, Fall):
            self._waiting.append(FallItem(t))
        elif before is None:
            self._waiting.append(GrabItem(t))
        else:
            before.touch = join_readings(before.touch, t)
            before.again = before.handle is not None
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
                self._waiting.append(GrabItem(begun, broken=True))
            else:
                before.broken = True
                before.again = before.handle is not None
        self._marks.advance("totem", to_us)

    def call(self, c: Call) -> None:
        """A word of a person: a button, or the operator's page."""
        if isinstance(c, Settle | InOrder | Correct):
            self._said.append(c)
        elif isinstance(c, Choose | Share | Recount):
            self._waiting.append(CallItem(c))

    def source(self, name: Source, health: Health, t_us: int) -> None:
        """A source is fresh, stale or lost since `t_us`."""
        self._marks.set_health(name, health, t_us)

    def expected(self, e: Expected) -> None:
        """What may come next after everything released so far; it may add a doubt, never decide."""
        self._expected = (self._told.count, e)
        since_us = START_US if self._told.last_us is None else self._told.last_us
        self._turns = {player: self._turns.get(player, since_us) for player in e["may_flip"]}

    # ---- what leaves

    def release(self) -> list[Event]:
        """Events that are ready, in the order in which they happened, corrections of earlier ones first.

        Call it until it returns nothing: a card or a scramble may be held back until `expected` has been told about
        everything before it.
        """
        events: list[Event] = []
        for call in self._said:
            events += self._retelling.answer(call)
        self._said.clear()
        events += self._retelling.due(self._clock_us())
        while self._waiting:
            item = min(self._waiting, key=order)
            if not (self._gate.is_open(item) or len(self._waiting) > MOST_WAITING):
                break
            if events and self._expected is not None and isinstance(item, GrabItem | FlipItem):
                break
            if self._asks_for_unseen(item) and (unseen := self._unseen(item)):
                self._waiting += unseen
                continue
            if isinstance(item, FlipItem) and (first := self._in_turn_before(item)) is not None:
                first.seen = replace(first.seen, edge_us=item.t_us - 1)
                continue
            self._waiting.remove(item)
            events += self._leave(item)
        return events

    def finish(self) -> list[Event]:
        """The sources have ended: everything that still waits, as what can be said of it."""
        self._marks.ended = True
        events: list[Event] = []
        while more := self.release():
            events += more
        return events

    def _leave(self, item: Item) -> list[Event]:
        by = "camera"
        match item:
            case FlipItem():
                item.said = item.seen.card
                event = item.event(item.said)
            case GrabItem():
                item.rights = self._may_take()
                event, item.doubts = self._touches.grab(item)
                item.said, by = event, item.by
                self._retelling.grabs.append(item)
            case FallItem():
                touched = any(0 <= item.t_us - grab.t_us <= FELLED_BEFORE_US for grab in self._retelling.grabs)
                event, by = self._touches.fall(item, touched), item.by
                self._retelling.play_went_on(item.t_us)
            case PickUpItem():
                followed = self._retelling.follow(item.pick_up, self.layout, self._clock_us())
                if item.pick_up.to_pot or item.pick_up.own or self._retelling.is_unsettled():
                    return followed
                told, item.handle = self._told.add(item.event(), by, self._clock_us())
                return [*followed, told]
            case CallItem():
                event, by = item.event(), "operator"
        told, item.handle = self._told.add(event, by, self._clock_us())
        if isinstance(item, FlipItem):
            self._retelling.arrived(item)
        return [told]

    def _asks_for_unseen(self, item: Item) -> bool:
        """Whether a card that nobody saw would change what this is: a touch, or a card of somebody else's turn."""
        if isinstance(item, FlipItem):
            expected = self._expected
            return not item.unseen and expected is not None and item.player not in expected[1]["may_flip"]
        return isinstance(item, GrabItem)

    def _unseen(self, item: Item) -> list[FlipItem]:
        """The cards that those whose turn it was may have turned before a touch or a card, and that were never told.

        They may lie under a hand; or, where somebody else goes on out of turn, they were laid by a hand that was there.
        """
        t_us = item.t_us
        if self._expected is None or self._expected[0] != self._told.count or self._sight.missed(t_us):
            return []
        found = {one.zone: (one, t_us) for one in self._sight.hidden(t_us)}
        if isinstance(item, FlipItem):
            for zone in self.layout.zones:
                since_us = self._turns.get(self.layout.owner(zone) or "")
                if zone not in found and since_us is not None and self.layout.meaning(zone) == "flip":
                    one = self._sight.untold(zone, since_us, t_us)
                    found |= {} if one is None else {zone: (one, min(one.visit.last_us, t_us))}
        items = []
        for one, until_us in found.values():
            player = self.layout.owner(one.zone)
            if player is not None and player in self._expected[1]["may_flip"]:
                items.append(FlipItem(player, self._sight.unseen(one, until_us), closed=True, unseen=True))
                self._sight.keep(items[-1])
        return items

    def _in_turn_before(self, item: FlipItem) -> FlipItem | None:
        """A card of whoever's turn it is that may have been turned before one out of turn, as far as the camera saw."""
        if self._expected is None or self._expected[0] != self._told.count:
            return None
        may_flip = self._expected[1]["may_flip"]
        if item.player in may_flip or self._expected[1].get("open"):
            return None
        later = (one for one in self._waiting if isinstance(one, FlipItem) and one.player in may_flip)
        return next((one for one in later if one.seen.between_us[0] < item.t_us - 1 < one.t_us), None)

    def _may_take(self) -> Sequence[str] | None:
        if self._expected is None or self._expected[0] != self._told.count or self._expected[1].get("open"):
            return None
        return self._expected[1]["may_take"]

    def _clock_us(self) -> int:
        told_us = START_US if self._told.last_us is None else self._told.last_us
        return max(self._marks.now_us, self._marks.past("camera"), self._marks.past("totem"), told_us)

    # ---- the camera's words

    def _card(self, seen: CardSeen) -> None:
        item = self._sight.cards.get(seen.number)
        if item is not None:
            item.seen = seen
            item.closed = item.closed and not item.is_read
            if item.handle is not None:
                self._retelling.clearer(item)
            return
        item = self._sight.found(seen)
        if item is not None:
            self._retelling.clearer(item)
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
            self._waiting.append(item)
        self._sight.keep(item)

    def _is_lying(self, item: FlipItem) -> bool:
        """Whether a card lay there before the game went on; then it is no flip."""
        lying = self._lying.pop(item.player, None)
        if lying is None or lying[1] not in (item.seen.card, UNREADABLE):
            return False
        item.handle, item.said = lying
        if item.is_read:
            self._retelling.clearer(item)
        return True

    def _pile_taken(self, pile: PileTaken) -> None:
        self._sight.covers.taken(pile.zone, pile.between_us)
        for item in self._waiting:
            if isinstance(item, FlipItem) and item.seen.zone == pile.zone and item.t_us <= pile.between_us[1]:
                item.swept = True
        if self.layout.meaning(pile.zone) == "flip":
            self._waiting += [PickUpItem(pick_up) for pick_up in self._sweeps.taken(pile)]

    def _hand(self, seen: HandSeen) -> None:
        self._sight.hand(seen.t_us, seen.chances)
        if seen.place == TOTEM:
            self._sight.arms.seen(seen.t_us, seen.chances)
            return
        owner = self.layout.owner(seen.place)
        if owner is not None:
            self._sight.covers.hand(seen.place, seen.t_us, seen.chances.get(owner, 0.0))
        self._to_sweeps(seen.place, seen.t_us, seen.chances)

    def _to_sweeps(self, place: str, t_us: int, chances: Mapping[str, float]) -> None:
        self._waiting += [PickUpItem(pick_up) for pick_up in self._sweeps.hand(place, t_us, chances)]

    def _camera_past(self, past: CameraPast) -> None:
        self._sight.past(past.t_us, past.frame_us)
        for item in self._waiting:
            if isinstance(item, FlipItem) and not item.is_read:
                item.closed = item.seen.number not in past.open_numbers
        for scramble in self._plain.past(past.t_us):
            touch = scramble.touch
            plain = self._is_plain(touch.t_us)
            if not plain and not is_unfelt(scramble, self._felt, self._marks.past("totem")):
                continue
            if isinstance(touch, Fall):
                self._waiting.append(FallItem(touch, by="camera"))
            else:
                order_open = scramble.order_open or not plain
                self._waiting.append(GrabItem(touch, by="camera", order_open=order_open, unfelt=not plain))
        self._marks.advance("camera", past.t_us)
        if self._plain_only:
            self._marks.advance("totem", self._plain.watermark(past.t_us))

    # ---- the totem's words

    def _is_plain(self, t_us: int) -> bool:
        """Whether the camera alone sees the totem at `t_us`."""
        return self._plain_only or self._is_out(t_us)

    def _is_out(self, t_us: int) -> bool:
        """Whether a sensing totem is not heard at `t_us`."""
        silent = any(from_us <= t_us <= to_us for from_us, to_us in self._silences)
        return silent or self._marks.is_lost("totem", t_us)

    def _same_scramble(self, grab: Grab) -> GrabItem | None:
        """The scramble that this word tells again; None: a new one."""
        if grab.hands and not any(hand.grip for hand in grab.hands):
            return None
        waiting = [item for item in self._waiting if isinstance(item, GrabItem)]
        for item in [*waiting, *self._retelling.grabs]:
            if item.by != "totem" or item.touch.final:
                continue
            near = abs(item.touch.t_us - grab.t_us) <= SAME_SCRAMBLE_US
            if near or item.touch.t_us <= grab.t_us <= (item.touch.settled_us or item.touch.t_us):
                return item
        return None


def _last_flip(events: Sequence[Event], player: str) -> int | None:
    """The handle of a player's last flip."""
    last = None
    for index, event in enumerate(events):
        what = event["with"] if event["event"] == "correct" and "before" in event else event
        if what is not None and what["event"] == "flip" and what["player"] == player:
            last = index
    return last
