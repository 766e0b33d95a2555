"""`referee calibrate speaker`: plays a phrase and asks whether it was heard."""

from __future__ import annotations

import argparse

from calibration.profile_file import check_may_write
from calibration.speaker import play_phrase, speaker_part
from referee.announce.settings import USUAL_SPEED
from referee.announce.speech.players import Speaker
from referee.announce.speech.voice import Voice
from referee.commands.calibrate.common import EXIT_DONE, EXIT_NO, ask, hint, keep, tell


def run(arguments: argparse.Namespace) -> int:
    """Play, ask, keep the answer; 1 when nobody heard it."""
    check_may_write(arguments.profile, "speaker", (), arguments.force)
    speaker = Speaker()
    try:
        with Voice(arguments.engine, arguments.language, "", USUAL_SPEED) as voice:
            played = play_phrase(voice, speaker, arguments.language)
            engine, name = voice.engine, voice.name
    finally:
        speaker.close()
    answer = arguments.heard or ask(f'Was "{played.phrase}" heard well? (y/n)') or ""
    heard = answer.lower()[:1] in ("y", "o")  # yes, oui
    tell(arguments, f"{engine} {name}: {'heard' if heard else 'not heard'}", {"engine": engine, "heard": heard})
    if not heard:
        hint("turn the volume up, look which output is chosen (alsamixer), and try again")
    keep(arguments, speaker_part(played, engine, name, heard))
    return EXIT_DONE if heard else EXIT_NO
