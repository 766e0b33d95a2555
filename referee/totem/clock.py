"""From the totem's clock to the table's: offset and drift, with a bound on the error.

Belongs here: what pings say about two clocks. Does not belong here: who sends pings and when (`receiver`),
wraps of the totem's counter (the firmware sends 64 bits), frames.

The method. A ping leaves the host at h0, is noticed by the totem at d1, answered at d2, and the answer is
seen at h3. A message cannot arrive before it was sent, so the offset θ = host - totem obeys θ(d1) ≥ h0 - d1
and θ(d2) ≤ h3 - d2, whatever the delays were and however lopsided. The offset is taken as a line a + b·d with
|b| ≤ `MAX_DRIFT_PPM`; every ping cuts away lines that cannot be. What is left is a band: its middle along the
slope with the most room is the estimate, the edges of the whole band are the error bound. Only the fastest
messages touch the band: a minimum-delay filter for each direction by itself. What no method can see is how
lopsided the fastest ones are: half of that difference stays in the estimate, inside the bound.

Sources: bounding a clock by the hulls of both directions: Zhang, Liu and Xia, IEEE INFOCOM 2002; the four
stamps of a ping: RFC 5905, section 8.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.errors import EngineError

MAX_DRIFT_PPM = 250.0  # two crystals of ±100 ppm and some room
WANDER_PPM = 1.0  # how far a drift may change while samples are kept: crystals follow their temperature
WINDOW_US = 60_000_000
MAX_SAMPLES = 256
ENOUGH_SAMPLES = 8
SLEW_PPM = 500.0  # a new estimate is approached no faster than this, so that intervals stay intervals
STEP_US = 2_000.0  # unless it is this far away

_SLOPES = np.linspace(-MAX_DRIFT_PPM, MAX_DRIFT_PPM, 501) * 1e-6


@dataclass(frozen=True, slots=True)
class ClockState:
    """The estimate at one moment: `offset_us` = host - totem, good to ± `error_us`, from so many pings."""

    offset_us: float
    error_us: float
    drift_ppm: float
    pings: int


class DeviceClock:
    """Turns stamps of one start of one totem into table time; a new start needs a new clock."""

    def __init__(self) -> None:
        self._at_us: deque[tuple[int, int]] = deque(maxlen=MAX_SAMPLES)  # totem time: noticed, answered
        self._low_us: deque[int] = deque(maxlen=MAX_SAMPLES)
        self._high_us: deque[int] = deque(maxlen=MAX_SAMPLES)
        self._pings = 0
        self.rejected = 0
        self._reference_us = 0
        self._offset_us = 0.0  # at the reference
        self._slope = 0.0
        self._error_us = float("inf")
        self._applied_us: float | None = None
        self._applied_at_us = 0

    @property
    def ready(self) -> bool:
        """True once there were enough pings to trust the stamps."""
        return self._pings >= ENOUGH_SAMPLES

    def add(self, sent_us: int, noticed_us: int, answered_us: int, seen_us: int) -> None:
        """Take in one ping: sent and seen on the table clock, noticed and answered on the totem's.

        Raises `EngineError` when a pair of stamps runs backwards (`protocol` lets none through).
        """
        if seen_us < sent_us or answered_us < noticed_us:
            raise EngineError("a ping was seen before it was sent")
        if answered_us - noticed_us > (seen_us - sent_us) * (1 + MAX_DRIFT_PPM * 1e-6) + 1:
            # The totem says it thought longer than the whole ping took: no clock within the limits does that.
            self.rejected += 1
            return
        self._at_us.append((noticed_us, answered_us))
        self._low_us.append(sent_us - noticed_us)
        self._high_us.append(seen_us - answered_us)
        self._pings += 1
        while len(self._at_us) > ENOUGH_SAMPLES and answered_us - self._at_us[0][0] > WINDOW_US:
            self._drop_oldest()
        self._solve(answered_us)

    def _drop_oldest(self) -> None:
        self._at_us.popleft()
        self._low_us.popleft()
        self._high_us.popleft()

    def _solve(self, now_us: int) -> None:
        while True:
            at = np.array(self._at_us, dtype=np.int64) - now_us
            age = np.abs(at) * (WANDER_PPM * 1e-6)
            # Taken from the newest sample's offset, so that no precision is lost to a large common part.
            base = self._low_us[-1]
            low = np.array(self._low_us, dtype=np.int64) - base - age[:, 0]
            high = np.array(self._high_us, dtype=np.int64) - base + age[:, 1]
            floor = (low[None, :] - _SLOPES[:, None] * at[None, :, 0]).max(axis=1)
            ceiling = (high[None, :] - _SLOPES[:, None] * at[None, :, 1]).min(axis=1)
            room = ceiling - floor
            if room.max() >= 0 or len(self._at_us) == 1:
                break
            # No line fits: one of the clocks was stepped or changed its rate. Newer pings are believed.
            for _ in range((len(self._at_us) + 1) // 2):
                self._drop_oldest()
        best = int(room.argmax())
        possible = room >= min(0.0, float(room[best]))
        self._reference_us = now_us
        self._slope = float(_SLOPES[best])
        middle = float(floor[best] + ceiling[best]) / 2
        self._offset_us = base + middle
        self._error_us = max(float(ceiling[possible].max()) - middle, middle - float(floor[possible].min()))

    def _offset_at(self, device_us: int) -> float:
        return self._offset_us + self._slope * (device_us - self._reference_us)

    def state(self, device_us: int) -> ClockState:
        """The estimate at a moment of the totem's clock; the bound grows away from the last ping."""
        away_us = abs(device_us - self._reference_us)
        return ClockState(
            self._offset_at(device_us),
            self._error_us + away_us * 2 * MAX_DRIFT_PPM * 1e-6 if self._pings else float("inf"),
            self._slope * 1e6,
            self._pings,
        )

    def to_table(self, device_us: NDArray[np.int64]) -> NDArray[np.int64]:
        """Table time of rising totem stamps, int64 (N) microseconds.

        Changes of the estimate are slewed, so that the distance of two stamps is right to `SLEW_PPM`. Raises
        `EngineError` without any ping.
        """
        if not self._pings:
            raise EngineError("the totem's clock was asked before it was set")
        if not len(device_us):
            return device_us
        last_us = int(device_us[-1])
        target_us = self._offset_at(last_us)
        if self._applied_us is None or abs(target_us - self._applied_us) > STEP_US:
            self._applied_us = target_us
        else:
            reach_us = max(0, last_us - self._applied_at_us) * SLEW_PPM * 1e-6
            self._applied_us += min(max(target_us - self._applied_us, -reach_us), reach_us)
        self._applied_at_us = last_us
        return device_us + round(self._applied_us)
