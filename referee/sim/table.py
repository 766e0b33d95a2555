"""The door of the simulated table: a profile, a camera, a totem's port where there is one; and, kept apart, the truth.

Belongs here: what a live demo needs, on one clock. Does not belong here: anything the referee does.

The referee may have `profile`, `camera` and `totem_port`; `calls` is what the people at the table would tell it by
buttons. `truth` is for whoever scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from referee.errors import HardwareError
from referee.sim.camera import LiveCamera
from referee.sim.recorded_table import true_rulings, write_profile
from referee.sim.settings import Settings, TableSetUp, set_up
from referee.sim.totem_device import SimulatedTotem
from referee.sim.touches import scans, trace_arrays
from referee.totem.scans import ScanBatch
from referee.vision.cameras.base import Clock
from referee.words import Event, Header, Ruling

READY_S = 60.0


@dataclass(frozen=True)
class Truth:
    """What truly happened, in the table's own time (0 is its start): the record, and what has to be ruled."""

    header: Header
    events: tuple[Event, ...]
    rulings: tuple[Ruling, ...]


class SimulatedTable:
    """A live table with simulated people, `pace` times faster than life on a clock that goes as fast.

    `folder` (that exists) gets `profile.toml` and the totem's port. Raises `InputError` and `DeckError` for
    settings that cannot be.
    """

    def __init__(self, settings: Settings, folder: Path, clock: Clock, pace: float = 1.0) -> None:
        self._clock, self._pace = clock, pace
        self.set_up: TableSetUp = set_up(settings)
        game = self.set_up.game
        self.profile = write_profile(self.set_up, folder)
        self.totem_port = None if self.set_up.totem is None else str(folder / "totem")
        self.truth = Truth(game.header, game.events, tuple(true_rulings(game)))
        self.calls: tuple[Event, ...] = game.calls
        self.end_us = game.timeline.end_us
        self.started_us: int | None = None
        self._scans: ScanBatch | None = None
        if game.touching is not None and self.set_up.totem is not None:
            arrays = trace_arrays(game.touching, self.set_up.totem, settings.seed)
            # The totem's own clock begins where its trace does: at the table's time 0.
            self._scans = scans(arrays, self.set_up.totem.cylinder)
        self.camera = LiveCamera(settings, self.end_us, self.set_up.scenery.light.exposure_us, clock, pace)
        self._totem: SimulatedTotem | None = None

    @property
    def totem(self) -> SimulatedTotem:
        """The totem once started, with its fault switches (`cable`, `reset`); raises `HardwareError` before, and in a
        game that has none."""
        if self._totem is None:
            raise HardwareError("the simulated table has no totem, or has not been started")
        return self._totem

    def start(self) -> int:
        """The game begins: camera and totem run from now on; returns the table's time 0 on the clock (µs)."""
        self.camera.ready(READY_S)
        start = self._clock()
        if self._scans is not None and self.totem_port is not None:
            self._totem = SimulatedTotem(self._scans, Path(self.totem_port), self._pace, seed=self.set_up.settings.seed)
        self.camera.start(start)
        self.started_us = start
        return start

    def calls_on_clock(self) -> tuple[Event, ...]:
        """The people's calls with their times on the clock."""
        start = self.started_us or 0
        return tuple({**call, "t_us": call["t_us"] + start} for call in self.calls)

    def stop(self) -> None:
        """Everything ends; may be called twice."""
        self.camera.close()
        if self._totem is not None:
            self._totem.close()
            self._totem = None

    def __enter__(self) -> SimulatedTable:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
