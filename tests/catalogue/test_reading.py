"""Reading a catalogue file, above all a broken one."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.catalogue import Catalogue, Clause, Decision, Text, read
from referee.errors import InputError

BOTH = {"en": "One.", "fr": "Un."}
NEITHER = {"en": "", "fr": ""}
CLAUSE: dict[str, object] = {
    "id": "SP-01",
    "title": BOTH,
    "text": BOTH,
    "lines": [3, 19],
    "implied": False,
    "observe": BOTH,
    "announce": NEITHER,
}
DECISION: dict[str, object] = {
    "id": "SP-G01",
    "title": BOTH,
    "text": BOTH,
    "option": "best_of",
    "default": 3,
    "values": [1, 3, 5],
    "reason": BOTH,
    "disputes": ["D-35"],
}
TOP: dict[str, object] = {"game": "speed", "name": BOTH, "source": "seed 003"}
MISSING = object()


def written(value: object) -> str:
    """A value in TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = "".join(f"\\U{ord(letter):08x}" for letter in value)
        return f'"{escaped}"'
    if isinstance(value, list):
        return "[" + ", ".join(written(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{written(key)} = {written(item)}" for key, item in value.items()) + "}"
    return str(value)


def page(
    top: Mapping[str, object] = TOP,
    clauses: tuple[Mapping[str, object], ...] = (CLAUSE,),
    decisions: tuple[Mapping[str, object], ...] = (DECISION,),
) -> str:
    lines = [f"{key} = {written(value)}" for key, value in top.items()]
    for name, tables in (("clause", clauses), ("decision", decisions)):
        for table in tables:
            lines.append(f"[[{name}]]")
            lines += [f"{key} = {written(value)}" for key, value in table.items()]
    return "\n".join(lines) + "\n"


def changed(table: Mapping[str, object], key: str, value: object) -> dict[str, object]:
    found = {**table, key: value}
    return {name: item for name, item in found.items() if item is not MISSING}


def read_text(folder: Path, text: str) -> Catalogue:
    path = folder / "speed.toml"
    path.write_text(text, encoding="utf-8")
    return read(path)


def test_a_whole_catalogue_is_read_as_it_stands(tmp_path: Path) -> None:
    one = Text("One.", "Un.")
    assert read_text(tmp_path, page()) == Catalogue(
        game="speed",
        name=one,
        source="seed 003",
        clauses=(Clause("SP-01", one, one, (3, 19), False, one, Text("", "")),),
        decisions=(Decision("SP-G01", one, one, "best_of", 3, (1, 3, 5), one, ("D-35",)),),
    )


def test_values_that_cannot_be_listed_are_described_and_a_default_may_be_a_table(tmp_path: Path) -> None:
    table = changed(changed(DECISION, "values", "points for each place"), "default", {"3": [1, 2, 3]})
    decision = read_text(tmp_path, page(decisions=(table,))).decisions[0]
    assert decision.values == "points for each place"
    assert decision.default == MappingProxyType({"3": (1, 2, 3)})


@pytest.mark.parametrize("key", sorted(CLAUSE))
def test_a_clause_without_one_of_its_keys_is_refused_by_name(tmp_path: Path, key: str) -> None:
    place = "clause 1" if key == "id" else r"clause 1 \(SP-01\)"
    with pytest.raises(InputError, match=rf"^speed\.toml: {place}: {key}: .*missing$"):
        read_text(tmp_path, page(clauses=(changed(CLAUSE, key, MISSING),)))


@pytest.mark.parametrize("key", sorted(DECISION))
def test_a_decision_without_one_of_its_keys_is_refused_by_name(tmp_path: Path, key: str) -> None:
    with pytest.raises(InputError, match=rf"^speed\.toml: decision 1.*: {key}: .*missing$"):
        read_text(tmp_path, page(decisions=(changed(DECISION, key, MISSING),)))


@pytest.mark.parametrize("key", sorted(TOP))
def test_a_page_without_one_of_its_keys_is_refused_by_name(tmp_path: Path, key: str) -> None:
    with pytest.raises(InputError, match=rf"^speed\.toml: {key}: .*missing$"):
        read_text(tmp_path, page(top=changed(TOP, key, MISSING)))


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("id", "SP-1", "SP- and two digits"),
        ("id", "JS-01", "SP- and two digits"),
        ("id", 1, "text that is not empty"),
        ("title", "One.", "text in both languages"),
        ("title", {"en": "One."}, "fr: expected this key"),
        ("title", {"en": "One.", "fr": ""}, "fr: expected text that is not empty"),
        ("text", {"en": "One.", "fr": "Un.", "de": "Eins."}, "de: expected no such key"),
        ("observe", {"en": "One.", "fr": ""}, "in both languages or in neither"),
        ("observe", {"en": 1, "fr": ""}, "en: expected text"),
        ("lines", 22, "a list"),
        ("lines", [True], "line numbers"),
        ("lines", [0], "line numbers"),
        ("lines", ["22"], "line numbers"),
        ("implied", 0, "true or false"),
        ("anounce", BOTH, "no such key"),
    ],
)
def test_a_wrong_value_in_a_clause_is_refused_with_what_was_expected(
    tmp_path: Path, key: str, value: object, expected: str
) -> None:
    with pytest.raises(InputError, match=rf"^speed\.toml: clause 1.*{key}: .*{expected}"):
        read_text(tmp_path, page(clauses=(changed(CLAUSE, key, value),)))


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("id", "SP-01", "SP-G and two digits, or the name of a paragraph"),
        ("default", 2, "one of the values"),
        ("default", True, "one of the values"),
        ("values", [], "one of the values"),
        ("values", 3, "a list"),
        ("values", "", "text that is not empty"),
        ("option", 1, "text"),
        ("option", "", "only together with an option"),
        ("disputes", ["D-7"], "D- and two digits"),
        ("disputes", [7], "D- and two digits"),
        ("disputes", "D-07", "a list"),
    ],
)
def test_a_wrong_value_in_a_decision_is_refused_with_what_was_expected(
    tmp_path: Path, key: str, value: object, expected: str
) -> None:
    with pytest.raises(InputError, match=rf"^speed\.toml: decision 1.*: .*{expected}"):
        read_text(tmp_path, page(decisions=(changed(DECISION, key, value),)))


def test_a_default_that_is_no_value_of_a_record_is_refused(tmp_path: Path) -> None:
    text = page().replace("default = 3", "default = 2026-01-01")
    with pytest.raises(InputError, match="default: expected true, false, a number"):
        read_text(tmp_path, text)


def test_an_id_that_comes_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^speed\.toml: id SP-01: expected once, found again$"):
        read_text(tmp_path, page(clauses=(CLAUSE, CLAUSE)))


@pytest.mark.parametrize(
    ("game", "expected"), [("whist", "expected one of jungle-speed"), ("dobro", "expected speed, the name")]
)
def test_a_page_of_another_game_is_refused(tmp_path: Path, game: str, expected: str) -> None:
    with pytest.raises(InputError, match=rf"^speed\.toml: game: {expected}"):
        read_text(tmp_path, page(top=changed(TOP, "game", game)))


def test_a_list_where_tables_belong_is_refused(tmp_path: Path) -> None:
    text = page(top={**TOP, "clause": [1]}, clauses=())
    with pytest.raises(InputError, match=r"clause: expected tables, \[\[clause\]\]$"):
        read_text(tmp_path, text)


@pytest.mark.parametrize("content", [b"game = ", b"\xff\xfe", b"a = 1\na = 2\n"])
def test_a_file_that_is_no_toml_is_refused_in_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "speed.toml"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"^speed\.toml: expected TOML in UTF-8: [^\n]+$"):
        read(path)


values = st.recursive(
    st.one_of(st.booleans(), st.integers(-9, 99), st.text(st.characters(codec="utf-8"), max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["en", "fr"]), inner)),
    max_leaves=4,
)


@given(st.sampled_from(sorted(CLAUSE)), st.sampled_from(sorted(DECISION)), values, st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_stands_at_a_key_it_is_a_catalogue_or_one_clear_error(
    tmp_path: Path, in_clause: str, in_decision: str, value: object, where: bool
) -> None:
    text = (
        page(clauses=(changed(CLAUSE, in_clause, value),))
        if where
        else page(decisions=(changed(DECISION, in_decision, value),))
    )
    said = ""
    try:
        read_text(tmp_path, text)
    except InputError as error:
        said = str(error)
    assert not said or (said.startswith("speed.toml: ") and said.splitlines() == [said])
