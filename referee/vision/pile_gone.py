"""How what lay in a zone goes: a pile that is taken, a place that is bare again, something that nobody can read.

Belongs here: what is said when no card is read where something changed. Does not belong here: cards that come (`pile`).
"""

from __future__ import annotations

from dataclasses import dataclass

from referee.vision.arrival import began, like_paper, paper_of
from referee.vision.laid import Moment
from referee.vision.light import differs
from referee.vision.masks import Mask
from referee.vision.sightings import PileTaken, Sighting
from referee.vision.zone_look import AGAIN_US, STIR_STEP, Doubt, Plane, ZoneLook

GONE_SHARE = 0.25  # of a card: more has changed where it lay
PAPER_LEFT = 0.2
BARE_SEEN = 0.7  # of a zone, to say that nothing lies there
BARE_LEARN = 0.1
BARE_SHARE = 0.06  # of a card, that may differ where nothing lies


@dataclass
class PileGone(ZoneLook):
    """A zone from which cards are taken."""

    def _is_bare(self, now: Plane, free: Mask) -> bool:
        """Whether the zone looks as it did when nothing lay there."""
        core = self.core & free
        if self.ground is None or core.sum() < BARE_SEEN * self.core.sum():
            return False
        other = differs(now, self.ground, 1.4 * self._noise) & core
        return bool(other.sum() < BARE_SHARE * self.card_area)

    def _bare(self, moment: Moment, now: Plane, free: Mask) -> list[Sighting]:
        """Nothing lies there any more, or again."""
        said: list[Sighting] = [self._taken(moment, now)] if self.laid else []
        self.doubt = None
        self._settle(now, free)
        assert self.ground is not None
        # What it looks like empty is known from quieter moments than this one, perhaps under a hand's shadow.
        self.settled = self.ground + BARE_LEARN * (now - self.ground) * free[:, :, None]
        self.ground = self.settled.copy()
        self._done(moment)
        return said

    def _taken(self, moment: Moment, now: Plane) -> PileTaken:
        between = self._lost(moment, now)
        seat, chance = self._recent.whose(between)
        self.laid = []
        return PileTaken(self.zone, between, seat, chance, (self._recent.frame_at(between[1]), moment.name))

    def _nothing(self, moment: Moment, now: Plane, free: Mask) -> list[Sighting]:
        """No card was read where something changed, and it does not look as if nothing lay there either."""
        assert self.settled is not None
        last = self._tries >= len(AGAIN_US)
        top = self.top
        if top is None:
            if last:
                self._give_up(moment, now, free)
            return []
        seen = top.quad & free
        if seen.sum() < 0.5 * top.quad.sum():
            return []
        if differs(now, self.settled, 1.4 * self._noise)[seen].mean() < GONE_SHARE:
            if last:
                self._give_up(moment, now, free)
            return []
        paper = paper_of(self.settled, top.quad)
        papery = 1.0 if paper is None else float(like_paper(now, paper)[seen].mean())
        # Where it never was seen empty, a pile is gone when nothing of its paper is left.
        if not last or self.ground is not None or papery > PAPER_LEFT:
            return []
        said = self._taken(moment, now)
        self._settle(now, free)
        self.ground = self.settled.copy()
        self._done(moment)
        return [said]

    def _give_up(self, moment: Moment, now: Plane, free: Mask) -> None:
        """Take in what could not be read; whatever is found there later may have come since the last sure look."""
        if self.doubt is None:
            assert self.settled is not None
            other = differs(now, self.settled, 1.4 * self._noise) & self.body
            since = [snap for snap in self._recent.snaps if snap.t_us > self.clear_us]
            self.doubt = Doubt(self.clear_us, began(since, self.settled, other, self.clear_us, self._noise))
        self._settle(now, free)
        self._done(moment)

    def _lost(self, moment: Moment, now: Plane) -> tuple[int, int]:
        """Last frame in which the old top could be seen, first frame after it."""
        assert self.settled is not None
        top = self.top
        if top is None:
            return (self.clear_us, moment.t_us)
        last_us, after_us = self._recent.lost(now, self.settled, top.quad, STIR_STEP * self._noise)
        return (self.clear_us if last_us is None else last_us, moment.t_us if after_us is None else after_us)
