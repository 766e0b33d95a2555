"""A scramble as it stands in the record: what is sure as exact values, what is not as null or intervals.

Belongs here: writing hands down so that the rules come out right or `undecided`, whatever the truth inside the
uncertainty is. Does not belong here: who the hands are (`identity`), what the rules make of it.

Written rules (the rules' side of them: decisions page, "A grab"):
- two hands whose players are known and not which is whose: both are written with the hull of their values and the
  earlier time, if both came within `together_us` of the first; that leaves fingers and height open and nothing else;
- a hand so near the limit of `together_us` that it may have been inside or outside is written as together, and the
  values are widened where it would win or lose by them; unless one hand takes the totem for all that is likely
  (`likely_taker`): then whoever might have beaten it is written as having come later;
- where the order itself, or what lay on the table, is open (a *doubt*), a hand without a player is added at the first
  contact: nobody is ruled first, and the named hands are the candidates;
- a hand without a player is joined by one hand for each player it may be, marked `perhaps`: so they are the
  candidates, and a person has somebody to choose from;
- what was felt is kept beside what is written, under `felt`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from referee.table.identity import Belief, sure_name
from referee.table.likely_taker import chance_not_to_take, surely_beats
from referee.table.settings import FusionSettings
from referee.totem.hands import HandReading
from referee.totem.moments import chances_within
from referee.words import Event

MOST_FINGERS = 5
LIKELIER_APART = 0.5  # a hand is written as having come after the first ones only if that is as likely at least
ANOTHERS = 0.8  # from there on what was seen of a first hand stands against who picks up
AFTER_US = 100_000  # a hand felt so much later than another came after it
PERHAPS = 0.03  # a player who is less likely than this is no candidate for a hand


@dataclass
class Said:
    """A hand on its way into the record; `perhaps`: it stands for a candidate and was not felt as such."""

    player: str | None
    t_us: int
    fingers: tuple[int, int]
    lowest_mm: tuple[float, float]
    grip: bool
    chances: dict[str, float] = field(default_factory=dict)
    felt: HandReading | None = None
    perhaps: bool = False

    def word(self) -> dict[str, Any]:
        """The hand as it stands in a `grab`."""
        word: dict[str, Any] = {
            "player": self.player,
            "t_us": self.t_us,
            "fingers": self.fingers[0] if self.fingers[0] == self.fingers[1] else list(self.fingers),
            "lowest_mm": self.lowest_mm[0] if self.lowest_mm[0] == self.lowest_mm[1] else list(self.lowest_mm),
            "grip": self.grip,
        }
        if self.player is not None and self.player in self.chances:
            word["confidence"] = round(self.chances[self.player], 4)
        elif self.chances:
            word["may_be"] = {name: round(chance, 3) for name, chance in self.chances.items() if chance >= 0.01}
        if self.perhaps:
            word["perhaps"] = True
        before = self.felt
        if before is not None and (before.t_us, before.fingers, before.lowest_mm) != (
            self.t_us,
            self.fingers,
            self.lowest_mm,
        ):
            word["felt"] = {
                "t_us": before.t_us,
                "fingers": list(before.fingers),
                "lowest_mm": list(before.lowest_mm),
            }
        return word


def say_hands(
    hands: Sequence[HandReading], belief: Belief, settings: FusionSettings, may_take: Collection[str] | None
) -> tuple[list[Said], str]:
    """The hands of a scramble in time order, and a doubt about their order ("" where there is none).

    `may_take` are the players who may take the totem, as far as anybody said (None: nobody did); it only ever
    adds a doubt.
    """
    said = []
    for place, hand in enumerate(hands):
        marginal = belief.marginal(place)
        name = sure_name(marginal, settings)
        said.append(Said(name, hand.t_us, hand.fingers, hand.lowest_mm, hand.grip, marginal, hand))
    grips = [hand for hand in said if hand.grip]
    if not grips:
        return said, ""
    first_us = min(hand.t_us for hand in grips)
    doubt = _open_names(said, belief, settings, first_us, may_take) or _at_the_limit(said, settings, first_us, may_take)
    said.sort(key=lambda hand: hand.t_us)
    return said, doubt


def nobody(t_us: int, height_mm: float) -> Said:
    """The hand without a player that stands for a doubt."""
    return Said(None, t_us, (1, MOST_FINGERS), (0.0, height_mm), True)


def candidates(said: Sequence[Said], settings: FusionSettings, others: Collection[str], height_mm: float) -> list[Said]:
    """A hand for each player whom a nameless hand at the front may belong to, and for the `others` who may be there."""
    front = first_and_later(said, settings)[0]
    nameless = [hand for hand in front if hand.player is None]
    if not nameless:
        return []
    named = {hand.player for hand in front}
    likely = {name for hand in nameless for name, chance in hand.chances.items() if chance >= PERHAPS}
    first_us = min(hand.t_us for hand in front)
    return [
        Said(name, first_us, (1, MOST_FINGERS), (0.0, height_mm), True, perhaps=True)
        for name in sorted(likely | set(others))
        if name not in named
    ]


def may_be_there(grab: Event) -> set[str]:
    """The players who gripped in a `grab` as it stands in the record, or may have."""
    grips = [hand for hand in grab["hands"] if hand.get("grip", True)]
    likely = {name for hand in grips for name, chance in hand.get("may_be", {}).items() if chance >= PERHAPS}
    return likely | {hand["player"] for hand in grips if hand["player"] is not None}


def speaks_against(said: Event, first: str, other: str) -> bool:
    """Whether a scramble's first hand was most likely another's than the one whom something else says was first: by its
    own chances, or where only the likeliest way round is written, by what was felt of both."""
    felt = {hand["player"]: hand["felt"]["t_us"] for hand in said["hands"] if hand["player"] and "felt" in hand}
    if first in felt and other in felt:
        return bool(felt[first] - felt[other] >= AFTER_US)
    hands = [hand for hand in said["hands"] if hand.get("grip", True) and "may_be" in hand]
    if not hands:
        return False
    chances = min(hands, key=lambda hand: hand["t_us"])["may_be"]
    return bool(chances.get(other, 0.0) >= ANOTHERS and chances.get(first, 0.0) <= 1.0 - ANOTHERS)


def is_open(said: Sequence[Said], settings: FusionSettings) -> bool:
    """Whether the hands alone may leave open who was first."""
    front = first_and_later(said, settings)[0]
    players = {hand.player for hand in front}
    if None in players:
        return True
    rivals = [[other for other in front if other.player != hand.player] for hand in front]
    return len(players) > 1 and not any(
        all(surely_beats(hand, rival) for rival in own) for hand, own in zip(front, rivals, strict=True)
    )


def first_and_later(said: Sequence[Said], settings: FusionSettings) -> tuple[list[Said], list[Said]]:
    """The gripping hands that came together with the first, and those that came after."""
    grips = [hand for hand in said if hand.grip]
    until_us = min((hand.t_us for hand in grips), default=0) + settings.together_us
    return [hand for hand in grips if hand.t_us <= until_us], [hand for hand in grips if hand.t_us > until_us]


def _open_names(
    said: list[Said], belief: Belief, settings: FusionSettings, first_us: int, may_take: Collection[str] | None
) -> str:
    """Hands whose players are known together but not one by one; returns a doubt where their order matters."""
    places = [place for place, hand in enumerate(said) if hand.grip and hand.player is None]
    if len(places) < 2:
        return ""
    names, chance = belief.together(places)
    if chance < settings.name_sure or len(names) != len(places):
        return ""
    open_hands = [said[place] for place in places]
    state = limit_states(said, settings)
    inside = [state[id(hand)] is not False for hand in open_hands]
    if not any(inside):
        return ""  # later hands decide nothing by their order; who they are stays open
    _join(open_hands)
    for hand, name in zip(open_hands, sorted(names), strict=True):
        hand.player, hand.chances = name, {}
    if not all(inside):
        return "order"
    at_limit = any(state[id(hand)] is not True for hand in open_hands)
    rights = {name in may_take for name in names} if may_take is not None else set()
    return "order" if at_limit and len(rights) > 1 else ""


def _at_the_limit(said: list[Said], settings: FusionSettings, first_us: int, may_take: Collection[str] | None) -> str:
    """Hands that came about `together_us` after the first: together with it or not, nobody can tell."""
    limit_us = first_us + settings.together_us
    grips = [hand for hand in said if hand.grip]
    within = chances_together(said, settings)
    state = limit_states(said, settings)
    core = [hand for hand in grips if state[id(hand)] or hand.t_us == first_us]
    near = [hand for hand in grips if state[id(hand)] is None and hand not in core]
    for hand in grips:
        # What stands in the record says who came together, whatever the likeliest moment is.
        hand.t_us = max(hand.t_us, limit_us + 1) if state[id(hand)] is False else min(hand.t_us, limit_us)
    front = [hand for hand in grips if state[id(hand)] is not False]
    if len({hand.player for hand in front}) < 2 or all(state[id(hand)] for hand in front):
        return ""
    if may_take is not None and _rights_differ(core, near, may_take):
        return "order"
    if _set_apart(front, [within[id(hand)] for hand in front], settings):
        return ""
    unsure = [hand for hand in front if state[id(hand)] is None]
    if not any(state[id(hand)] and all(surely_beats(hand, rival) for rival in unsure) for hand in front):
        times = [hand.t_us for hand in front]
        _join(front)
        for hand, t_us in zip(front, times, strict=True):
            hand.t_us = t_us
    return ""


def _set_apart(front: Sequence[Said], within: Sequence[float], settings: FusionSettings) -> bool:
    """Whether one hand takes the totem for all that is likely; whoever might beat it, and likelier came later than not,
    is written as having come later."""
    for hand, chance in zip(front, within, strict=True):
        others = [(other, share) for other, share in zip(front, within, strict=True) if other.player != hand.player]
        rivals = [(other, share) for other, share in others if not surely_beats(hand, other)]
        if any(share > LIKELIER_APART for _, share in rivals):
            continue
        weighed = [hand, *(other for other, _ in others)]
        if chance_not_to_take(0, weighed, [chance, *(share for _, share in others)]) <= 1.0 - settings.taker_sure:
            for other, _ in rivals:
                other.t_us = max(other.t_us, hand.t_us + settings.together_us + 1)
            return True
    return False


def chances_together(said: Sequence[Said], settings: FusionSettings) -> dict[int, float]:
    """Of each gripping hand (by its `id`): how likely it came within `together_us` of the first; 0.5 where that is open
    and nothing more is known."""
    grips = [hand for hand in said if hand.grip]
    felt = [hand.felt for hand in grips]
    if all(hand is not None and hand.moments for hand in felt):
        chances = chances_within([(hand.t_us, hand.moments) for hand in felt if hand is not None], settings.together_us)
    else:
        first_us = min(hand.t_us for hand in grips)
        away = [hand.t_us - first_us - settings.together_us for hand in grips]
        chances = [0.5 if abs(after_us) <= settings.contact_us else float(after_us < 0) for after_us in away]
    return {id(hand): chance for hand, chance in zip(grips, chances, strict=True)}


def limit_states(said: Sequence[Said], settings: FusionSettings) -> dict[int, bool | None]:
    """Of each gripping hand (by its `id`): whether it came within `together_us` of the first; None: it may have."""
    sure = settings.together_sure
    return {
        key: True if chance >= sure else False if chance <= 1.0 - sure else None
        for key, chance in chances_together(said, settings).items()
    }


def _rights_differ(core: Sequence[Said], rivals: Sequence[Said], may_take: Collection[str]) -> bool:
    """Whether somebody without the right came first and somebody with it at the limit."""
    first_has = any(hand.player in may_take for hand in core)
    return not first_has and any(hand.player in may_take for hand in rivals)


def _join(hands: Sequence[Said]) -> None:
    """All hands get the hull of their values and the earliest time."""
    t_us = min(hand.t_us for hand in hands)
    fingers = min(hand.fingers[0] for hand in hands), max(hand.fingers[1] for hand in hands)
    lowest = min(hand.lowest_mm[0] for hand in hands), max(hand.lowest_mm[1] for hand in hands)
    for hand in hands:
        hand.t_us, hand.fingers, hand.lowest_mm = t_us, fingers, lowest
