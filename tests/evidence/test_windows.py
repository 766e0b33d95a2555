"""Which stretches are kept together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from referee.evidence.rings import FrameRing, KeptFrame
from referee.evidence.windows import LONGEST_US, SETTLES_US, Mark, Wanted, Windows

SECOND = 1_000_000


def wanted(from_s: float, to_s: float, place: int = 0) -> Wanted:
    mark = Mark(round((from_s + to_s) / 2 * SECOND), "contact", "Ana", place)
    return Wanted(round(from_s * SECOND), round(to_s * SECOND), (place,), (mark,))


def test_stretches_that_overlap_are_kept_as_one_with_all_their_rulings() -> None:
    windows = Windows()
    windows.add(1, wanted(0, 6, 0))
    windows.add(2, wanted(4, 10, 3))
    (window,) = windows.over(12 * SECOND, 12 * SECOND)
    assert (window.keys, window.wanted.places) == ((1, 2), (0, 3))
    assert (window.wanted.from_us, window.wanted.to_us) == (0, 10 * SECOND)
    assert len(window.wanted.marks) == 2


def test_a_window_is_over_when_a_frame_has_passed_its_end_by_a_little() -> None:
    windows = Windows()
    windows.add(1, wanted(0, 6))
    end = 6 * SECOND + SETTLES_US
    assert windows.over(end - 1, end) == []
    assert len(windows.over(end, end)) == 1
    assert windows.hold_us is None


def test_a_camera_that_went_silent_holds_no_window_open_for_long() -> None:
    windows = Windows()
    windows.add(1, wanted(0, 6))
    assert windows.over(3 * SECOND, 6 * SECOND + SETTLES_US) == []
    assert len(windows.over(3 * SECOND, 7 * SECOND + SETTLES_US)) == 1


def test_a_ruling_given_again_soon_after_is_kept_in_the_same_window() -> None:
    windows = Windows()
    windows.add(1, wanted(0, 6, 1))
    assert windows.over(7 * SECOND, 7 * SECOND) == []
    windows.add(2, wanted(0, 6, 3))
    (window,) = windows.over(8 * SECOND, 8 * SECOND)
    assert window.wanted.places == (1, 3)


@given(st.lists(st.tuples(st.integers(0, 90), st.integers(1, 8)), max_size=12))
def test_every_wish_is_in_one_window_that_holds_it_and_is_not_too_long(asked: list[tuple[int, int]]) -> None:
    windows = Windows()
    for key, (begin, length) in enumerate(asked):
        windows.add(key, wanted(begin, begin + length, key))
    found = windows.rest()
    assert sorted(key for window in found for key in window.keys) == list(range(len(asked)))
    for window in found:
        assert window.wanted.to_us - window.wanted.from_us <= LONGEST_US
        for key in window.keys:
            begin, length = asked[key]
            assert window.wanted.from_us <= begin * SECOND
            assert window.wanted.to_us >= (begin + length) * SECOND


@given(st.lists(st.integers(1, 400), max_size=60), st.integers(1, 40))
def test_a_ring_is_never_larger_than_its_bytes_whatever_is_held(sizes: list[int], span: int) -> None:
    ring = FrameRing(span_us=span * 1000, most_bytes=1000)
    for number, size in enumerate(sizes):
        ring.add(KeptFrame(number, number * 1000, None, b"x" * size), hold_us=0 if number % 2 else None)
        kept = ring.between(0, number * 1000)
        assert ring.bytes == sum(len(frame.jpeg) for frame in kept)
        assert ring.bytes <= 1000
        assert kept[-1].number == number


def test_a_ring_forgets_what_is_older_than_its_span_but_for_what_is_held() -> None:
    ring = FrameRing(span_us=10_000)
    for number in range(30):
        ring.add(KeptFrame(number, number * 1000, None, b"x"), hold_us=5_000 if number < 25 else None)
        if number == 24:
            assert ring.between(0, 5_000)[0].t_us == 5_000
    assert ring.between(0, 30_000)[0].t_us == 19_000
