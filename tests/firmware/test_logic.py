"""Parts of the firmware's logic by themselves: stamps, window, angles, motion sensor, MPR121."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.totem import cobs
from tests.firmware.board import module

angles = module("angles")
WRAP = 1 << 30


@given(
    st.integers(0, WRAP - 1),
    st.lists(st.integers(0, WRAP // 2 - 1), max_size=60),
    st.integers(-(WRAP // 2) + 1, WRAP // 2 - 1),
)
def test_a_stamp_counts_the_wraps_of_its_counter(start: int, steps: list[int], away: int) -> None:
    stamp = module("stamp").Stamp(start)
    now = start
    for step in steps:
        now += step
        stamp.follow(now % WRAP)
    moment = now + away
    if moment < 0:
        return
    target = bytearray(8)
    stamp.put(target, 0, moment % WRAP)
    assert int.from_bytes(target, "little") == moment


def filled(outbox, frames: int) -> None:  # type: ignore[no-untyped-def]
    for number in range(frames):
        outbox.add(bytearray(number.to_bytes(2, "little") + b"abc"), 5)


def drained(outbox) -> list[int]:  # type: ignore[no-untyped-def]
    """Numbers in the frames that come out, in order."""
    block, data = bytearray(64), bytearray()
    while outbox.fill(block):
        data += block
    frames = [cobs.decode(bytes(frame)) for frame in data.split(b"\0") if frame]
    return [int.from_bytes(frame[:2], "little") for frame in frames if frame is not None]


def test_the_window_sends_in_order_and_only_when_told_to_stream() -> None:
    outbox = module("outbox").Outbox(16, 16 * 10)
    filled(outbox, 6)
    assert drained(outbox) == []
    outbox.stream_from(2)
    assert drained(outbox) == [2, 3, 4, 5]


def test_when_nobody_reads_the_oldest_frames_make_room() -> None:
    outbox = module("outbox").Outbox(16, 16 * 10)
    outbox.stream_from(0)
    filled(outbox, 25)
    assert outbox.pushed_out == 15
    assert outbox.oldest() == 15
    assert drained(outbox) == list(range(15, 25))


def test_what_is_in_the_window_can_be_sent_again_and_what_is_not_is_said() -> None:
    outbox = module("outbox").Outbox(16, 16 * 10)
    outbox.stream_from(0)
    filled(outbox, 25)
    drained(outbox)
    assert outbox.send_again(18, 3)
    assert drained(outbox) == [18, 19, 20]
    assert not outbox.send_again(14, 3)
    assert not outbox.send_again(25, 1)


def test_a_frame_that_is_pushed_out_while_half_sent_goes_out_whole() -> None:
    outbox = module("outbox").Outbox(200, 200 * 8)
    outbox.stream_from(0)
    outbox.add(bytearray(bytes([7] * 150)), 150)
    block = bytearray(64)
    outbox.fill(block)
    data = bytearray(block)
    for _ in range(20):
        outbox.add(bytearray(bytes([9] * 150)), 150)
    while outbox.fill(block):
        data += block
    assert cobs.decode(bytes(data.split(b"\0")[0])) == bytes([7] * 150)


def test_answers_go_before_frames_and_never_in_the_middle_of_one() -> None:
    outbox = module("outbox").Outbox(200, 200 * 8)
    outbox.stream_from(0)
    outbox.add(bytearray(bytes([1] * 100)), 100)
    outbox.add(bytearray(bytes([2] * 100)), 100)
    block = bytearray(64)
    outbox.fill(block)
    data = bytearray(block)
    outbox.reply(bytearray(b"\x03pong"), 5)
    while outbox.fill(block):
        data += block
    frames = [cobs.decode(bytes(frame)) for frame in data.split(b"\0") if frame]
    assert [frame[0] for frame in frames if frame] == [1, 3, 2]


def test_answers_that_nobody_reads_are_dropped_and_counted() -> None:
    outbox = module("outbox").Outbox(200, 200 * 8)
    for _ in range(100):
        outbox.reply(bytearray(40), 40)
    assert outbox.replies_dropped > 0


def test_everything_leaves_in_whole_blocks() -> None:
    outbox = module("outbox").Outbox(200, 200 * 64)
    outbox.stream_from(0)
    draw = random.Random(1)
    for _ in range(40):
        size = draw.randrange(5, 150)
        outbox.add(bytearray(size), size)
    block = bytearray(64)
    blocks = 0
    while outbox.fill(block):
        blocks += 1
        assert len(block) == 64
    assert blocks > 0


@given(st.integers(0, 32_767), st.integers(-32_768, 32_767))
def test_directions_are_right_to_a_tenth_of_a_degree(y: int, x: int) -> None:
    if math.hypot(x, y) < 2_000:
        return
    assert abs(angles.direction(y, x, angles.STEPS) / 100 - math.degrees(math.atan2(y, x))) < 0.1


@given(st.integers(-32_768, 32_767), st.integers(-32_768, 32_767))
def test_lengths_are_right_to_a_hundredth(x: int, y: int) -> None:
    if math.hypot(x, y) < 2_000:
        return
    assert angles.length(x, y) == pytest.approx(1.6468 * math.hypot(x, y), rel=0.01)


class FakeI2C:
    """Registers of an MPU-6050 and of MPR121 boards; `gone` is a wire that came off."""

    def __init__(self) -> None:
        self.gone = False
        self.acceleration = (0, 0, 16_384)
        self.turning = 0
        self.pads = {0x5A: [100] * 12, 0x5B: [900] * 12}
        self.written: list[tuple[int, int, bytes]] = []

    def writeto_mem(self, address: int, register: int, data: bytes) -> None:
        if self.gone:
            raise OSError(5)
        self.written.append((address, register, bytes(data)))

    def readfrom_mem_into(self, address: int, register: int, buffer: bytearray) -> None:
        if self.gone:
            raise OSError(5)
        if address == 0x68:
            words = [*self.acceleration, 0, 0, 0, self.turning]
            buffer[:] = b"".join(word.to_bytes(2, "big", signed=True) for word in words)
        else:
            buffer[:] = b"".join(word.to_bytes(2, "little") for word in self.pads[address])


@pytest.mark.parametrize("tilt", [0, 10, 44, 46, 90, 135, 180])
def test_the_motion_sensor_tells_the_tilt(tilt: int) -> None:
    i2c = FakeI2C()
    motion = module("motion").Motion(i2c, keyed=True)
    angle = math.radians(tilt)
    i2c.acceleration = (round(16_000 * math.sin(angle)), 0, round(16_000 * math.cos(angle)))
    motion.read(1000, True)
    assert motion.tilt_valid
    assert motion.tilt / 100 == pytest.approx(tilt, abs=0.2)


def test_the_motion_sensor_adds_up_the_turn_less_its_zero() -> None:
    i2c = FakeI2C()
    motion = module("motion").Motion(i2c, keyed=True)
    i2c.turning = 30
    now = 0
    for _ in range(4000):
        now += 5_000
        motion.read(now % WRAP, True)
    assert motion.yaw == 0
    i2c.turning = 30 + 655 * 9  # 90 degrees a second
    for _ in range(200):
        now += 5_000
        motion.read(now % WRAP, False)
    assert motion.yaw / 100 == pytest.approx(90, abs=1)
    for _ in range(300):
        now += 5_000
        motion.read(now % WRAP, False)
    # 225 degrees are -135.
    assert motion.yaw / 100 == pytest.approx(-135, abs=2)


def test_a_motion_sensor_that_comes_off_is_counted_and_tried_again() -> None:
    i2c = FakeI2C()
    motion = module("motion").Motion(i2c, keyed=True)
    motion.read(1000, True)
    i2c.gone = True
    motion.read(2000, True)
    assert not motion.tilt_valid
    assert motion.errors == 1
    i2c.gone = False
    for turn in range(300):
        motion.read(3000 + turn, True)
    assert motion.tilt_valid


def test_mpr121_readings_are_turned_round_so_that_touch_is_more() -> None:
    i2c = FakeI2C()
    pads = module("pads_mpr121").Mpr121Pads(i2c, (0x5A, 0x5B), lambda: 77)
    assert pads.scan()
    assert list(pads.counts) == [923] * 12 + [123] * 12
    assert pads.when == 77


def test_an_mpr121_that_does_not_answer_costs_the_scan_and_is_set_up_again() -> None:
    i2c = FakeI2C()
    pads = module("pads_mpr121").Mpr121Pads(i2c, (0x5A, 0x5B), lambda: 77)
    i2c.gone = True
    assert not pads.scan()
    assert pads.missed == 1
    i2c.gone = False
    i2c.written.clear()
    assert pads.scan()
    assert {address for address, _, _ in i2c.written} == {0x5A, 0x5B}
