"""A short simulated table, recorded once for the tests that need one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import mkdtemp

from referee.sim.recorded_table import write_table
from referee.sim.settings import Settings, set_up

SETTINGS = Settings(("Ana", "Bilal", "Chloé"), seconds=14.0, seed=3, light="day", surface="felt", mat="printed")


@dataclass(frozen=True)
class Recorded:
    """The folder of a recorded table, and the options of `referee run` that play it."""

    folder: Path

    def options(self, record: Path) -> list[str]:
        """What to put after `referee run`."""
        files = {
            "--profile": "profile.toml",
            "--camera": "video.mp4",
            "--frames-t": "frames_t.txt",
            "--totem": "totem.npz",
        }
        named = [word for option, name in files.items() for word in (option, str(self.folder / name))]
        return [*named, "--record", str(record)]


@lru_cache(maxsize=1)
def recorded() -> Recorded:
    """The table; made when it is first asked for."""
    folder = Path(mkdtemp(prefix="referee-test-table-"))
    write_table(set_up(SETTINGS), folder)
    return Recorded(folder)
