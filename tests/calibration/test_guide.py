"""What is done, what comes next, and what a page may show; and what `referee run` says of a stale calibration."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from calibration.at_start import looked_over
from calibration.guide import NO_PORT, drawn_table, following, steps
from calibration.guided.french import is_known
from calibration.speaker import PHRASES, play_phrase, speaker_part
from calibration.table import find_table
from referee.announce.speech.players import Files
from referee.announce.speech.voice import Voice
from referee.cli import main
from referee.doors import Doors
from referee.table.layouts import make_layout
from referee.vision.cameras.base import CameraHealth, Frame, FrameSource
from referee.vision.table import Lens
from tests.calibration.test_table import PLAYERS, mat_of, rendered

NOW = datetime(2026, 5, 1)


def test_the_next_step_is_what_is_missing_and_then_what_is_stale() -> None:
    content: dict[str, object] = {"game": "jungle-speed", "players": ["Ana", "Ben"], "deck": "builtin:totem-rush"}
    first = following(steps(content, NOW))
    assert first is not None
    assert first.name == "camera"
    part = {"date": NOW, "device": "cam"}
    content["calibration"] = dict.fromkeys(("camera", "table", "light", "speaker"), part)
    assert following(steps(content, NOW, "cam")) is None
    assert {step.name: step.state for step in steps(content, NOW)}["totem"] == "not needed"
    later = following(steps(content, datetime(2026, 12, 1), "cam"))
    assert later is not None
    assert (later.name, later.state) == ("table", "stale")
    content["totem"] = {"port": "/dev/ttyACM0"}
    third = following(steps(content, NOW, "cam"))
    assert third is not None
    assert third.name == "totem"


def test_a_totem_whose_port_somebody_named_is_to_be_measured_and_one_nobody_named_says_why_not() -> None:
    named = {step.name: step for step in steps({}, NOW, port_named=True)}
    assert (named["totem"].state, named["time"].state) == ("missing", "missing")
    plain = {step.name: step for step in steps({}, NOW)}
    assert "names no totem with a port" in plain["totem"].why
    assert plain["time"].why == plain["totem"].why == NO_PORT
    assert is_known(NO_PORT)


def test_zones_are_drawn_where_the_table_has_them() -> None:
    seating, scenery, pictures = rendered(5_701, frames=1)
    found = find_table(pictures, mat_of(seating), Lens(scenery.optics.matrix, scenery.optics.distortion))
    layout = make_layout("jungle-speed", PLAYERS)
    drawn = drawn_table(pictures[0], found, layout)
    x, y = scenery.optics.pixels(np.array([layout.zones["face_up/Ana"].rect[:2]]))[0]
    about = (slice(round(y) - 2, round(y) + 3), slice(round(x) - 2, round(x) + 3))
    assert (drawn[about] != pictures[0][about]).any()
    assert drawn.shape == pictures[0].shape


class OnePicture(FrameSource):
    """A camera with a name that gives one dark picture."""

    name, width, height, fps = "/dev/video0", 1280, 720, 30.0
    given = 0

    @property
    def ended(self) -> bool:
        return self.given > 1

    def poll(self, timeout_s: float) -> Frame | None:
        self.given += 1
        return Frame(0, None, self.given, np.zeros((720, 1280, 3), np.uint8))

    def health(self) -> CameraHealth:
        raise NotImplementedError

    def close(self) -> None:
        self.given = 2


def test_a_stale_calibration_is_said_once_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(
        "[calibration.table]\ndate = 2020-01-01T00:00:00\ndevice = 'other'\n"
        "[calibration.camera]\ndate = 2020-01-01T00:00:00\npicture = [640, 480]\n"
    )
    said: list[str] = []
    doors = looked_over(path, Doors(OnePicture(), None, recorded=False), said.append)
    assert [frame.number for frame in doors.camera.frames()] == [1, 2]
    assert len(said) == 1
    for words in ("table was calibrated on 2020-01-01", "with other and this is", "pictures of 640x480, not 1280x720"):
        assert words in said[0]
    said.clear()
    recorded = looked_over(path, Doors(OnePicture(), None, recorded=True), said.append)
    recorded.camera.poll(0)
    assert len(said) == 1
    assert "2020" not in said[0]


def test_run_names_all_that_is_wrong_in_a_profile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "p.toml"
    path.write_text('game = "chess"\nplayers = []\ndeck = "builtin:totem-rush"\n[camera]\nfps = "fast"\n')
    assert main(["run", "--profile", str(path)]) == 2
    error = capsys.readouterr().err
    for key in ("game: expected", "players: expected", "camera.fps: expected"):
        assert key in error
    assert len(error.splitlines()) == 1


def test_a_phrase_is_played_and_the_answer_is_kept(tmp_path: Path) -> None:
    player = Files(tmp_path, lambda: 0, paced=False)
    with Voice("tone", "en", "", 1.0) as voice:
        played = play_phrase(voice, player, "en")
    player.close()
    assert played.phrase == PHRASES["en"]
    assert played.lasts_s > 0
    assert list(tmp_path.glob("*.wav"))
    part = speaker_part(played, "tone", "", heard=False)
    assert part.values == {}
    assert part.figures["heard"] is False


def test_calibrate_deck_asks_what_deck_enrol_asks(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["--photos", str(tmp_path / "none"), "--game", "jungle-speed", "--out", str(tmp_path / "deck")]
    said = []
    for command in (["deck", "enrol"], ["calibrate", "deck"]):
        assert main([*command, *words]) == 2
        said.append(capsys.readouterr().err.split(": ", 1)[1])
    assert said[0] == said[1]
