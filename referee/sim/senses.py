"""What camera and totem would say of a game, drawn from error rates: whole games without pictures and electrodes.

Belongs here: from a true record to the words of both sources in the order in which they arrive. Does not belong
here: how a game goes (`games`), how the words are drawn (`senses_camera`, `senses_totem`), what is made of them.

Written rules: everything follows from one seed. Every rate stands in `senses_errors.Errors`. The truth travels beside
the words, in `evidence` of cards, and is for scoring alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from referee.record import Record
from referee.rules import jungle_speed
from referee.sim.senses_camera import camera_words
from referee.sim.senses_errors import Delivery, Errors, Truth
from referee.sim.senses_totem import totem_words
from referee.table.calls import Call, Choose, Share
from referee.table.layouts import Layout
from referee.words import Event

SEE_ARROW_US = 500_000
SAME_PLAYER_US = 700_000
TOTEM_BACK_US = 2_200_000


def at_human_pace(events: Sequence[Event]) -> list[Event]:
    """The same events with the time people need: to see an outward arrow, to turn a second card, to put the totem back.

    `games` plays by the rules alone; there a volley may begin 20 ms after its arrow.
    """
    later_us = 0
    last_flip: dict[str, int] = {}
    arrow_us = -SEE_ARROW_US
    back_us = 0
    found: list[Event] = []
    for event in events:
        t_us = event["t_us"] + later_us
        if event["event"] == "flip":
            earliest = max(arrow_us + SEE_ARROW_US, last_flip.get(event["player"], -SAME_PLAYER_US) + SAME_PLAYER_US)
            later_us += max(earliest - t_us, 0)
            t_us = event["t_us"] + later_us
            last_flip[event["player"]] = t_us
            if event["card"] == "arrow/out":
                arrow_us = t_us
        elif event["event"] in ("grab", "fall"):
            later_us += max(back_us - t_us, 0)
            t_us = event["t_us"] + later_us
            back_us = t_us + TOTEM_BACK_US
        moved = {**event, "t_us": t_us}
        if "hands" in event:
            moved["hands"] = [{**hand, "t_us": hand["t_us"] + later_us} for hand in event["hands"]]
        found.append(moved)
    return found


def truths(record: Record) -> list[Truth]:
    """The true events of a record at human pace, judged."""
    state = jungle_speed.start(record.header)
    found = []
    for event in at_human_pace(record.events):
        after, rulings = jungle_speed.apply(state, event)
        found.append(Truth(event, state, rulings))
        state = after
    return found


def sense(truth: list[Truth], layout: Layout, errors: Errors, seed: int) -> list[Delivery]:
    """What the sources say of a game, in the order in which it arrives."""
    chance = Random(seed)
    deliveries = camera_words(truth, layout, errors, chance)
    if not errors.wooden:
        deliveries += totem_words(truth, layout, errors, chance)
    for one in truth:
        event = one.event
        if event["event"] == "choose":
            call: Call = Choose(event["t_us"], event["player"], event["choice"])
        elif event["event"] == "share":
            call = Share(event["t_us"], event["player"], event["shares"])
        else:
            continue
        deliveries.append(Delivery(event["t_us"], "person", call))
    deliveries.sort(key=lambda delivery: delivery.at_us)
    return deliveries
