"""The ring of pictures: order, overflow, death of a side."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.sim.camera_devices import number_in, numbered_picture
from referee.vision.cameras import ring as ring_module
from referee.vision.cameras.devices import Shot
from referee.vision.cameras.ring import Ring, RingError, Taken
from referee.vision.cameras.stamps import Exposure

CONTEXT = multiprocessing.get_context("spawn")
WIDTH, HEIGHT = 48, 8


def shot(number: int) -> Shot:
    """A picture that carries its number."""
    return Shot(numbered_picture(number, WIDTH, HEIGHT), Exposure(1000 * number, number if number % 2 else None, 7))


def drain(ring: Ring) -> list[Taken]:
    """Everything the ring holds."""
    taken = []
    while (one := ring.take()) is not None:
        taken.append(one)
    return taken


@pytest.fixture
def ring() -> Iterator[Ring]:
    made = Ring.create(CONTEXT, WIDTH * HEIGHT * 3, slots=5)
    yield made
    made.close()


def test_pictures_come_out_as_they_went_in(ring: Ring) -> None:
    for number in range(3):
        ring.put(number, shot(number))
    for number, taken in enumerate(drain(ring)):
        assert taken.number == number
        assert taken.shot.exposure == shot(number).exposure
        np.testing.assert_array_equal(taken.shot.picture, shot(number).picture)


def test_a_reader_who_hiccups_loses_nothing(ring: Ring) -> None:
    for number in range(5):
        ring.put(number, shot(number))
    assert [taken.number for taken in drain(ring)] == [0, 1, 2, 3, 4]


def test_on_overflow_the_newest_frame_wins(ring: Ring) -> None:
    for number in range(12):
        ring.put(number, shot(number))
    assert [taken.number for taken in drain(ring)] == [11]
    ring.put(12, shot(12))
    ring.put(13, shot(13))
    assert [taken.number for taken in drain(ring)] == [12, 13]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 9), max_size=30))
def test_whatever_the_pace_order_is_kept_and_the_newest_is_never_lost(bursts: list[int]) -> None:
    ring = Ring.create(CONTEXT, WIDTH * HEIGHT * 3, slots=3)
    try:
        seen, number = [], 0
        for burst in bursts:
            for _ in range(burst):
                ring.put(number, shot(number))
                number += 1
            taken = ring.take()
            if taken is not None:
                assert number_in(taken.shot.picture) == taken.number
                seen.append(taken.number)
        seen += [taken.number for taken in drain(ring)]
        assert seen == sorted(set(seen))
        assert not number or seen[-1] == number - 1
    finally:
        ring.close()


def test_a_smaller_picture_fits_and_keeps_its_shape(ring: Ring) -> None:
    ring.put(0, Shot(numbered_picture(0, 30, 5), Exposure(0, None, 0)))
    taken = ring.take()
    assert taken is not None
    assert taken.shot.picture.shape == (5, 30, 3)


def test_what_the_writer_says_is_heard_and_a_new_picture_ends_a_complaint(ring: Ring) -> None:
    assert ring.state().newest_us is None
    ring.say(fps=29.5, problem="ça coince")
    assert (ring.state().fps, ring.state().problem) == (29.5, "ça coince")
    ring.put(0, shot(4))
    assert ring.state().problem is None
    assert ring.state().newest_us == 4000
    ring.say(problem="x" * 5000)
    assert len(ring.state().problem or "") > 100


def test_a_side_that_died_with_the_lock_does_not_stop_the_other(ring: Ring, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ring_module, "LOCK_LIMIT_S", 0.01)
    ring.place.lock.acquire()
    with pytest.raises(RingError, match="died while it wrote"):
        ring.take()
    with pytest.raises(RingError):
        ring.state()
    ring.place.lock.release()


def test_a_ring_of_two_slots_is_refused() -> None:
    with pytest.raises(ValueError, match="three slots"):
        Ring.create(CONTEXT, 10, slots=2)


def test_a_ring_may_be_closed_twice_and_leaves_no_memory_behind() -> None:
    ring = Ring.create(CONTEXT, 100)
    other = Ring.join(ring.place)
    other.close()
    ring.close()
    ring.close()
    with pytest.raises(FileNotFoundError):
        Ring.join(ring.place)
