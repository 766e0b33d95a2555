"""The totem's words about a game that never was.

Belongs here: scrambles and falls with the errors of `senses_errors.Errors`, told when they settle and when they end.
Does not belong here: electrodes, the camera's words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

from referee.sim.senses_counts import Held, weighed
from referee.sim.senses_errors import Delivery, Errors, Truth
from referee.table.layouts import Layout
from referee.totem.hands import HandReading
from referee.totem.moments import FAR_MS, FAR_SHARE, Moments, spread
from referee.totem.scrambles import Fall, Grab

BLOCK_US = 16_000
SETTLE_US = 150_000
PAST_EVERY_US = 48_000
MOST_FINGERS = 5


def totem_words(truth: Sequence[Truth], layout: Layout, errors: Errors, chance: Random) -> list[Delivery]:
    """Everything the totem says of a game, watermarks among it."""
    deliveries: list[Delivery] = []
    silent: list[tuple[int, int]] = []
    for one in truth:
        event = one.event
        if event["event"] == "grab":
            told = _grab(event, layout, errors, chance)
            if told:
                deliveries += told
                silent.append((event["t_us"] - 40_000, told[0].at_us))
        elif event["event"] == "fall":
            # A fall is told once the totem has lain for a while.
            at_us = event["t_us"] + chance.randint(300_000, 500_000)
            named = event["player"] if chance.random() < errors.toppler_named else None
            unfelt = errors.no_skin if event["player"] is None else errors.toppler_unfelt
            skin = named is not None or chance.random() >= unfelt
            fall = Fall(event["t_us"] + round(chance.gauss(0, errors.contact_us)), named, skin)
            deliveries.append(Delivery(at_us, "totem", fall))
            silent.append((event["t_us"] - 40_000, at_us))
    end_us = truth[-1].event["t_us"] + 3_000_000
    for t_us in range(0, end_us, PAST_EVERY_US):
        silent = [one for one in silent if one[1] >= t_us]
        held = [begin for begin, _ in silent if begin < t_us]
        deliveries.append(Delivery(t_us + BLOCK_US, "totem", min([t_us, *held])))
    deliveries.sort(key=lambda delivery: delivery.at_us)
    return deliveries


def _grab(event: Any, layout: Layout, errors: Errors, chance: Random) -> list[Delivery]:
    grips = [hand for hand in event["hands"] if hand.get("grip", True)]
    if not grips:
        if chance.random() >= errors.brush_felt:
            return []
        hand = event["hands"][0]
        reading = HandReading(None, _near(hand["t_us"], errors, chance), (1, 1), (0.0, 60.0), False)
        touch = Grab(reading.t_us, (reading,), None, None, reading.t_us + SETTLE_US, True)
        return [Delivery(reading.t_us + 250_000, "totem", touch)]
    hands = _read(grips, layout, errors, chance)
    last_us = max(hand.t_us for hand in hands)
    lifted_us = last_us + chance.randint(60_000, 200_000)
    settled_us = min(last_us + SETTLE_US, max(lifted_us, last_us))
    ends_us = lifted_us + chance.randint(500_000, 1_500_000)
    first_us = min(hand.t_us for hand in hands)
    touch = Grab(first_us, tuple(hands), None, lifted_us, settled_us, True)
    last_word = Delivery(ends_us + 3 * 120_000, "totem", touch)
    if not errors.provisional:
        return [last_word]
    early = Grab(first_us, tuple(hands), None, lifted_us, settled_us, False)
    return [Delivery(settled_us + BLOCK_US + 5_000, "totem", early), last_word]


def _read(grips: list[Any], layout: Layout, errors: Errors, chance: Random) -> list[HandReading]:
    """The hands as the totem reads them: some two are taken for one."""
    held: list[Held] = []
    lost_names: list[str] = []
    for place, hand in enumerate(grips):
        near = any(abs(hand["t_us"] - other["t_us"]) <= errors.lost_within_us for other in grips[:place])
        if held and near and chance.random() < errors.hand_lost:
            lost_names.append(hand["player"])
            continue
        held.append(Held(hand["t_us"], hand["fingers"], hand["lowest_mm"], _hand(hand, layout, errors, chance)))
    hands = weighed(held, errors, chance)
    for name in lost_names:
        # The one that is left keeps the earlier contact; its name may be either's.
        kept = hands[0]
        if chance.random() < 0.5:
            named = None if kept.player is None else name
            hands[0] = replace(kept, player=named, chances=_side(name, layout, errors, chance))
    hands.sort(key=lambda one: one.t_us)
    return hands


def _hand(hand: Any, layout: Layout, errors: Errors, chance: Random) -> HandReading:
    player: str | None = hand["player"]
    assert player is not None
    chances = _side(player, layout, errors, chance)
    draw = chance.random()
    if draw < errors.misnamed:
        player = chance.choice([name for name in layout.players if name != player])
    elif draw < errors.misnamed + errors.unnamed:
        player = None
    t_us, moments = _contact(hand["t_us"], errors, chance)
    return HandReading(
        player,
        t_us,
        _fingers(hand["fingers"], errors, chance),
        _lowest(hand["lowest_mm"], errors, chance),
        True,
        (),
        chances,
        moments,
    )


def _contact(t_us: int, errors: Errors, chance: Random) -> tuple[int, Moments]:
    """A first contact as it is told, and when it may really have been: as often otherwise as the totem says."""
    if not errors.contact_doubt:
        return _near(t_us, errors, chance), ()
    doubt = chance.choice(errors.contact_doubt)
    late, early = errors.contact_late * doubt, (1.0 - errors.contact_late) * doubt
    off_us = 0
    if chance.random() < doubt:
        far_ms = chance.choices(FAR_MS.tolist(), FAR_SHARE.tolist())[0] * chance.uniform(0.8, 1.2)
        off_us = round(1000 * far_ms) * (1 if chance.random() < errors.contact_late else -1)
    return _near(t_us + off_us, errors, chance), spread(late, early)


def _near(t_us: int, errors: Errors, chance: Random) -> int:
    return t_us + round(chance.gauss(0.0, errors.contact_us))


def _fingers(fingers: int, errors: Errors, chance: Random) -> tuple[int, int]:
    if chance.random() < errors.fingers_exact:
        if chance.random() < errors.fingers_right:
            return fingers, fingers
        wrong = chance.choice([count for count in (fingers - 1, fingers + 1) if 1 <= count <= MOST_FINGERS])
        return wrong, wrong
    width = chance.choice((1, 1, 2))
    inside = chance.random() < errors.fingers_inside
    runs = [
        (low, low + width) for low in range(1, MOST_FINGERS + 1 - width) if (low <= fingers <= low + width) == inside
    ]
    if not runs:
        return 1, MOST_FINGERS
    return min(runs, key=lambda run: (abs(sum(run) / 2 - fingers) if not inside else 0, chance.random()))


def _lowest(lowest_mm: float, errors: Errors, chance: Random) -> tuple[float, float]:
    width = chance.uniform(*errors.lowest_mm)
    where = chance.random() if chance.random() < errors.lowest_inside else chance.choice((-0.3, 1.3))
    low = max(lowest_mm - where * width, 0.0)
    return round(low, 1), round(low + width, 1)


def _side(player: str, layout: Layout, errors: Errors, chance: Random) -> dict[str, float]:
    """Each seat's chance by the side a hand came from."""
    felt_deg = layout.angles_deg[player] + chance.gauss(0.0, errors.side_deg)
    weights = {}
    for name, angle in layout.angles_deg.items():
        away = (felt_deg - angle + 180.0) % 360.0 - 180.0
        weights[name] = math.exp(-0.5 * (away / errors.side_deg) ** 2) + 0.01
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items()}
