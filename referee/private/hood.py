"""The hooded camera: a player shows it the force, nobody sees the picture, and the vault learns the card.

Belongs here: whose turn it is to show, when a card is sure, forgetting the pictures. Does not belong here: reading one
picture (`referee.vision`), what a force does (`vault`).

Written rules:
- nothing is read before a player says that they show theirs, nor after it was read or the time is over;
- one picture proves nothing: the same card has to be told for sure in several, apart in time, and no other;
- pictures are looked at and dropped: none is kept, shown or handed on;
- what is told of it is whose card was read or not, never which.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from referee.private.vault import Vault
from referee.vision.camera import Frame

SHOW_US = 10_000_000  # so long a player has to show the card
LOOKS = 3
APART_US = 250_000  # from the first to the last of them
EVERY_US = 80_000
SURE = 0.99

Seen = Sequence[tuple[str, float]]
"""The cards in a picture: id (or `?`) and confidence."""


@dataclass
class _Showing:
    player: str
    until_us: int
    card: str | None = None
    first_us: int = 0
    looks: int = 0


class Hood:
    """One hooded camera; `read` reads a picture, `told` is told whether a player's card was read."""

    def __init__(self, vault: Vault, read: Callable[[Frame], Seen], told: Callable[[str, bool, int], None]) -> None:
        self._vault, self._read, self._told = vault, read, told
        self._showing: _Showing | None = None
        self._looked_us = 0

    @property
    def is_open(self) -> bool:
        """Whether somebody is showing a card."""
        return self._showing is not None

    def show(self, player: str, t_us: int) -> bool:
        """A player says that they show their force now; False while another one does, or where none is asked for."""
        if self._showing is not None and self._showing.player != player and t_us <= self._showing.until_us:
            return False
        if not self._vault.hand(player).may_choose:
            return False
        self._showing = _Showing(player, t_us + SHOW_US)
        return True

    def frame(self, frame: Frame) -> None:
        """A picture of the hooded camera."""
        showing = self._showing
        if showing is None or frame.t_us < self._looked_us + EVERY_US:
            return
        self._looked_us = frame.t_us
        cards = [card for card, confidence in self._read(frame) if card != "?" and confidence >= SURE]
        if len(cards) == 1:
            self._look(showing, cards[0], frame.t_us)
        elif len(cards) > 1:
            showing.card, showing.looks = None, 0  # two cards: nobody can say which is meant

    def _look(self, showing: _Showing, card: str, t_us: int) -> None:
        if card != showing.card:
            showing.card, showing.first_us, showing.looks = card, t_us, 0
        showing.looks += 1
        if showing.looks >= LOOKS and t_us - showing.first_us >= APART_US:
            self._showing = None
            self._told(showing.player, self._vault.choose(showing.player, card), t_us)

    def now(self, t_us: int) -> None:
        """The table's clock: whose time is over is told so."""
        showing = self._showing
        if showing is not None and t_us > showing.until_us:
            self._showing = None
            self._told(showing.player, False, t_us)
