"""How what lay in a zone goes: a pile that is taken, a place that is bare again, something that nobody can read.

Belongs here: what is said when no card is read where something changed. Does not belong here: cards that come (`pile`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from referee.vision.arrival import began, like_paper, paper_of
from referee.vision.laid import Moment
from referee.vision.light import differs
from referee.vision.masks import Mask, count
from referee.vision.sightings import UNREADABLE, CardSeen, PileTaken, Sighting
from referee.vision.zone_look import AGAIN_US, STIR_STEP, Doubt, Plane, ZoneLook

GONE_SHARE = 0.25  # of a card: more has changed where it lay
PAPER_LEFT = 0.2
BARE_SEEN = 0.7  # of a zone, to say that nothing lies there
BARE_LEARN = 0.1
CARD_SHARE = 0.3  # of a card: so much of the zone looks otherwise, and it is no shadow of one
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
        lay = bool(self.laid) or (self.doubt is not None and self.doubt.said is not None)
        said: list[Sighting] = [self._taken(moment, now)] if lay else []
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
            return self._give_up(moment, now, free) if last else self._wait(moment, now, free)
        seen = top.quad & free
        if seen.sum() < 0.5 * top.quad.sum():
            return []
        if differs(now, self.settled, 1.4 * self._noise)[seen].mean() < GONE_SHARE:
            return self._give_up(moment, now, free) if last else self._wait(moment, now, free)
        paper = paper_of(self.settled, top.quad)
        papery = 1.0 if paper is None else float(like_paper(now, paper)[seen].mean())
        # Where it never was seen empty, a pile is gone when nothing of its paper is left.
        if not last or self.ground is not None or papery > PAPER_LEFT:
            is_card = last and papery > PAPER_LEFT and not (self.busy or self.attentive)
            return self._give_up(moment, now, free) if is_card else self._wait(moment, now, free)
        said = self._taken(moment, now)
        self._settle(now, free)
        self.ground = self.settled.copy()
        self._done(moment)
        return [said]

    def _wait(self, moment: Moment, now: Plane, free: Mask) -> list[Sighting]:
        """Something free that lies still could not be read: it is looked at again, if nothing comes over it before."""
        if self._tries > 1 and not (self.busy or self.attentive):
            self._unread = (moment, now, free)
        return []

    def _give_up(self, moment: Moment, now: Plane, free: Mask) -> list[Sighting]:
        """Take in what could not be read; whatever is found there later may have come since the last sure look.

        Where a hand brought it and it is as large as a card it is said to be one that cannot be told.
        """
        assert self.settled is not None
        said: list[CardSeen] = []
        if self.doubt is None:
            other = differs(now, self.settled, 1.4 * self._noise) & self.body
            self.doubt = Doubt(self.clear_us, self._began(other))
            if not (self.busy or self.attentive) and count(other & free & self.core) >= CARD_SHARE * self.card_area:
                said = self._said_unread(moment, other)
                self._close()
                self.doubt = replace(self.doubt, said=said[0] if said else None)
        self._settle(now, free)
        self._done(moment)
        return [*said]

    def _began(self, other: Mask) -> int:
        """When what differs in some pixels began to cover them."""
        assert self.settled is not None
        since = [snap for snap in self._recent.snaps if snap.t_us > self.clear_us]
        return began(since, self.settled, other, self.clear_us, self._noise)

    def _said_unread(self, moment: Moment, other: Mask) -> list[CardSeen]:
        """The card that most likely came as something that cannot be read, in these pixels; none where no hand was."""
        lay_us = moment.t_us if self._still_us is None else self._still_us
        between = (self.clear_us, lay_us)
        seat, chance = self._recent.whose(between)
        if seat is None:
            return []
        seen = CardSeen(
            number=self.number(),
            zone=self.zone,
            card=UNREADABLE,
            between_us=between,
            edge_us=min(self._began(other), lay_us),
            by=seat,
            by_chance=chance,
            evidence=(self._recent.frame_at(lay_us), moment.name),
        )
        return [seen]

    def _lost(self, moment: Moment, now: Plane) -> tuple[int, int]:
        """Last frame in which the old top could be seen, first frame after it."""
        assert self.settled is not None
        top = self.top
        if top is None:
            return (self.clear_us, moment.t_us)
        last_us, after_us = self._recent.lost(now, self.settled, top.quad, STIR_STEP * self._noise)
        return (self.clear_us if last_us is None else last_us, moment.t_us if after_us is None else after_us)
