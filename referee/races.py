"""A touch of the totem and a card that came in the same moment, whose order nobody has told yet.

Written rules of this module:
- pure: the steps of a record in, races out;
- a scramble is in a race when it bears the doubt `arrival` although a person has settled it: who it was is no word on
  whether the card lay there already;
- it races with the cards whose arrival (`between`) holds the touch, or meets the time in which it may really have come
  (its own `between`), but for those of players named in `in_order`: of these a person has said it;
- cards keep their order among themselves: only the touch may have come before or after each of them.
Does not belong here: what follows from either order (`referee.worlds`), when an arrival is a doubt (`referee.table`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from referee.record import Step
from referee.words import Event

ARRIVAL = "arrival"
IN_ORDER = "in_order"
MOVED = "moved"
"""The key of a correction that takes out what the next event puts in elsewhere: the two are judged as one."""
NEAREST_STEPS = 64
"""A touch can fall into the arrival of a card only if the two stand this near to each other in the record."""

Order = tuple[int, ...]


@dataclass(frozen=True)
class Race:
    """A touch and the cards it races with, as places among the steps.

    `flips` stand in the order of the record; there is one at least.
    """

    grab: int
    flips: Order

    @property
    def block(self) -> range:
        """The places from the first of them to the last."""
        return range(min(self.grab, self.flips[0]), max(self.grab, self.flips[-1]) + 1)

    def others(self) -> list[Order]:
        """The orders besides the recorded one in which the steps of the block may have happened."""
        rest = [place for place in self.block if place != self.grab]
        before = sum(flip < self.grab for flip in self.flips)
        found = []
        for count in range(len(self.flips) + 1):
            if count > before:
                at = rest.index(self.flips[count - 1]) + 1
            elif count < before:
                at = rest.index(self.flips[count])
            else:
                continue
            found.append((*rest[:at], self.grab, *rest[at:]))
        return found


def is_racing(event: Event) -> bool:
    """Whether a scramble was settled, but not its order to a card that came then."""
    return event["event"] == "grab" and "settled_by" in event and ARRIVAL in event.get("doubt", ())


def races(steps: Sequence[Step]) -> Iterator[Race]:
    """The races of a record, or of a part of it."""
    for place, step in enumerate(steps):
        if step.refused or not is_racing(step.event):
            continue
        near = range(max(0, place - NEAREST_STEPS), min(len(steps), place + NEAREST_STEPS + 1))
        if flips := tuple(other for other in near if _races_with(steps[other], step.event)):
            yield Race(place, flips)


def _races_with(step: Step, grab: Event) -> bool:
    event = step.event
    if step.refused or event["event"] != "flip" or "between" not in event:
        return False
    first_us, last_us = event["between"]
    from_us, to_us = grab.get("between", (grab["t_us"], grab["t_us"]))
    return first_us < to_us and from_us < last_us and event["player"] not in grab.get(IN_ORDER, ())
