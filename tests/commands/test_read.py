"""`referee read` from the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.cli import main
from referee.deck.folder import resolve_deck
from referee.sim.tables import Conditions, Scene, Table
from referee.vision.pictures import video_frames

EASY = Conditions((640, 400), 90.0, 3.0, 0.0, "felt", 1.0, 0.9, 0.0, 0.0, 0, 0.5, 0.0, 2.0, 92, True, 1)


@pytest.fixture(scope="module")
def scene() -> Scene:
    """A small picture with one card."""
    table = Table(resolve_deck("builtin:dobro"))
    return table.single(61, replace(EASY, size=(960, 540)), ["joker"])


@pytest.fixture
def image(tmp_path: Path, scene: Scene) -> Path:
    """The picture as a file."""
    path = tmp_path / "a.png"
    cv2.imwrite(str(path), scene.image)
    return path


def read(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[dict[str, object]], str]:
    status = main(["read", *words, "--deck", "builtin:dobro", "--json"])
    out, err = capsys.readouterr()
    return status, [json.loads(line) for line in out.splitlines()], err


def test_one_json_object_a_picture_with_all_the_keys(
    capsys: pytest.CaptureFixture[str], image: Path, scene: Scene
) -> None:
    status, answers, err = read(capsys, str(image))
    assert (status, err) == (0, "")
    assert answers[0]["image"] == str(image)
    cards = answers[0]["cards"]
    assert isinstance(cards, list)
    assert [card["card"] for card in cards] == ["joker"]
    assert set(cards[0]) == {"card", "quad", "centre", "confidence", "runner_up"}
    assert np.abs(np.array(cards[0]["quad"]) - scene.cards[0].quad).max() < 2.0
    assert 0.99 <= cards[0]["confidence"] <= 1.0


def test_a_sentence_for_people(capsys: pytest.CaptureFixture[str], image: Path) -> None:
    assert main(["read", str(image), "--deck", "builtin:dobro"]) == 0
    assert "joker at " in capsys.readouterr().out


def test_a_broken_picture_costs_one_sentence_and_no_other_answer(
    capsys: pytest.CaptureFixture[str], image: Path
) -> None:
    broken = image.with_name("b.jpg")
    broken.write_text("not a picture", "utf-8")
    status, answers, err = read(capsys, str(broken), str(image), str(image.with_name("c.png")))
    assert status == 2
    assert [Path(str(a["image"])).name for a in answers] == ["a.png"]
    assert len(err.splitlines()) == 2
    assert "b.jpg: cannot be opened" in err
    assert "c.png: there is no such picture" in err


def test_a_folder_in_parallel_answers_in_the_order_of_names(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name in ("b", "a", "c"):
        cv2.imwrite(str(tmp_path / f"{name}.png"), np.full((60, 80, 3), 90, np.uint8))
    status, answers, _ = read(capsys, str(tmp_path), "--jobs", "2")
    assert status == 0
    assert [Path(str(a["image"])).name for a in answers] == ["a.png", "b.png", "c.png"]


def test_a_video_is_answered_frame_by_frame(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    writer = cv2.VideoWriter(str(tmp_path / "v.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 10, (64, 48))
    for _ in range(3):
        writer.write(np.full((48, 64, 3), 90, np.uint8))
    writer.release()
    status, answers, _ = read(capsys, str(tmp_path / "v.avi"))
    assert status == 0
    assert [a["frame"] for a in answers] == [0, 1, 2]


@pytest.fixture
def video(tmp_path: Path) -> Path:
    """Four frames: the second like the first, the third darker, the fourth like the third."""
    path = tmp_path / "v.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (64, 48))
    for half in (90, 90, 10, 10):
        frame = np.full((48, 64, 3), 90, np.uint8)
        frame[:24, :32] = half
        writer.write(frame)
    writer.release()
    return path


def test_a_frame_of_a_video_is_told_before_the_next_is_read(
    capsys: pytest.CaptureFixture[str], video: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[int] = []

    def frames(path: Path) -> Iterator[tuple[int, NDArray[np.uint8]]]:
        for number, frame in video_frames(path):
            yield number, frame
            told.append(len(capsys.readouterr().out.splitlines()))

    monkeypatch.setattr("referee.commands.read.video_frames", frames)
    assert main(["read", str(video), "--deck", "builtin:dobro", "--json"]) == 0
    assert told == [1, 1, 1, 1]


def test_show_draws_the_frames_of_a_video_in_which_something_changed(
    capsys: pytest.CaptureFixture[str], video: Path, tmp_path: Path
) -> None:
    drawn = tmp_path / "drawn"
    assert read(capsys, str(video), "--show", str(drawn))[0] == 0
    assert sorted(p.name for p in drawn.iterdir()) == ["v-000000.png", "v-000002.png"]
    status, answers, err = read(capsys, str(video), "--show", str(drawn))
    assert (status, answers) == (2, [])
    assert "has frames of v.avi already, --force replaces them" in err


def test_videos_and_pictures_read_in_parallel_answer_in_order(
    capsys: pytest.CaptureFixture[str], video: Path, tmp_path: Path
) -> None:
    for name in ("a", "w"):
        cv2.imwrite(str(tmp_path / f"{name}.png"), np.full((60, 80, 3), 90, np.uint8))
    status, answers, _ = read(capsys, str(tmp_path), "--jobs", "2")
    assert status == 0
    assert [Path(str(a["image"])).name for a in answers] == ["a.png", *["v.avi"] * 4, "w.png"]


def test_a_profile_for_another_size_is_said_in_one_sentence(capsys: pytest.CaptureFixture[str], image: Path) -> None:
    profile = image.with_name("p.toml")
    for width, lines in ((960, 0), (1280, 1)):
        profile.write_text(f"[camera]\nwidth = {width}\nheight = {width * 9 // 16}\n", "utf-8")
        status, answers, err = read(capsys, str(image), str(image), "--table", str(profile))
        assert (status, len(answers), len(err.splitlines())) == (0, 2, lines)
    assert "was made for pictures of 1280×720 pixels, not 960×540" in err


def test_show_writes_an_annotated_picture_and_replaces_nothing(
    capsys: pytest.CaptureFixture[str], image: Path, scene: Scene
) -> None:
    shown = image.with_name("shown.png")
    assert read(capsys, str(image), "--show", str(shown))[0] == 0
    drawn = cv2.imread(str(shown))
    assert drawn is not None
    assert drawn.shape == scene.image.shape
    assert np.abs(drawn.astype(int) - scene.image).max() > 60
    before = shown.read_bytes()
    status, answers, err = read(capsys, str(image), "--show", str(shown))
    assert (status, answers) == (2, [])
    assert "--force replaces it" in err
    assert shown.read_bytes() == before
    assert read(capsys, str(image), "--show", str(shown), "--force")[0] == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--jobs", "0"], "--jobs: expected a number from 1 to 256"),
        (["--show", "x.gif"], "expected a name that ends in"),
        (["--table", "nowhere.toml"], "there is no such profile"),
    ],
)
def test_wrong_options_end_in_one_sentence(
    capsys: pytest.CaptureFixture[str], image: Path, words: list[str], sentence: str
) -> None:
    status, answers, err = read(capsys, str(image), *words)
    assert (status, answers) == (2, [])
    assert sentence in err
    assert len(err.splitlines()) == 1


def test_the_picture_itself_is_never_drawn_over(capsys: pytest.CaptureFixture[str], image: Path) -> None:
    before = image.read_bytes()
    status, _, err = read(capsys, str(image), "--show", str(image), "--force")
    assert (status, image.read_bytes() == before) == (2, True)
    assert "is the picture itself" in err


def test_a_name_without_ending_is_a_folder_for_annotated_pictures(
    capsys: pytest.CaptureFixture[str], image: Path, tmp_path: Path
) -> None:
    assert read(capsys, str(image), "--show", str(tmp_path / "drawn") + "/")[0] == 0
    assert (tmp_path / "drawn" / f"{image.stem}.png").is_file()


PROFILES = [
    ("[camera]\nmatrix = 3\n", "matrix: expected 3×3 numbers"),
    ("[camera]\nmatrix = [[900,0,480],[0,900,270],[0,0,1]]\ndistortion = [1]\n", "distortion: expected 4, 5, 8"),
    ("[camera]\nmatrix = [[0,0,0],[0,0,0],[0,0,0]]\n", "camera.matrix: expected [[fx, 0, cx]"),
    (
        "[camera]\nmatrix = [[900,0,480],[0,900,270],[0,0,1]]\ndistortion = [1e9,0,0,0]\n",
        "camera.distortion: expected numbers up to 1000",
    ),
    ("[table.markers]\nids = [0, 1]\ncentres_mm = [[0,0],[0,0]]\n", "a place of its own for each marker"),
    ("[table.markers]\nids = [0, 50]\ncentres_mm = [[0,0],[9,0]]\n", "expected ids from 0 to 49"),
    ("[table]\nhomography = [[0,0,0],[0,0,0],[0,0,0]]\n", "expected a matrix that can be inverted"),
    ("[table.markers]\nids = [0, 0]\ncentres_mm = [[1,2],[3,4]]\n", "as many different ids as centres"),
    ("table = 3\n", "table: expected a table"),
    ("[camera]\nwidth = -1\nheight = 2\n", "width: expected a positive number"),
    ("camera = [", "is no TOML"),
]


@pytest.mark.parametrize(("text", "sentence"), PROFILES)
def test_a_wrong_profile_is_refused_in_one_sentence(
    capsys: pytest.CaptureFixture[str], image: Path, text: str, sentence: str
) -> None:
    profile = image.with_name("p.toml")
    profile.write_text(text, "utf-8")
    status, _, err = read(capsys, str(image), "--table", str(profile))
    assert status == 2
    assert sentence in err
    assert "p.toml" in err


def test_a_profile_gives_the_scale_where_no_marker_is_seen(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table = Table(resolve_deck("builtin:dobro"))
    scene = table.single(62, replace(EASY, size=(960, 540), markers=False, surface="checks"), ["skip"])
    cv2.imwrite(str(tmp_path / "a.png"), scene.image)
    rows = np.linalg.inv(scene.table).tolist()
    (tmp_path / "p.toml").write_text(
        f"[camera]\nwidth = 960\nheight = 540\nmatrix = {scene.matrix.tolist()}\n"
        f"distortion = {scene.distortion.tolist()}\n[table]\nhomography = {rows}\n",
        "utf-8",
    )
    _, answers, _ = read(capsys, str(tmp_path / "a.png"), "--table", str(tmp_path / "p.toml"))
    cards = answers[0]["cards"]
    assert isinstance(cards, list)
    assert [card["card"] for card in cards if "?" not in card["card"]] == ["skip"]
