"""How a waiting card of Speed leaves: as which events, and what of it is open.

Belongs here: a card as a turn-up, a play, or one that nobody saw; what is asked with it; which draw comes before it.
Does not belong here: when an item leaves (`speed_table`), whether a card may be laid (rules), who laid it and what it
hides (`speed_weighing`), what people answer (`speed_answers`).

Written rules:
- a card that does not fit and may lie on one that nobody saw is asked about first;
- a card that does not fit, on one that did not fit either and was never taken back, shows that what was told to lie
  there is wrong: nothing on that pile is judged until a person has corrected it;
- a turn-up that was not due shows that something before it was not heard, and nothing on it can be judged;
- what comes nearer to a turn-up than the camera can order is told after it, as open;
- whoever turns a side card up at a moment lays nothing on the other pile then: whose that is, is open;
- two cards on the two piles nearer in time than the camera can order carry one `together` key.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from referee.table.layouts import Layout
from referee.table.speed_answers import SAME_CARD_US, SpeedAnswers
from referee.table.speed_cards import (
    BELOW,
    DISPUTED,
    HIDDEN,
    LANDS_IN_US,
    TOO_SOON,
    TURN_UP,
    CardItem,
    HiddenItem,
    Item,
    Link,
    Pile,
    play_event,
)
from referee.table.speed_counts import Counts
from referee.table.speed_draws import Draw, Draws
from referee.table.speed_hands import FROM_SIDE_US, ORDER_US, SpeedHands
from referee.table.speed_lying import Lying
from referee.table.speed_piles import SpeedPiles
from referee.table.speed_weighing import Weighing
from referee.table.told import Told
from referee.table.visits import Visit
from referee.table.watermarks import START_US
from referee.vision.sightings import UNREADABLE
from referee.words import Event, Expected

TURNING_US = 300_000  # from turning a side card up to laying a card elsewhere with the same hand, at least
WINDOW_US = 100_000  # a turn-up and what is laid then are not ordered nearer than this


class Telling:
    """See the rules of the module."""

    def __init__(
        self,
        layout: Layout,
        hands: SpeedHands,
        watch: SpeedPiles,
        weighing: Weighing,
        answers: SpeedAnswers,
        draws: Draws,
        counts: Counts,
        told: Told,
        waiting: list[Item],
        clock: Callable[[], int],
    ) -> None:
        self._layout, self._hands, self._watch, self._weighing = layout, hands, watch, weighing
        self._answers, self._draws, self._told, self._waiting = answers, draws, told, waiting
        self._counts, self._lying = counts, Lying(watch, told, weighing)
        self._clock_us = clock
        self._turned_us = START_US
        self._turned_up_us: dict[str, int] = {}  # by whom
        self.claimed_us = START_US
        """When the last claim that was told was made."""
        self.expected: Expected | None = None
        """What may come next after everything told so far."""

    def due(self) -> list[str]:
        """Who has a side card to turn up now."""
        return self.expected["may_flip"] if self.expected is not None else []

    def drawn(self, draw: Draw | None) -> list[Event]:
        """One card; it stands after all that was told, whatever is told of it later."""
        if draw is None:
            return []
        at_us = draw.t_us if self._told.last_us is None else max(draw.t_us, self._told.last_us)
        if draw.t_us < self.claimed_us:
            at_us = draw.t_us  # a claim was told since: it bears on that
        return [self.tell({"t_us": at_us, "event": "draw", "player": draw.player, "count": 1})]

    def _tell_laid(self, event: Event) -> tuple[Event, int]:
        told, handle = self._told.add(event, "camera", self._clock_us())
        self._draws.has_told(handle, event, self.expected)
        return told, handle

    def tell(self, event: Event) -> Event:
        """An event of the camera in its place."""
        return self._told.add(event, "camera", self._clock_us())[0]

    # ---- a card leaves

    def card(self, item: CardItem) -> list[Event]:
        """A card leaves; nothing where it waits on, after what it is put behind."""
        owner, pile = self._layout.players[item.pile - 1], self._watch.piles[item.pile]
        # What comes at the same time as the card that ends a game belongs to that game.
        due = self.due() if item.together is None or item.together >= self._told.count else []
        player = self._weighing.laid_by(item)
        if (cover := self._lying.covered_by(item, self.expected)) is not None:
            item.lay_below(cover)
            return []
        if player is None and item.alone and self.expected is not None:
            player = self._weighing.one_alone(item, self.expected, self._clock_us())
        if self._weighing.misfits(item, self.expected) and self._weighing.was_hidden_by(item):
            player = None
        if self._weighing.is_turn_up(item, due):
            if (turning := self._weighing.turning(item, owner)) is not None:
                return self._covers_turn_up(item, owner, turning)
            if not self._weighing.is_blind(item):
                return self._turned_up(item, owner)
        if owner in due and player not in (owner, None) and self._was_turning(player, item.t_us):
            player = None  # that hand turned its own card up then: another one was not seen
        if owner in due and player in (owner, None):
            # Nobody saw where it came from, or too few frames show it.
            self._waiting.remove(item)
            told = self._play(item, None, pile, (TURN_UP,))
            self._lose_if_starved(item, pile)
            return [told]
        if due and self._after_turn_up(item):
            return []
        from_side = not due and not item.soon and self._hands.turns_unasked(owner, item.t_us)
        if from_side and player in (owner, None) and (held := self._counts.held(self.expected)):
            return [self.tell(event) for event in held]  # a claim counted though counts spoke against it
        if from_side and player == owner:
            # A turn-up that was not due: something before it was not heard, and nothing on it can be judged.
            self._waiting.remove(item)
            told = self._play(item, None, pile, (TURN_UP,))
            pile.chain.links[-1].lost = True
            return [told]
        if not due:
            if item.soon or item.t_us - self._turned_us <= WINDOW_US:
                self._waiting.remove(item)
                return [self._play(item, None, pile, (TOO_SOON,))]
            if self._lying.is_told(item):
                self._waiting.remove(item)
                return []
            if self._lying.may_show_the_top(item):
                item.seen = replace(item.seen, card=UNREADABLE, confidence=0.0)
            if self._weighing.is_doubtful(item, self.expected) and not pile.chain.links:
                return self._may_lie_on_another(item)
            if asked := self._dispute(item, pile):
                return asked
            if self._lying.lies_already(item):
                # There is one of each: one of the two was misread.
                item.seen = replace(item.seen, card=UNREADABLE, confidence=0.0)
            near = self._near(item)
            for who in (player, None if near is None else self._weighing.laid_by(near)):
                # Nothing may come between two cards whose order is open: what either was drawn for comes first.
                if who is not None and (drawn := self.drawn(self._draws.unseen(self.expected, who, item.t_us))):
                    return drawn
        if due and not self._answers.is_lost() and (asked := self._dispute(item, pile)):
            return asked
        won = self.would_win(item)
        if (
            won is not None
            and not due
            and item.together in (None, self._told.count)
            and self._counts.goes_on(item, won)
        ):
            return [self.tell(self._counts.one_more(item, won))]
        self._waiting.remove(item)
        if not due:
            self._pair(item)
        elif self._answers.is_lost() or self._weighing.is_blind(item):
            player = None  # whether cards are still to be turned up is not known
        told = self._play(item, player, pile)
        self._lose_if_starved(item, pile)
        return [told]

    def _was_turning(self, player: str | None, t_us: int) -> bool:
        """Whether a player turned a side card up so near to a moment that they laid nothing then."""
        turned_us = self._turned_up_us.get(player or "")
        return turned_us is not None and abs(t_us - turned_us) <= TURNING_US

    def would_win(self, item: CardItem) -> str | None:
        """Who would be rid of all their cards with this one, by count; None: nobody."""
        step, player = self._weighing.step(item, self.expected), self._weighing.laid_by(item)
        if self.due() or step is None or abs(step) != 1 or self._watch.piles[item.pile].chain.links:
            return None
        return player if self._counts.seems_last(player, self.expected) else None

    def _dispute(self, item: CardItem, pile: Pile) -> list[Event]:
        """Open a pile where two cards in a row do not fit and the first of them was never taken back.

        One of what was told to lie there is wrong: misread, missed, or never laid. What was ruled on the first one is
        withdrawn, and it is asked which card that was.
        """
        below = item.below
        stands = None if below is None or below.handle is None else self._told.at(below.handle)
        if below is None or below.handle is None or stands is None or pile.chain.links:
            return []
        if stands["card"] != below.seen.card:
            return []  # a person has said what it was
        lay_there = not below.went_back and (item.seen.former == "stays" or item.fits_below)
        misfits = bool(self.due()) or self._weighing.misfits(item, self.expected)
        if not (below.misfits and lay_there and misfits):
            return []
        link = Link(below.handle, None, told=True, player=stands["player"], disputed=True, was=stands)
        pile.chain.open(link, self._clock_us())
        asked = {key: value for key, value in stands.items() if key not in ("confidence", "settled_by")}
        asked |= {"card": UNREADABLE, "doubt": [DISPUTED]}
        return [self._told.correct(below.handle, asked, "camera", "what lies on it does not fit it", self._clock_us())]

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
        due = self.due()
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
        if item in self._waiting:
            self._waiting.remove(item)
        item.t_us = max(min(item.seen.edge_us, item.t_us), self._watch.piles[item.pile].last_us + 1)
        self._turned_us = max(self._turned_us, item.t_us)
        self._turned_up_us[owner] = item.t_us
        event = play_event(item, owner, item.seen.card)
        del event["pile"]
        event.pop("together", None)
        event |= {"event": "turn_up"}
        self._counts.turned_up()
        self._answers.set_aside(item.pile)
        told, item.handle = self._told.add(event, "camera", self._clock_us())
        item.settled = item.sure = True
        self._watch.piles[item.pile].lies.append(item.handle)
        self._watch.piles[item.pile].unread = None if item.is_read else item.handle
        return [told]

    def _covers_turn_up(self, item: CardItem, owner: str, turning: Visit) -> list[Event]:
        """The side card was turned up and covered before anybody could look: it is told unread, the other one after."""
        t_us = self._weighing.turned_us(item, owner, turning)
        seen = replace(item.seen, card=UNREADABLE, confidence=0.0, edge_us=t_us, former=None)
        item.visits = item.visits[item.visits.index(turning) + 1 :]
        item.t_us = max([item.t_us, *(visit.first_us for visit in item.visits[:1])])
        came = [one for one in self._waiting if isinstance(one, HiddenItem) and one.visit is turning]
        for one in came:
            self._waiting.remove(one)  # that hand came for its side card
        covered = CardItem(seen, item.pile, t_us, [turning], closed=True)
        self._waiting.append(covered)
        return self._turned_up(covered, owner)

    def _covered_turn_up(self, item: HiddenItem, cover: CardItem, due: Sequence[str]) -> CardItem | None:
        """The side card that a hand turned up which came from its side pile, where it is not the one that shows."""
        owner, visit = self._layout.players[item.pile - 1], item.visit
        if visit is None or visit.likeliest != owner or self._weighing.is_turn_up(cover, due):
            return None
        if not self._hands.were_at(f"side/{owner}", visit.first_us - FROM_SIDE_US, visit.first_us + ORDER_US):
            return None
        t_us = min(visit.first_us + LANDS_IN_US, cover.t_us - 1)
        seen = replace(cover.seen, card=UNREADABLE, confidence=0.0, edge_us=t_us, former=None)
        return CardItem(seen, item.pile, t_us, [visit], closed=True)

    def hidden(self, item: HiddenItem) -> list[Event]:
        """A card that may lie below: as a later look, or the ranks, showed it; or open."""
        pile, due = self._watch.piles[item.pile], self.due()
        if due and self._after_turn_up(item):
            return []
        if not due and item.card is None and not pile.chain.links:
            looked_us = self._watch.looked_us(item.pile)
            if not self._weighing.weigh(item, self._waiting, self.expected, self._clock_us(), looked_us):
                self._waiting.remove(item)
                if item.under is not None:
                    item.under.weighed = False  # nobody was asked
                return []
        # While a card is due it was laid too soon, or nothing was: nobody saw it.
        soon = item.under is None and item.t_us - self._turned_us <= WINDOW_US  # taken back: too soon, most likely
        laid_by = None if due or soon else item.player
        if laid_by is not None and (drawn := self.drawn(self._draws.unseen(self.expected, laid_by, item.t_us))):
            return drawn
        self._waiting.remove(item)
        if item.card is not None and item.t_us - pile.said.get(item.card, START_US) < SAME_CARD_US:
            return []  # a person has said so already
        by = None if item.visit is None else item.visit.likeliest
        if due and by in due:
            # Whose card is due comes to the pile for that; the other one may have covered it at once.
            covered = None if item.under is None else self._covered_turn_up(item, item.under, due)
            return [] if covered is None else self._turned_up(covered, self._layout.players[item.pile - 1])
        pile.last_us = item.t_us = max(item.t_us, pile.last_us + 1)
        if item.under is not None:
            item.under.lies_on_another(True, LANDS_IN_US)
        item.player = laid_by
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
                item.under.asked = True
                event["under"] = item.under.seen.card
                event["between"] = [item.under.seen.between_us[0], item.under.t_us]
        if is_whole and pile.chain.links:
            waits = {**event, "card": UNREADABLE, "doubt": [BELOW], "may_be": [item.card]}
            told, handle = self._tell_laid(waits)
            pile.chain.open(Link(handle, event, told=False, player=item.player), self._clock_us())
            return told
        told, handle = self._tell_laid(event)
        pile.lies.append(handle)
        if not is_whole:
            self._answers.asked[handle] = item
            pile.chain.open(Link(handle, None, told=True, hidden=True, player=item.player), self._clock_us())
        return told

    def _play(self, item: CardItem, player: str | None, pile: Pile, doubt: Sequence[str] = ()) -> Event:
        if not item.early:
            pile.last_us = item.t_us = max(item.t_us, pile.last_us + 1)
        right = play_event(item, player, item.seen.card) if player is not None and item.is_read else None
        if pile.unread is not None and not pile.chain.links and right is not None:
            # The card is told as it is: with it, it is asked which one it lies on.
            told, item.handle = self._tell_laid(right)
            pile.lies.append(item.handle)
            pile.chain.open(Link(pile.unread, None, told=True), self._clock_us())
            pile.chain.open(Link(item.handle, right, told=True, player=player), self._clock_us())
            pile.unread = None
            return told
        if pile.chain.links:
            named = None if self.due() else player  # too soon or not: that is as open as what lies below
            event = {**play_event(item, named, UNREADABLE, (BELOW,)), "may_be": [item.seen.card]}
            told, item.handle = self._tell_laid(event)
            pile.lies.append(item.handle)
            self._counts.laid(item.handle, item.t_us)
            pile.chain.open(Link(item.handle, right, told=False, player=player), self._clock_us())
            return told
        event = right if right is not None else play_event(item, player, item.seen.card, doubt)
        item.misfits = (bool(self.due()) and TURN_UP not in doubt) or self._weighing.misfits(item, self.expected)
        told, item.handle = self._tell_laid(event)
        if not item.misfits:
            pile.lies.append(item.handle)
            self._counts.laid(item.handle, item.t_us)
        item.sure = right is not None and not item.misfits
        item.clean = item.clean or right is not None
        too_soon = (
            player is not None and bool(self.due()) and TURN_UP not in doubt
        )  # whichever card it is, it goes back
        if right is None and not too_soon:
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
                if not self._may_come_later(other):
                    return other
        return None

    def _may_come_later(self, item: CardItem) -> bool:
        """Whether a card may hide another one, for which it is still waited: then it came with a later hand."""
        return any(isinstance(one, HiddenItem) and one.under is item for one in self._waiting)
