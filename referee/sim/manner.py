"""How hands behave in one recording as a whole: the simulator's settings beyond chance, as multipliers.

Belongs here: which settings there are, their ranges, and drawing them. Does not belong here: what they do
(hands.py, skin_signal.py).

Nobody measured these on skin. So what is learnt from the simulator is learnt over wide ranges of them, and what is
reported is measured with values that no lesson had: each range is cut into bands, `LESSONS` and `HELD_OUT`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

Band = tuple[float, float]
# Parts of each range, as shares of its logarithmic length.
LESSONS: tuple[Band, ...] = ((0.0, 0.3), (0.4, 0.7), (0.8, 1.0))
HELD_OUT: tuple[Band, ...] = ((0.3, 0.4), (0.7, 0.8))


@dataclass(frozen=True)
class Manner:
    """Multipliers of what the simulator does by default; all 1 is the default itself.

    `spread` time skin takes to spread; `growth` power of its growth (below 1: a quick start); `gap` reach of a
    near hand; `speed` of nearing; `hover` strength of a near hand; `landings` time from the first finger to the
    last; `slaps` how often a palm meets the totem first, `slaps_stay` how often it then stays; `palms` how often a
    palm follows; `palm_reach` its strength; `arc`, `breadth`, `finger_gap` of fingers; `thumbs` how often one is
    among them; `gain` of the electronics; `ragged` how unevenly the fingers of a hand lie.
    """

    spread: float = 1.0
    growth: float = 1.0
    gap: float = 1.0
    speed: float = 1.0
    hover: float = 1.0
    landings: float = 1.0
    slaps: float = 1.0
    slaps_stay: float = 1.0
    palms: float = 1.0
    palm_reach: float = 1.0
    arc: float = 1.0
    breadth: float = 1.0
    finger_gap: float = 1.0
    thumbs: float = 1.0
    gain: float = 1.0
    ragged: float = 1.0


RANGES: dict[str, Band] = {
    "spread": (0.35, 2.0),
    "growth": (0.6, 1.5),
    "gap": (0.4, 2.5),
    "speed": (0.5, 2.0),
    "hover": (0.25, 1.6),
    "landings": (0.4, 1.6),
    "slaps": (0.05, 1.5),
    "slaps_stay": (0.6, 2.4),
    "palms": (0.4, 2.0),
    "palm_reach": (0.3, 1.5),
    "arc": (0.6, 1.3),
    "breadth": (0.88, 1.12),
    "finger_gap": (0.5, 1.5),
    "thumbs": (0.6, 1.4),
    "gain": (0.5, 1.8),
    "ragged": (0.5, 4.0),
}


def random_manner(random: np.random.Generator, bands: Sequence[Band]) -> Manner:
    """A manner whose every setting lies in one of the `bands` of its range."""
    lengths = np.array([high - low for low, high in bands])
    values = {}
    for field in fields(Manner):
        low, high = bands[int(random.choice(len(bands), p=lengths / lengths.sum()))]
        share = random.uniform(low, high)
        least, most = RANGES[field.name]
        values[field.name] = float(least * (most / least) ** share)
    return Manner(**values)


USUAL = Manner()
