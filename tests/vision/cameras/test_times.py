"""Times files, good and bad."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import PictureError
from referee.vision.cameras.times import LARGEST_US, read_times


@given(st.lists(st.integers(-LARGEST_US, LARGEST_US), min_size=1, max_size=50))
def test_times_that_do_not_go_back_are_read_as_they_stand(
    tmp_path_factory: pytest.TempPathFactory, times: list[int]
) -> None:
    path = tmp_path_factory.mktemp("times") / "t.txt"
    path.write_text("\n".join(map(str, sorted(times))))
    assert read_times(path).tolist() == sorted(times)


@given(st.binary(max_size=200))
def test_anything_else_is_one_sentence(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("times") / "t.txt"
    path.write_bytes(content)
    said = None
    try:
        count = len(read_times(path))
    except PictureError as error:
        said = str(error)
    if said is None:
        assert count >= 1
    else:
        assert said.startswith(str(path))
        assert "\n" not in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("1\n2\nthree\n", "line 3: expected a whole number of microseconds, found 'three'"),
        ("1\n\n2\n", "line 2: expected a whole number of microseconds, found ''"),
        ("1\n2.5\n", "line 2: expected a whole number"),
        ("5\n4\n", "line 2: 4 follows 5, expected times that do not go back"),
        ("99999999999999999999\n", "line 1: expected a whole number"),
        ("1 2\n", "line 1: expected a whole number"),
        ("٣\n", "line 1: expected a whole number"),
        ("x" * 100, "found 'xxxxxxxxxxxxxxxxxxxxxxxx…'"),
    ],
)
def test_a_wrong_line_is_named(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text(text)
    with pytest.raises(PictureError) as caught:
        read_times(path)
    assert said in str(caught.value)


def test_a_byte_order_mark_and_windows_line_ends_are_no_matter(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_bytes(b"\xef\xbb\xbf1\r\n2\r\n2\r\n")
    assert read_times(path).tolist() == [1, 2, 2]


def test_a_file_that_is_not_there_or_is_a_folder_says_so(tmp_path: Path) -> None:
    with pytest.raises(PictureError, match="there is no such file of frame times"):
        read_times(tmp_path / "none.txt")
    with pytest.raises(PictureError, match="cannot be read, expected a text file"):
        read_times(tmp_path)
