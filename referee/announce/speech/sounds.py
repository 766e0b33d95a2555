"""Phrases as sounds, rendered once and kept.

Belongs here: the cache folder (WAV files named after what was said by whom), and cutting away the silence around a
phrase. Does not belong here: rendering (`voice`), playing (`players`).

A file's name is the SHA-256 of engine, its version, voice, speed, the text and `_TRIMMING`: whatever changes the sound
changes the name, so nothing is ever out of date, and two tables may share a folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import wave
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Protocol

import numpy as np

from referee.announce.speech.voice import Sound
from referee.errors import HardwareError

MOST_BYTES = 256_000_000
MOST_IN_MEMORY = 128
_TRIMMING = 1
_QUIET = 0.01  # of full scale
_LEAD_S, _TAIL_S = 0.005, 0.060
"""Pico puts 35-110 ms of silence before a phrase and up to 600 ms after it: half a duel."""


class Renderer(Protocol):
    """What makes a sound: a `Voice`, or anything that has its five words."""

    engine: str
    version: str
    name: str
    speed: float

    def render(self, text: str) -> Sound: ...


class Sounds:
    """The sounds of one voice, kept in a folder; where nothing can be written they are kept in memory alone."""

    def __init__(self, folder: Path, voice: Renderer, most_bytes: int = MOST_BYTES) -> None:
        self._folder = folder
        self._voice = voice
        self._memory: OrderedDict[str, Sound] = OrderedDict()
        self._failed: dict[str, str] = {}
        self.rendered = 0
        _forget_oldest(folder, most_bytes)

    def key(self, phrase: str) -> str:
        """The name under which a phrase is kept."""
        voice = self._voice
        said = [voice.engine, voice.version, voice.name, voice.speed, _TRIMMING, phrase]
        return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode()).hexdigest()

    def path(self, phrase: str) -> Path:
        """Where a phrase is kept, rendered or not."""
        return self._folder / f"{self.key(phrase)}.wav"

    def kept(self, phrase: str) -> bool:
        """Whether a phrase can be had without rendering."""
        key = self.key(phrase)
        return key in self._memory or key in self._failed or self.path(phrase).is_file()

    def get(self, phrase: str) -> Sound:
        """The sound of a phrase, rendered if need be.

        Raises `HardwareError` when it cannot be rendered; a phrase that failed once is not tried again, since an
        engine that hung would hang again.
        """
        key = self.key(phrase)
        if (reason := self._failed.get(key)) is not None:
            raise HardwareError(reason)
        sound = self._memory.get(key) or _read(self.path(phrase))
        if sound is None:
            try:
                sound = trimmed(self._voice.render(phrase))
            except HardwareError as error:
                self._failed[key] = str(error)
                raise
            self.rendered += 1
            _write(self.path(phrase), sound)
        self._memory[key] = sound
        self._memory.move_to_end(key)
        if len(self._memory) > MOST_IN_MEMORY:
            self._memory.popitem(last=False)
        return sound


def trimmed(sound: Sound) -> Sound:
    """The sound without the silence around it; empty when there is nothing else."""
    samples = np.frombuffer(sound.pcm, "<i2")
    loud = np.flatnonzero(np.abs(samples.astype(np.int32)) > _QUIET * 32_768)
    if not len(loud):
        return Sound(sound.rate_hz, b"")
    first = max(0, int(loud[0]) - round(_LEAD_S * sound.rate_hz))
    return Sound(sound.rate_hz, samples[first : int(loud[-1]) + round(_TAIL_S * sound.rate_hz)].tobytes())


def write_wav(path: Path, sounds: Sequence[Sound]) -> None:
    """Write sounds of one rate, one after another, as one WAV file."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(sounds[0].rate_hz)
        file.writeframes(b"".join(sound.pcm for sound in sounds))


def _read(path: Path) -> Sound | None:
    try:
        with wave.open(str(path), "rb") as file:
            if (file.getnchannels(), file.getsampwidth()) != (1, 2):
                return None
            sound = Sound(file.getframerate(), file.readframes(file.getnframes()))
    except (OSError, EOFError, wave.Error):
        return None  # not there, or torn: it is rendered anew
    with suppress(OSError):
        os.utime(path)  # what is used is not forgotten first
    return sound


def _write(path: Path, sound: Sound) -> None:
    with suppress(OSError):  # a folder nobody may write to costs rendering again, and nothing else
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as part:
            unfinished = Path(part.name)
        try:
            write_wav(unfinished, [sound])
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)


def _forget_oldest(folder: Path, most_bytes: int) -> None:
    found: list[tuple[float, int, Path]] = []
    with suppress(OSError):
        for path in folder.glob("*.wav"):
            about = path.stat()
            found.append((about.st_mtime, about.st_size, path))
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found):
        if total <= most_bytes:
            return
        with suppress(OSError):
            path.unlink()
        total -= size
