"""One stretch of time as files: clip, frames of the decision, crops of the cards, counts, and the sheet that says what
is what.

Belongs here: what a stretch becomes. Does not belong here: which stretch, processes.

The sheet (JSON) of a stretch, by which everything else is found:
`{"from_us", "to_us", "places", "marks": [{"t_us","what","who","event"}],
"clip": {"id","name","width","height","t_us": […], "exposure_us": […], "numbers": […]} or null,
"frames": [{"id","name","t_us","number","marks": [places among the marks]}],
"crops": [{"id","name","t_us","event","player","zone","card","candidates"}],
"pictures": [{"id","name","card"}] (the deck's own picture of a card that one of the crops may be),
"counts": [{"id","name"}], "missing": [sentences]}`. `t_us` of the clip is the exposure time of each of its frames, in
order; a gap in `numbers` is frames that were never kept.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from referee.evidence.counts import traces_of
from referee.evidence.crops import Crop
from referee.evidence.files import Drafts, Item
from referee.evidence.rings import KeptFrame
from referee.evidence.video import write_clip
from referee.evidence.windows import Mark, Wanted
from referee.totem.scans import ScanBatch

FARTHEST_US = 500_000
"""A frame farther than this from a mark does not show it."""


@dataclass(frozen=True)
class Stretch:
    """All that is kept of a stretch of time: its frames and scans, crops by the number of the sighting."""

    wanted: Wanted
    frames: Sequence[KeptFrame]
    batches: Sequence[ScanBatch]
    crops: Mapping[int, Crop]
    pad_names: Sequence[str] = ()
    with_clip: bool = True
    missing: tuple[str, ...] = ()

    @property
    def bytes(self) -> int:
        """What its pictures take in memory."""
        return sum(len(frame.jpeg) for frame in self.frames)

    def without_clip(self, why: str) -> Stretch:
        """The frames nearest to the marks alone."""
        near = {frame.t_us: frame for frame, _ in nearest(self.frames, self.wanted.marks)}
        return replace(self, frames=list(near.values()), with_clip=False, missing=(*self.missing, why))


def write_stretch(folder: Path, stretch: Stretch) -> list[Item]:
    """Write a stretch; all of its files, or none when it raises `OSError`.

    Nothing where neither frames nor counts are left of it: cards alone do not show a moment.
    """
    wanted = stretch.wanted
    traces = traces_of(stretch.batches, wanted.from_us, wanted.to_us, stretch.pad_names)
    crops = [(card, stretch.crops[card.number]) for card in wanted.cards if card.number in stretch.crops]
    if not stretch.frames and not traces:
        return []
    drafts = Drafts(folder)
    try:
        sheet: dict[str, Any] = {
            "from_us": wanted.from_us,
            "to_us": wanted.to_us,
            "places": list(wanted.places),
            "marks": [asdict(mark) for mark in wanted.marks],
            "clip": _clip(drafts, stretch),
            "frames": _frames(drafts, stretch.frames, wanted.marks),
            "crops": [],
            "pictures": [],
            "counts": [],
            "missing": list(stretch.missing),
        }
        for card, crop in crops:
            draft = drafts.add("crop", ".jpg", crop.jpeg)
            said = {**asdict(card), "t_us": crop.t_us, "candidates": list(card.candidates)}
            sheet["crops"].append({"id": draft.id, "name": draft.name, **said})
        for name, jpeg in wanted.pictures if crops else ():
            draft = drafts.add("card", ".jpg", jpeg)
            sheet["pictures"].append({"id": draft.id, "name": draft.name, "card": name})
        for trace in traces:
            draft = drafts.add("counts", ".npz", trace)
            sheet["counts"].append({"id": draft.id, "name": draft.name})
        drafts.add("sheet", ".json", json.dumps(sheet, ensure_ascii=False).encode())
        return drafts.finish(wanted.from_us, wanted.to_us, wanted.places)
    except BaseException:
        drafts.undo()
        raise


def _clip(drafts: Drafts, stretch: Stretch) -> dict[str, Any] | None:
    frames = stretch.frames
    if not frames or not stretch.with_clip:
        return None
    draft = drafts.new("clip", ".webm")
    width, height = write_clip(draft.path, frames)
    return {
        "id": draft.id,
        "name": draft.name,
        "width": width,
        "height": height,
        "t_us": [frame.t_us for frame in frames],
        "exposure_us": [frame.exposure_us for frame in frames],
        "numbers": [frame.number for frame in frames],
    }


def nearest(frames: Sequence[KeptFrame], marks: Sequence[Mark]) -> list[tuple[KeptFrame, list[int]]]:
    """The frame nearest to each mark, each frame once, in order, with the places of its marks."""
    chosen: dict[int, tuple[KeptFrame, list[int]]] = {}
    for place, mark in enumerate(marks):
        near = min(frames, key=lambda frame: abs(frame.t_us - mark.t_us), default=None)
        if near is not None and abs(near.t_us - mark.t_us) <= FARTHEST_US:
            chosen.setdefault(near.t_us, (near, []))[1].append(place)
    return [chosen[t_us] for t_us in sorted(chosen)]


def _frames(drafts: Drafts, frames: Sequence[KeptFrame], marks: Sequence[Mark]) -> list[dict[str, Any]]:
    """The frames of the decision, exactly as they were held."""
    found = []
    for frame, shown in nearest(frames, marks):
        draft = drafts.add("frame", ".jpg", frame.jpeg)
        found.append({"id": draft.id, "name": draft.name, "t_us": frame.t_us, "number": frame.number, "marks": shown})
    return found
