"""What a table keeps as evidence: the `[evidence]` table of its profile.

Belongs here: the keys, what they default to, what is wrong with a value. Does not belong here: what follows from them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from referee.errors import ProfileError

Keep = Literal["all", "counts", "nothing"]
AreaName = Literal["table", "whole"]
KEEPS = ("all", "counts", "nothing")
AREAS = ("table", "whole")
RULINGS = (
    "won",
    "to-pot",
    "fault",
    "cancelled",
    "undecided",
    "choice-needed",
    "share-needed",
    "illegal-play",
    "false-start",
    "picks-up",
    "oubli",
    "refused",
    "game-won",
    "match-won",
)
"""The kinds of rulings around which evidence is kept unless the profile names others."""
LONGEST_S = 8.0  # before, and after: the child holds the last ten seconds and merges what overlaps
MEGABYTE = 1_000_000


@dataclass(frozen=True)
class EvidenceSettings:
    """`keep`: pictures and counts, counts alone, or nothing. `area`: the table alone, or the whole picture.

    `before_s` and `after_s` are kept around a ruling; `most_mb` and `most_days` (None: no limit) are the quota over all
    games of a journal; `rulings` are the kinds of rulings that count.
    """

    keep: Keep = "all"
    area: AreaName = "table"
    before_s: float = 4.0
    after_s: float = 2.0
    most_mb: float | None = 20_000.0
    most_days: float | None = None
    rulings: frozenset[str] = frozenset(RULINGS)

    @property
    def pictures(self) -> bool:
        """Whether pictures are kept."""
        return self.keep == "all"

    @property
    def most_bytes(self) -> int | None:
        """The quota in bytes."""
        return None if self.most_mb is None else round(self.most_mb * MEGABYTE)


def read_evidence(table: object, where: str) -> EvidenceSettings:
    """The settings in a profile's `[evidence]` table (None: there is none).

    `where` names the profile in errors. Raises `ProfileError`.
    """
    if table is None:
        return EvidenceSettings()
    if not isinstance(table, dict):
        raise ProfileError(f"{where}: evidence: expected a table")
    known = {"keep", "area", "before_s", "after_s", "most_mb", "most_days", "rulings"}
    if strangers := sorted(set(table) - known):
        raise ProfileError(f"{where}: evidence.{strangers[0]}: expected one of {', '.join(sorted(known))}")
    default = EvidenceSettings()
    return EvidenceSettings(
        keep=cast(Keep, _one_of(table, "keep", KEEPS, default.keep, where)),
        area=cast(AreaName, _one_of(table, "area", AREAS, default.area, where)),
        before_s=_seconds(table, "before_s", default.before_s, where),
        after_s=_seconds(table, "after_s", default.after_s, where),
        most_mb=_limit(table, "most_mb", default.most_mb, where),
        most_days=_limit(table, "most_days", default.most_days, where),
        rulings=_kinds(table, default.rulings, where),
    )


def _one_of(table: Mapping[str, Any], key: str, allowed: tuple[str, ...], default: str, where: str) -> str:
    value = table.get(key, default)
    if not isinstance(value, str) or value not in allowed:
        raise ProfileError(f"{where}: evidence.{key}: expected one of {', '.join(allowed)}")
    return value


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _seconds(table: Mapping[str, Any], key: str, default: float, where: str) -> float:
    value = _number(table.get(key, default))
    if value is None or not 0 <= value <= LONGEST_S:
        raise ProfileError(f"{where}: evidence.{key}: expected seconds from 0 to {LONGEST_S:g}")
    return value


def _limit(table: Mapping[str, Any], key: str, default: float | None, where: str) -> float | None:
    if key not in table:
        return default
    value = _number(table[key])
    if value is None or value <= 0:
        raise ProfileError(f"{where}: evidence.{key}: expected a positive number")
    return value


def _kinds(table: Mapping[str, Any], default: frozenset[str], where: str) -> frozenset[str]:
    value = table.get("rulings")
    if value is None:
        return default
    if not isinstance(value, list) or not all(isinstance(kind, str) and kind for kind in value):
        raise ProfileError(f"{where}: evidence.rulings: expected a list of kinds of rulings, as won, fault")
    return frozenset(value)
