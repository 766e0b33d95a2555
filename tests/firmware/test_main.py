"""The board's whole program, from `main.py` on, with the settings of each build, on a simulated Pico."""

from __future__ import annotations

import gc
import time
from types import SimpleNamespace
from typing import Any

import pytest

from referee.sim import firmware
from referee.sim.pico import SimulatedPico
from referee.totem import protocol
from referee.totem.messages import Feature, Fault, Health, Hello, Message, Scans, SelfTest
from tests.firmware.board import module
from tests.firmware.desk_totem import FIRMWARE

BUILDS = FIRMWARE.parent / "builds"


class Terminal:
    """The USB cable as two byte arrays; after a few looks into it come a self-test, and then LEAVE."""

    def __init__(self) -> None:
        self.came = bytearray(protocol.ask_hello() + protocol.stream(True))
        self.sent = bytearray()
        self.looks = 0
        self.kbd_intr: list[int] = []

    def read_byte(self) -> int:
        if not self.came:
            self.looks += 1
            if self.looks == 30:
                self.came += protocol.ask_self_test()
            elif self.looks == 60:
                self.came += protocol.ask_health() + protocol.leave()
        return self.came.pop(0) if self.came else -1

    def ready(self) -> bool:
        return True

    def write(self, block: bytearray) -> int:
        self.sent += block
        return len(block)


def run_board(build: str) -> tuple[list[Message | Fault], Terminal]:
    """Run `main.py` with the settings of a build until it leaves; returns what the host reads of it."""
    terminal, pico = Terminal(), SimulatedPico()
    pico.fall = {pin: 200 for pin in range(30)}
    given: dict[str, Any] = {
        "terminal": SimpleNamespace(TerminalPort=lambda: terminal),
        "micropython": SimpleNamespace(
            kbd_intr=terminal.kbd_intr.append,
            const=lambda value: value,
            viper=lambda function: function,
        ),
        "time": SimpleNamespace(
            sleep_ms=lambda _: None, ticks_us=lambda: time.monotonic_ns() // 1000, monotonic_ns=time.monotonic_ns
        ),
        **pico.modules(module("sampling")),
    }
    names = (*firmware.LOGIC, *firmware.BOARD, "config", "main")
    firmware.load(names, given, files={"config": BUILDS / f"{build}.py"})
    return protocol.Decoder().feed(bytes(terminal.sent)), terminal


@pytest.mark.parametrize("build", ["a-pico", "b", "c2-primary", "c3-primary"])
def test_it_starts_says_what_it_is_tests_itself_and_leaves_when_asked(build: str) -> None:
    said, terminal = run_board(build)
    hello = next(word for word in said if isinstance(word, Hello))
    assert hello.build == build[0].upper()
    assert hello.layout.seats == (6 if build.startswith("c") else 0)
    assert hello.layout.rings == {"a-pico": 12, "b": 6, "c2-primary": 10, "c3-primary": 12}[build]
    assert Feature.TILT in hello.features
    assert (Feature.BASE in hello.features) == (build != "b")
    assert terminal.kbd_intr == [-1, 3]
    assert not [word for word in said if isinstance(word, Fault)]


def test_a_simulated_board_leaves_this_machines_garbage_alone() -> None:
    run_board("b")
    assert gc.isenabled()


def test_build_b_reads_its_pads_and_finds_them_fine() -> None:
    said, _ = run_board("b")
    scans = [word for word in said if isinstance(word, Scans)]
    assert scans
    assert (scans[0].batch.counts == 200).all()
    assert scans[-1].batch.tilt_deg[-1] < 1
    (test,) = [word for word in said if isinstance(word, SelfTest)]
    assert test.faulty == ()


def test_build_c_without_its_other_pico_counts_what_it_misses() -> None:
    said, _ = run_board("c2-primary")
    assert not [word for word in said if isinstance(word, Scans)]
    (health,) = [word for word in said if isinstance(word, Health)]
    assert health.scans == 0
    assert health.scans_missed > 0
