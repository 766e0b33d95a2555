"""The talk of host and totem, wired back to back: order, holes, repeats, resets, and nothing twice."""

from __future__ import annotations

import random
import struct

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.totem import cobs, protocol
from referee.totem.messages import Fault, FromTotem, Health, Hello, Pause, ToTotem
from referee.totem.receiver import Receiver
from tests.totem_link.back_to_back import Pair, trace


def readings(pair: Pair) -> np.ndarray:
    return np.concatenate([batch.counts for batch in pair.got])


def lost(pair: Pair) -> int:
    return sum(batch.lost for batch in pair.got)


def test_an_undisturbed_line_gives_every_scan_once_on_the_table_clock() -> None:
    pair = Pair(trace(800, seats=2))
    pair.run(800)
    got = readings(pair)
    np.testing.assert_array_equal(got, pair.scans.counts[: len(got)])
    assert len(got) > 700
    t_us = np.concatenate([batch.t_us for batch in pair.got])
    np.testing.assert_allclose(t_us, pair.scans.t_us[: len(t_us)], atol=1500)
    assert lost(pair) == 0


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.0, 0.3))
def test_frames_lost_on_the_way_are_sent_again_and_come_in_order(seed: int, rate: float) -> None:
    draw = random.Random(seed)
    pair = Pair(trace(1200, rings=1, sectors=2))
    for step in range(1200):
        data = pair.step()
        if 300 < step < 1000:
            kept = [frame for frame in data.split(b"\0") if draw.random() >= rate]
            data = b"\0".join([b"", *kept, b""])
        pair.talk(data)
    got = readings(pair)
    assert lost(pair) == 0
    np.testing.assert_array_equal(got, pair.scans.counts[: len(got)])
    assert len(got) > 1100


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_whatever_the_line_does_no_scan_comes_twice_and_none_is_made_up(seed: int) -> None:
    draw = random.Random(seed)
    pair = Pair(trace(1500, rings=1, sectors=2, seed=3), window_bytes=600)
    held = b""
    for step in range(1500):
        data = held + pair.step()
        held = b""
        fate = draw.random() if step > 200 else 1.0
        if fate < 0.05:
            data = b""
        elif fate < 0.1:
            data, held = b"", data
        elif fate < 0.15:
            data = data + data
        elif fate < 0.2:
            data = draw.randbytes(40) + data
        elif fate < 0.25 and data:
            data = data[: draw.randrange(len(data))]
        if draw.random() < 0.004:
            pair.receiver.line_cut()
        pair.talk(data)
    got = readings(pair)
    where = {tuple(row): place for place, row in enumerate(pair.scans.counts)}
    places = [where[tuple(row)] for row in got]
    assert (np.diff(places) > 0).all()
    t_us = np.concatenate([batch.t_us for batch in pair.got])
    assert (np.diff(t_us) > 0).all()


def test_what_fell_out_of_the_window_is_counted_before_the_batch_that_follows_it() -> None:
    pair = Pair(trace(1200, rings=1, sectors=2), window_bytes=600)
    pair.run(400)
    before = sum(len(batch) for batch in pair.got)
    pair.port.open_ = False
    for _ in range(400):
        pair.step()
    pair.port.open_ = True
    pair.run(400)
    got = readings(pair)
    assert lost(pair) == pair.receiver.counters.scans_lost > 100
    after_hole = next(place for place, batch in enumerate(pair.got) if batch.lost)
    first = sum(len(batch) for batch in pair.got[:after_hole])
    np.testing.assert_array_equal(got[first], pair.scans.counts[first + lost(pair)])
    assert first >= before


def test_a_cut_line_goes_on_where_it_was() -> None:
    pair = Pair(trace(1500, rings=1, sectors=2))
    pair.run(500)
    for _ in range(100):
        pair.step()
    pair.receiver.line_cut()
    pair.run(600)
    got = readings(pair)
    np.testing.assert_array_equal(got, pair.scans.counts[: len(got)])
    assert lost(pair) == 0
    assert pair.receiver.counters.starts == 1


def test_a_totem_that_starts_anew_is_met_anew() -> None:
    first = Pair(trace(600, rings=1, sectors=2))
    first.run(400)
    second = Pair(trace(900, rings=1, sectors=2, seed=9), boot_id=b"\x05\x06\x07\x08")
    second.receiver = first.receiver
    second.now_us = first.now_us
    for _ in range(900):
        data = second.step()
        second.got += second.receiver.receive(data, second.now_us + first.now_us)
        second.port.to_totem += second.receiver.to_send(second.now_us + first.now_us)
    assert first.receiver.counters.starts == 2
    assert {batch.boot_id for batch in second.got} == {0x08070605}
    got = readings(second)
    np.testing.assert_array_equal(got, second.scans.counts[: len(got)])
    assert second.got[0].t_us[0] > first.got[-1].t_us[-1]


def test_a_silent_totem_is_asked_again_and_again_but_not_without_end() -> None:
    receiver = Receiver()
    sent = b"".join(receiver.to_send(now_us) for now_us in range(0, 10_000_000, 10_000))
    assert sent.count(protocol.ask_hello()) == len(sent) // len(protocol.ask_hello()) == 50


def test_what_is_said_besides_scans_can_be_taken_once() -> None:
    pair = Pair(trace(1200, rings=1, sectors=2))
    pair.run(400)
    pair.port.to_totem += protocol.collect()
    pair.run(700)
    said = pair.receiver.take_notices()
    assert [type(word) for word in said if not isinstance(word, Health)] == [Hello, Pause]
    assert pair.receiver.take_notices() == []


def test_faults_are_reported_and_do_not_pile_up() -> None:
    pair = Pair(trace(800, rings=1, sectors=2))
    pair.run(400)
    for _ in range(1000):
        pair.receiver.receive(b"rubbish\0", pair.now_us)
    said = pair.receiver.take_notices()
    assert len(said) <= 256
    assert all(isinstance(word, Fault) for word in said[1:])
    assert pair.receiver.counters.faults == 1000


def test_a_totem_whose_clock_cannot_be_followed_gives_no_times_and_is_known_for_it() -> None:
    pair = Pair(trace(100, rings=1, sectors=2))
    pair.run(4)
    receiver, now_us = pair.receiver, pair.now_us
    for _ in range(12):
        now_us += 20_000
        for frame in receiver.to_send(now_us).split(b"\0"):
            payload = cobs.decode(frame) or b""
            if payload[:1] == bytes([ToTotem.PING]):
                # It says that it thought for a second about a ping that took two milliseconds.
                body = bytes([FromTotem.PONG]) + payload[1:5] + struct.pack("<QQ", 0, 1_000_000)
                assert receiver.receive(protocol._frame(body), now_us + 2_000) == []
    assert receiver.problem is not None
    assert "at another pace" in receiver.problem


def test_a_totem_of_another_version_is_named_until_it_speaks_ours() -> None:
    pair = Pair(trace(100, rings=1, sectors=2))
    pair.port.to_totem += protocol.ask_hello()
    hello = next(frame for frame in pair.step().split(b"\0") if frame)
    payload = bytearray(cobs.decode(hello) or b"")
    payload[1] = 9
    receiver = Receiver()
    receiver.receive(protocol._frame(bytes(payload[:-4])), 1000)
    assert receiver.problem is not None
    assert "another version" in receiver.problem
    receiver.receive(hello + b"\0", 2000)
    assert receiver.problem is None
