"""The table of Speed: what the camera shows and players say becomes the events of a match.

Belongs here: which waiting item leaves when, and what people claim. Does not belong here: as which event a card leaves
(`speed_telling`), whether it may be laid (rules), the camera's words (`speed_piles`), hands (`speed_hands`), draws
(`speed_draws`), who laid a card and what it hides (`speed_weighing`), what people answer (`speed_answers`).

Written rules:
- what was open is closed by a later look (the covering card was taken back, and the hidden one shows) within
  `REVEAL_US`, or by a person; nothing later is told before that for `PATIENCE_US`, and then nothing on that pile is
  judged;
- a card that does not fit and may lie on one that nobody saw waits for `GOES_BACK_US`: taken back, it is told as it is;
  otherwise it is asked what it lies on;
- while side cards are due (`expected`), a card on a player's own pile by a hand that came from their side pile is the
  turn-up; without that hand it is open which it was;
- a card from a side pile while a claim is open waits for the answer: it is a turn-up if the claim holds;
- each event leaves alone, so that `expected` is of the moment before the next.
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.table.calls import Blocked, Call, Correct, Notice, Recount, Settle
from referee.table.camera_table import CameraTable
from referee.table.layouts import Layout
from referee.table.settings import FusionSettings
from referee.table.speed_answers import SpeedAnswers
from referee.table.speed_cards import (
    DRAWN,
    TURN_UP,
    CardItem,
    HiddenItem,
    Item,
    ShuffleItem,
    TakenItem,
    order,
)
from referee.table.speed_counts import Counts
from referee.table.speed_draws import Draws
from referee.table.speed_hands import SpeedHands
from referee.table.speed_piles import SpeedPiles
from referee.table.speed_telling import Telling
from referee.table.speed_weighing import Weighing
from referee.table.waiting import CallItem
from referee.table.watermarks import START_US
from referee.vision.sightings import (
    CameraPast,
    CardSeen,
    HandSeen,
    PileShifted,
    PileTaken,
    Sighting,
    TableMoved,
)
from referee.words import Event, Expected

MOST_WAITING = 300
REVEAL_US = 2_200_000  # so long it is waited for a hidden card to show by itself
GOES_BACK_US = 2_000_000  # and for a card that does not fit to be taken back, where it may lie on one nobody saw
PATIENCE_US = 8_000_000  # and for a person's word on one that is open, before what came later is told
CLAIM_WAITS_US = 12_000_000  # a claim waits so long for what was open when it was made


class SpeedTable(CameraTable):
    """See the rules of the module."""

    def __init__(self, layout: Layout, settings: FusionSettings, events: Sequence[Event] = ()) -> None:
        super().__init__(layout, settings, events)
        self._waiting: list[Item] = []
        self._said: list[Settle | Correct] = []
        self._hands = SpeedHands(layout, settings.name_sure)
        self._draws = Draws(self._hands, self._told)
        self._watch = SpeedPiles(layout, self._hands, self._told, self._waiting)
        self._weighing = Weighing(layout, self._hands)
        self._weighing.cards = self._watch.cards
        self._answers = SpeedAnswers(
            layout.players, self._hands, self._watch, self._told, self._waiting, self._clock_us
        )
        self._counts = Counts(layout.players, self._told, self._waiting)
        self._telling = Telling(
            layout, self._hands, self._watch, self._weighing, self._answers,
            self._draws, self._counts, self._told, self._waiting, self._clock_us,
        )  # fmt: skip
        self._claims: list[int] = []  # that may be open, by handle

    # ---- what the sources say

    def sighting(self, s: Sighting) -> None:
        """A word of the camera."""
        match s:
            case CardSeen():
                before = self._watch.card(s)
                if before is not None and before.handle is not None and before.is_read and not before.settled:
                    self._answers.read_late(before)
            case PileShifted():
                self._watch.shifted(s)
            case PileTaken():
                self._watch.taken(s)
            case HandSeen():
                self._watch.frame_us = max(self._watch.frame_us, s.t_us)
                self._hands.frame(s.t_us)
                if self._hands.hand(s) is not None:
                    self._watch.hand_came(s.t_us)
            case CameraPast():
                self._hands.frame(s.t_us if s.frame_us is None else s.frame_us)
                self._watch.past(s)
                self._marks.advance("camera", s.t_us)
            case TableMoved():
                self._notices.append(Notice(s.t_us, "table-moved", {"by_mm": s.by_mm}))
            case _:
                pass

    def call(self, c: Call) -> None:
        """A word of a person: a button, or the operator's page."""
        if isinstance(c, Settle | Correct):
            self._said.append(c)
        elif isinstance(c, Blocked | Recount):
            self._waiting.append(CallItem(c))

    def expected(self, e: Expected) -> None:
        """What may come next after everything released so far."""
        super().expected(e)
        self._telling.expected = e
        self._draws.judged(e)
        self._watch.steps = dict(enumerate(e.get("steps", ()), 1))

    # ---- what leaves

    def release(self) -> list[Event]:
        """The next event that is ready, corrections of earlier ones first; call it until it returns nothing."""
        events = [event for call in self._said for event in (*self._drawn_for(call), *self._answers.answer(call))]
        self._said.clear()
        self._notices.extend(self._answers.notices)
        self._answers.notices.clear()
        events += self._answers.freed()
        while not events and self._waiting:
            partner = self._partner()
            item = min(self._waiting, key=self._place) if partner is None else partner
            if self._is_asking() and partner is None and not (isinstance(item, CardItem) and item.together is not None):
                break
            if not (self._is_ready(item) or len(self._waiting) > MOST_WAITING):
                break
            events = self._drawn_by(item) or self._leave(item)
        return events

    def finish(self) -> list[Event]:
        """The sources have ended: everything that still waits, one event after another as `release` gives them."""
        self._marks.ended = True
        return self.release()

    def _partner(self) -> CardItem | None:
        """The other one of two cards with one `together` key, the first of which was told: the rules wait for it."""
        cards = (item for item in self._waiting if isinstance(item, CardItem) and item.together is not None)
        return next((item for item in cards if (item.together or 0) < self._told.count), None)

    def _place(self, item: Item) -> tuple[int, int, int]:
        return (self._weighing.moment(item, self._telling.due()), *order(item)[1:])

    def _is_asking(self) -> bool:
        """Whether a person is asked about a card, and may still answer before anything else is told."""
        if self._marks.ended or len(self._waiting) > MOST_WAITING:
            return False
        now_us = self._clock_us()
        return any(chain.links and now_us < chain.since_us + PATIENCE_US for chain in self._answers.chains())

    def _is_ready(self, item: Item) -> bool:
        if not self._marks.is_through("camera", item.t_us):
            return False
        now_us = self._clock_us()
        if isinstance(item, HiddenItem):
            if item.visit is not None and item.visit.likeliest in self._telling.due():
                return True  # they come to the pile for their side card
            return item.card is not None or self._marks.ended or now_us > item.t_us + REVEAL_US
        if isinstance(item, CallItem):
            # What is open may void what is claimed.
            is_open = any(chain.links for chain in self._answers.chains())
            return not is_open or self._marks.ended or now_us > item.t_us + CLAIM_WAITS_US
        if not isinstance(item, CardItem) or self._marks.ended:
            return True
        if not (item.is_read or item.closed):
            return now_us > item.t_us + self.settings.unread_us
        if self._telling.due():
            return True
        if self._may_be_due(item) and now_us <= item.t_us + PATIENCE_US:
            return False
        last = self._telling.would_win(item)
        if last is not None and not (self._counts.is_over(item, now_us) or self._counts.goes_on(item, last)):
            return False
        if item.stood or not self._weighing.is_doubtful(item, self._expected):
            return True
        return now_us > item.t_us + GOES_BACK_US

    def _may_be_due(self, item: CardItem) -> bool:
        """Whether a card is a turn-up if a claim that is still open holds."""
        self._claims = [handle for handle in self._claims if DRAWN in (self._told.at(handle) or {}).get("doubt", ())]
        owner = self.layout.players[item.pile - 1]
        return bool(self._claims) and bool(self._hands.fresh_at_side(owner, item.t_us))

    def _leave(self, item: Item) -> list[Event]:
        match item:
            case ShuffleItem():
                self._waiting.remove(item)
                if self._expected is None or "split" not in self._expected:
                    return []
                counts = list(self._expected["split"])
                return [self._telling.tell({"t_us": item.t_us, "event": "reshuffle", "counts": counts})]
            case CallItem():
                self._waiting.remove(item)
                event = self._claim(item)
                if isinstance(item.call, Blocked):
                    may_draw = [] if self._expected is None else self._expected.get("may_draw", [])
                    has_drawn = event["player"] is not None and item.call.player not in may_draw
                    self._counts.claimed(item.call.player, item.t_us, has_drawn)
                told, item.handle = self._told.add(event, "operator", self._clock_us())
                self._telling.claimed_us = max(self._telling.claimed_us, item.t_us)
                self._claims.append(item.handle)
                return [told]
            case TakenItem():
                self._waiting.remove(item)
                shown = self._counts.taken(item, self._expected)
                self._answers.take_off(item.pile)
                return [self._telling.tell(event) for event in shown]
            case HiddenItem():
                return self._telling.hidden(item)
            case CardItem():
                return self._telling.card(item)

    def _claim(self, item: CallItem) -> Event:
        """What a person said; open where nobody saw whether they had drawn before, or what the game is at."""
        event = item.event()
        if event["event"] != "blocked" or self._telling.due():
            return event
        drawn = self._draws.may_have_drawn(self._expected, event["player"], item.t_us)
        if not drawn and not self._answers.is_lost():
            return event
        return {**event, "player": None, "by": event["player"], "count": drawn, "doubt": [DRAWN]}

    def _drawn_by(self, item: Item) -> list[Event]:
        """A draw of which a hand at a draw pile told, if it is due before an item."""
        if self._expected is None or (isinstance(item, CardItem) and item.together not in (None, self._told.count)):
            return []  # nothing comes between two cards whose order is open
        return self._telling.drawn(self._draws.due(self._expected, item.t_us))

    def _drawn_for(self, call: Settle | Correct) -> list[Event]:
        """The draw by which a player came to a card that a person says they laid, and whose hand should be empty."""
        stands = None if isinstance(call, Correct) else self._told.at(call.index)
        if isinstance(call, Correct) or stands is None or stands["event"] != "play" or stands["player"] is not None:
            return []
        if TURN_UP in stands.get("doubt", ()) or self._telling.due():
            return []
        draw = self._draws.unseen(self._expected, call.player, stands["t_us"] - 1)
        return (
            []
            if draw is None
            else [self._telling.tell({"t_us": draw.t_us, "event": "draw", "player": draw.player, "count": 1})]
        )

    def _clock_us(self) -> int:
        told_us = START_US if self._told.last_us is None else self._told.last_us
        return max(self._marks.now_us, self._marks.past("camera"), told_us)
