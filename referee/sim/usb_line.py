"""A USB line as pings see it: jitter, stalls, unequal ways, and two clocks that drift apart.

Belongs here: how late messages are. Does not belong here: what is made of it (`referee/totem/clock`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.totem.clock import DeviceClock

_SOON, _SOON_US, _LATER_US = 16, 20_000, 250_000  # as `receiver` pings


@dataclass(frozen=True)
class UsbLine:
    """Two clocks joined by a line: the totem's is `table * (1 + drift_ppm * 1e-6) + offset_us`.

    `there_us` and `back_us` are the fastest ways of a message to the totem and back. On top come an exponential
    wait (mean 0.4 and 0.3 ms), up to 1 ms for a USB frame or a scan to end, and in one message of twenty a stall
    of 5 and 8 ms.
    """

    drift_ppm: float
    offset_us: int
    there_us: float = 150.0
    back_us: float = 300.0

    def stamps(self, table_us: NDArray[np.float64]) -> NDArray[np.int64]:
        """What the totem's clock says at moments of the table's."""
        return (table_us * (1 + self.drift_ppm * 1e-6)).astype(np.int64) + self.offset_us

    def ping(self, clock: DeviceClock, seconds: float, seed: int, start_us: float = 0.0) -> float:
        """Ping for so long; returns the table time at the end."""
        draw = np.random.default_rng(seed)
        rate = 1 + self.drift_ppm * 1e-6
        table_us, count = start_us, 0
        while table_us < start_us + seconds * 1e6:
            there = self.there_us + draw.exponential(400) + draw.uniform(0, 1000) + (draw.random() < 0.05) * 5000
            back = self.back_us + draw.exponential(300) + draw.uniform(0, 1000) + (draw.random() < 0.05) * 8000
            noticed = int((table_us + there) * rate) + self.offset_us
            answered = noticed + int(draw.integers(20, 200))
            seen = (answered - self.offset_us) / rate + back
            clock.add(int(table_us), noticed, answered, int(seen) + 1)
            count += 1
            table_us += _SOON_US if count < _SOON else _LATER_US
        return table_us
