"""What the evidence of a ruling shows, for its page: clips, frames, crops, readings of the totem.

Written rules of this module:
- the sheet of a stretch says what its files are; a file is named by its id alone, and asked for by that id;
- a sheet that is damaged or too large shows as missing: the page still says what was ruled.
Does not belong here: who may see it (`reviews`), how it was made (`referee.evidence`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from referee.errors import InputError
from referee.journal.reading import EvidenceRow, KeptGame
from referee.web.review_view import cards_shown
from referee.words import Event

LARGEST_SHEET = 4_000_000
MOST_FRAMES = 5000

View = dict[str, Any]


def stretches(kept: KeptGame, place: int, file_of: Callable[[EvidenceRow], Path]) -> list[View]:
    """The stretches of time kept around a ruling, in order; `file_of` finds a file or raises `InputError`."""
    rows = {row.id: row for row in kept.evidence}
    found = []
    for row in sorted(_of(kept, place), key=lambda row: row.from_us or 0):
        if row.kind == "sheet":
            sheet = {} if row.gone is not None else _sheet(row, file_of)
            found.append(_stretch(sheet, rows, row, kept.events))
    return found


def listed(kept: KeptGame, place: int) -> list[View]:
    """Every file of a ruling's evidence: its id, kind, size, and whether it was deleted."""
    return [
        {
            "id": row.id,
            "kind": row.kind,
            "kilobytes": -(-row.bytes // 1000),
            "gone": row.gone or "",
            "pinned": row.pinned,
        }
        for row in _of(kept, place)
    ]


def _of(kept: KeptGame, place: int) -> list[EvidenceRow]:
    """The files that name a ruling, and those of its moment: one given again by a correction has them from before."""
    moments = [one.ruling["t_us"] for one in kept.rulings if one.place == place]

    def holds(row: EvidenceRow) -> bool:
        if row.from_us is None or row.to_us is None:
            return False
        return any(row.from_us <= t_us <= row.to_us for t_us in moments)

    return [row for row in kept.evidence if place in row.places or holds(row)]


def _sheet(row: EvidenceRow, file_of: Callable[[EvidenceRow], Path]) -> Mapping[str, Any]:
    try:
        path = file_of(row)
        if path.stat().st_size > LARGEST_SHEET:
            return {}
        said = json.loads(path.read_bytes())
    except (InputError, OSError, ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _stretch(
    sheet: Mapping[str, Any], rows: Mapping[str, EvidenceRow], own: EvidenceRow, events: Sequence[Event]
) -> View:
    def there(part: Any) -> bool:
        """Whether a part of the sheet is a file of this game that is still kept."""
        row = rows.get(str(part.get("id"))) if isinstance(part, dict) else None
        return row is not None and row.gone is None

    def parts(key: str) -> list[Mapping[str, Any]]:
        return [part for part in _many(sheet.get(key)) if there(part)]

    clip = sheet.get("clip")
    return {
        "from_us": own.from_us,
        "to_us": own.to_us,
        "gone": own.gone or "",
        "clip": _clip(clip) if there(clip) else None,
        "frames": [{"id": part["id"], "t_us": _whole(part.get("t_us"))} for part in parts("frames")],
        "crops": [
            {
                "id": part["id"],
                "player": str(part.get("player") or ""),
                **_card(part, events),
                "event": part.get("event"),
                "t_us": _whole(part.get("t_us")),
            }
            for part in parts("crops")
        ],
        "pictures": {str(part.get("card")): part["id"] for part in parts("pictures")},
        "counts": [part["id"] for part in parts("counts")],
        "missing": [str(said) for said in _many(sheet.get("missing"))] if sheet else ["sheet"],
    }


def _card(part: Mapping[str, Any], events: Sequence[Event]) -> View:
    """Which card a crop shows and what else it may be: as the event says it that was judged, else as it was seen."""
    index = part.get("event")
    event = events[index] if type(index) is int and 0 <= index < len(events) else None
    card = str((event or part).get("card") or "?")
    seen = [str(name) for name in _many(part.get("candidates"))]
    meant = cards_shown(event)
    return {"card": card, "candidates": meant if len(meant) > 1 or card != "?" else seen}


def _clip(clip: Any) -> View:
    times = [_whole(t_us) for t_us in _many(clip.get("t_us"))][:MOST_FRAMES]
    numbers = [_whole(number) for number in _many(clip.get("numbers"))][:MOST_FRAMES]
    size = {key: _whole(clip.get(key)) for key in ("width", "height")}
    return {"id": clip["id"], "t_us": times, "numbers": numbers, **size}


def _many(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
