"""The central piles of Speed as the camera sees them: its words become items that wait to be told.

Belongs here: which hands a card may have come from, what it may hide, what lay there before and shows again. Does not
belong here: when an item leaves and as what (`speed_table`), what is said of hands (`speed_hands`).

Written rules:
- a card came by one of the hands that were there since its pile was last looked at, or last seen without it; each hand
  but the last may have laid a card that the next one hid;
- hands that were there while nobody could look, and left the pile as it was, may have laid a card and taken it back
  where the same hand came twice;
- one visit lays one card: what is read once more while its hand is still there is no other card, and what comes then
  is another hand's;
- the two piles are taken off together; one that seems to have gone alone was hidden, and lies there still;
- a card that shows again because the one above it was taken back is no new card; whoever takes a card back had laid it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from referee.table.layouts import Layout
from referee.table.speed_cards import (
    LANDS_IN_US,
    CardItem,
    HiddenItem,
    Item,
    Pile,
    ShuffleItem,
    TakenItem,
    same_card,
)
from referee.table.speed_hands import SpeedHands, names
from referee.table.told import Told
from referee.table.visits import Visit
from referee.table.watermarks import START_US
from referee.vision.sightings import UNREADABLE, CameraPast, CardSeen, PileShifted, PileTaken

MOST_CARDS = 300
LEAST_STAY_US = 110_000  # a hand that came later before a card was seen cannot have laid it and gone
LANDS_AFTER_US = 95_000  # from a card's face coming over its pile to the card lying there
BROUGHT_US = 30_000  # a card's face is over its pile no longer than that before its hand is
ON_ITS_WAY_US = 300_000  # from a card being read in its hand to the same card being read where it lies, at most
BOTH_TAKEN_US = 4_000_000  # the two piles are taken off the table so near to one another
LEFT_US = 60_000  # a card that came so long after a hand had left is not that one's
GONE_BEFORE_US = 100_000  # a hand that left so long before the last look without a card did not lay it


class SpeedPiles:
    """What the camera has shown of the two central piles; `waiting` is filled, in no order."""

    def __init__(self, layout: Layout, hands: SpeedHands, told: Told, waiting: list[Item]) -> None:
        self._layout, self._hands, self._told, self._waiting = layout, hands, told, waiting
        self.piles = {1: Pile(), 2: Pile()}
        self.cards: dict[int, CardItem] = {}
        self._looked_us: dict[str, int] = {}
        self._changed: set[str] = set()  # zones of which something was said since the last look
        self._taken_us: dict[str, int] = {}
        self._seemed_taken: dict[str, int] = {}  # piles that went alone, and when they had last been looked at
        self.frame_us = START_US
        self.steps: Mapping[int, Mapping[str, int]] = {}
        """For each pile: how far each rank is from the top that was told last (`Expected`)."""

    def number(self, zone: str) -> int | None:
        """Which central pile a zone is."""
        place = self._layout.zones.get(zone)
        if place is None or self._layout.meaning(zone) != "busy":
            return None
        return int(zone.rpartition("/")[2])

    def looked_us(self, number: int) -> int:
        """When everything was last said of a pile."""
        return self._looked_us.get(f"central/{number}", START_US)

    # ---- cards

    def card(self, seen: CardSeen) -> CardItem | None:
        """A card was seen; what was known of it already, where it is said again."""
        before = self.cards.get(seen.number)
        if before is not None:
            if before.seen.number == seen.number or not before.is_read:
                before.seen = seen
            return before
        number = self.number(seen.zone)
        if number is None or seen.card == "back":
            return None
        self._changed.add(seen.zone)
        if (looked_us := self._seemed_taken.pop(seen.zone, None)) is not None:
            # Nobody takes one of the two off: it was hidden, and what shows may have come at any time since.
            between_us = (min(looked_us, seen.between_us[0]), seen.between_us[1])
            seen = replace(seen, between_us=between_us, edge_us=between_us[0], former=None)
        # A card may be said later than the frame that shows it: hands that came since have nothing to do with it.
        said_us = (self.frame_us if seen.sure_us is None else seen.sure_us) - LEAST_STAY_US
        said_us = max(said_us, seen.edge_us + BROUGHT_US)  # read in its hand, on its way down, it came with that one
        last_us = self._looked_us.get(seen.zone, START_US) if looked_us is None else looked_us
        since_us = max(last_us, seen.between_us[0] - GONE_BEFORE_US)
        visits = self._hands.without_passing(self._hands.laying(seen.zone, since_us, said_us))
        pile = self.piles[number]
        if (again := _said_again(seen, pile, visits)) is not None:
            self.cards[seen.number] = again
            if again.handle is None and not again.visits and visits:
                # It was read on its way down: this is the hand that brings it.
                again.visits, again.clean = visits, self._hands.name(visits[0]) is not None
                again.t_us = again.came_us = max(again.t_us, landed_us(seen, visits))
            if not again.is_read and seen.is_read:
                old = again.seen
                again.seen = replace(seen, between_us=old.between_us, edge_us=old.edge_us, former=old.former)
                pile.known[-1:] = [(seen.card, by) for _, by in pile.known[-1:]]
            return again
        visits = _not_spent(visits, pile)
        if self._is_top(seen, pile, number):
            pile.back_to(seen.card)
            return None
        if self._is_uncovered(seen, pile, visits):
            self._went_back(number)
            pile.top = None
            return None
        below = pile.top if pile.known else None
        laid_top = pile.known[-1][1] if pile.known else None
        doubtful = seen.former is None and below is not None and not below.clean
        unexplained = bool(pile.known) and (seen.former == "gone" or doubtful)
        goes_back = seen.former is None and below is not None and below.misfits  # nobody leaves lying what does not fit
        took = (seen.former == "gone" and unexplained) or (goes_back and bool(pile.known))
        after_another = took and len(visits) > 1 and visits[0].likeliest == pile.known[-1][1]
        if after_another:
            # The first hand took back what it had laid; the others did what hands do.
            visits, unexplained = visits[1:], False
            del pile.known[-1]
            below = None
            self._went_back(number)
        elif seen.former == "gone" and not _by_others(visits, pile):
            del pile.known[-1:]
            self._went_back(number)
        lost = unexplained and seen.former == "gone"
        came_us = landed_us(seen, visits)
        if after_another:
            came_us = max(came_us, min(visits[0].first_us + LANDS_IN_US, visits[0].last_us))
        item = CardItem(seen, number, came_us, visits, lost, below, after_another=after_another)
        item.fits_below = below is not None and self._fit(number, seen.card, below.seen.card)
        item.clean = len(visits) == 1 and self._hands.name(visits[0]) is not None and not unexplained
        item.on = pile.known[-1][0] if pile.known and not unexplained else None
        pile.top = item
        self.cards[seen.number] = item
        if len(self.cards) > MOST_CARDS:
            del self.cards[next(iter(self.cards))]
        by_its_layer = len(visits) == 1 and visits[0].likeliest is not None and visits[0].likeliest == laid_top
        if lost and below is not None and by_its_layer and not (below.weighed or below.asked):
            # Whoever takes back what they laid lays nothing: this one lay below it, and nobody had thought of that.
            item.lay_below(below)
        else:
            self._close(number, item)
        met = len(visits) == 1 and self._hands.name(visits[0]) is None
        # Hands that meet may be seen as one: then it may have been two.
        hidden = [self._hidden_under(item, visit, visits) for visit in (visits if met else visits[:-1])]
        item.weighed = bool(hidden)
        self._waiting += hidden
        self._waiting.append(item)
        pile.forget(seen.card)
        pile.known.append((seen.card, visits[-1].likeliest if visits else seen.by))
        return None

    def _hidden_under(self, item: CardItem, visit: Visit, visits: Sequence[Visit]) -> HiddenItem:
        came_back = any(one.likeliest == visit.likeliest and one.first_us > visit.last_us for one in visits)
        if visit.first_us > item.t_us and came_back:
            # It came when the card lay there: what it laid was taken back before anybody could look.
            return HiddenItem(item.pile, visit, self._hands.name(visit), visit.first_us + LANDS_IN_US, None)
        t_us = min(visit.first_us + LANDS_IN_US, item.t_us - 1)
        return HiddenItem(item.pile, visit, self._hands.name(visit), t_us, item)

    def _close(self, number: int, by: CardItem) -> None:
        """What lay there is covered: it will not be read any more."""
        for item in self._waiting:
            if isinstance(item, CardItem) and item.pile == number:
                if not item.closed:
                    # Of two cards after one top neither fits the other: what fits, and came with one hand, lies on it.
                    alone = by.seen.former is None and len(by.visits) == 1
                    fits = alone and self._fit(number, by.seen.card, item.seen.card)
                    item.stood, item.buried = by.seen.former == "stays" or fits, by.seen.former is None and not fits
                item.closed = True
                by.t_us = max(by.t_us, item.t_us + 1)

    def _fit(self, number: int, card: str, other: str) -> bool:
        """Whether two cards are one rank apart, as far as ranks are known."""
        steps = self.steps.get(number, {})
        one, two = steps.get(card[:-1]), steps.get(other[:-1])
        return one is not None and two is not None and abs(one - two) in (1, len(steps) - 1)

    def _went_back(self, number: int) -> None:
        """The card on top of a pile was taken back."""
        mine = [item for item in self._waiting if isinstance(item, CardItem) and item.pile == number]
        if mine:
            max(mine, key=lambda item: item.t_us).went_back = True

    # ---- what lay there before

    def _is_top(self, seen: CardSeen, pile: Pile, number: int) -> bool:
        """Whether the very card that was told as the top is said once more: there is one of each."""
        if any(isinstance(item, CardItem) and item.pile == number for item in self._waiting):
            return False
        if UNREADABLE in seen.card:
            return False
        return self.told_top(number) == seen.card and self.steps.get(number, {}).get(seen.card[:-1]) == 0

    def told_top(self, number: int) -> str | None:
        """The card that was told to lie on top of a pile; None where that is open."""
        pile = self.piles[number]
        stands = next((one for one in map(self._told.at, reversed(pile.lies)) if one is not None), None)
        return None if pile.chain.links or stands is None else stands["card"]

    def _is_uncovered(self, seen: CardSeen, pile: Pile, visits: Sequence[Visit]) -> bool:
        """Whether a card shows that lay there before: what covered it was taken back."""
        if not pile.known:
            return False
        if seen.former == "gone" and pile.was_below(seen.card):
            del pile.known[-1]
            return True
        number = self.number(seen.zone)
        waiting = [item for item in self._waiting if isinstance(item, HiddenItem) and item.pile == number]
        if seen.former != "gone" or len(visits) != 1:
            return False
        taker = self._hands.name(visits[0])
        if waiting and waiting[-1].under is pile.top and seen.card != UNREADABLE and taker is not None:
            return self._was_hidden(seen, pile, waiting[-1], taker)
        under = pile.chain.links[-2:-1]  # just below the card that was taken back
        hidden = next((link for link in under if link.hidden and link.right is None), None)
        if taker is None or taker != pile.known[-1][1]:
            return False
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
        if cover is None:
            return False
        laid = names(self._hands, cover.visits)
        if hidden.card is not None or len(laid) != 2 or taker not in laid:
            return False
        below = next((name for name in laid if name != taker), taker)
        if below is None:
            return False
        cover.player, hidden.player, hidden.card = taker, below, seen.card
        pile.known[-1:] = [(seen.card, below)]
        return True

    def shifted(self, shifted: PileShifted) -> None:
        """A card shows again: what lay on it is gone."""
        number = self.number(shifted.zone)
        if number is None:
            return
        self._changed.add(shifted.zone)
        self._went_back(number)
        pile = self.piles[number]
        pile.top = None
        if not pile.back_to(shifted.card):
            pile.known.append((shifted.card, None))

    def taken(self, taken: PileTaken) -> None:
        """A pile was taken off the table."""
        number = self.number(taken.zone)
        if number is None:
            return
        self._changed.add(taken.zone)
        t_us = taken.between_us[1]
        self._taken_us = {zone: us for zone, us in self._taken_us.items() if abs(t_us - us) <= BOTH_TAKEN_US}
        self._taken_us[taken.zone] = t_us
        self._seemed_taken[taken.zone] = self._looked_us.get(taken.zone, START_US)
        if len(self._taken_us) < len(self.piles):
            return
        self._seemed_taken.clear()
        for zone, taken_us in self._taken_us.items():
            if (each := self.number(zone)) is not None:
                self.piles[each].known.clear()
                self.piles[each].top = None
                self._waiting.append(TakenItem(each, taken_us))

    def hand_came(self, t_us: int) -> None:
        """A hand came somewhere: once both piles were taken, hands at both side piles lay the new ones there."""
        if len(self._taken_us) < len(self.piles):
            return
        since = max(self._taken_us.values())
        if all(self._hands.were_at(f"side/{player}", since, t_us) for player in self._layout.players):
            self._taken_us.clear()
            self._waiting.append(ShuffleItem(t_us))

    # ---- looks

    def past(self, past: CameraPast) -> None:
        """The camera has said everything before a moment."""
        self.frame_us = max(self.frame_us, past.t_us if past.frame_us is None else past.frame_us)
        for item in self._waiting:
            if isinstance(item, CardItem) and not item.is_read:
                item.closed = item.closed or item.seen.number not in past.open_numbers
        for zone in self._layout.zones:
            if self.number(zone) is not None:
                self._look(zone, past.looked_us.get(zone, past.t_us))

    def _look(self, zone: str, looked_us: int) -> None:
        since_us = self._looked_us.get(zone, START_US)
        self._looked_us[zone] = looked_us
        if looked_us <= since_us or since_us == START_US:
            return
        if zone in self._changed:
            self._changed.discard(zone)
            return
        came = self._hands.laying(zone, since_us, looked_us)
        visits = [one for one in came if one.first_us >= since_us and self._hands.stayed(one)]
        for place, visit in enumerate(visits):
            again = [one for one in visits[place + 1 :] if one.likeliest == visit.likeliest]
            name, number = self._hands.name(visit), self.number(zone)
            if (again or self._hands.was_blind(visit.first_us, visit.last_us)) and number is not None:
                # Laid and taken back before anybody could look.
                self._waiting.append(HiddenItem(number, visit, name, visit.first_us + LANDS_IN_US, None))
                return


def _by_others(visits: Sequence[Visit], pile: Pile) -> bool:
    """Whether only others were there than whoever laid the top: nobody takes another's card, so it was moved."""
    laid = pile.known[-1][1] if pile.known else None
    return laid is not None and bool(visits) and all(visit.likeliest not in (laid, None) for visit in visits)


def _not_spent(visits: list[Visit], pile: Pile) -> list[Visit]:
    """The visits that have not laid the card on top, if any have not: one visit lays one card."""
    top = pile.top
    if top is None or len(top.visits) != 1:
        return visits
    return [visit for visit in visits if visit is not top.visits[0]] or visits


def _said_again(seen: CardSeen, pile: Pile, visits: Sequence[Visit]) -> CardItem | None:
    """The card on top, if this is that one read once more where its hand has moved it: one visit lays one card."""
    top = pile.top
    unread = top is not None and UNREADABLE in (seen.card, top.seen.card)
    if top is None or (unread and len(visits) > 1):
        return None
    if not unread and not same_card(seen.card, top.seen.card):
        return None
    if visits and top.visits:
        return top if top.visits[-1] is visits[-1] else None
    down_us = 0 if unread else ON_ITS_WAY_US
    return top if seen.between_us[0] <= top.seen.between_us[1] + down_us else None


def landed_us(seen: CardSeen, visits: Sequence[Visit]) -> int:
    """When a card came to lie, as its face and the hand have it during whose visit it came."""
    if not visits:
        return seen.edge_us
    lands_us = seen.edge_us + LANDS_AFTER_US
    by = min(visits, key=lambda visit: max(visit.first_us - lands_us, lands_us - visit.last_us, 0))
    if not by.first_us - BROUGHT_US <= lands_us <= by.last_us + LEFT_US:
        return lands_us
    return min(max(lands_us, by.first_us), by.last_us)
