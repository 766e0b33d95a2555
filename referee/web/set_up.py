"""What the set-up pages ask for: a closed list of words with plain values, and the port of whoever does it.

Written rules of this module:
- nothing that is sent here names a file, a device or a command; what is no word of the list is refused;
- every value is checked for its kind and size before it goes further; whether it can be is known where it is done.
Does not belong here: doing it (`calibration.guided`, which knows no pages), who may ask (`guard`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from referee.web.desk import CommandError

LONGEST_TEXT = 128
MOST_NAMES = 16
LARGEST_NUMBER = 1e6
STEPS = ("deck", "cards", "camera", "table", "light", "totem", "time", "speaker")


class SetUp(Protocol):
    """A table that is being set up; called from any thread."""

    def state(self, language: str) -> Mapping[str, Any]:
        """All that the page shows, as plain values."""
        ...

    def picture(self) -> tuple[int, bytes] | None:
        """The newest picture's number and the picture as a JPEG; None before there is one."""
        ...

    def order(self, word: str, values: Mapping[str, Any], /) -> int:
        """Queue what is asked for; returns its number. Raises `InputError` when too much is waiting."""
        ...


def order_from(said: Any) -> tuple[str, dict[str, Any]]:
    """The word and the values in a page's order; raises `CommandError`, in a sentence, for anything else."""
    word = said.get("do") if isinstance(said, Mapping) else None
    if not isinstance(word, str) or word not in _ORDERS:
        raise CommandError(f"expected an order: one of {', '.join(_ORDERS)}")
    expected = _ORDERS[word]
    strangers = [key for key in said if key != "do" and key not in expected]
    if strangers:
        raise CommandError(f"{word}: {str(strangers[0])[:LONGEST_TEXT]!r} is not asked for")
    values = {}
    for key, read in expected.items():
        try:
            values[key] = read(said.get(key))
        except ValueError as error:
            raise CommandError(f"{word}: {key}: expected {error}") from None
    return word, values


def _text(value: Any) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_TEXT or not value.isprintable():
        raise ValueError(f"1 to {LONGEST_TEXT} printable characters")
    return value


def _names(value: Any) -> list[str]:
    if not isinstance(value, list) or len(value) > MOST_NAMES:
        raise ValueError(f"a list of at most {MOST_NAMES} names")
    return [_text(name) for name in value]


def _number(value: Any) -> float:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    if not plain or not math.isfinite(value) or abs(value) > LARGEST_NUMBER:
        raise ValueError("a number")
    return float(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def _four_points(value: Any) -> list[list[float]]:
    if not isinstance(value, list) or len(value) != 4:
        raise ValueError("four places in the picture")
    points = []
    for point in value:
        if not isinstance(point, list) or len(point) != 2:
            raise ValueError("four places in the picture")
        points.append([_number(point[0]), _number(point[1])])
    return points


def _one_of(*words: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in words:
            raise ValueError(f"one of {', '.join(words)}")
        return value

    return read


_ORDERS: Mapping[str, Mapping[str, Callable[[Any], Any]]] = {
    "open": {"step": _one_of(*STEPS)},
    "people": {"players": _names, "deck": _text},
    "card": {"id": _text},
    "take": {},
    "leave": {},
    "solve": {},
    "measured": {"mm": _number},
    "by": {"way": _one_of("mat", "corners")},
    "mat": {"width_mm": _number, "height_mm": _number},
    "corners": {"points": _four_points, "width_mm": _number, "height_mm": _number},
    "move": {"zone": _text, "x": _number, "y": _number, "whole": _flag},
    "lay-out": {},
    "look": {},
    "go": {},
    "players": {},
    "play": {"language": _one_of("en", "fr")},
    "heard": {"yes": _flag},
    "again": {},
    "keep": {},
    "finish": {},
}
"""Every order there is, with its values."""
