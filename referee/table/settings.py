"""How long the table waits for what, and how sure it must be: every constant of this room that can be set.

Belongs here: waits, thresholds, and their reasons. Does not belong here: what they are used for.
"""

from __future__ import annotations

from dataclasses import dataclass

CONTACT_US, CONTACT_PADS_US = 25_000, 20_000


@dataclass(frozen=True)
class FusionSettings:
    """Waits in microseconds of table time, chances from 0 to 1.

    Waits. `unread_us`: for a card that is seen and not read (it is turned as `?` then; design, decision 1).
    `hidden_us`: for a pile under its owner's hand when the totem is touched. `camera_us`, `totem_us`: for a source
    that is silent, before the other one's events go on without it. `look_us`: how long after a contact the camera is
    asked whose arms are at the totem, `look_more_us`: the same where that named nobody (hands part by then).
    `sweep_us`: how long after a pile was taken its way to a reserve is watched.

    Sureness. `name_sure`: a hand is named from here on. `sweep_sure`: a pick-up is named from here on.
    `wide_us`: a touch inside an arrival interval longer than this is not ruled by the estimated order.
    `camera_error_us`: how far the times of two frames may be off against each other (a camera without time stamps).
    `together_us`: the house rule `simultaneous_ms`. `contact_us`: the time between two first contacts is right to
    within this in 19 of 20 cases (docs/accuracy-table.md; `CONTACT_PADS_US` where there are seat pads, which tell
    hands apart that lie close); what would be decided otherwise inside it stays open. Where the totem says when each
    hand may really have come, `together_sure` counts instead: from this chance on a hand came within `together_us` of
    the first, or after it; `taker_sure`: from here on one of several hands takes it though nobody can tell which came
    in time (surer, for the values that may decide are printed as open). `frame_us`: time between two frames.

    Witnesses. `pad_name_right`, `side_name_right`: how often the totem's name is right, from seat pads and from the
    side. `arm_missed`: that the camera sees no arm of a hand on the totem in all frames it is asked about,
    `arm_merged`: the same where another arm is there (two arms in one outline); `arm_idle`: that somebody's arm is
    there who did not touch; `hand_split`: that two hands which the totem feels are one player's.

    `follow_pick_ups`: an open scramble is settled by who is seen to pick up (the players have settled it themselves).
    """

    unread_us: int = 3_000_000
    hidden_us: int = 3_000_000
    camera_us: int = 4_000_000
    totem_us: int = 1_500_000
    look_us: int = 150_000
    look_more_us: int = 700_000
    sweep_us: int = 2_500_000
    name_sure: float = 0.97
    sweep_sure: float = 0.9
    wide_us: int = 160_000
    together_us: int = 40_000
    contact_us: int = CONTACT_US
    together_sure: float = 0.97
    taker_sure: float = 0.98
    frame_us: int = 33_333
    camera_error_us: int = 0
    pad_name_right: float = 0.998
    side_name_right: float = 0.98
    arm_missed: float = 0.02
    arm_merged: float = 0.2
    arm_idle: float = 0.1
    hand_split: float = 0.05
    follow_pick_ups: bool = True
