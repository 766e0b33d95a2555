"""What every step works with: the profile, the camera, the totem, the time, and a way to say something.

Belongs here: the shape of a step, sentences that can be translated, writing a part. Does not belong here: any
calibration, threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from calibration.charuco import Picture
from calibration.devices import device_name
from calibration.guided.eye import Eye
from calibration.profile_file import Part, read_raw, write_part
from calibration.sources import Shot
from referee.announce.speech.players import Player
from referee.announce.speech.voice import Voice
from referee.errors import InputError
from referee.totem.links.serial_port import SerialLink

Values = Mapping[str, Any]


class Sentence(str):
    """Words for a person, in English; whoever shows them may say them in another language."""

    __slots__ = ()


@dataclass
class Bench:
    """One table that is being set up. `breathe` shows how far a long step is, and raises `Stopped` at the end."""

    profile: Path
    eye: Eye
    clock: Callable[[], int]
    open_totem: Callable[[], SerialLink]
    voice: Callable[[str], Voice]
    player: Callable[[], Player]
    camera_named: bool = False
    """Whether somebody named this camera for this table: then its profile is to name it, too."""
    port_named: str | None = None
    """The totem's port, if somebody named it; else a new profile looks for the one board there is."""
    now: Callable[[], datetime] = datetime.now
    breathe: Callable[[], None] = lambda: None
    said: list[tuple[str, Sentence]] = field(default_factory=list)
    version: int = 0  # of the profile: rises with every part that is written

    @property
    def content(self) -> dict[str, Any]:
        """The profile's content as it is now."""
        return read_raw(self.profile)

    @property
    def camera_device(self) -> dict[str, str]:
        """Which camera a part is made with; a recording does not say."""
        return {"device": device_name(self.eye.source)} if self.eye.live else {}

    def say(self, kind: str, sentence: str) -> None:
        """A sentence for whoever looks on: `good`, `hint` or `no`."""
        self.said = [*self.said[-3:], (kind, Sentence(sentence))]

    def write(self, part: Part) -> None:
        """Write a part into the profile over what was there; the profile as it was is kept beside it."""
        write_part(self.profile, part, self.now(), force=True)
        self.version += 1
        self.say("good", f"{part.name} is kept in the profile")


class Stopped(Exception):  # noqa: N818 - no error: somebody closed the pages or went elsewhere
    """A long step is to end now."""


class Step:
    """One part of the set-up, as long as somebody has it open."""

    name = ""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    def see(self, shot: Shot) -> None:
        """Take notice of a picture of the camera."""

    def turn(self) -> None:
        """Called again and again while the step is open, also where no picture comes."""

    def do(self, word: str, values: Values) -> None:
        """Do what somebody asks for; raises `InputError` when it cannot be, `HardwareError` when a device fails."""
        raise unknown(self.name, word)

    def words(self) -> dict[str, Any]:
        """All that a page shows of this step, as plain values and sentences."""
        return {}

    def drawn(self, picture: Picture) -> Picture:
        """The picture as it is shown."""
        return picture

    def close(self) -> None:
        """Let go of what was taken."""


def unknown(step: str, word: str) -> InputError:
    """The error for an order that this step does not know."""
    return InputError(f"{word}: this cannot be asked for at {step}")


def asked_number(values: Values, key: str) -> float:
    """A finite number of an order; raises `InputError`."""
    value = values.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e6 or value != value:
        raise InputError(f"{key}: expected a number")
    return float(value)
