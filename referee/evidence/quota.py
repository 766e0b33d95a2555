"""Which evidence has to go: by size and age, the oldest first.

Belongs here: the choice. Does not belong here: deleting, the journal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

TOO_OLD = "older than the table keeps evidence"
TOO_MUCH = "made room for newer evidence"


@dataclass(frozen=True, slots=True)
class Held:
    """Files that belong together: what they take, how old they are (None: not known).

    `fixed`: pinned, or of a running game; they count and never go.
    """

    bytes: int
    age_days: float | None
    fixed: bool


def to_go(held: Sequence[Held], most_bytes: int | None, most_days: float | None) -> dict[int, str]:
    """The places (among `held`, which stands oldest first) of what has to go, each with the reason."""
    gone: dict[int, str] = {}
    if most_days is not None:
        old = (i for i, one in enumerate(held) if one.age_days is not None and one.age_days > most_days)
        gone = {i: TOO_OLD for i in old if not held[i].fixed}
    if most_bytes is not None:
        total = sum(one.bytes for i, one in enumerate(held) if i not in gone)
        for i, one in enumerate(held):
            if total <= most_bytes:
                break
            if i not in gone and not one.fixed:
                gone[i] = TOO_MUCH
                total -= one.bytes
    return gone
