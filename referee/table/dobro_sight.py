"""Dobro: the camera's words as items that wait to be told.

Belongs here: cards, hands, taken piles and times without frames, as plays, draws and passes of the reorder buffer. Does
not belong here: when an item leaves (`dobro_table`), whose a play is (`dobro_gestures`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace

from referee.table.calls import Notice, Pass
from referee.table.dobro_gestures import AUCTION, placed
from referee.table.dobro_items import TABLE, BlindItem, DrawItem, Item, PassItem, PlayItem
from referee.table.dobro_retelling import Retelling
from referee.table.layouts import Layout
from referee.table.markers import Markers
from referee.table.presence import Visits
from referee.table.waiting import LaidCard
from referee.table.watermarks import START_US
from referee.vision.sightings import CameraPast, CardSeen, HandSeen, PileTaken

BLIND_US = 300_000  # so long without a frame, and a card may have been drawn
MISSED_US = 800_000  # and so long, a card may have been laid and covered
SAME_CARD_US = 250_000  # two cards are not laid on one place sooner
MOST_WAITING = 400
MOST_GONE = 40


class DobroSight:
    """What the camera has shown; `waiting` is filled, in no order."""

    def __init__(
        self, layout: Layout, sweep_sure: float, waiting: list[Item], gone: deque[int], notify: Callable[[Notice], None]
    ) -> None:
        """`sweep_sure`: from which chance on it is told who took a pile; `gone`: when cards left the table."""
        self._layout, self._sweep_sure = layout, sweep_sure
        self._waiting, self._gone, self._notify = waiting, gone, notify
        self.draws = Visits(layout, frozenset(("draw",)))
        self.laying = Visits(layout, AUCTION)
        self.at_table = Visits(layout, frozenset((TABLE,)))
        self.anywhere = Visits(layout, frozenset(layout.zones))
        self.markers = Markers(layout)
        self.cards: dict[int, LaidCard] = {}
        self.frame_us = START_US
        self.missed_us = START_US
        self._taken: dict[str, int] = {}

    def was_taken(self, card: LaidCard, within_us: int) -> bool:
        """Whether the pile on which a card came to lie was taken so soon after it."""
        taken_us = self._taken.get(card.seen.zone, START_US)
        return card.t_us <= taken_us <= card.t_us + within_us

    def card(self, seen: CardSeen, turn: str | None, retelling: Retelling) -> None:
        """A card was seen; `turn`: whose turn it is, as far as that is known."""
        known = self.cards.get(seen.number) or self._same_card(seen)
        if known is not None:
            self.cards[seen.number] = known
            was = known.seen
            known.seen = replace(
                seen, between_us=was.between_us, edge_us=was.edge_us, by=was.by, by_chance=was.by_chance
            )
            known.closed = known.closed and not known.is_read
            retelling.clearer(known)
            return
        meaning = self._layout.meaning(seen.zone)
        if meaning == "marker":
            self.markers.card(seen.zone, seen.card)
        if meaning != "pile":
            return
        if seen.card == "back":
            self._notify(Notice(seen.between_us[1], "face-down", {"zone": seen.zone}))
            return
        card = LaidCard(placed(seen, self.laying, self.frame_us, turn))
        self.cards[seen.number] = card
        if retelling.found(card):
            return
        if len(self.cards) > MOST_WAITING:
            del self.cards[next(iter(self.cards))]
        self._waiting.append(PlayItem([card]))

    def _same_card(self, seen: CardSeen) -> LaidCard | None:
        """The card that was told unread under another number: nothing else came to its place in that moment."""
        for card in self.cards.values():
            near = abs(card.seen.edge_us - seen.edge_us) <= SAME_CARD_US
            if card.seen.zone == seen.zone and not card.is_read and near:
                return card
        return None

    def pile_taken(self, pile: PileTaken) -> None:
        """A pile was taken off its place."""
        meaning = self._layout.meaning(pile.zone)
        if meaning == "marker":
            self.markers.taken(pile.zone)
        if meaning != "pile":
            return
        self._gone.append(pile.between_us[1])
        self._taken[pile.zone] = pile.between_us[1]
        for card in self.cards.values():
            if card.seen.zone == pile.zone and card.t_us <= pile.between_us[1]:
                card.closed = True
        if pile.zone == TABLE and pile.by is not None and pile.by_chance >= self._sweep_sure:
            call = Pass(pile.between_us[1], pile.by)
            self._waiting.append(PassItem(call, taken=True, evidence=pile.evidence))

    def hand(self, seen: HandSeen) -> None:
        """A hand was seen."""
        self.laying.hand(seen)
        self.anywhere.hand(seen)
        at_table = self.at_table.hand(seen)
        if at_table is not None and at_table.frames == 1:
            self._waiting.append(PlayItem([], hand=at_table))
        visit = self.draws.hand(seen)
        if visit is not None and visit.frames == 1:
            self._waiting.append(DrawItem(visit))

    def past(self, past: CameraPast) -> None:
        """The camera has said everything before a moment."""
        frame_us = past.t_us if past.frame_us is None else past.frame_us
        if self.frame_us != START_US and frame_us - self.frame_us > BLIND_US:
            self._waiting.append(BlindItem(self.frame_us, frame_us))
            if frame_us - self.frame_us > MISSED_US:
                self.missed_us = frame_us
        self.frame_us = max(self.frame_us, frame_us)
        for card in self.cards.values():
            if not card.is_read:
                card.closed = card.seen.number not in past.open_numbers
