"""The profile: what one table is, read whole from its TOML file.

Belongs here: the keys of the profile (formats.md, "A recorded table"), their types and what is missing; every
error names the file, the key and what was expected. Does not belong here: what a room reads from a table of its own
(`[camera]`: `referee.vision.camera`, lens and `[table]`: `referee.vision.reader`, `[announce]`:
`referee.announce.settings`), what a zone means to a game (`referee.table`).
"""

from __future__ import annotations

import hashlib
import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from referee.errors import ProfileError

GAMES = ("jungle-speed", "speed", "dobro", "jungle-bluff")
LONGEST_NAME = 64
MOST_PLAYERS = 10
LARGEST_MM = 10_000.0
Rect = tuple[float, float, float, float]
_PARTS = ("options", "camera", "zone", "totem", "announce", "journal")
_KNOWN = {"game", "players", "deck", "table", "seat", *_PARTS}
_IN_TOTEM = {
    "port",
    "seat_pads",
    "centre_mm",
    "diameter_mm",
    "height_mm",
    "rings",
    "sectors",
    "angle0_deg",
    "warm_counts",
}
_IN_CAMERA = {"source", "width", "height", "fps", "offset_us", "matrix", "distortion"}
ALIKE = 0.8  # of a key that was probably meant (`difflib`)
T = TypeVar("T")


@dataclass(frozen=True)
class Seat:
    """One `[[seat]]`: its player, the direction it lies in (degrees counter-clockwise seen from above, 0 = +x), its
    zones in table millimetres (`[x_min, y_min, x_max, y_max]`)."""

    player: str
    angle_deg: float
    zones: Mapping[str, Rect]


@dataclass(frozen=True)
class TotemPart:
    """`[totem]`: where it stands and how it is built; `port` None when it is not connected by a port.

    `warm_counts` is from how many counts above the untouched reading on something counts as near.
    """

    port: str | None = None
    seat_pads: bool = False
    centre_mm: tuple[float, float] = (0.0, 0.0)
    diameter_mm: float = 30.0
    height_mm: float = 120.0
    rings: int | None = None
    sectors: int | None = None
    angle0_deg: float = 0.0
    warm_counts: float = 6.0


@dataclass(frozen=True)
class Profile:
    """A whole profile; `deck` is a folder's path or the name of a deck that ships (`builtin:NAME`).

    `camera` and `announce` are tables as they stand in the file, for the rooms that read them. `text` is the whole
    file, `journal` the folder where this table's games are kept (None: it names none).
    """

    path: Path
    digest: str
    game: str
    players: tuple[str, ...]
    deck: str
    options: Mapping[str, Any]
    camera: Mapping[str, Any]
    seats: tuple[Seat, ...]
    zones: Mapping[str, Rect]
    totem: TotemPart
    announce: Mapping[str, Any]
    text: str = ""
    journal: Path | None = None
    rest: Mapping[str, Any] = field(default_factory=dict)


def read_profile(path: Path) -> Profile:
    """A profile from its file; raises `ProfileError` that names every wrong key and what was expected there."""
    profile, defects = _read(path)
    if profile is None:
        raise ProfileError("; ".join(defects))
    return profile


def profile_defects(path: Path) -> tuple[str, ...]:
    """All that is wrong with the keys this module reads, each with file, key and what was expected."""
    return tuple(_read(path)[1])


def _read(path: Path) -> tuple[Profile | None, list[str]]:
    """A profile, or None and all that is wrong with it."""
    try:
        content = path.read_bytes()
        table = tomllib.loads(content.decode("utf-8"))
    except FileNotFoundError:
        return None, [f"{path}: there is no such profile"]
    except (OSError, UnicodeDecodeError):
        return None, [f"{path}: cannot be read, expected a profile in TOML"]
    except tomllib.TOMLDecodeError as error:
        return None, [f"{path}: is no TOML ({error})"]
    keys = _Keys(path, table, "")
    defects: list[str] = []

    def tried(read: Callable[[], T], otherwise: T) -> T:
        try:
            return read()
        except ProfileError as error:
            defects.append(str(error))
            return otherwise

    nobody: tuple[str, ...] = ()
    game = tried(lambda: keys.one_of("game", GAMES), GAMES[0])
    players = tried(lambda: keys.names("players"), nobody)
    parts = {key: tried(partial(keys.part, key), _Keys(path, {}, "")) for key in _PARTS}
    zones = {
        name: tried(lambda name=name: parts["zone"].part(name).rect("rect"), (0.0, 0.0, 1.0, 1.0))  # type: ignore[misc]
        for name in parts["zone"].table
    }
    profile = Profile(
        path=path,
        digest=hashlib.sha256(content).hexdigest(),
        game=game,
        players=players,
        deck=tried(lambda: _deck(keys, path), ""),
        options=parts["options"].table,
        camera=parts["camera"].table,
        seats=tried(lambda: _seats(keys, players), ()) if players else (),
        zones=zones,
        totem=tried(lambda: _totem(parts["totem"]), TotemPart()),
        announce=parts["announce"].table,
        text=content.decode("utf-8"),
        journal=tried(lambda: _journal(parts["journal"], path), None),
        rest={key: value for key, value in table.items() if key not in _KNOWN},
    )
    defects += [
        *_misspelt(keys, _KNOWN),
        *_misspelt(parts["totem"], _IN_TOTEM),
        *_misspelt(parts["camera"], _IN_CAMERA),
    ]
    return (None, defects) if defects else (profile, [])


def _misspelt(keys: _Keys, known: set[str]) -> list[str]:
    """What is wrong with keys that look like one that is known and missing: a slip would pass in silence.

    Other keys nobody knows may be a later version's, or a tool's of one's own.
    """
    missing = sorted(known - set(keys.table))
    strange = [key for key in keys.table if key not in known]
    near = {key: get_close_matches(key, missing, 1, ALIKE) for key in strange}
    near |= {key: [one] for key in strange for one in missing if sorted(key) == sorted(one)}  # letters changed places
    return [
        f"{keys.path}: {keys.prefix}{key}: nobody reads that, expected {meant[0]}"
        for key, meant in near.items()
        if meant
    ]


def _deck(keys: _Keys, path: Path) -> str:
    deck = keys.text("deck")
    return deck if deck.startswith("builtin:") else str((path.parent / deck).resolve())


def _journal(keys: _Keys, path: Path) -> Path | None:
    return (path.parent / keys.text("folder")).resolve() if keys.table else None


def _seats(keys: _Keys, players: tuple[str, ...]) -> tuple[Seat, ...]:
    found = keys.table.get("seat", [])
    if not isinstance(found, list) or not all(isinstance(seat, dict) for seat in found):
        raise keys.error("seat", "tables [[seat]], one a player")
    seats = []
    for place, table in enumerate(found):
        seat = _Keys(keys.path, table, f"seat[{place}].")
        zones = {name: seat.rect(name) for name, value in table.items() if isinstance(value, list)}
        seats.append(Seat(seat.one_of("player", players), seat.number("angle_deg"), zones))
    named = [seat.player for seat in seats]
    if seats and sorted(named) != sorted(players):
        raise keys.error("seat", f"one [[seat]] for each of {', '.join(players)}")
    angles = sorted(seat.angle_deg % 360 for seat in seats)
    turn = [*angles[1:], angles[0] + 360] if angles else []
    if len(angles) > 1 and min(b - a for a, b in zip(angles, turn, strict=True)) < 1.0:
        raise keys.error("seat", "an angle_deg of its own for each seat")
    return tuple(sorted(seats, key=lambda seat: players.index(seat.player)))


def _totem(keys: _Keys) -> TotemPart:
    default = TotemPart()
    centre = keys.numbers("centre_mm", 2) if "centre_mm" in keys.table else default.centre_mm
    count = {key: round(keys.positive(key)) if key in keys.table else None for key in ("rings", "sectors")}
    return TotemPart(
        port=keys.text("port") if "port" in keys.table else None,
        seat_pads=keys.flag("seat_pads", default.seat_pads),
        centre_mm=(centre[0], centre[1]),
        diameter_mm=keys.positive("diameter_mm") if "diameter_mm" in keys.table else default.diameter_mm,
        height_mm=keys.positive("height_mm") if "height_mm" in keys.table else default.height_mm,
        rings=count["rings"],
        sectors=count["sectors"],
        angle0_deg=keys.number("angle0_deg") if "angle0_deg" in keys.table else default.angle0_deg,
        warm_counts=keys.positive("warm_counts") if "warm_counts" in keys.table else default.warm_counts,
    )


@dataclass(frozen=True)
class _Keys:
    """A table of the file, and what its keys are called in an error."""

    path: Path
    table: Mapping[str, Any]
    prefix: str

    def error(self, key: str, expected: str) -> ProfileError:
        return ProfileError(f"{self.path}: {self.prefix}{key}: expected {expected}")

    def part(self, key: str) -> _Keys:
        value = self.table.get(key, {})
        if not isinstance(value, dict):
            raise self.error(key, "a table")
        return _Keys(self.path, value, f"{self.prefix}{key}.")

    def text(self, key: str) -> str:
        value = self.table.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.error(key, "a text")
        return value

    def one_of(self, key: str, allowed: tuple[str, ...]) -> str:
        value = self.table.get(key)
        if not isinstance(value, str) or value not in allowed:
            raise self.error(key, "one of " + ", ".join(allowed))
        return value

    def flag(self, key: str, default: bool) -> bool:
        value = self.table.get(key, default)
        if not isinstance(value, bool):
            raise self.error(key, "true or false")
        return value

    def number(self, key: str) -> float:
        value = self.table.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise self.error(key, "a number")
        return float(value)

    def positive(self, key: str) -> float:
        value = self.number(key)
        if not 0 < value < 100_000:
            raise self.error(key, "a positive number, less than 100,000")
        return value

    def numbers(self, key: str, many: int) -> tuple[float, ...]:
        value = self.table.get(key)
        fits = isinstance(value, list) and len(value) == many
        numbers = value if fits and isinstance(value, list) else []
        if not fits or any(isinstance(n, bool) or not isinstance(n, int | float) for n in numbers):
            raise self.error(key, f"{many} numbers")
        if any(not math.isfinite(n) or abs(n) > LARGEST_MM for n in numbers):
            raise self.error(key, f"{many} numbers up to {LARGEST_MM:g} mm")
        return tuple(float(n) for n in numbers)

    def rect(self, key: str) -> Rect:
        x_min, y_min, x_max, y_max = self.numbers(key, 4)
        if x_min >= x_max or y_min >= y_max:
            raise self.error(key, "[x_min, y_min, x_max, y_max] in millimetres, the smaller ones first")
        return (x_min, y_min, x_max, y_max)

    def names(self, key: str) -> tuple[str, ...]:
        value = self.table.get(key)
        if not isinstance(value, list) or not 1 <= len(value) <= MOST_PLAYERS:
            raise self.error(key, f"a list of 1 to {MOST_PLAYERS} names, clockwise")
        for name in value:
            if (
                not isinstance(name, str)
                or not name
                or name != name.strip()
                or len(name) > LONGEST_NAME
                or not name.isprintable()
            ):
                raise self.error(key, f"names of 1 to {LONGEST_NAME} printable characters, no blank before or after")
        if len(set(value)) != len(value):
            raise self.error(key, "names that differ")
        return tuple(value)
