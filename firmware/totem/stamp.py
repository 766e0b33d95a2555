"""The totem's own time: microseconds in 64 bits, made from a counter that wraps at 2^30.

Belongs here: counting wraps and writing stamps. A stamp is `wraps * 2^30 + low`; both parts stay small numbers,
so that stamping never allocates.
"""

from compat import TICKS_MASK, const

_HALF = const(0x20000000)


class Stamp:
    """Follows a counter that wraps every 2^30 us (17.9 minutes); `follow` must run at least once in half of that."""

    def __init__(self, ticks):
        self.low = ticks & TICKS_MASK
        self.wraps = 0

    def follow(self, ticks):
        """Take in a reading of the counter that is not older than the last one."""
        if ticks < self.low:
            self.wraps += 1
        self.low = ticks

    def put(self, target, at, ticks):
        """Write the eight bytes of a moment within half a wrap of the last reading; returns the new end."""
        wraps = self.wraps
        ahead = ticks - self.low
        if ahead < -_HALF:
            wraps += 1
        elif ahead >= _HALF:
            wraps -= 1
        target[at] = ticks & 0xFF
        target[at + 1] = (ticks >> 8) & 0xFF
        target[at + 2] = (ticks >> 16) & 0xFF
        target[at + 3] = ((ticks >> 24) & 0x3F) | ((wraps & 3) << 6)
        target[at + 4] = (wraps >> 2) & 0xFF
        target[at + 5] = (wraps >> 10) & 0xFF
        target[at + 6] = (wraps >> 18) & 0xFF
        target[at + 7] = 0
        return at + 8


def elapsed(later, earlier):
    """Microseconds from one counter reading to a later one, across a wrap."""
    return (later - earlier) & TICKS_MASK
