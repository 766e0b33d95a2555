"""Where forces are kept while a round lasts, so that a game that was interrupted can go on.

Belongs here: what a store must offer, and the one that keeps nothing beyond this process. Does not belong here: a
journal's own store (`referee.journal`), what a force does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True)
class Secret:
    """A force that counts: its round, its player and, never shown in a representation, its card."""

    round_number: int
    player: str
    card: str = field(repr=False)


class SecretStore(Protocol):
    """Keeps the forces of one game apart from everything else that is kept of it."""

    def put(self, round_number: int, player: str, card: str) -> str | None:
        """Keep a force that counts from now on; raises `HardwareError` where it cannot be kept.

        Returns the commitment that the public record may show (`sealed`), where the store makes one.
        """

    def read(self) -> Sequence[Secret]:
        """The forces that are kept, for a game that goes on."""

    def forget(self, round_number: int) -> None:
        """The forces of a round are not needed any more: gone for good."""


class Nowhere:
    """Keeps nothing: the forces end with the process."""

    def put(self, round_number: int, player: str, card: str) -> str | None:
        """Nothing: the vault holds them."""
        return None

    def read(self) -> Sequence[Secret]:
        """None."""
        return ()

    def forget(self, round_number: int) -> None:
        """Nothing."""
