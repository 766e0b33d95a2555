"""Dobro: the two cards that only show how the game stands, the direction card and the Oubli card.

Belongs here: where the camera saw them last, and what players should be reminded of. Does not belong here: rulings;
what the rules have counts, the cards on the table follow (DO-G40).

Written rules:
- what was not seen is not complained of: a card that was never seen to change lies as it should;
- a reminder comes once for each thing that is to be done, and only when there was time to do it.
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.table.calls import Notice
from referee.table.layouts import Layout

DIRECTION, OUBLI = "direction", "oubli"
CENTRE = "centre"
PATIENCE_US = 8_000_000


class Markers:
    """The direction card and the Oubli card as the camera sees them, beside what the rules say."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._seen: dict[str, str] = {DIRECTION: "clockwise", OUBLI: CENTRE}
        self._asked: dict[str, tuple[str, int]] = {}
        self._reminded: dict[str, str] = {}

    def card(self, zone: str, card: str) -> None:
        """A card came to lie on a marker's place; the direction card shows `clockwise` with its face."""
        if zone == DIRECTION:
            self._seen[DIRECTION] = "clockwise" if card == DIRECTION else "anticlockwise"
        elif card == OUBLI:
            self._seen[OUBLI] = self._layout.owner(zone) or CENTRE

    def taken(self, zone: str) -> None:
        """What lay on a marker's place is gone, or turned over."""
        if zone == DIRECTION:
            self._seen[DIRECTION] = "anticlockwise"
        elif self._seen[OUBLI] == (self._layout.owner(zone) or CENTRE):
            self._seen[OUBLI] = ""

    def reminders(self, wanted: Mapping[str, str | None], now_us: int) -> list[Notice]:
        """What should be done by now and was not: `turn-direction`, `move-oubli`."""
        said = []
        for name, kind in ((DIRECTION, "turn-direction"), (OUBLI, "move-oubli")):
            want = wanted.get(name) or CENTRE
            if name not in self._asked or self._asked[name][0] != want:
                self._asked[name] = (want, now_us)
            if self._seen[name] == want:
                self._reminded.pop(name, None)
            elif now_us - self._asked[name][1] > PATIENCE_US and self._reminded.get(name) != want:
                self._reminded[name] = want
                said.append(Notice(now_us, kind, {name: want}))
        return said
