"""`referee grabs`: what it prints, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import pytest

from referee.cli import EXIT_DONE, EXIT_WRONG_INPUT, main
from referee.commands.grabs import grab_words, sentence
from referee.totem.hands import HandReading
from referee.totem.scrambles import Grab
from referee.totem.taking import ORDER

DATA = Path(__file__).parent.parent / "totem" / "data"
STACKED = str(DATA / "stacked.npz")
SEATS = "Ana=177,Bilal=0"


def test_each_scramble_is_one_json_line_in_the_words_of_a_record(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grabs", STACKED, "--seats", SEATS, "--json"]) == EXIT_DONE
    (line,) = capsys.readouterr().out.splitlines()
    event = json.loads(line)
    assert event["event"] == "grab"
    assert event["t_us"] == event["hands"][0]["t_us"]
    for hand in event["hands"]:
        assert set(hand) == {"player", "t_us", "fingers", "lowest_mm", "grip"}
        assert isinstance(hand["fingers"], int) or len(hand["fingers"]) == 2


def test_a_fall_in_a_scramble_stands_in_the_grab(capsys: pytest.CaptureFixture[str]) -> None:
    seats = "Ana=277,Bilal=341,Chloé=60,David=128,Eva=199"
    assert main(["grabs", str(DATA / "scramble-and-fall.npz"), "--seats", seats, "--json"]) == EXIT_DONE
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert "fell" in events[0]


def test_people_get_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grabs", STACKED, "--seats", SEATS]) == EXIT_DONE
    assert "fingers" in capsys.readouterr().out


def test_why_a_taker_stays_open_is_printed_with_the_hands() -> None:
    hand = HandReading("Ana", 1_000, (2, 5), (0.0, 10.0), True)
    words = grab_words(Grab(1_000, (hand,), doubt=ORDER))
    assert words["open"] == "order"
    assert "who took it stays open: it cannot be told who came together" in sentence(words)
    assert "open" not in grab_words(Grab(1_000, (hand,)))


def test_the_order_of_the_seats_means_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    main(["grabs", STACKED, "--seats", "Ana=177,Bilal=0", "--json"])
    first = capsys.readouterr().out
    main(["grabs", STACKED, "--seats", "Bilal=0,Ana=177", "--json"])
    assert capsys.readouterr().out == first


@pytest.mark.parametrize(
    "seats", ["", "Ana", "Ana=", "=3", "Ana=x", "Ana=nan", "Ana=1e9", "Ana=1,Ana=2", "A\x07=1", "A" * 65 + "=1"]
)
def test_seats_that_are_not_names_with_angles_are_refused(seats: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grabs", STACKED, "--seats", seats]) == EXIT_WRONG_INPUT
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_players_parted_by_anything_but_commas_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grabs", STACKED, "--seats", "Ana=1;Bilal=2"]) == EXIT_WRONG_INPUT
    assert "parted by commas" in capsys.readouterr().err


@pytest.mark.parametrize("seats", ["Ana=10,Bilal=10", "Ana=0,Bilal=360", "Ana=-90,Eva=3,Bilal=270"])
def test_two_players_at_one_angle_are_refused(seats: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grabs", STACKED, "--seats", seats]) == EXIT_WRONG_INPUT
    said = capsys.readouterr().err
    assert "Ana and Bilal sit at the same angle" in said
    assert len(said.splitlines()) == 1


def test_a_broken_trace_is_refused_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "broken.npz"
    path.write_bytes(b"no archive")
    assert main(["grabs", str(path), "--seats", SEATS]) == EXIT_WRONG_INPUT
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert "broken.npz" in lines[0]


def test_the_picture_shows_rings_over_time_and_replaces_nothing_unasked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rings.png"
    assert main(["grabs", STACKED, "--seats", SEATS, "--plot", str(path)]) == EXIT_DONE
    picture = cv2.imread(str(path))
    assert picture is not None
    assert picture.shape[1] == 1400
    path.write_bytes(b"mine")
    assert main(["grabs", STACKED, "--seats", SEATS, "--plot", str(path)]) == EXIT_WRONG_INPUT
    assert path.read_bytes() == b"mine"
    assert main(["grabs", STACKED, "--seats", SEATS, "--plot", str(path), "--force"]) == EXIT_DONE
    assert path.read_bytes() != b"mine"


def test_a_picture_takes_no_links_place_either(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    link = tmp_path / "rings.png"
    link.symlink_to(tmp_path / "gone.png")
    assert main(["grabs", STACKED, "--seats", SEATS, "--plot", str(link)]) == EXIT_WRONG_INPUT
    assert "exists" in capsys.readouterr().err
    assert link.is_symlink()


def test_a_picture_that_cannot_be_written_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = tmp_path / "none" / "rings.png"
    assert main(["grabs", STACKED, "--seats", SEATS, "--plot", str(there)]) == EXIT_WRONG_INPUT
    assert main(["grabs", STACKED, "--seats", SEATS, "--plot", str(tmp_path / "a.jpg")]) == EXIT_WRONG_INPUT
    assert len(capsys.readouterr().err.splitlines()) == 2
