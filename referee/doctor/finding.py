"""A finding: one line of the list, with its light, its sentence and its remedy in both languages.

Belongs here: reading `sentences.toml` and filling its sentences in. Does not belong here: when a finding is made.
"""

from __future__ import annotations

import enum
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType

from referee.errors import EngineError

Fact = str | int | float | bool
LANGUAGES = ("en", "fr")


class Light(enum.Enum):
    """How bad it is: `off` is what this table does not have or was not asked about."""

    GREEN = "green"
    AMBER = "amber"
    RED = "red"
    OFF = "off"


@dataclass(frozen=True)
class Entry:
    """What stands in the catalogue for one verdict: sentence and remedy by language."""

    light: Light
    says: Mapping[str, str]
    remedy: Mapping[str, str]


@dataclass(frozen=True)
class Finding:
    """`probe` was looked at and `verdict` found; `facts` fill in the sentences and stand in `--json`."""

    probe: str
    verdict: str
    facts: Mapping[str, Fact] = field(default_factory=dict)

    @property
    def light(self) -> Light:
        """How bad it is."""
        return self._entry.light

    def says(self, language: str) -> str:
        """What was found, as a sentence."""
        return _filled(self._entry.says[language], self.facts, self, language)

    def remedy(self, language: str) -> str:
        """What to do about it; empty where there is nothing to do."""
        return _filled(self._entry.remedy.get(language, ""), self.facts, self, language)

    @property
    def _entry(self) -> Entry:
        entry = catalogue().get((self.probe, self.verdict))
        if entry is None:
            raise EngineError(f"{self.probe}: no sentence for the verdict {self.verdict}")
        return entry


@cache
def catalogue() -> Mapping[tuple[str, str], Entry]:
    """Every verdict of every probe."""
    table = tomllib.loads(Path(__file__).with_name("sentences.toml").read_text("utf-8"))
    return MappingProxyType(
        {
            (f"{family}.{probe}", verdict): Entry(
                Light(entry["light"]),
                {language: entry[language] for language in LANGUAGES},
                {language: entry[f"do_{language}"] for language in LANGUAGES if f"do_{language}" in entry},
            )
            for family, probes in table.items()
            for probe, verdicts in probes.items()
            for verdict, entry in verdicts.items()
        }
    )


def worst(findings: Iterable[Finding]) -> Light:
    """The worst light of a list; what is off does not count."""
    order = (Light.GREEN, Light.AMBER, Light.RED)
    lights = [finding.light for finding in findings if finding.light is not Light.OFF]
    return max(lights, key=order.index, default=Light.GREEN)


class _Count(int):
    """A number that brings its noun along: `{games:game/games}`."""

    from_two = False  # in French nought is singular, too

    def __format__(self, words: str) -> str:
        if "/" not in words:
            return format(int(self), words)
        one, many = words.split("/")
        singular = self < 2 if self.from_two else self == 1
        return f"{int(self)} {one if singular else many}"


class _FrenchCount(_Count):
    from_two = True


def _filled(sentence: str, facts: Mapping[str, Fact], finding: Finding, language: str) -> str:
    count = _FrenchCount if language == "fr" else _Count
    counted = {key: count(value) if type(value) is int else value for key, value in facts.items()}
    try:
        return sentence.format_map(counted)
    except (KeyError, ValueError) as error:
        raise EngineError(f"{finding.probe}: the facts do not fill in {finding.verdict} ({error})") from error
