"""The simulated totem and every fault switch of its cable, against the real host code."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from referee.sim.totem_device import SimulatedTotem
from referee.totem import protocol
from referee.totem.links.serial_port import SerialLink
from referee.totem.messages import LampSwitched
from referee.totem.scans import ScanBatch
from tests.totem_link.back_to_back import trace
from tests.totem_link.contract import hear


@dataclass
class Stage:
    """A simulated totem and the host that listens to it."""

    totem: SimulatedTotem
    link: SerialLink
    sent: ScanBatch

    def places(self, batches: list[ScanBatch]) -> np.ndarray:
        """Where in the trace each reading that came belongs; fails for one that was never sent."""
        where = {tuple(row): place for place, row in enumerate(self.sent.counts.tolist())}
        return np.array([where[tuple(row)] for batch in batches for row in batch.counts.tolist()])


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    sent = trace(30_000, rings=2, seats=2)
    with SimulatedTotem(sent, tmp_path / "totem") as totem:
        link = SerialLink(tmp_path / "totem")
        yield Stage(totem, link, sent)
        link.close()


def missing(places: np.ndarray) -> int:
    assert (np.diff(places) > 0).all()
    return int((np.diff(places) - 1).sum())


def test_a_tug_at_the_cable_loses_no_scan(stage: Stage) -> None:
    batches = hear(stage.link, 300).batches
    stage.totem.cable.tug(0.1)
    batches += hear(stage.link, 1200).batches
    assert missing(stage.places(batches)) == 0
    assert {batch.boot_id for batch in batches} == {batches[0].boot_id}


def test_a_gap_of_the_line_loses_no_scan(stage: Stage) -> None:
    batches = hear(stage.link, 300).batches
    stage.totem.cable.gap(0.15)
    batches += hear(stage.link, 800).batches
    assert missing(stage.places(batches)) == 0
    assert stage.link.receiver.counters.asked_again > 0


def test_garbage_loses_no_scan_and_makes_none(stage: Stage) -> None:
    batches = hear(stage.link, 300).batches
    stage.totem.cable.garbage(5000)
    batches += hear(stage.link, 500).batches
    assert missing(stage.places(batches)) == 0


def test_bit_errors_spoil_no_reading(stage: Stage) -> None:
    batches = hear(stage.link, 300).batches
    stage.totem.cable.bit_error_rate = 3e-5
    batches += hear(stage.link, 1500, seconds=8).batches
    assert stage.link.receiver.counters.faults > 0
    assert missing(stage.places(batches)) == sum(batch.lost for batch in batches)


def test_a_stalled_host_misses_what_falls_out_of_the_window_and_is_told_how_much(tmp_path: Path) -> None:
    sent = trace(30_000, rings=2, seats=2)
    with SimulatedTotem(sent, tmp_path / "totem", window_bytes=8_000) as totem:
        link = SerialLink(tmp_path / "totem")
        stage = Stage(totem, link, sent)
        batches = hear(link, 300).batches
        totem.cable.stalled = True
        batches += hear(link, 10_000, seconds=1.5).batches  # what was on its way when the line stalled
        totem.cable.stalled = False
        batches += hear(link, 1500, seconds=8).batches
        assert missing(stage.places(batches)) == sum(batch.lost for batch in batches) > 100
        link.close()


def test_the_lamp_can_be_lit_and_answers_with_its_moment(stage: Stage) -> None:
    hear(stage.link, 100)
    stage.link.send(protocol.set_lamp(True))
    hear(stage.link, 100)
    (said,) = [word for word in stage.link.take_notices() if isinstance(word, LampSwitched)]
    assert said.on
    assert stage.totem.lamp_on


def test_after_its_trace_it_goes_on_answering(tmp_path: Path) -> None:
    sent = trace(400, rings=2)
    with SimulatedTotem(sent, tmp_path / "totem") as totem:
        link = SerialLink(tmp_path / "totem")
        heard = hear(link, 400)
        assert heard.scans == 400
        assert totem.finished
        pings = link.receiver.clock_state.pings
        end_s = time.monotonic() + 1
        while time.monotonic() < end_s:
            link.poll(0.1)
        assert link.receiver.clock_state.pings > pings
        link.close()


def test_a_trace_with_readings_beyond_sixteen_bits_is_cut_to_them(tmp_path: Path) -> None:
    sent = trace(400, rings=1)
    wild = replace(sent, counts=(sent.counts - 30_000) * 4)
    with SimulatedTotem(wild, tmp_path / "totem"):
        link = SerialLink(tmp_path / "totem")
        counts = np.concatenate([batch.counts for batch in hear(link, 300).batches])
        np.testing.assert_array_equal(counts, np.clip(wild.counts[: len(counts)], 0, 0xFFFF))
        link.close()
