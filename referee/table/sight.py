"""What the camera has shown so far: frames, cards, arms at the totem, piles that are hidden.

Belongs here: the camera's memory, and what it says about one moment. Does not belong here: when an event may leave
(`gate`), how a scramble is written (`touches`).

Written rules: memory is bounded; what is asked about a moment is answered from words up to a stated time, so that the
answer does not depend on when it is asked.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from referee.table.arms import Arms, Stay
from referee.table.covers import HAND_BEFORE_US, Covers, Hidden
from referee.table.layouts import Layout
from referee.table.settings import FusionSettings
from referee.table.waiting import FlipItem
from referee.table.watermarks import START_US, Watermarks
from referee.vision.sightings import UNREADABLE, CardSeen

SECOND_CARD_US = 700_000  # to fetch and turn a second card takes a person at least so long
EDGE_SHARE = 0.25  # of the time between the frames without and with a card: so far its edge may be off
GAP_FRAMES = 4  # so many frames without a word are a gap
MOST_CARDS = 400
MOST_GAPS = 50
MOST_HANDS = 1_000


class Sight:
    """The camera's memory of one table."""

    def __init__(self, layout: Layout, settings: FusionSettings, marks: Watermarks) -> None:
        self.arms = Arms(settings.frame_us)
        self.covers = Covers(layout)
        self.cards: dict[int, FlipItem] = {}
        self._settings = settings
        self._marks = marks
        self._gaps: deque[tuple[int, int]] = deque(maxlen=MOST_GAPS)
        self._frame_us = START_US
        self._unseen = 0
        self._anywhere: deque[tuple[int, Mapping[str, float]]] = deque(maxlen=MOST_HANDS)

    @property
    def past_us(self) -> int:
        """How far everything that can be seen has been said."""
        return self._marks.past("camera")

    def frame(self, t_us: int) -> None:
        """The camera had a frame at `t_us`; a gap where it had none for long before."""
        if self._frame_us != START_US and t_us - self._frame_us > GAP_FRAMES * self._settings.frame_us:
            self._gaps.append((self._frame_us, t_us))
        self._frame_us = max(self._frame_us, t_us)

    def past(self, t_us: int, frame_us: int | None) -> None:
        """The camera's watermark comes to `t_us`, with a frame at `frame_us` (None: at `t_us` too)."""
        # The leap of a watermark that was held back by an arm is no gap: frames went on.
        self.frame(t_us if frame_us is None else frame_us)

    def hand(self, t_us: int, chances: Mapping[str, float]) -> None:
        """A hand was seen somewhere on the table."""
        self._anywhere.append((t_us, chances))

    def hands_about(self, from_us: int, to_us: int, least: float) -> set[str]:
        """Whose hands may have been over the table between two moments, wherever."""
        near = (chances for t_us, chances in self._anywhere if from_us <= t_us <= to_us)
        return {player for chances in near for player, chance in chances.items() if chance >= least}

    def keep(self, item: FlipItem) -> None:
        """Remember a card under its number; the oldest ones that were told are forgotten."""
        self.cards[item.seen.number] = item
        if not item.unseen:
            self.covers.laid(item.seen.zone, item.t_us)
        if len(self.cards) > MOST_CARDS:
            oldest = next(iter(self.cards))
            if self.cards[oldest].handle is not None:
                del self.cards[oldest]

    def unseen(self, hidden: Hidden, t_us: int) -> CardSeen:
        """The card that may lie where nobody could see it by `t_us`; it came when its owner's hand hid the pile."""
        self._unseen += 1
        from_us = max(hidden.from_us - HAND_BEFORE_US, hidden.visit.first_us - self._settings.frame_us)
        return CardSeen(-self._unseen, hidden.zone, UNREADABLE, (min(from_us, t_us), t_us), hidden.from_us)

    def found(self, seen: CardSeen) -> FlipItem | None:
        """The card that was told unseen and is seen now; None: it is another one."""
        for number, item in self.cards.items():
            first_us, last_us = item.seen.between_us
            meet = seen.between_us[0] <= last_us and first_us <= seen.between_us[1]
            if item.unseen and not item.settled and item.seen.zone == seen.zone and meet:
                item.seen, item.unseen = seen, False
                self.cards[seen.number] = self.cards.pop(number)
                return item
        return None

    def was_blind(self, t_us: int) -> bool:
        """Whether the camera had no frames just after `t_us`, or has none yet."""
        until_us = t_us + self._settings.look_us
        return self.past_us <= t_us or any(a < until_us and t_us < b for a, b in self._gaps)

    def lost_frames(self, from_us: int, to_us: int) -> bool:
        """Whether the camera had a gap between two moments."""
        return any(a < to_us and from_us < b for a, b in self._gaps)

    def missed(self, t_us: int) -> bool:
        """Whether what lay on the table at `t_us` was never seen: too long a gap, or no word of it yet."""
        long_us = self._settings.camera_us
        return self.past_us <= t_us or any(a < t_us < b and b - a > long_us for a, b in self._gaps)

    def stays(self, from_us: int, to_us: int) -> list[Stay]:
        """The arms at the totem between two moments."""
        return self.arms.stays(from_us, to_us)

    def hidden(self, t_us: int) -> list[Hidden]:
        """The piles on which a card that nobody has seen may have lain at `t_us`."""
        found = self.covers.hidden(t_us, self.past_us, self._settings.hidden_us)
        return [one for one in found if not self._card_since(one.zone, one.from_us, t_us)]

    def untold(self, zone: str, since_us: int, t_us: int) -> Hidden | None:
        """The pile as one to which its owner's hand may have brought a card between two moments that was never told."""
        visit = self.covers.stayed(zone, since_us, t_us)
        if visit is None or self._card_since(zone, visit.first_us, visit.first_us):
            return None
        return Hidden(zone, max(visit.first_us, since_us), visit, is_over=True)

    def _card_since(self, zone: str, from_us: int, t_us: int) -> bool:
        """Whether a card was seen on a pile about when something hid it, or since: that is the card under the hand.

        One that came so shortly before `t_us` that nobody can have turned another since is it as well.
        """
        since_us = min(from_us - HAND_BEFORE_US, t_us - SECOND_CARD_US)
        return any(card.seen.zone == zone and card.seen.between_us[1] >= since_us for card in self.cards.values())

    def arriving(self, t_us: int) -> bool:
        """Whether a card was arriving at `t_us`, for longer than its order with a touch can be told or so near its edge
        that nobody can tell."""
        seen = (card.seen for card in self.cards.values())
        return any(self._is_open(t_us, one) for one in seen)

    def came_between(self, from_us: int, to_us: int) -> bool:
        """Whether a card passed its edge between two moments."""
        return any(from_us < card.seen.came_us < to_us for card in self.cards.values())

    def _is_open(self, t_us: int, seen: CardSeen) -> bool:
        first_us, last_us = seen.between_us
        wide_us = last_us - first_us
        near = abs(t_us - seen.came_us) <= EDGE_SHARE * wide_us
        return first_us < t_us < last_us and (wide_us > self._settings.wide_us or near)
