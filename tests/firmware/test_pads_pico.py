"""Builds B and C: which pad is which, in step, joined from several Picos, with and without seat pads."""

from __future__ import annotations

from array import array
from types import ModuleType, SimpleNamespace

import pytest

from referee.sim import firmware
from referee.sim.pico import SimulatedPico
from tests.firmware.board import module

FINE, LOW, HIGH, JOINED = range(4)


def pads_pico(pico: SimulatedPico) -> ModuleType:
    """`pads_pico` as that Pico loads it."""
    given = {"compat": module("compat"), "wire": module("wire"), **pico.modules(module("sampling"))}
    return firmware.load(("pads_pico",), given)["pads_pico"]


def config(**changes: object) -> SimpleNamespace:
    """Settings as `defaults` has them, with a few pads."""
    settings: dict[str, object] = {
        "PAD_PINS": (2, 4, 3),
        "RINGS": 3,
        "SECTORS": 1,
        "CHARGE_US": 1,
        "STEPS": 100,
        "SYNC_PIN": None,
        "SECONDARIES": (),
        "BAUD": 1,
        "SEATS": 0,
        "SEAT_PINS": (),
        "SEAT_ADDRESS_PINS": (),
        "SEAT_ENABLE_PIN": None,
    }
    return SimpleNamespace(**{**settings, **changes})


def test_each_reading_is_that_of_its_pin_and_rises_with_capacitance() -> None:
    pico = SimulatedPico()
    pico.fall = {2: 30, 4: 40, 3: 50}
    pads = pads_pico(pico).Pads(config())
    assert pads.scan()
    assert list(pads.counts) == [30, 40, 50]
    pico.fall[4] = 70
    assert pads.scan()
    assert list(pads.counts) == [30, 70, 50]


def test_a_pad_that_never_falls_reads_the_longest() -> None:
    pico = SimulatedPico()
    pico.fall = {2: 30, 4: 1000, 3: 50}
    pads = pads_pico(pico).Pads(config())
    pads.scan()
    assert list(pads.counts) == [30, 100, 50]


def test_seat_pads_take_turns_and_their_answer_is_the_difference() -> None:
    pico = SimulatedPico()
    pico.fall = {2: 30, 4: 40, 3: 50}
    pico.driven_fall = {1 << 10: {2: 5}, 1 << 11: {3: -4}}
    pads = pads_pico(pico).Pads(config(SEATS=2, SEAT_PINS=(10, 11)))
    heard = []
    for _ in range(4):
        assert pads.scan()
        assert list(pads.counts) == [30, 40, 50]
        heard.append((pads.seat, list(pads.deltas)))
    assert heard == [(0, [5, 0, 0]), (1, [0, 0, -4])] * 2
    assert pico.driven_high == 0


def test_a_decoder_is_given_the_seats_number_and_raised_by_its_enable_pin() -> None:
    pico = SimulatedPico()
    seats = pads_pico(pico).SeatPads(config(SEATS=6, SEAT_ADDRESS_PINS=(20, 21, 22), SEAT_ENABLE_PIN=26))
    assert seats.choose(5) == 1 << 26
    assert [pin.value() for pin in seats._address] == [1, 0, 1]
    assert seats.choose(2) == 1 << 26
    assert [pin.value() for pin in seats._address] == [0, 1, 0]


class Table:
    """A primary and secondaries joined by sync and serial wires, in memory."""

    def __init__(self, secondaries: int, seats: int = 0) -> None:
        self.first = SimulatedPico()
        self.first.fall = {2: 30, 4: 40, 3: 50}
        self.first.driven_fall = {1 << 10: {2: 5}}
        self.others = [SimulatedPico() for _ in range(secondaries)]
        self.silent = False
        sampling = module("sampling")
        self._pulses = 2 if seats else 1
        self._parts = []
        for number, other in enumerate(self.others):
            other.fall = {2: 60 + number, 3: 70 + number}
            other.driven_fall = {0: {}}
            own = pads_pico(other).OwnPads((2, 3), 1, 100)
            self._parts.append((own, array("H", [0, 0]), array("H", [0, 0]), bytearray(4 + 4 * self._pulses)))
        self._sampling = sampling
        self._pulse = 0
        self.first.on_release = self._released
        self.pads = pads_pico(self.first).Pads(
            config(
                RINGS=3 + 2 * secondaries,
                SYNC_PIN=17,
                SECONDARIES=tuple((number, 5 + number, 2) for number in range(secondaries)),
                SEATS=seats,
                SEAT_PINS=tuple(range(10, 10 + seats)),
            )
        )

    def _released(self) -> None:
        """The sync wire fell: every secondary reads; after the last pulse of a scan it sends."""
        second = self._pulse == 1
        for number, (own, counts, driven, frame) in enumerate(self._parts):
            own.follow(driven if second else counts, 1)
            if self._pulse + 1 == self._pulses and not self.silent:
                size = self._sampling.pack_link(frame, self._pulses, 2, counts, driven)
                self.first.inboxes[number] += frame[:size]
        self._pulse = (self._pulse + 1) % self._pulses


@pytest.mark.parametrize("secondaries", [1, 2])
def test_the_parts_of_all_picos_are_joined_scan_by_scan(secondaries: int) -> None:
    table = Table(secondaries)
    assert not table.pads.scan()  # the secondaries' part of the first scan is still to come
    moments = []
    for turn in range(3):
        table.first.fall[2] = 31 + turn
        assert table.pads.scan()
        own = 30 if turn == 0 else 30 + turn
        assert list(table.pads.counts) == [own, 40, 50] + [60, 70, 61, 71][: 2 * secondaries]
        moments.append(table.pads.when)
    assert len(set(moments)) == 3


def test_with_seat_pads_both_parts_answer_to_the_same_seat() -> None:
    table = Table(1, seats=1)
    table.pads.scan()
    assert table.pads.scan()
    assert table.pads.seat == 0
    assert list(table.pads.deltas) == [5, 0, 0, 0, 0]


def test_a_secondary_that_is_silent_costs_its_scans_and_is_counted() -> None:
    table = Table(1)
    table.pads.scan()
    assert table.pads.scan()
    table.silent = True
    table.pads.scan()
    assert [table.pads.scan() for _ in range(3)] == [False] * 3
    table.silent = False
    table.pads.scan()
    assert table.pads.scan()
    assert table.pads.missed == 4


def test_rubbish_on_the_serial_wire_costs_a_scan_and_is_cleared_away() -> None:
    table = Table(1)
    table.pads.scan()
    table.first.inboxes[0] += b"rubbish" * 50
    assert not table.pads.scan()
    assert table.pads.scan()
    table.first.inboxes[0][5] ^= 0x40
    assert not table.pads.scan()
    assert table.pads.scan()


def test_pads_that_are_not_all_wired_are_refused_at_the_start() -> None:
    with pytest.raises(ValueError, match="3 pads are wired"):
        pads_pico(SimulatedPico()).Pads(config(RINGS=4))


@pytest.mark.parametrize(
    ("fall", "joined", "states"),
    [
        ({2: 30, 4: 40, 3: 50}, set(), [FINE, FINE, FINE]),
        ({2: 30, 4: 0, 3: 50}, set(), [FINE, LOW, FINE]),
        ({2: 30, 4: 40, 3: 1000}, set(), [FINE, FINE, HIGH]),
        ({2: 30, 4: 40, 3: 50}, {frozenset((2, 3))}, [JOINED, FINE, JOINED]),
    ],
)
def test_the_self_test_names_the_pad_and_what_is_wrong(
    fall: dict[int, int], joined: set[frozenset[int]], states: list[int]
) -> None:
    pico = SimulatedPico()
    pico.fall, pico.joined = fall, joined
    pads = pads_pico(pico).Pads(config())
    found = bytearray(3)
    pads.self_test(found)
    assert list(found) == states
