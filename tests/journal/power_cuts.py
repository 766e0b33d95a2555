"""Power cuts at every write of a scripted game, on a disk that drops, tears and reorders what was not synced.

`python -m tests.journal.power_cuts` tries every write (`--every 1`), each with several fates of the unsynced writes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from referee.journal import store
from referee.journal.files import put_in_place
from tests.journal.disk import Deed, Disk
from tests.journal.scripted import JUNGLE_BLUFF, JUNGLE_SPEED, Chosen, check_after_a_crash, whole_game

Step = Deed | tuple[str, Any]
"""A change of a file, or what the game was told: `acknowledged` with the lines, `said` with a place."""


@dataclass
class _File:
    """What is on the disk for sure (None: not even the name), and what may or may not be."""

    sure: bytearray | None = None
    open_deeds: list[Deed] = field(default_factory=list)


def recorded(folder: Path, opened: Callable[[store.Journal], None] = lambda _: None) -> list[Step]:
    """Play the game once and write down every step."""
    steps: list[Step] = []

    def watch(deed: Deed) -> int:
        steps.append(deed)
        return 0

    def renamed(new: Path, path: Path) -> None:
        put_in_place(new, path)
        steps.extend([Deed("sync", new.name), Deed("rename", new.name, content=path.name.encode())])

    with Disk(watch), patch.object(store, "put_in_place", renamed):
        whole_game(folder, lambda what, value: steps.append((what, value)), opened)
    return steps


def power_cut(steps: Sequence[Step], folder: Path, chance: Random) -> tuple[Sequence[bytes], list[int]]:
    """Lay down in `folder` what a disk may hold after these steps; returns the lines acknowledged and places said."""
    files: dict[str, _File] = {}
    last = steps[-1] if steps else None
    acknowledged: Sequence[bytes] = ()
    said: list[int] = []
    for step in steps:
        if isinstance(step, tuple):
            if step[0] == "acknowledged":
                acknowledged = step[1]
            else:
                said.append(step[1])
        elif step.what == "sync":
            file = files.setdefault(step.name, _File())
            for deed in file.open_deeds:
                file.sure = _done(file.sure or bytearray(), deed)
            file.sure, file.open_deeds = file.sure or bytearray(), []
        elif step.what == "rename":
            if (
                step is not last or chance.random() < 0.5
            ):  # as long as the folder is not written, the old name may be there
                files[step.content.decode()] = files.pop(step.name)
        elif step.what == "delete":
            gone = files.pop(step.name, None)
            surely = step.offset == 1 and step is not last  # it returned when the folder was synced
            if gone is not None and gone.sure is not None and not surely and chance.random() < 0.5:
                files[step.name] = gone  # the folder was not written yet
        else:
            files.setdefault(step.name, _File()).open_deeds.append(step)
    for name, file in files.items():
        content = file.sure
        for deed in _fate(file.open_deeds, chance):
            content = _done(content or bytearray(), deed)
        if content is not None:
            (folder / name).write_bytes(content)
    return acknowledged, said


def _fate(deeds: Sequence[Deed], chance: Random) -> Iterator[Deed]:
    """Some of the deeds, in any order, some of them torn."""
    fate = chance.random()
    if fate < 0.2:
        return
    if fate < 0.4:
        yield from deeds  # all arrived: the cut came just before the sync returned
        return
    survivors = [deed for deed in deeds if chance.random() < 0.6]
    chance.shuffle(survivors)
    for deed in survivors:
        if deed.what == "write" and chance.random() < 0.4:
            cut = chance.randrange(len(deed.content) + 1)
            first = chance.random() < 0.5
            rest = deed.content[:cut] if first else deed.content[cut:]
            yield Deed("write", deed.name, deed.offset if first else deed.offset + cut, rest)
        else:
            yield deed


def _done(content: bytearray, deed: Deed) -> bytearray:
    if deed.what == "truncate":
        return content[: deed.offset].ljust(deed.offset, b"\0")
    if len(content) < deed.offset:
        content = content.ljust(deed.offset, b"\0")
    content[deed.offset : deed.offset + len(deed.content)] = deed.content
    return content


def try_all(steps: Sequence[Step], every: int, fates: int, seed: int = 1) -> int:
    """Cut the power after every n-th step, with so many fates each; returns how many cuts were tried."""
    tried = 0
    for end in range(seed % every, len(steps) + 1, every):
        for fate in range(fates):
            with tempfile.TemporaryDirectory(prefix="referee-cut-") as place:
                acknowledged, said = power_cut(steps[:end], Path(place), Random(f"{seed} {end} {fate}"))
                try:
                    check_after_a_crash(Path(place), acknowledged, said)
                except BaseException:
                    print(f"power cut after step {end} of {len(steps)}, fate {fate}, seed {seed}", file=sys.stderr)
                    raise
                tried += 1
    return tried


def main() -> None:
    """Try them all, or every n-th."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--game", choices=(JUNGLE_SPEED, JUNGLE_BLUFF), default=JUNGLE_SPEED)
    parser.add_argument("--fates", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    Chosen.game = chosen.game
    with tempfile.TemporaryDirectory(prefix="referee-cut-") as place:
        steps = recorded(Path(place))
    writes = sum(isinstance(step, Deed) for step in steps)
    tried = try_all(steps, chosen.every, chosen.fates, chosen.seed)
    print(f"{tried} power cuts over {writes} writes, syncs, truncations and deletions: nothing lost")


if __name__ == "__main__":
    main()
