"""The table of Speed: what the camera shows and players say becomes the events of a match.

Belongs here: which waiting item leaves when, and as which event; what of it is open. Does not belong here: whether a
card may be laid (rules), the camera's words (`speed_piles`), hands (`speed_hands`), draws (`speed_draws`), who laid a
card and what it hides (`speed_weighing`), what people answer (`speed_answers`).

Written rules:
- what was open is closed by a later look (the covering card was taken back, and the hidden one shows) within
  `REVEAL_US`, or by a person; nothing later is told before that for `PATIENCE_US`, and then nothing on that pile is
  judged;
- a card that does not fit and may lie on one that nobody saw waits for `GOES_BACK_US`: taken back, it is told as it is;
  otherwise it is asked what it lies on;
- while side cards are due (`expected`), a card on a player's own pile by a hand that came from their side pile is the
  turn-up; without that hand it is open which it was;
- a card from a side pile while a claim is open waits for the answer: it is a turn-up if the claim holds;
- what comes nearer to a turn-up than the camera can order is told after it, as open;
- two cards on the two piles nearer in time than the camera can order carry one `together` key;
- each event leaves alone, so that `expected` is of the moment before the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from referee.table.calls import Blocked, Call, Correct, Notice, Recount, Settle
from referee.table.camera_table import CameraTable
from referee.table.layouts import Layout
from referee.table.settings import FusionSettings
from referee.table.speed_answers import SAME_CARD_US, SpeedAnswers
from referee.table.speed_cards import (
    BELOW,
    DRAWN,
    HIDDEN,
    TOO_SOON,
    TURN_UP,
    CardItem,
    HiddenItem,
    Item,
    Link,
    Pile,
    ShuffleItem,
    TakenItem,
    order,
    play_event,
)
from referee.table.speed_draws import Draw, Draws
from referee.table.speed_hands import ORDER_US, SpeedHands
from referee.table.speed_piles import LANDS_IN_US, SpeedPiles
from referee.table.speed_weighing import Weighing
from referee.table.visits import Visit
from referee.table.waiting import CallItem
from referee.table.watermarks import START_US
from referee.vision.sightings import (
    UNREADABLE,
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
WINDOW_US = 100_000  # a turn-up and what is laid then are not ordered nearer than this


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
        self._answers = SpeedAnswers(
            layout.players, self._hands, self._watch, self._told, self._waiting, self._clock_us
        )
        self._turned_us = self._claimed_us = START_US
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
        self._draws.judged(e)
        self._watch.steps = dict(enumerate(e.get("steps", ()), 1))

    # ---- what leaves

    def release(self) -> list[Event]:
        """The next event that is ready, corrections of earlier ones first; call it until it returns nothing."""
        events = [event for call in self._said for event in self._answers.answer(call)]
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

    def _due(self) -> list[str]:
        return self._expected["may_flip"] if self._expected is not None else []

    def _place(self, item: Item) -> tuple[int, int, int]:
        return (self._weighing.moment(item, self._due()), *order(item)[1:])

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
            if item.visit is not None and item.visit.likeliest in self._due():
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
        if self._due():
            return True
        if self._may_be_due(item) and now_us <= item.t_us + PATIENCE_US:
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
                return [self._tell({"t_us": item.t_us, "event": "reshuffle", "counts": counts})]
            case CallItem():
                self._waiting.remove(item)
                event = self._claim(item)
                told, item.handle = self._told.add(event, "operator", self._clock_us())
                self._claimed_us = max(self._claimed_us, item.t_us)
                self._claims.append(item.handle)
                return [told]
            case TakenItem():
                self._waiting.remove(item)
                self._answers.take_off(item.pile)
                return []
            case HiddenItem():
                return self._leave_hidden(item)
            case CardItem():
                return self._leave_card(item)

    def _claim(self, item: CallItem) -> Event:
        """What a person said; open where nobody saw whether they had drawn before, or what the game is at."""
        event = item.event()
        if event["event"] != "blocked" or self._due():
            return event
        drawn = self._draws.may_have_drawn(self._expected, event["player"], item.t_us)
        if not drawn and not self._answers.is_lost():
            return event
        return {**event, "player": None, "by": event["player"], "count": drawn, "doubt": [DRAWN]}

    def _drawn_by(self, item: Item) -> list[Event]:
        """A draw of which a hand at a draw pile told, if it is due before an item."""
        if self._expected is None or (isinstance(item, CardItem) and item.together not in (None, self._told.count)):
            return []  # nothing comes between two cards whose order is open
        return self._drawn(self._draws.due(self._expected, item.t_us))

    def _drawn(self, draw: Draw | None) -> list[Event]:
        """One card; it stands after all that was told, whatever is told of it later."""
        if draw is None:
            return []
        at_us = draw.t_us if self._told.last_us is None else max(draw.t_us, self._told.last_us)
        if draw.t_us < self._claimed_us:
            at_us = draw.t_us  # a claim was told since: it bears on that
        return [self._tell({"t_us": at_us, "event": "draw", "player": draw.player, "count": 1})]

    def _tell_laid(self, event: Event) -> tuple[Event, int]:
        told, handle = self._told.add(event, "camera", self._clock_us())
        self._draws.has_told(handle, event, self._expected)
        return told, handle

    def _tell(self, event: Event) -> Event:
        return self._told.add(event, "camera", self._clock_us())[0]

    def _clock_us(self) -> int:
        told_us = START_US if self._told.last_us is None else self._told.last_us
        return max(self._marks.now_us, self._marks.past("camera"), told_us)

    # ---- a card leaves

    def _leave_card(self, item: CardItem) -> list[Event]:
        due, owner, pile = self._due(), self.layout.players[item.pile - 1], self._watch.piles[item.pile]
        player = self._weighing.laid_by(item)
        if self._weighing.is_turn_up(item, due) and not self._weighing.is_blind(item):
            if (turning := self._weighing.turning(item, owner)) is not None:
                return self._covers_turn_up(item, owner, turning)
            return self._turned_up(item, owner)
        if owner in due and player in (owner, None):
            # Nobody saw where it came from, or too few frames show it.
            self._waiting.remove(item)
            told = self._play(item, None, pile, (TURN_UP,))
            self._lose_if_starved(item, pile)
            return [told]
        if due and self._after_turn_up(item):
            return []
        if not due and not item.soon and player == owner and self._hands.fresh_at_side(owner, item.t_us):
            # A turn-up that was not due: something before it was not heard, and nothing on it can be judged.
            self._waiting.remove(item)
            told = self._play(item, None, pile, (TURN_UP,))
            pile.chain.links[-1].lost = True
            return [told]
        if not due:
            if item.soon or item.t_us - self._turned_us <= WINDOW_US:
                self._waiting.remove(item)
                return [self._play(item, None, pile, (TOO_SOON,))]
            if self._weighing.is_doubtful(item, self._expected) and not pile.chain.links:
                return self._may_lie_on_another(item)
            near = self._near(item)
            for who in (player, None if near is None else self._weighing.laid_by(near)):
                # Nothing may come between two cards whose order is open: what either was drawn for comes first.
                if who is not None and (drawn := self._drawn(self._draws.unseen(self._expected, who, item.t_us))):
                    return drawn
        self._waiting.remove(item)
        if not due:
            self._pair(item)
        elif self._answers.is_lost() or self._weighing.is_blind(item):
            player = None  # whether cards are still to be turned up is not known
        told = self._play(item, player, pile)
        self._lose_if_starved(item, pile)
        return [told]

    def _lose_if_starved(self, item: CardItem, pile: Pile) -> None:
        """Where frames were missing again and again, cards may have come unseen: only a person who corrects knows."""
        starved = self._weighing.is_blind(item) and self._hands.was_starved(item.seen.between_us[1])
        if starved and pile.chain.links:
            pile.chain.links[-1].lost = True

    def _may_lie_on_another(self, item: CardItem) -> list[Event]:
        """A card that does not fit, was not taken back, and may lie on one that nobody saw: that is asked first."""
        item.weighed = True
        from_us, until_us = item.seen.between_us[0], item.visits[0].first_us if item.visits else item.t_us
        t_us = min((from_us + until_us) // 2, item.t_us - 1)
        self._waiting.append(HiddenItem(item.pile, None, None, t_us, item))
        return []

    def _after_turn_up(self, item: CardItem | HiddenItem) -> bool:
        """Put an item after a side card that is still due and came too near to it to be ordered."""
        due = self._due()
        for other in self._waiting:
            if isinstance(other, CardItem) and other is not item and self._weighing.is_turn_up(other, due):
                turned_us = self._weighing.moment(other, due)
                if item.t_us <= turned_us <= item.t_us + WINDOW_US:
                    item.t_us = turned_us + 1
                    if isinstance(item, CardItem):
                        item.soon = True
                    return True
        return False

    def _turned_up(self, item: CardItem, owner: str) -> list[Event]:
        for visit in self._hands.at_side(owner, item.t_us):
            visit.used = True
        self._waiting.remove(item)
        item.t_us = max(min(item.seen.edge_us, item.t_us), self._watch.piles[item.pile].last_us + 1)
        self._turned_us = max(self._turned_us, item.t_us)
        event = play_event(item, owner, item.seen.card)
        del event["pile"]
        event.pop("together", None)
        event |= {"event": "turn_up"}
        told, item.handle = self._told.add(event, "camera", self._clock_us())
        item.settled = True
        self._watch.piles[item.pile].unread = None if item.is_read else item.handle
        return [told]

    def _covers_turn_up(self, item: CardItem, owner: str, turning: Visit) -> list[Event]:
        """The side card was turned up and covered before anybody could look: it is told unread, the other one after."""
        side = self._hands.fresh_at_side(owner, item.t_us)[-1]
        t_us = min((side.first_us + side.last_us) // 2, turning.last_us, item.t_us - 1)
        seen = replace(item.seen, card=UNREADABLE, confidence=0.0, edge_us=t_us, former=None)
        item.visits = item.visits[item.visits.index(turning) + 1 :]
        item.t_us = max(item.t_us, item.visits[0].first_us)
        covered = CardItem(seen, item.pile, t_us, [turning], closed=True)
        self._waiting.append(covered)
        return self._turned_up(covered, owner)

    def _leave_hidden(self, item: HiddenItem) -> list[Event]:
        """A card that may lie below: as a later look, or the ranks, showed it; or open."""
        pile, due = self._watch.piles[item.pile], self._due()
        if due and self._after_turn_up(item):
            return []
        if not due and item.card is None and not pile.chain.links:
            looked_us = self._watch.looked_us(item.pile)
            if not self._weighing.weigh(item, self._waiting, self._expected, self._clock_us(), looked_us):
                self._waiting.remove(item)
                return []
        is_whole = item.player is not None and item.card is not None
        if is_whole and (drawn := self._drawn(self._draws.unseen(self._expected, item.player, item.t_us))):
            return drawn
        self._waiting.remove(item)
        if item.card is not None and item.t_us - pile.said.get(item.card, START_US) < SAME_CARD_US:
            return []  # a person has said so already
        by = None if item.visit is None else item.visit.likeliest
        if due and by in due:
            return []  # whose card is due comes to the pile for that
        pile.last_us = item.t_us = max(item.t_us, pile.last_us + 1)
        if item.under is not None:
            item.under.lies_on_another(True, LANDS_IN_US)
        # While a card is due it was laid too soon, or nothing was: nobody saw it.
        soon = item.under is None and item.t_us - self._turned_us <= WINDOW_US  # taken back: too soon, most likely
        item.player = None if due or soon else item.player
        return [self._tell_hidden(item, pile, (HIDDEN, TOO_SOON) if soon else (HIDDEN,))]

    def _tell_hidden(self, item: HiddenItem, pile: Pile, doubt: Sequence[str]) -> Event:
        event: dict[str, Any] = {
            "t_us": item.t_us, "event": "play", "player": item.player, "pile": item.pile,
            "card": item.card or UNREADABLE,
        }  # fmt: skip
        is_whole = item.player is not None and item.card is not None
        if not is_whole:
            event["doubt"] = list(doubt)
            if item.under is not None:
                event["under"] = item.under.seen.card
                event["between"] = [item.under.seen.between_us[0], item.under.t_us]
        if is_whole and pile.chain.links:
            waits = {**event, "card": UNREADABLE, "doubt": [BELOW], "may_be": [item.card]}
            told, handle = self._tell_laid(waits)
            pile.chain.open(Link(handle, event, told=False, player=item.player), self._clock_us())
            return told
        told, handle = self._tell_laid(event)
        if not is_whole:
            self._answers.asked[handle] = item
            pile.chain.open(Link(handle, None, told=True, hidden=True, player=item.player), self._clock_us())
        return told

    def _play(self, item: CardItem, player: str | None, pile: Pile, doubt: Sequence[str] = ()) -> Event:
        item.t_us = max(item.t_us, pile.last_us + 1)
        pile.last_us = item.t_us
        right = play_event(item, player, item.seen.card) if player is not None and item.is_read else None
        if pile.unread is not None and not pile.chain.links and right is not None:
            # The card is told as it is: with it, it is asked which one it lies on.
            told, item.handle = self._tell_laid(right)
            pile.chain.open(Link(pile.unread, None, told=True), self._clock_us())
            pile.chain.open(Link(item.handle, right, told=True, player=player), self._clock_us())
            pile.unread = None
            return told
        if pile.chain.links:
            named = None if self._due() else player  # too soon or not: that is as open as what lies below
            event = {**play_event(item, named, UNREADABLE, (BELOW,)), "may_be": [item.seen.card]}
            told, item.handle = self._tell_laid(event)
            pile.chain.open(Link(item.handle, right, told=False, player=player), self._clock_us())
            return told
        event = right if right is not None else play_event(item, player, item.seen.card, doubt)
        told, item.handle = self._tell_laid(event)
        item.clean = item.clean or right is not None
        if right is None:
            pile.chain.open(Link(item.handle, None, told=True, player=player), self._clock_us())
        return told

    def _pair(self, item: CardItem) -> None:
        """Give a card and the one on the other pile that came at the same time, as far as can be told, one key."""
        if (other := self._near(item)) is not None:
            item.together = other.together = self._told.count

    def _near(self, item: CardItem) -> CardItem | None:
        """The card on the other pile whose order to this one cannot be told, if there is one."""
        if item.together is not None:
            return None
        for other in self._waiting:
            near = isinstance(other, CardItem) and other.pile != item.pile and other.together is None
            if near and other.t_us - item.t_us <= ORDER_US:
                assert isinstance(other, CardItem)
                return other
        return None
