"""How often the sources are wrong, late or silent, and the words the drawing of sightings and scrambles shares.

Belongs here: the error rates, what is delivered when, what is true. Does not belong here: drawing (`senses_camera`,
`senses_totem`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from referee.rules.jungle_speed_state import State
from referee.table.calls import Call
from referee.totem.scrambles import Fall, Grab
from referee.vision.sightings import Sighting
from referee.words import Event, Ruling


@dataclass(frozen=True)
class Errors:
    """How often, and by how much, the sources are wrong, late or silent (shares 0..1, times in microseconds).

    Camera. `fps`; `delay_us`: from exposure to word; `read_us`: from a card's edge to its reading; `late`, `late_us`:
    cards read much later; `never`: cards that are not read while they lie on top; `twins`: of those, how many are
    down to two candidates; `hidden`: cards under a hand from before their edge until long after; `edge_us`: spread
    of the estimated moment inside its frames; `stalls`: chance a game that the camera stalls once, for up to
    `stall_us`; `clock_us`: spread of the clocks' offset.

    Arms at the totem. `arm_before_us`: how long before its contact an arm is seen there; `arm_missed`: not seen at all;
    `arm_merged`: in one outline with an earlier one until the hands part; `arm_crossed`: not sure whose; `arm_swapped`:
    taken for somebody else's; `arm_idle`: chance for each other member of a duel to reach and not touch.

    Totem. `contact_us`: spread of a first contact; `contact_doubt`: how likely a contact is told far too late or too
    early, as the totem itself says of it, of equally many hands each; `contact_late`: how many of those too late;
    `hand_lost`: a hand within `lost_within_us` of another that is taken for part of it; `fingers_exact`,
    `fingers_right`: counts printed as one number, and how many of those are right; `fingers_inside`: intervals that
    hold the truth; `counts_right`, `counts_wrong`: hands that came together, of which what is printed names the taker
    rightly and wrongly, where the two best have as many fingers, one more, or two and more; `lowest_inside`,
    `lowest_mm`: the same for heights, and how wide the interval is; `unnamed`, `misnamed`: hands without a name, with
    a wrong one; `side_deg`: spread of the side a hand comes from; `brush_felt`: brushes that are reported;
    `toppler_named`: falls whose fingertip is named by its seat pad, `toppler_unfelt`: fingertips that fell it and are
    taken for no skin, `no_skin`: falls without skin that are known as such; `provisional`: whether scrambles are told
    before they end. `wooden`: there is no sensing totem, the camera sees it leave its place so long after the last
    contact (`lift_us`).
    """

    fps: float = 30.0
    delay_us: tuple[int, int] = (50_000, 120_000)
    read_us: tuple[int, int] = (120_000, 450_000)
    late: float = 0.02
    late_us: tuple[int, int] = (450_000, 2_800_000)
    never: float = 0.005
    twins: float = 0.5
    hidden: float = 0.005
    edge_us: int = 4_000
    stalls: float = 0.1
    stall_us: int = 3_000_000
    arm_before_us: tuple[int, int] = (80_000, 240_000)
    arm_missed: float = 0.01
    arm_merged: float = 0.2
    arm_crossed: float = 0.03
    arm_swapped: float = 0.002
    arm_idle: float = 0.15
    clock_us: int = 1_000
    contact_us: int = 700
    contact_doubt: tuple[float, ...] = (0.016, 0.018, 0.022, 0.026, 0.034, 0.045, 0.067, 0.11, 0.21, 0.5)
    contact_late: float = 0.6
    hand_lost: float = 0.05
    lost_within_us: int = 60_000
    fingers_exact: float = 0.518
    fingers_right: float = 0.967
    fingers_inside: float = 0.965
    counts_right: tuple[float, ...] = (0.70, 0.79, 0.92)
    counts_wrong: tuple[float, ...] = (0.014, 0.015, 0.004)
    lowest_inside: float = 0.92
    lowest_mm: tuple[float, float] = (8.0, 30.0)
    unnamed: float = 0.05
    misnamed: float = 0.0005
    side_deg: float = 22.0
    brush_felt: float = 0.5
    toppler_named: float = 0.8
    toppler_unfelt: float = 0.005
    no_skin: float = 0.92
    provisional: bool = True
    wooden: bool = False
    lift_us: tuple[int, int] = (120_000, 350_000)


PADS = Errors()
"""A totem with seat pads, as docs/accuracy-totem.md has it (times, fingers, heights, names of `ours, with pads`).

The doubt about contacts is that of 1,940 hands of our simulator, and comes true as it says (docs/accuracy-table.md).
"""

NO_PADS = Errors(
    unnamed=0.55,
    misnamed=0.003,
    hand_lost=0.15,
    fingers_exact=0.376,
    fingers_right=0.918,
    fingers_inside=0.92,
    counts_right=(0.39, 0.65, 0.80),
    counts_wrong=(0.036, 0.043, 0.01),
    toppler_named=0.0,
    contact_doubt=(0.018, 0.024, 0.033, 0.048, 0.068, 0.096, 0.14, 0.21, 0.36, 0.62),
)
"""A totem without seat pads: names by the side, or by the camera."""

WOODEN = Errors(wooden=True)
"""A plain wooden totem: hands are seen by the camera alone."""


class Delivery(NamedTuple):
    """A word, when it arrives (table microseconds), and from whom; an `int` of the totem is its watermark."""

    at_us: int
    source: Literal["camera", "totem", "person"]
    word: Sighting | Grab | Fall | Call | int


class Truth(NamedTuple):
    """A true event, the state before it, and what is ruled on it."""

    event: Event
    before: State
    rulings: list[Ruling]
