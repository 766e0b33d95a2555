"""What the table may ask of whoever knows the players' secrets; the answers tell no secret.

Belongs here: the interface. Does not belong here: secrets (`referee.private`), what follows from an answer.
"""

from __future__ import annotations

from typing import Literal, Protocol

from referee.words import Event

Result = Literal["holder", "challenger", "none", "unknown"]
"""Who has the card after a challenge (`none`: it goes back to the centre), or that a force was not read."""


class Secrets(Protocol):
    """Jungle Bluff's forces, seen from outside."""

    def now(self, t_us: int) -> None:
        """The table's clock: when what is chosen from here on was chosen."""

    def happened(self, event: Event) -> None:
        """An event went into the record."""

    def result(self, challenge: Event) -> Result | None:
        """Who wins this challenge; None where the rules refuse it."""

    def agrees(self, reveal: Event) -> bool:
        """Whether these cards can be the forces of the last round."""

    def sealed(self) -> list[tuple[str, str]]:
        """Players whose force counts since this was last asked, each with a commitment that tells nothing of it."""

    def closing(self, choice: Event) -> list[Event]:
        """The final's forces as events, where this choice ends the game; nothing before that."""
