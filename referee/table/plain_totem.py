"""Scrambles seen by the camera alone: for a plain wooden totem, or one whose wire is out.

Belongs here: from hands at the totem and the totem leaving its place to grabs and falls, with the time a frame can
tell. Does not belong here: whose an arm is (vision), what a grab is to the game.

A sensing totem that is heard may miss a touch too: what the camera saw then is asked about (`is_unfelt`).

Written rules:
- a scramble is an arm at the totem and the totem leaving its place while it is there, or just after; an arm
  that only hovers is nothing;
- a hand closes on the totem some time after the frame that first shows it there (`identity.ARRIVAL_US`, give or take
  `REACH_SPREAD_US`), and two arms at the totem are often one outline until they part, up to
  `FusionSettings.look_more_us` later. So of two arms that were seen less apart than that, a frame and the house's
  `together_us` nobody can tell which was first: a doubt;
- a camera that lost frames about a scramble may have missed an arm altogether: nobody can tell whose hands they were;
- fingers and heights are never seen: `[1, 5]`, and the whole totem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from referee.table.arms import PRESENT, Arms, Stay
from referee.table.identity import ARRIVAL_US
from referee.table.settings import FusionSettings
from referee.totem.hands import HandReading
from referee.totem.scrambles import Fall, Grab
from referee.vision.sightings import TotemSeen

MOST_FINGERS = 5
# Two hands differ by up to so much in how long they take from their first frame to their grip.
REACH_SPREAD_US = 160_000
# The totem is seen out of its place up to this long after the last arm was seen at it: fast arms blur.
GONE_AFTER_US = 200_000
# Longer than this before the totem moved, an arm hovered.
REACH_US = 1_000_000
# The totem left its place so long after a touch that was felt, or so long before one: they are the same.
FELT_BEFORE_US, FELT_AFTER_US = 3_000_000, 500_000
# Once back in its place for so long it may be taken again (the format's rule for a free totem).
FREE_US = 500_000


@dataclass(frozen=True)
class SeenScramble:
    """A grab or a fall that the camera saw; `order_open` when frames cannot tell who was first."""

    touch: Grab | Fall
    order_open: bool = False


def is_unfelt(scramble: SeenScramble, felt_us: Iterable[int], past_us: int) -> bool:
    """Whether hands were seen to take a totem that is heard and felt nothing of them.

    `felt_us` are the moments of which the totem spoke, `past_us` is how far it has spoken.
    """
    touch = scramble.touch
    if isinstance(touch, Fall) or touch.lifted_us is None or not any(hand.chances for hand in touch.hands):
        return False
    left_us = touch.lifted_us
    heard = past_us > left_us + FELT_AFTER_US
    return heard and not any(-FELT_BEFORE_US <= t_us - left_us <= FELT_AFTER_US for t_us in felt_us)


class PlainTotem:
    """Watches arms and the totem's place; a scramble is told once the camera has seen far enough past it."""

    def __init__(
        self,
        arms: Arms,
        settings: FusionSettings,
        height_mm: float,
        players: Sequence[str],
        lost_frames: Callable[[int, int], bool] = lambda from_us, to_us: False,
    ) -> None:
        """`lost_frames` says whether the camera had a gap between two moments."""
        self._lost_frames = lost_frames
        self._players = tuple(players)
        self._arms = arms
        self._settings = settings
        self._height_mm = height_mm
        self._in_place = True
        self._since_us = -(2**62)
        self._left_us: int | None = None

    def totem(self, seen: TotemSeen) -> None:
        """The totem is in its place, or not, from a moment on."""
        if seen.in_place == self._in_place:
            return
        free = seen.t_us - self._since_us >= FREE_US
        if not seen.in_place and free and self._left_us is None:
            self._left_us = seen.t_us
        self._in_place = seen.in_place
        self._since_us = seen.t_us

    def past(self, t_us: int) -> list[SeenScramble]:
        """The camera has seen up to `t_us`: what can be told by now."""
        left_us = self._left_us
        if left_us is None or t_us <= left_us + self._settings.look_more_us:
            return []
        self._left_us = None
        stays = [
            stay
            for stay in self._arms.stays(left_us - GONE_AFTER_US, left_us + self._settings.look_more_us)
            if stay.chance >= PRESENT
        ]
        if not stays:
            # It fell by itself, or an arm was there that no frame shows: nobody can tell, and a person is asked.
            return [SeenScramble(Grab(left_us, (self._hidden(left_us),), None, left_us, left_us, True))]
        hands = [self._hand(stay, left_us) for stay in stays]
        hands.sort(key=lambda hand: (hand.t_us, hand.player or ""))
        first_us = hands[0].t_us
        if self._lost_frames(left_us - REACH_US, left_us + self._settings.look_more_us):
            grab = Grab(first_us, (self._hidden(first_us), *hands), None, left_us, left_us, True)
            return [SeenScramble(grab, True)]
        seen_us = stays[0].first_us
        apart_us = max(REACH_SPREAD_US, self._settings.look_more_us)
        times_us = self._settings.frame_us + 2 * self._settings.camera_error_us  # each of two frames may be off
        unclear_us = times_us + apart_us + self._settings.together_us
        grab = Grab(first_us, tuple(hands), None, left_us, left_us, True)
        return [SeenScramble(grab, any(stay.first_us - seen_us <= unclear_us for stay in stays[1:]))]

    def watermark(self, t_us: int) -> int:
        """How far grabs have been told when the camera has seen up to `t_us`."""
        reach_us = t_us - REACH_US
        open_us = [stay.first_us for stay in self._arms.stays(t_us - GONE_AFTER_US, t_us)]
        waiting = [] if self._left_us is None else [self._left_us - REACH_US]
        return max(reach_us, min([t_us, *open_us])) if not waiting else max(reach_us, min(waiting))

    def _hidden(self, t_us: int) -> HandReading:
        """A hand that no frame shows."""
        return HandReading(None, t_us, (1, MOST_FINGERS), (0.0, self._height_mm), True)

    def _hand(self, stay: Stay, left_us: int) -> HandReading:
        """A hand from an arm's stay; who hovered for long counts from when it can have closed its hand."""
        sure = stay.chance >= self._settings.name_sure
        rest = (1.0 - stay.chance) / max(len(self._players) - 1, 1)
        return HandReading(
            stay.player if sure else None,
            min(max(stay.first_us + ARRIVAL_US, left_us - REACH_US), left_us),
            (1, MOST_FINGERS),
            (0.0, self._height_mm),
            True,
            (),
            {name: stay.chance if name == stay.player else rest for name in self._players},
        )
