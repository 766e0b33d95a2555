"""The table of Speed: what the camera shows and players say becomes the events of a match.

Belongs here: cards on the central piles as plays and turn-ups, by whom and in which order; draws, shuffles, `blocked`.
Does not belong here: whether a card may be laid (rules), hands as visits (`visits`), what waits and what is open
(`speed_cards`).

Written rules:
- a card on a central pile was laid by the one hand that was there since the pile was last looked at; where several
  were, by the last one, and what the others did there is open: each may have laid a card that the next one hid;
- what was open is closed by a later look (the covering card was taken back, and the hidden one shows) within
  `REVEAL_US`, or by a person; nothing later is told before that for `PATIENCE_US`, and then nothing on that pile is
  judged;
- while side cards are due (`expected`), a card on a player's own pile by a hand that came from their side pile is the
  turn-up; without that hand it is open which it was;
- two cards on the two piles nearer in time than the camera can order carry one `together` key;
- how many cards a hand takes from a draw pile cannot be seen: a hand that was there has drawn what was missing
  (SP-11), a card laid from an empty hand was drawn;
- each event leaves alone, so that `expected` is of the moment before the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from referee.table.calls import Blocked, Call, Correct, Notice, Recount, Settle
from referee.table.camera_table import CameraTable
from referee.table.layouts import Layout
from referee.table.settings import FusionSettings
from referee.table.speed_cards import (
    BELOW,
    HIDDEN,
    TURN_UP,
    CardItem,
    Chain,
    HiddenItem,
    Item,
    Link,
    Pile,
    ShuffleItem,
    TakenItem,
    order,
    play_event,
)
from referee.table.visits import Visit, Visits
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
from referee.words import Event

MOST_WAITING = 300
MOST_CARDS = 300
REVEAL_US = 2_200_000  # so long it is waited for a hidden card to show by itself
PATIENCE_US = 5_000_000  # and for a person's word on one that is open, before what came later is told
LEAST_STAY_US = 110_000  # a hand that came later before a card was seen cannot have laid it and gone
LANDS_IN_US = 50_000  # from a hand coming to a pile to its card lying there
LAY_NEAR_MM = 58.0  # fingers that come so near to the middle of a central pile may have laid or taken a card
DRAW_NEAR_MM = 45.0  # fingers that come so near to the middle of a draw pile have drawn
LANDS_AFTER_US = 95_000  # from a card's face coming over its pile to the card lying there
FROM_SIDE_US = 1_200_000  # a turned card's hand was at the side pile so shortly before
ORDER_US = 120_000  # cards on two piles nearer in time than that are not ordered
BY_SURE = 0.97
DRAWN_WITHIN_US = 20_000_000  # a draw that was seen is told so late at most
SAME_CARD_US = 3_000_000  # there is one of each card: told twice so soon on one pile, it is the same
WINDOW_US = 40_000  # two cards that are turned up together, and what is laid then, are not ordered nearer than this
HAND = 5  # cards at most that a hand takes from a draw pile at once


class SpeedTable(CameraTable):
    """See the rules of the module."""

    def __init__(self, layout: Layout, settings: FusionSettings, events: Sequence[Event] = ()) -> None:
        super().__init__(layout, settings, events)
        self._waiting: list[Item] = []
        self._said: list[Settle | Correct] = []
        self._cards: dict[int, CardItem] = {}
        self._piles = {1: Pile(), 2: Pile()}
        self._left: list[Chain] = []  # of piles that were taken while something on them was open
        rects = {name: zone.rect for name, zone in layout.zones.items()}
        self._visits = Visits(rects, {name: 0.0 for name in rects if not name.startswith("central/")})
        self._looked_us: dict[str, int] = {}
        self._frame_us = START_US
        self._taken_us: dict[str, int] = {}
        self._played_us: dict[str, int] = {}
        self._drew: dict[str, int] = {}
        self._asked: dict[int, HiddenItem] = {}
        self._owed: dict[str, int] = {}

    # ---- what the sources say

    def sighting(self, s: Sighting) -> None:
        """A word of the camera."""
        match s:
            case CardSeen():
                self._card(s)
            case PileShifted():
                if (number := self._number(s.zone)) is not None:
                    self._shows_again(number, s.card)
            case PileTaken():
                self._pile_taken(s)
            case HandSeen():
                self._frame_us = max(self._frame_us, s.t_us)
                self._hand(s)
            case CameraPast():
                self._camera_past(s)
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

    # ---- what leaves

    def release(self) -> list[Event]:
        """The next event that is ready, corrections of earlier ones first; call it until it returns nothing."""
        events = [event for call in self._said for event in self._answer(call)]
        self._said.clear()
        events += self._freed()
        while not events and self._waiting:
            item = min(self._waiting, key=order)
            if self._is_asking():
                break
            if not (self._is_ready(item) or len(self._waiting) > MOST_WAITING):
                break
            events = self._drawn_by(item) or self._leave(item)
        return events

    def finish(self) -> list[Event]:
        """The sources have ended: everything that still waits, one event after another as `release` gives them."""
        self._marks.ended = True
        return self.release()

    def _is_asking(self) -> bool:
        """Whether a person is asked about a card, and may still answer before anything else is told."""
        if self._marks.ended or len(self._waiting) > MOST_WAITING:
            return False
        now_us = self._clock_us()
        return any(chain.links and now_us < chain.since_us + PATIENCE_US for chain in self._chains())

    def _chains(self) -> list[Chain]:
        return [*self._left, *(pile.chain for pile in self._piles.values())]

    def _is_ready(self, item: Item) -> bool:
        if not self._marks.is_through("camera", item.t_us):
            return False
        if isinstance(item, HiddenItem):
            return item.card is not None or self._marks.ended or self._clock_us() > item.t_us + REVEAL_US
        if not isinstance(item, CardItem) or item.is_read or item.closed:
            return True
        return self._marks.ended or self._clock_us() > item.t_us + self.settings.unread_us

    def _leave(self, item: Item) -> list[Event]:
        expected = self._expected
        match item:
            case ShuffleItem():
                self._waiting.remove(item)
                if expected is None or "split" not in expected:
                    return []
                event: Event = {"t_us": item.t_us, "event": "reshuffle", "counts": list(expected["split"])}
                return [self._tell(event)]
            case CallItem():
                self._waiting.remove(item)
                told, item.handle = self._told.add(item.event(), "operator", self._clock_us())
                return [told]
            case TakenItem():
                self._waiting.remove(item)
                self._left = [chain for chain in [*self._left, self._piles[item.pile].chain] if chain.links]
                self._piles[item.pile].chain = Chain()
                return []
            case HiddenItem():
                return self._leave_hidden(item)
            case CardItem():
                return self._leave_card(item)

    def _drawn_by(self, item: Item) -> list[Event]:
        """A draw of which a hand at a draw pile told, if it is due before an item."""
        if self._expected is None or (isinstance(item, CardItem) and item.together not in (None, self._told.count)):
            return []  # nothing comes between two cards whose order is open
        for player in self._expected.get("may_draw", ()):
            visits = self._visits.within(f"draw/{player}", item.t_us - DRAWN_WITHIN_US, item.t_us)
            own = [visit for visit in visits if visit.likeliest == player and visit.nearest_mm < DRAW_NEAR_MM]
            since_us = self._played_us.get(player, START_US)
            # What is missing since the last card was laid, and one card for a visit while something was open.
            fresh = [visit for visit in own if visit.last_us > since_us and self._drew.get(player, 0) < HAND]
            if self._owed.get(player, 0) and not fresh and own:
                self._owed[player] -= 1
                return [self._draw(player, own[-1].first_us)]
            if due := fresh[-1:] or [visit for visit in own if not visit.used][:1]:
                self._owed[player] = 0
                self._drew[player] = self._drew.get(player, 0) + 1
                due[0].used = True
                return [self._draw(player, due[0].first_us)]
        return []

    def _now_known(self, event: Event | None) -> None:
        """A card that was open was laid after all: its player has drawn for it, if they were at their pile since."""
        player = None if event is None else event.get("player")
        if event is None or player is None or event["event"] != "play":
            return
        visits = self._visits.within(f"draw/{player}", event["t_us"], self._clock_us())
        if any(visit.likeliest == player and visit.nearest_mm < DRAW_NEAR_MM for visit in visits):
            self._owed[player] = self._owed.get(player, 0) + 1

    def _draw(self, player: str, t_us: int) -> Event:
        """One card; it stands after all that was told, whatever is told of it later."""
        at_us = t_us if self._told.last_us is None else max(t_us, self._told.last_us)
        return self._tell({"t_us": at_us, "event": "draw", "player": player, "count": 1})

    def _tell(self, event: Event) -> Event:
        return self._told.add(event, "camera", self._clock_us())[0]

    def _clock_us(self) -> int:
        told_us = START_US if self._told.last_us is None else self._told.last_us
        return max(self._marks.now_us, self._marks.past("camera"), told_us)

    # ---- a card leaves

    def _leave_card(self, item: CardItem) -> list[Event]:
        due = self._expected["may_flip"] if self._expected is not None else []
        owner = self.layout.players[item.pile - 1]
        player = self._laid_by(item)
        if owner in due and player in (owner, None):
            if self._came_from_side(item, owner):
                return self._turned_up(item, owner)
            self._waiting.remove(item)
            return [self._play(item, None, self._piles[item.pile], (TURN_UP,))]
        if due and (turned_us := self._turns_up_soon(item, due)) is not None:
            item.unexplained, player = True, None  # too soon or just in time: nobody can tell
            if turned_us < item.t_us:
                item.t_us = turned_us + 1
                return []
        if not due and player == owner and self._came_from_side(item, owner):
            # A turn-up that was not due: something before it was not heard, and nothing on it can be judged.
            self._waiting.remove(item)
            told = self._play(item, None, self._piles[item.pile], (TURN_UP,))
            self._piles[item.pile].chain.links[-1].lost = True
            return [told]
        if player is not None and not due and (drawn := self._drawn_before(item, player)):
            return drawn
        self._waiting.remove(item)
        if not due:
            self._pair(item)
        return [self._play(item, player, self._piles[item.pile])]

    def _turns_up_soon(self, item: CardItem, due: Sequence[str]) -> int | None:
        """The place in the queue of a side card that is still due, if it comes nearer in time than the order can be
        told."""
        for other in self._waiting:
            if isinstance(other, CardItem) and other is not item and other.pile != item.pile:
                owner = self.layout.players[other.pile - 1]
                turned_us = min(other.seen.edge_us, other.t_us)
                near = abs(turned_us - item.t_us) <= WINDOW_US
                if owner in due and near and self._came_from_side(other, owner):
                    return other.t_us if turned_us <= item.t_us else item.t_us + 1
        return None

    def _turned_up(self, item: CardItem, owner: str) -> list[Event]:
        for visit in self._at_side(item, owner):
            visit.used = True
        self._waiting.remove(item)
        item.t_us = max(min(item.seen.edge_us, item.t_us), self._piles[item.pile].last_us + 1)
        event = play_event(item, owner, item.seen.card)
        del event["pile"]
        event.pop("together", None)
        event |= {"event": "turn_up"}
        told, item.handle = self._told.add(event, "camera", self._clock_us())
        item.settled = True
        return [told]

    def _drawn_before(self, item: CardItem | HiddenItem, player: str) -> list[Event]:
        """A card laid from a hand that should be empty was drawn, though nobody saw it."""
        expected = self._expected
        if expected is None or player in expected.get("may_play", (player,)) or player not in expected["may_draw"]:
            return []
        return [self._draw(player, item.t_us)]

    def _leave_hidden(self, item: HiddenItem) -> list[Event]:
        """A card that may lie below: as a later look showed it, or open."""
        if item.player is not None and item.card is not None and (drawn := self._drawn_before(item, item.player)):
            return drawn
        self._waiting.remove(item)
        pile = self._piles[item.pile]
        if item.card is not None and item.t_us - pile.said.get(item.card, START_US) < SAME_CARD_US:
            return []  # a person has said so already
        pile.last_us = item.t_us = max(item.t_us, pile.last_us + 1)
        event: dict[str, Any] = {
            "t_us": item.t_us, "event": "play", "player": item.player, "pile": item.pile,
            "card": item.card or UNREADABLE, "doubt": [HIDDEN], "under": item.under.seen.card,
        }  # fmt: skip
        due = self._expected["may_flip"] if self._expected is not None else []
        if due:
            if item.visit.likeliest in due:
                return []  # whose card is due comes to the pile for that
            event["player"] = item.player = None  # laid too soon, or nothing: nobody saw it
        is_whole = item.player is not None and item.card is not None
        if is_whole:
            del event["doubt"], event["under"]
        self._has_played(item.player or item.visit.likeliest, item.visit.last_us)
        if is_whole and pile.chain.links:
            waits = {**event, "card": UNREADABLE, "doubt": [BELOW], "may_be": [item.card]}
            told, handle = self._told.add(waits, "camera", self._clock_us())
            pile.chain.open(Link(handle, event, told=False, player=item.player), self._clock_us())
            return [told]
        told, handle = self._told.add(event, "camera", self._clock_us())
        if not is_whole:
            self._asked[handle] = item
            pile.chain.open(Link(handle, None, told=True, hidden=True, player=item.player), self._clock_us())
        return [told]

    def _has_played(self, player: str | None, t_us: int) -> None:
        if player is not None:
            self._played_us[player], self._drew[player] = t_us, 0

    def _play(self, item: CardItem, player: str | None, pile: Pile, doubt: Sequence[str] = ()) -> Event:
        item.t_us = max(item.t_us, pile.last_us + 1)
        pile.last_us = item.t_us
        if item.visits:
            self._has_played(player or item.visits[-1].likeliest, item.visits[-1].last_us)
        right = play_event(item, player, item.seen.card) if player is not None and item.is_read else None
        if pile.chain.links:
            event = {**play_event(item, player, UNREADABLE, (BELOW,)), "may_be": [item.seen.card]}
            told, item.handle = self._told.add(event, "camera", self._clock_us())
            pile.chain.open(Link(item.handle, right, told=False, player=player), self._clock_us())
            return told
        event = right if right is not None else play_event(item, player, item.seen.card, doubt)
        told, item.handle = self._told.add(event, "camera", self._clock_us())
        if right is None:
            pile.chain.open(Link(item.handle, None, told=True, player=player), self._clock_us())
        return told

    def _pair(self, item: CardItem) -> None:
        """Give a card and the one on the other pile that came at the same time, as far as can be told, one key."""
        if item.together is not None:
            return
        for other in self._waiting:
            near = isinstance(other, CardItem) and other.pile != item.pile and other.together is None
            if near and other.t_us - item.t_us <= ORDER_US:
                assert isinstance(other, CardItem)
                item.together = other.together = self._told.count
                return

    def _laid_by(self, item: CardItem) -> str | None:
        """Who laid a card; None: that is open."""
        visits, sure = list(item.visits), self.settings.name_sure
        if item.unexplained:
            return None
        if not visits:
            return item.seen.by if item.seen.by_chance >= BY_SURE else None
        if item.player is not None:
            return item.player
        # Of the hands of both, either may have laid the card on top: the last one may only have come to look.
        names = {visit.player(sure) for visit in visits}
        return names.pop() if len(names) == 1 else None

    def _came_from_side(self, item: CardItem, owner: str) -> bool:
        return any(not visit.used for visit in self._at_side(item, owner))

    def _at_side(self, item: CardItem, owner: str) -> list[Visit]:
        """The visits of a hand to its side pile from which a card may have been turned up."""
        visits = self._visits.within(f"side/{owner}", item.t_us - FROM_SIDE_US, item.t_us + ORDER_US)
        return [visit for visit in visits if visit.likeliest == owner and visit.nearest_mm < DRAW_NEAR_MM]

    # ---- what was open

    def _answer(self, call: Settle | Correct) -> list[Event]:
        """What a person says of an event."""
        if isinstance(call, Correct):
            where = {"before": call.before} if call.before is not None else {"ref": call.ref}
            event: dict[str, Any] = {"t_us": call.t_us, "event": "correct", **where}
            event |= {"by": call.by, "reason": call.reason, "with": call.event}
            self._told.append(event)
            return [event, *(self._spoken(call.ref, corrected=True) if call.ref is not None else [])]
        stands = self._told.at(call.index)
        if stands is None:
            self._notices.append(Notice(call.t_us, "nothing-to-settle", {"index": call.index}))
            return []
        if "together" in stands and call.player is not None and stands["card"] != UNREADABLE:
            return self._ordered(call.index, stands, call)
        right = {key: value for key, value in stands.items() if key not in ("may_be", "confidence", "doubt")}
        if call.card is not None:
            right["card"] = call.card
        if call.player is not None:
            right["player"] = call.player
        if TURN_UP in stands.get("doubt", ()) and right["player"] == self.layout.players[stands["pile"] - 1]:
            # Nobody lays a card on their own pile before their own turn-up.
            right["event"] = "turn_up"
            del right["pile"]
        right["settled_by"] = "operator"
        corrected = self._told.correct(call.index, right, "operator", "settled", call.t_us)
        is_whole = right["player"] is not None and right["card"] != UNREADABLE
        if is_whole:
            self._now_known(right)
        if HIDDEN in stands.get("doubt", ()) and right["card"] != UNREADABLE:
            self._not_laid_again(right, self._asked.get(call.index))
        return [corrected, *(self._spoken(call.index) if is_whole else [])]

    def _not_laid_again(self, settled: Event, asked: HiddenItem | None) -> None:
        """The card that was hidden and shows later was uncovered, and not laid: there is one of each."""
        self._piles[settled["pile"]].said[settled["card"]] = settled["t_us"]
        if asked is not None and settled["player"] is not None:
            # Two hands, two cards: the one on top was the other hand's.
            names = [visit.player(self.settings.name_sure) for visit in asked.under.visits]
            if len(names) == 2 and settled["player"] in names:
                names.remove(settled["player"])
                asked.under.player = names[0]
            for item in self._waiting:
                if isinstance(item, CardItem) and item.pile == settled["pile"] and item.seen.former is None:
                    item.unexplained = False  # what lies there is known again
        later = [item for item in self._waiting if isinstance(item, CardItem) and item.pile == settled["pile"]]
        for below, item in pairwise(sorted(later, key=order)):
            same_hand = item.visits and below.visits and item.visits[-1].likeliest == below.visits[-1].likeliest
            if same_hand and item.seen.card == settled["card"] and item.seen.former != "stays":
                self._waiting.remove(item)
            return

    def _ordered(self, index: int, stands: Event, call: Settle) -> list[Event]:
        """Two cards whose order mattered: the named player's came first."""
        partner = next((k for k in (index - 1, index + 1) if self._is_partner(k, stands)), None)
        if partner is None:
            return []
        first, second = sorted((index, partner))
        pair = [dict(self._told.at(first) or {}), dict(self._told.at(second) or {})]
        for one in pair:
            del one["together"]
            one["settled_by"] = "operator"
        if pair[1]["player"] == call.player:
            pair.reverse()
        return [
            self._told.correct(handle, right, "operator", "settled", call.t_us)
            for handle, right in zip((first, second), pair, strict=True)
        ]

    def _is_partner(self, handle: int, stands: Event) -> bool:
        other = self._told.at(handle)
        return other is not None and other.get("together") == stands["together"]

    def _spoken(self, handle: int, corrected: bool = False) -> list[Event]:
        """A person has spoken on an event: what lay on it may be told now."""
        for item in self._cards.values():
            if item.handle == handle:
                item.settled = True
        for chain in self._chains():
            chain.settle(handle, corrected)
        return self._freed()

    def _freed(self) -> list[Event]:
        """What is clear now though it was told as open."""
        events = []
        for link in [link for chain in self._chains() for link in chain.free()]:
            self._now_known(link.right)
            why = "what lay below it is settled"
            events.append(self._told.correct(link.handle, link.right, "camera", why, self._clock_us()))
        return events

    def _read_late(self, item: CardItem) -> None:
        """A card that was told unread is read now: the next release tells it anew."""
        link = next((one for one in self._piles[item.pile].chain.links if one.handle == item.handle), None)
        stands = None if item.handle is None else self._told.at(item.handle)
        if link is not None and stands is not None and stands["player"] is not None:
            link.right, link.told = play_event(item, stands["player"], item.seen.card), False

    # ---- the camera's words

    def _number(self, zone: str) -> int | None:
        place = self.layout.zones.get(zone)
        if place is None or self.layout.meaning(zone) != "busy":
            return None
        return int(zone.rpartition("/")[2])

    def _card(self, seen: CardSeen) -> None:
        before = self._cards.get(seen.number)
        if before is not None:
            before.seen = seen
            if before.handle is not None and before.is_read and not before.settled:
                self._read_late(before)
            return
        number = self._number(seen.zone)
        if number is None or seen.card == "back":
            return
        # A card may be said later than the frame that shows it: hands that came since have nothing to do with it.
        said_us = (self._frame_us if seen.sure_us is None else seen.sure_us) - LEAST_STAY_US
        visits = self._laying(seen.zone, self._looked_us.get(seen.zone, START_US), said_us)
        pile = self._piles[number]
        if self._is_uncovered(seen, pile, visits):
            return
        unexplained = bool(pile.known) and (seen.former == "gone" or (seen.former is None and not pile.clean))
        if unexplained and len(visits) > 1 and visits[0].likeliest == pile.known[-1][1]:
            # The first hand took back what it had laid; the others did what hands do.
            visits, unexplained = visits[1:], False
            del pile.known[-1]
        elif seen.former == "gone":
            del pile.known[-1:]
        pile.clean = len(visits) == 1 and visits[0].player(self.settings.name_sure) is not None and not unexplained
        item = CardItem(seen, number, self._landed_us(seen, visits), visits, unexplained)
        self._cards[seen.number] = item
        if len(self._cards) > MOST_CARDS:
            del self._cards[next(iter(self._cards))]
        self._close(number, item)
        met = len(visits) == 1 and visits[0].player(self.settings.name_sure) is None
        # Hands that meet may be seen as one: then it may have been two.
        self._waiting += [self._hidden_under(item, visit) for visit in (visits if met else visits[:-1])]
        self._waiting.append(item)
        pile.forget(seen.card)
        pile.known.append((seen.card, visits[-1].likeliest if visits else seen.by))

    def _laying(self, zone: str, from_us: int, to_us: int) -> list[Visit]:
        """The visits by which a card may have come to a pile: fingers that only pass by lay none."""
        return [visit for visit in self._visits.within(zone, from_us, to_us) if visit.nearest_mm < LAY_NEAR_MM]

    def _hidden_under(self, item: CardItem, visit: Visit) -> HiddenItem:
        t_us = min(visit.first_us + LANDS_IN_US, item.t_us - 1)
        return HiddenItem(item.pile, visit, visit.player(self.settings.name_sure), t_us, item)

    def _close(self, number: int, by: CardItem) -> None:
        """What lay there is covered: it will not be read any more."""
        for item in self._waiting:
            if isinstance(item, CardItem) and item.pile == number:
                item.closed = True
                by.t_us = max(by.t_us, item.t_us + 1)

    def _landed_us(self, seen: CardSeen, visits: Sequence[Visit]) -> int:
        if not visits:
            return seen.edge_us
        last = visits[-1]
        return min(max(seen.edge_us + LANDS_AFTER_US, last.first_us), max(last.last_us, last.first_us))

    def _is_uncovered(self, seen: CardSeen, pile: Pile, visits: Sequence[Visit]) -> bool:
        """Whether a card shows that lay there before: what covered it was taken back."""
        if not pile.known:
            return False
        # A card is taken back by whoever laid it.
        own = len(visits) == 1 and visits[0].likeliest == pile.known[-1][1]
        if (seen.former == "gone" or (seen.former is None and own)) and pile.was_below(seen.card):
            del pile.known[-1]
            return True
        if seen.former != "gone" or len(visits) != 1:
            return False
        taker = visits[0].player(self.settings.name_sure)
        waiting = [
            item for item in self._waiting if isinstance(item, HiddenItem) and item.pile == self._number(seen.zone)
        ]
        if waiting and seen.card != UNREADABLE and taker is not None:
            return self._was_hidden(seen, pile, waiting[-1], taker)
        hidden = next((link for link in reversed(pile.chain.links) if link.hidden and link.right is None), None)
        if taker is None or taker != pile.known[-1][1]:
            return False
        number = self._number(seen.zone)
        waits = any(isinstance(item, CardItem) and item.pile == number for item in self._waiting)
        if hidden is None or hidden.done or hidden.player is None or waits or seen.card == UNREADABLE:
            return False
        stands = self._told.at(hidden.handle)
        if stands is None:
            return False
        hidden.right = {key: value for key, value in stands.items() if key != "doubt"} | {"card": seen.card}
        hidden.told = False
        pile.known[-1:] = [(seen.card, hidden.player)]
        return True

    def _was_hidden(self, seen: CardSeen, pile: Pile, hidden: HiddenItem, taker: str) -> bool:
        """The card that covered another one was taken back by whoever had laid it, and the other one shows.

        The covering one was the taker's then, the hidden one the other hand's.
        """
        cover = hidden.under
        names = [visit.player(self.settings.name_sure) for visit in cover.visits]
        if hidden.card is not None or len(names) != 2 or taker not in names:
            return False
        others = [name for name in names if name != taker]
        below = others[0] if others else taker
        if below is None:
            return False
        cover.player, hidden.player, hidden.card = taker, below, seen.card
        pile.known[-1:] = [(seen.card, below)]
        return True

    def _shows_again(self, number: int, card: str) -> None:
        self._piles[number].back_to(card)

    def _pile_taken(self, taken: PileTaken) -> None:
        number = self._number(taken.zone)
        if number is None:
            return
        self._piles[number].known.clear()
        self._waiting.append(TakenItem(number, taken.between_us[1]))
        self._taken_us[taken.zone] = taken.between_us[1]

    def _hand(self, seen: HandSeen) -> None:
        if self._visits.hand(seen) is not None and len(self._taken_us) == len(self._piles):
            self._came_back(seen.t_us)

    def _came_back(self, t_us: int) -> None:
        """After both central piles were taken, hands at both side piles lay the new ones there."""
        since = max(self._taken_us.values())
        sides = [f"side/{player}" for player in self.layout.players]
        if all(self._visits.within(side, since, t_us) for side in sides):
            self._taken_us.clear()
            self._waiting.append(ShuffleItem(t_us))

    def _camera_past(self, past: CameraPast) -> None:
        self._frame_us = max(self._frame_us, past.t_us if past.frame_us is None else past.frame_us)
        for item in self._waiting:
            if isinstance(item, CardItem) and not item.is_read:
                item.closed = item.closed or item.seen.number not in past.open_numbers
        for name in self._visits_places():
            self._looked_us[name] = past.looked_us.get(name, past.t_us)
        self._marks.advance("camera", past.t_us)

    def _visits_places(self) -> list[str]:
        return [name for name in self.layout.zones if self._number(name) is not None]
