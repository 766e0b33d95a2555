"""What a person's answer makes of an event of Jungle Bluff.

Belongs here: takes without a name or a card, challenges whose forces nobody read, the final's force. Does not belong
here: whether something is to be answered (`referee.pages`), when (`bluff_table`).
"""

from __future__ import annotations

from typing import Any

from referee.table.calls import Correct, Settle
from referee.table.told import Told
from referee.words import Event


def settled(call: Settle, event: Event | None) -> Event | None:
    """The event as a person says it was; None where the answer does not fit it.

    For a take: who (`player`) or which card (`card`). For a challenge: who holds the card after it (`player`). For the
    end of the game: the final force (`card`) of a `player`, as an event of its own.
    """
    if event is None:
        return None
    by: dict[str, Any] = {"settled_by": "operator"}
    if event["event"] in ("take", "challenge") and call.player is not None and call.card is not None:
        return {"t_us": event["t_us"], "event": "force", "player": call.player, "card": call.card, **by}
    if event["event"] == "take" and call.card is not None:
        return {**event, "card": call.card, **by}
    if event["event"] == "take" and call.player is not None:
        return {**event, "player": call.player, **by}
    if event["event"] == "challenge" and call.player in (event["player"], event["target"]):
        return {**event, "result": "challenger" if call.player == event["player"] else "holder", **by}
    return None


def accepted(call: Correct, told: Told, now_us: int) -> list[Event]:
    """A person's correction in the record's words."""
    if call.ref is not None:
        return [told.correct(call.ref, call.event, call.by, call.reason, now_us)]
    if call.event is None or call.before is None:
        return []
    insertion: dict[str, Any] = {
        "t_us": now_us,
        "event": "correct",
        "before": call.before,
        "by": call.by,
        "reason": call.reason,
        "with": call.event,
    }
    told.append(insertion)
    return [insertion]
