"""What holds for the words of every game record: keys, types, limits.

Belongs here: the checks of headers and events, game by game, each naming the key and what was expected. Does not
belong here: lines and files (`referee.record`), or whether an event can happen (`referee.rules`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

FORMAT = "referee/1"
GAMES = ("jungle-speed", "speed", "dobro", "jungle-bluff")
PILE_LIMIT = 1000
NAME_LIMIT = 64
TIME_LIMIT_US = 2**53  # 285 years; every difference of two times still fits 64 bits


class WrongWord(Exception):  # noqa: N818 - a signal to the reader, which turns it into a Defect
    """What is wrong with the line at hand."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(key, message)
        self.key = key
        self.message = message


EventCheck = Callable[[Mapping[str, Any]], None]
ValueCheck = Callable[[Any], str]
"""Returns what was expected, or an empty string when the value is right."""


def kind_of(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", list: "a list"}
    return names.get(type(value), "an object")


def _expected(expected: str, value: Any) -> str:
    """What was expected and what was found; a list of the wrong things is not said to be a list."""
    kind = kind_of(value)
    return f"expected {expected}" if expected.startswith(kind) else f"expected {expected}, found {kind}"


def _whole(value: Any) -> str:
    return "" if type(value) is int else "a whole number"


def _time(value: Any) -> str:
    right = type(value) is int and -TIME_LIMIT_US <= value <= TIME_LIMIT_US
    return "" if right else f"a whole number of microseconds, at most {TIME_LIMIT_US} either way"


def _text(value: Any) -> str:
    return "" if type(value) is str else "a text"


def _text_or_null(value: Any) -> str:
    return "" if value is None or type(value) is str else "a text or null"


def _flag(value: Any) -> str:
    return "" if type(value) is bool else "true or false"


def _texts(value: Any) -> str:
    return "" if type(value) is list and all(type(v) is str for v in value) else "a list of texts"


def _counts(value: Any) -> str:
    if type(value) is not dict or any(type(v) is not int for v in value.values()):
        return "an object of names and whole numbers"
    return "" if all(v <= PILE_LIMIT for v in value.values()) else f"at most {PILE_LIMIT} cards"


def _two_whole(value: Any) -> str:
    right = type(value) is list and len(value) == 2 and all(type(v) is int for v in value)
    return "" if right else "a list of two whole numbers"


def _two_times(value: Any) -> str:
    right = type(value) is list and len(value) == 2 and not any(_time(v) for v in value)
    return "" if right else "a list of two whole numbers of microseconds"


def _count(value: Any) -> str:
    if type(value) is not int:
        return "a whole number"
    return "" if value <= PILE_LIMIT else f"at most {PILE_LIMIT} cards"


def _count_or_interval(value: Any) -> str:
    if type(value) is not list:
        return _count(value).replace("a whole number", "a whole number or [fewest, most]")
    if len(value) != 2 or any(type(v) is not int for v in value):
        return "a whole number or [fewest, most]"
    return _count(max(value))


def _number_or_interval(value: Any) -> str:
    if type(value) in (int, float):
        return ""
    right = type(value) is list and len(value) == 2 and all(type(v) in (int, float) for v in value)
    return "" if right else "a number or [low, high]"


def _share_of_one(value: Any) -> str:
    return "" if type(value) in (int, float) and 0 <= value <= 1 else "a number from 0 to 1"


_PLAIN_TYPES: Mapping[ValueCheck, type] = {_whole: int, _text: str, _time: int}


def _fields(needed: Mapping[str, ValueCheck], optional: Mapping[str, ValueCheck]) -> EventCheck:
    """A check of an object's keys: those it must have and those it may have."""
    # Nearly every event is a flip with its four keys and no more: that case is looked at by type alone.
    plain = {key: _PLAIN_TYPES[expects] for key, expects in needed.items() if expects in _PLAIN_TYPES}
    pairs = tuple(plain.items()) if len(plain) == len(needed) else ()

    def check(word: Mapping[str, Any]) -> None:
        if pairs and len(word) == len(pairs):
            for key, kind in pairs:
                if type(word.get(key)) is not kind:
                    break
            else:
                if -TIME_LIMIT_US <= word.get("t_us", 0) <= TIME_LIMIT_US:
                    return
        careful(word)

    def careful(word: Mapping[str, Any]) -> None:
        for key, expects in needed.items():
            if key not in word:
                raise WrongWord(key, "missing")
            if expected := expects(word[key]):
                raise WrongWord(key, _expected(expected, word[key]))
        for key, expects in optional.items():
            if key in word and (expected := expects(word[key])):
                raise WrongWord(key, _expected(expected, word[key]))

    return check


_check_hand = _fields(
    {
        "player": _text_or_null,
        "t_us": _time,
        "fingers": _number_or_interval,
        "lowest_mm": _number_or_interval,
    },
    {"grip": _flag},
)
_check_fell = _fields({"t_us": _time, "player": _text_or_null}, {})


def _hands(value: Any) -> str:
    if type(value) is not list or any(type(hand) is not dict for hand in value):
        return "a list of hands"
    for place, hand in enumerate(value):
        try:
            _check_hand(hand)
        except WrongWord as wrong:
            raise WrongWord(f"hands[{place}].{wrong.key}", wrong.message) from None
    return ""


def _fell(value: Any) -> str:
    if type(value) is not dict:
        return "an object"
    try:
        _check_fell(value)
    except WrongWord as wrong:
        raise WrongWord(f"fell.{wrong.key}", wrong.message) from None
    return ""


_COMMON: Mapping[str, ValueCheck] = {"t_us": _time, "event": _text}
_COMMON_OPTIONAL: Mapping[str, ValueCheck] = {"confidence": _share_of_one, "evidence": _texts}

check_unknown_event = _fields(_COMMON, _COMMON_OPTIONAL)
"""An event no game knows: it is read, and the rules reject it."""


def _event(needed: Mapping[str, ValueCheck], optional: Mapping[str, ValueCheck] | None = None) -> EventCheck:
    return _fields({**_COMMON, **needed}, {**_COMMON_OPTIONAL, **(optional or {})})


def _correction_for(game: str) -> EventCheck:
    outer = _event({}, {"ref": _whole, "before": _whole, "by": _text, "reason": _text})

    def check(word: Mapping[str, Any]) -> None:
        outer(word)
        if "ref" not in word and "before" not in word:
            raise WrongWord("ref", "missing (or before)")
        if "with" not in word:
            raise WrongWord("with", "missing; expected the right event, or null")
        right = word["with"]
        if right is None:
            return
        if type(right) is not dict:
            raise WrongWord("with", f"expected an event or null, found {kind_of(right)}")
        kind = right.get("event")
        if kind == "correct":
            return  # no good, but well formed: resolve() rejects it
        inner = EVENT_CHECKS[game].get(kind, check_unknown_event) if type(kind) is str else check_unknown_event
        try:
            inner({"t_us": 0, **right})
        except WrongWord as wrong:
            raise WrongWord(f"with.{wrong.key}", wrong.message) from None

    return check


_ANY_GAME: Mapping[str, EventCheck] = {"end": _event({})}

EVENT_CHECKS: Mapping[str, Mapping[str, EventCheck]] = {
    "jungle-speed": {
        **_ANY_GAME,
        "correct": _correction_for("jungle-speed"),
        "recount": _event({"reserve": _counts}),
        "flip": _event({"player": _text, "card": _text}, {"between": _two_times}),
        "grab": _event({"hands": _hands}, {"fell": _fell}),
        "fall": _event({"player": _text_or_null}),
        "choose": _event({"player": _text, "choice": _text}),
        "share": _event({"player": _text, "shares": _counts}),
        "pick_up": _event({"player": _text}),
    },
    "speed": {
        **_ANY_GAME,
        "correct": _correction_for("speed"),
        "recount": _event({}, {"hand": _counts, "draw": _counts}),
        "turn_up": _event({"player": _text, "card": _text}),
        "play": _event({"player": _text_or_null, "pile": _whole, "card": _text}),
        "draw": _event({"player": _text, "count": _count}),
        "blocked": _event({"player": _text_or_null}),
        "reshuffle": _event({"counts": _two_whole}),
    },
    "dobro": {
        **_ANY_GAME,
        "correct": _correction_for("dobro"),
        "recount": _event({}, {"hand": _counts, "pile": _count}),
        "play": _event({"player": _text_or_null, "cards": _texts}, {"value": _whole}),
        "pass": _event({"player": _text}, {"only_specials": _flag}),
        "draw": _event({"player": _text, "count": _count_or_interval}),
        "call": _event({"player": _text, "on": _text}),
    },
    "jungle-bluff": {
        **_ANY_GAME,
        "correct": _correction_for("jungle-bluff"),
        "centre": _event({"cards": _texts}),
        "commit": _event({"player": _text}),
        "force": _event({"player": _text, "card": _text}),
        "take": _event({"player": _text_or_null, "card": _text}),
        "challenge": _event({"player": _text, "target": _text}, {"result": _text}),
        "reveal": _event({"cards": _texts}),
    },
}
"""Per game and event: the keys it must have, and their types."""


def check_header(word: Mapping[str, Any]) -> None:
    """The parts of a header that hold for every game; options and start belong to the rules."""
    if word["record"] != FORMAT:
        raise WrongWord("record", f'expected "{FORMAT}"')
    _fields({"game": _text, "players": _texts}, {"options": _object, "start": _object})(word)
    if word["game"] not in GAMES:
        raise WrongWord("game", f"expected one of {', '.join(GAMES)}")
    seen: set[str] = set()
    for place, name in enumerate(word["players"]):
        if not 1 <= len(name) <= NAME_LIMIT or not name.isprintable() or not name.strip():
            raise WrongWord(f"players[{place}]", f"expected a name of 1 to {NAME_LIMIT} printable characters")
        if name in seen:
            raise WrongWord("players", f"the name {name} stands there twice")
        seen.add(name)


def _object(value: Any) -> str:
    return "" if type(value) is dict else "an object"
