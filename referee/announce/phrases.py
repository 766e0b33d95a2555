"""Small phrases that every sentence is made of, in English and in French.

Belongs here: lists of names, counts of cards, ranges, times. Does not belong here: whole sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Sentence = Callable[[Mapping[str, Any]], str]
"""Words a ruling, an event or a margin."""

Fact = Callable[[Any], str]
"""Words one count of a summary; empty when there is nothing to say."""


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
    return f"{count} carte" if abs(count) < 2 else f"{count} cartes"


def de(name: str) -> str:
    """Of somebody, in French: `d'Ana`, `de Bilal`."""
    return f"d'{name}" if name[:1].lower() in tuple("aàâäeéèêëiîïoôöuùûüh") else f"de {name}"


def range_of(value: Any, word: str) -> str:
    """A number, or the two ends of an interval with `word` between them."""
    return f"{value[0]:g} {word} {value[1]:g}" if isinstance(value, list) else f"{value:g}"


def milliseconds(us: int) -> str:
    """Microseconds as milliseconds, with a decimal where it matters."""
    return f"{us / 1000:.1f} ms" if abs(us) < 10_000 else f"{us / 1000:.0f} ms"


def millisecondes(us: int) -> str:
    """The same with a decimal comma."""
    return milliseconds(us).replace(".", ",")


def placed(ranking: Sequence[Sequence[str]]) -> list[tuple[int, Sequence[str]]]:
    """The places of a ranking with their numbers; who shares a place pushes the next one down."""
    numbered, place = [], 1
    for names in ranking:
        numbered.append((place, names))
        place += len(names)
    return numbered


def seconds(t_us: int, decimals: int) -> str:
    """A moment on the table clock in seconds, rounded: every time a person reads is made here, or by `clock`."""
    return f"{t_us / 1e6:.{decimals}f}"


def clock(t_us: int) -> str:
    """A moment on the table clock as minutes, seconds and hundredths, rounded."""
    hundredths = round(abs(t_us) / 10_000)
    sign = "-" if t_us < 0 and hundredths else ""
    return f"{sign}{hundredths // 6000}:{hundredths // 100 % 60:02d}.{hundredths % 100:02d}"


def correction_en(event: Mapping[str, Any]) -> str:
    """A person's correction, without what it puts in: that may be secret."""
    place = f"what was missed before event {event['before']}" if "before" in event else f"event {event['ref']}"
    return f"{event.get('by') or 'Somebody'} corrects {place}"


def correction_fr(event: Mapping[str, Any]) -> str:
    """A person's correction in French, without what it puts in."""
    who = event.get("by") or "Quelqu’un"
    if "before" in event:
        return f"{who} ajoute ce qui manquait avant l'événement {event['before']}"
    return f"{who} corrige l'événement {event['ref']}"
