"""Looks at pins, sound, and the folder of kept games."""

from __future__ import annotations

import io
import re
import shutil
import sqlite3
import subprocess
from pathlib import Path

from referee.announce.settings import AnnounceSettings, read_settings
from referee.announce.speech.engines import best_engine
from referee.doctor.judges.others import GamesFacts, PinFacts, SoundFacts
from referee.doctor.plan import Plan
from referee.errors import InputError, ProfileError, RecordError
from referee.journal.derived import ENDED
from referee.journal.files import DATABASE
from referee.journal.reading import JournalView, find_chain_breaks
from referee.record import read_records

LIST_S = 5.0
_CARD = re.compile(r"^card \d+:", re.MULTILINE)


def probe_pins(plan: Plan) -> PinFacts:
    """Which pins gpiozero gets, if the profile names any."""
    if not _settings(plan).pins.any:
        return PinFacts(False)
    from gpiozero import Device
    from gpiozero.exc import GPIOZeroError
    from gpiozero.pins.mock import MockFactory

    from referee.gpio import pin_factory

    try:
        factory = pin_factory()
        if factory is None:
            Device.ensure_pin_factory()
            factory = Device.pin_factory
    except (GPIOZeroError, OSError, ImportError) as error:
        return PinFacts(True, problem=str(error))
    return PinFacts(True, type(factory).__name__, isinstance(factory, MockFactory))


def _settings(plan: Plan) -> AnnounceSettings:
    try:
        profile = plan.read_profile()
        if profile is not None:
            return read_settings(profile.announce, "announce", profile.players)
    except ProfileError:
        pass  # said by the profile's own finding
    return AnnounceSettings()


def probe_sound(plan: Plan) -> SoundFacts:
    """What would play sound, how many sound cards there are, and which voice is installed."""
    engine = best_engine() or ""
    chosen = _settings(plan).player
    player = chosen[0] if chosen else next((name for name in ("aplay", "paplay") if shutil.which(name)), "")
    if not player or shutil.which(player) is None:
        return SoundFacts(problem=f"{player or 'aplay (alsa-utils)'} is not installed", engine=engine)
    if player != "aplay":
        return SoundFacts(player, 1, engine=engine)  # others do not tell without playing
    try:
        done = subprocess.run(["aplay", "-l"], capture_output=True, text=True, timeout=LIST_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return SoundFacts(player, problem=f"aplay does not answer ({type(error).__name__})", engine=engine)
    return SoundFacts(player, len(_CARD.findall(done.stdout)), engine=engine)


def probe_games(plan: Plan) -> GamesFacts:
    """The kept games of the plan's folder, each read to its end."""
    if plan.games is None:
        return GamesFacts()
    if (Path(plan.games) / DATABASE).is_file():
        return _journal(Path(plan.games))
    try:
        paths = sorted(path for path in Path(plan.games).iterdir() if path.suffix == ".jsonl")
    except OSError:
        return GamesFacts(True, readable=False)
    torn = unfinished = bad = 0
    for path in paths:
        try:
            content = path.read_bytes()
            whole = content[: content.rfind(b"\n") + 1]
            torn += len(whole) != len(content)
            records = list(read_records(io.BytesIO(whole), str(path)))
        except (OSError, RecordError):
            bad += 1
            continue
        unfinished += not all(any(event["event"] == "end" for event in record.events) for record in records)
    return GamesFacts(True, True, len(paths), unfinished, torn, bad)


def _journal(folder: Path) -> GamesFacts:
    """What a journal says of itself; it is only read, and may be in use."""
    try:
        with JournalView.open(folder) as view:
            games = view.count()
            unfinished = sum(game.state != ENDED for game in view.games(limit=max(games, 1)))
            return GamesFacts(True, True, games, unfinished, breaks=len(find_chain_breaks(view)))
    except (OSError, InputError, sqlite3.Error):
        return GamesFacts(True, readable=False)
