"""The vault's store in a journal: a force that counts is sealed in the chain, and lies apart from it.

Belongs here: what the vault asks of a store, as words of the journal. Does not belong here: what a force does
(`referee.private.vault`), how it is sealed and kept (`referee.sealing`, `referee.journal.vault`).
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.journal.store import Journal
from referee.private.store import Secret


class ForceStore:
    """The forces of one game; `key` is its name in the journal once it has begun there."""

    def __init__(self, journal: Journal, key: str | None = None) -> None:
        self._journal = journal
        self.key = key

    def put(self, round_number: int, player: str, card: str) -> str | None:
        """Keep a force that counts from now on; raises `HardwareError` where it cannot be kept.

        Returns the commitment that the public record may show.
        """
        if self.key is None:
            return None
        return self._journal.keep_apart(self.key, {"round": round_number, "player": player}, card)

    def read(self) -> Sequence[Secret]:
        """The forces that are kept, for a game that goes on."""
        if self.key is None:
            return ()
        kept = self._journal.kept_apart(self.key)
        return [Secret(about["round"], about["player"], card) for about, card in kept]

    def forget(self, round_number: int) -> None:
        """The forces of a round are not needed any more: gone for good, which the chain says."""
        if self.key is not None:
            self._journal.forget(self.key, "the round is over", {"round": round_number})
