"""The step for the speaker: a phrase is played, and somebody at the page says whether it was heard.

Does not belong here: playing (`calibration.speaker`).
"""

from __future__ import annotations

from typing import Any

from calibration.guided.bench import Bench, Step, Values, unknown
from calibration.speaker import PHRASES, Played, play_phrase, speaker_part
from referee.errors import InputError


class SpeakerStep(Step):
    """Play, ask, keep the answer."""

    name = "speaker"

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self._played: Played | None = None
        self._voice = ("", "")
        self._playing = False

    def do(self, word: str, values: Values) -> None:
        if word == "play":
            self._play(str(values.get("language")))
        elif word == "heard":
            if self._played is None:
                raise InputError("nothing was played yet")
            heard = values.get("yes") is True
            self.bench.write(speaker_part(self._played, *self._voice, heard))
            if not heard:
                self.bench.say("hint", "turn the volume up, look which output is chosen (alsamixer), and try again")
        else:
            raise unknown(self.name, word)

    def _play(self, language: str) -> None:
        if language not in PHRASES:
            raise InputError(f"language: expected one of {', '.join(PHRASES)}")
        self._playing = True
        try:
            self.bench.breathe()
            player = self.bench.player()
            try:
                with self.bench.voice(language) as voice:
                    self._played = play_phrase(voice, player, language)
                    self._voice = (voice.engine, voice.name)
            finally:
                player.close()
        finally:
            self._playing = False

    def words(self) -> dict[str, Any]:
        played = self._played
        return {
            "playing": self._playing,
            "played": None if played is None else {"phrase": played.phrase, "lasts_s": round(played.lasts_s, 1)},
        }
