"""The page that specifies the wire is held to the code, and the code to the page."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from referee.totem import protocol
from referee.totem.messages import Feature, FromTotem, Hello, PadState, Scans, ToTotem
from tests.firmware.board import module

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
FRAMES = {
    name.strip(): bytes.fromhex(frame)
    for name, frame in re.findall(r"^([A-Z_]+[^\n]*?)  +((?:[0-9a-f]{2} )+00)$", PAGE, re.MULTILINE)
}


@pytest.mark.parametrize(
    ("name", "frame"),
    [
        ("ASK_HELLO", protocol.ask_hello()),
        ("PING token 1", protocol.ping(1)),
        ("STREAM on from frame 5", protocol.stream(True, 5)),
        ("SET_LAMP on", protocol.set_lamp(True)),
    ],
)
def test_commands_are_the_ones_on_the_page(name: str, frame: bytes) -> None:
    assert frame == b"\0" + FRAMES[name]


def test_the_hello_and_the_scans_on_the_page_say_what_the_page_says() -> None:
    hello, scans = protocol.Decoder().feed(FRAMES["HELLO"] + FRAMES["SCANS"])
    assert isinstance(hello, Hello)
    assert (hello.boot_id, hello.firmware, hello.build, hello.window) == (0x01020304, (0, 1, 0), "S", 771)
    assert (hello.layout.rings, hello.layout.sectors, hello.layout.ring_mm) == (1, 2, (10.0,))
    assert hello.features == Feature.TILT | Feature.YAW | Feature.BASE | Feature.LAMP
    assert isinstance(scans, Scans)
    assert scans.sequence == 0
    assert scans.batch.t_us.tolist() == [1000, 2000]
    assert scans.batch.counts.tolist() == [[800, 801], [802, 1203]]
    np.testing.assert_allclose(scans.batch.tilt_deg, [1.5, 1.5])


def test_every_kind_has_its_number_and_name_on_the_page_and_in_the_firmware() -> None:
    wire = module("wire")
    rows = dict(re.findall(r"^\| (0x[0-9a-f]{2}) \| `([A-Z_]+)` \|", PAGE, re.MULTILINE))
    for kind in (*FromTotem, *ToTotem):
        assert rows.pop(f"0x{kind.value:02x}") == kind.name
        assert getattr(wire, kind.name) == kind.value
    assert rows == {}


def test_pad_states_are_the_same_on_both_sides() -> None:
    wire = module("wire")
    for state in PadState:
        assert getattr(wire, f"PAD_{state.name}") == state.value
