"""Deck folders are written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.deck.folder import load_deck
from referee.deck.ids import BOX
from referee.deck.write import NewCard, deck_toml, id_of_stem, picture_stem, write_deck, write_file
from referee.errors import DeckError

PNG = cv2.imencode(".png", np.full((300, 300, 3), 200, np.uint8))[1].tobytes()
CARDS = [NewCard("knot/green", 1, PNG), NewCard("arrow/in", 3, PNG)]


def write(folder: Path, cards: list[NewCard] = CARDS, *, force: bool = False, name: str = "my box") -> None:
    write_deck(folder, name, "jungle-speed", (60.0, 60.5), "symbol", cards, force=force)


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    write(tmp_path / "a" / "box")
    deck = load_deck(tmp_path / "a" / "box")
    assert [(card.id, card.count, card.image.name) for card in deck.cards] == [
        ("knot/green", 1, "knot+green.png"),
        ("arrow/in", 3, "arrow+in.png"),
    ]
    assert deck.card_mm == (60.0, 60.5)
    assert sorted(path.name for path in tmp_path.rglob("*")) == [
        "a",
        "arrow+in.png",
        "box",
        "deck.toml",
        "knot+green.png",
    ]


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=100))
def test_any_printable_name_survives_being_written(name: str) -> None:
    import tomllib

    text = deck_toml(name, "dobro", (63.0, 88.0), "face", [("2", name, 1)])
    table = tomllib.loads(text)
    assert table["name"] == name
    assert table["card"][0]["image"] == name


@pytest.mark.parametrize("game", sorted(BOX))
def test_every_id_has_a_file_name_and_comes_back_from_it(game: str) -> None:
    for card_id in [*BOX[game], "knot/green", "star-big/dark red"]:
        stem = picture_stem(card_id)
        assert id_of_stem(stem) == card_id
        assert not set(stem) & set('/\\*?:"<>|')


def test_a_deck_that_exists_is_replaced_only_when_forced(tmp_path: Path) -> None:
    write(tmp_path / "box")
    with pytest.raises(DeckError, match="--force"):
        write(tmp_path / "box", CARDS[:1])
    assert len(load_deck(tmp_path / "box").cards) == 2
    write(tmp_path / "box", CARDS[:1], force=True)
    assert [path.name for path in sorted((tmp_path / "box").iterdir())] == ["deck.toml", "knot+green.png"]


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "box").mkdir()
    write(tmp_path / "box")
    assert load_deck(tmp_path / "box").name == "my box"


@pytest.mark.parametrize("stranger", ["thesis.odt", "folder"])
def test_a_folder_with_anything_else_in_it_is_never_replaced(tmp_path: Path, stranger: str) -> None:
    write(tmp_path / "box")
    (tmp_path / "box" / stranger).mkdir() if stranger == "folder" else (tmp_path / "box" / stranger).write_text("x")
    with pytest.raises(DeckError, match="something else in this folder"):
        write(tmp_path / "box", force=True)
    assert (tmp_path / "box" / stranger).exists()


def test_pictures_without_a_deck_are_not_replaced_either(tmp_path: Path) -> None:
    (tmp_path / "holiday").mkdir()
    (tmp_path / "holiday" / "beach.png").write_bytes(PNG)
    with pytest.raises(DeckError, match="something else"):
        write(tmp_path / "holiday", force=True)


def test_a_file_in_the_place_of_the_folder_is_kept(tmp_path: Path) -> None:
    (tmp_path / "box").write_text("x")
    with pytest.raises(DeckError, match="this is a file"):
        write(tmp_path / "box", force=True)


def test_a_deck_that_could_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    write(tmp_path / "box")
    with pytest.raises(DeckError, match="every id once") as error:
        write(tmp_path / "box", [CARDS[0], CARDS[0]], force=True)
    assert str(tmp_path / "box") in str(error.value)
    assert ".deck-" not in str(error.value)
    assert len(load_deck(tmp_path / "box").cards) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["box"]


def test_a_file_is_replaced_whole_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    write_file(tmp_path / "out.pdf", b"first")
    write_file(tmp_path / "out.pdf", b"second")
    assert (tmp_path / "out.pdf").read_bytes() == b"second"
    assert [path.name for path in tmp_path.iterdir()] == ["out.pdf"]
    with pytest.raises(FileNotFoundError):
        write_file(tmp_path / "nowhere" / "out.pdf", b"x")
