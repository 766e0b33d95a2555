"""How far what a look says can be believed: raw nats into log-odds that hold.

Written rules of this module:
- the raw figures come from a model of the pixels' noise; how much they are worth is fitted to rendered cards
  whose answer is known, and a few numbers are kept here (`benchmarks/calibrate_vision.py` makes them);
- a print that leaves much of the picture unexplained is worth less: whatever disturbs the picture disturbs the
  comparison with the rivals, too;
- nothing is ever surer than `MOST_SURE`: one look in a few thousand goes wrong for a reason no model knows.
Does not belong here: how prints are compared (`contest`, `colours`), what is said at which confidence (`cards`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

# Log-odds for each raw nat where `USUAL_UNEXPLAINED` of the print's variation is not found again.
SHAPE_WORTH = 1.4
COLOUR_WORTH = 2.5
USUAL_UNEXPLAINED = 0.04
LEAST_UNEXPLAINED = 0.008
MOST_SURE = 0.9998


def shape_log_odds(nats: float, explained: float) -> float:
    """The log-odds of a print against a rival that lies `nats` behind it, where `explained` (0..1) is found."""
    unexplained = max(LEAST_UNEXPLAINED, 1.0 - explained)
    return SHAPE_WORTH * nats * math.sqrt(USUAL_UNEXPLAINED / unexplained)


def colour_log_odds(nats: float) -> float:
    """The log-odds of a colour against another that lies `nats` behind it."""
    return COLOUR_WORTH * nats


def shares(log_odds: Iterable[float]) -> list[float]:
    """The probabilities of candidates from their log-odds against the best (0 = the best)."""
    odds = list(log_odds)
    top = max(odds, default=0.0)
    weights = [math.exp(one - top) for one in odds]
    total = math.fsum(weights)
    return [weight / total for weight in weights]
