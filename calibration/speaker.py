"""The speaker: a phrase is played, and somebody says whether it was heard.

Written rules:
- nothing is measured here but what can be: how long rendering and playing took. Whether it was loud and clear enough
  only a person knows, and is asked.
Does not belong here: voices and players (`referee.announce.speech`).
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from calibration.profile_file import Part
from referee.announce.speech.players import Player
from referee.announce.speech.sounds import Renderer
from referee.errors import HardwareError

PHRASES = {
    "en": "Ana and Ben, this is the referee. Can you hear me?",
    "fr": "Ana et Ben, ici l'arbitre. M'entendez-vous ?",
}
PATIENCE_S = 20.0


@dataclass(frozen=True)
class Played:
    """One phrase as it was played: how long rendering took, how long it lasts, how long the player took."""

    phrase: str
    rendered_s: float
    lasts_s: float
    played_s: float


def play_phrase(renderer: Renderer, player: Player, language: str) -> Played:
    """Render and play the phrase; raises `HardwareError` without a sound, or when the player does not end."""
    begin_s = time.monotonic()
    sound = renderer.render(PHRASES[language])
    rendered_s = time.monotonic() - begin_s
    if not sound.pcm:
        raise HardwareError("the voice gave no sound")
    begin_s = time.monotonic()
    player.begin(PHRASES[language], (), sound.rate_hz)
    player.write(sound)
    player.end()
    while player.playing():
        if time.monotonic() - begin_s > sound.seconds + PATIENCE_S:
            player.cut()
            raise HardwareError("the player does not come to an end: is another program using the sound card?")
        time.sleep(0.02)
    return Played(PHRASES[language], rendered_s, sound.seconds, time.monotonic() - begin_s)


def speaker_part(played: Played, engine: str, voice: str, heard: bool) -> Part:
    """What the profile keeps: what was played, and what somebody said of it."""
    figures = {
        "engine": engine,
        "voice": voice,
        "heard": heard,
        "rendered_s": round(played.rendered_s, 3),
        "lasts_s": round(played.lasts_s, 2),
        "played_s": round(played.played_s, 2),
    }
    return Part("speaker", {}, figures)
