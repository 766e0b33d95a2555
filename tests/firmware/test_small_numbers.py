"""No number of the scan loop leaves 31 bits: a larger one would be a heap object on the board.

The firmware's files are loaded with every sum, difference, product and shift wrapped in a check, temporary values
included, and then run across the wrap of the counter, through every command, with extreme readings.
"""

from __future__ import annotations

import ast
from array import array
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from referee.sim import firmware
from referee.totem import protocol

LEAST, MOST = -(1 << 30), (1 << 30) - 1


def small(value: Any) -> Any:
    """The value, if the board can hold it without the heap."""
    if isinstance(value, int) and not LEAST <= value <= MOST:
        raise OverflowError(f"{value} does not fit 31 bits")
    return value


class _Watch(ast.NodeTransformer):
    """Puts a call of `small` round every arithmetic expression."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        return ast.Call(ast.Name("__small__", ast.Load()), [node], [])

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        read = ast.parse(ast.unparse(node.target), mode="eval").body
        return ast.Assign(
            [node.target],
            ast.Call(ast.Name("__small__", ast.Load()), [ast.BinOp(read, node.op, node.value)], []),
        )


@pytest.fixture(scope="module")
def watched() -> dict[str, ModuleType]:
    """The firmware's logic, watched."""

    def watch(tree: ast.Module) -> ast.Module:
        # The check comes in by an import, as the first line behind the docstring.
        changed = _Watch().visit(tree)
        changed.body[1:1] = ast.parse("from small_numbers import small as __small__").body
        return changed

    names = ("compat", "wire", "codec", "stamp", "outbox", "device", "angles", "motion")
    return firmware.load(names, {"small_numbers": SimpleNamespace(small=small)}, rewrite=watch)


class Settings:
    """A totem with seat pads."""

    VERSION = (0, 1, 0)
    BUILD, FEATURES = "B", 0x0F
    RINGS, SECTORS, SEATS, BATCH, PERIOD_US = 2, 3, 2, 4, 1000
    WINDOW_BYTES = 4096
    RING_TENTHS = (100, 600)
    DIAMETER_TENTHS, HEIGHT_TENTHS = 300, 1200


class Hardware:
    """Pads, switches, port and motion sensor with readings at the ends of their ranges."""

    def __init__(self) -> None:
        self.now = MOST - 200_000
        self.counts = array("H", [0xFFFF, 0, 1, 0x8000, 0x7FFF, 0xFFFF])
        self.deltas = array("h", [-32768, 32767, 0, -1, 1, 5])
        self.seat, self.missed, self.when = 0, 0, 0
        self.sent, self.came = 0, bytearray()
        self.axes = (-32768, -32768, -32768, 0, 0, 0, 32767)

    def ticks(self) -> int:
        self.now = (self.now + 37) & MOST
        return self.now

    def scan(self) -> bool:
        self.now = (self.now + 900) & MOST
        # As build C gives them: one scan late, so from before the last reading of the counter.
        self.when = (self.now - 1_000) & MOST
        self.seat = 1 - self.seat
        return True

    def self_test(self, states: bytearray) -> None:
        states[:] = bytes(len(states))

    def seated(self) -> bool:
        return self.sent % 7 < 3

    def lamp(self, on: bool) -> None:
        """A lamp that nobody sees."""

    def read_byte(self) -> int:
        return self.came.pop(0) if self.came else -1

    def ready(self) -> bool:
        return True

    def write(self, block: bytearray) -> int:
        self.sent += 1
        return len(block)

    def writeto_mem(self, address: int, register: int, data: bytes) -> None:
        """A sensor that takes every setting."""

    def readfrom_mem_into(self, address: int, register: int, data: bytearray) -> None:
        data[:] = b"".join(axis.to_bytes(2, "big", signed=True) for axis in self.axes)


def test_the_whole_loop_stays_within_31_bits(watched: dict[str, ModuleType]) -> None:
    parts = Hardware()
    motion = watched["motion"].Motion(parts, True)
    device = watched["device"].Device(Settings, parts, motion, parts, parts, b"\xff" * 4, parts.ticks)
    commands = [
        protocol.ask_hello(),
        protocol.stream(True, MOST),
        protocol.ping(0xFFFFFFFF),
        protocol.resend(MOST, 0xFFFF),
        protocol.resend(3, 2),
        protocol.ask_health(),
        protocol.ask_self_test(),
        protocol.set_lamp(True),
        protocol.collect(),
        b"\xff" * 40 + b"\x00",
    ]
    for turn in range(600):
        parts.axes = (-32768, 32767, -32768, 0, 0, 0, 32767 if turn % 2 else -32768)
        if turn % 20 == 0:
            parts.came += commands[turn // 20 % len(commands)]
        device.step()
    assert device.stamp.wraps == 1
    assert parts.sent > 100


def test_the_watch_sees_a_number_that_is_too_large(watched: dict[str, ModuleType]) -> None:
    with pytest.raises(OverflowError, match="does not fit 31 bits"):
        watched["stamp"].elapsed(MOST, LEAST)
