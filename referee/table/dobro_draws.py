"""Dobro: what a visit of the draw pile says about who has drawn how many cards.

Belongs here: from visits and from who lacks cards to `draw` events, exact or between counts. Does not belong here: when
they leave (`dobro_table`).

Written rules:
- only who lacks cards draws; a hand that goes to the pile and comes back has taken one card at least;
- how many it took cannot be seen: where more than one is lacking it is one to as many as are lacking;
- a visit that is short, or maybe somebody else's, may have been a draw: between none and as many as are lacking.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.table.presence import Visit
from referee.words import Event

# Hands that only pass over the pile have their fingers there for 100 ms, or 170 ms where they push cards; hands that
# draw for 300 ms and more (simulated tables, docs/dobro-table.md).
DRAW_STAY_US = 220_000
PASSING_US = 110_000
SURE = 0.6  # of a player who lacks cards
MAY_BE = 0.12


def drawn(visit: Visit, lacking: Mapping[str, int], t_us: int) -> list[Event]:
    """The `draw` events of a visit that is over, at `t_us`."""
    may_be = [player for player in lacking if visit.chance(player) >= MAY_BE]
    if not may_be or visit.stay_us < PASSING_US:
        return []
    sure = len(may_be) == 1 and visit.chance(may_be[0]) >= SURE and visit.stay_us >= DRAW_STAY_US
    return [_draw(player, 1 if sure else 0, lacking[player], t_us) for player in may_be]


def maybe_drawn(visit: Visit, lacking: Mapping[str, int], t_us: int) -> list[Event]:
    """The `draw` events of a visit that goes on at `t_us`: whoever is there may have drawn by then."""
    if visit.stay_us < PASSING_US:
        return []
    return [_draw(player, 0, lacking[player], t_us) for player in lacking if visit.chance(player) >= MAY_BE]


def unseen(lacking: Mapping[str, int], t_us: int) -> list[Event]:
    """The `draw` events of a time in which nobody could see the pile."""
    return [_draw(player, 0, lacking[player], t_us) for player in lacking]


def _draw(player: str, fewest: int, most: int, t_us: int) -> Event:
    count: Any = most if fewest == most else [fewest, most]
    return {"t_us": t_us, "event": "draw", "player": player, "count": count}
