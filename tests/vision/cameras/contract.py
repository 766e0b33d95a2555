"""What every source of frames must keep: one class of tests, run for each of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
import pytest

from referee.health import Freshness
from referee.vision.camera import Frame, FrameSource


def take(source: FrameSource, count: int, seconds: float = 20.0) -> list[Frame]:
    """Poll until so many frames have come, or the time is over."""
    taken: list[Frame] = []
    end_s = time.monotonic() + seconds
    while len(taken) < count and time.monotonic() < end_s and not source.ended:
        frame = source.poll(0.05)
        if frame is not None:
            taken.append(frame)
    return taken


def until(true: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Wait for something to become true."""
    end_s = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end_s:
            return False
        time.sleep(0.01)
    return True


class SourceContract:
    """Tests for one kind of source; a subclass gives the fixture `source`, good for 8 frames at least."""

    @pytest.fixture
    def source(self) -> Iterator[FrameSource]:
        raise NotImplementedError

    def test_frames_come_in_order_and_their_times_never_go_back(self, source: FrameSource) -> None:
        frames = take(source, 8)
        assert len(frames) == 8
        assert all(b.number > a.number for a, b in pairwise(frames))
        assert all(b.t_us >= a.t_us for a, b in pairwise(frames))

    def test_pictures_are_whole_colour_pictures_of_the_size_it_says(self, source: FrameSource) -> None:
        for frame in take(source, 4):
            assert frame.picture.shape == (source.height, source.width, 3)
            assert frame.picture.dtype == np.uint8

    def test_a_picture_cannot_be_written_to(self, source: FrameSource) -> None:
        picture = take(source, 1)[0].picture
        with pytest.raises(ValueError, match="read-only"):
            picture[0, 0, 0] = 1

    def test_a_picture_stays_as_it_was_when_later_ones_come(self, source: FrameSource) -> None:
        first = take(source, 1)[0]
        kept = first.picture.copy()
        take(source, 7)
        np.testing.assert_array_equal(first.picture, kept)

    def test_health_is_fresh_while_frames_come_and_counts_them(self, source: FrameSource) -> None:
        take(source, 3)
        health = source.health()
        assert health.freshness is Freshness.FRESH
        assert health.problem is None
        assert health.frames == 3
        assert health.age_us is not None

    def test_a_gap_in_the_numbers_is_what_was_dropped(self, source: FrameSource) -> None:
        first, *_, last = take(source, 8)
        assert source.health().dropped == last.number - first.number - 7

    def test_a_closed_source_gives_nothing_and_may_be_closed_twice(self, source: FrameSource) -> None:
        take(source, 2)
        source.close()
        source.close()
        assert source.ended
        assert source.poll(0.05) is None
        assert list(source.frames()) == []
        assert source.health().freshness is Freshness.LOST

    def test_it_has_a_name_a_person_can_read_and_a_rate(self, source: FrameSource) -> None:
        assert source.name.strip()
        assert source.fps > 0
