"""`referee say`: hear how the referee speaks, or keep it as a file. Thin over `referee.announce.speech`."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from referee.announce.sentences import LANGUAGES
from referee.announce.settings import USUAL_SPEED, default_cache
from referee.announce.speech.engines import ENGINES
from referee.announce.speech.players import Speaker
from referee.announce.speech.sounds import Sounds, write_wav
from referee.announce.speech.spoken import phrases
from referee.announce.speech.voice import Sound, Voice
from referee.errors import HardwareError, InputError

EXIT_DONE = 0
_PAUSE_S = 0.12
_LONGEST_TEXT = 2_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument("text", metavar="TEXT", help="what to say")
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="default %(default)s")
    parser.add_argument("--engine", choices=("auto", *ENGINES), default="auto", help="default: the first installed")
    parser.add_argument("--voice", default="", help="a voice of the engine (default: its usual one)")
    parser.add_argument("--speed", type=float, default=USUAL_SPEED, help="0.5 to 2 (default %(default)s)")
    parser.add_argument("--out", type=Path, metavar="FILE.wav", help="write a file instead of playing")
    parser.add_argument("--force", action="store_true", help="replace the file when it is there already")
    parser.add_argument("--cache", type=Path, default=default_cache(), help="where phrases are kept")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def run(arguments: argparse.Namespace) -> int:
    """Say the text; raises `InputError` for wrong input and `HardwareError` without voice or sound."""
    if len(arguments.text) > _LONGEST_TEXT:
        raise InputError(f"the text has {len(arguments.text)} characters, expected {_LONGEST_TEXT} at most")
    if not 0.5 <= arguments.speed <= 2.0:
        raise InputError(f"--speed {arguments.speed:g}: expected a number from 0.5 to 2")
    out: Path | None = arguments.out
    if out is not None and out.exists() and not arguments.force:
        raise InputError(f"{out}: is there already, expected a new file (or --force)")
    if out is not None and not out.absolute().parent.is_dir():
        raise InputError(f"{out}: there is no such folder, expected one that exists")
    parts = phrases(arguments.text, arguments.language, {})
    with Voice(arguments.engine, arguments.language, arguments.voice, arguments.speed) as voice:
        library = Sounds(arguments.cache, voice)
        found = [sound for part in parts if (sound := library.get(part)).pcm]
        if not found:
            raise InputError("the text: nothing of it can be spoken, expected letters or numbers")
        sounds = _with_pauses(found)
        if out is None:
            _play(arguments.text, sounds)
        else:
            write_wav(out, sounds)
        _tell(arguments, voice, parts, library.rendered, sum(sound.seconds for sound in sounds))
    return EXIT_DONE


def _with_pauses(sounds: list[Sound]) -> list[Sound]:
    rate_hz = sounds[0].rate_hz
    pause = Sound(rate_hz, bytes(2 * round(_PAUSE_S * rate_hz)))
    return [piece for sound in sounds for piece in (sound, pause)][:-1]


def _play(text: str, sounds: list[Sound]) -> None:
    speaker = Speaker()
    try:
        speaker.begin(text, (), sounds[0].rate_hz)
        for sound in sounds:
            speaker.write(sound)
        speaker.end()
        while speaker.playing():
            time.sleep(0.01)
    except HardwareError as error:
        raise HardwareError(f"{error}; --out FILE.wav writes a file") from error
    finally:
        speaker.close()


def _tell(arguments: argparse.Namespace, voice: Voice, parts: tuple[str, ...], rendered: int, seconds: float) -> None:
    if arguments.json:
        row = {
            "engine": voice.engine,
            "voice": voice.name,
            "phrases": list(parts),
            "rendered": rendered,
            "seconds": round(seconds, 3),
            "out": None if arguments.out is None else str(arguments.out),
        }
        print(json.dumps(row, ensure_ascii=False))
    else:
        print(f"{voice.engine} {voice.name}: {seconds:.1f} s" + (f", {arguments.out}" if arguments.out else ""))
