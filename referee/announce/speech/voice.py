"""A voice: text in, sound out, with a limit on every wait.

Belongs here: the child process an engine runs in, its time limit, its restart. Does not belong here: engines
(`engines`), keeping sounds (`sounds`).
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self

from referee.announce.speech.engines import ENGINES, PACKAGES, VOICES, best_engine, engine_version
from referee.errors import HardwareError, InputError

LIMIT_S = 5.0
"""For one phrase. One of the longest takes up to 0.2 s on a desktop; a busy Pi is some ten times slower than that."""
START_LIMIT_S = 10.0
_MOST_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class Sound:
    """16-bit little-endian mono samples."""

    rate_hz: int
    pcm: bytes

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return len(self.pcm) / 2 / self.rate_hz


class Voice:
    """One voice of one engine in one language.

    `engine` is `auto` (the first that is installed) or one of `ENGINES`; `name` a voice of that engine, empty for its
    usual one in `language`; `gently` lets every other process go first. Raises `InputError` for an engine nobody knows,
    `HardwareError` when none is installed.
    """

    def __init__(
        self,
        engine: str = "auto",
        language: str = "en",
        name: str = "",
        speed: float = 1.0,
        *,
        gently: bool = False,
        limit_s: float = LIMIT_S,
        command: Sequence[str] | None = None,
    ) -> None:
        if engine != "auto" and engine not in ENGINES:
            raise InputError(f"the engine {engine}: expected auto, {', '.join(ENGINES)}")
        found = best_engine() if engine == "auto" else engine
        if found is None or (number := engine_version(found)) is None:
            extra = PACKAGES["nanotts" if found is None else found][1]
            raise HardwareError(f'no voice is installed, nothing will be said aloud: pip install "referee[{extra}]"')
        self.engine, self.version = found, number
        self.language = language
        self.name = name or VOICES[found][language]
        self.speed = speed
        self._limit_s = limit_s
        usual = (sys.executable, "-m", "referee.announce.speech.engines", found, *(["gently"] if gently else []))
        self._command = command or usual
        self._child: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the engine, so that the first phrase does not wait for it; raises `HardwareError` as `render` does."""
        self._running()

    def render(self, text: str) -> Sound:
        """The sound of a phrase as the engine gives it.

        Raises `HardwareError` when the engine fails or takes longer than its limit; its child is then ended, and the
        next call starts another.
        """
        asked = json.dumps({"text": text, "voice": self.name, "speed": self.speed}).encode() + b"\n"
        child = self._running()
        deadline_s = time.monotonic() + self._limit_s
        try:
            assert child.stdin is not None
            child.stdin.write(asked)
            child.stdin.flush()
            answer = self._line(child, deadline_s)
            if "error" in answer:
                raise HardwareError(f"the voice {self.name} of {self.engine} failed: {answer['error']}")
            size = int(answer["bytes"])
            if not 0 <= size <= _MOST_BYTES:
                raise HardwareError(f"the engine {self.engine} answered with {size} bytes")
            return Sound(int(answer["rate_hz"]), self._bytes(child, size, deadline_s))
        except (BrokenPipeError, EOFError) as error:
            self.close()
            raise HardwareError(f"the engine {self.engine} ended while it was speaking") from error
        except TimeoutError as error:
            self.close()
            raise HardwareError(f"the engine {self.engine} took over {self._limit_s:g} s for one phrase") from error

    def close(self) -> None:
        """End the child, whatever it is doing."""
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        child.wait()
        for stream in (child.stdin, child.stdout):
            assert stream is not None
            with suppress(BrokenPipeError):  # what was still to be written to a child that is gone
                stream.close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is not None and self._child.poll() is None:
            return self._child
        self.close()
        child = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,  # Ctrl-C is for the referee, which then ends its children in order
        )
        self._child = child
        try:
            answer = self._line(child, time.monotonic() + START_LIMIT_S)
        except (EOFError, TimeoutError) as error:
            self.close()
            raise HardwareError(f"the engine {self.engine} does not start") from error
        if "error" in answer:
            self.close()
            raise HardwareError(str(answer["error"]))
        return child

    def _line(self, child: subprocess.Popen[bytes], deadline_s: float) -> dict[str, Any]:
        line = bytearray()
        while not line.endswith(b"\n"):  # a byte at a time: what follows the line is sound
            line += self._some(child, 1, deadline_s)
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _bytes(self, child: subprocess.Popen[bytes], size: int, deadline_s: float) -> bytes:
        found = bytearray()
        while len(found) < size:
            found += self._some(child, size - len(found), deadline_s)
        return bytes(found)

    def _some(self, child: subprocess.Popen[bytes], most: int, deadline_s: float) -> bytes:
        assert child.stdout is not None
        ready, _, _ = select.select([child.stdout], [], [], max(0.0, deadline_s - time.monotonic()))
        if not ready:
            raise TimeoutError
        found = os.read(child.stdout.fileno(), most)
        if not found:
            raise EOFError
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
