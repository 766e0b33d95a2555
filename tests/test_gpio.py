"""Pins beside the totem: the same tests on mock pins and, with `REFEREE_REAL_PINS=OUT,IN`, on real ones.

`REFEREE_REAL_PINS` names two BCM pins of a Pi that are joined by a wire (with 1 kOhm, to be safe): the tests
move the first and watch the second.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import HardwareError
from referee.gpio import Change, Debouncer, Pins, pin_factory

REAL = os.environ.get("REFEREE_REAL_PINS")
SETTLE_US = 20_000

Drive = Callable[[bool], None]


class Bench:
    """An input that a test can move, and the clock its changes are stamped with."""

    def __init__(self, pin: int, drive: Drive, real: bool) -> None:
        self.pin = pin
        self.ground = drive
        self._real = real
        self._mock_us = 0
        self._start_s = time.monotonic()

    def now_us(self) -> int:
        return int((time.monotonic() - self._start_s) * 1e6) if self._real else self._mock_us

    def wait(self, milliseconds: int) -> None:
        """Let time go by: real pins need it, mock pins are told."""
        self._mock_us += 1000 * milliseconds
        if self._real:
            time.sleep(milliseconds / 1000)


@pytest.fixture(params=["mock", "real"])
def bench(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    if request.param == "mock":
        monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
        factory = pin_factory()
        pin = factory.pin(17)
        yield Bench(17, lambda active: pin.drive_low() if active else pin.drive_high(), real=False)
        factory.reset()
        return
    if REAL is None:
        pytest.skip("no real pins: REFEREE_REAL_PINS is not set")
    from gpiozero import DigitalOutputDevice

    out, watched = (int(number) for number in REAL.split(","))
    wire = DigitalOutputDevice(out, initial_value=True)
    yield Bench(watched, lambda active: wire.off() if active else wire.on(), real=True)
    wire.close()


def settled(bench: Bench, pins: Pins) -> list[Change]:
    """What has changed once everything has had time to settle."""
    bench.wait(60)
    return pins.changes()


def test_a_contact_to_ground_is_active_and_stamped_when_it_closed(bench: Bench) -> None:
    bench.ground(False)
    with Pins({"base": bench.pin}, bench.now_us) as pins:
        assert not pins.active("base")
        bench.wait(10)
        before_us = bench.now_us()
        bench.ground(True)
        (change,) = settled(bench, pins)
        assert (change.name, change.active) == ("base", True)
        assert before_us <= change.t_us < before_us + 20_000
        assert pins.active("base")


def test_bouncing_gives_one_change_dated_to_its_first_edge(bench: Bench) -> None:
    bench.ground(False)
    with Pins({"tilt": bench.pin}, bench.now_us) as pins:
        before_us = bench.now_us()
        for active in (True, False, True, False, True):
            bench.ground(active)
            bench.wait(2)
        (change,) = settled(bench, pins)
        assert change.active
        assert change.t_us < before_us + 2_000


def test_a_bounce_that_comes_back_is_no_change(bench: Bench) -> None:
    bench.ground(False)
    with Pins({"tilt": bench.pin}, bench.now_us) as pins:
        bench.ground(True)
        bench.wait(2)
        bench.ground(False)
        assert settled(bench, pins) == []


def test_no_press_is_lost_between_two_looks(bench: Bench) -> None:
    bench.ground(False)
    with Pins({"seat 1": bench.pin}, bench.now_us) as pins:
        for active in (True, False, True):
            bench.ground(active)
            bench.wait(30)
        assert [change.active for change in settled(bench, pins)] == [True, False, True]


def test_lamp_and_buzzer_stay_as_they_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    factory = pin_factory()
    with Pins({}, lambda: 42, lamp=23, buzzer=24) as pins:
        assert pins.lamp(True) == 42
        assert factory.pin(23).state
        pins.lamp(False)
        assert not factory.pin(23).state
        pins.buzz(0.01, 0.01, 1)
        end_s = time.monotonic() + 10
        while len(factory.pin(24).states) < 3 and time.monotonic() < end_s:
            time.sleep(0.01)
        assert [state.state for state in factory.pin(24).states] == [False, True, False]
    factory.reset()


def test_further_lamps_flash_by_name_and_go_dark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    factory = pin_factory()
    with Pins({}, lambda: 0, buzzer=24, lamps={"lamp Ana": 5, "lamp Bilal": 6}) as pins:
        assert pins.outputs == ("buzzer", "lamp Ana", "lamp Bilal")
        pins.flash("lamp Ana", on_s=60.0)
        pins.flash("lamp Bilal", 0.01, 0.01, 2)
        end_s = time.monotonic() + 10
        while len(factory.pin(6).states) < 5 and time.monotonic() < end_s:
            time.sleep(0.01)
        assert [state.state for state in factory.pin(6).states] == [False, True, False, True, False]
        assert factory.pin(5).state
        pins.dark("lamp Ana")
        assert not factory.pin(5).state
    factory.reset()


def test_a_lamp_that_is_let_go_is_one_sentence() -> None:
    with Pins({}, lambda: 0, lamps={"lamp Ana": 5}) as pins:
        pins._outputs["lamp Ana"].close()
        with pytest.raises(HardwareError, match="lamp Ana"):
            pins.flash("lamp Ana", 1.0)
        with pytest.raises(HardwareError, match="lamp Ana"):
            pins.dark("lamp Ana")


def test_without_a_lamp_it_says_so_and_without_a_buzzer_it_is_silent() -> None:
    with Pins({}, lambda: 0) as pins:
        pins.buzz()
        with pytest.raises(HardwareError, match="no lamp"):
            pins.lamp(True)


def test_a_pin_that_cannot_be_had_is_one_sentence_and_frees_the_others() -> None:
    with pytest.raises(HardwareError, match="pin"):
        Pins({"base": 17, "again": 17}, lambda: 0)
    with Pins({"base": 17}, lambda: 0) as pins:
        assert not pins.active("base")


@given(st.lists(st.tuples(st.integers(0, 60_000), st.booleans()), max_size=40))
def test_changes_alternate_and_settle_to_the_last_state(edges: list[tuple[int, bool]]) -> None:
    debouncer = Debouncer(SETTLE_US)
    now_us, found = 0, []
    for wait_us, active in edges:
        now_us += wait_us
        change = debouncer.edge(active, now_us)
        if change is not None:
            found.append(change)
    last = debouncer.settle(now_us + SETTLE_US)
    if last is not None:
        found.append(last)
    assert [active for active, _ in found] == [place % 2 == 0 for place in range(len(found))]
    times = [t_us for _, t_us in found]
    assert times == sorted(times)
    if edges:
        assert (len(found) % 2 == 1) == edges[-1][1]
