"""The families of probes: what each is called, where it is looked at, and how its facts are judged.

Belongs here: the list. Adding a family is a line here, a probe, a judge and sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from referee.doctor.finding import Finding
from referee.doctor.judges import camera, machine, others, software, totem


@dataclass(frozen=True)
class Family:
    """`probe` is `module:function`, imported in the family's own process only.

    `extra_s` is the time it may take besides the seconds for which devices are watched.
    """

    name: str
    probe: str
    judge: Callable[[Mapping[str, Any]], list[Finding]]
    extra_s: float


def _judging(facts: Callable[..., Any], judge: Callable[[Any], list[Finding]]) -> Callable[[Mapping[str, Any]], Any]:
    return lambda found: judge(facts(**found))


_PROBES = "referee.doctor.probes"
FAMILIES = (
    Family("python", f"{_PROBES}.software:probe", _judging(software.SoftwareFacts, software.judge), 40.0),
    Family("camera", f"{_PROBES}.camera:probe", _judging(camera.CameraFacts, camera.judge), 60.0),
    Family("totem", f"{_PROBES}.totem:probe", _judging(totem.TotemFacts, totem.judge), 30.0),
    Family("pins", f"{_PROBES}.others:probe_pins", _judging(others.PinFacts, others.judge_pins), 20.0),
    Family("sound", f"{_PROBES}.others:probe_sound", _judging(others.SoundFacts, others.judge_sound), 20.0),
    Family("machine", f"{_PROBES}.machine:probe", _judging(machine.MachineFacts, machine.judge), 30.0),
    Family("games", f"{_PROBES}.others:probe_games", _judging(others.GamesFacts, others.judge_games), 60.0),
)
