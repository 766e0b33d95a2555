"""One zone in which cards land face up: what lies there, and what happens to it.

Written rules of this module:
- a card is read when it has come to rest, and again only when its look has changed or a while has passed; under a
  hand that stays it is read only where most of it shows;
- what lay there at the very first look is what the table starts with, and no card that became visible;
- the same card in the same place is the same card, whatever a second reading says; and one that came when the unread
  top came is that top, which a hand is still laying down;
- a card that is seen and cannot be read is said only once it has been seen twice, and where it is most likely the top
  that a hand has moved a little, only after the last look at it without a hand;
- what a hand brought and nobody can read is said as a card that cannot be told: what came and is kept silent makes
  everything after it wrong;
- a number is said again only when more is known; it is closed when its card is sure, or swept away;
- in a busy zone, where the next hand may come before a card has lain still for long, the freest frame since the last
  look is kept, and read when a hand comes over it.
Does not belong here: arms (they come as masks), which zones there are, what a card means.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import cv2
import numpy as np

from referee.vision.arrival import Snap, arrival
from referee.vision.evidence import Evidence, add
from referee.vision.glance import Face
from referee.vision.laid import (
    SAME_LOOK_SHARE,
    Laid,
    Moment,
    contradict,
    is_same,
    judged,
    may_be_pushed,
    may_be_top,
    may_be_twin,
    place_below,
    same_place,
    sides_mm,
    was_pushed,
)
from referee.vision.light import differs
from referee.vision.masks import Mask, count
from referee.vision.pile_gone import PileGone
from referee.vision.places import focus
from referee.vision.sightings import CardSeen, PileShifted, Sighting
from referee.vision.zone_look import AGAIN_US, WHOLLY_SEEN, Plane, Read

REST_US = 55_000  # a card lies still for so long before it is read
STAYED_COVERED = 0.15  # of a zone under an arm: that stirs it
STIRS = 4  # frames in which something stirs: a hand that lays a card makes more
HELD_US = (120_000, 180_000, 500_000, 1_000_000)  # and when under a hand that stays
HELD_PLACES = (1, 3, 2, 2)  # looked at closely then: fingers beside a card often look likelier than it
PLACES = (2, 2, 3)  # looked at closely the first, second and third time
CHANGE_SHARE = 0.05  # of a card
HELD_COVERED = 0.95  # of a zone: under more, nothing can be read; a card and the arm over it are often one outline
HELD_SEEN = 0.7  # of a card under a hand, for reading it there
GLIMPSE_COVERED = 0.25  # of a busy zone: a frame with more under a hand is not kept
GLIMPSE_LOST = 0.15  # of the zone: so much more under a hand than in the kept frame, and it is read
BESIDE_SHARE = 0.012  # of a card: with less of the former top's ink free beside the new one, nothing is said of it
BESIDE_GONE = 0.55  # of what shows of it: more has changed, and it is gone
BESIDE_STAYS = 0.25
SECOND_CARD_US = 500_000  # nobody fetches and turns a second card sooner than that
SECOND_LIES_US = 700_000  # and it lies still so long after the first one stood on its edge, at the earliest
BUSY_CARD_US = 70_000  # nor do two cards show their faces on one pile within that
MOST_UNDER = 3  # of so many cards it is kept how the zone looked before they came


@dataclass
class Pile(PileGone):
    """One zone in which cards land face up."""

    def feed(self, moment: Moment, read: Read, may_read: bool = True) -> list[Sighting]:
        """A frame in which something may differ here; `read` reads the likeliest places of a box of it,
        if there is time for it."""
        assert self.settled is not None
        self.active = True
        stirred = self._stirred(moment)
        left: list[Sighting] = []
        if self._unread is not None and (stirred or (moment.arms & self.core).any()):
            # It lay there free for a while, and now something comes over it: it will not be seen any better.
            left = self._give_up(*self._unread)
            self._still_us = None
            self._learned = None  # a hand is there by now: the whole picture has nothing to learn
        if self._recent.last is not None and (stirred or moment.covered > STAYED_COVERED):
            self._stirs += 1
        self._recent.add(Snap(moment.t_us, moment.thumb, moment.covered, moment.hands), moment.name)
        if stirred or self._still_us is None:
            self._still_us, self._tries, self._held = moment.t_us, 0, 0
        rested = moment.t_us - self._still_us
        if self.busy and self._tries == 0 and (said := self._glimpsed(moment, read, may_read)) is not None:
            return said
        if rested < REST_US:
            return left
        now = moment.thumb.astype(np.float32)
        free = self.body & ~moment.arms
        self._noise = self._noise_of(now, free, moment.noise)
        change = differs(now, self.settled, 1.4 * self._noise) & free
        change = cv2.morphologyEx(change.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)) > 0
        changed = float(count(change & self.core) / self.card_area)
        held = bool((moment.arms & self.core).any())
        if changed < CHANGE_SHARE and not held:
            if self.attentive and self._stirs >= STIRS:
                if not may_read:
                    return []
                self._stirs = 0
                if said := self._read_on(moment, now, free, read):
                    return said
            self._stirs = 0
            self._settle(now, free, 0.1)
            self.clear_us = moment.t_us
            self._rest()
            return []
        if self._is_bare(now, free):
            return self._bare(moment, now, free)
        if not may_read:
            return []
        if held and changed < 0.4:
            # All that changed hangs on an arm: it is looked at once it has been lying still for long.
            if self._held >= len(HELD_US) or rested < HELD_US[self._held] or moment.covered > HELD_COVERED:
                return []
            self._held += 1
            return self._look(moment, now, free, None, read, held=True)
        if self._tries >= len(AGAIN_US) or rested < AGAIN_US[self._tries]:
            return []
        self._tries += 1
        self._glimpse = None
        return self._look(moment, now, free, change, read, held)

    def _glimpsed(self, moment: Moment, read: Read, may_read: bool) -> list[Sighting] | None:
        """Keep the freest frame of a busy zone; what follows from it when a hand comes over what was not read yet.

        None where nothing is read now.
        """
        if moment.covered < GLIMPSE_COVERED and self._is_as_it_was(moment):
            # Free, if only for this frame, and nothing has come: whatever a hand did here before, it laid no card.
            self.clear_us, self._glimpse = moment.t_us, None
            return None
        kept = self._glimpse
        if kept is None or moment.covered <= kept[0].covered:
            self._glimpse = (moment, read) if moment.covered < GLIMPSE_COVERED else kept
            return None
        if moment.covered < kept[0].covered + GLIMPSE_LOST or not may_read:
            return None
        self._glimpse = None
        then = kept[0]
        now, free = then.thumb.astype(np.float32), self.body & ~then.arms
        assert self.settled is not None
        change = differs(now, self.settled, 1.4 * self._noise) & free
        if count(change & self.core) / self.card_area < CHANGE_SHARE or self._is_bare(now, free):
            return None
        self._tries = 1
        held = bool((then.arms & self.core).any())
        said = self._look(then, now, free, change, kept[1], held)
        self._learned = None  # a hand is there by now: the whole picture has nothing to learn
        return said

    def _is_as_it_was(self, moment: Moment) -> bool:
        """Whether a frame shows the pile as it was last looked at, its top card free."""
        assert self.settled is not None
        free = self.body & ~moment.arms
        if self.top is not None and count(free & self.top.quad) < WHOLLY_SEEN * count(self.top.quad):
            return False
        change = differs(moment.thumb.astype(np.float32), self.settled, 1.4 * self._noise) & free & self.core
        return bool(count(change) < CHANGE_SHARE * self.card_area)

    def _read_on(self, moment: Moment, now: Plane, free: Mask, read: Read) -> list[Sighting]:
        """What lies here is read though little seems to have changed; another card that fits is one that came."""
        faces = [f for f in read(self.box, PLACES[0]) if self.owns(f.centre_mm)]
        face = max(faces, key=_clearness, default=None)
        top = self.top
        if face is None or not face.fits or "?" in face.sighting.card:
            return []
        if top is not None and top.card in ("?", face.sighting.card):
            return []
        if place_below(face, self.laid, self.copies) is not None:
            return []
        return self._arrived(moment, now, free, face, None)

    def _look(
        self, moment: Moment, now: Plane, free: Mask, change: Mask | None, read: Read, held: bool
    ) -> list[Sighting]:
        most = HELD_PLACES[self._held - 1] if held and change is None else PLACES[max(self._tries, 1) - 1]
        face = self._best(read, change, most)
        if change is not None and (face is None or not face.fits or self._reaches_out(face, change)):
            # What changed may be a part of what lies there: the rest may have been taken in under a hand, or is paper
            # on paper. A card of which a part is cut off may fit another print.
            wide = self._best(read, None, most)
            if wide is not None and (face is None or face.fits or wide.fits or _clearness(wide) >= _clearness(face)):
                face = wide
        if face is None:
            return [] if held else self._nothing(moment, now, free)
        top = self.top
        look = face.sighting.look
        if held and (not face.fits or look.seen < HELD_SEEN):
            return []
        assert self.settled is not None
        other = differs(now, self.settled, 1.4 * self._noise)
        if held:
            # Not all of an arm is always told from what lies under it: beside the card nothing is learned.
            free = free & self.mask(face.quad_px)
        # On a busy pile another card may lie just where one lies that is still being read.
        another = self.busy and top is not None and top.open and contradict(face.sighting.card, top.card)
        if top is not None and not another and is_same(face, top, other):
            said = [] if held else self._twin(moment, face, top, other)
            return said + self._again(moment, now, free, face, top, held)
        if top is not None and self._was_pushed(face, top, free, other):
            said = [] if held else self._twin(moment, face, top, other)
            self.laid[-1] = replace(self.laid[-1], face=face, quad=self.mask(face.quad_px))
            self._settle(now, free)
            self._done(moment)
            return said
        if top is not None and not another and self._came_with(top, moment, now, face):
            top.face, top.quad = face, self.mask(face.quad_px)
            return self._again(moment, now, free, face, top, held)
        former = self._former(face, now, free, other)
        below = None if self.busy and former == "stays" else place_below(face, self.laid, self.copies, former == "gone")
        if below is not None:
            between = self._lost(moment, now)
            self.laid = self.laid[: below + 1]
            self.laid[-1] = replace(self.laid[-1], face=face, quad=self.mask(face.quad_px))
            self._settle(now, free)
            self._done(moment)
            return [PileShifted(self.zone, face.sighting.card, between, (moment.name,))]
        again = not self.busy and (held or self._tries < len(AGAIN_US))
        if top is not None and again and may_be_top(face, top, self.copies):
            return []  # under a hand little of it may show
        doubtful = face.sighting.card == "?" and not face.fits
        if doubtful and not any(same_place(face, before) for before in self._doubts):
            # It has to be seen twice, in two looks apart in time, before it is said.
            self._doubts.append(face)
            return [] if held else self._wait(moment, now, free)
        return self._arrived(moment, now, free, face, former if self.busy else None)

    def _twin(self, moment: Moment, face: Face, top: Laid, other: Mask) -> list[Sighting]:
        """A card that cannot be told, where another one like the top may have been laid onto it by the hand that was
        there; none where the top lies as it lay, or was moved on by the hand that laid it."""
        quad = self.mask(face.quad_px)
        if self.busy or self.attentive or top.said is None or not may_be_twin(face, top, quad, self.copies):
            return []
        lay_us = moment.t_us if self._still_us is None else self._still_us
        if self.clear_us < top.said.between_us[1] or lay_us <= top.said.between_us[0] + SECOND_LIES_US:
            return []
        self.laid[-1] = replace(top, face=face, quad=quad, open=False)
        return [*self._said_unread(moment, other & quad)]

    def _was_pushed(self, face: Face, top: Laid, free: Mask, other: Mask) -> bool:
        """Whether what is read now is the top card, moved."""
        quad = self.mask(face.quad_px)
        if was_pushed(face, top, quad, other, self.copies):
            return True
        return not self.busy and may_be_pushed(face, top, quad | ~free, other, self.copies)

    def _came_with(self, top: Laid, moment: Moment, now: Plane, face: Face) -> bool:
        """Whether what is read now showed its face when the top card did, or so soon after it that nobody can have
        turned another: it is that card, moved on by its hand."""
        assert self.settled is not None
        if top.said is None or contradict(face.sighting.card, top.card) or (self.busy and not top.open):
            return False
        snaps = [snap for snap in self._recent.snaps if snap.t_us <= moment.t_us]
        came = arrival(snaps, self.settled, now, self.mask(face.quad_px), self.clear_us, self._noise, self.busy)
        first_us, shown_us = top.said.between_us
        if came.between_us[1] < first_us:
            return False
        if not self.busy and came.between_us[1] <= first_us + SECOND_CARD_US:
            return True
        later_us = BUSY_CARD_US if self.busy else SECOND_CARD_US
        return top.open and came.between_us[0] < shown_us and came.between_us[1] <= shown_us + later_us

    def _former(self, face: Face, now: Plane, free: Mask, other: Mask) -> Literal["stays", "gone"] | None:
        """What the card that lay on top does where the new one leaves it free.

        It is gone where what it lay on shows again; where neither shows, something came over it that nobody saw.
        """
        top = self.top
        if top is None or top.under is None:
            return None
        assert self.settled is not None
        over = cv2.dilate(self.mask(face.quad_px).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
        # Only where it looked otherwise than what it lay on: white paper on white paper tells nothing.
        told = top.quad & ~over & free & differs(self.settled, top.under, 1.4 * self._noise)
        if told.sum() < BESIDE_SHARE * self.card_area:
            return None
        changed = float(other[told].mean())
        if changed > BESIDE_GONE:
            bare = ~differs(now, top.under, 1.4 * self._noise)[told]
            return "gone" if bare.mean() > BESIDE_GONE else None
        return "stays" if changed < BESIDE_STAYS else None

    def _best(self, read: Read, change: Mask | None, most: int) -> Face | None:
        """The card of this zone that shows most, where something changed (None: anywhere in the zone)."""
        faces = [f for f in read(focus(change, self.box, self.scale, self.card_px), most) if self.owns(f.centre_mm)]
        return max(faces, key=_clearness, default=None)

    def _reaches_out(self, face: Face, change: Mask) -> bool:
        """Whether a card reaches beyond the spot in which it was read."""
        left, top, right, bottom = focus(change, self.box, self.scale, self.card_px)
        (low_x, low_y), (high_x, high_y) = face.quad_px.min(0), face.quad_px.max(0)
        return bool(low_x < left or low_y < top or high_x > right - 1 or high_y > bottom - 1)

    def _again(self, moment: Moment, now: Plane, free: Mask, face: Face, top: Laid, held: bool) -> list[Sighting]:
        """The card that is known to lie there, read once more."""
        if top.open:
            return self._clearer(moment, now, free, face, top)
        if top.card == "?" and face.sighting.card != "?":
            top.card = face.sighting.card
        if not held:
            self._settle(now, free)
        self._done(moment)
        return []

    def _clearer(self, moment: Moment, now: Plane, free: Mask, face: Face, top: Laid) -> list[Sighting]:
        assert top.said is not None
        if face.fits:
            top.evidence = add(top.evidence, face.sighting.look, sides_mm(face))
        card, confidence, nats = judged(face, top.evidence, self.weights)
        sure = card != "?"
        self._settle(now, free)
        if not sure and card == top.said.card:
            return []
        said = replace(
            top.said,
            card=card,
            confidence=confidence,
            nats=nats,
            sure_us=moment.t_us if sure else None,
            evidence=(*top.said.evidence, moment.name)[-6:],
        )
        top.card, top.said, top.face, top.open = card, said, face, not sure
        if sure:
            self._done(moment)
        return [said]

    def _arrived(
        self, moment: Moment, now: Plane, free: Mask, face: Face, former: Literal["stays", "gone"] | None
    ) -> list[Sighting]:
        assert self.settled is not None
        quad = self.mask(face.quad_px)
        # A look may be at a frame that was kept: what came after it is not of this card.
        snaps = [snap for snap in self._recent.snaps if snap.t_us <= moment.t_us]
        came = arrival(snaps, self.settled, now, quad, self.clear_us, self._noise, self.busy)
        between, edge_us = came.between_us, came.edge_us
        doubt, self.doubt = self.doubt, None
        unread = None if doubt is None else doubt.said
        if doubt is not None and not self._is_another(moment, now, free, quad):
            # It may have been lying there since something came that could not be read.
            between = (doubt.clear_us, between[1]) if unread is None else unread.between_us
            edge_us = min(edge_us, doubt.began_us) if unread is None else unread.edge_us
        else:
            unread = None
        evidence = Evidence()
        if face.fits:
            evidence = add(evidence, face.sighting.look, sides_mm(face))
        card, confidence, nats = judged(face, evidence, self.weights)
        seat, chance = self._recent.whose(came.between_us)
        self._close()
        said = CardSeen(
            number=self.number() if unread is None else unread.number,
            zone=self.zone,
            card=card,
            between_us=between,
            edge_us=edge_us,
            confidence=confidence,
            nats=nats,
            sure_us=None if "?" in card else moment.t_us,
            by=seat,
            by_chance=chance,
            evidence=(self._recent.frame_at(came.between_us[1]), moment.name),
            former=former,
        )
        under = self.settled.copy() if self.busy else None
        for laid in self.laid[:-MOST_UNDER]:
            laid.under = None
        self.laid.append(Laid(card, face, evidence, said, quad, said.sure_us is None, under))
        self._settle(now, free)
        if said.sure_us is not None:
            self._done(moment)
        return [said]

    def _is_another(self, moment: Moment, now: Plane, free: Mask, quad: Mask) -> bool:
        """Whether a card that is read where something lay that could not be came on top of that.

        A hand has been there since, the place looks otherwise, and beside it all is as it was: no hand was taken in
        with what could not be read.
        """
        if self.busy or self.attentive or self.settled is None:
            return False
        if not any(snap.hands for snap in self._recent.snaps if self.clear_us < snap.t_us <= moment.t_us):
            return False
        other = differs(now, self.settled, 1.4 * self._noise)
        over = cv2.dilate(quad.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
        beside = count(other & free & self.body & ~over)
        return bool(other[quad].mean() >= SAME_LOOK_SHARE and beside < BESIDE_STAYS * self.card_area)


def _clearness(face: Face) -> tuple[float, float]:
    """How much of a card shows and how sure it is: the more, the likelier it is what lies on top."""
    return face.sighting.look.seen, face.sighting.confidence
