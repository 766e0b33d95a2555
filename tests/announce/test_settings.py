"""The table `[announce]` of a profile."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from referee.announce.lamps import PinNumbers
from referee.announce.mqtt import Broker
from referee.announce.settings import AnnounceSettings, read_settings
from referee.errors import ProfileError

PLAYERS = ("Ana", "Bilal")

WHOLE = """
language = "fr"
duel = "at-once"
engine = "espeak"
voice = "fr-be"
speed = 1.2
player = ["aplay", "-r", "{rate_hz}"]
cache = "/var/cache/referee"
remind_after_s = 8
[pronounce]
Bilal = "Bilalle"
[pins]
lamp = 5
buzzer = 6
[pins.seat_lamps]
Ana = 7
[pins.seat_buttons]
Ana = 8
[mqtt]
host = "house.local"
port = 8883
node = "salon"
username = "referee"
password_file = "/etc/referee/mqtt"
tls = true
discovery = "ha"
"""


def test_a_whole_table_is_read() -> None:
    assert read_settings(tomllib.loads(WHOLE), "p.toml: announce", PLAYERS) == AnnounceSettings(
        language="fr",
        duel="at-once",
        engine="espeak",
        voice="fr-be",
        speed=1.2,
        player=("aplay", "-r", "{rate_hz}"),
        cache=Path("/var/cache/referee"),
        remind_after_s=8.0,
        pronounce={"Bilal": "Bilalle"},
        pins=PinNumbers(5, 6, {"Ana": 7}, {"Ana": 8}),
        mqtt=Broker("house.local", 8883, "salon", "referee", Path("/etc/referee/mqtt"), True, "ha"),
    )


def test_an_empty_table_is_the_usual_one() -> None:
    assert read_settings({}, "p.toml: announce") == AnnounceSettings()


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ({"language": "de"}, "announce.language: expected one of en, fr"),
        ({"duel": "never"}, "announce.duel: expected one of after, at-once"),
        ({"engine": "gramophone"}, "announce.engine: expected one of auto, off, nanotts"),
        ({"engine": ["tone"]}, "announce.engine: expected one of"),
        ({"speed": 3}, "announce.speed: expected a number from 0.5 to 2"),
        ({"speed": True}, "announce.speed: expected a number"),
        ({"speed": float("nan")}, "announce.speed: expected a number"),
        ({"voice": 3}, "announce.voice: expected a text"),
        ({"player": "aplay"}, "announce.player: expected a list of words"),
        ({"player": ["aplay", ""]}, "announce.player: expected a list of words"),
        ({"volume": 3}, "announce.volume: expected one of cache, duel"),
        ({"remind_after_s": -1}, "announce.remind_after_s: expected a number from 0 to 600"),
        ({"pronounce": "Ana"}, "announce.pronounce: expected a table"),
        ({"pronounce": {"Eva": "Éva"}}, "announce.pronounce.Eva: expected the name of one of the players"),
        ({"pronounce": {"Ana": "a\nb"}}, "announce.pronounce.Ana: expected a text"),
        ({"pins": {"lamp": 40}}, "announce.pins.lamp: expected a BCM pin number from 0 to 27"),
        ({"pins": {"lamp": 4, "buzzer": 4}}, "announce.pins: a pin is used twice"),
        ({"pins": {"horn": 4}}, "announce.pins.horn: expected one of buzzer, lamp, seat_buttons, seat_lamps"),
        ({"pins": {"seat_lamps": {"Eva": 4}}}, "announce.pins.seat_lamps.Eva: expected the name"),
        ({"mqtt": {}}, "announce.mqtt.host: expected the broker's name or address"),
        ({"mqtt": {"host": "h", "port": 0}}, "announce.mqtt.port: expected a number from 1 to 65535"),
        ({"mqtt": {"host": "h", "node": "my/table"}}, "announce.mqtt.node: expected a name of ASCII letters"),
        ({"mqtt": {"host": "h", "tls": "yes"}}, "announce.mqtt.tls: expected true or false"),
    ],
)
def test_what_is_wrong_is_named_with_what_was_expected(table: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ProfileError) as caught:
        read_settings(table, "p.toml: announce", PLAYERS)
    assert str(caught.value).startswith(f"p.toml: {sentence}")


def test_a_dry_run_touches_no_device(tmp_path: Path) -> None:
    settings = read_settings(tomllib.loads(WHOLE), "announce", PLAYERS)
    dry = settings.dry(tmp_path)
    assert (dry.say_into, dry.engine, dry.pins, dry.mqtt) == (tmp_path, "espeak", PinNumbers(), None)
    assert settings.dry(None).engine == "off"
