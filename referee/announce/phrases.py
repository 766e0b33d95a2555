"""Small phrases that every sentence is made of, in English and in French.

Belongs here: lists of names, counts of cards, ranges, times. Does not belong here: whole sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Sentence = Callable[[Mapping[str, Any]], str]
"""Words a ruling, an event or a margin."""


def listed(names: Sequence[str], word: str) -> str:
    """Names in a row, the last one after `word`."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {word} {names[-1]}"


def listed_and(names: Sequence[str]) -> str:
    """Names in a row, in English."""
    return listed(names, "and")


def listed_et(names: Sequence[str]) -> str:
    """Names in a row, in French."""
    return listed(names, "et")


def cards(count: int) -> str:
    """A number of cards, in English."""
    return "1 card" if count == 1 else f"{count} cards"


def cartes(count: int) -> str:
    """A number of cards, in French (where zero is singular)."""
    return "1 carte" if abs(count) < 2 else f"{count} cartes"


def range_of(value: Any, word: str) -> str:
    """A number, or the two ends of an interval with `word` between them."""
    return f"{value[0]:g} {word} {value[1]:g}" if isinstance(value, list) else f"{value:g}"


def milliseconds(us: int) -> str:
    """Microseconds as milliseconds, with a decimal where it matters."""
    return f"{us / 1000:.1f} ms" if abs(us) < 10_000 else f"{us / 1000:.0f} ms"


def placed(ranking: Sequence[Sequence[str]]) -> list[tuple[int, Sequence[str]]]:
    """The places of a ranking with their numbers; who shares a place pushes the next one down."""
    numbered, place = [], 1
    for names in ranking:
        numbered.append((place, names))
        place += len(names)
    return numbered


def clock(t_us: int) -> str:
    """A moment on the table clock as minutes, seconds and hundredths."""
    sign = "-" if t_us < 0 else ""
    hundredths = abs(t_us) // 10_000
    return f"{sign}{hundredths // 6000}:{hundredths // 100 % 60:02d}.{hundredths % 100:02d}"
