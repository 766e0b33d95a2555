"""A number with its noun: `1 game`, `2 games`.

Belongs here: singular and plural, in English. Does not belong here: sentences; French nouns of rulings
(`referee.announce.phrases`).
"""

from __future__ import annotations


def amount(count: int, one: str, many: str | None = None) -> str:
    """The count and its noun; `many` is for nouns whose plural is not made by an s."""
    return f"{count} {one}" if count == 1 else f"{count} {many or one + 's'}"
