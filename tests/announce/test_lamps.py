"""Which ruling is seen and heard how, and that the pins obey."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from referee.announce.lamps import SIGNALS, Lamps, PinNumbers, signals_of
from referee.announce.outputs import Notice
from referee.announce.sentences import ruling_kinds
from referee.gpio import pin_factory
from tests.announce.samples import HandClock, ruling, wait_until, won

PINS = PinNumbers(lamp=5, buzzer=6, seat_lamps={"Ana": 7, "Bilal": 8}, seat_buttons={"Ana": 9, "Bilal": 10})
BY_PIN = {"lamp": 5, "buzzer": 6, "Ana": 7, "Bilal": 8}


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def lamps(clock: HandClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lamps]:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    made = Lamps(PINS, clock.now_us)
    yield made
    made.close(0.0)
    pin_factory().reset()


def lit() -> set[str]:
    pins = {name: pin_factory().pin(number) for name, number in BY_PIN.items()}
    return {name for name, pin in pins.items() if pin.function == "output" and pin.state}


def test_what_waits_for_an_open_question_does_not_ring_again() -> None:
    assert signals_of(ruling("undecided", why="who", candidates=[])) != []
    assert signals_of(ruling("undecided", why="open", candidates=[], rests_on=[3])) == []


def test_the_winner_s_lamp_and_the_table_s_light_up() -> None:
    assert [name for name, _ in signals_of(won("Ana"))] == ["lamp Ana", "lamp"]


def test_a_fault_blinks_at_the_seat_and_sounds_the_buzzer() -> None:
    fault = ruling("fault", player="Bilal", kind="wrong-grab", picks_up={"Bilal": 2}, next="Bilal")
    assert {name for name, _ in signals_of(fault)} == {"lamp Bilal", "buzzer"}


def test_a_ruling_about_nobody_lights_no_seat() -> None:
    assert [name for name, _ in signals_of(ruling("to-pot", player=None, cards=2, pot=2, next="Ana"))] == ["lamp"]


def test_every_kind_in_the_table_is_a_kind_of_ruling() -> None:
    games = ("jungle-speed", "speed", "dobro", "jungle-bluff")
    assert {*SIGNALS} <= frozenset().union(*map(ruling_kinds, games))


def test_a_signal_lasts_seconds_and_not_the_game() -> None:
    for signals in SIGNALS.values():
        for signal in signals:
            assert 0 < (signal.on_s + signal.off_s) * signal.times <= 10
            assert signal.times == 1 or signal.off_s > 0


def test_lamps_light_up_for_a_ruling(lamps: Lamps) -> None:
    lamps.ruled(Notice(0, won("Ana")))
    assert wait_until(lambda: lit() == {"lamp", "Ana"})
    assert lamps.health.sentence == ""


def test_the_lamps_of_a_ruling_that_does_not_hold_go_out(lamps: Lamps) -> None:
    lamps.ruled(Notice(0, won("Ana")))
    lamps.ruled(Notice(1, won("Bilal")))
    assert wait_until(lambda: lit() == {"lamp", "Ana", "Bilal"})
    lamps.overturned(frozenset({1}))
    assert wait_until(lambda: lit() == {"Ana"})
    lamps.overturned(frozenset({0, 1}))
    assert wait_until(lambda: lit() == set())


def test_closing_puts_everything_out(lamps: Lamps) -> None:
    lamps.ruled(Notice(0, ruling("over", why="two-left", ranking=[["Ana"], ["Bilal"]])))
    lamps.close(0.0)
    assert lit() == set()
    lamps.ruled(Notice(1, won("Ana")))
    assert lamps.presses() == []


def test_a_press_comes_with_its_player_and_the_moment_of_its_first_edge(lamps: Lamps, clock: HandClock) -> None:
    clock.move(3.0)
    pin_factory().pin(10).drive_low()
    clock.move(0.005)
    pin_factory().pin(10).drive_high()
    pin_factory().pin(10).drive_low()
    clock.move(0.1)
    (press,) = lamps.presses()
    assert (press.name, press.active, press.t_us) == ("Bilal", True, 3_000_000)
