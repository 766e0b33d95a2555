"""A person's word on what was undecided, as the event that is right then.

Belongs here: what a scramble or a card becomes when a person says how it was. Does not belong here: asking.

Written rules:
- a person says who was first and who came after, not how many fingers: the others keep what was felt and come after
  the one who was first by more than the house's `simultaneous_ms`; what was felt is nobody's where it was open whose
  hand it was, for who was first does not say who was lower;
- a fall whose toppler was open is a `fall` again, by whom the person says, or by nobody;
- hands that only stood for a doubt or a candidate go;
- who it was is no word on whether a card lay there already: the doubt `arrival` stays until somebody has said that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from referee.races import ARRIVAL
from referee.table.calls import Settle
from referee.table.settings import FusionSettings
from referee.words import UNFELT, Event

TOPPLER = "toppler"
"""The doubt of a scramble that stands for a fall: somebody knocked the totem over, and whose arm it was is open."""


def settled(
    event: Event, call: Settle, settings: FusionSettings, by: str = "operator", later: Sequence[str] = ()
) -> Event | None:
    """The event as the person says it was; None: it never happened.

    `by`: who settled it, `operator` or `players`. `later`: players who came to the totem too, after the first.
    """
    if event["event"] == "flip":
        if call.card is None:
            return None
        right = {key: value for key, value in event.items() if key not in ("may_be", "confidence", "runner_up")}
        return {**right, "card": call.card, "settled_by": by}
    if TOPPLER in event.get("doubt", ()):
        return {"t_us": event["t_us"], "event": "fall", "player": call.player, "settled_by": by}
    if event["event"] == "fall":
        return {**event, "player": call.player, "settled_by": by}
    if call.player is None or event["event"] != "grab":
        return None
    return _first(event, call.player, settings, by, [*later, *call.others], call.others or None)


def _first(
    event: Event, player: str, settings: FusionSettings, by: str, later: Sequence[str], only: Sequence[str] | None
) -> Event:
    """A scramble in which `player` was first, `later` players came after, and (not None) `only` those."""
    hands = [_plain(hand) for hand in event["hands"] if hand["player"] is not None and not hand.get("perhaps")]
    nameless = [_plain(hand) for hand in event["hands"] if hand["player"] is None and hand.get("grip", True)]
    grips = [hand["t_us"] for hand in event["hands"] if hand.get("grip", True)]
    first_us = min(grips or [event["t_us"]])
    own = next((hand for hand in hands if hand["player"] == player), None)
    felt = own or (nameless[0] if len(nameless) == 1 else UNFELT)  # of several nobody knows which was theirs
    own = {**felt, "player": player, "t_us": first_us, "grip": True}
    later_us = first_us + settings.together_us + 1
    others = [
        {**hand, "t_us": max(hand["t_us"], later_us)} if hand.get("grip", True) else hand
        for hand in hands
        if hand["player"] != player and (only is None or hand["player"] in only or not hand.get("grip", True))
    ]
    known = {player, *(hand["player"] for hand in others)}
    others += [{**UNFELT, "player": name, "t_us": later_us, "grip": True} for name in later if name not in known]
    kept = {key: value for key, value in event.items() if key not in ("doubt", "confidence")}
    right = {**kept, "t_us": first_us, "hands": [own, *others], "settled_by": by}
    return {**right, "doubt": [ARRIVAL]} if ARRIVAL in event.get("doubt", ()) else right


def _plain(hand: dict[str, Any]) -> dict[str, Any]:
    """A hand with what was felt, where something wider was written and it is known whose hand that was."""
    felt = hand.get("felt", {}) if "confidence" in hand else {}
    kept = {key: value for key, value in hand.items() if key not in ("felt", "confidence", "may_be")}
    if not felt:
        return kept
    return {**kept, "t_us": felt["t_us"], "fingers": felt["fingers"], "lowest_mm": felt["lowest_mm"]}
