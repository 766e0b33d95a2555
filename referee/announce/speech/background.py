"""Rendering ahead, beside the game.

Belongs here: the thread that fills the cache with the phrases a game will need. Does not belong here: which those are
(`ahead`), or saying them (`output`).

It has an engine of its own, which gives way to everything else on the machine: what is to be said now never waits for
what may be said later.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from referee.announce.speech.sounds import Sounds
from referee.announce.speech.voice import Voice
from referee.errors import HardwareError

_MOST_FAILURES = 3


class Background:
    """Renders phrases one after another until all are kept, the voice fails too often, or it is stopped."""

    def __init__(self, phrases: Sequence[str], voice: Callable[[], Voice], cache: Path) -> None:
        self._phrases = phrases
        self._make_voice = voice
        self._cache = cache
        self._stop = threading.Event()
        self.left = len(phrases)
        self.trouble = ""
        self._thread = threading.Thread(target=self._run, name="rendering ahead", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop after the phrase that is being rendered."""
        self._stop.set()
        self._thread.join(10.0)

    def _run(self) -> None:
        try:
            with self._make_voice() as voice:
                self._render(Sounds(self._cache, voice))
        except HardwareError as error:
            self.trouble = str(error)
        finally:
            self.left = 0

    def _render(self, sounds: Sounds) -> None:
        failures = 0
        for phrase in self._phrases:
            if self._stop.is_set() or failures == _MOST_FAILURES:
                return
            try:
                if not sounds.kept(phrase):
                    sounds.get(phrase)
            except HardwareError as error:
                failures += 1
                self.trouble = str(error)
            self.left -= 1
