"""Dobro's table: cards laid, visits of the draw pile and what people say become the events of a game.

Belongs here: the reorder buffer of Dobro, and when an event may leave it. Does not belong here: how an item is written
(`dobro_items`), whose a play is (`dobro_gestures`), what a visit says (`dobro_draws`), what follows from an event.

Written rules:
- an event leaves when the camera has seen past it; the earliest waiting item holds back all later ones, and each leaves
  alone, so that what came of it is known when the next is told;
- a play that nobody can rule on holds back the game until a person settles it, or later frames do: everything after it
  depends on it; when the sources end, what was held back is told as what it is, in doubt;
- a draw is told when the hand has left the pile; what falls into the visit finds it told as "maybe";
- after a pass the auction's cards are taken: what is seen to come there then, is never read and goes with them, are the
  hands that take them; who is in turn may come to the table for those, for the Oubli card after a call, or to take back
  cards that did not stand, and has laid nothing;
- a pass is said; a player in turn who is seen to take the whole auction has passed too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from referee.table.calls import Call, Correct, ForgotToDraw, JokerValue, Notice, Pass, Recount, Settle
from referee.table.camera_table import CameraTable
from referee.table.dobro_draws import PASSING_US, drawn, maybe_drawn, unseen
from referee.table.dobro_gestures import AUCTION, AWAY_US, PAIR_US, TURN_SURE, Relation, relation, whose
from referee.table.dobro_items import (
    BlindItem,
    DrawItem,
    Item,
    PassItem,
    PlayItem,
    SaidItem,
    order,
)
from referee.table.dobro_jokers import JOKER, Jokers
from referee.table.dobro_retelling import Retelling
from referee.table.dobro_sight import BLIND_US, MOST_GONE, MOST_WAITING, DobroSight
from referee.table.layouts import Layout
from referee.table.presence import BRIDGED_US, Visit
from referee.table.settings import FusionSettings
from referee.table.watermarks import START_US
from referee.vision.sightings import CameraPast, CardSeen, HandSeen, PileShifted, PileTaken, Sighting, TableMoved
from referee.words import Event

PAIR = "pair"
LAYING_US = 250_000  # a hand that lays a card is at the table for longer (simulated tables, docs/dobro-table.md)
SEEN_LATE_US = 1_300_000  # a card that lies freely is told by then
TAKEN_WAIT_US = 1_500_000  # who takes the auction's cards mostly says so too
SAID_TWICE_US = 6_000_000  # a pass that was seen and then said is one pass
TAKING_US = 4_000_000  # a pass, and the auction's cards are gone: hands need no longer, nor for the Oubli card
LEAVE_US = 700_000  # after it laid cards, a hand is on its way back
DEFAULT_SETTINGS = FusionSettings()


class DobroTable(CameraTable):
    """The table of one game of Dobro; see `follower.Follower`."""

    def __init__(
        self, layout: Layout, settings: FusionSettings = DEFAULT_SETTINGS, events: Sequence[Event] = ()
    ) -> None:
        """`events` are those of a game that goes on."""
        super().__init__(layout, settings, events)
        self._waiting: list[Item] = []
        self._said: list[Settle | Correct] = []
        self._gone: deque[int] = deque(maxlen=MOST_GONE)
        self._sight = DobroSight(layout, settings.sweep_sure, self._waiting, self._gone, self._notices.append)
        self._jokers = Jokers(self._waiting, self._gone)
        self._retelling = Retelling(self._told, self._notices.append, self._jokers.said)
        self._laid: dict[str, tuple[int, bool]] = {}
        self._asked_for: int | None = None
        self._taken: tuple[str, int] | None = None
        self._last_play: tuple[str | None, int] = (None, START_US)
        self._passed_us = START_US
        self._errands: dict[str, int] = {}

    # ---- what the sources say

    def sighting(self, s: Sighting) -> None:
        """A word of the camera."""
        match s:
            case CardSeen():
                self._sight.card(s, self._turn(), self._retelling)
            case PileTaken():
                self._sight.pile_taken(s)
            case HandSeen():
                self._sight.hand(s)
            case CameraPast():
                self._sight.past(s)
                self._marks.advance("camera", s.t_us)
            case PileShifted():
                self._gone.append(s.between_us[1])
            case TableMoved():
                self._notices.append(Notice(s.t_us, "table-moved", {"by_mm": s.by_mm}))
            case _:
                pass

    def call(self, c: Call) -> None:
        """A word of a person: a button, or a page."""
        match c:
            case Settle() | Correct():
                self._said.append(c)
            case JokerValue():
                self._jokers.hear(c)
            case Pass():
                self._waiting.append(PassItem(c))
            case ForgotToDraw() | Recount():
                self._waiting.append(SaidItem(c))
            case _:
                pass

    def notices(self) -> list[Notice]:
        """What people should hear of that is no event; each once."""
        if self._expected is not None:
            self._notices += self._sight.markers.reminders(self._expected.get("markers", {}), self._clock_us())
        return super().notices()

    # ---- what leaves

    def release(self) -> list[Event]:
        """Events that are ready, corrections of earlier ones first; call it until it returns nothing."""
        events: list[Event] = []
        for call in self._said:
            events += self._retelling.answer(call)
        for event in events:
            right = event["with"]
            if right is not None and right["event"] == "play" and right["player"] is not None:
                self._laid[right["player"]] = (right["t_us"], False)
                self._last_play = max(self._last_play, (right["player"], right["t_us"]), key=lambda last: last[1])
        self._said.clear()
        self._waiting += [PlayItem([card]) for card in self._retelling.apart()]
        events += self._retelling.due(self._clock_us())
        while self._waiting and not events:
            item = min(self._waiting, key=order)
            full = len(self._waiting) > MOST_WAITING
            if not full and (self._retelling.is_open() or not self._is_ready(item)):
                break
            self._waiting.remove(item)
            events += self._leave(item)
        return events

    def finish(self) -> list[Event]:
        """The camera has ended: everything that still waits, as what can be said of it."""
        self._marks.ended = True
        events: list[Event] = []
        while more := self.release():
            events += more
        for item in sorted(self._waiting, key=order):
            events += self._in_doubt(item)
        self._waiting.clear()
        return events

    def _in_doubt(self, item: Item) -> list[Event]:
        """What is told of an item that comes after a play which nobody settled: that it happened, not what follows."""
        if not isinstance(item, PlayItem):
            if isinstance(item, PassItem | SaidItem):
                self._notices.append(Notice(item.t_us, "left-open", {"event": item.event()["event"]}))
            return []
        if not item.cards:
            return []
        item.open_pair = True
        return [self._tell(item.event(None), "camera")[0]]

    def _leave(self, item: Item) -> list[Event]:
        match item:
            case PlayItem():
                return self._play(item)
            case DrawItem():
                draws = drawn(item.visit, self._lacking(), item.t_us)
                told = self._tell_all(draws)
                if item.hinted:
                    self._retelling.drew_after_all(draws)
                return told
            case BlindItem():
                return self._tell_all(unseen(self._lacking(), item.t_us))
            case PassItem():
                return self._pass(item)
            case SaidItem():
                if isinstance(item.call, ForgotToDraw):
                    self._errands[item.call.on] = item.t_us
                return [*self._hints(item.t_us), self._tell(item.event(), "operator")[0]]

    def _play(self, item: PlayItem) -> list[Event]:
        if self._are_hands(item) if item.cards else not self._may_have_laid(item):
            return []
        if completed := self._retelling.completed(item, self._sight.laying, self._clock_us()):
            return completed
        self._join(item)
        item.hand = item.hand or self._unseen_first(item)
        item.value, item.since_us = self._value_of(item, self._turn()), self._last_play[1]
        missed = self._sight.missed_us > self._last_play[1]
        player = whose(item, self._sight.laying, self._sight.anywhere, self._turn(), missed=missed)
        hints = self._hints(item.t_us)
        event = item.event(player)
        told, handle = self._tell(event, "camera")
        self._retelling.told(item, event, handle)
        self._last_play = (player, item.t_us)
        if player is not None:
            self._laid[player] = (item.last_us, False)
        return [*hints, told]

    def _join(self, item: PlayItem) -> None:
        """Two cards laid by one gesture are one play."""
        other = self._partner(item)
        if other is None:
            return
        found = relation(item, other, self._sight.laying)
        if found is Relation.APART:
            return
        self._waiting.remove(other)
        item.take_in(other.cards, is_open=found is Relation.OPEN)

    def _unseen_first(self, item: PlayItem) -> Visit | None:
        """Of a lone card on the place of the second one: the hand that laid the first, on the table, unseen."""
        if [card.seen.zone for card in item.cards] != [PAIR]:
            return None
        first_us, _ = item.cards[0].seen.between_us
        visits = [
            one for one in self._sight.at_table.between(first_us - PAIR_US, first_us) if one.stay_us >= PASSING_US
        ]
        return max(visits, key=lambda visit: visit.last_us, default=None)

    def _partner(self, item: PlayItem) -> PlayItem | None:
        """The next card on the other place, if it came soon enough to belong to this one."""
        if len(item.cards) != 1:
            return None
        later = [one for one in self._waiting if isinstance(one, PlayItem) and one is not item]
        soon = [one for one in later if one.t_us - item.t_us <= PAIR_US and len(one.cards) == 1]
        nearest = min(soon, key=order, default=None)
        if nearest is None or nearest.cards[0].seen.zone == item.cards[0].seen.zone:
            return None
        return nearest

    def _pass(self, item: PassItem) -> list[Event]:
        name, t_us = item.call.player, item.t_us
        if item.taken:
            if self._expected is None or name not in self._expected.get("may_pass", ()):
                return []
            if self._last_play[0] == name:
                # Their own last play may not have stood: what they take may be that.
                self._notices.append(Notice(t_us, "passed?", {"player": name}))
                return []
            self._taken = (name, t_us)
        elif self._taken is not None and self._taken[0] == name and t_us - self._taken[1] <= SAID_TWICE_US:
            self._taken = None
            return []
        elif name != self._turn() and self._sight.missed_us > self._last_play[1]:
            # A play may have been missed: whose turn it is, nobody knows.
            self._notices.append(Notice(t_us, "passed?", {"player": name}))
            return []
        self._last_play, self._passed_us, self._errands[name] = (None, t_us), t_us, t_us
        return [self._tell(item.event(), "camera" if item.taken else name)[0]]

    def _tell(self, event: Event, by: str) -> tuple[Event, int]:
        return self._told.add(event, by, self._clock_us())

    def _tell_all(self, draws: Sequence[Event]) -> list[Event]:
        events = []
        for draw in draws:
            told, handle = self._tell(draw, "camera")
            self._retelling.drew(draw, handle)
            laid_us, _ = self._laid.get(draw["player"], (START_US, True))
            self._laid[draw["player"]] = (laid_us, True)  # it is told what the hand came for
            events.append(told)
        return events

    def _hints(self, t_us: int) -> list[Event]:
        """Whoever is at the draw pile at a moment may have drawn by then, and whoever came back to the table unseen."""
        events: list[Event] = []
        for item in self._waiting:
            if isinstance(item, DrawItem) and not item.hinted and item.visit.first_us <= t_us < item.visit.last_us:
                found = maybe_drawn(item.visit, self._lacking(), t_us)
                item.hinted = bool(found)
                events += self._tell_all(found)
        hinted = {event["player"] for event in events}
        again = {
            name: count for name, count in self._lacking().items() if name not in hinted and self._came(name, t_us)
        }
        return [*events, *self._tell_all(unseen(again, t_us))]

    def _came(self, player: str, t_us: int) -> bool:
        """Whether a player's hand came to the table again after laying cards, and nobody saw what for."""
        laid_us, asked = self._laid.get(player, (t_us, True))
        if asked:
            return False
        visits = self._sight.anywhere.between(laid_us, t_us)
        mine = [visit for visit in visits if visit.likeliest() == player]
        left_us = max((visit.last_us for visit in mine if visit.first_us <= laid_us + LEAVE_US), default=laid_us)
        return any(visit.first_us > left_us + BLIND_US for visit in mine)

    # ---- when an item may leave

    def _is_ready(self, item: Item) -> bool:
        marks = self._marks
        if marks.ended:
            return True
        if not marks.is_through("camera", item.t_us):
            return False
        gave_up = marks.gave_up("camera", item.t_us)
        match item:
            case PlayItem():
                return self._play_is_ready(item, gave_up)
            case DrawItem():
                return gave_up or self._sight.frame_us > item.t_us + BRIDGED_US
            case PassItem() if item.taken:
                return gave_up or self._sight.frame_us > item.t_us + TAKEN_WAIT_US or self._is_said(item)
            case _:
                return gave_up or self._sight.frame_us > item.t_us + BRIDGED_US

    def _is_said(self, item: PassItem) -> bool:
        """Whether a pass that was seen has been said too."""
        return any(
            isinstance(one, PassItem) and not one.taken and one.call.player == item.call.player for one in self._waiting
        )

    def _play_is_ready(self, item: PlayItem, gave_up: bool) -> bool:
        partner = self._partner(item)
        cards = [*item.cards, *(partner.cards if partner is not None else ())]
        if not cards:
            left_us = item.t_us if item.hand is None else item.hand.last_us
            if self._sight.frame_us > left_us + BRIDGED_US and not self._may_have_laid(item):
                return True
            return gave_up or (self._sight.frame_us > left_us + SEEN_LATE_US and self._marks.past("camera") > left_us)
        last_us = max(card.seen.between_us[1] for card in cards)
        if not gave_up:
            if not self._marks.is_through("camera", last_us):
                return False
            if len(cards) < 2 and not self._hand_is_gone(item) and self._marks.past("camera") <= item.t_us + PAIR_US:
                return False
            waited = self._marks.past("camera") > last_us + self.settings.unread_us
            if not waited and not all(card.is_read or card.closed for card in cards):
                return False
        if partner is None and self._unseen_first(item) is not None:
            return True
        if all(card.seen.card == JOKER for card in cards) and self._value_of(item, self._turn()) is None:
            return self._joker_waited(item, last_us)
        return True

    def _hand_is_gone(self, item: PlayItem) -> bool:
        """Whether the hand that laid a card has left the auction, so that no second card of its can follow."""
        first_us, last_us = item.cards[0].seen.between_us
        at_it = self._sight.laying.between(first_us - BRIDGED_US, last_us + BRIDGED_US)
        if not at_it:
            return False
        left_us = max(visit.last_us for visit in at_it)
        for visit in self._sight.laying.between(left_us, left_us + PAIR_US):
            if visit.first_us <= left_us + AWAY_US:
                left_us = max(left_us, visit.last_us)  # lost from sight for a while, and still there
        # What lay under it is told by now too: a place that is hidden holds back the camera's word.
        return self._sight.frame_us > left_us + AWAY_US and self._marks.past("camera") > left_us

    def _may_have_laid(self, item: PlayItem) -> bool:
        """Whether a hand that was at the table may have laid a card that nobody has seen: the hand of whoever is next,
        there for long enough, and nothing else was seen to come or go."""
        visit, turn = item.hand, self._turn()
        if visit is None or turn is None or visit.stay_us < LAYING_US or visit.chance(turn) < TURN_SURE:
            return False
        if self._last_play[0] == turn:
            return False  # what they laid last did not stand, and they take it back: the same card may lie below
        if visit.first_us <= self._errands.get(turn, START_US) + TAKING_US:
            return False  # they take what their pass brought them, or the Oubli card
        from_us, to_us = visit.first_us - LEAVE_US, visit.last_us + LEAVE_US
        if any(from_us <= t_us <= to_us for t_us in self._gone):
            return False
        seen = [card for card in self._sight.cards.values() if card.seen.zone in AUCTION]
        return not any(card.seen.between_us[1] >= from_us and card.t_us <= to_us for card in seen)

    def _are_hands(self, item: PlayItem) -> bool:
        """Whether what seemed to be a card are the hands of who has passed and takes the auction's cards."""
        if not self._last_play[1] == self._passed_us <= item.t_us <= self._passed_us + TAKING_US:
            return False
        return all(not card.is_read and self._sight.was_taken(card, TAKING_US) for card in item.cards)

    def _joker_waited(self, item: PlayItem, last_us: int) -> bool:
        """Whether a joker's value is waited for no longer; people are asked for it once."""
        if self._jokers.have_waited(item, self._partner(item), last_us, self._clock_us()):
            return True
        if self._asked_for != item.cards[0].seen.number:
            self._asked_for = item.cards[0].seen.number
            player = whose(item, self._sight.laying, self._sight.anywhere, self._turn(), missed=False)
            self._notices.append(Notice(item.t_us, "joker-value", {"player": player}))
        return False

    def _value_of(self, item: PlayItem, turn: str | None) -> int | None:
        """What its player said of the jokers of a play that waits."""
        player = whose(item, self._sight.laying, self._sight.anywhere, turn, missed=False)
        return self._jokers.said(item, player, self._last_play[1])

    def _turn(self) -> str | None:
        return None if self._expected is None else self._expected["asked"]

    def _lacking(self) -> Mapping[str, int]:
        return {} if self._expected is None else self._expected.get("lacking", {})

    def _clock_us(self) -> int:
        told_us = START_US if self._told.last_us is None else self._told.last_us
        return max(self._marks.now_us, self._marks.past("camera"), told_us)
