"""The host's side of the talk with a totem: what to ask, in which order scans count, what was lost.

Belongs here: hello, stream, pings, asking again, putting frames in order, table time. Does not belong here:
ports and waiting (`links`), bytes (`protocol`), what scans mean.

Written rules:
- Sans-IO: the caller hands in bytes and the time, and sends what `to_send` gives.
- Batches come out in the order they were scanned, each scan once, on the table clock, stamps rising over all
  starts of the totem. What is missing is asked for again for `PATIENCE_US`; then it counts as lost, in the
  batch that follows it.
- Nothing grows without bound: a hole is held open over at most the totem's own window.

    state        leaves it when                      does meanwhile
    greeting     a hello comes                       asks for it every GREETING_US
    streaming    the line is cut, or silence, or     pings, asks for holes, health
                 frames of another start come
"""

from __future__ import annotations

import enum
from collections import OrderedDict, deque
from dataclasses import dataclass, replace

import numpy as np

from referee.totem import protocol
from referee.totem.clock import ENOUGH_SAMPLES, ClockState, DeviceClock
from referee.totem.messages import (
    Cause,
    Fault,
    Gone,
    Health,
    Hello,
    LampSwitched,
    Message,
    Pause,
    Pong,
    Refused,
    Scans,
    SelfTest,
    after,
    distance,
)
from referee.totem.scans import ScanBatch

GREETING_US = 200_000
SILENCE_US = 300_000
PING_SOON_US = 20_000
PINGS_SOON = 16
PING_US = 250_000
HEALTH_US = 1_000_000
ASK_AGAIN_US = 40_000
PATIENCE_US = 400_000
_PINGS_OUT = 64
_HELD_FRAMES = 4096
_WAITING_FRAMES = 1024

Notice = Pause | LampSwitched | SelfTest | Health | Refused | Hello | Fault


class _State(enum.Enum):
    GREETING = "greeting"
    STREAMING = "streaming"


@dataclass(slots=True)
class Counters:
    """What went wrong on the line so far."""

    frames: int = 0
    faults: int = 0
    asked_again: int = 0
    scans_lost: int = 0
    repeats: int = 0
    starts: int = 0


class Receiver:
    """One host talking to one totem over any line."""

    def __init__(self) -> None:
        self._decoder = protocol.Decoder()
        self._state = _State.GREETING
        self._hello: Hello | None = None
        self._clock = DeviceClock()
        self._expected = 0
        self._held: dict[int, Scans | Pause] = {}
        self._hole_since_us: int | None = None
        self._asked_at_us: int | None = None
        self._lost = 0
        self._joined = False
        self._waiting: deque[ScanBatch] = deque()
        self._last_table_us: int | None = None
        self._last_device_us = 0
        self._pings: OrderedDict[int, int] = OrderedDict()
        self._token = 0
        self._pinged = 0
        self._next_ping_us = 0
        self._next_greeting_us = 0
        self._next_health_us = 0
        self._heard_us = 0
        self._other_version = ""
        self._outgoing = bytearray()
        self._notices: deque[Notice] = deque(maxlen=256)
        self.counters = Counters()

    @property
    def hello(self) -> Hello | None:
        """Who is on the line, once it said so; kept while the line is cut."""
        return self._hello

    @property
    def clock_state(self) -> ClockState:
        """How well the totem's clock is known, at its latest scan."""
        return self._clock.state(self._last_device_us)

    @property
    def problem(self) -> str | None:
        """Why no scans can be had from a totem that does answer; None when nothing stands in the way."""
        if self._other_version:
            return f"the totem's program speaks another version of the protocol ({self._other_version})"
        if not self._clock.ready and self._clock.rejected >= ENOUGH_SAMPLES:
            return "the totem's clock runs at another pace than this machine's"
        return None

    def take_notices(self) -> list[Notice]:
        """What else was said since the last call (pauses, lamp, self-test, health, faults); the last 256."""
        notices = list(self._notices)
        self._notices.clear()
        return notices

    def send(self, command: bytes) -> None:
        """Queue a command of `protocol` for the totem."""
        self._outgoing += command

    def line_cut(self) -> None:
        """The line was cut or made anew: greet again, and go on where the same start of the totem was."""
        self._decoder.forget()
        self._greet()

    def _greet(self) -> None:
        self._state = _State.GREETING
        self._outgoing.clear()
        self._pings.clear()
        self._next_greeting_us = 0

    # -- outgoing

    def to_send(self, now_us: int) -> bytes:
        """The bytes that are due for the totem at `now_us` (table clock)."""
        if self._state is _State.GREETING:
            if now_us >= self._next_greeting_us:
                self._next_greeting_us = now_us + GREETING_US
                self._outgoing += protocol.ask_hello()
        else:
            if now_us - self._heard_us > SILENCE_US:
                self._heard_us = now_us
                self._outgoing += protocol.ask_hello()
            if now_us >= self._next_health_us:
                self._next_health_us = now_us + HEALTH_US
                self._outgoing += protocol.ask_health()
            self._mend(now_us)
            if now_us >= self._next_ping_us:
                self._ping(now_us)
        data = bytes(self._outgoing)
        self._outgoing.clear()
        return data

    def _ping(self, now_us: int) -> None:
        self._pinged += 1
        self._next_ping_us = now_us + (PING_SOON_US if self._pinged < PINGS_SOON else PING_US)
        self._token = (self._token + 1) & 0xFFFFFFFF
        self._pings[self._token] = now_us
        while len(self._pings) > _PINGS_OUT:
            self._pings.popitem(last=False)
        self._outgoing += protocol.ping(self._token)

    def _mend(self, now_us: int) -> None:
        """Ask for the hole before the held frames again, or give it up."""
        if not self._held:
            self._hole_since_us = self._asked_at_us = None
            return
        if self._hole_since_us is None:
            self._hole_since_us = now_us
        if now_us - self._hole_since_us > PATIENCE_US:
            self._give_up(self._next_held())
            return
        if self._asked_at_us is None or now_us - self._asked_at_us > ASK_AGAIN_US:
            self._asked_at_us = now_us
            self.counters.asked_again += 1
            missing = distance(self._next_held(), self._expected)
            self._outgoing += protocol.resend(self._expected, min(missing, 0xFFFF))

    def _next_held(self) -> int:
        return min(self._held, key=lambda sequence: distance(sequence, self._expected))

    def _give_up(self, until: int) -> None:
        """Hand out what is held before the frame `until`, and count what is missing before it as lost."""
        before = [sequence for sequence in self._held if distance(sequence, until) < 0]
        for sequence in sorted(before, key=lambda number: distance(number, self._expected)):
            self._lose(distance(sequence, self._expected))
            self._deliver(self._held.pop(sequence))
            self._expected = after(sequence)
        self._lose(distance(until, self._expected))
        self._expected = until
        self._hole_since_us = self._asked_at_us = None
        self._drain()

    def _lose(self, frames: int) -> None:
        # What a totem said before we joined is not lost: nobody was listening.
        if self._joined and frames > 0 and self._hello is not None:
            self._lost += frames * self._hello.batch
            self.counters.scans_lost += frames * self._hello.batch

    # -- incoming

    def receive(self, data: bytes, now_us: int) -> list[ScanBatch]:
        """Take in what the line gave at `now_us` (table clock); returns the batches that are now complete."""
        for message in self._decoder.feed(data):
            self._take(message, now_us)
        if not self._clock.ready:
            return []
        ready = [self._on_table(batch) for batch in self._waiting]
        self._waiting.clear()
        return ready

    def _take(self, message: Message | Fault, now_us: int) -> None:
        if isinstance(message, Fault):
            self._fault(message)
            return
        self.counters.frames += 1
        if isinstance(message, Scans | Pause):
            if self._state is _State.STREAMING:
                self._heard_us = now_us
                self._number(message)
        elif isinstance(message, Pong):
            sent_us = self._pings.pop(message.token, None)
            if sent_us is not None and sent_us <= now_us:
                self._clock.add(sent_us, message.received_us, message.sent_us, now_us)
        elif isinstance(message, Hello):
            self._greeted(message, now_us)
        elif isinstance(message, Gone):
            if distance(message.oldest, self._expected) > 0:
                self._give_up(message.oldest)
        else:
            self._notices.append(message)

    def _fault(self, fault: Fault) -> None:
        if fault.cause is Cause.NO_HELLO:
            # The tail of a stream that was running before we came; the hello has been asked for.
            return
        self.counters.faults += 1
        self._notices.append(fault)
        if fault.cause is Cause.VERSION:
            self._other_version = fault.detail
        if fault.cause is Cause.OTHER_START and self._state is _State.STREAMING:
            self._greet()

    def _greeted(self, hello: Hello, now_us: int) -> None:
        known = self._hello is not None and self._hello.boot_id == hello.boot_id
        if not known:
            self.counters.starts += 1
            self._clock = DeviceClock()
            self._pinged = 0
            self._expected = hello.oldest
            self._held.clear()
            self._waiting.clear()
            self._joined = False
            self._hole_since_us = self._asked_at_us = None
            self._notices.append(hello)
        if self._state is _State.GREETING:
            self._next_ping_us = now_us
            self._next_health_us = now_us + HEALTH_US
        self._hello = hello
        self._other_version = ""
        self._state = _State.STREAMING
        self._heard_us = now_us
        self._outgoing += protocol.stream(True, self._expected)

    def _number(self, message: Scans | Pause) -> None:
        ahead = distance(message.sequence, self._expected)
        if ahead < 0 or message.sequence in self._held:
            self.counters.repeats += 1
            return
        window = min(self._hello.window if self._hello else 1, _HELD_FRAMES)
        if ahead > 0:
            self._held[message.sequence] = message
            if ahead > window:
                # What is missing has left the totem's window: it cannot be had any more.
                self._give_up(self._next_held())
            return
        self._deliver(message)
        self._expected = after(message.sequence)
        self._drain()

    def _drain(self) -> None:
        while (message := self._held.pop(self._expected, None)) is not None:
            self._deliver(message)
            self._expected = after(self._expected)
            self._hole_since_us = self._asked_at_us = None

    def _deliver(self, message: Scans | Pause) -> None:
        self._joined = True
        if isinstance(message, Pause):
            self._notices.append(message)
            return
        batch = replace(message.batch, lost=self._lost) if self._lost else message.batch
        self._lost = 0
        if len(self._waiting) >= _WAITING_FRAMES:
            dropped = self._waiting.popleft()
            self.counters.scans_lost += len(dropped)
            first = self._waiting[0]
            self._waiting[0] = replace(first, lost=first.lost + dropped.lost + len(dropped))
        self._waiting.append(batch)

    def _on_table(self, batch: ScanBatch) -> ScanBatch:
        self._last_device_us = int(batch.t_us[-1])
        t_us = self._clock.to_table(batch.t_us)
        if self._last_table_us is not None and t_us[0] <= self._last_table_us:
            # A step of the clock, or a new start, must not make time run backwards.
            t_us = np.maximum(t_us, self._last_table_us + 1 + np.arange(len(t_us), dtype=np.int64))
        self._last_table_us = int(t_us[-1])
        return replace(batch, t_us=t_us)
