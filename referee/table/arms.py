"""Whose arms the camera sees at the totem, frame by frame.

Belongs here: a short memory of `HandSeen` words and what they say about one moment. Does not belong here: what the
totem felt, who a hand is after all (`identity`).

Written rules:
- a *stay* is a player's unbroken presence at the totem; it may miss a frame or two, and an arm that is lost where
  another one comes may lie under that one for a while;
- memory is bounded in time and number.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace

KEPT_US = 12_000_000
MOST_FRAMES = 1_000
PRESENT = 0.5  # a player is taken to be there from this chance on
# An arm that is lost for this many frames is still there: fast arms blur.
BRIDGED_FRAMES = 2.6
UNDER_US = 200_000  # an arm lost beside another one is that long taken to be still there: they may be one outline


@dataclass(frozen=True)
class Stay:
    """A player's arm was at a place from `first_us` to `last_us` (exposure times), with this `chance` at best."""

    player: str
    first_us: int
    last_us: int
    chance: float


class Arms:
    """The arms seen at one place over the last seconds."""

    def __init__(self, frame_us: int) -> None:
        self._frame_us = frame_us
        self._frames: deque[tuple[int, Mapping[str, float]]] = deque(maxlen=MOST_FRAMES)

    def seen(self, t_us: int, chances: Mapping[str, float]) -> None:
        """In the frame at `t_us` there was an arm; several words of one frame add up."""
        if self._frames and self._frames[-1][0] == t_us:
            before = self._frames[-1][1]
            both = {
                player: 1.0 - (1.0 - before.get(player, 0.0)) * (1.0 - chances.get(player, 0.0))
                for player in {**before, **chances}
            }
            self._frames[-1] = (t_us, both)
        else:
            self._frames.append((t_us, dict(chances)))
        while self._frames and self._frames[0][0] < t_us - KEPT_US:
            self._frames.popleft()

    def stays(self, from_us: int, to_us: int) -> list[Stay]:
        """The stays that touch the time from `from_us` to `to_us`, whole where they began before; by first sight.

        What was seen after `to_us` is left out, so that the answer does not change when more is seen.
        """
        open_stays: dict[str, Stay] = {}
        seen_us: dict[str, int] = {}
        bridged_us = BRIDGED_FRAMES * self._frame_us
        closed: list[Stay] = []
        for t_us, chances in self._frames:
            if t_us > to_us:
                break
            for player, lost in open_stays.items():
                others = any(chance >= PRESENT for other, chance in chances.items() if other != player)
                meets = t_us - lost.last_us <= bridged_us and t_us - seen_us[player] <= UNDER_US
                if others and meets and lost.chance >= PRESENT:
                    open_stays[player] = replace(lost, last_us=t_us)
            for player, chance in chances.items():
                if chance < 0.05:
                    continue
                seen_us[player] = t_us
                stay = open_stays.get(player)
                if stay is not None and t_us - stay.last_us <= bridged_us:
                    first = stay.first_us if stay.chance >= PRESENT or chance < PRESENT else t_us
                    open_stays[player] = Stay(player, first, t_us, max(stay.chance, chance))
                else:
                    if stay is not None:
                        closed.append(stay)
                    open_stays[player] = Stay(player, t_us, t_us, chance)
        found = [stay for stay in [*closed, *open_stays.values()] if stay.last_us >= from_us]
        return sorted(found, key=lambda stay: (stay.first_us, stay.player))
