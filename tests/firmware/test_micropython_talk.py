"""The firmware's logic under a real MicroPython, through a pseudo-terminal, against the real host code.

`lock_heap` is on throughout: the program runs with MicroPython's heap locked, so one allocation in the scan loop
or in a command ends it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

from referee.totem import protocol
from referee.totem.links import Freshness
from referee.totem.links.serial_port import SerialLink
from referee.totem.messages import Health, Hello, LampSwitched, PadState, Pause, SelfTest
from tests.firmware.desk_totem import DeskTotem, needs_micropython

pytestmark = needs_micropython

Said = TypeVar("Said")


@pytest.fixture
def totem(tmp_path: Path) -> Iterator[DeskTotem]:
    with DeskTotem(tmp_path / "totem") as device:
        yield device


@pytest.fixture
def link(totem: DeskTotem, tmp_path: Path) -> Iterator[SerialLink]:
    door = SerialLink(tmp_path / "totem")
    yield door
    door.close()


def missing(numbers: np.ndarray) -> int:
    """Scans that are not there between the first and the last."""
    return int((np.diff(numbers) - 1).sum())


def notice(link: SerialLink, kind: type[Said], seconds: float = 5.0) -> Said:
    """Poll until the totem has said something of that kind since the last call."""
    end_s = time.monotonic() + seconds
    while time.monotonic() < end_s:
        link.poll(0.05)
        found = [said for said in link.take_notices() if isinstance(said, kind)]
        if found:
            return found[-1]
    raise AssertionError(f"no {kind.__name__} within {seconds} s: {link.health()}")


def test_it_says_hello_with_its_layout_when_asked(totem: DeskTotem, link: SerialLink) -> None:
    hello = notice(link, Hello)
    assert hello.layout.pads == totem.pads
    assert hello.layout.seats == totem.seats
    assert hello.firmware == (0, 1, 0)
    assert link.layout == hello.layout


def test_every_scan_comes_once_and_in_order(totem: DeskTotem, link: SerialLink) -> None:
    numbers = totem.check(totem.listen(link, 1500))
    assert missing(numbers) == 0
    assert (np.diff(numbers) == 1).all()
    health = link.health()
    assert health.freshness is Freshness.FRESH
    assert (health.scans_lost, health.faults) == (0, 0)


def test_pings_set_its_clock(totem: DeskTotem, link: SerialLink) -> None:
    batches = totem.listen(link, 1500)
    state = link.receiver.clock_state
    assert state.pings >= 8
    assert state.error_us < 100_000
    t_us = np.concatenate([batch.t_us for batch in batches])
    assert (np.diff(t_us) > 0).all()


def test_its_stamps_go_on_when_its_counter_wraps(tmp_path: Path) -> None:
    with DeskTotem(tmp_path / "totem", first_tick=(1 << 30) - 400_000) as totem:
        link = SerialLink(tmp_path / "totem")
        batches = totem.listen(link, 1500)
        link.close()
        t_us = np.concatenate([batch.t_us for batch in batches])
        assert t_us[-1] - t_us[0] < 100_000_000
        assert totem.check(batches)[-1] >= 1400


def test_after_a_tug_at_the_cable_what_was_not_sent_is_sent(totem: DeskTotem, link: SerialLink) -> None:
    batches = totem.listen(link, 400)
    totem.cable.tug(0.1)
    batches += totem.listen(link, 1500)
    numbers = totem.check(batches)
    assert missing(numbers) == sum(batch.lost for batch in batches)
    assert link.health().starts == 1


def test_an_unplugged_totem_is_lost_and_comes_back_by_itself(totem: DeskTotem, link: SerialLink) -> None:
    totem.listen(link, 200)
    totem.cable.unplug()
    while link.health().problem is None:
        link.poll(0.1)
    health = link.health()
    assert health.freshness is Freshness.LOST
    assert health.problem is not None
    totem.cable.plug_in()
    totem.check(totem.listen(link, 200))
    assert link.health().freshness is Freshness.FRESH


def test_scans_lost_in_a_gap_of_the_line_are_sent_again(totem: DeskTotem, link: SerialLink) -> None:
    batches = totem.listen(link, 400)
    totem.cable.gap(0.1)
    batches += totem.listen(link, 1000)
    assert missing(totem.check(batches)) == 0
    assert link.receiver.counters.asked_again > 0


def test_a_host_that_does_not_read_never_stops_the_scanning(tmp_path: Path) -> None:
    with DeskTotem(tmp_path / "totem", window_bytes=16 * 1024) as totem:
        link = SerialLink(tmp_path / "totem")
        before = totem.check(totem.listen(link, 400))[-1]
        time.sleep(3.0)
        batches = totem.listen(link, 600, seconds=15)
        numbers = totem.check(batches)
        lost = missing(np.concatenate([[before], numbers]))
        assert lost == sum(batch.lost for batch in batches) > 0
        link.take_notices()
        health = notice(link, Health)
        link.close()
    # It pushed the oldest out and went on; a scan that waited for the host would show as a gap of 3 s.
    assert health.frames_pushed_out > 0
    assert health.longest_gap_us < 1_000_000


def test_garbage_on_the_line_costs_nothing_but_itself(totem: DeskTotem, link: SerialLink) -> None:
    batches = totem.listen(link, 300)
    for _ in range(5):
        totem.cable.garbage(300)
        batches += totem.listen(link, 200)
    assert missing(totem.check(batches)) == 0
    assert link.receiver.counters.faults > 0


def test_bit_errors_lose_no_scan_and_spoil_none(totem: DeskTotem, link: SerialLink) -> None:
    batches = totem.listen(link, 300)
    totem.cable.bit_error_rate = 1e-5
    batches += totem.listen(link, 2000, seconds=10)
    numbers = totem.check(batches)
    assert missing(numbers) == sum(batch.lost for batch in batches)
    assert link.receiver.counters.faults > 0


def test_a_reset_in_mid_frame_starts_a_new_count_and_not_a_wrong_one(totem: DeskTotem, link: SerialLink) -> None:
    first = totem.listen(link, 400)
    totem.reset()
    again = totem.listen(link, 600)
    boots = {batch.boot_id for batch in first + again}
    assert len(boots) == 2
    assert link.health().starts == 2
    new = [batch for batch in again if batch.boot_id != first[0].boot_id]
    numbers = totem.check(new)
    assert missing(numbers) == 0
    assert numbers[0] == 0
    t_us = np.concatenate([batch.t_us for batch in first + again])
    assert (np.diff(t_us) > 0).all()


def test_it_tests_itself_and_announces_the_pause(totem: DeskTotem, link: SerialLink) -> None:
    totem.listen(link, 100)
    link.send(protocol.ask_self_test())
    totem.listen(link, 300)
    said = link.take_notices()
    (test,) = [word for word in said if isinstance(word, SelfTest)]
    assert test.faulty == (totem.pads - 1,)
    assert test.pads[-1] is PadState.HIGH
    assert [word.reason for word in said if isinstance(word, Pause)] == [2]


def test_the_lamp_answers_with_the_moment_it_changed(totem: DeskTotem, link: SerialLink) -> None:
    totem.listen(link, 100)
    link.send(protocol.set_lamp(True))
    switched = notice(link, LampSwitched)
    assert switched.on
    assert switched.t_us > 0


def test_garbage_is_collected_when_the_host_says_so_and_announced(tmp_path: Path) -> None:
    # With the heap unlocked: a collection itself cannot run on a locked one.
    with DeskTotem(tmp_path / "totem", lock_heap=False) as totem:
        link = SerialLink(tmp_path / "totem")
        totem.listen(link, 100)
        link.send(protocol.collect())
        assert notice(link, Pause).reason == 1
        link.close()


def test_a_totem_without_seat_pads_and_with_another_layout_is_read_the_same(tmp_path: Path) -> None:
    with DeskTotem(tmp_path / "totem", rings=6, sectors=3, seats=0, batch=1) as totem:
        link = SerialLink(tmp_path / "totem")
        batches = totem.listen(link, 600)
        link.close()
        assert missing(totem.check(batches)) == 0
        assert batches[0].seat_index is None
