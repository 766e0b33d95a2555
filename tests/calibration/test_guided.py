"""A table set up step by step, over simulated devices: what is asked for, what is said, what the profile has then."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.guided import totem as totem_step
from calibration.guided.lamp import TimeStep
from referee.grips import grips_path, read_grips
from referee.profile import read_profile
from referee.sim.set_up import BenchCamera, BenchTotem
from referee.table.layouts import MEANINGS
from tests.calibration.benches import SMALL, SetUp, set_up_at

PLAYERS = ["Ana", "Bilal", "Chloé"]


@pytest.fixture(scope="module")
def camera() -> BenchCamera:
    return BenchCamera(5_601, SMALL)


@pytest.fixture(scope="module")
def one_totem(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BenchTotem]:
    made = BenchTotem(tmp_path_factory.mktemp("totem") / "port", 5_602, (4, 3), haste=8)
    yield made
    made.close()


@pytest.fixture
def bench(one_totem: BenchTotem) -> BenchTotem:
    one_totem.hands = "rest"
    return one_totem


@pytest.fixture
def at(tmp_path: Path, camera: BenchCamera) -> Iterator[SetUp]:
    camera.scene = "table"
    made = set_up_at(tmp_path / "table.toml", camera)
    yield made
    made.room.close()


def content(setup: SetUp) -> dict[str, object]:
    return tomllib.loads(setup.profile.read_text("utf-8"))


def named(setup: SetUp) -> None:
    assert setup.ask("people", players=PLAYERS, deck="builtin:totem-rush")["ok"]


def test_a_new_table_begins_with_who_plays_and_what_they_say_is_kept(at: SetUp) -> None:
    assert at.state()["open"] == "deck"
    decks = at.step()["decks"]
    assert {"id": "builtin:totem-rush", "name": "Totem Rush", "game": "jungle-speed", "cards": 80} in decks
    assert {deck["game"] for deck in decks} == set(MEANINGS)
    assert decks[0]["id"] == "builtin:totem-rush"
    named(at)
    assert content(at)["players"] == PLAYERS
    assert content(at)["game"] == "jungle-speed"
    assert at.until(lambda state: state["steps"][0]["state"] == "done")


@pytest.mark.parametrize(
    ("players", "deck", "why"),
    [
        (["Ana", "Bilal"], "builtin:totem-rush", "3 to 10 names"),
        (["Ana", "Bilal", "Ana"], "builtin:totem-rush", "names that differ"),
        (["Ana", "Bilal", " "], "builtin:totem-rush", "printable"),
        (PLAYERS, "../decks", "one of those offered"),
        (PLAYERS, "builtin:52", "expected 2 names"),
    ],
)
def test_who_cannot_play_is_said_and_nothing_is_written(at: SetUp, players: list[str], deck: str, why: str) -> None:
    answer = at.ask("people", players=players, deck=deck)
    assert not answer["ok"]
    assert why in answer["text"]
    assert not at.profile.exists()


def test_other_players_get_places_of_their_own(at: SetUp) -> None:
    named(at)
    assert at.ask("open", step="table")["ok"]
    at.until(lambda state: state["step"].get("seen"))
    assert at.ask("keep")["ok"]
    assert len(read_profile(at.profile).seats) == 3
    assert at.ask("open", step="deck")["ok"]
    assert at.ask("people", players=["Dora", "Emil", "Frieda", "Gwen"], deck="builtin:totem-rush")["ok"]
    assert "seat" not in content(at)
    assert read_profile(at.profile).players == ("Dora", "Emil", "Frieda", "Gwen")


def test_the_lens_is_found_by_itself_and_is_the_true_one(at: SetUp, camera: BenchCamera) -> None:
    camera.scene = "board"
    assert at.ask("open", step="camera")["ok"]
    begun = at.until(lambda state: state["step"].get("taken", 0) >= 2)["step"]
    assert begun["missing"]
    assert begun["wanting"]
    assert not at.ask("keep")["ok"]
    solved = at.until(lambda state: state["step"].get("solved"), "solved")["step"]["solved"]
    assert solved["held_out_px"] < 0.4
    assert at.ask("measured", mm=97.0)["ok"] is False
    assert at.ask("measured", mm=100.2)["ok"]
    assert at.ask("keep")["ok"]
    kept = content(at)
    focal = kept["camera"]["matrix"][0][0]  # type: ignore[index]
    assert focal == pytest.approx(camera.lens.focal_px, rel=0.005)
    figures = kept["calibration"]["camera"]  # type: ignore[index]
    assert figures["size_checked"] == "ruler"
    assert figures["device"] == "/dev/video0"


def test_without_the_board_it_is_said_what_is_wanting(at: SetUp) -> None:
    assert at.ask("open", step="camera")["ok"]
    step = at.until(lambda state: state["step"].get("last"))["step"]
    assert step["last"]["kept"] is False
    assert "no board is seen" in step["last"]["advice"]
    answer = at.ask("solve")
    assert not answer["ok"]
    assert "0 good pictures" in answer["text"]
    french = at.state("fr")["step"]
    assert french["last"]["advice"].startswith("aucune planche en vue")


def test_the_table_is_seen_by_its_mat_and_a_seat_goes_where_it_is_dragged(at: SetUp) -> None:
    named(at)
    assert at.ask("open", step="table")["ok"]
    step = at.until(lambda state: state["step"].get("card"), "seen")["step"]
    assert step["by"] == "mat"
    assert step["card"]["need_px"] == 50
    assert step["card"]["enough"] is False
    assert any("choose pictures of 1280x720" in problem for problem in step["problems"])
    zone = next(zone for zone in step["zones"] if zone["name"] == "face_up/Ana")
    other = next(zone for zone in step["zones"] if zone["name"] == "reserve/Ana")
    x, y = zone["middle"]
    assert at.ask("move", zone="face_up/Ana", x=x + 12.0, y=y - 3.0, whole=True)["ok"]

    def middle_of(state: dict[str, dict[str, list[dict[str, object]]]], name: str) -> list[float]:
        return next(zone["middle"] for zone in state["step"]["zones"] if zone["name"] == name)  # type: ignore[return-value]

    moved = at.until(lambda state: abs(middle_of(state, "face_up/Ana")[0] - x - 12) < 1.5, "moved")
    assert middle_of(moved, "reserve/Ana")[0] == pytest.approx(other["middle"][0] + 12, abs=2.0)
    pot = next(zone for zone in step["zones"] if zone["name"] == "pot")["middle"]
    answer = at.ask("move", zone="face_up/Ana", x=pot[0], y=pot[1], whole=False)
    assert not answer["ok"]
    assert "would lie" in answer["text"]
    assert at.ask("keep")["ok"]
    seats = {seat.player: seat for seat in read_profile(at.profile).seats}
    assert set(seats) == set(PLAYERS)
    assert content(at)["camera"]["width"] == SMALL[0]  # type: ignore[index]


@pytest.mark.parametrize("deck", ["builtin:dobro", "builtin:jungle-bluff"])
def test_a_game_without_a_totem_has_places_that_can_be_dragged_too(at: SetUp, deck: str) -> None:
    assert at.ask("people", players=PLAYERS, deck=deck)["ok"]
    assert at.ask("open", step="table")["ok"]
    step = at.until(lambda state: state["step"].get("card"), "seen")["step"]
    zone = next(zone for zone in step["zones"] if zone["player"] == "Ana")
    answer = at.ask("move", zone=zone["name"], x=zone["middle"][0], y=zone["middle"][1] + 1.0, whole=False)
    assert answer["ok"], answer
    assert at.ask("keep")["ok"]
    assert at.ask("finish")["ok"]
    assert read_profile(at.profile).deck == deck


def test_four_tapped_corners_do_where_there_is_no_mat(at: SetUp, camera: BenchCamera) -> None:
    named(at)
    assert at.ask("open", step="table")["ok"]
    assert at.ask("by", way="corners")["ok"]
    corners = np.array([(-200.0, -120.0), (200.0, -120.0), (200.0, 120.0), (-200.0, 120.0)])
    points = camera.scenery.optics.pixels(corners).tolist()
    backwards = at.ask("corners", points=points[::-1], width_mm=400.0, height_mm=240.0)
    assert not backwards["ok"]
    assert "clockwise" in backwards["text"]
    assert at.ask("corners", points=points, width_mm=400.0, height_mm=240.0)["ok"]
    step = at.until(lambda state: state["step"].get("seen"))["step"]
    assert step["height_cm"] == pytest.approx(camera.scenery.optics.eye[2] / 10, rel=0.3)
    assert at.ask("keep")["ok"]
    assert "homography" in content(at)["table"]  # type: ignore[operator]


def test_a_mat_that_is_not_there_is_named(at: SetUp, camera: BenchCamera) -> None:
    camera.scene = "board"
    named(at)
    assert at.ask("open", step="table")["ok"]
    step = at.until(lambda state: state["step"].get("why"))["step"]
    assert "marker 0, 1, 2, 3 of the mat is not seen" in step["why"]
    assert not at.ask("keep")["ok"]


def test_the_light_is_looked_at_and_kept(at: SetUp) -> None:
    assert at.ask("open", step="light")["ok"]
    assert not at.ask("keep")["ok"]
    assert at.ask("look")["ok"]
    found = at.until(lambda state: state["step"].get("found"))["step"]["found"]
    assert np.array(found["glare"]).shape == (4, 6)
    assert at.ask("keep")["ok"]
    assert content(at)["calibration"]["light"]["brightness"] > 20  # type: ignore[index]


def test_a_phrase_is_played_and_the_answer_is_kept(at: SetUp) -> None:
    assert at.ask("open", step="speaker")["ok"]
    assert not at.ask("heard", yes=True)["ok"]
    assert at.ask("play", language="fr")["ok"]
    assert "arbitre" in at.until(lambda state: state["step"].get("played"))["step"]["played"]["phrase"]
    assert list((at.profile.parent / "said").glob("*.wav"))
    assert at.ask("heard", yes=False)["ok"]
    assert content(at)["calibration"]["speaker"]["heard"] is False  # type: ignore[index]


def test_a_card_laid_alone_is_enrolled_into_a_deck_that_can_be_chosen(at: SetUp, camera: BenchCamera) -> None:
    assert at.ask("open", step="cards")["ok"]
    assert not at.ask("card", id="no such card")["ok"]
    assert at.ask("card", id="knot/green")["ok"]
    camera.scene = "card"
    at.until(lambda state: state["step"]["alone"], "alone")
    for _ in range(3):
        assert at.ask("take")["ok"]
    step = at.until(lambda state: state["step"]["cards"])["step"]
    assert step["cards"] == ["knot/green"]
    assert step["deck"] == "jungle-speed-deck-1"
    assert at.ask("open", step="deck")["ok"]
    assert "jungle-speed-deck-1" in [deck["id"] for deck in at.step()["decks"]]


def test_a_picture_is_shown_with_what_is_drawn_on_it(at: SetUp) -> None:
    assert at.ask("open", step="camera")["ok"]
    at.until(lambda state: state["step"].get("last"))
    first = at.room.picture()
    shown = at.until(lambda state: (found := at.room.picture()) and found != first and found)
    assert shown
    packed = at.room.picture()
    assert packed is not None
    picture = cv2.imdecode(np.frombuffer(packed[1], np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert picture.shape == (SMALL[1], SMALL[0], 3)
    # Where the board has not been is red.
    assert picture[..., 2].mean() > picture[..., 1].mean() + 10


def test_a_camera_that_is_gone_is_said_and_the_set_up_goes_on(at: SetUp) -> None:
    at.until(lambda state: state["camera"]["size"])
    at.eye.lost = True
    state = at.until(lambda state: state["camera"]["problem"])
    assert state["camera"]["freshness"] == "lost"
    at.eye.lost = False
    at.until(lambda state: state["camera"]["problem"] is None)


def test_what_cannot_be_asked_for_is_answered_in_a_sentence(at: SetUp) -> None:
    for word, values in (("solve", {}), ("open", {"step": "cellar"}), ("finish", {}), ("keep", {})):
        answer = at.ask(word, **values)
        assert not answer["ok"], word
        assert "\n" not in answer["text"]
    assert not at.room.finished.is_set()
    assert at.ask("open", step="totem")["ok"] in (True, False)  # no port here: said, and the room goes on
    assert at.ask("open", step="deck")["ok"]


def test_a_table_with_players_and_seats_is_finished(at: SetUp) -> None:
    named(at)
    answer = at.ask("finish")
    assert not answer["ok"]
    assert "Table and seats" in answer["text"]
    assert not at.room.finished.is_set()
    assert at.ask("open", step="table")["ok"]
    at.until(lambda state: state["step"].get("seen"))
    assert at.ask("keep")["ok"]
    assert at.ask("finish")["ok"]
    assert at.room.finished.is_set()


def test_the_totem_is_measured_stage_by_stage_and_every_hand_is_kept(
    tmp_path: Path, camera: BenchCamera, bench: BenchTotem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(totem_step, "SECONDS", {"rest": 1.4, "finger": 2.2, "hands": 5.0, "players": 1.5})
    camera.scene = "table"
    setup = set_up_at(tmp_path / "table.toml", camera, bench.path)
    try:
        named(setup)
        assert setup.ask("open", step="table")["ok"]
        setup.until(lambda state: state["step"].get("seen"))
        assert setup.ask("keep")["ok"]
        assert setup.ask("open", step="totem")["ok"]
        setup.until(lambda state: state["step"].get("rings"), "rings")
        assert len(setup.step()["rings"]) == 4
        for stage in ("rest", "finger", "hands"):
            bench.hands = stage
            assert setup.ask("go")["ok"]
            setup.until(lambda state, stage=stage: state["step"]["stage"] != stage or state["step"]["why"], stage)  # type: ignore[misc]
            assert setup.step()["why"] is None
        found = setup.step()["found"]
        assert found["problems"] == []
        bench.hands = "players"
        assert setup.ask("players")["ok"]
        step = setup.until(lambda state: state["step"]["grips"] or state["step"]["why"], "grips")["step"]
        assert step["why"] is None, step["why"]
        assert [hand["player"] for hand in step["grips"]["hands"]] == PLAYERS
        assert setup.ask("keep")["ok"]
        assert content(setup)["totem"]["rings"] == 4  # type: ignore[index]
        assert set(read_grips(grips_path(setup.profile)).known) == set(PLAYERS)
    finally:
        setup.room.close()


def test_a_touched_totem_is_not_at_rest_and_the_stage_is_tried_again(
    tmp_path: Path, camera: BenchCamera, bench: BenchTotem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(totem_step, "SECONDS", {"rest": 1.5, "finger": 2.5, "hands": 15.0, "players": 3.0})
    setup = set_up_at(tmp_path / "table.toml", camera, bench.path)
    try:
        assert setup.ask("open", step="totem")["ok"]
        bench.hands = "hands"
        setup.until(lambda state: state["step"].get("rings"), "rings")
        assert setup.ask("go")["ok"]
        why = setup.until(lambda state: state["step"]["why"], "why")["step"]
        assert why["stage"] == "rest"
        assert "hands off the table" in why["why"]
        assert setup.ask("players")["ok"] is False
    finally:
        setup.room.close()


def test_the_time_between_camera_and_totem_is_found_by_the_lamp(
    tmp_path: Path, bench: BenchTotem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TimeStep, "seconds", 3.0)
    monkeypatch.setattr("calibration.lamp.BLINK_US", (25_000, 110_000))  # a quicker lamp before a quicker camera
    camera = BenchCamera(5_605, (320, 180), lamp=bench.lamp_changes)
    camera.scene = "lamp"
    setup = set_up_at(tmp_path / "table.toml", camera, bench.path, late_us=40_000, fps=75.0)
    try:
        assert setup.ask("open", step="time")["ok"]
        assert not setup.ask("keep")["ok"]
        assert setup.ask("go")["ok"]
        found = setup.step()["found"]
        assert found["offset_ms"] == pytest.approx(-40.0, abs=2.0)
        assert setup.ask("keep")["ok"]
        assert content(setup)["camera"]["offset_us"] == pytest.approx(-40_000, abs=2_000)  # type: ignore[index]
    finally:
        setup.room.close()
