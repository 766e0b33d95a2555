"""Lines at the limit of nesting: read, or refused in one sentence."""

from __future__ import annotations

import io

import pytest

from referee.errors import RecordError
from referee.record import NESTING_LIMIT, Record, read_records, write_record

HEADER = b'{"record":"referee/1","game":"jungle-speed","players":["Ana","Bilal","Driss"]}\n'


def event_nested(levels: int, opening: bytes, closing: bytes) -> bytes:
    """An event whose extra key holds so many levels inside the event's own."""
    return b'{"t_us":1,"event":"end","note":"a:b","extra":' + opening * levels + b"1" + closing * levels + b"}\n"


def read(line: bytes) -> Record:
    (record,) = read_records(io.BytesIO(HEADER + line), "game.jsonl")
    return record


@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}"), (b'[{"a":', b"}]")])
def test_nesting_up_to_the_limit_is_kept_and_written_again(opening: bytes, closing: bytes) -> None:
    record = read(event_nested((NESTING_LIMIT - 1) // len(closing), opening, closing))
    written = io.BytesIO()
    write_record(written, record)
    written.seek(0)
    assert list(read_records(written, "again.jsonl")) == [record]


@pytest.mark.parametrize("levels", [NESTING_LIMIT, 600, 1000, 1020, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_deeper_nesting_is_refused_in_one_sentence(levels: int, opening: bytes, closing: bytes) -> None:
    with pytest.raises(RecordError, match=r"game\.jsonl, line 2: .*(nested deeper than|depth limit exceeded)"):
        read(event_nested(levels, opening, closing))


def test_a_key_twice_at_the_bottom_of_the_nesting_is_found() -> None:
    line = event_nested(NESTING_LIMIT // 2, b'{"a":', b"}").replace(b"1}", b'{"q":1,"q":2}}', 1)
    with pytest.raises(RecordError, match="line 2, q: the key stands twice"):
        read(line)
