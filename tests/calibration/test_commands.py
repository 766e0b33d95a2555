"""Calibrations at a terminal, from the first question to the profile, on simulated devices."""

from __future__ import annotations

import stat
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.cli import main
from referee.commands.calibrate import time as time_command
from referee.commands.calibrate import totem as totem_command
from referee.grips import grips_path, read_grips
from referee.profile import read_profile
from referee.sim.lamp_camera import LampCamera, LampScene
from referee.sim.set_up import BenchTotem
from referee.totem.links.base import Clock
from referee.vision.camera import CameraSettings

PROFILE = """\
game = "jungle-speed"
players = ["Ana", "Bilal", "Chloé"]
deck = "builtin:totem-rush"
[camera]
source = "0"
[[seat]]
player = "Ana"
angle_deg = 0.0
[[seat]]
player = "Bilal"
angle_deg = 120.0
[[seat]]
player = "Chloé"
angle_deg = 240.0
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BenchTotem]:
    made = BenchTotem(tmp_path_factory.mktemp("bench") / "port", 5_611, (4, 3), haste=8)
    yield made
    made.close()


@pytest.fixture
def port(bench: BenchTotem) -> str:
    bench.hands = "rest"
    return str(bench.path)


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(PROFILE, "utf-8")
    return path


def test_calibrate_time_blinks_the_totems_lamp_and_keeps_the_offset(
    bench: BenchTotem, port: str, profile: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    late_us = 55_000
    monkeypatch.setattr("calibration.lamp.BLINK_US", (25_000, 110_000))  # a quicker lamp before a quicker camera

    def lamp_camera(settings: CameraSettings, clock: Clock) -> LampCamera:
        assert settings.offset_us == 0
        ahead_us = time.monotonic() * 1e6 - clock()

        def changes() -> list[tuple[int, bool]]:
            return [(round(at - ahead_us), on) for at, on in bench.lamp_changes()]

        return LampCamera(changes, clock, LampScene(90.0, 3_000, 6_000, late_us, 300.0), 3)

    monkeypatch.setattr(time_command, "open_camera", lamp_camera)
    words = ["calibrate", "time", "--profile", str(profile), "--port", port, "--seconds", "3"]
    assert main(words) == 0, capsys.readouterr().err
    said = capsys.readouterr()
    assert "to the camera's times" in said.out
    content = tomllib.loads(profile.read_text("utf-8"))
    assert content["camera"]["offset_us"] == pytest.approx(-late_us, abs=2_000)
    assert content["calibration"]["time"]["offset_error_us"] < 20_000
    assert main(words) == 2
    assert "--force" in capsys.readouterr().err


def test_calibrate_time_wants_a_live_camera(profile: Path, port: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["calibrate", "time", "--profile", str(profile), "--port", port, "--camera", "game.mp4"]
    assert main(words) == 2
    assert "expected a live camera" in capsys.readouterr().err


def test_calibrate_totem_with_players_keeps_what_the_grips_showed_for_the_games(
    bench: BenchTotem, port: str, profile: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    doing = iter(("rest", "finger", "hands", "players"))
    said = []

    def told(sentence: str) -> None:
        """Everybody at the table does what is said."""
        said.append(sentence)
        bench.hands = next(doing, "rest")

    monkeypatch.setattr(totem_command, "hint", told)
    monkeypatch.setattr(totem_command, "ask", lambda question: "")
    lasting = zip((step[0] for step in totem_command.STEPS), (1.4, 2.2, 5.0), strict=True)
    monkeypatch.setattr(totem_command, "STEPS", tuple(lasting))
    monkeypatch.setattr(totem_command, "PLAYER_S", 1.5)
    words = ["calibrate", "totem", "--profile", str(profile), "--port", port, "--players"]
    assert main(words) == 0, capsys.readouterr()
    assert "Each takes the totem once and lets it go: Ana, then Bilal, then Chloé." in said
    read = read_profile(profile)
    assert (read.totem.rings, read.totem.sectors, read.totem.port) == (4, 3, port)
    grips = read_grips(grips_path(profile))
    assert set(grips.known) == {"Ana", "Bilal", "Chloé"}
    content = tomllib.loads(profile.read_text("utf-8"))
    assert set(content["calibration"]["totem"]["player"]) == set(grips.known)
    capsys.readouterr()
    assert main(words) == 2
    assert "--force" in capsys.readouterr().err


def test_calibrate_totem_with_players_wants_seats_before_anybody_grips_it(
    tmp_path: Path, port: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.toml"
    path.write_text(PROFILE.split("[[seat]]")[0], "utf-8")
    assert main(["calibrate", "totem", "--profile", str(path), "--port", port, "--players"]) == 2
    assert "expected one [[seat]] for each player" in capsys.readouterr().err


@pytest.mark.parametrize(("answer", "status"), [("yes", 0), ("no", 1)])
def test_calibrate_speaker_plays_the_phrase_on_the_sound_card_and_keeps_the_answer(
    tmp_path: Path,
    profile: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answer: str,
    status: int,
) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    player = folder / "aplay"
    player.write_text(f"#!/bin/sh\nexec cat > '{tmp_path}/heard'\n")
    player.chmod(player.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    words = ["calibrate", "speaker", "--profile", str(profile), "--engine", "tone", "--heard", answer]
    assert main(words) == status, capsys.readouterr().err
    assert (tmp_path / "heard").stat().st_size > 10_000
    content = tomllib.loads(profile.read_text("utf-8"))
    assert content["calibration"]["speaker"]["heard"] is (answer == "yes")
    assert ("alsamixer" in capsys.readouterr().err) == (answer == "no")


def test_calibrate_speaker_without_a_player_says_what_to_install(
    tmp_path: Path, profile: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    words = ["calibrate", "speaker", "--profile", str(profile), "--engine", "tone", "--heard", "yes"]
    assert main(words) == 2
    assert "alsa-utils" in capsys.readouterr().err
    assert "speaker" not in profile.read_text("utf-8")
