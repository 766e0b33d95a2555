"""Where sound goes: a speaker, or files.

Belongs here: the edge. Does not belong here: what is said and when (`output`).

The speaker is a child process that reads raw sound and can be killed in the middle of a word: `aplay` (alsa-utils,
on every Raspberry Pi OS), else `paplay`. A sound library inside this process would have to be trusted never to hang;
of those with wheels, `sounddevice` still needs the system's PortAudio and `miniaudio` has no wheel for aarch64.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Protocol

from referee.announce.speech.sounds import write_wav
from referee.announce.speech.voice import Sound
from referee.errors import HardwareError, InputError

_KNOWN: tuple[tuple[str, ...], ...] = (
    ("aplay", "-q", "-t", "raw", "-f", "S16_LE", "-c", "1", "-r", "{rate_hz}", "-"),
    ("paplay", "--raw", "--format=s16le", "--channels=1", "--rate={rate_hz}"),
)
_OVERTIME_S = 3.0
"""A player may take this much longer than the sound lasts before it is taken to hang."""


class Player(Protocol):
    """Plays one utterance at a time: `begin`, `write` for each piece, `end`; `cut` may come from any thread.

    All but `cut` and `close` raise `HardwareError` when there is no sound to be had.
    """

    def begin(self, text: str, places: Sequence[int], rate_hz: int) -> None: ...

    def write(self, sound: Sound) -> None: ...

    def end(self) -> None: ...

    def playing(self) -> bool: ...

    def cut(self) -> None: ...

    def close(self) -> None: ...


class Speaker:
    """The loudspeaker of this machine; `command` reads raw 16-bit mono sound, `{rate_hz}` in it is filled in."""

    def __init__(self, command: Sequence[str] = ()) -> None:
        self._command = tuple(command)
        self._child: subprocess.Popen[bytes] | None = None
        self._words: IO[bytes] | None = None
        self._was_cut = False
        self._deadline_s = 0.0

    def begin(self, text: str, places: Sequence[int], rate_hz: int) -> None:
        """Start the player; sound is heard with the first `write`."""
        self._forget()
        command = [word.replace("{rate_hz}", str(rate_hz)) for word in self._command or _installed()]
        words = tempfile.TemporaryFile()  # noqa: SIM115 - what the player says of itself, read when it has failed
        try:
            child = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=words, stderr=words, bufsize=0, start_new_session=True
            )
        except OSError as error:
            words.close()
            raise HardwareError(f"no sound: {command[0]} cannot be started ({error.strerror})") from error
        assert child.stdin is not None
        os.set_blocking(child.stdin.fileno(), False)
        self._was_cut = False
        self._words, self._child = words, child
        self._deadline_s = time.monotonic() + _OVERTIME_S

    def write(self, sound: Sound) -> None:
        """Hand over a piece of sound; comes back when the player has taken it or was cut."""
        child = self._child
        if child is None or self._was_cut:
            return
        assert child.stdin is not None
        self._deadline_s += sound.seconds
        rest = memoryview(sound.pcm)
        try:
            while rest:
                wait_s = self._deadline_s - time.monotonic()
                if wait_s <= 0:
                    self.cut()
                    raise HardwareError(f"no sound: {self._named(child)} takes none")
                _, ready, _ = select.select([], [child.stdin], [], wait_s)
                if ready:
                    rest = rest[os.write(child.stdin.fileno(), rest) :]
        except BrokenPipeError:
            self._check(child)

    def end(self) -> None:
        """Say that no more sound follows."""
        if self._child is not None and self._child.stdin is not None:
            self._child.stdin.close()

    def playing(self) -> bool:
        """Whether sound can still be heard; raises `HardwareError` when the player failed or hangs."""
        child = self._child
        if child is None:
            return False
        if child.poll() is None:
            if time.monotonic() < self._deadline_s:
                return True
            self.cut()
            raise HardwareError(f"no sound: {self._named(child)} does not come to an end")
        self._check(child)
        return False

    def cut(self) -> None:
        """Be silent at once."""
        child = self._child
        if child is not None:
            self._was_cut = True
            child.kill()

    def close(self) -> None:
        """Be silent and let go of everything."""
        self.cut()
        self._forget()

    def _check(self, child: subprocess.Popen[bytes]) -> None:
        status = child.wait(_OVERTIME_S)
        if status != 0 and not self._was_cut:
            raise HardwareError(f"no sound: {self._named(child)} says {self._last_words()!r}")

    def _last_words(self) -> str:
        assert self._words is not None
        self._words.seek(0)
        lines = self._words.read(4096).decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "nothing"

    @staticmethod
    def _named(child: subprocess.Popen[bytes]) -> str:
        assert isinstance(child.args, list)
        return str(child.args[0])

    def _forget(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.wait()
            assert child.stdin is not None
            child.stdin.close()
        if self._words is not None:
            self._words.close()
            self._words = None


class Files:
    """A folder that gets a WAV for each utterance, and `said.jsonl`: when, what, which rulings, how long, cut or not.

    It ships for `--dry` and for tests: everything before the loudspeaker runs as it does in a game. With `paced` an
    utterance takes as long as it would be heard, by `clock_s`. Raises `InputError` when the folder holds the speech of
    another game.
    """

    def __init__(
        self,
        folder: Path,
        now_us: Callable[[], int],
        *,
        paced: bool = True,
        force: bool = False,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder
        self._now_us = now_us
        self._paced = paced
        self._clock_s = clock_s
        self._log = folder / "said.jsonl"
        if self._log.exists() and not force:
            raise InputError(f"{self._log}: is there already, expected a new folder (or --force)")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if self._log.exists():
                for old in folder.glob("[0-9][0-9][0-9][0-9][0-9].wav"):
                    old.unlink()
            self._log.write_text("")
        except OSError as error:
            raise InputError(f"{folder}: cannot be written to ({error.strerror})") from error
        self._count = 0
        self._begun: tuple[str, list[int], int] | None = None
        self._sounds: list[Sound] = []
        self._until_s = 0.0
        self._was_cut = False

    def begin(self, text: str, places: Sequence[int], rate_hz: int) -> None:
        """Note when something began to be said."""
        self._begun = (text, list(places), self._now_us())
        self._sounds = []
        self._until_s = self._clock_s()
        self._was_cut = False

    def write(self, sound: Sound) -> None:
        """Take a piece of sound."""
        if self._was_cut:
            return
        self._sounds.append(sound)
        self._until_s += sound.seconds

    def end(self) -> None:
        """No more sound follows."""

    def playing(self) -> bool:
        """Whether it could still be heard; the file is there when this says no."""
        if self._paced and not self._was_cut and self._clock_s() < self._until_s:
            return True
        self._keep()
        return False

    def cut(self) -> None:
        """Be silent at once: the line in `said.jsonl` says so, the file holds all that had been handed over."""
        self._was_cut = True

    def close(self) -> None:
        """Keep what was begun."""
        self._keep()

    def _keep(self) -> None:
        if self._begun is None:
            return
        (text, places, t_us), self._begun = self._begun, None
        self._count += 1
        name = f"{self._count:05d}.wav"
        line = {"t_us": t_us, "text": text, "places": places, "wav": name, "seconds": 0.0, "cut": self._was_cut}
        line["seconds"] = round(sum(sound.seconds for sound in self._sounds), 3)
        try:
            if self._sounds:
                write_wav(self._folder / name, self._sounds)
            with self._log.open("a", encoding="utf-8") as log:
                log.write(json.dumps(line, ensure_ascii=False) + "\n")
        except OSError as error:
            raise HardwareError(f"{self._folder}: cannot be written to ({error.strerror})") from error


def _installed() -> tuple[str, ...]:
    for command in _KNOWN:
        if shutil.which(command[0]):
            return command
    raise HardwareError("no sound: neither aplay (alsa-utils) nor paplay is installed")
