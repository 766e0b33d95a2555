"""Whether the totem stands in its place, seen from above.

Written rules of this module:
- what stood in its place at the first look is the totem; it is compared in brightness-free form, so light may change;
- a totem that a hand hides is not judged, and one look does not decide: it has to look the same for a while.
Does not belong here: who holds it.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.places import Box, TotemPlace, view_mm
from referee.vision.sightings import Sighting, TotemSeen
from referee.vision.table import TableView
from referee.vision.view import above

Picture = NDArray[np.uint8]

SIDE_PX = 24  # of the small picture of the totem's place
SEARCH_PX = 4  # how far it may have been put beside its place
LIKE = 0.6  # correlation from which it is the same thing
UNLIKE = 0.45
STEADY_US = 120_000
EVERY_US = 60_000


@dataclass
class Standing:
    """The totem's place in the picture, and what is known of it."""

    box: Box
    look: Picture | None = None
    in_place: bool = True
    _doubt_us: int | None = None
    _looked_us: int = -1

    @classmethod
    def of(cls, totem: TotemPlace, view: TableView, size: tuple[int, int]) -> Standing:
        """The place from the profile's totem, as a view shows it."""
        foot = view.pixels(np.array([totem.centre_mm]))[0]
        top = view.pixels(view_mm(view, above(view, totem.centre_mm, totem.height_mm, size)))[0]
        reach = 0.9 * totem.diameter_mm * float(np.sqrt(abs(np.linalg.det(view.local(foot)))))
        low, high = np.minimum(foot, top) - reach, np.maximum(foot, top) + reach
        left, upper = np.clip(np.floor(low), 0, size).astype(int)
        right, lower = np.clip(np.ceil(high) + 1, 0, size).astype(int)
        return cls((int(left), int(upper), int(right), int(lower)))

    def feed(self, picture: Picture, t_us: int, hidden: bool) -> list[Sighting]:
        """A frame; what changed about the totem, said as of the frame in which it began."""
        left, top, right, bottom = self.box
        if min(right - left, bottom - top) < 6:
            return []
        if hidden:
            self._doubt_us = None
            return []
        if t_us - self._looked_us < EVERY_US and self._looked_us >= 0:
            return []
        self._looked_us = t_us
        crop = cv2.cvtColor(np.ascontiguousarray(picture[top:bottom, left:right]), cv2.COLOR_BGR2GRAY)
        small = np.asarray(cv2.resize(crop, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA), np.uint8)
        if self.look is None:
            self.look = small
            return []
        inner = self.look[SEARCH_PX:-SEARCH_PX, SEARCH_PX:-SEARCH_PX]
        like = float(cv2.matchTemplate(small, inner, cv2.TM_CCOEFF_NORMED).max())
        # A smooth cloth resembles anything a little, but has none of its contrast.
        like *= min(1.0, float(small.std()) / max(1.0, float(self.look.std())))
        now = True if like > LIKE else False if like < UNLIKE else self.in_place
        if now == self.in_place:
            self._doubt_us = None
            return []
        if self._doubt_us is None:
            self._doubt_us = t_us
        if t_us - self._doubt_us < STEADY_US:
            return []
        self.in_place = now
        since, self._doubt_us = self._doubt_us, None
        return [TotemSeen(since, now)]
