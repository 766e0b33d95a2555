"""How far each source has seen: watermarks, health, and how long to wait for a silent one.

Belongs here: what has been said by when, and when waiting for more is in vain. Does not belong here: events.

Written rules:
- a watermark never goes back; everything a source says of the time before it has been said;
- the clock for waits is told (`at`), never read, and never follows from a watermark: so the order in which two
  sources' words arrive changes nothing as long as both go on.
"""

from __future__ import annotations

from typing import Literal

Source = Literal["camera", "totem"]
Health = Literal["fresh", "stale", "lost"]
START_US = -(2**62)


class Watermarks:
    """The watermark of the camera and of the totem, their health, and the table's clock."""

    def __init__(self, wait_us: dict[Source, int]) -> None:
        self._wait_us = wait_us
        self._past: dict[Source, int] = dict.fromkeys(wait_us, START_US)
        self._health: dict[Source, tuple[Health, int]] = dict.fromkeys(wait_us, ("fresh", START_US))
        self.now_us = START_US
        self.ended = False

    def past(self, source: Source) -> int:
        """The source's watermark (table microseconds)."""
        return self._past[source]

    def advance(self, source: Source, t_us: int) -> None:
        """A source has said everything before `t_us`."""
        if t_us > self._past[source]:
            self._past[source] = t_us
            if self._health[source][0] != "fresh" and t_us >= self._health[source][1]:
                self._health[source] = ("fresh", t_us)

    def set_health(self, source: Source, health: Health, t_us: int) -> None:
        """A source is fresh, stale or lost since `t_us`."""
        if health != self._health[source][0]:
            self._health[source] = (health, t_us)

    def at(self, t_us: int) -> None:
        """The table's clock stands at `t_us`."""
        self.now_us = max(self.now_us, t_us)

    def is_lost(self, source: Source, t_us: int) -> bool:
        """Whether the source is lost, and was at `t_us`."""
        health, since = self._health[source]
        return health == "lost" and since <= t_us

    def has_seen(self, source: Source, t_us: int) -> bool:
        """Whether the source has seen past `t_us`."""
        return self.ended or self._past[source] > t_us

    def gave_up(self, source: Source, t_us: int) -> bool:
        """Whether nothing more is waited for from this source about the time `t_us`.

        A lost source is waited for as long as a silent one: it may come back, and what it says then counts.
        """
        return self.ended or self.now_us > t_us + self._wait_us[source]

    def is_through(self, source: Source, t_us: int) -> bool:
        """Whether the source has seen past `t_us`, or is not waited for any longer."""
        return self.has_seen(source, t_us) or self.gave_up(source, t_us)
