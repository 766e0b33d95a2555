"""Speed: who laid a card, and whether it hides one that nobody saw.

Belongs here: what hands, times and ranks say of one waiting card. Does not belong here: when it leaves and as what
(`speed_table`), what the camera said (`speed_piles`).

Written rules:
- ranks are a prior: cards fit far more often than not. A card one step from the top that stays hides none; one two
  steps away, where another hand was before it, lies on the one rank between; any other one hides what nobody can tell;
- they never speak for a card that was seen: one that does not fit is told as it was seen, unless the camera missed
  something then, and it is not taken back either;
- of two hands, the one with whose coming the card came laid it; who draws after it, from a full hand, has laid one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from referee.table.layouts import Layout
from referee.table.speed_cards import CardItem, HiddenItem, Item, TakenItem
from referee.table.speed_hands import SpeedHands, names
from referee.table.speed_piles import BROUGHT_US, LANDS_AFTER_US, LEFT_US
from referee.table.visits import Visit
from referee.vision.sightings import UNREADABLE
from referee.words import Expected

BY_SURE = 0.97
GAP_US = 120_000  # from the last look at a pile to the hand coming: an arm that was not seen may have been there before
COMES_US = 65_000  # from a hand coming to a pile to its card lying there
WIDE_US = 120_000  # from the last sight of a pile without a card to its face: its edge is a guess where that is longer
HIDES_US = 300_000  # a hand that had come so long before the card was not only laying it
APART_US = 60_000  # two hands that came so far apart laid in that order
FEW = 3  # cards of one player: a game may be over soon
IN_TURN_US = 100_000  # and the cards of two that came so far apart lie in that order
AFTER_IT_US = 20_000  # a card that came when the first hand was leaving is the other's
LAYS_WITHIN_US = 200_000  # a hand that turns a card up is over its pile so soon after it left the side pile
STAYS_US = 1_500_000  # a card that is still there so much later is not taken back any more
TURNS_US = 150_000  # from a side card standing on its edge to its hand leaving it, at least
DRAWS_WITHIN_US = 600_000  # whoever has laid a card draws so soon, if at all at once


class Weighing:
    """See the rules of the module."""

    def __init__(self, layout: Layout, hands: SpeedHands) -> None:
        self._layout, self._hands = layout, hands
        self.cards: Mapping[int, CardItem] = {}
        """All cards of which the camera has spoken of late."""

    # ---- turn-ups

    def moment(self, item: Item, due: Sequence[str]) -> int:
        """When an item happened: a side card that is due, when it stood on its edge."""
        if not isinstance(item, CardItem) or not self.is_turn_up(item, due):
            return item.t_us
        owner = self._layout.players[item.pile - 1]
        turning = self.turning(item, owner)
        return min(item.seen.edge_us, item.t_us) if turning is None else self.turned_us(item, owner, turning)

    def is_turn_up(self, item: CardItem, due: Sequence[str]) -> bool:
        """Whether a card may be a side card that is due: on its owner's pile, from their side pile."""
        owner = self._layout.players[item.pile - 1]
        if owner not in due or not self._hands.fresh_at_side(owner, item.t_us):
            return False
        return item.is_unexplained or not item.visits or set(names(self._hands, item.visits)) & {owner, None} != set()

    def turning(self, item: CardItem, owner: str) -> Visit | None:
        """The visit that turned a side card up which another card covered before anybody could look; None: it did not.

        The card that was seen came after that hand had left.
        """
        side = self._hands.fresh_at_side(owner, item.t_us)[-1]
        until_us = side.last_us + LAYS_WITHIN_US
        turned = [one for one in item.visits if one.likeliest == owner and one.first_us <= until_us]
        if not turned:
            return None
        if turned[-1] is item.visits[-1]:
            # A side card stands on its edge while its hand is there.
            return turned[-1] if item.seen.edge_us > turned[-1].last_us else None
        alone = item.seen.edge_us + LANDS_AFTER_US > turned[-1].last_us - AFTER_IT_US
        if item.visits[-1].lost:
            alone = item.seen.edge_us > turned[-1].last_us - TURNS_US
        return turned[-1] if alone else None

    def turned_us(self, item: CardItem, owner: str, turning: Visit) -> int:
        """When the side card that this one covers was turned up, about."""
        side = self._hands.fresh_at_side(owner, item.t_us)[-1]
        return min((side.first_us + side.last_us) // 2, turning.last_us, item.t_us - 1)

    # ---- who

    def laid_by(self, item: CardItem) -> str | None:
        """Who laid a card; None: that is open."""
        if item.is_unexplained or self.is_blind(item):
            return None
        if not item.visits:
            return self._by_arm(item)
        if item.player is not None:
            return item.player
        lands_us = item.seen.edge_us + LANDS_AFTER_US
        if lands_us > max(visit.last_us for visit in item.visits) + LEFT_US:
            return None  # it came when all of them had gone
        if lands_us < min(visit.first_us for visit in item.visits) - BROUGHT_US and not item.after_another:
            return None  # or before any of them
        # Of the hands of both, either may have laid the card on top: the last one may only have come to look.
        found = set(names(self._hands, item.visits))
        return found.pop() if len(found) == 1 else None

    def _by_arm(self, item: CardItem) -> str | None:
        """Whose arm a card came with where no fingers were at its pile; nobody's whose fingers were seen elsewhere."""
        by, (from_us, to_us) = item.seen.by, item.seen.between_us
        if by is None or item.seen.by_chance < BY_SURE or self._hands.was_seen(by, from_us, to_us):
            return None
        return by

    def is_blind(self, item: CardItem) -> bool:
        """Whether frames are missing of the time in which a card came: a hand may have been there that nobody saw."""
        return self._hands.was_blind(*item.seen.between_us)

    def one_alone(self, item: CardItem, expected: Expected, now_us: int) -> str | None:
        """Who laid a card of which a person said that it hides none."""
        is_open = item.is_unexplained or self.is_blind(item) or len(item.visits) != 2
        return None if is_open else self._one_of_two(item, expected, now_us)

    def _one_of_two(self, item: CardItem, expected: Expected, now_us: int) -> str | None:
        """Who of two laid the one card that was laid."""
        first, last = item.visits
        if first.lost or last.lost:
            return None
        laid = names(self._hands, item.visits)
        if None in laid or laid[0] == laid[1]:
            return laid[0] if laid[0] == laid[1] else None
        full = [name for name in laid if name not in expected.get("may_draw", ())]
        drew = [
            name
            for name in full
            if name is not None and self._drew(name, item, min(now_us, last.last_us + DRAWS_WITHIN_US))
        ]
        told = drew[0] if len(drew) == 1 else None
        met = first.met or last.met  # the pile may have begun to change with a hand that only came to look
        lands_us = item.seen.edge_us + LANDS_AFTER_US
        nearer = abs(lands_us - last.first_us - COMES_US) - abs(lands_us - first.first_us - COMES_US)
        since_us, shown_us = item.seen.between_us
        if shown_us - since_us > WIDE_US and last.first_us <= shown_us + COMES_US:
            return told  # it showed when both had come, and nobody saw the pile in between
        if not drew and lands_us > first.last_us - AFTER_IT_US:
            # A hand that another one meets may be lost in it: then it has not left.
            return laid[1] if nearer < APART_US and not met else None
        if abs(nearer) < APART_US:
            return told
        came = laid[0 if nearer > 0 else 1]
        return came if drew == [came] or not (drew or met) else None

    def _drew(self, player: str, item: CardItem, until_us: int) -> bool:
        """Whether a player drew once the first hand had gone, and not for a card that they laid elsewhere."""
        first = item.visits[0]
        drawing = self._hands.drawing(player, first.last_us, until_us)
        if not drawing:
            return False
        others = (one for one in self.cards.values() if one is not item and one.handle is None)
        laid = (one for one in others if one.t_us < drawing[-1].last_us)
        return not any(visit.likeliest == player for one in laid for visit in one.visits)

    # ---- what lies below

    def step(self, item: CardItem, expected: Expected | None) -> int | None:
        """How many ranks a card is from the top it was laid on; None where that is not known."""
        steps = None if expected is None else expected.get("steps")
        if steps is None or not item.is_read:
            return None
        return steps[item.pile - 1].get(item.seen.card[:-1])

    def misfits(self, item: CardItem, expected: Expected | None) -> bool:
        """Whether a card is not one rank from the top it was laid on, as far as that is known."""
        step = self.step(item, expected)
        return step is not None and abs(step) != 1

    def weigh(
        self, hidden: HiddenItem, waiting: Sequence[Item], expected: Expected | None, now_us: int, looked_us: int
    ) -> bool:
        """Work out what a card covers; False where nothing can lie there. Names are filled in as far as they are sure.

        `looked_us`: when the pile was last looked at.
        """
        cover = hidden.under
        if cover is None or expected is None or len(cover.visits) not in (1, 2) or cover.player is not None:
            return True
        step, (first, last) = self.step(cover, expected), (cover.visits[0], cover.visits[-1])
        lands_us = cover.seen.edge_us + LANDS_AFTER_US
        apart = last.first_us - first.first_us >= IN_TURN_US or lands_us > first.last_us - AFTER_IT_US
        apart = apart and not last.lost
        if step is None or cover.is_unexplained or (first is last and abs(step) != 1):
            hidden.player = hidden.player if apart else None
            return True
        laid = names(self._hands, cover.visits)
        lies = cover.stood or (looked_us >= cover.t_us + STAYS_US and not cover.buried)
        lies = lies and not cover.went_back and not _is_taken(hidden.pile, waiting)
        if min(expected.get("left", {}).values(), default=FEW + 1) <= FEW:
            lies = lies and cover.stood  # a game that is over leaves lying what would have gone back
        if abs(step) == 1:
            # Where both were after the same top the second card fits that one too, and goes back.
            if not lies or self._came_back(hidden, waiting, looked_us, [first] if apart else [first, last]):
                hidden.player = hidden.player if apart else None
                return True
            cover.player = None if first is last else self._one_of_two(cover, expected, now_us)
            cover.clean = True
            return False
        if None in laid or not (apart or laid[0] == laid[1]):
            hidden.player = None  # nobody can tell whose card came first
            return True
        if abs(step) == 2 and lies:
            steps = expected.get("steps", [])[cover.pile - 1]
            rank = next(rank for rank, one in steps.items() if one == step // 2)
            hidden.card, hidden.player, cover.player = f"{rank}?", laid[0], laid[1]
            cover.clean = True
        return True

    def _came_back(self, hidden: HiddenItem, waiting: Sequence[Item], looked_us: int, visits: Sequence[Visit]) -> bool:
        """Whether a hand of those that may have laid the hidden card came again and laid nothing: it may have taken
        that one back. What came of a hand is known once it has gone and the pile has been looked at."""
        cover = hidden.under
        if cover is None:
            return True
        after_us, who = max(one.last_us for one in cover.visits), {visit.likeliest for visit in visits}
        others = [item for item in waiting if isinstance(item, CardItem) and item is not cover]
        laying = [item.visits for item in others if item.pile == hidden.pile and len(item.visits) == 1]
        again = self._hands.laying(f"central/{hidden.pile}", after_us, looked_us)
        return any(
            one.likeliest in who and after_us < one.first_us and one.last_us <= looked_us
            for one in again
            if not any(one in laid for laid in laying)
        )

    def was_hidden_by(self, item: CardItem) -> bool:
        """Whether the one hand that was seen had been there for long when a card came: it may have hidden another's."""
        return len(item.visits) == 1 and item.seen.edge_us - item.visits[0].first_us > HIDES_US

    def is_doubtful(self, item: CardItem, expected: Expected | None) -> bool:
        """Whether a card that does not fit may lie on one that nobody saw."""
        step = self.step(item, expected)
        if step is None or abs(step) == 1 or item.went_back or item.weighed or item.is_unexplained:
            return False
        if len(item.visits) != 1 or item.visits[0].anew or self.is_blind(item) or self.was_hidden_by(item):
            return True
        gap = item.visits[0].first_us - item.seen.between_us[0] > GAP_US
        steps = [] if expected is None else expected.get("steps", [])
        other = item.on is not None and item.on != UNREADABLE and steps[item.pile - 1].get(item.on[:-1]) != 0
        return gap or other or item.seen.former != "stays"


def _is_taken(pile: int, waiting: Sequence[Item]) -> bool:
    """Whether a pile has been taken off the table: then nobody had to take a card back."""
    return any(isinstance(item, TakenItem) and item.pile == pile for item in waiting)
