"""What is small: pins, sound, and the folder of kept games."""

from __future__ import annotations

from dataclasses import dataclass

from referee.doctor.finding import Finding


@dataclass(frozen=True)
class PinFacts:
    """`wanted`: the profile names pins. `factory` is gpiozero's, empty when none could be had."""

    wanted: bool
    factory: str = ""
    mock: bool = False
    problem: str = ""


@dataclass(frozen=True)
class SoundFacts:
    """`player` is the program that plays (empty: none), `cards` how many sound cards it names (None: unknown)."""

    player: str = ""
    cards: int | None = None
    problem: str = ""
    engine: str = ""


@dataclass(frozen=True)
class GamesFacts:
    """Kept games in a folder: how many, not ended, torn at the end, not readable. `folder` False: none was named.

    `breaks` are the entries of a journal that differ from its chain.
    """

    folder: bool = False
    readable: bool = True
    games: int = 0
    open: int = 0
    torn: int = 0
    bad: int = 0
    breaks: int = 0


def judge_pins(facts: PinFacts) -> list[Finding]:
    """Whether buttons and lamps work."""
    if not facts.wanted:
        return [Finding("pins.factory", "unused")]
    if facts.problem:
        return [Finding("pins.factory", "broken", {"why": facts.problem})]
    return [Finding("pins.factory", "mock" if facts.mock else "ok", {"name": facts.factory})]


def judge_sound(facts: SoundFacts) -> list[Finding]:
    """Whether anything can be heard, and in words."""
    if facts.problem or not facts.cards:
        speaker = Finding("sound.speaker", "none", {"why": facts.problem or "there is no sound card"})
    else:
        speaker = Finding("sound.speaker", "ok", {"player": facts.player, "cards": facts.cards})
    verdict = "ok" if facts.engine else "none"
    return [speaker, Finding("sound.voice", verdict, {"engine": facts.engine})]


def judge_games(facts: GamesFacts) -> list[Finding]:
    """Whether what was kept is whole."""
    if not facts.folder:
        return [Finding("games.folder", "none")]
    if not facts.readable:
        return [Finding("games.folder", "missing")]
    if facts.breaks:
        return [Finding("games.folder", "broken", {"games": facts.games, "bad": facts.breaks})]
    counts = {"games": facts.games, "open": facts.open, "torn": facts.torn, "bad": facts.bad}
    verdict = "unreadable" if facts.bad else "torn" if facts.torn else "ok"
    return [Finding("games.folder", verdict, counts)]
