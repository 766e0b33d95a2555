"""Hands at the places of Speed: who was at a pile, who turned a side card up, who drew.

Belongs here: what a visit to a place means in this game. Does not belong here: turning the camera's words on hands into
visits (`visits`), which card came of it (`speed_piles`, `speed_table`).

Written rules:
- fingers that only pass by a central pile lay nothing there; of a hand that reaches beyond it, the palm counts;
- a hand that shows first beside another one, though it was seen nowhere just before, was lost in that one's outline: it
  was there; unless the next frame shows it further from home: then it has just come;
- a hand draws by staying at the middle of its draw pile: one that passes over it on its way does not;
- a turned card comes from the hand that was at its own side pile just before.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from referee.profile import Rect
from referee.table.layouts import Layout
from referee.table.visits import GAP_US, Visit, Visits
from referee.table.watermarks import START_US
from referee.vision.sightings import HandSeen

PALM_MM = 60.0  # from where the fingers end to the middle of the palm
ARM_MM = 40.0  # half as wide as an arm is at most, with its sleeve: so far to its side it lies over a place
LAY_NEAR_MM = 58.0  # fingers that come so near to the middle of a central pile may have laid or taken a card
PASSES_MM = 25.0  # one that is seen there in one frame alone, and no nearer, went by if others were there too
SIDE_NEAR_MM = 45.0  # and so near to the middle of a side pile, turned a card up
DENSE_US = 45_000
DRAW_NEAR_MM = 40.0  # a hand that draws is so near to the middle of its draw pile (across and along)
SPARSE_US = 75_000  # frames further apart than that may miss a hand that lays a card, or show half of it
STARVED_US, STARVED_TIMES = 1_500_000, 3  # so often within that time frames are missing: the camera is starved
HOLES = 1.6  # times the longest time between two frames: so long a hand may go unseen in one visit
MOST_GAP_US = 400_000
DRAWS_US = 50_000  # for so long at least: hands passing over it are for 33 ms, those that draw for 67 ms and more
TURNS_US = 150_000  # and one that turns a side card up stays at its pile for 200 ms and more
BEYOND_US = 120_000  # fingers of a hand that draws end beyond the pile for less; nobody lays a card in that time
RESTS_MM, RESTS_US = 6.0, 800_000  # beside a draw pile: fingers that end for so long so near to one point
UNSEEN_US = 150_000  # for less, nobody draws unseen
MOST_UNSEEN = 60
POPS_UP_US = 60_000  # a hand that was not seen for longer did not come just now
POPS_UP_MM = 110.0  # from a pile's middle to where hands part that had met over it
COMES_MM = 25.0  # so far from home in one frame: it is on its way to where it lays
BESIDE_US = 50_000  # another hand was at the pile so shortly before
MOST_SEEN = 400  # words on one player's hands, several a frame
FROM_SIDE_US = 1_200_000  # a turned card's hand was at the side pile so shortly before
ORDER_US = 120_000  # cards on two piles nearer in time than that are not ordered


class SpeedHands:
    """The visits of hands to the places of a table."""

    def __init__(self, layout: Layout, sure: float) -> None:
        """`sure`: from which chance on a hand is named."""
        self._sure = sure
        rects = {
            name: _about_middle(zone.rect) if name.startswith("draw/") else zone.rect
            for name, zone in layout.zones.items()
        }
        near = {name: 0.0 for name in rects if not name.startswith("central/")}
        beyond = {name: BEYOND_US for name in rects if name.startswith("draw/")}
        self._visits = Visits(rects, near, beyond)
        self._middles = {name: zone.centre_mm for name, zone in layout.zones.items() if layout.meaning(name) == "busy"}
        sides = {(f"side/{player}", player): layout.zones.get(f"side/{player}") for player in layout.players}
        self._sides = {key: zone.centre_mm for key, zone in sides.items() if zone is not None}
        angles = {name: math.radians(angle) for name, angle in layout.angles_deg.items()}
        self._home = {name: (math.cos(angle), -math.sin(angle)) for name, angle in angles.items()}
        self._frames: deque[int] = deque(maxlen=4)
        self._longest_us = 0  # between two of these
        self._blind: deque[tuple[int, int]] = deque(maxlen=MOST_UNSEEN)
        self._seen_us: dict[str, int] = {}
        self._seen: dict[str, deque[int]] = {}  # in which frames, wherever
        self._popped: dict[str, tuple[Visit, HandSeen]] = {}  # hands that showed first beside another one just now
        self._rests: dict[str, tuple[int, tuple[float, float] | None]] = {}  # since when fingers end where they do
        self._unseen: dict[str, deque[tuple[int, int]]] = {}  # times in which a player's hand was seen nowhere

    def hand(self, seen: HandSeen) -> Visit | None:
        """A hand was seen; the visit that began with it, if one did."""
        name = max(seen.chances, key=lambda one: seen.chances[one], default="")
        before_us = self._seen_us.get(name, seen.t_us)
        if seen.t_us - before_us >= UNSEEN_US:
            self._unseen.setdefault(name, deque(maxlen=MOST_UNSEEN)).append((before_us, seen.t_us))
        self._seen.setdefault(name, deque(maxlen=MOST_SEEN)).append(seen.t_us)
        self._comes(seen, name)
        self._reaches_over(seen, name)
        met = self._met(seen, name)
        if self._stirs(seen, name):
            self._seen_us[name] = max(before_us, seen.t_us)
        if met is None:
            return self._visits.hand(self._nearest(seen, name))
        before = self._visits.within(seen.place, met.first_us - BESIDE_US, seen.t_us)
        mine = [visit for visit in before if visit.likeliest == name]
        if mine:
            # It had come before it was lost, and may have been anywhere over the pile since.
            mine[-1].last_us, mine[-1].nearest_mm = max(mine[-1].last_us, seen.t_us), 0.0
            return None
        new = self._visits.hand(replace(seen, tip_mm=self._middles[seen.place]))
        if new is not None:
            new.lost = True
            self._popped[name] = (new, seen)
        return new

    def _comes(self, seen: HandSeen, name: str) -> None:
        """Whether a hand that showed first beside another one in the frame before was on its way there."""
        visit, first = self._popped.get(name, (None, seen))
        if visit is None or first.t_us >= seen.t_us:
            return
        del self._popped[name]
        if seen.t_us - first.t_us > DENSE_US or seen.tip_mm is None or first.tip_mm is None:
            return
        home_x, home_y = self._home[name]
        out_mm = (first.tip_mm[0] - seen.tip_mm[0]) * home_x + (first.tip_mm[1] - seen.tip_mm[1]) * home_y
        if out_mm >= COMES_MM:
            visit.lost, visit.met = False, True

    def _reaches_over(self, seen: HandSeen, name: str) -> None:
        """Whoever was at a pile is there still where their arm lies over its middle, wherever their fingers end.

        An arm that touches something is one outline with it, which may end far beyond.
        """
        if seen.tip_mm is None or name not in self._home:
            return
        (home_x, home_y), (tip_x, tip_y) = self._home[name], seen.tip_mm
        for zone, (x, y) in self._middles.items():
            back = (x - tip_x) * home_x + (y - tip_y) * home_y
            off_mm = math.dist((x, y), (tip_x + back * home_x, tip_y + back * home_y))
            if zone == seen.place or back <= PALM_MM or off_mm > ARM_MM:
                continue
            here = self._visits.within(zone, seen.t_us - self._visits.gap_us - 1, seen.t_us - 1)
            mine = [visit for visit in here if visit.likeliest == name and visit.last_us < seen.t_us]
            if mine:
                mine[-1].again(seen, off_mm)

    def _met(self, seen: HandSeen, name: str) -> Visit | None:
        """The visit of another hand to a pile, out of whose outline this one comes; None: of none."""
        if seen.tip_mm is None or seen.place not in self._middles:
            return None
        frames = self._seen[name]
        before_us = next((t_us for t_us in reversed(frames) if t_us < seen.t_us), START_US)
        absent_us = max(POPS_UP_US, round(HOLES * self._longest_us))
        if seen.t_us - before_us <= absent_us or math.dist(seen.tip_mm, self._middles[seen.place]) > POPS_UP_MM:
            return None
        beside = self._visits.within(seen.place, seen.t_us - BESIDE_US, seen.t_us)
        others = (one for one in beside if one.likeliest != name and one.first_us < seen.t_us - BESIDE_US)
        return next(others, None)

    def _stirs(self, seen: HandSeen, name: str) -> bool:
        """Whether a hand has moved of late, if it is beside its draw pile: what rests there may be what it has left."""
        if seen.place != f"draw/{name}":
            return True
        tip, (since_us, rested) = seen.tip_mm, self._rests.get(name, (START_US, None))
        if tip is None or rested is None or math.dist(tip, rested) > RESTS_MM:
            self._rests[name] = (seen.t_us, tip)
            return True
        return seen.t_us - since_us < RESTS_US

    def _nearest(self, seen: HandSeen, name: str) -> HandSeen:
        """The same hand, with what of it is nearest to the middle of a central pile, or of its own side pile.

        A flat hand lays with its palm, and fingers that lift a side card end beyond that pile.
        """
        middle = self._middles.get(seen.place) or self._sides.get((seen.place, name))
        if seen.tip_mm is None or middle is None or name not in self._home:
            return seen
        (x, y), (home_x, home_y), (tip_x, tip_y) = middle, self._home[name], seen.tip_mm
        back = min(max((x - tip_x) * home_x + (y - tip_y) * home_y, 0.0), PALM_MM)
        return replace(seen, tip_mm=(tip_x + back * home_x, tip_y + back * home_y))

    def frame(self, t_us: int) -> None:
        """The camera has looked at `t_us`: where frames are missing, a visit may have holes, and nothing is sure."""
        if self._frames and t_us <= self._frames[-1]:
            return
        if self._frames and t_us - self._frames[-1] > SPARSE_US:
            self._blind.append((self._frames[-1], t_us))
        self._frames.append(t_us)
        self._longest_us = max((b - a for a, b in pairwise(self._frames)), default=0)
        self._visits.gap_us = min(max(GAP_US, round(HOLES * self._longest_us)), MOST_GAP_US)

    def was_blind(self, from_us: int, to_us: int) -> bool:
        """Whether frames were missing at some time between two."""
        return any(begin < to_us and end > from_us for begin, end in self._blind)

    def was_starved(self, t_us: int) -> bool:
        """Whether frames were missing again and again before a moment: then cards may have come that nobody saw."""
        return sum(t_us - STARVED_US <= begin < t_us for begin, _ in self._blind) >= STARVED_TIMES

    def name(self, visit: Visit) -> str | None:
        """Whose visit it was, where that is sure."""
        return visit.player(self._sure)

    def laying(self, zone: str, from_us: int, to_us: int) -> list[Visit]:
        """The visits by which a card may have come to a pile."""
        return [visit for visit in self._visits.within(zone, from_us, to_us) if visit.nearest_mm < LAY_NEAR_MM]

    def stayed(self, visit: Visit) -> bool:
        """Whether a hand was at a place for more than one frame, where frames are so near that one is too short."""
        return visit.seen > 1 or self._longest_us > DENSE_US

    def without_passing(self, visits: list[Visit]) -> list[Visit]:
        """The visits but for hands that only went by beside others: at no time near the middle, gone at once, and seen
        elsewhere just after; one that is seen nowhere then may be lost in the other's outline."""
        return [one for one in visits if not self._went_by(one, visits)] or visits

    def _went_by(self, visit: Visit, visits: Sequence[Visit]) -> bool:
        seen = self._seen.get(visit.likeliest or "", ())
        went_on = any(visit.last_us < t_us <= visit.last_us + GAP_US for t_us in seen)
        # Where no other hand stays there, it cannot have been lost in that one's outline.
        alone = not any(visit.last_us < one.last_us and one.first_us <= visit.last_us + GAP_US for one in visits)
        if not (went_on or (alone and not visit.lost)) or self.stayed(visit):
            return False
        # Who is seen elsewhere in the frame before as well as in the one after has flown over it, however near.
        flew = not visit.lost and any(visit.first_us - DENSE_US <= t_us < visit.first_us for t_us in seen)
        flew = flew and any(visit.last_us < t_us <= visit.last_us + DENSE_US for t_us in seen)
        return flew or visit.nearest_mm >= PASSES_MM

    def were_at(self, place: str, from_us: int, to_us: int) -> bool:
        """Whether any hand was at a place between two times."""
        return bool(self._visits.within(place, from_us, to_us))

    def drawing(self, player: str, from_us: int, to_us: int) -> list[Visit]:
        """The visits in which a player drew, that ended after `from_us` and began by `to_us`."""
        visits = self._visits.within(f"draw/{player}", from_us, to_us)
        return [one for one in visits if one.likeliest == player and one.last_us - one.first_us >= DRAWS_US]

    def was_unseen(self, player: str, from_us: int, to_us: int) -> bool:
        """Whether a player's hand was seen nowhere for so long, between two times, that they may have drawn."""
        if self.was_blind(from_us, to_us):
            return True
        if to_us - max(from_us, self._seen_us.get(player, from_us)) >= UNSEEN_US:
            return True
        spans = self._unseen.get(player, ())
        return any(min(end, to_us) - max(begin, from_us) >= UNSEEN_US for begin, end in spans)

    def was_seen(self, player: str, from_us: int, to_us: int) -> bool:
        """Whether a player's hand was seen at some place or other between two times."""
        return any(from_us <= t_us <= to_us for t_us in self._seen.get(player, ()))

    def at_side(self, owner: str, t_us: int) -> list[Visit]:
        """The visits of a player's hand to their side pile from which a card may have been turned up about `t_us`."""
        visits = self._visits.within(f"side/{owner}", t_us - FROM_SIDE_US, t_us + ORDER_US)
        return [visit for visit in visits if visit.likeliest == owner and visit.nearest_mm < SIDE_NEAR_MM]

    def fresh_at_side(self, owner: str, t_us: int) -> list[Visit]:
        """Those of them of which no card has been told yet."""
        return [visit for visit in self.at_side(owner, t_us) if not visit.used]

    def turns_unasked(self, owner: str, t_us: int) -> bool:
        """Whether a player's hand stayed at their side pile before `t_us`, as one does that turns a card up."""
        return any(visit.last_us - visit.first_us >= TURNS_US for visit in self.fresh_at_side(owner, t_us))


def names(hands: SpeedHands, visits: Sequence[Visit]) -> list[str | None]:
    """Whose visits they were, in their order; None where that is not sure."""
    return [hands.name(visit) for visit in visits]


def _about_middle(rect: Rect) -> Rect:
    x, y = (rect[0] + rect[2]) / 2, (rect[1] + rect[3]) / 2
    return (x - DRAW_NEAR_MM, y - DRAW_NEAR_MM, x + DRAW_NEAR_MM, y + DRAW_NEAR_MM)
