"""What is to be looked at: the table's profile and what the command line says instead of it.

Belongs here: the plan as it is handed to each probe's process. Does not belong here: looking.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

from referee.profile import Profile, read_profile


@dataclass(frozen=True)
class Plan:
    """Paths as texts, so that a plan can be handed to another process.

    `folder` is where records would be kept, `games` a folder of kept games, `seconds` how long a camera and a totem
    are watched, `root` the folder that stands for `/` when the board's own files are read.
    """

    profile: str | None = None
    camera: str | None = None
    totem: str | None = None
    games: str | None = None
    folder: str = "."
    seconds: float = 3.0
    root: str = "/"

    def packed(self) -> bytes:
        """The plan for another process."""
        return orjson.dumps(asdict(self))

    @classmethod
    def unpacked(cls, packed: bytes) -> Plan:
        """The plan from `packed`."""
        return cls(**orjson.loads(packed))

    def read_profile(self) -> Profile | None:
        """The profile, None without one; raises `ProfileError`."""
        return None if self.profile is None else read_profile(Path(self.profile))
