"""The bundle for a bug report holds nothing private."""

from __future__ import annotations

import getpass
import io
import json
import platform
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.cli import main
from referee.doctor.bundle import Scrubber, bundle, scrubber_for
from referee.doctor.finding import Finding

PROFILE = """
game = "jungle-speed"
players = ["Zoé Martin", "Bilal", "Oma"]
deck = "decks/martins-box"
[camera]
source = "rtsp://zoe:hunter2@192.168.1.17/stream"
width = 1280
[[seat]]
player = "Zoé Martin"
angle_deg = 90.0
[[seat]]
player = "Bilal"
angle_deg = 210.0
[[seat]]
player = "Oma"
angle_deg = 330.0
[totem]
port = "/dev/serial/by-id/usb-MicroPython_Board_in_FS_mode_e6605838833c2a2b-if00"
[announce]
language = "fr"
[announce.pronounce]
"Zoé Martin" = "zo-é"
[announce.pins.seat_buttons]
Bilal = 5
[announce.mqtt]
host = "homeassistant.martins.lan"
username = "zoe"
password_file = "/home/zoe/secret.txt"
[calibration]
by = "Zoé"
"""
PRIVATE = (
    "Zoé Martin", "Bilal", "Oma", "martins-box", "hunter2", "192.168.1.17", "e6605838833c2a2b",
    "homeassistant", "martins.lan", "secret", "/home/zoe", "zo-é",
)  # fmt: skip


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    path = tmp_path / "martins-table.toml"
    path.write_text(PROFILE, "utf-8")
    return path


def contents(packed: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return {name: archive.read(name).decode("utf-8") for name in archive.namelist()}


def leaky(profile: Path) -> list[Finding]:
    """Findings with everything in them that a message of ours or of the system may carry."""
    port = "/dev/serial/by-id/usb-MicroPython_Board_in_FS_mode_e6605838833c2a2b-if00"
    return [
        Finding("profile.file", "broken", {"why": f"{profile}: seat: expected one [[seat]] for each of Bilal, Oma"}),
        Finding("camera.there", "silent", {"why": "camera rtsp://zoe:hunter2@192.168.1.17/stream: silent"}),
        Finding("table.deck", "broken", {"why": f"{profile.parent}/decks/martins-box: there is no such deck"}),
        Finding("totem.there", "silent", {"why": f"{port}: cannot be opened", "group": "dialout"}),
        Finding(
            "doctor.probe", "crashed", {"family": "camera", "why": "OSError: '/home/zoe/secret.txt' of Zoé Martin"}
        ),
    ]


def test_nothing_of_the_profile_and_of_messages_that_is_private_is_in_the_bundle(profile: Path) -> None:
    files = contents(bundle(leaky(profile), profile))
    whole = "\n".join(files.values())
    for private in (*PRIVATE, str(profile.parent), profile.name, str(Path.home()) + "/", platform.node()):
        assert private not in whole, private
    assert set(files) == {"findings.json", "versions.json", "profile.json", "report.txt"}


def test_what_helps_is_still_there(profile: Path) -> None:
    files = contents(bundle(leaky(profile), profile))
    table = json.loads(files["profile.json"])
    assert table["players"] == ["P1", "P2", "P3"]
    assert table["camera"]["width"] == 1280
    assert table["seat"][1] == {"player": "P2", "angle_deg": 210.0}
    assert table["announce"]["pins"]["seat_buttons"] == {"P2": 5}
    assert table["announce"]["language"] == "fr"
    assert json.loads(files["versions.json"])["packages"]["numpy"]
    assert "there is no such deck" in files["report.txt"]
    assert [row["verdict"] for row in json.loads(files["findings.json"])][:2] == ["broken", "silent"]


def test_the_users_own_name_and_home_are_taken_out() -> None:
    scrub = scrubber_for(None)
    said = scrub.text(f"cannot open {Path.home()}/games/a.jsonl as {platform.node()}")
    assert str(Path.home()) + "/" not in said
    assert platform.node() not in said
    if getpass.getuser() != "root":
        assert getpass.getuser() not in scrub.text(f"user {getpass.getuser()}")


@given(
    st.text(st.characters(categories=("L", "N")), min_size=1, max_size=12), st.text(max_size=20), st.text(max_size=20)
)
def test_a_secret_that_stands_as_a_word_never_comes_through(secret: str, before: str, after: str) -> None:
    said = Scrubber([secret]).text(f"{before} {secret} {after}")
    assert f" {secret} " not in said.replace("<private>", "").replace("<path>", "").replace("<id>", "")


def test_the_command_writes_the_bundle_and_keeps_one_that_is_there(
    profile: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "report.zip"
    words = ["doctor", "--profile", str(profile), "--camera", "/dev/video99", "--seconds", "0.5", "--bundle", str(out)]
    assert main(words) == 1
    files = contents(out.read_bytes())
    whole = "\n".join(files.values())
    assert not [private for private in PRIVATE if private in whole]
    assert main(words) == 2
    assert "give --force" in capfd.readouterr().err
