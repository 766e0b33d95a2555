"""A profile is read whole, and every error names file, key and what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.errors import ProfileError
from referee.profile import read_profile

GOOD = """
game = "jungle-speed"
players = ["Ana", "Bilal", "Chloé"]
deck = "decks/mine"

[camera]
source = "/dev/video0"

[[seat]]
player = "Bilal"
angle_deg = 195.0
face_up = [-300, 70, -200, 160]
reserve = [-360, 100, -290, 170]

[[seat]]
player = "Ana"
angle_deg = 316
face_up = [80, 44, 166, 132]

[[seat]]
player = "Chloé"
angle_deg = 76

[zone.pot]
rect = [-44, 20, 44, 108]

[totem]
rings = 12
sectors = 4
seat_pads = true

[announce]
language = "fr"
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "profile.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_whole_profile_is_read(tmp_path: Path) -> None:
    profile = read_profile(written(tmp_path, GOOD))
    assert profile.deck == str(tmp_path / "decks" / "mine")
    assert [seat.player for seat in profile.seats] == ["Ana", "Bilal", "Chloé"]
    assert profile.seats[1].zones["reserve"] == (-360.0, 100.0, -290.0, 170.0)
    assert profile.zones["pot"] == (-44.0, 20.0, 44.0, 108.0)
    assert (profile.totem.rings, profile.totem.sectors, profile.totem.seat_pads) == (12, 4, True)
    assert profile.announce == {"language": "fr"}
    assert profile.camera == {"source": "/dev/video0"}


def test_a_deck_that_ships_keeps_its_name(tmp_path: Path) -> None:
    assert (
        read_profile(written(tmp_path, GOOD.replace("decks/mine", "builtin:totem-rush"))).deck == "builtin:totem-rush"
    )


def test_the_digest_follows_the_content(tmp_path: Path) -> None:
    one = read_profile(written(tmp_path, GOOD))
    assert read_profile(written(tmp_path, GOOD)).digest == one.digest
    assert read_profile(written(tmp_path, GOOD + "\n# a remark")).digest != one.digest


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('"jungle-speed"', '"chess"', "game: expected one of jungle-speed"),
        ('["Ana", "Bilal", "Chloé"]', '["Ana", "Ana"]', "players: expected names that differ"),
        ('["Ana", "Bilal", "Chloé"]', "[]", "players: expected a list of 1 to 10 names"),
        ('["Ana", "Bilal", "Chloé"]', '["", "B"]', "players: expected names of 1 to 64"),
        ('deck = "decks/mine"', "deck = 3", "deck: expected a text"),
        ('player = "Ana"\n', 'player = "Eva"\n', "seat[1].player: expected one of Ana"),
        ('player = "Ana"\n', 'player = "Bilal"\n', "seat: expected one [[seat]] for each"),
        ("angle_deg = 316", "angle_deg = 195.2", "seat: expected an angle_deg of its own"),
        ("angle_deg = 316", 'angle_deg = "left"', "seat[1].angle_deg: expected a number"),
        ("[80, 44, 166, 132]", "[80, 44, 80, 132]", "seat[1].face_up: expected [x_min"),
        ("[80, 44, 166, 132]", "[80, 44, 166]", "seat[1].face_up: expected 4 numbers"),
        ("[-44, 20, 44, 108]", "[-44, 20, 44, 1e9]", "zone.pot.rect: expected 4 numbers up to"),
        ("rings = 12", "rings = 0", "totem.rings: expected a positive number"),
        ("seat_pads = true", "seat_pads = 1", "totem.seat_pads: expected true or false"),
        ("seat_pads = true", "seat_pad = true", "totem.seat_pad: nobody reads that, expected seat_pads"),
        ("seat_pads = true", 'prot = "auto"', "totem.prot: nobody reads that, expected port"),
        ("\n[announce]", "\n[annonce]", "annonce: nobody reads that, expected announce"),
        ('source = "/dev/video0"', 'sources = "/dev/video0"', "camera.sources: nobody reads that, expected source"),
        ("[announce]", "announce = 3\n[other]", "announce: expected a table"),
        ("[[seat]]\nplayer", "[seat]\nplayer", "seat: expected tables [[seat]]"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    text = GOOD.replace(old, new, 1)
    if old == "[[seat]]\nplayer":
        text = 'game = "jungle-speed"\nplayers = ["Ana", "B"]\ndeck = "d"\n[seat]\nplayer = "Ana"\n'
    if old == "[announce]":
        text = "announce = 3\n" + GOOD.replace('[announce]\nlanguage = "fr"\n', "")
    with pytest.raises(ProfileError) as error:
        read_profile(written(tmp_path, text))
    assert str(error.value).startswith(f"{tmp_path / 'profile.toml'}: ")
    assert sentence in str(error.value)


def test_a_key_of_somebodys_own_is_let_be(tmp_path: Path) -> None:
    assert read_profile(written(tmp_path, GOOD + '\n[clubhouse]\nroom = "blue"\n')).rest == {
        "clubhouse": {"room": "blue"}
    }


def test_a_file_that_is_no_profile_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="there is no such profile"):
        read_profile(tmp_path / "none.toml")
    with pytest.raises(ProfileError, match="is no TOML"):
        read_profile(written(tmp_path, "game = "))
    (tmp_path / "profile.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ProfileError, match="cannot be read"):
        read_profile(tmp_path / "profile.toml")
