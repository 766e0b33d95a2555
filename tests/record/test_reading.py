"""Reading records: what is accepted, and every defect in one sentence."""

from __future__ import annotations

import io
import json
import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import RecordError
from referee.record import (
    LINE_LIMIT_BYTES,
    DefectiveFileError,
    Record,
    find_defects,
    read_records,
    write_record,
)
from referee.sim.games import play

HEADER = b'{"record":"referee/1","game":"jungle-speed","players":["Ana","Bilal","Chlo\xc3\xa9"]}\n'
FLIP = b'{"t_us":1,"event":"flip","player":"Ana","card":"knot/green"}\n'


def read(data: bytes) -> list[Record]:
    return list(read_records(io.BytesIO(data), "game.jsonl"))


def defects(data: bytes) -> list[str]:
    return [str(defect) for defect in find_defects(io.BytesIO(data))]


def why_refused(data: bytes) -> str:
    """What a strict reading says; empty when it reads the file."""
    try:
        read(data)
    except RecordError as error:
        return str(error)
    return ""


def with_event(**keys: Any) -> bytes:
    return HEADER + json.dumps({"t_us": 1, **keys}).encode() + b"\n"


def test_a_record_is_read_with_its_events_in_order_and_unknown_keys_kept() -> None:
    (record,) = read(HEADER + FLIP.replace(b"}", b',"mood":"good"}') + b"\n" + FLIP)
    assert [event["card"] for event in record.events] == ["knot/green", "knot/green"]
    assert record.events[0]["mood"] == "good"
    assert record.lines is record.events


def test_kept_rulings_stand_among_the_lines_and_are_no_events() -> None:
    ruling = b'{"t_us":1,"ruling":"duel","players":["Ana","Bilal"],"by":"shape"}\n'
    (record,) = read(HEADER + FLIP + ruling + FLIP)
    assert len(record.events) == 2
    assert [ruling["ruling"] for ruling in record.rulings] == ["duel"]
    assert [("ruling" in line) for line in record.lines] == [False, True, False]


def test_a_kept_rejection_is_a_ruling_though_it_names_its_event() -> None:
    rejected = b'{"t_us":1,"ruling":"rejected","event":0,"why":"Ana is out","clauses":[],"public":true}\n'
    (record,) = read(HEADER + FLIP + rejected)
    assert [len(record.events), len(record.lines)] == [1, 2]
    assert record.rulings[0]["event"] == 0


def test_several_records_in_one_file_are_read_one_at_a_time() -> None:
    records = read_records(io.BytesIO((HEADER + FLIP) * 2 + HEADER), "x")
    assert [len(record.events) for record in records] == [1, 1, 0]


def test_a_mark_at_the_start_of_the_file_is_no_defect() -> None:
    assert len(read(b"\xef\xbb\xbf" + HEADER)) == 1


@pytest.mark.parametrize("seed", range(4))
def test_a_game_written_and_read_again_is_the_same(seed: int) -> None:
    record = play(seed, ["Ana", "Bilal", "Chloé"], most_events=80)
    stream = io.BytesIO()
    write_record(stream, record)
    (again,) = read(stream.getvalue())
    assert (again.header, again.events) == (record.header, record.events)
    twice = io.BytesIO()
    write_record(twice, again)
    assert twice.getvalue() == stream.getvalue()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "line 1: the file is empty; expected a header"),
        (b"\n\n", "line 1: the file is empty; expected a header"),
        (FLIP, 'line 1: an event before any header; expected a header with "record"'),
        (HEADER + b"[1]\n", "line 2: expected a JSON object, found a list"),
        (HEADER + b"7\n", "line 2: expected a JSON object, found a whole number"),
        (HEADER + b"null\n", "line 2: expected a JSON object, found null"),
        (HEADER + b"true\n", "line 2: expected a JSON object, found true or false"),
        (HEADER + b"1.5\n", "line 2: expected a JSON object, found a number"),
        (HEADER + b'"x"\n', "line 2: expected a JSON object, found a text"),
        (HEADER + b'{"t_us":1}\n', 'line 2: neither "event" nor "ruling" nor "record" is there'),
        (HEADER + b'{"t_us":NaN,"event":"end"}\n', "line 2: NaN is not a JSON number"),
        (HEADER + b'{"t_us":-Infinity,"event":"end"}\n', "line 2: -Infinity is not a JSON number"),
        (HEADER + b'{"t_us":1,"event":"end","t_us":2}\n', "line 2, t_us: the key stands twice in one object"),
        (HEADER + b'{"t_us":1,"event":"end","x":[{"a:":1,"a:":1}]}\n', "line 2, a:: the key stands twice"),
        (HEADER + b'{"t_us":1,"event":"end"', "line 2: the line breaks off (column 24), as when power fails"),
        (HEADER + '{"t_us":1,"event":"end","x":"Chloé"'.encode(), "line 2: the line breaks off (column 36), as when"),
        (HEADER + b'{"t_us":1,"event":"\\ud800"}\n', "line 2: not a JSON object"),
        (HEADER + b'{"x":' + b"[" * 5000 + b"\n", "line 2: not a JSON object"),
        (HEADER + b"\x00\x01\n", "line 2: not UTF-8 text (it looks like UTF-16 or binary data)"),
        (HEADER + b'{"t_us":1,"event":"\xff"}\n', "line 2: not UTF-8 text (byte 20); expected JSON Lines in UTF-8"),
        (HEADER.decode().encode("utf-16"), "line 1: not UTF-8 text (it looks like UTF-16 or binary data)"),
        (HEADER + b"{" + b" " * LINE_LIMIT_BYTES + b"}\n" + FLIP, f"line 2: longer than {LINE_LIMIT_BYTES} bytes"),
        (HEADER + b'{"event":"end"}\n', "line 2, t_us: missing"),
        (HEADER + b'{"t_us":true,"event":"end"}\n', "line 2, t_us: expected a whole number of microsec"),
        (HEADER + b'{"t_us":1.5,"event":"end"}\n', "line 2, t_us: expected a whole number of microseconds"),
        (HEADER + b'{"t_us":1e400,"event":"end"}\n', "line 2"),
        (HEADER + b'{"t_us":9007199254740993,"event":"end"}\n', "line 2, t_us: expected a whole number of micro"),
        (HEADER + b'{"t_us":1,"event":7}\n', "line 2, event: expected a text, found a whole number"),
        (HEADER + b'{"t_us":1,"event":"flip","player":"Ana"}\n', "line 2, card: missing"),
        (with_event(event="flip", player=None, card="x/y"), "line 2, player: expected a text, found null"),
        (with_event(event="flip", player="Ana", card="x/y", between=[1]), "line 2, between: expected a list of two"),
        (with_event(event="flip", player="Ana", card="x/y", confidence=2), "line 2, confidence: expected a number"),
        (with_event(event="flip", player="Ana", card="x/y", evidence=[1]), "line 2, evidence: expected a list of"),
        (with_event(event="grab", hands={}), "line 2, hands: expected a list of hands, found an object"),
        (with_event(event="grab", hands=[{"player": "Ana"}]), "line 2, hands[0].t_us: missing"),
        (
            with_event(event="grab", hands=[{"player": "Ana", "t_us": 1, "fingers": "3", "lowest_mm": 1}]),
            "line 2, hands[0].fingers: expected a number or [low, high], found a text",
        ),
        (
            with_event(event="grab", hands=[{"player": "Ana", "t_us": 1, "fingers": 3, "lowest_mm": [1]}]),
            "line 2, hands[0].lowest_mm: expected a number or [low, high], found a list",
        ),
        (
            with_event(event="grab", hands=[{"player": 1, "t_us": 1, "fingers": 3, "lowest_mm": 1}]),
            "line 2, hands[0].player: expected a text or null",
        ),
        (
            with_event(event="grab", hands=[{"player": "A", "t_us": 1, "fingers": 3, "lowest_mm": 1, "grip": 1}]),
            "line 2, hands[0].grip: expected true or false",
        ),
        (with_event(event="grab", hands=[], fell=7), "line 2, fell: expected an object"),
        (with_event(event="grab", hands=[], fell={"t_us": 1}), "line 2, fell.player: missing"),
        (with_event(event="grab", hands=[], fell={}), "line 2, fell.t_us: missing"),
        (with_event(event="grab", hands=[{}]), "line 2, hands[0].player: missing"),
        (with_event(event="share", player="Ana", shares={"B": 1.5}), "line 2, shares: expected an object of names"),
        (with_event(event="recount", reserve={"Ana": 1001}), "line 2, reserve: expected at most 1000 cards"),
        (with_event(event="correct"), "line 2, ref: missing (or before)"),
        (with_event(event="correct", ref=0), "line 2, with: missing; expected the right event, or null"),
        (with_event(event="correct", ref=0, **{"with": 7}), "line 2, with: expected an event or null, found a whole"),
        (with_event(event="correct", ref=0, **{"with": {"event": "flip"}}), "line 2, with.player: missing"),
        (with_event(event="correct", ref="0", **{"with": None}), "line 2, ref: expected a whole number"),
        (b'{"record":"referee/2"}\n', 'line 1, record: expected "referee/1"'),
        (b'{"record":"referee/1","game":"go","players":[]}\n', "line 1, game: expected one of jungle-speed"),
        (b'{"record":"referee/1","game":"speed"}\n', "line 1, players: missing"),
        (b'{"record":"referee/1","game":"speed","players":[1]}\n', "line 1, players: expected a list of texts"),
        (b'{"record":"referee/1","game":"speed","players":["a","a"]}\n', "line 1, players: the name a stands"),
        (b'{"record":"referee/1","game":"speed","players":[""]}\n', "line 1, players[0]: expected a name of 1 to 64"),
        (b'{"record":"referee/1","game":"speed","players":["a\\u0007"]}\n', "line 1, players[0]: expected a name"),
        (b'{"record":"referee/1","game":"speed","players":["' + b"a" * 65 + b'"]}\n', "line 1, players[0]"),
        (b'{"record":"referee/1","game":"speed","players":[],"options":[]}\n', "line 1, options: expected an object"),
    ],
)  # fmt: skip
def test_a_defect_is_said_in_one_sentence_with_its_place(data: bytes, says: str) -> None:
    found = defects(data)
    assert len(found) == 1
    assert found[0].startswith(says)
    with pytest.raises(RecordError) as refused:
        read(data)
    assert str(refused.value).startswith(f"game.jsonl, {says}")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("game", "event"),
    [
        ("speed", {"event": "draw", "player": "Ana", "count": "3"}),
        ("speed", {"event": "draw", "player": "Ana", "count": 1001}),
        ("speed", {"event": "reshuffle", "counts": [1, "2"]}),
        ("dobro", {"event": "play", "player": "Ana", "cards": "7"}),
        ("jungle-bluff", {"event": "centre", "cards": [7]}),
    ],
)
def test_the_events_of_the_other_games_are_checked_too(game: str, event: dict[str, Any]) -> None:
    header = json.dumps({"record": "referee/1", "game": game, "players": ["Ana", "Bilal"]}).encode()
    assert len(defects(header + b"\n" + json.dumps({"t_us": 1, **event}).encode())) == 1


def test_all_defects_of_a_file_are_collected_and_the_first_is_said() -> None:
    data = HEADER + b"x\n" + FLIP + b"[]\n" + HEADER + FLIP + b"{}\n"
    assert [defect.split(":")[0] for defect in defects(data)] == ["line 2", "line 4", "line 7"]
    with pytest.raises(DefectiveFileError) as refused:
        read(data)
    assert str(refused.value).endswith("(and 2 more)")
    assert len(refused.value.defects) == 3


def test_sound_records_before_a_defective_one_are_read() -> None:
    records = read_records(io.BytesIO(HEADER + FLIP + HEADER + b"x\n"), "x")
    assert len(next(records).events) == 1
    with pytest.raises(RecordError):
        next(records)


def test_after_a_refused_header_its_events_are_not_complained_about_one_by_one() -> None:
    assert len(defects(HEADER.replace(b"jungle-speed", b"belote") + FLIP * 5)) == 1


def test_a_line_without_end_is_not_read_into_memory() -> None:
    class Endless(io.RawIOBase):
        """A hundred megabytes without a line break, made as they are asked for."""

        left = 100_000_000
        largest = 0

        def readline(self, size: int | None = -1, /) -> bytes:  # type: ignore[override]
            assert size is not None
            Endless.largest = max(Endless.largest, size)
            part = min(size, self.left)
            self.left -= part
            return b"x" * part

    (defect,) = find_defects(Endless())  # type: ignore[arg-type]
    assert "longer than" in str(defect)
    assert Endless.largest <= LINE_LIMIT_BYTES + 1


def test_a_large_file_of_records_needs_the_memory_of_one() -> None:
    class Long(io.RawIOBase):
        """The same record again and again, made as it is asked for."""

        def __init__(self) -> None:
            self.lines = [HEADER, *[FLIP] * 20] * 300

        def readline(self, size: int | None = -1, /) -> bytes:  # type: ignore[override]
            return self.lines.pop() if self.lines else b""

    stream = Long()
    stream.lines.reverse()
    alive: list[int] = []
    for record in read_records(stream, "x"):  # type: ignore[arg-type]
        alive.append(len(stream.lines))
        assert len(record.events) == 20
    assert alive == sorted(alive, reverse=True)
    assert len(alive) == 300


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
keys = st.sampled_from(
    [
        "t_us",
        "event",
        "player",
        "card",
        "hands",
        "fell",
        "ref",
        "before",
        "with",
        "shares",
        "reserve",
        "record",
        "ruling",
    ]
)
kinds = st.sampled_from(["flip", "grab", "fall", "correct", "recount", "share", "choose", "end", "pick_up", "x"])


@settings(max_examples=400, deadline=None)
@given(st.lists(st.dictionaries(keys, kinds | json_values, max_size=6), max_size=4))
def test_any_json_lines_end_in_records_or_a_record_error(words: list[Any]) -> None:
    lines = b"".join(json.dumps(word).encode() + b"\n" for word in words)
    assert why_refused(HEADER + lines) == "" or "game.jsonl, line" in why_refused(HEADER + lines)


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_any_bytes_end_in_records_or_a_record_error(data: st.DataObject) -> None:
    sound = (
        HEADER + FLIP + b'{"t_us":2,"event":"grab","hands":[{"player":"Ana","t_us":2,"fingers":3,"lowest_mm":[1,2]}]}\n'
    )
    at = data.draw(st.integers(0, len(sound)))
    to = data.draw(st.integers(at, min(len(sound), at + 4)))
    broken = sound[:at] + data.draw(st.binary(max_size=4)) + sound[to:]
    assert why_refused(broken) == "" or "game.jsonl, line" in why_refused(broken)


DOBRO = b'{"record":"referee/1","game":"dobro","players":["Ana","Bilal"]}\n'


@pytest.mark.parametrize("count", ["[1]", '["a",2]', "[1,2,3]", '"2"', "[1,100000]"])
def test_how_many_were_drawn_is_a_number_or_two_of_them(count: str) -> None:
    event = f'{{"t_us":1,"event":"draw","player":"Ana","count":{count}}}\n'
    assert "count" in why_refused(DOBRO + event.encode())


def test_how_many_were_drawn_may_be_known_between_two_counts() -> None:
    assert why_refused(DOBRO + b'{"t_us":1,"event":"draw","player":"Ana","count":[1,2]}\n') == ""


def test_defects_are_told_by_another_process_as_by_this_one() -> None:
    with pytest.raises(DefectiveFileError) as told:
        list(read_records(io.BytesIO(HEADER + b'{"t_us":1,"event":7}\n'), "game.jsonl"))
    again = pickle.loads(pickle.dumps(told.value))
    assert (str(again), again.defects) == (str(told.value), told.value.defects)
