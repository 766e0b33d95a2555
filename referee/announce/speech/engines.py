"""The engines that turn text into sound, and the child process they run in.

Belongs here: one small class an engine, and `main`, which is run as `python -m referee.announce.speech.engines NAME
[gently]` by `voice`. An engine is C code that may hang or end its process: nothing but this child ever loads one. Does
not belong here: time limits, caches, players.

What goes to and fro: a line of JSON `{"text", "voice", "speed"}` in; a line `{"rate_hz", "bytes"}`, then so many bytes
of 16-bit mono sound out, or a line `{"error"}`. The first line out is `{"ready": true}` or `{"error"}`.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol

PACKAGES: Mapping[str, tuple[str, str]] = {
    "nanotts": ("py-nanotts", "speech"),
    "espeak": ("espeakng-loader", "speech-espeak"),
}
"""The package an engine comes in, and the extra that installs it."""

VOICES: Mapping[str, Mapping[str, str]] = {
    "nanotts": {"en": "en-GB", "fr": "fr-FR"},
    "espeak": {"en": "en", "fr": "fr"},
    "tone": {"en": "tone", "fr": "tone"},
}
ENGINES = tuple(VOICES)

_GENTLE = 10
_LONGEST_S = 30
_LONGEST_DATA_PATH = 120  # espeak-ng keeps its data path in 160 bytes and ends the process when it does not fit.


class Engine(Protocol):
    """Text in, 16-bit mono sound out."""

    rate_hz: int

    def speak(self, text: str, voice: str, speed: float) -> bytes: ...


class NanoTts:
    """SVOX Pico, as packed by `py-nanotts`."""

    rate_hz = 16_000

    def __init__(self) -> None:
        import py_nanotts

        self._engine: Any = py_nanotts.NanoTTS()

    def speak(self, text: str, voice: str, speed: float) -> bytes:
        sound: bytes = self._engine.speak(text, voice=voice, speed=speed)
        return sound


class Espeak:
    """espeak-ng, its library and voices as packed by `espeakng-loader`; called as `speak_lib.h` says."""

    _SYNCHRONOUS, _BY_CHARACTER, _UTF8, _NO_EXIT = 2, 1, 1, 0x8000
    _RATE_PARAMETER, _USUAL_WORDS_A_MINUTE = 1, 165

    def __init__(self) -> None:
        import ctypes

        import espeakng_loader

        self._ctypes = ctypes
        self._pieces: list[bytes] = []
        self._library = ctypes.CDLL(espeakng_loader.get_library_path())
        data = espeakng_loader.get_data_path()
        if len(os.fsencode(data)) > _LONGEST_DATA_PATH:
            self._short = tempfile.TemporaryDirectory(prefix="espeak-")
            link = Path(self._short.name) / "data"
            link.symlink_to(data)
            data = str(link)
        self.rate_hz = int(self._library.espeak_Initialize(self._SYNCHRONOUS, 0, os.fsencode(data), self._NO_EXIT))
        if self.rate_hz <= 0:
            raise OSError("espeak-ng cannot read its voices")
        callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)
        self._callback = callback(self._take)  # kept: C holds no reference
        self._library.espeak_SetSynthCallback(self._callback)

    def _take(self, samples: Any, count: int, _: Any) -> int:
        if samples and count > 0:
            self._pieces.append(self._ctypes.string_at(samples, 2 * count))
        return 0

    def speak(self, text: str, voice: str, speed: float) -> bytes:
        if self._library.espeak_SetVoiceByName(voice.encode()) != 0:
            raise OSError(f"espeak-ng has no voice {voice}")
        self._library.espeak_SetParameter(self._RATE_PARAMETER, round(self._USUAL_WORDS_A_MINUTE * speed), 0)
        words = text.encode()
        self._pieces.clear()
        self._library.espeak_Synth(words, len(words) + 1, 0, self._BY_CHARACTER, 0, self._UTF8, None, None)
        self._library.espeak_Synchronize()
        return b"".join(self._pieces)


class Tone:
    """A tone a word, higher for a longer word: for tables without a voice package, and for trying everything else."""

    rate_hz = 16_000
    _WORD_S, _GAP_S, _LOWEST_HZ = 0.08, 0.04, 300

    def speak(self, text: str, voice: str, speed: float) -> bytes:
        gap = bytes(2 * round(self._GAP_S / speed * self.rate_hz))
        return b"".join(self._wave(len(word), self._WORD_S / speed) + gap for word in text.split())

    def _wave(self, letters: int, seconds: float) -> bytes:
        from math import pi, sin

        length = round(self.rate_hz / (self._LOWEST_HZ + 40 * min(letters, 20)))
        period = (round(12_000 * sin(2 * pi * n / length)) for n in range(length))
        return b"".join(sample.to_bytes(2, "little", signed=True) for sample in period) * round(
            seconds * self.rate_hz / length
        )


_MAKE: Mapping[str, Callable[[], Engine]] = {"nanotts": NanoTts, "espeak": Espeak, "tone": Tone}


def engine_version(name: str) -> str | None:
    """The version of the package an engine comes in; None where it is not installed."""
    if name == "tone":
        return "1"
    try:
        return version(PACKAGES[name][0])
    except PackageNotFoundError:
        return None


def best_engine() -> str | None:
    """The engine to use when none was asked for: the first that is installed."""
    return next((name for name in PACKAGES if engine_version(name) is not None), None)


def main(name: str, *manner: str) -> int:
    """Serve one engine on standard input and output until the input ends; `gently` gives way to other processes."""
    if "gently" in manner:
        os.nice(_GENTLE)
    # What C code prints must not get among the sound: the real output is kept aside, and 1 becomes 2.
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def say(answer: Mapping[str, Any], sound: bytes = b"") -> None:
        output.write(json.dumps(answer).encode() + b"\n" + sound)
        output.flush()

    try:
        engine = _MAKE[name]()
    except (ImportError, OSError) as error:
        say({"error": f"the engine {name} cannot be used ({error})"})
        return 1
    say({"ready": True})
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        # Whoever asked ends an engine that hangs; should they be gone themselves, the alarm does.
        signal.alarm(_LONGEST_S)
        try:
            sound = engine.speak(asked["text"], asked["voice"], asked["speed"])
        except (OSError, RuntimeError, ValueError) as error:
            say({"error": str(error)})
        else:
            say({"rate_hz": engine.rate_hz, "bytes": len(sound)}, sound)
        signal.alarm(0)
    return 0


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        sys.exit(main(*sys.argv[1:]))
