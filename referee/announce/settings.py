"""What a profile says about announcing: the table `[announce]`.

Belongs here: its keys, their defaults, and one sentence for each that is wrong. Does not belong here: the rest of a
profile, or opening anything.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from referee.announce.lamps import PinNumbers
from referee.announce.mqtt import Broker
from referee.announce.publicity import DUEL
from referee.announce.sentences import LANGUAGES
from referee.announce.speech.engines import ENGINES
from referee.errors import ProfileError

USUAL_SPEED = 1.2
"""A fifth faster than the engines speak by themselves, for the pace of a game; a recogniser makes no mistake at 1.4."""

_HIGHEST_PIN = 27  # BCM numbers on the 40-pin header
_LONGEST_TEXT = 256


def default_cache() -> Path:
    """Where rendered phrases are kept when nothing else is said."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "referee" / "speech"


@dataclass(frozen=True)
class AnnounceSettings:
    """How a table is spoken to.

    `duel`: `after` or `at-once`. `engine`: `auto`, `off`, or one of the engines; `voice` one of its voices, empty for
    the usual one; `speed` a factor. `player`: the command that plays raw 16-bit mono sound, empty for the one that is
    found. `say_into`: a folder for WAV files instead of a speaker; `paced`: as slowly as they would be heard;
    `overwrite`: also where another game's are.
    `remind_after_s`: how long somebody is waited for before a reminder, 0 for never. `pronounce`: how names are said.
    """

    language: str = "en"
    duel: str = "after"
    engine: str = "auto"
    voice: str = ""
    speed: float = USUAL_SPEED
    player: tuple[str, ...] = ()
    say_into: Path | None = None
    paced: bool = True
    overwrite: bool = False
    cache: Path = field(default_factory=default_cache)
    remind_after_s: float = 0.0
    pronounce: Mapping[str, str] = field(default_factory=dict)
    pins: PinNumbers = field(default_factory=PinNumbers)
    mqtt: Broker | None = None

    def dry(self, say_into: Path | None, *, paced: bool = True, overwrite: bool = False) -> AnnounceSettings:
        """The same without speaker, pins and network: into a folder, or silent without one.

        Without `paced` speaking takes no time, for games that are played faster than they were.
        """
        engine = self.engine if say_into is not None else "off"
        return replace(
            self, say_into=say_into, paced=paced, overwrite=overwrite, engine=engine, pins=PinNumbers(), mqtt=None
        )


def read_settings(table: Mapping[str, Any], where: str, players: tuple[str, ...] = ()) -> AnnounceSettings:
    """Settings from the table `[announce]` of a profile, `where` says which; a key nobody knows is refused.

    Raises `ProfileError` that names the key and what was expected there. Paths are taken as they are.
    """
    keys = _Keys(table, where)
    keys.only({"language", "duel", "engine", "voice", "speed", "player", "cache", "remind_after_s"})
    default = AnnounceSettings()
    cache = keys.text("cache", "")
    return AnnounceSettings(
        language=keys.one_of("language", LANGUAGES, default.language),
        duel=keys.one_of("duel", DUEL, default.duel),
        engine=keys.one_of("engine", ("auto", "off", *ENGINES), default.engine),
        voice=keys.text("voice", ""),
        speed=keys.number("speed", 0.5, 2.0, default.speed),
        player=keys.words("player"),
        cache=Path(cache).expanduser() if cache else default.cache,
        remind_after_s=keys.number("remind_after_s", 0.0, 600.0, default.remind_after_s),
        pronounce=keys.part("pronounce").names(players, keys.text_of),
        pins=_pins(keys.part("pins"), players),
        mqtt=_broker(keys.part("mqtt")) if "mqtt" in table else None,
    )


def _pins(keys: _Keys, players: tuple[str, ...]) -> PinNumbers:
    keys.only({"lamp", "buzzer"}, {"seat_lamps", "seat_buttons"})
    numbers = PinNumbers(
        lamp=keys.pin_or_none("lamp"),
        buzzer=keys.pin_or_none("buzzer"),
        seat_lamps=keys.part("seat_lamps").names(players, keys.pin_of),
        seat_buttons=keys.part("seat_buttons").names(players, keys.pin_of),
    )
    used = [pin for pin in (numbers.lamp, numbers.buzzer) if pin is not None]
    used += [*numbers.seat_lamps.values(), *numbers.seat_buttons.values()]
    if len(set(used)) != len(used):
        raise ProfileError(f"{keys.where}: a pin is used twice, expected each once")
    return numbers


def _broker(keys: _Keys) -> Broker:
    keys.only({"host", "port", "node", "username", "password_file", "tls", "discovery"}, set())
    default = Broker("")
    host, node = keys.text("host", ""), keys.text("node", default.node)
    if not host:
        raise keys.error("host", "the broker's name or address")
    if not node or not all(c.isascii() and (c.isalnum() or c in "-_") for c in node):
        raise keys.error("node", "a name of ASCII letters, digits, - and _")
    password = keys.text("password_file", "")
    return Broker(
        host=host,
        port=int(keys.number("port", 1, 65_535, default.port)),
        node=node,
        username=keys.text("username", ""),
        password_file=Path(password).expanduser() if password else None,
        tls=keys.flag("tls", default.tls),
        discovery=keys.text("discovery", default.discovery),
    )


@dataclass(frozen=True)
class _Keys:
    table: Mapping[str, Any]
    where: str

    def error(self, key: str, expected: str) -> ProfileError:
        return ProfileError(f"{self.where}.{key}: expected {expected}")

    def only(self, known: set[str], parts: set[str] | None = None) -> None:
        allowed = known | ({"pronounce", "pins", "mqtt"} if parts is None else parts)
        for key in self.table:
            if key not in allowed:
                raise self.error(key, "one of " + ", ".join(sorted(allowed)))

    def part(self, key: str) -> _Keys:
        value = self.table.get(key, {})
        if not isinstance(value, Mapping):
            raise self.error(key, "a table")
        return _Keys(value, f"{self.where}.{key}")

    def text(self, key: str, default: str) -> str:
        return self.text_of(self, key) if key in self.table else default

    def text_of(self, keys: _Keys, key: str) -> str:
        value = keys.table[key]
        if not isinstance(value, str) or len(value) > _LONGEST_TEXT or not value.isprintable():
            raise keys.error(key, f"a text of up to {_LONGEST_TEXT} printable characters")
        return value

    def one_of(self, key: str, allowed: tuple[str, ...], default: str) -> str:
        value = self.table.get(key, default)
        if value not in allowed:
            raise self.error(key, "one of " + ", ".join(allowed))
        return str(value)

    def number(self, key: str, low: float, high: float, default: float) -> float:
        value = self.table.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise self.error(key, f"a number from {low:g} to {high:g}")
        return float(value)

    def flag(self, key: str, default: bool) -> bool:
        value = self.table.get(key, default)
        if not isinstance(value, bool):
            raise self.error(key, "true or false")
        return value

    def words(self, key: str) -> tuple[str, ...]:
        value = self.table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(word, str) and word for word in value):
            raise self.error(key, "a list of words: the command and its arguments")
        return tuple(value)

    def pin_of(self, keys: _Keys, key: str) -> int:
        value = keys.table[key]
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _HIGHEST_PIN:
            raise keys.error(key, f"a BCM pin number from 0 to {_HIGHEST_PIN}")
        return value

    def pin_or_none(self, key: str) -> int | None:
        return self.pin_of(self, key) if key in self.table else None

    def names(self, players: tuple[str, ...], read: Any) -> dict[str, Any]:
        for name in self.table:
            if players and name not in players:
                raise self.error(name, "the name of one of the players")
        return {name: read(self, name) for name in self.table}
