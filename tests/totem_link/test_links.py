"""Each door for scans, held to the one contract."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from referee.errors import HardwareError, ProfileError
from referee.sim.mpr121 import SimulatedBus
from referee.sim.totem_device import SimulatedTotem
from referee.totem.links import Freshness
from referee.totem.links.base import table_clock
from referee.totem.links.mpr121 import Mpr121Link, tilt_deg
from referee.totem.links.opening import open_link
from referee.totem.links.recorded import RecordedLink
from referee.totem.links.serial_port import SerialLink, find_port
from referee.totem.recording import Recorder
from referee.totem.scans import Layout, ScanBatch
from tests.firmware.desk_totem import DeskTotem, needs_micropython
from tests.totem_link.back_to_back import trace
from tests.totem_link.contract import Bench, LinkContract, hear


class RecordedBench:
    exact = True

    def __init__(self, paced: bool) -> None:
        self.sent = trace(3000, rings=2, seats=1)
        self.link = RecordedLink(self.sent, paced=paced)

    def break_(self) -> None:
        """A recording has no plug; it goes on."""

    def mend(self) -> None:
        """Nothing was broken."""


class TestRecordedAsFastAsTaken(LinkContract):
    test_a_totem_that_is_unplugged_is_lost_and_found_again = None  # a recording has no plug

    @pytest.fixture
    def bench(self) -> Iterator[Bench]:
        return RecordedBench(paced=False)


class TestRecordedAtItsOwnPace(LinkContract):
    test_a_totem_that_is_unplugged_is_lost_and_found_again = None  # a recording has no plug

    @pytest.fixture
    def bench(self) -> Iterator[Bench]:
        return RecordedBench(paced=True)


class CableBench:
    """A totem behind a cable."""

    exact = True

    def __init__(self, totem: SimulatedTotem | DeskTotem, link: SerialLink, sent: ScanBatch) -> None:
        self.link = link
        self.sent = sent
        self._cable = totem.cable

    def break_(self) -> None:
        self._cable.unplug()

    def mend(self) -> None:
        self._cable.plug_in()


class TestSerialSimulated(LinkContract):
    @pytest.fixture
    def bench(self, tmp_path: Path) -> Iterator[Bench]:
        sent = trace(20_000, rings=2, seats=1)
        with SimulatedTotem(sent, tmp_path / "totem") as totem:
            link = SerialLink(tmp_path / "totem")
            yield CableBench(totem, link, sent)
            link.close()


@needs_micropython
class TestSerialMicroPython(LinkContract):
    @pytest.fixture
    def bench(self, tmp_path: Path) -> Iterator[Bench]:
        rings, sectors = 2, 4
        numbers, pads = np.arange(20_000)[:, None], np.arange(rings * sectors)
        counts = (numbers * 7 + pads * 13) % 1024
        counts[:, 0] = numbers[:, 0]
        ring_mm = (5.0, 60.0)
        sent = ScanBatch(
            layout=Layout(rings, sectors, ring_mm),
            boot_id=0,
            t_us=np.arange(20_000, dtype=np.int64),
            counts=counts.astype(np.int32),
            tilt_deg=np.zeros(20_000, np.float32),
        )
        with DeskTotem(tmp_path / "totem", rings, sectors, seats=0, lock_heap=True) as totem:
            link = SerialLink(tmp_path / "totem")
            yield CableBench(totem, link, sent)
            link.close()


class BusBench:
    """MPR121 boards on a simulated bus; each state of the totem is one that no other scan has."""

    exact = False

    def __init__(self) -> None:
        scans, pads = 20_000, 24
        numbers = np.arange(scans)[:, None]
        counts = (numbers // 100 + np.arange(pads)) % 1000
        counts[:, 1:2] = numbers // 1000
        layout = Layout(6, 4, (10.0, 30.0, 50.0, 70.0, 90.0, 110.0))
        self.sent = ScanBatch(
            layout=layout,
            boot_id=0,
            t_us=np.arange(scans, dtype=np.int64) * 1000,
            counts=counts.astype(np.int32),
            tilt_deg=np.full(scans, 12.0, np.float32),
        )
        clock = table_clock()
        self.bus = SimulatedBus(self.sent, (0x5A, 0x5B), clock)
        self.link = Mpr121Link(layout, lambda: self.bus, (0x5A, 0x5B), now_us=clock)

    def break_(self) -> None:
        self.bus.broken = True

    def mend(self) -> None:
        self.bus.broken = False


class TestMpr121(LinkContract):
    @pytest.fixture
    def bench(self) -> Iterator[Bench]:
        bench = BusBench()
        yield bench
        bench.link.close()


def test_mpr121_boards_are_read_250_times_a_second_with_their_tilt(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = BusBench()
    now_s = [100.0]
    monkeypatch.setattr("referee.totem.links.mpr121.time.monotonic", lambda: now_s[0])
    (batch,) = bench.link.poll(0)
    assert batch.tilt_deg[0] == pytest.approx(12.0, abs=0.05)
    scans = 0
    for _ in range(1000):
        now_s[0] += 0.001
        scans += len(bench.link.poll(0))
    assert scans == 250
    bench.link.close()


def test_an_irq_line_starts_a_scan_before_its_turn() -> None:
    from referee.gpio import pin_factory

    factory = pin_factory()
    bench = BusBench()
    link = Mpr121Link(bench.sent.layout, lambda: bench.bus, (0x5A, 0x5B), irq_pins=(17,))
    try:
        link.poll(0)
        link._next_scan_s = time.monotonic() + 10
        assert link.poll(0.01) == []
        factory.pin(17).drive_low()
        assert len(link.poll(0.01)) == 1
    finally:
        link.close()
        factory.reset()


def test_boards_and_layout_that_do_not_fit_are_named() -> None:
    with pytest.raises(HardwareError, match="have 24 pads: the layout has 12"):
        Mpr121Link(trace(2).layout, addresses=(0x5A, 0x5B))


@pytest.mark.parametrize(("axes", "tilt"), [((0, 0, 16384), 0), ((16384, 0, 0), 90), ((0, 0, -16384), 180)])
def test_gravity_tells_the_tilt(axes: tuple[int, int, int], tilt: float) -> None:
    raw = b"".join(axis.to_bytes(2, "big", signed=True) for axis in axes)
    assert tilt_deg(list(raw)) == pytest.approx(tilt)


def test_a_port_can_be_held_by_one_program_only(tmp_path: Path) -> None:
    with SimulatedTotem(trace(5000, rings=1), tmp_path / "totem"):
        first, second = SerialLink(tmp_path / "totem"), SerialLink(tmp_path / "totem")
        assert hear(first, 20).scans >= 20
        assert hear(second, 1, seconds=0.2).scans == 0
        assert second.health().freshness is Freshness.LOST
        assert "cannot be opened" in (second.health().problem or "")
        first.close()
        assert hear(second, 20).scans >= 20
        second.close()


def test_a_missing_port_is_a_state_and_no_error(tmp_path: Path) -> None:
    link = SerialLink(tmp_path / "nowhere")
    assert link.poll(0.01) == []
    assert "there is no such port" in (link.health().problem or "")
    link.close()


def test_the_totem_is_found_by_its_id_and_doubt_is_said(tmp_path: Path) -> None:
    with pytest.raises(HardwareError, match="no totem found"):
        find_port(tmp_path)
    (tmp_path / "usb-Keyboard-if00").touch()
    board = tmp_path / "usb-MicroPython_Board_in_FS_mode_e6-if00"
    board.touch()
    assert find_port(tmp_path) == board
    (tmp_path / "usb-MicroPython_Board_in_FS_mode_e7-if00").touch()
    with pytest.raises(HardwareError, match="several"):
        find_port(tmp_path)


def test_a_simulated_totem_runs_faster_than_life_when_the_table_clock_does(tmp_path: Path) -> None:
    sent = trace(6000, rings=2)
    with SimulatedTotem(sent, tmp_path / "totem", pace=4) as totem:
        link = SerialLink(tmp_path / "totem", table_clock(4))
        heard = hear(link, 5900)
        link.close()
        assert totem.now_us() > 5_800_000
    counts = np.concatenate([batch.counts for batch in heard.batches])
    np.testing.assert_array_equal(counts, sent.counts[: len(counts)])


def test_a_simulated_totem_that_is_reset_in_mid_frame_goes_on_as_another_start(tmp_path: Path) -> None:
    sent = trace(20_000, rings=2)
    with SimulatedTotem(sent, tmp_path / "totem") as totem:
        link = SerialLink(tmp_path / "totem")
        heard = hear(link, 300).batches
        totem.reset()
        heard += hear(link, 600).batches
        link.close()
    assert len({batch.boot_id for batch in heard}) == 2
    where = {tuple(row): place for place, row in enumerate(sent.counts.tolist())}
    places = [where[tuple(row)] for batch in heard for row in batch.counts.tolist()]
    assert (np.diff(places) > 0).all()


def test_a_port_is_named_in_words_that_a_profile_can_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder(tmp_path / "kept.npz")
    recorder.add(trace(50))
    recorder.close()
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    clock = table_clock()
    played = open_link(str(tmp_path / "kept.npz"), clock)
    boards = open_link("mpr121:17,27", clock)
    port = open_link(str(tmp_path / "port"), clock)
    assert isinstance(played, RecordedLink)
    assert isinstance(boards, Mpr121Link)
    assert boards.layout is not None
    assert boards.layout.pads == 48
    assert isinstance(port, SerialLink)
    for link in (played, boards, port):
        link.close()


def test_irq_pins_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(ProfileError, match="expected the numbers of IRQ pins"):
        open_link("mpr121:seventeen", table_clock())
