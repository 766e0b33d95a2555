"""Piles that cannot be seen: since when, and whether their owner's hand is at them.

Belongs here: the memory of `ZoneCovered` and of hands at zones. Does not belong here: what is waited for because
of it (`fusion`).

Written rules:
- an arm that only passes over a pile hides it and turns no card: only a pile at which its owner's hand was seen
  just before or while it was hidden may have a card that nobody has seen;
- memory is bounded.
"""

from __future__ import annotations

from collections import deque

from referee.table.layouts import Layout
from referee.table.waiting import Cover

# A hand seen at a pile this long before something hid it may have turned a card.
HAND_BEFORE_US = 400_000
HAND_SHARE = 0.2
KEPT = 60


class Covers:
    """The covered face-up piles of a table."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._covers: dict[str, deque[Cover]] = {}
        self._hand_us: dict[str, int] = {}

    def covered(self, zone: str, t_us: int, clear: bool) -> None:
        """Something hides a zone from `t_us` on, or hides it no longer."""
        if self._layout.meaning(zone) != "flip":
            return
        covers = self._covers.setdefault(zone, deque(maxlen=KEPT))
        is_open = bool(covers) and covers[-1].to_us is None
        if clear and is_open:
            covers[-1].to_us = t_us
        elif not clear and not is_open:
            hand_us = self._hand_us.get(zone)
            near = hand_us is not None and t_us - hand_us <= HAND_BEFORE_US
            covers.append(Cover(t_us, owner_us=hand_us if near else None))

    def hand(self, zone: str, t_us: int, chance: float) -> None:
        """The owner's hand was seen at a zone with this chance."""
        if self._layout.meaning(zone) != "flip" or chance < HAND_SHARE:
            return
        self._hand_us[zone] = t_us
        covers = self._covers.get(zone)
        if covers and covers[-1].to_us is None:
            cover = covers[-1]
            cover.owner_us = t_us if cover.owner_us is None else min(cover.owner_us, t_us)

    def hidden(self, t_us: int, past_us: int, most_us: int) -> list[tuple[str, int]]:
        """The piles that may have had an unseen card at `t_us`, as far as can be told at `past_us`; since when.

        Hidden at `t_us`, not clear again by `past_us`, and their owner's hand was there before `t_us`. `most_us`: what
        has been hidden for longer than this before `t_us` is a hand at rest.
        """
        found = []
        for zone, covers in self._covers.items():
            for cover in covers:
                open_still = cover.to_us is None or cover.to_us >= past_us
                by_owner = cover.owner_us is not None and cover.owner_us <= t_us
                if cover.from_us <= t_us and open_still and by_owner and t_us - cover.from_us <= most_us:
                    found.append((zone, cover.from_us))
        return found
