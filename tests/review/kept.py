"""Small games as a journal keeps them, with evidence of our own making."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import cv2
import numpy as np

from referee.decision import decisions
from referee.evidence.crops import Crop
from referee.evidence.rings import KeptFrame
from referee.evidence.windows import CardShown, Mark, Wanted
from referee.evidence.writing import Stretch, write_stretch
from referee.journal.entries import Entry, Settings
from referee.journal.reading import JournalView, KeptGame
from referee.journal.store import GameKeeper, Journal
from referee.ledger import Ledger
from referee.totem.scans import Layout, ScanBatch
from referee.vision.cameras.quiet import quiet_opencv
from referee.words import Event, Header

PLAYERS = ("Ana", "Bilal", "Chloé")
DECK = {
    f"{shape}/{colour}": 1 for shape in ("knot", "star", "moon", "sun") for colour in ("red", "green", "blue", "yellow")
}
PROFILE = 'game = "jungle-speed"\n[review]\nappeals = 1\n'
DUEL_US = 9_027_000
"""When the totem was touched first."""


def flip(t_us: int, player: str, card: str, **keys: Any) -> Event:
    """A card turned."""
    return {"t_us": t_us, "event": "flip", "player": player, "card": card, **keys}


def hand(player: str | None, t_us: int, fingers: Any = 3, lowest_mm: Any = 40, **keys: Any) -> dict[str, Any]:
    """A hand on the totem."""
    return {"player": player, "t_us": t_us, "fingers": fingers, "lowest_mm": lowest_mm, **keys}


def grab(*hands: Mapping[str, Any]) -> Event:
    """A scramble."""
    return {"t_us": min(one["t_us"] for one in hands), "event": "grab", "hands": list(hands)}


EVENTS: tuple[Event, ...] = (
    flip(2_000_000, "Ana", "knot/green", confidence=0.999),
    flip(5_000_000, "Bilal", "star/red", confidence=0.998),
    flip(8_500_000, "Chloé", "knot/red", confidence=0.991, runner_up="moon/red"),
    grab(hand("Ana", DUEL_US, 4, 30), hand("Chloé", DUEL_US + 48_300, 3, 55)),
    flip(13_000_000, "Chloé", "moon/blue"),
    flip(15_000_000, "Ana", "sun/green"),
    grab(hand("Bilal", 15_900_000, 2, 50)),
)


def header_of(players: Sequence[str] = PLAYERS) -> Header:
    """The header of a game that each player begins with nine cards."""
    return cast(
        Header,
        {
            "record": "referee/1",
            "game": "jungle-speed",
            "players": list(players),
            "options": {},
            "start": {"reserve": dict.fromkeys(players, 9)},
        },
    )


def begin(journal: Journal, players: Sequence[str] = PLAYERS, begun: str = "2026-11-29T20:15:00+01:00") -> GameKeeper:
    """A game that begins."""
    settings = Settings(begun=begun, engine="0.1.0", profile=PROFILE, deck=DECK)
    return journal.begin(header_of(players), settings)


def play(keeper: GameKeeper, ledger: Ledger, events: Sequence[Event]) -> None:
    """Judge and keep events as a session does."""
    for event in events:
        given = ledger.add(event)
        beside = [Entry("decision", word) for word in decisions(ledger.header, ledger.events, given)]
        keeper.keep([event, *(one.ruling for one in given)], beside=beside)


def whole_game(journal: Journal, players: Sequence[str] = PLAYERS, events: Sequence[Event] = EVENTS, **how: Any) -> str:
    """A game that has ended; returns its key."""
    keeper = begin(journal, players, **how)
    last_us = max(event["t_us"] for event in events)
    play(keeper, Ledger(header_of(players)), [*events, {"t_us": last_us + 1_000_000, "event": "end"}])
    keeper.close()
    return keeper.key


def read(folder: Path, key: str) -> KeptGame:
    """A game from a journal."""
    with JournalView.open(folder) as view:
        return view.game(key)


def place_of(kept: KeptGame, kind: str, t_us: int | None = None) -> int:
    """The place of the last standing ruling of a kind."""
    return next(
        one.place
        for one in reversed(kept.rulings)
        if one.stands and one.ruling["ruling"] == kind and t_us in (None, one.ruling["t_us"])
    )


def add_evidence(
    journal: Journal, key: str, places: Sequence[int], at_us: int = DUEL_US, frames: int = 60
) -> dict[str, str]:
    """A clip, frames, two crops, readings of the totem and their sheet around a moment; ids by kind (the last one's).

    Pictures and readings are made up; what writes them is what writes those of a game.
    """
    begin_us = from_us(at_us, frames)
    times = [begin_us + 33_333 * n for n in range(frames)]
    cards = (
        CardShown(0, 0, "Ana", "Ana", "knot/green", ("knot/green",)),
        CardShown(1, 2, "Chloé", "Chloé", "knot/red", ("knot/red", "moon/red")),
    )
    marks = (Mark(at_us, "contact", "Ana", 3), Mark(at_us + 48_300, "contact", "Chloé", 3))
    meant = ("knot/green", "knot/red", "moon/red")
    pictures = tuple((card, _jpeg(_card(card))) for card in meant)
    stretch = Stretch(
        Wanted(begin_us, times[-1], tuple(places), marks, cards, pictures),
        [KeptFrame(n, t_us, 8000, _jpeg(picture(n, t_us, at_us))) for n, t_us in enumerate(times)],
        [_scans(begin_us, times[-1], at_us)],
        {card.number: Crop(card.number, at_us, _jpeg(_card(card.card))) for card in cards},
    )
    with quiet_opencv():
        items = write_stretch(journal.folder / "evidence" / key, stretch)
    journal.add(key, [Entry("evidence", item.word()) for item in items])
    return {item.kind: item.id for item in items}


def from_us(at_us: int, frames: int = 60) -> int:
    """When the first frame of a clip around a moment was exposed."""
    return at_us - frames // 2 * 33_333


def _jpeg(picture: Any) -> bytes:
    return cv2.imencode(".jpg", picture)[1].tobytes()


def picture(number: int, t_us: int, at_us: int) -> Any:
    """A table from above: the totem in the middle, two hands that come nearer."""
    picture = np.full((270, 480, 3), (60, 75, 60), np.uint8)
    cv2.rectangle(picture, (60, 100), (130, 170), (235, 235, 235), -1)
    cv2.rectangle(picture, (350, 100), (420, 170), (235, 235, 235), -1)
    near = min(1.0, max(0.0, 1 + (t_us - at_us) / 400_000))
    cv2.circle(picture, (240, 135), 16, (40, 90, 160), -1)
    cv2.circle(picture, (round(120 + 95 * near), 190 - round(45 * near)), 22, (150, 180, 220), -1)
    cv2.circle(picture, (round(380 - 100 * near), 210 - round(62 * near)), 22, (120, 150, 200), -1)
    cv2.putText(picture, str(number), (8, 26), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (255, 255, 255), 2)
    return picture


def _card(card: str) -> Any:
    picture = np.full((160, 160, 3), 240, np.uint8)
    colour = (60, 140, 40) if card.endswith("green") else (40, 40, 200)
    cv2.ellipse(picture, (80, 80), (50, 24), 30, 0, 360, colour, 9)
    cv2.ellipse(picture, (80, 80), (50, 24), -30, 0, 360, colour, 9)
    return picture


def _scans(begin_us: int, to_us: int, at_us: int) -> ScanBatch:
    """Readings of four rings of six electrodes: one hand low on one side, a later one higher on the other."""
    random = np.random.default_rng(1)
    t_us = np.arange(begin_us, to_us, 1000, np.int64)
    counts = random.integers(0, 12, (len(t_us), 4, 6))
    counts[t_us >= at_us, 0:2, 0:2] += 320
    counts[t_us >= at_us + 48_300, 2:4, 3:5] += 260
    layout = Layout(4, 6, (20.0, 45.0, 70.0, 95.0))
    tilt_deg = np.zeros(len(t_us), np.float32)
    return ScanBatch(layout, 7, t_us, counts.reshape(len(t_us), 24).astype(np.int32), tilt_deg)
