"""Touches of the totem as events: whose hands, what is open, and why nobody can be ruled first.

Belongs here: a scramble or a fall together with what the camera saw, as the event of the record. Does not belong here:
the posterior itself (`identity`), how a single hand is written (`hands_said`), when the event may leave (`gate`).

Written rules: an event bears a `doubt` for each reason why nobody can be ruled first: `camera` (nothing was seen),
`hidden` (a pile under its owner's hand), `arrival` (a card that came some time then), `order` (whose hand was first),
`hand` (an arm as early as the first hand, of which nothing was felt), `later` (a hand after the first whose player may
have had no right to it), `totem` (it went silent), `toppler` (who felled it).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from referee.table.arms import PRESENT, Stay
from referee.table.hands_said import PERHAPS, Said, candidates, first_and_later, is_open, nobody, say_hands
from referee.table.identity import SOONEST_US, Belief, believe, sure_name
from referee.table.layouts import Layout
from referee.table.settings import FusionSettings
from referee.table.settling import TOPPLER
from referee.table.sight import Sight
from referee.table.waiting import FallItem, GrabItem
from referee.totem.hands import HandReading
from referee.totem.moments import may_have_come
from referee.words import Event

# An arm that was at the totem so long before it fell, or so soon after, may have felled it: the fall is dated when the
# totem has leaned far, and fast arms blur.
FELLED_BEFORE_US = 600_000
FELLED_AFTER_US = 200_000
# Nobody who has closed a hand on the totem draws it back sooner than this after its contact: people need so long
# to notice that somebody else has it.
LOST_US = 200_000
PARTED = 0.3  # so many of the arms that were hidden in another's outline still are after a longer look


class Touches:
    """Writes scrambles and falls of one table."""

    def __init__(self, layout: Layout, settings: FusionSettings, sight: Sight) -> None:
        self._layout = layout
        self._settings = settings
        self._sight = sight

    def need_us(self, item: GrabItem | FallItem) -> int:
        """How far the camera must have seen to say whose hands they are."""
        if isinstance(item, FallItem):
            return item.t_us + FELLED_AFTER_US
        return item.last_us + (self._settings.look_more_us if item.look_more else self._settings.look_us)

    def asks_for_more(self, item: GrabItem) -> bool:
        """Whether a longer look at the arms may say more: a hand has no name, or an arm is there of which nothing was
        felt."""
        grips = [hand for hand in item.touch.hands if hand.grip]
        stays = self._stays(item)
        belief = self._believe(item, grips, stays)
        names = [sure_name(belief.marginal(place), self._settings) for place in range(len(grips))]
        return None in names or bool(self._unfelt(names, stays or (), item, item.last_us))

    def grab(self, item: GrabItem) -> tuple[Event, frozenset[str]]:
        """The `grab` of a scramble, and its doubts."""
        touch, t_us, height_mm = item.touch, item.t_us, self._layout.totem.height_mm
        stays = self._stays(item)
        hands = [*touch.hands, *(self._arms_only(touch.hands, stays or (), t_us) if item.broken else ())]
        grips = [hand for hand in hands if hand.grip]
        said, order_doubt = say_hands(grips, self._believe(item, grips, stays), self._settings, item.rights)
        named = [hand.player for hand in said]
        unfelt = self._unfelt(named, stays or (), item, t_us)
        intruders = self._unfelt(named, stays or (), item, item.last_us) - set(item.rights or ()) - unfelt
        if not self._has_right(said, item.rights):
            intruders = set()
        later = bool(intruders) or self._may_intrude(said, item.rights)
        doubts = self._doubts(item, order_doubt, unfelt, later) if grips or item.broken else frozenset()
        for brush in [hand for hand in hands if not hand.grip]:
            said += say_hands([brush], self._believe(item, [brush], stays), self._settings, None)[0]
        if doubts:
            said.append(nobody(t_us, height_mm))
        others = {hand.player for hand in said if hand.grip and hand.player} if item.order_open else unfelt | intruders
        said += candidates(said, self._settings, others, height_mm)
        said.sort(key=lambda hand: hand.t_us)
        item.open = is_open(said, self._settings)
        event: dict[str, Any] = {"t_us": t_us, "event": "grab", "hands": [hand.word() for hand in said]}
        if touch.fell is not None:
            names = [hand.player for hand in said if hand.grip and not hand.perhaps]
            who = names[0] if len(names) == 1 else touch.fell.player
            event["fell"] = {"t_us": touch.fell.t_us, "player": who if who in names else None}
        if doubts:
            event["doubt"] = sorted(doubts)
        if "arrival" in doubts and not self._sight.arriving(t_us):
            event["between"] = list(self._came_between(item))
        return event, doubts

    def fall(self, item: FallItem, touched: bool) -> Event:
        """The fall by its player; by nobody if no skin was felt (a sleeve is nobody's, whoever's arm was there), or if
        no hand was over the table and nobody had just `touched` it; open where arms were, or nothing could be seen."""
        t_us = item.t_us
        known: Event = {"t_us": t_us, "event": "fall", "player": item.fall.player}
        if item.fall.player is not None or item.fall.skin is False:
            return known
        if self._sight.was_blind(t_us):
            return self._open_fall(t_us, self._layout.players)
        from_us, to_us = t_us - FELLED_BEFORE_US, t_us + FELLED_AFTER_US
        there = [stay.player for stay in self._sight.stays(from_us, to_us) if stay.chance >= PERHAPS]
        # An arm beside it need not be the one that felled it: only what was felt names somebody. One that is seen
        # elsewhere may have brushed it with a sleeve.
        if about := there or sorted(self._sight.hands_about(from_us, to_us, PERHAPS)):
            return self._open_fall(t_us, about)
        return self._open_fall(t_us, self._layout.players) if touched else known

    def _open_fall(self, t_us: int, players: Collection[str]) -> Event:
        """A fall that one of these players may have caused."""
        height_mm = self._layout.totem.height_mm
        said = [nobody(t_us, height_mm)]
        said += candidates(said, self._settings, players, height_mm)
        fell = {"t_us": t_us, "player": None}
        return {
            "t_us": t_us,
            "event": "grab",
            "hands": [hand.word() for hand in said],
            "fell": fell,
            "doubt": [TOPPLER],
        }

    def _believe(self, item: GrabItem, hands: Sequence[HandReading], stays: Sequence[Stay] | None) -> Belief:
        """The posterior over these hands; hands that were one outline part in a longer look."""
        merged = self._settings.arm_merged * (PARTED if item.look_more else 1.0)
        settings = replace(self._settings, arm_merged=merged)
        return believe(hands, stays, self._layout.players, settings, self._layout.totem.seat_pads)

    def _stays(self, item: GrabItem) -> list[Stay] | None:
        """The arms at the totem around a scramble; None: the camera was blind, or its word is the scramble itself."""
        if item.by == "camera" or self._sight.was_blind(item.t_us):
            return None
        return self._sight.stays(item.t_us - self._settings.frame_us, self.need_us(item))

    def _arms_only(self, felt: Sequence[HandReading], stays: Sequence[Stay], t_us: int) -> list[HandReading]:
        """Hands of which only the arms are known: the totem went silent in the middle of the touch."""
        known = {hand.player for hand in felt}
        sure = [stay for stay in stays if stay.chance >= self._settings.name_sure and stay.player not in known]
        full_mm = (0.0, self._layout.totem.height_mm)
        return [HandReading(stay.player, t_us, (1, 5), full_mm, True) for stay in sure]

    def _unfelt(self, named: Sequence[str | None], stays: Sequence[Stay], item: GrabItem, felt_us: int) -> set[str]:
        """Players whose arm came as early as a hand that was felt at `felt_us`, and of whom the totem felt none: two
        taken for one?

        Such an arm stays until whoever it is can have noticed that they lost, as far as the camera has looked.
        """
        settings = self._settings
        if None in named or not named:
            return set()
        by_us = felt_us - SOONEST_US + settings.together_us + settings.frame_us
        until_us = felt_us + (LOST_US if item.look_more else settings.frame_us)
        return {
            stay.player
            for stay in stays
            if stay.player not in named
            and stay.chance >= PRESENT
            and stay.first_us <= by_us
            and stay.last_us >= until_us
        }

    def _has_right(self, said: Sequence[Said], rights: Collection[str] | None) -> bool:
        """Whether those who came first are known, and one of them had the right."""
        first = {hand.player for hand in first_and_later(said, self._settings)[0]}
        return None not in first and rights is not None and bool(first & set(rights))

    def _may_intrude(self, said: Sequence[Said], rights: Collection[str] | None) -> bool:
        """Whether a nameless hand came after the first ones, and may be somebody's without the right those had.

        Such a hand is a fault of its own, and who pays for it changes what follows.
        """
        front, later = first_and_later(said, self._settings)
        nameless = [hand for hand in later if hand.player is None]
        if rights is None or not nameless or not self._has_right(said, rights):
            return False
        first = {hand.player for hand in front}
        known = first | {hand.player for hand in later} | set(rights)
        return any(
            not hand.chances or any(name not in known and chance >= PERHAPS for name, chance in hand.chances.items())
            for hand in nameless
        )

    def _came_between(self, item: GrabItem) -> tuple[int, int]:
        """Between which times the first hand came, as surely as the totem can say."""
        grips = [hand for hand in item.touch.hands if hand.grip]
        first = min(grips, key=lambda hand: hand.t_us, default=None)
        if first is None or not first.moments:
            return item.t_us, item.t_us
        return may_have_come(first.t_us, first.moments, self._settings.together_sure)

    def _doubts(self, item: GrabItem, order_doubt: str, unfelt: Collection[str], later: bool) -> frozenset[str]:
        """Why nobody can be ruled first in a scramble (empty: no reason)."""
        t_us, sight = item.t_us, self._sight
        missed = sight.missed(t_us)
        reasons = {
            "order": item.order_open,
            "hand": bool(unfelt),
            "later": later,
            "totem": item.broken,
            "camera": missed,
            "hidden": not missed and bool(sight.hidden(t_us)),
            "arrival": sight.arriving(t_us) or sight.came_between(*self._came_between(item)),
        }
        found = {reason for reason, holds in reasons.items() if holds}
        return frozenset(found | {order_doubt} if order_doubt else found)
