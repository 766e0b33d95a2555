"""The examination: every family in a process of its own, one after another, each within its time.

Written rules of this module:
- it always comes to an end, and always with a finding for each family;
- a process that is late is killed with all it started;
- what a process said on its error stream is told only as its last line.
Does not belong here: what is looked at (`probes`), what it means (`judges`).
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence

import orjson

from referee.doctor.families import FAMILIES, Family
from referee.doctor.finding import Finding
from referee.doctor.plan import Plan
from referee.errors import ProfileError

LONGEST_WHY = 200


def examine(plan: Plan, families: Sequence[Family] = FAMILIES) -> Iterator[Finding]:
    """All findings as they come: the profile's, then family after family; none measures another's load."""
    yield _profile(plan)
    for family in families:
        yield from look(family, plan)


def look(family: Family, plan: Plan, command: Sequence[str] | None = None) -> list[Finding]:
    """What one family finds, in a process of its own; `command` is run instead of the usual one."""
    limit_s = plan.seconds + family.extra_s
    process = subprocess.Popen(
        command or [sys.executable, "-m", "referee.doctor.child", family.name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # so that all it starts can be ended with it
    )
    try:
        said, words = process.communicate(plan.packed(), limit_s)
    except subprocess.TimeoutExpired:
        return [Finding("doctor.probe", "late", {"family": family.name, "seconds": limit_s})]
    finally:
        _end(process)
    if process.returncode == 0:
        with contextlib.suppress(orjson.JSONDecodeError, TypeError):
            return family.judge(orjson.loads(said))
    last = words.decode(errors="replace").strip().splitlines()[-1:] or [f"status {process.returncode}"]
    why = "".join(letter for letter in last[0] if letter.isprintable())[:LONGEST_WHY]
    return [Finding("doctor.probe", "crashed", {"family": family.name, "why": why})]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all it started; a child of it may still hold the pipes."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def _profile(plan: Plan) -> Finding:
    try:
        profile = plan.read_profile()
    except ProfileError as error:
        return Finding("profile.file", "broken", {"why": str(error)})
    if profile is None:
        return Finding("profile.file", "none")
    return Finding("profile.file", "ok", {"game": profile.game, "players": len(profile.players)})
