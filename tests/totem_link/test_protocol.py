"""Bytes to messages: what a totem says is what the host reads; anything else is a fault and nothing more."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.totem import cobs, protocol
from referee.totem.messages import Cause, Fault, Health, Hello, Message, Scans, after, distance
from tests.totem_link.back_to_back import Pair, trace

ANSWERS = Message


def said_by_a_totem(scans: int = 40, seats: int = 2, batch: int = 4) -> bytes:
    """Hello, then a stream, as the firmware sends it."""
    pair = Pair(trace(scans, seats=seats), batch=batch)
    pair.port.to_totem += protocol.ask_hello() + protocol.stream(True) + protocol.ask_health()
    return b"".join(pair.step() for _ in range(scans))


def read(data: bytes) -> list[Message | Fault]:
    return protocol.Decoder().feed(data)


@pytest.mark.parametrize("seats", [0, 3])
def test_what_the_firmware_sends_is_read_back_exactly(seats: int) -> None:
    scans = trace(64, seats=seats)
    pair = Pair(scans)
    pair.port.to_totem += protocol.ask_hello() + protocol.stream(True)
    messages = read(b"".join(pair.step() for _ in range(64)))
    assert isinstance(messages[0], Hello)
    assert messages[0].layout == scans.layout
    batches = [message.batch for message in messages if isinstance(message, Scans)]
    assert sum(len(batch) for batch in batches) == 64
    for name in ("t_us", "counts", "tilt_deg", "yaw_deg", "seated", "seat_index", "seat_delta"):
        sent = getattr(scans, name)
        if sent is None:
            assert all(getattr(batch, name) is None for batch in batches)
        else:
            came = np.concatenate([getattr(batch, name) for batch in batches])
            np.testing.assert_array_equal(came, sent, err_msg=name)


@given(st.binary(max_size=700))
def test_cobs_gives_back_what_went_in_without_any_zero(payload: bytes) -> None:
    frame = cobs.encode(payload)
    assert 0 not in frame
    assert len(frame) <= len(payload) + 1 + len(payload) // 254
    assert cobs.decode(frame) == payload


@given(st.lists(st.binary(max_size=300), max_size=8))
def test_any_bytes_give_messages_or_faults_and_never_anything_else(pieces: list[bytes]) -> None:
    decoder = protocol.Decoder()
    for piece in pieces:
        for found in decoder.feed(piece):
            assert isinstance(found, ANSWERS | Fault)
        assert decoder.buffered <= protocol.MAX_FRAME


@given(st.integers(min_value=1, max_value=9), st.binary(max_size=200))
def test_any_body_with_a_right_checksum_gives_a_message_or_a_fault(kind: int, body: bytes) -> None:
    decoder = protocol.Decoder()
    decoder.feed(said_once)
    for found in decoder.feed(protocol._frame(bytes([kind]) + body)):
        assert isinstance(found, ANSWERS | Fault)


said_once = said_by_a_totem()


@settings(max_examples=200)
@given(
    st.lists(
        st.tuples(st.integers(min_value=0, max_value=len(said_once) - 1), st.integers(min_value=1, max_value=255)),
        max_size=20,
    )
)
def test_spoiled_bytes_never_give_readings_that_were_not_sent(changes: list[tuple[int, int]]) -> None:
    spoiled = bytearray(said_once)
    for at, mask in changes:
        spoiled[at] ^= mask
    sent = {m.sequence: m for m in read(said_once) if isinstance(m, Scans)}
    for found in read(bytes(spoiled)):
        if isinstance(found, Scans):
            np.testing.assert_array_equal(found.batch.counts, sent[found.sequence].batch.counts)


def test_bytes_may_come_in_any_portions() -> None:
    whole = read(said_once)
    decoder = protocol.Decoder()
    piecewise = [found for byte in said_once for found in decoder.feed(bytes([byte]))]
    assert [type(found) for found in piecewise] == [type(found) for found in whole]


def test_a_frame_that_never_ends_costs_one_fault_and_a_bounded_buffer() -> None:
    decoder = protocol.Decoder()
    decoder.feed(said_once)
    faults = []
    for _ in range(100):
        faults += decoder.feed(b"\x05" * 1000)
        assert decoder.buffered <= protocol.MAX_FRAME
    assert faults == [Fault(Cause.TOO_LONG)]
    assert isinstance(decoder.feed(b"\x00" + said_once)[0], Hello)


def test_bit_errors_at_one_in_ten_thousand_lose_only_the_frames_they_hit() -> None:
    data = said_by_a_totem(scans=2000, seats=2)
    draw = random.Random(1)
    spoiled = bytearray(data)
    frames = data.split(b"\x00")
    starts = np.cumsum([0] + [len(frame) + 1 for frame in frames])
    hit: set[int] = set()
    for bit in range(8 * len(data)):
        if draw.random() < 1e-4:
            spoiled[bit // 8] ^= 1 << (bit % 8)
            frame = int(np.searchsorted(starts, bit // 8, side="right")) - 1
            # A delimiter that is hit joins two frames; both are hit.
            hit |= {frame, frame + 1} if bit // 8 == starts[frame + 1] - 1 else {frame}
    # The hello stays whole: without it nothing can be read, and the host asks for it until it comes.
    hello_end = starts[1 + next(i for i, frame in enumerate(frames) if frame)]
    spoiled[:hello_end] = data[:hello_end]
    before = {m.sequence for m in read(data) if isinstance(m, Scans)}
    after_ = {m.sequence for m in read(bytes(spoiled)) if isinstance(m, Scans)}
    scans_hit = [
        message.sequence
        for number, frame in enumerate(frames)
        if number in hit and frame
        for message in protocol_messages(data, frame)
    ]
    assert len(scans_hit) > 20
    assert before - after_ <= set(scans_hit)


def protocol_messages(data: bytes, frame: bytes) -> list[Scans]:
    """The scans in one frame of `data`."""
    decoder = protocol.Decoder()
    decoder.feed(said_once)
    return [m for m in decoder.feed(b"\x00" + frame + b"\x00") if isinstance(m, Scans)]


def test_scans_before_a_hello_are_a_fault_that_says_so() -> None:
    hello_end = said_once.index(b"\x00", 1) + 1
    while not any(isinstance(m, Hello) for m in read(said_once[:hello_end])):
        hello_end = said_once.index(b"\x00", hello_end) + 1
    causes = {m.cause for m in read(said_once[hello_end:]) if isinstance(m, Fault)}
    assert causes == {Cause.NO_HELLO}


def test_scans_of_another_start_are_not_taken_for_scans_of_this_one() -> None:
    other = Pair(trace(40, seats=2), boot_id=b"\x09\x02\x03\x04")
    other.port.to_totem += protocol.stream(True)
    stream = b"".join(other.step() for _ in range(40))
    found = read(said_once + stream)
    assert Fault(Cause.OTHER_START) in found
    assert sum(isinstance(m, Scans) for m in found) == sum(isinstance(m, Scans) for m in read(said_once))


def test_another_version_of_the_protocol_is_named_and_refused() -> None:
    (hello,) = [f for f in said_once.split(b"\x00") if f and isinstance(read(f + b"\x00")[0], Hello)]
    payload = cobs.decode(hello)
    assert payload is not None
    (found,) = read(protocol._frame(payload[:1] + b"\x07" + payload[2:-4]))
    assert isinstance(found, Fault)
    assert found.cause is Cause.VERSION


def test_the_totem_counts_what_it_did_not_understand() -> None:
    pair = Pair(trace(40))
    broken = bytearray(protocol.ping(1))
    broken[3] ^= 0x40
    pair.port.to_totem += bytes(broken) + b"\x55" * 100 + b"\x00" + protocol.ask_health()
    data = b"".join(pair.step() for _ in range(40))
    (health,) = [m for m in read(data) if isinstance(m, Health)]
    assert health.bad_commands == 2


def test_an_unknown_command_is_refused_by_name() -> None:
    pair = Pair(trace(8))
    pair.port.to_totem += protocol._frame(b"\x9f") + protocol._frame(b"\x82")
    found = read(b"".join(pair.step() for _ in range(8)))
    assert [(m.kind, m.reason) for m in found if hasattr(m, "reason")] == [(0x9F, 1), (0x82, 2)]


@given(st.integers(0, (1 << 30) - 1), st.integers(-1000, 1000))
def test_frame_numbers_are_compared_across_their_wrap(sequence: int, steps: int) -> None:
    assert distance(after(sequence, steps), sequence) == steps
