"""The live simulated table: frames and scans on one clock, through the doors every table has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from referee.errors import HardwareError
from referee.health import Freshness
from referee.sim.camera import PulledCamera
from referee.sim.settings import Settings, TableSetUp, frame_times
from referee.sim.table import SimulatedTable
from referee.totem.links.base import table_clock
from referee.totem.links.serial_port import SerialLink
from tests.totem_link.contract import hear

SETTINGS = Settings(("Ana", "Bilal", "Chloé"), 8.0, 3, fps=15.0, size=(320, 200), seat_pads=True)


@pytest.fixture
def live(tmp_path: Path) -> Iterator[SimulatedTable]:
    with SimulatedTable(SETTINGS, tmp_path, table_clock()) as table:
        yield table


def test_frames_and_scans_come_on_one_clock(live: SimulatedTable) -> None:
    with pytest.raises(HardwareError, match="not been started"):
        _ = live.totem
    assert live.camera.poll(0.0) is None
    start = live.start()
    link = SerialLink(Path(live.totem_port))
    frames = []
    while len(frames) < 5:
        frame = live.camera.poll(1.0)
        assert frame is not None
        frames.append(frame)
    heard = hear(link, 200)
    link.close()
    assert [frame.t_us for frame in frames] == sorted(frame.t_us for frame in frames)
    assert frames[0].t_us >= start
    assert frames[0].picture.shape == (200, 320, 3)
    assert not frames[0].picture.flags.writeable
    assert live.camera.health().freshness is Freshness.FRESH
    assert heard.batches[0].layout.seats == 3


def test_a_stalled_camera_drops_what_it_missed(live: SimulatedTable) -> None:
    live.start()
    assert live.camera.poll(2.0) is not None
    live.camera.stall(0.6)
    after = live.camera.poll(3.0)
    assert after is not None
    assert live.camera.health().dropped > 0
    assert after.number > 1


def test_a_closed_camera_gives_no_more(live: SimulatedTable) -> None:
    live.start()
    live.stop()
    assert live.camera.ended
    assert live.camera.poll(0.0) is None
    live.stop()


def test_a_pulled_camera_gives_every_frame(small_table: TableSetUp) -> None:
    settings = Settings(small_table.settings.players, 15.0, 4, fps=2.0)
    camera = PulledCamera(small_table.film(), settings)
    times = [frame.t_us for frame in camera.frames()]
    assert times == frame_times(small_table.game.timeline.end_us, 2.0, 4).tolist()
    assert camera.ended


def test_frame_times_jitter_and_some_are_dropped() -> None:
    times = frame_times(120_000_000, 30.0, 5)
    steps = np.diff(times)
    assert (steps > 0).all()
    assert np.median(steps) == pytest.approx(1e6 / 30, abs=100)
    assert steps.max() > 60_000
    assert len(times) > 0.98 * 120 * 30
