"""What everybody's first grip showed, kept beside the profile for the next games at this table.

Written rules of this module:
- the file is `PROFILE.grips.json` beside the profile; one that is there is left as it is unless it may be replaced;
- it says of each player what their seat and hand are like, and whose pad is driven first, second, … as it really is;
- the order of the pads is used only where the totem says the same order as then: other wires tell something else.
Does not belong here: finding it out (`referee.totem.enrol`), using it (`referee.totem`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from referee.errors import ProfileError
from referee.totem.enrol import Findings
from referee.totem.touch import Known

MOST_BYTES = 100_000


@dataclass(frozen=True)
class Grips:
    """Whose pads were `said` to be driven first, second, …, whose they really are (`pads`), and each player `known`."""

    said: tuple[str, ...] = ()
    pads: tuple[str, ...] = ()
    known: Mapping[str, Known] = field(default_factory=dict)

    def order(self, said: Sequence[str]) -> tuple[str, ...]:
        """Whose pads are driven first, second, … where they are `said` to be so."""
        return self.pads if tuple(said) == self.said else tuple(said)


def grips_path(profile: Path) -> Path:
    """The file beside a profile."""
    return profile.with_suffix(".grips.json")


def keep_grips(path: Path, said: Sequence[str], findings: Findings, *, replace: bool = False) -> bool:
    """Write what was found, at once or not at all; False: a file is there and was left as it is.

    Raises `ProfileError` when it cannot be written.
    """
    if path.exists() and not replace:
        return False
    players = {
        one.player: {"coupling": one.coupling, "pitch_mm": one.pitch_mm or 0.0} for one in findings.players
    }  # fmt: skip
    words = {"said": list(said), "pads": list(findings.seat_names), "players": players}
    fresh = path.with_name(path.name + ".new")
    try:
        fresh.write_text(json.dumps(words, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        raise ProfileError(f"{path}: cannot be written ({error.strerror})") from error
    return True


def read_grips(path: Path) -> Grips:
    """What was kept; nothing where no file is.

    Raises `ProfileError` for a file that is no such file, with what was expected.
    """
    try:
        with path.open("rb") as handle:
            content = handle.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return Grips()
    except OSError as error:
        raise ProfileError(f"{path}: cannot be read ({error.strerror})") from error
    try:
        words = json.loads(content.decode("utf-8")) if len(content) <= MOST_BYTES else None
    except (ValueError, RecursionError):
        words = None
    grips = _grips_of(words)
    if grips is None:
        raise ProfileError(f"{path}: expected what `referee ready players` keeps; run it again with --force")
    return grips


def _grips_of(words: object) -> Grips | None:
    if not isinstance(words, dict) or not isinstance(words.get("players"), dict):
        return None
    said, pads = words.get("said"), words.get("pads")
    for names in (said, pads):
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            return None
    if not isinstance(said, list) or not isinstance(pads, list) or sorted(said) != sorted(pads):
        return None
    known = {}
    for player, one in words["players"].items():
        coupling = one.get("coupling") if isinstance(one, dict) else None
        pitch_mm = one.get("pitch_mm") if isinstance(one, dict) else None
        if not _size(coupling, 10.0) or not _size(pitch_mm, 100.0):
            return None
        known[player] = Known(float(coupling or 0.0), float(pitch_mm or 0.0))
    return Grips(tuple(said), tuple(pads), known)


def _size(value: object, most: float) -> bool:
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and 0 <= value <= most
    )
