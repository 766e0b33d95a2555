"""The firmware's byte loops: equal to the host's own code, under CPython and under a real MicroPython."""

from __future__ import annotations

import subprocess
import zlib
from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.sim import fast_codec
from referee.totem import cobs
from tests.firmware.board import module
from tests.firmware.desk_totem import FIRMWARE, needs_micropython, tool

codec = module("codec")
BOTH = pytest.mark.parametrize("code", [codec, fast_codec], ids=["firmware", "simulation"])


@BOTH
@given(payload=st.binary(max_size=600))
def test_frames_are_the_ones_the_host_reads(code, payload: bytes) -> None:  # type: ignore[no-untyped-def]
    source = bytearray(payload + bytes(4))
    end = code.crc_append(source, len(payload), code.CRC_TABLES)
    assert int.from_bytes(source[-4:], "little") == zlib.crc32(payload)
    assert code.crc_agrees(source, end, code.CRC_TABLES) == 1
    target = bytearray(len(source) + len(source) // 254 + 8)
    stop = code.cobs_encode(target, 2, source, end)
    assert target[stop - 1] == 0
    assert cobs.decode(bytes(target[2 : stop - 1])) == bytes(source)
    frame = bytearray(target[2 : stop - 1])
    length = code.cobs_decode(frame, len(frame))
    assert frame[:length] == source


@BOTH
@given(frame=st.binary(max_size=300))
def test_any_frame_is_read_as_the_host_reads_it_or_refused(code, frame: bytes) -> None:  # type: ignore[no-untyped-def]
    buffer = bytearray(frame)
    length = code.cobs_decode(buffer, len(buffer))
    expected = cobs.decode(frame)
    assert length == (-1 if expected is None else len(expected))
    if expected is not None:
        assert bytes(buffer[:length]) == expected


@BOTH
@given(payload=st.binary(min_size=5, max_size=60), at=st.integers(0, 59), mask=st.integers(1, 255))
def test_a_spoiled_byte_is_seen(code, payload: bytes, at: int, mask: int) -> None:  # type: ignore[no-untyped-def]
    buffer = bytearray(payload + bytes(4))
    end = code.crc_append(buffer, len(payload), code.CRC_TABLES)
    buffer[at % end] ^= mask
    assert code.crc_agrees(buffer, end, code.CRC_TABLES) == 0


@BOTH
@given(words=st.lists(st.integers(-(1 << 15), (1 << 15) - 1), max_size=50))
def test_words_go_out_low_byte_first(code, words: list[int]) -> None:  # type: ignore[no-untyped-def]
    target = bytearray(2 * len(words) + 3)
    assert code.put_words(target, 3, array("h", words), len(words)) == len(target)
    assert target[3:] == b"".join(word.to_bytes(2, "little", signed=True) for word in words)


@BOTH
@given(value=st.integers(0, (1 << 30) - 1))
def test_numbers_come_back(code, value: int) -> None:  # type: ignore[no-untyped-def]
    target = bytearray(8)
    assert code.put_u32(target, 1, value) == 5
    assert code.get_u30(target, 1) == value
    code.put_u16(target, 0, value)
    assert int.from_bytes(target[:2], "little") == value & 0xFFFF


MICROPYTHON_CHECK = """
import sys
sys.path.insert(0, sys.argv[1])
import codec, angles, sampling
from array import array
from stamp import Stamp
for line in sys.stdin:
    word, data = line.split()
    payload = bytes(int(data[i:i + 2], 16) for i in range(0, len(data), 2)) if data != "-" else b""
    source = bytearray(payload + bytes(4))
    end = codec.crc_append(source, len(payload), codec.CRC_TABLES)
    target = bytearray(2 * end + 8)
    stop = codec.cobs_encode(target, 0, source, end)
    print("".join("%02x" % byte for byte in target[:stop]))
for y, x in ((0, 1000), (1000, 0), (500, -500), (16384, 16384), (3, -16000)):
    print(angles.direction(y, x, angles.STEPS), angles.length(y, x))
words = array("I", [0b111, 0b111, 0b101, 0b101, 0b001])
counts = array("H", [9, 9, 9, 9])
sampling.decode(words, 5, bytes((0, 1, 2)), 3, counts, 1, 0b111)
print(list(counts))
frame = bytearray(4 + 2 * 2 * 3)
size = sampling.pack_link(frame, 2, 3, array("H", [1, 2, 300]), array("H", [4, 5, 60000]))
plain, driven = array("H", [0] * 4), array("H", [0] * 4)
print(sampling.unpack_link(frame, size, 3, plain, driven, 1), list(plain), list(driven))
deltas = array("h", [0] * 4)
sampling.subtract(deltas, plain, driven, 1, 3)
print(list(deltas))
"""


@needs_micropython
def test_micropythons_machine_code_gives_the_same_bytes_and_numbers(tmp_path: Path) -> None:
    payloads = [b"", b"\0", bytes(range(256)), bytes(range(1, 255)), bytes(range(1, 255)) + b"x", b"\xff" * 600]
    script = tmp_path / "check.py"
    script.write_text(MICROPYTHON_CHECK)
    program = tool("micropython")
    assert program is not None
    lines = "".join(f"frame {payload.hex() or '-'}\n" for payload in payloads)
    done = subprocess.run(
        [program, str(script), str(FIRMWARE)], input=lines, capture_output=True, text=True, timeout=30, check=True
    )
    printed = done.stdout.splitlines()
    expected = [
        (cobs.encode(payload + zlib.crc32(payload).to_bytes(4, "little")) + b"\0").hex() for payload in payloads
    ]
    assert printed[: len(payloads)] == expected
    angles, sampling = module("angles"), module("sampling")
    vectors = [(0, 1000), (1000, 0), (500, -500), (16384, 16384), (3, -16000)]
    assert printed[len(payloads) : len(payloads) + 5] == [
        f"{angles.direction(y, x, angles.STEPS)} {angles.length(y, x)}" for y, x in vectors
    ]
    counts = array("H", [9, 9, 9, 9])
    sampling.decode(array("I", [7, 7, 5, 5, 1]), 5, bytes((0, 1, 2)), 3, counts, 1, 7)
    assert list(counts) == [9, 5, 2, 4]
    assert printed[-3:] == [
        str(list(counts)),
        "1 [0, 1, 2, 300] [0, 4, 5, 60000]",
        "[0, 3, 3, -5836]",
    ]
