"""`referee deck` as people type it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
import pytest

from referee.cli import main
from referee.deck.folder import load_deck, resolve_deck


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def some_pictures(folder: Path, *ids: str) -> Path:
    folder.mkdir()
    for card in resolve_deck("builtin:totem-rush").cards:
        if not ids or card.id in ids:
            shutil.copy(card.image, folder)
    return folder


def test_add_images_makes_a_deck_and_says_what_is_in_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pictures = some_pictures(tmp_path / "p")
    words = ["deck", "add-images", str(pictures), "--game", "jungle-speed", "--out", str(tmp_path / "my-box")]
    assert main([*words, "--json"]) == 0
    expected = {"deck": str(tmp_path / "my-box"), "game": "jungle-speed", "different": 75, "cards": 80}
    assert lines(capsys) == [expected]
    assert load_deck(tmp_path / "my-box").name == "my-box"
    assert main(words) == 2
    assert "--force" in capsys.readouterr().err
    assert main([*words, "--force", "--name", "attic", "--card-mm", "61,61", "--read", "face"]) == 0
    assert "75 different cards, 80 in all" in capsys.readouterr().out
    deck = load_deck(tmp_path / "my-box")
    assert (deck.name, deck.card_mm, deck.read) == ("attic", (61.0, 61.0), "face")


def test_a_photograph_with_the_table_in_it_is_refused_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pictures = some_pictures(tmp_path / "p", "seeds/blue", "loops-5/red")
    card = cv2.imread(str(pictures / "loops-5+red.png"))
    table = np.full((900, 800, 3), (40, 70, 110), np.uint8)
    table[180:630, 120:570] = cv2.resize(card, (450, 450))
    cv2.imwrite(str(pictures / "loops-5+red.png"), table)
    words = ["deck", "add-images", str(pictures), "--game", "jungle-speed", "--out", str(tmp_path / "d")]
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "loops-5+red.png" in said
    assert "deck enrol --photos" in said
    assert not (tmp_path / "d").exists()


@pytest.mark.parametrize("card_mm", ["60", "60,x", "60,60,60", "0,60", "nan,60", "inf,60", "1e400,3", ""])
def test_a_card_size_that_cannot_be_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], card_mm: str
) -> None:
    pictures = some_pictures(tmp_path / "p", "seeds/blue")
    words = ["deck", "add-images", str(pictures), "--game", "jungle-speed", "--out", str(tmp_path / "d")]
    assert main([*words, "--card-mm", card_mm]) == 2
    assert "expected W,H" in capsys.readouterr().err


def test_a_game_we_do_not_know_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deck", "add-images", str(tmp_path), "--game", "whist", "--out", str(tmp_path / "d")]) == 2
    assert "expected one of jungle-speed, speed, dobro, jungle-bluff" in capsys.readouterr().err


def test_check_prints_pairs_colours_and_a_summary(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deck", "check", "builtin:totem-rush", "--json", "--pairs", "3"]) == 0
    rows = lines(capsys)
    assert rows[0]["pair"] == ["wheel-round", "wheel-eight"]
    assert sum("pair" in row for row in rows) == 3
    assert sum("colours" in row for row in rows) == 6
    assert rows[-1]["cards"] == 80
    assert rows[-1]["passed"] is True
    assert rows[-1]["needs_px"] == rows[0]["needs_px"]


def test_check_speaks_plainly_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deck", "check", "builtin:totem-rush"]) == 0
    said = capsys.readouterr().out
    assert "wheel-round – wheel-eight" in said
    assert "75 different cards, 80 in all" in said
    assert "pixels wide on its shorter side" in said


def test_check_answers_no_when_there_is_a_problem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pictures = some_pictures(tmp_path / "p", "seeds/blue", "seeds/red", "loops-5/blue", "loops-5/red")
    shutil.copy(pictures / "seeds+blue.png", pictures / "loops-5+blue.png")
    assert main(["deck", "add-images", str(pictures), "--game", "jungle-speed", "--out", str(tmp_path / "d")]) == 0
    capsys.readouterr()
    assert main(["deck", "check", str(tmp_path / "d")]) == 1
    assert "PROBLEM: seeds/blue and loops-5/blue" in capsys.readouterr().out.replace(
        "loops-5/blue and seeds/blue", "seeds/blue and loops-5/blue"
    )
    assert main(["deck", "check", str(tmp_path / "d"), "--json"]) == 1
    rows = lines(capsys)
    assert rows[-1]["passed"] is False
    assert {"duplicate"} <= {row.get("finding") for row in rows}


@pytest.mark.parametrize("deck", ["builtin:whist", "nowhere", ""])
def test_a_deck_that_is_not_there_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, deck: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["deck", "check", deck]) == 2
    assert main(["deck", "print", deck, "--out", str(tmp_path / "x.pdf")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("pairs", ["0", "-1", "100000"])
def test_an_absurd_number_of_pairs_is_refused(capsys: pytest.CaptureFixture[str], pairs: str) -> None:
    assert main(["deck", "check", "builtin:dobro", "--pairs", pairs]) == 2
    assert "--pairs" in capsys.readouterr().err


def test_print_writes_a_pdf_once_and_again_when_forced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "box.pdf"
    words = ["deck", "print", "builtin:dobro", "--paper", "letter", "--out", str(out)]
    assert main([*words, "--backs"]) == 0
    assert "100 mm ruler" in capsys.readouterr().out
    document = pypdfium2.PdfDocument(out.read_bytes())
    assert len(document) == 16
    assert document[0].get_size() == pytest.approx((792, 612), abs=0.1)
    before = out.read_bytes()
    assert main(words) == 2
    assert out.read_bytes() == before
    capsys.readouterr()
    assert main([*words, "--force", "--json"]) == 0
    expected = {"file": str(out), "deck": "Referee Dobro", "cards": 59, "paper": "letter", "backs": False}
    assert lines(capsys) == [expected]
    assert out.read_bytes() != before
    assert main([*words[:-1], str(tmp_path), "--force"]) == 2
    assert main([*words[:-1], str(tmp_path / "no" / "box.pdf")]) == 2


def test_a_deck_with_a_picture_cut_short_is_refused_by_every_action(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deck = shutil.copytree(resolve_deck("builtin:dobro").folder, tmp_path / "d")
    noise = np.random.default_rng(1).integers(0, 255, (616, 441, 3), np.uint8)
    whole = cv2.imencode(".png", noise)[1].tobytes()
    (deck / "joker.png").write_bytes(whole[:200])
    assert main(["deck", "check", str(deck)]) == 2
    assert main(["deck", "print", str(deck), "--out", str(tmp_path / "x.pdf")]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert all("joker" in error for error in errors)
    assert len(errors) == 2
