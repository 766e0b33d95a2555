"""Deck folders are read as written, or refused with one sentence."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.deck.folder import BUILTIN, Card, load_deck, picture, resolve_deck
from referee.deck.ids import BOX
from referee.errors import DeckError

GOOD = """
name = "my box"
game = "jungle-speed"
card_mm = [60.0, 60.0]
read = "symbol"
[[card]]
id = "knot/green"
image = "knot-green.png"
count = 1
"""


def a_picture(path: Path, width: int = 240, height: int = 240) -> None:
    cv2.imwrite(str(path), np.full((height, width, 3), 250, np.uint8))


def a_folder(tmp_path: Path, text: str = GOOD) -> Path:
    folder = tmp_path / "box"
    folder.mkdir()
    a_picture(folder / "knot-green.png")
    (folder / "deck.toml").write_text(text, encoding="utf-8")
    return folder


def test_a_deck_is_read_as_it_is_written(tmp_path: Path) -> None:
    folder = a_folder(tmp_path)
    deck = load_deck(folder)
    assert (deck.name, deck.game, deck.card_mm, deck.read) == (
        "my box",
        "jungle-speed",
        (60.0, 60.0),
        "symbol",
    )
    assert deck.cards == (Card("knot/green", folder / "knot-green.png", 1),)
    assert deck.card("knot/green") is deck.cards[0]


def test_a_card_that_is_not_in_the_deck_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DeckError, match="no card 'knot/red'"):
        load_deck(a_folder(tmp_path)).card("knot/red")


def test_a_deck_of_52_is_a_deck_for_speed(tmp_path: Path) -> None:
    text = GOOD.replace("jungle-speed", "52").replace("knot/green", "10S").replace("symbol", "face")
    assert load_deck(a_folder(tmp_path, text)).game == "speed"


def test_a_file_that_begins_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    assert load_deck(a_folder(tmp_path, "\ufeff" + GOOD)).name == "my box"


def loads_or_says_where(folder: Path) -> bool:
    """Whether a deck loads with cards in it, or is refused by a sentence that names its folder."""
    try:
        return bool(load_deck(folder).cards)
    except DeckError as error:
        return str(folder) in str(error)


BROKEN = {
    "no name": (GOOD.replace('name = "my box"', ""), "name: expected"),
    "name is a number": (GOOD.replace('"my box"', "7"), "name: expected the deck's name, found '7'"),
    "name of control characters": (GOOD.replace("my box", "a\\u0007b"), "name: expected"),
    "name without end": (GOOD.replace("my box", "x" * 101), "name: expected 1 to 100"),
    "another game": (GOOD.replace("jungle-speed", "whist"), "game: expected one of"),
    "one side": (GOOD.replace("[60.0, 60.0]", "[60.0]"), "card_mm: expected"),
    "sides in words": (GOOD.replace("[60.0, 60.0]", '["60", "60"]'), "card_mm: expected"),
    "sides true": (GOOD.replace("[60.0, 60.0]", "[true, true]"), "card_mm: expected"),
    "sides not numbers": (GOOD.replace("[60.0, 60.0]", "[nan, 60.0]"), "card_mm: expected"),
    "sides without end": (GOOD.replace("[60.0, 60.0]", "[inf, 60.0]"), "card_mm: expected"),
    "a card as large as a table": (GOOD.replace("60.0, 60.0", "60.0, 9000"), "card_mm: expected"),
    "a card below zero": (GOOD.replace("60.0, 60.0", "-60.0, 60.0"), "card_mm: expected"),
    "read by smell": (GOOD.replace("symbol", "smell"), 'read: expected "symbol" or "face"'),
    "read by number": (GOOD.replace('"symbol"', "1"), "read: expected"),
    "no cards": (GOOD[: GOOD.index("[[card]]")], "card: expected"),
    "cards are a word": (GOOD[: GOOD.index("[[card]]")] + "card = 'all'", "card: expected"),
    "cards are words": (GOOD[: GOOD.index("[[card]]")] + "card = ['all']", "card 1: expected a table"),
    "id of another game": (GOOD.replace("knot/green", "10S"), "card 1, id: expected"),
    "id of no card": (GOOD.replace("knot/green", "?"), "card 1, id: expected"),
    "id is the back": (GOOD.replace("knot/green", "back"), "card 1, id: expected"),
    "an arrow we do not know": (GOOD.replace("knot/green", "arrow/up"), "card 1, id: expected"),
    "id climbs": (GOOD.replace("knot/green", "../green"), "card 1, id: expected"),
    "id is a number": (GOOD.replace('"knot/green"', "7"), "card 1, id: expected"),
    "image is missing": (GOOD.replace("knot-green.png", "other.png"), "there is no such picture"),
    "image is not given": (GOOD.replace('image = "knot-green.png"', ""), "card 1, image: expected"),
    "image is empty": (GOOD.replace("knot-green.png", ""), "card 1, image: expected"),
    "image climbs out": (GOOD.replace("knot-green.png", "../knot-green.png"), "inside the deck's folder"),
    "image is elsewhere": (GOOD.replace("knot-green.png", "/etc/hostname"), "inside the deck's folder"),
    "image is the folder": (GOOD.replace("knot-green.png", "."), "not a picture"),
    "image has a null": (GOOD.replace("knot-green.png", "a\\u0000b"), "card 1, image: expected"),
    "no copies": (GOOD.replace("count = 1", "count = 0"), "card 1, count: expected"),
    "half a copy": (GOOD.replace("count = 1", "count = 0.5"), "card 1, count: expected"),
    "count is true": (GOOD.replace("count = 1", "count = true"), "card 1, count: expected"),
    "too many copies": (GOOD.replace("count = 1", "count = 1_000_000"), "card 1, count: expected"),
    "a number too long to read": (GOOD.replace("count = 1", "count = " + "9" * 5000), "deck.toml"),
    "the same card twice": (GOOD + GOOD[GOOD.index("[[card]]") :], "every id once"),
    "not TOML": ("name = ", "not TOML"),
    "nested without end": ("a = " + "[" * 20_000, "not TOML"),
    "empty": ("", "expected"),
}


@pytest.mark.parametrize(("text", "said"), BROKEN.values(), ids=BROKEN)
def test_a_broken_deck_is_refused_with_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    folder = a_folder(tmp_path, text)
    with pytest.raises(DeckError) as error:
        load_deck(folder)
    assert said in str(error.value)
    assert str(folder / "deck.toml") in str(error.value)
    assert len(str(error.value).splitlines()) == 1
    assert len(str(error.value)) < 600


def test_a_folder_without_a_description_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DeckError, match=r"there is no such file, expected a deck folder"):
        load_deck(tmp_path)
    with pytest.raises(DeckError, match=r"deck\.toml"):
        load_deck(tmp_path / "nowhere")
    (tmp_path / "file").write_text("x")
    with pytest.raises(DeckError, match=r"deck\.toml"):
        load_deck(tmp_path / "file")


def test_text_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    folder = a_folder(tmp_path)
    (folder / "deck.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(DeckError, match="not UTF-8"):
        load_deck(folder)


def test_a_description_larger_than_any_deck_is_refused_unread(tmp_path: Path) -> None:
    folder = a_folder(tmp_path, GOOD + "#" * (1 << 20))
    with pytest.raises(DeckError, match="larger than"):
        load_deck(folder)


def test_a_link_that_leads_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    folder = a_folder(tmp_path)
    a_picture(tmp_path / "outside.png")
    (folder / "knot-green.png").unlink()
    (folder / "knot-green.png").symlink_to(tmp_path / "outside.png")
    with pytest.raises(DeckError, match="inside the deck's folder"):
        load_deck(folder)


@given(st.text(max_size=300))
def test_any_text_is_a_deck_or_refused(text: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = a_folder(Path(place))
        (folder / "deck.toml").write_text(GOOD + text, encoding="utf-8", errors="surrogatepass")
        assert loads_or_says_where(folder)


SIMPLE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.lists(st.integers(), max_size=3),
)


@given(st.sampled_from(["name", "game", "card_mm", "read", "card", "id", "image", "count"]), SIMPLE)
def test_any_value_in_any_key_is_a_deck_or_refused(key: str, value: object) -> None:
    literal = json.dumps(value).replace("NaN", "nan").replace("Infinity", "inf").replace("null", "{}")
    lines = [line for line in GOOD.splitlines() if not line.startswith(f"{key} =")]
    place_of_card = lines.index("[[card]]")
    at = place_of_card + 1 if key in ("id", "image", "count") else 0
    lines.insert(at, f"{key} = {literal}")
    with tempfile.TemporaryDirectory() as place:
        folder = a_folder(Path(place))
        (folder / "deck.toml").write_text("\n".join(lines), encoding="utf-8", errors="surrogatepass")
        assert loads_or_says_where(folder)


@pytest.mark.parametrize("name", BUILTIN)
def test_the_decks_that_ship_hold_what_a_box_of_their_game_holds(name: str) -> None:
    deck = resolve_deck(f"builtin:{name}")
    counts = {card.id: card.count for card in deck.cards}
    assert {card_id: counts.get(card_id) for card_id in BOX[deck.game]} == dict(BOX[deck.game])
    total = {"52": 52, "dobro": 59, "jungle-bluff": 114, "totem-rush": 80}
    assert sum(counts.values()) == total[name]
    assert all(picture(card).ndim == 3 for card in deck.cards)


def test_totem_rush_has_eighteen_shapes_in_four_colours() -> None:
    symbols = [
        card.id.split("/") for card in resolve_deck("builtin:totem-rush").cards if not card.id.startswith("arrow/")
    ]
    assert len({shape for shape, _ in symbols}) == 18
    assert len({colour for _, colour in symbols}) == 4
    assert len(symbols) == 72


def test_a_deck_is_resolved_by_its_folder_too(tmp_path: Path) -> None:
    assert resolve_deck(str(a_folder(tmp_path))).name == "my box"


def test_a_builtin_deck_that_does_not_exist_is_refused() -> None:
    with pytest.raises(DeckError, match="no such deck ships"):
        resolve_deck("builtin:whist")
