"""What a deck check finds."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.deck.census import Report, check
from referee.deck.folder import Deck, picture, resolve_deck
from referee.deck.write import NewCard, write_deck

RUSH = resolve_deck("builtin:totem-rush")
SHAPES = ("loops-5", "loops-6", "seeds", "nest-3")
COLOURS = ("blue", "red", "green", "yellow")


def a_deck(out: Path, pictures: Iterable[tuple[str, bytes]]) -> Deck:
    return write_deck(out, "test", RUSH.game, RUSH.card_mm, RUSH.read, [NewCard(i, 1, data) for i, data in pictures])


def stored(card_id: str) -> bytes:
    return RUSH.card(card_id).image.read_bytes()


def small_deck(shapes: Iterable[str] = SHAPES, but: dict[str, bytes] | None = None) -> list[tuple[str, bytes]]:
    ids = [f"{shape}/{colour}" for shape in shapes for colour in COLOURS]
    return [(card_id, (but or {}).get(card_id, stored(card_id))) for card_id in ids]


def kinds(report: Report) -> set[str]:
    return {finding.kind for finding in report.findings if finding.problem}


@pytest.mark.parametrize("name", ["totem-rush", "52", "dobro", "jungle-bluff"])
def test_our_own_decks_pass_without_a_word(name: str) -> None:
    report = check(resolve_deck(f"builtin:{name}"))
    assert report.passed
    assert report.findings == ()
    assert report.needs_px is not None
    assert report.needs_px <= 63


def test_a_deck_of_one_card_has_nothing_to_confuse(tmp_path: Path) -> None:
    for card_id in ("seeds/red", "arrow/in"):
        report = check(a_deck(tmp_path / card_id.replace("/", "-"), [(card_id, stored(card_id))]))
        assert (report.passed, report.pairs, report.needs_px) == (True, (), None)


def test_two_ids_with_one_picture_are_a_problem(tmp_path: Path) -> None:
    deck = a_deck(tmp_path / "d", small_deck(but={"loops-6/red": stored("loops-5/red")}))
    report = check(deck)
    assert not report.passed
    doubled = [finding.cards for finding in report.findings if finding.kind == "duplicate"]
    assert doubled == [("loops-5/red", "loops-6/red")]


def test_a_copy_of_a_picture_in_another_format_is_found_too(tmp_path: Path) -> None:
    again = cv2.imencode(".jpg", np.rot90(picture(RUSH.card("seeds/blue"))), [cv2.IMWRITE_JPEG_QUALITY, 80])[
        1
    ].tobytes()
    cards = [NewCard(i, 1, data) for i, data in small_deck()] + [NewCard("seeds-2/blue", 1, again, ".jpg")]
    report = check(write_deck(tmp_path / "d", "test", RUSH.game, RUSH.card_mm, RUSH.read, cards))
    doubled = [set(finding.cards) for finding in report.findings if finding.kind == "duplicate"]
    assert doubled == [{"seeds/blue", "seeds-2/blue"}]


def test_a_card_under_the_name_of_another_shape_is_found(tmp_path: Path) -> None:
    deck = a_deck(tmp_path / "d", small_deck(but={"loops-6/red": stored("seeds/red")}))
    wrong = [finding.cards[0] for finding in check(deck).findings if finding.kind == "wrong-shape"]
    assert "loops-6/red" in wrong


def test_a_shape_that_lacks_a_colour_is_a_problem(tmp_path: Path) -> None:
    cards = [card for card in small_deck() if card[0] != "seeds/green"]
    report = check(a_deck(tmp_path / "d", cards))
    missing = [finding.cards for finding in report.findings if finding.kind == "missing-colour"]
    assert missing == [("seeds/green",)]
    assert not report.passed


def test_a_colour_that_one_shape_alone_has_is_noted(tmp_path: Path) -> None:
    shapes = ("loops-5", "loops-6", "seeds", "nest-3", "moon-wide")
    cards = [
        ("moon-wide/gren", data) if card_id == "moon-wide/green" else (card_id, data)
        for card_id, data in small_deck(shapes)
    ]
    report = check(a_deck(tmp_path / "d", cards))
    assert [finding.cards for finding in report.findings if finding.kind == "rare-colour"] == [("moon-wide/gren",)]
    assert [finding.cards for finding in report.findings if finding.kind == "missing-colour"] == [("moon-wide/green",)]


def test_counts_that_differ_from_the_box_are_notes_and_no_problems(tmp_path: Path) -> None:
    report = check(a_deck(tmp_path / "d", small_deck()))
    counts = [finding.sentence for finding in report.findings if finding.kind == "count"]
    assert "0 of arrow/in in this deck, 3 in a whole box" in counts
    assert "16 cards in this deck, 80 in a whole box" in counts
    assert report.passed


def painted(card_id: str, ink: tuple[int, int, int]) -> bytes:
    """A blue card of Totem Rush in another ink (BGR)."""
    pixels = picture(RUSH.card(card_id)).astype(np.float32)
    share = (255 - pixels[:, :, 2:3]) / (255 - pixels[:, :, 2].min())
    return cv2.imencode(".png", 255 * (1 - share) + np.array(ink) * share)[1].tobytes()


def test_colours_too_near_to_tell_are_a_problem(tmp_path: Path) -> None:
    near = {f"{shape}/yellow": painted(f"{shape}/blue", (60, 60, 205)) for shape in SHAPES}
    report = check(a_deck(tmp_path / "d", small_deck(but=near)))
    assert "near-colours" in kinds(report)
    assert {report.colours[0].first, report.colours[0].second} == {"red", "yellow"}


def test_colours_that_only_colour_blind_players_confuse_are_noted(tmp_path: Path) -> None:
    green = {f"{shape}/green": painted(f"{shape}/blue", (25, 105, 75)) for shape in SHAPES}
    report = check(a_deck(tmp_path / "d", small_deck(but=green)))
    notes = [finding for finding in report.findings if finding.kind == "near-colours"]
    assert [(set(note.cards), note.problem) for note in notes] == [({"red", "green"}, False)]
    assert "protan players" in notes[0].sentence or "deutan players" in notes[0].sentence
