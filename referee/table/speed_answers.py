"""What people say of an open card of Speed, and what comes clear with it.

Belongs here: `settle` and `correct` as corrections of what was told; the events on top of them that are told anew. Does
not belong here: what was seen (`speed_piles`), when it is told (`speed_table`).

Written rules:
- what a person says stands; what lay on it and waited for it is told as it was seen;
- a card on a player's own pile of which nobody saw where it came from is their turn-up, if they are named;
- a card that was told just before is not the one that is asked for: nothing lies between;
- of two claims with no card laid between them, one draw is told;
- two hands, two cards: whoever did not lay the hidden one laid the one on top.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from referee.table.calls import Correct, Notice, Settle
from referee.table.speed_cards import (
    BELOW,
    DISPUTED,
    DRAWN,
    TURN_UP,
    CardItem,
    Chain,
    HiddenItem,
    Item,
    Link,
    order,
    play_event,
)
from referee.table.speed_hands import SpeedHands, names
from referee.table.speed_piles import SpeedPiles
from referee.table.told import Told
from referee.table.visits import Visit
from referee.vision.sightings import UNREADABLE
from referee.words import Event

SAME_CARD_US = 3_000_000  # there is one of each card: told so shortly before on one pile, it is that one


class SpeedAnswers:
    """Corrections of what was told, by people and by what they say."""

    def __init__(
        self,
        players: Sequence[str],
        hands: SpeedHands,
        piles: SpeedPiles,
        told: Told,
        waiting: list[Item],
        clock: Callable[[], int],
    ) -> None:
        self._players, self._hands, self._watch = players, hands, piles
        self._told, self._waiting, self._clock_us = told, waiting, clock
        self.left: list[Chain] = []  # of piles that were taken while something on them was open
        self.asked: dict[int, HiddenItem] = {}  # by handle
        self._drawn: list[Event] = []  # draws that people told of
        self.notices: list[Notice] = []

    def chains(self) -> list[Chain]:
        """What is open, pile by pile."""
        return [*self.left, *(pile.chain for pile in self._watch.piles.values())]

    def is_lost(self) -> bool:
        """Whether what the game is at, nobody but a person who corrects it can say."""
        chains = [pile.chain for pile in self._watch.piles.values()]
        return any(link.lost or link.disputed for chain in chains for link in chain.links)

    def take_off(self, number: int) -> None:
        """A pile is taken off the table: what lay open on it bears on nothing that comes."""
        self.set_aside(number)
        self._watch.piles[number].lies.clear()

    def set_aside(self, number: int) -> None:
        """A side card is turned up onto a pile: what fits on it does not depend on what is open below."""
        pile = self._watch.piles[number]
        self.left = [chain for chain in [*self.left, pile.chain] if chain.links]
        pile.chain = Chain()

    def answer(self, call: Settle | Correct) -> list[Event]:
        """What a person says of an event."""
        if isinstance(call, Correct):
            event = call.recorded()
            self._told.append(event)
            is_right = call.event is not None  # that nothing happened does not tell what the game is at
            if not is_right and call.ref is not None:
                self._hides_none(call.ref)
            if call.ref is None:
                for chain in self.chains():
                    chain.explain(-1 if call.before is None else call.before)
                return [event, *self.freed()]
            return [event, *self._spoken(call.ref, corrected=is_right)]
        stands = self._told.at(call.index)
        if stands is None:
            self.notices.append(Notice(call.t_us, "nothing-to-settle", {"index": call.index}))
            return []
        if DRAWN in stands.get("doubt", ()) and self.is_lost():
            self.notices.append(Notice(call.t_us, "nothing-to-settle", {"index": call.index}))
            return []  # a card may have been laid since that makes the claim void
        if DRAWN in stands.get("doubt", ()):
            return self._had_drawn(call, stands)
        is_whole = stands.get("player") is not None and stands.get("card") != UNREADABLE
        if "together" in stands and call.player is not None and is_whole:
            return self._ordered(call.index, stands, call)
        if call.index in self.asked and call.card is not None and self._is_told(call.card, stands):
            nothing = self._told.correct(call.index, None, "operator", "that card was told", call.t_us)
            self._hides_none(call.index)
            return [nothing, *self._spoken(call.index)]
        right = {key: value for key, value in stands.items() if key not in ("may_be", "confidence", "doubt")}
        if call.card is not None:
            right["card"] = call.card
        if call.player is not None:
            right["player"] = call.player
        if TURN_UP in stands.get("doubt", ()) and right["player"] == self._players[stands["pile"] - 1]:
            # Nobody lays a card on their own pile before their own turn-up.
            right["event"] = "turn_up"
            del right["pile"]
            for visit in self._hands.at_side(right["player"], stands["t_us"]):
                visit.used = True
        right["settled_by"] = "operator"
        is_whole = right["player"] is not None and right["card"] != UNREADABLE
        if is_whole and (waits := self._on_an_open_one(call.index)) is not None:
            # What lies below it is open yet: nothing can be said of whether it fits.
            waits.right, waits.told = right, False
            stands = right | {"card": UNREADABLE, "doubt": [BELOW], "may_be": [right["card"]]}
            return [self._told.correct(call.index, stands, "operator", "settled", call.t_us)]
        if DISPUTED in stands.get("doubt", ()) and self._was_seen_right(call.index, right["card"]):
            # Then something else is wrong there, and only a person who corrects it can say what.
            stands = right | {"card": UNREADABLE, "doubt": [BELOW], "may_be": [right["card"]]}
            return [self._told.correct(call.index, stands, "operator", "settled", call.t_us)]
        corrected = self._told.correct(call.index, right, "operator", "settled", call.t_us)
        if call.index in self.asked and right["card"] != UNREADABLE:
            self._not_laid_again(right, self.asked[call.index])
        return [corrected, *(self._spoken(call.index) if is_whole else [])]

    def _was_seen_right(self, handle: int, card: str) -> bool:
        """Whether a person says that a card in dispute is what it was seen to be; it stays in dispute then."""
        for chain in self.chains():
            for link in chain.links:
                if link.handle == handle and link.disputed and link.was is not None and link.was["card"] == card:
                    link.lost = True
                    return True
        return False

    def _on_an_open_one(self, handle: int) -> Link | None:
        """The link of an event that lies on another one which is open still."""
        for chain in self.chains():
            for place, link in enumerate(chain.links):
                if link.handle == handle and any(below.is_open for below in chain.links[:place]):
                    return link
        return None

    def _is_told(self, card: str, hidden: Event) -> bool:
        """Whether a card that a person says lay hidden was told as the one just before: there is one of each."""
        told = [item for item in self._watch.cards.values() if item.handle is not None and item.pile == hidden["pile"]]
        before = [item for item in told if 0 <= hidden["t_us"] - item.t_us <= SAME_CARD_US]
        last = max(before, key=lambda item: item.t_us, default=None)
        if last is not None and (last.misfits or last.went_back):
            return False  # it was taken back, and may have been laid again
        stands = None if last is None or last.handle is None else self._told.at(last.handle)
        return stands is not None and stands["card"] == card

    def _hides_none(self, handle: int) -> None:
        """A card that was asked about was never laid; what would cover it came when it was seen to come."""
        asked = self.asked.get(handle)
        cover = None if asked is None else asked.under
        if cover is None:
            return
        others = [item for one, item in self.asked.items() if item.under is cover and self._told.at(one) is not None]
        # One that is known to have come with a hand before all that may have laid the cover does not bear on it.
        if not any(item.visit is None or any(item.visit is one for one in cover.visits) for item in others):
            cover.lies_on_another(False, 0)
        cover.alone = not others

    def _had_drawn(self, call: Settle, stands: Event) -> list[Event]:
        """Somebody who says they are stuck had drawn before: the cards and the claim count."""
        claim: Event = {"t_us": stands["t_us"], "event": "blocked", "player": stands["by"], "settled_by": "operator"}
        draw: Event = {"t_us": stands["t_us"] - 1, "event": "draw", "player": stands["by"], "count": stands["count"]}
        same = next((one for one in self._drawn if self._is_one_draw(one, draw)), None)
        if same is not None and same["t_us"] > draw["t_us"]:
            # It was said again, and is judged there.
            return [self._told.correct(call.index, None, "operator", "said again later", call.t_us)]
        events: list[Event] = []
        if stands["count"] and same is None:
            events += self._drawn_since(draw, call.index, call.t_us)
            told, _ = self._told.add(draw, "operator", self._clock_us())
            self._drawn.append(draw)
            events.append(told)
        return [*events, self._told.correct(call.index, claim, "operator", "settled", call.t_us)]

    def _drawn_since(self, draw: Event, index: int, now_us: int) -> list[Event]:
        """What a person said was drawn before was not drawn after it as well."""
        handles = range(index + 1, self._told.count)
        told = [(one, stands) for one in handles if (stands := self._told.at(one)) is not None]
        later = [one for one, event in told if event["event"] == "draw" and event["player"] == draw["player"]]
        later = [one for one in later if (self._told.at(one) or draw)["t_us"] > draw["t_us"]]
        drawn = later[: draw["count"]]
        return [self._told.correct(one, None, "operator", "it was drawn before", now_us) for one in drawn]

    def _is_one_draw(self, one: Event, other: Event) -> bool:
        """Whether two draws that people told of are one: the same player's, who laid no card in between."""
        if one["player"] != other["player"]:
            return False
        first_us, last_us = sorted((one["t_us"], other["t_us"]))
        told = [self._told.at(item.handle) for item in self._watch.cards.values() if item.handle is not None]
        laid = [event for event in told if event is not None and event["player"] in (one["player"], None)]
        return not any(first_us < event["t_us"] < last_us for event in laid)

    def _not_laid_again(self, settled: Event, asked: HiddenItem) -> None:
        """The card that was hidden and shows later was uncovered, and not laid: there is one of each."""
        self._watch.piles[settled["pile"]].said[settled["card"]] = settled["t_us"]
        cover = asked.under
        if cover is None:
            return  # it was taken back before anybody could look: what shows later was laid again
        if settled["player"] is not None:
            laid = names(self._hands, cover.visits)
            if len(laid) == 2 and settled["player"] in laid:
                laid.remove(settled["player"])
                cover.player = laid[0]
            elif len(cover.visits) == 1 and laid == [settled["player"]]:
                cover.lost = True  # one visit lays one card: the one on top came with a hand that nobody saw
            else:
                self._came_after(cover, asked.visit)
            cover.clean = True  # what lies there is known again
            cover.weighed = False  # on that one it may fit as little as on the one before
        later = [item for item in self._waiting if isinstance(item, CardItem) and item.pile == settled["pile"]]
        for item in sorted(later, key=order)[1:2]:
            # Nobody takes another's card: what others than whoever laid the cover were at has been laid.
            by_others = cover.player is not None and cover.player not in [None, *names(self._hands, item.visits)]
            shows = item.seen.card == settled["card"] and item.seen.former != "stays"
            shows = shows or (item.seen.card == UNREADABLE and item.seen.former == "gone")
            if shows and not (item.visits and by_others):
                self._waiting[:] = [
                    one
                    for one in self._waiting
                    if one is not item and not (isinstance(one, HiddenItem) and one.under is item)
                ]

    def _came_after(self, cover: CardItem, laid: Visit | None) -> None:
        """A visit laid the card below: the one above it, and any between, came with one of the visits after that."""
        places = [place for place, visit in enumerate(cover.visits) if visit is laid]
        rest = cover.visits[places[0] + 1 :] if places else []
        if not rest or cover.handle is not None:
            return
        cover.visits = rest
        self._waiting[:] = [
            one
            for one in self._waiting
            if not (isinstance(one, HiddenItem) and one.under is cover)
            or any(one.visit is visit for visit in rest[:-1])
        ]

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
            # What was told first is taken to behind the other: each step on the way is a game that may have been.
            last = pair[0] | {"t_us": max(one["t_us"] for one in pair)}
            events, moved = self._told.move(first, last, "operator", "settled", call.t_us)
            for item in self._watch.cards.values():
                item.handle = moved if item.handle == first else item.handle
            for link in (link for chain in self.chains() for link in chain.links):
                link.handle = moved if link.handle == first else link.handle
            return [*events, self._told.correct(second, pair[1], "operator", "settled", call.t_us)]
        return [
            self._told.correct(handle, right, "operator", "settled", call.t_us)
            for handle, right in zip((first, second), pair, strict=True)
        ]

    def _is_partner(self, handle: int, stands: Event) -> bool:
        other = self._told.at(handle)
        return other is not None and other.get("together") == stands["together"]

    def _spoken(self, handle: int, corrected: bool = False) -> list[Event]:
        """A person has spoken on an event: what lay on it may be told now."""
        for item in self._watch.cards.values():
            if item.handle == handle:
                item.settled = True
        for pile in self._watch.piles.values():
            pile.unread = None if pile.unread == handle else pile.unread
        for chain in self.chains():
            chain.settle(handle, corrected)
        return self.freed()

    def freed(self) -> list[Event]:
        """What is clear now though it was told as open."""
        events = []
        for link in [link for chain in self.chains() for link in chain.free()]:
            why = "what lay below it is settled"
            events.append(self._told.correct(link.handle, link.right, "camera", why, self._clock_us()))
        return events

    def read_late(self, item: CardItem) -> None:
        """A card that was told unread is read now: the next release tells it anew."""
        links: list[Link] = self._watch.piles[item.pile].chain.links
        link = next((one for one in links if one.handle == item.handle), None)
        stands = None if item.handle is None else self._told.at(item.handle)
        if link is not None and stands is not None and stands["player"] is not None:
            link.right, link.told = play_event(item, stands["player"], item.seen.card), False
