"""Calibration's sentences in French, by their shape: `{}` stands for what is put into a sentence.

Written rules:
- sentences are written once, in English, where they are found out; here is what each of them is in French;
- a sentence with no French stays English: better read in the wrong language than not at all;
- what is put in (a number, a name, a part of the picture) is looked up by itself.
Does not belong here: the pages' own words, sentences about a game.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("french.toml")
_HOLE = re.compile(r"\{\}")


@cache
def _sentences() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Each English shape as a pattern with its French, those with the most words first."""
    table = tomllib.loads(_FILE.read_text("utf-8"))
    rows = [(english, french) for group in table.values() for english, french in group.items()]
    rows.sort(key=lambda row: len(_HOLE.sub("", row[0])), reverse=True)
    return tuple(
        (re.compile("(.+?)".join(map(re.escape, _HOLE.split(english))), re.DOTALL), fr) for english, fr in rows
    )


@cache
def _known(sentence: str) -> str | None:
    for pattern, french in _sentences():
        match = pattern.fullmatch(sentence)
        if match is not None:
            parts = [in_french(part) for part in match.groups()]
            between = _HOLE.split(french)
            return "".join(text + part for text, part in zip(between, [*parts, ""], strict=False))
    return None


def in_french(sentence: str) -> str:
    """A sentence in French, as far as it is known."""
    found = _known(sentence)
    if found is not None:
        return found
    for mark in ("; ", ": ", ", "):
        # What is put together of several sentences or parts.
        if mark in sentence:
            return mark.replace(";", " ;").replace(":", " :").join(in_french(part) for part in sentence.split(mark))
    return sentence


def is_known(sentence: str) -> bool:
    """Whether there is French for a sentence of this shape."""
    return _known(sentence) is not None
