"""A table for tests: words as the sources say them, and the rulings of what a fusion releases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from referee.adjudication import Game, adjudicate
from referee.record import resolve
from referee.table.fusion import Fusion
from referee.table.layouts import Layout, make_layout
from referee.totem.hands import HandReading
from referee.totem.moments import Moments
from referee.totem.scrambles import Grab
from referee.vision.sightings import TOTEM, CameraPast, CardSeen, HandSeen
from referee.words import Event, Header, Ruling

PLAYERS = ("Ana", "Bilal", "Chloé")
FRAME_US = 33_333


def layout(players: Sequence[str] = PLAYERS) -> Layout:
    """The table of these players."""
    return make_layout("jungle-speed", players)


def card(number: int, player: str, face: str, t_us: int, **other: Any) -> CardSeen:
    """A card that passed its edge at `t_us`, in the middle between two frames."""
    between = other.pop("between", (t_us - FRAME_US // 2, t_us + FRAME_US // 2))
    return CardSeen(number, f"face_up/{player}", face, between, t_us, confidence=0.999, **other)


def hand(
    player: str | None,
    t_us: int,
    fingers: tuple[int, int] = (4, 4),
    lowest_mm: tuple[float, float] = (10.0, 20.0),
    grip: bool = True,
    chances: dict[str, float] | None = None,
    moments: Moments = (),
) -> HandReading:
    """A hand as the totem reads it."""
    return HandReading(player, t_us, fingers, lowest_mm, grip, (), chances or {}, moments)


def grab(*hands: HandReading, final: bool = True) -> Grab:
    """A scramble of these hands."""
    last = max(one.t_us for one in hands)
    return Grab(min(one.t_us for one in hands), hands, None, last + 100_000, last + 150_000, final)


def arm(fusion: Fusion, player: str, from_us: int, to_us: int, place: str = TOTEM, chance: float = 0.99) -> None:
    """A player's arm is at a place, frame after frame."""
    for t_us in range(from_us, to_us, FRAME_US):
        fusion.sighting(HandSeen(place, t_us, {player: chance}))


def watch(fusion: Fusion, from_us: int, to_us: int) -> None:
    """The camera sees nothing new, frame after frame."""
    for t_us in range(from_us, to_us, FRAME_US):
        fusion.sighting(CameraPast(t_us))


def duel(fusion: Fusion) -> None:
    """Ana and Bilal show the same shape; the second card passes its edge at 2 s."""
    fusion.sighting(card(1, "Ana", "knot/green", 1_000_000))
    fusion.sighting(card(2, "Bilal", "knot/red", 2_000_000))


def past(fusion: Fusion, t_us: int, open_numbers: Iterable[int] = ()) -> None:
    """Both sources have seen past a moment."""
    fusion.sighting(CameraPast(t_us, tuple(open_numbers)))
    fusion.totem_past(t_us)


def rule(
    events: Sequence[Event], players: Sequence[str] = PLAYERS, start: dict[str, Any] | None = None
) -> list[Ruling]:
    """The rulings of a record that holds these events."""
    header: Header = {"record": "referee/1", "game": "jungle-speed", "players": list(players)}
    if start is not None:
        header["start"] = start
    return [ruling for _, rulings in adjudicate(Game(header), list(events)) for ruling in rulings]


def resolved(events: Sequence[Event]) -> list[Event]:
    """The events as they stand when all corrections are applied."""
    return [step.event for step in resolve(list(events))]


def kinds(events: Sequence[Event]) -> list[str]:
    """What happened, in order."""
    return [event["event"] for event in events]


def names(rulings: Sequence[Ruling]) -> list[str]:
    """What was ruled, in order."""
    return [ruling["ruling"] for ruling in rulings]
