"""The thread in which a table is set up: it has the camera, the open step and the profile, and does what is asked.

Written rules:
- orders wait in a bounded queue and are done one after another; the newest state is there at once for whoever asks;
- pictures are only drawn and packed while somebody looks at them;
- an order that fails is answered with a sentence, a step that fails is closed with one.
Does not belong here: what a step does, pages.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import cv2
import numpy as np

from calibration.charuco import Picture
from calibration.guide import following, steps
from calibration.guided.bench import Bench, Sentence, Step, Stopped, Values
from calibration.guided.camera import CameraStep
from calibration.guided.cards import CardsStep
from calibration.guided.french import in_french
from calibration.guided.lamp import TimeStep
from calibration.guided.light import LightStep
from calibration.guided.people import PeopleStep
from calibration.guided.sound import SpeakerStep
from calibration.guided.table import TableStep
from calibration.guided.totem import TotemStep
from calibration.sources import Shot
from calibration.whole import defects
from referee.errors import InputError, RefereeError

STEPS: Mapping[str, Callable[[Bench], Step]] = {
    "deck": PeopleStep,
    "cards": CardsStep,
    "camera": CameraStep,
    "table": TableStep,
    "light": LightStep,
    "totem": TotemStep,
    "time": TimeStep,
    "speaker": SpeakerStep,
}
LARGEST_QUEUE = 16
WIDEST_PX = 1280  # of the picture that is shown
QUALITY = 80
PICTURE_EVERY_S = 0.12
HANGS_S = 30.0
LOOKED_AT_S = 3.0  # so long after somebody asked for a picture the next ones are drawn
STATE_EVERY_S = 0.15
_POLL_S = 0.03
_NO_STEP = Step


class Room:
    """A table being set up; start it, ask for its state and picture from any thread, give it orders, close it."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        bench.breathe = self._breathe
        self._orders: queue.Queue[tuple[int, str, Values]] = queue.Queue(LARGEST_QUEUE)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self.finished = threading.Event()
        """Set when somebody said that the set-up is over."""
        self._number = 0
        self._answer: dict[str, Any] = {"order": 0, "ok": True, "text": None}
        self._step: Step = _NO_STEP(bench)
        self._state: dict[str, Any] = {}
        self._packed: tuple[int, bytes] | None = None
        self._drawn_s = self._said_s = 0.0
        self._looked_s = -LOOKED_AT_S
        self._turned_s = time.monotonic()
        self._seen: Shot | None = None
        self._busy = False
        self._list: tuple[tuple[int, str, Any], list[dict[str, Any]]] | None = None
        self._thread = threading.Thread(target=self._run, name="set-up", daemon=True)

    def start(self) -> None:
        """Begin with the step that comes next."""
        self._open_next()
        self._publish()
        self._thread.start()

    def close(self) -> None:
        """End the thread and let go of camera and totem; may be called twice."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(10.0)

    @property
    def is_alive(self) -> bool:
        """Whether the room took a turn lately: a step that hangs has none."""
        return self._thread.is_alive() and time.monotonic() - self._turned_s < HANGS_S

    # -- for whoever shows it, from any thread

    def state(self, language: str) -> Mapping[str, Any]:
        """The newest state, its sentences in this language."""
        with self._lock:
            state = self._state
        return spoken(state, language)  # type: ignore[no-any-return]

    def picture(self) -> tuple[int, bytes] | None:
        """The newest picture with what is drawn on it, as a JPEG, and its number; None before there is one."""
        with self._lock:
            self._looked_s = time.monotonic()
            return self._packed

    def order(self, word: str, values: Values) -> int:
        """Queue an order; returns its number, which its answer names. Raises `InputError` when too many wait."""
        with self._lock:
            self._number += 1
            number = self._number
        try:
            self._orders.put_nowait((number, word, values))
        except queue.Full as error:
            raise InputError("the set-up is busy, try again") from error
        return number

    # -- the thread

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                self._once()
        except Stopped:
            pass
        finally:
            self._step.close()
            self._bench.eye.close()

    def _once(self) -> None:
        try:
            number, word, values = self._orders.get_nowait()
        except queue.Empty:
            pass
        else:
            self._do(number, word, values)
        try:
            shot = self._bench.eye.poll(_POLL_S)
            if shot is not None:
                self._step.see(shot)
            self._step.turn()
        except (RefereeError, cv2.error, OSError) as error:
            self._fail(error)
        self._show()

    def _do(self, number: int, word: str, values: Values) -> None:
        self._busy, before = True, self._bench.said
        answer: dict[str, Any] = {"order": number, "ok": True, "text": None}
        try:
            self._publish()
            if word == "open":
                self._open(str(values.get("step")))
            elif word == "finish":
                self._finish()
            else:
                self._step.do(word, values)
        except (RefereeError, cv2.error, OSError) as error:
            text = in_words(error)
            answer = {"order": number, "ok": False, "text": Sentence(text)}
            self._bench.say("no", text)
        else:
            if self._bench.said is not before and self._bench.said:
                answer["text"] = self._bench.said[-1][1]
        self._busy, self._answer = False, answer
        self._said_s = 0.0

    def _open(self, name: str) -> None:
        if name not in STEPS:
            raise InputError(f"{name}: there is no such step")
        self._step.close()
        self._step = _NO_STEP(self._bench)
        self._bench.said = []
        self._step = STEPS[name](self._bench)

    def _open_next(self) -> None:
        try:
            bench = self._bench
            named = bench.port_named is not None
            following_step = following(steps(bench.content, bench.now(), port_named=named))
            self._open("deck" if following_step is None else following_step.name)
        except RefereeError as error:
            self._fail(error)

    def _finish(self) -> None:
        found = defects(self._bench.profile)
        if found:
            raise InputError(f"the table cannot be played on yet: {found[0]}")
        if "table" not in self._bench.content:
            raise InputError("the table cannot be played on yet: keep the step Table and seats first")
        self._bench.say("good", "the table is set up")
        self.finished.set()

    def _fail(self, error: Exception) -> None:
        """A step that cannot go on: said, and closed."""
        self._bench.say("no", in_words(error))
        self._step.close()
        self._step = _NO_STEP(self._bench)

    def _breathe(self) -> None:
        """In the middle of a long step: show how far it is, end when the room is closed."""
        if self._stop.is_set():
            raise Stopped
        self._show()

    def _show(self) -> None:
        now_s = self._turned_s = time.monotonic()
        newest = self._bench.eye.newest
        if newest is not None and newest is not self._seen:
            wanted = now_s - self._looked_s < LOOKED_AT_S or self._packed is None
            if wanted and now_s - self._drawn_s >= PICTURE_EVERY_S:
                self._seen, self._drawn_s = newest, now_s
                packed = packed_picture(self._step.drawn(newest.picture))
                with self._lock:
                    self._packed = (0 if self._packed is None else self._packed[0] + 1, packed)
        if now_s - self._said_s >= STATE_EVERY_S:
            self._said_s = now_s
            self._publish()

    def _publish(self) -> None:
        eye = self._bench.eye
        health = eye.health()
        camera = {
            "freshness": health.freshness.name.lower(),
            "problem": None if health.problem is None else Sentence(health.problem),
            "size": None if eye.size is None else list(eye.size),
            "fps": None if eye.fps is None else round(eye.fps, 1),
            "live": eye.live,
        }
        state = {
            "profile": self._bench.profile.name,
            "open": self._step.name or None,
            "busy": self._busy,
            "steps": self._steps(),
            "camera": camera,
            "picture": None if self._packed is None else self._packed[0],
            "step": self._step.words(),
            "said": [{"kind": kind, "text": text} for kind, text in self._bench.said],
            "answer": self._answer,
            "finished": self.finished.is_set(),
        }
        with self._lock:
            self._state = state

    def _steps(self) -> list[dict[str, Any]]:
        """The list of steps; worked out anew when the profile changed."""
        bench = self._bench
        key = (bench.version, bench.eye.source, bench.eye.size)
        if self._list is None or self._list[0] != key:
            device = bench.camera_device.get("device")
            try:
                made = steps(bench.content, bench.now(), device, None, bench.eye.size, bench.port_named is not None)
            except InputError as error:
                bench.say("no", str(error))
                made = ()
            rows = [{"name": step.name, "state": step.state, "why": Sentence(step.why)} for step in made]
            self._list = (key, rows)
        return self._list[1]


def in_words(error: Exception) -> str:
    """What is said of something that went wrong; only our own errors are sentences."""
    return str(error) if isinstance(error, RefereeError) else "that could not be done; the set-up goes on"


def packed_picture(picture: Picture) -> bytes:
    """A picture (H×W×3) as a JPEG, no wider than is shown."""
    height, width = picture.shape[:2]
    if width > WIDEST_PX:
        size = (WIDEST_PX, round(height * WIDEST_PX / width))
        picture = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
    return cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes()


def spoken(value: Any, language: str) -> Any:
    """The same values with their sentences in a language."""
    if isinstance(value, Sentence):
        return in_french(value) if language == "fr" else str(value)
    if isinstance(value, Mapping):
        return {key: spoken(one, language) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [spoken(one, language) for one in value]
    return value
