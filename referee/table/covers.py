"""Piles that cannot be seen: since when, and whether their owner's hand stays at them.

Belongs here: the memory of `ZoneCovered` and of hands at zones. Does not belong here: what is waited for because
of it (`gate`).

Written rules:
- an arm that only passes over a pile hides it and turns no card: only a pile at which its owner's hand stayed (or is
  still) may have a card that nobody has seen;
- a pile at which another hand came after a moment, or that turns out to be gone since it was hidden, may have been
  swept before it could be seen again: what lay under its owner's hand then stays unseen;
- a hand that stayed at its owner's pile when it was their turn may have laid a card that was never told, however free
  the pile is again: that is asked about once somebody else goes on as if it had;
- the same holds for a bare place that stayed hidden for long after a moment: who reaches in under an arm is one outline
  with it, and no hand of theirs is seen. Where cards lay before and lie there yet nobody has swept;
- memory is bounded.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from referee.table.layouts import Layout

# A hand seen at a pile this long before something hid it may have turned a card.
HAND_BEFORE_US = 400_000
HAND_SHARE = 0.2
# Hands on their way to the totem are at their pile for 70 ms at most, hands that lay a card for 260 ms and more.
STAY_US = 160_000
SAME_VISIT_US = 150_000
# From a touch of the totem to the loser's hand at a pile takes people at least so long.
SWEPT_AFTER_US = 700_000
KEPT = 60


@dataclass
class Cover:
    """Something hides a zone from `from_us` to `to_us` (None: still)."""

    from_us: int
    to_us: int | None = None


@dataclass
class Visit:
    """A hand is at a zone, from its first to its last frame there."""

    first_us: int
    last_us: int


@dataclass(frozen=True)
class Hidden:
    """A pile that may have had a card at some moment that nobody has seen, hidden since `from_us`.

    `is_over`: it can be seen again, and what lay there may be gone; nothing more will be known of it.
    """

    zone: str
    from_us: int
    visit: Visit
    is_over: bool


class Covers:
    """The covered face-up piles of a table."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._covers: dict[str, deque[Cover]] = {}
        self._visits: dict[str, deque[Visit]] = {}
        self._others: dict[str, deque[Visit]] = {}
        self._taken: dict[str, deque[tuple[int, int]]] = {}
        self._laid: dict[str, deque[int]] = {}

    def covered(self, zone: str, t_us: int, clear: bool) -> None:
        """Something hides a zone from `t_us` on, or hides it no longer."""
        if self._layout.meaning(zone) != "flip":
            return
        covers = self._covers.setdefault(zone, deque(maxlen=KEPT))
        is_open = bool(covers) and covers[-1].to_us is None
        if clear and is_open:
            covers[-1].to_us = t_us
        elif not clear and not is_open:
            covers.append(Cover(t_us))

    def hand(self, zone: str, t_us: int, chance: float) -> None:
        """A hand was seen at a zone, and is its owner's with this chance."""
        if self._layout.meaning(zone) != "flip":
            return
        whose = self._visits if chance >= HAND_SHARE else self._others
        visits = whose.setdefault(zone, deque(maxlen=KEPT))
        if visits and t_us - visits[-1].last_us <= SAME_VISIT_US:
            visits[-1].last_us = t_us
        else:
            visits.append(Visit(t_us, t_us))

    def laid(self, zone: str, t_us: int) -> None:
        """A card was seen to come to lie on a pile at `t_us`."""
        self._laid.setdefault(zone, deque(maxlen=KEPT)).append(t_us)

    def taken(self, zone: str, between_us: tuple[int, int]) -> None:
        """A pile was last seen, and first seen without the card that had been on top, between these moments."""
        self._taken.setdefault(zone, deque(maxlen=KEPT)).append(between_us)

    def hidden(self, t_us: int, past_us: int, most_us: int) -> list[Hidden]:
        """The piles that may have had an unseen card at `t_us`, as far as can be told at `past_us`.

        Hidden at `t_us`, their owner's hand stayed there, and not clear again by `past_us`, or maybe swept before.
        `most_us`: what has been hidden for longer than this before `t_us` is a hand at rest.
        """
        found = []
        for zone, covers in self._covers.items():
            for cover in covers:
                open_yet = cover.to_us is None or cover.to_us >= past_us
                if not cover.from_us <= t_us <= cover.from_us + most_us or (cover.to_us or t_us) < t_us:
                    continue
                visit = self._owner_stayed(zone, cover, t_us, past_us)
                swept = self._may_be_swept(zone, t_us, cover) or self._is_gone(zone, cover)
                if visit is not None and (open_yet or swept):
                    found.append(Hidden(zone, cover.from_us, visit, not open_yet))
        return found

    def stayed(self, zone: str, since_us: int, until_us: int) -> Visit | None:
        """The owner's last visit to a pile between two moments that was long enough to lay a card there; none where it
        was to take the pile."""
        for visit in reversed(self._visits.get(zone, ())):
            inside_us = min(visit.last_us, until_us) - max(visit.first_us, since_us)
            gone = any(
                from_us <= visit.last_us + SAME_VISIT_US and visit.first_us - SAME_VISIT_US <= to_us
                for from_us, to_us in self._taken.get(zone, ())
            )
            if inside_us >= STAY_US and not gone:
                return visit
        return None

    def _owner_stayed(self, zone: str, cover: Cover, t_us: int, past_us: int) -> Visit | None:
        """The owner's visit that was there by `t_us`, for longer than to pass, or is there yet."""
        for visit in reversed(self._visits.get(zone, ())):
            stayed = visit.last_us - visit.first_us >= STAY_US or visit.last_us >= past_us - SAME_VISIT_US
            if visit.first_us <= t_us and visit.last_us >= cover.from_us - HAND_BEFORE_US and stayed:
                return visit
        return None

    def _may_be_swept(self, zone: str, t_us: int, cover: Cover) -> bool:
        """Whether a hand came to a pile after `t_us`, or may have, while nobody could see what it took."""
        to_us = cover.to_us
        if to_us is not None and to_us - t_us >= SWEPT_AFTER_US and self._was_bare(zone, cover.from_us):
            return True
        visits = [*self._visits.get(zone, ()), *self._others.get(zone, ())]
        return any(t_us < visit.first_us and (to_us is None or visit.first_us <= to_us) for visit in visits)

    def _was_bare(self, zone: str, t_us: int) -> bool:
        """Whether no card is known to have lain on a place just before something hid it."""
        laid = max((one for one in self._laid.get(zone, ()) if one <= t_us), default=None)
        return laid is None or any(laid <= to_us and from_us <= t_us for from_us, to_us in self._taken.get(zone, ()))

    def _is_gone(self, zone: str, cover: Cover) -> bool:
        """Whether a pile's top was seen for the last time while, or just before, something hid it."""
        return any(
            last_us >= cover.from_us - HAND_BEFORE_US and (cover.to_us is None or last_us <= cover.to_us)
            for last_us, _ in self._taken.get(zone, ())
        )
