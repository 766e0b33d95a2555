"""The one door to everything that makes rulings known.

Belongs here: the thread between the session and the outputs, and the making of the outputs. Does not belong here: any
output.

Rules of the door:
- No call waits for anything but a lock that is held for microseconds, and no call raises because of a device.
- Everything is handed to every output in the order in which it was handed in; of statuses only the latest counts.
- What is not public is handed to no output (`publicity`), what was handed on once is not handed on again.
- An output that breaks (our bug) is closed and named in `health`; the others go on.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Self

from referee.announce.console import Console
from referee.announce.lamps import Lamps
from referee.announce.mqtt import Mqtt
from referee.announce.outputs import Clock, Notice, Output, Status, monotonic_us, status_of
from referee.announce.publicity import Publicity
from referee.announce.settings import AnnounceSettings
from referee.announce.speech.output import Speech
from referee.announce.speech.players import Files, Speaker
from referee.announce.speech.voice import Voice
from referee.gpio import Change
from referee.words import Expected, Ruling

MOST_WAITING = 1024
_LOOK_S = 0.5


def to_stderr(sentence: str) -> None:
    """Tell the operator one sentence."""
    print(f"referee: {sentence}", file=sys.stderr, flush=True)


def open_outputs(
    settings: AnnounceSettings,
    players: Sequence[str],
    game: str,
    now_us: Clock = monotonic_us,
    console: Callable[[str], None] | None = None,
) -> list[Output]:
    """The outputs that the settings ask for; raises `InputError` only, for a folder that may not be written to."""
    outputs: list[Output] = []
    if settings.engine != "off":
        into = settings.say_into
        voice = partial(Voice, settings.engine, settings.language, settings.voice, settings.speed)
        outputs.append(
            Speech(
                game,
                players,
                settings.language,
                Speaker(settings.player)
                if into is None
                else Files(into, now_us, paced=settings.paced, force=settings.overwrite),
                voice,
                settings.cache,
                pronounce=settings.pronounce,
                remind_after_us=round(settings.remind_after_s * 1e6),
                now_us=now_us,
                ahead=partial(voice, gently=True),
            )
        )
    if settings.pins.any:
        outputs.append(Lamps(settings.pins, now_us))
    if settings.mqtt is not None:
        outputs.append(Mqtt(settings.mqtt, game, settings.language))
    if console is not None:
        outputs.append(Console(game, settings.language, console))
    return outputs


class Announcer:
    """Makes a game's rulings known; use as a context manager, or call `close`.

    `tell` is given each new sentence of health once. `outputs` replaces those that the settings ask for.
    """

    def __init__(
        self,
        settings: AnnounceSettings,
        players: Sequence[str],
        game: str,
        *,
        outputs: Sequence[Output] | None = None,
        now_us: Clock = monotonic_us,
        console: Callable[[str], None] | None = None,
        tell: Callable[[str], None] = to_stderr,
    ) -> None:
        self._publicity = Publicity(game, settings.duel)
        self._outputs = list(open_outputs(settings, players, game, now_us, console) if outputs is None else outputs)
        self._broken: dict[str, str] = {}
        self._tell = tell
        self._told: set[str] = set()
        self._changed = threading.Condition()
        self._waiting: deque[Callable[[Output], None]] = deque()
        self._status: Status | None = None
        self._status_given: Status | None = None
        self._lost = 0
        self._warnings = 0
        self._busy = False
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="announcer", daemon=True)
        self._thread.start()

    # --- called by the session --------------------------------------------------------------------------

    def ruled(self, place: int, ruling: Ruling) -> None:
        """A ruling was given and kept; `place` is its place among the rulings given (0 first)."""
        with self._changed:
            if self._publicity.admit(place, ruling):
                notice = Notice(place, ruling)
                self._put(lambda output: output.ruled(notice))

    def warned(self, kind: str, about: Mapping[str, Any], t_us: int) -> None:
        """Something the table should hear of that is no ruling and stands in no record; its place is below 0."""
        with self._changed:
            self._warnings += 1
            ruling: Ruling = {"t_us": t_us, "ruling": "warning", "kind": kind, **about, "clauses": [], "public": True}
            notice = Notice(-self._warnings, ruling)
            self._put(lambda output: output.ruled(notice))

    def overturned(self, places: Iterable[int]) -> None:
        """The rulings at these places do not hold any more."""
        with self._changed:
            found = self._publicity.overturn(places)
            self._put(lambda output: output.overturned(found))

    def status(self, expected: Expected, summary: Mapping[str, Any], sources: Mapping[str, str] | None = None) -> None:
        """How the game stands now: what the rules expect, the counts, and how each source of data is."""
        status = status_of(expected, summary, sources or {})
        with self._changed:
            self._status = status
            self._changed.notify()

    def presses(self) -> list[Change]:
        """The seat buttons pressed and let go since the last call, named after their players."""
        return [press for output in self._outputs if isinstance(output, Lamps) for press in output.presses()]

    @property
    def health(self) -> dict[str, str]:
        """What is wrong, one sentence an output; empty when all is well."""
        found = {output.name: output.health.sentence for output in self._outputs if output.health.sentence}
        if self._lost:
            found["announcer"] = f"the announcer was too far behind: {self._lost} messages were let go"
        return {**found, **self._broken}

    def close(self, wait_s: float = 10.0) -> None:
        """Finish saying what waits, for `wait_s` seconds at most, and let go of every device; safe to call twice."""
        end_s = time.monotonic() + wait_s
        with self._changed:
            while (self._waiting or self._status is not None or self._busy) and self._thread.is_alive():
                rest_s = end_s - time.monotonic()
                if rest_s <= 0:
                    break
                self._changed.wait(min(rest_s, 0.05))
            self._closing = True
            self._changed.notify()
        self._thread.join(1.0)
        for output in self._outputs:
            self._guarded(output, lambda one: one.close(max(0.0, end_s - time.monotonic())))
        self._tell_health()

    # --- the thread -------------------------------------------------------------------------------------

    def _put(self, message: Callable[[Output], None]) -> None:
        if len(self._waiting) >= MOST_WAITING:
            self._waiting.popleft()
            self._lost += 1
        self._waiting.append(message)
        self._changed.notify()

    def _run(self) -> None:
        while (message := self._next()) is not None:
            for output in tuple(self._outputs):
                self._guarded(output, message)
            self._tell_health()

    def _next(self) -> Callable[[Output], None] | None:
        with self._changed:
            self._busy = False
            while not self._closing:
                if self._waiting:
                    self._busy = True
                    return self._waiting.popleft()
                status, self._status = self._status, None
                if status is not None and status != self._status_given:
                    self._status_given = status
                    self._busy = True
                    return lambda output: output.status(status)
                self._changed.notify()
                if not self._changed.wait(_LOOK_S):
                    return lambda output: None  # health is looked at also when nothing happens
            return None

    def _guarded(self, output: Output, message: Callable[[Output], None]) -> None:
        if output.name in self._broken:
            return
        try:
            message(output)
        except Exception as error:  # our own bug in one output must not end the game
            self._broken[output.name] = f"{output.name} has stopped: {error!r}"

    def _tell_health(self) -> None:
        for sentence in self.health.values():
            if sentence not in self._told:
                self._told.add(sentence)
                self._tell(sentence)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
