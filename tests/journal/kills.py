"""Real SIGKILLs: a child process plays the scripted game and is killed at its n-th write, sync or deletion.

`python -m tests.journal.kills` kills at every one of them. What the child had acknowledged and said it wrote into a
pipe before it died; the parent then opens the journal, checks it and goes on with the game.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.journal.disk import Deed, Disk
from tests.journal.scripted import JUNGLE_BLUFF, JUNGLE_SPEED, Chosen, check_after_a_crash, live, script, whole_game


def count_deeds(folder: Path) -> int:
    """How many writes, syncs, truncations and deletions the whole game takes."""
    deeds: list[Deed] = []

    def watch(deed: Deed) -> int:
        deeds.append(deed)
        return 0

    with Disk(watch):
        whole_game(folder)
    return len(deeds)


def kill_at(point: int, folder: Path) -> tuple[list[bytes], list[int]]:
    """Play the game in a child that dies before its `point`-th deed; returns what it acknowledged and said."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _play_and_die(point, folder, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        told = [json.loads(line) for line in pipe.read().splitlines()]
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL
    lines = max((value for what, value in told if what == "acknowledged"), default=0)
    return list(live()[0][:lines]), [value for what, value in told if what == "said"]


def _play_and_die(point: int, folder: Path, writer: int) -> None:
    left = point

    def watch(deed: Deed) -> int:
        nonlocal left
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1
        return 0

    def told(what: str, value: Any) -> None:
        number = len(value) if what == "acknowledged" else value
        os.write(writer, json.dumps([what, number]).encode() + b"\n")

    try:
        with Disk(watch):
            whole_game(folder, told)
    finally:
        os._exit(3)


def try_all(every: int) -> int:
    """Kill at every n-th deed; returns how many children died."""
    script(), live()
    killed = 0
    with tempfile.TemporaryDirectory(prefix="referee-kill-") as place:
        deeds = count_deeds(Path(place) / "whole")
        for point in range(every // 2, deeds, every):
            folder = Path(place) / str(point)
            folder.mkdir()
            acknowledged, said = kill_at(point, folder)
            try:
                check_after_a_crash(folder, acknowledged, said)
            except BaseException:
                print(f"killed at deed {point} of {deeds}", file=sys.stderr)
                raise
            killed += 1
    return killed


def main() -> None:
    """Kill at every point, or every n-th."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--game", choices=(JUNGLE_SPEED, JUNGLE_BLUFF), default=JUNGLE_SPEED)
    chosen = parser.parse_args()
    Chosen.game = chosen.game
    print(f"{try_all(chosen.every)} processes killed, each at another write: nothing lost")


if __name__ == "__main__":
    main()
