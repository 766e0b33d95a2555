"""From costs to a picture size and a rate: pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

RATES = (30.0, 25.0, 20.0, 15.0, 10.0)
USUAL_RATE = RATES[0]  # what most cameras give at these sizes
# The referee runs in one thread; a third is left for pages, voices and what else the machine does.
CORE_SHARE = 0.65
# Decoding runs in the capture process, on another core, beside the driver.
DECODE_SHARE = 0.8
# `referee run` says that it falls behind from half a second on; one frame in a hundred may take a third of that.
SLOWEST_FRAME_MS = 150.0
ENOUGH = 1.2  # times what the deck needs, as the doctor has it
SLOW_SYNC_MS = 50.0


@dataclass(frozen=True)
class SizeCost:
    """What one frame of a size costs in milliseconds of processor time; `card_px` is a card's shorter side in it."""

    width: int
    height: int
    decode_ms: float
    watch_ms: float
    watch_p99_ms: float
    read_ms: float
    card_px: float


@dataclass(frozen=True)
class Costs:
    """All that was measured: sizes, the totem's share of a core, a synced line (median and worst, ms)."""

    sizes: Sequence[SizeCost]
    totem_share: float
    sync_ms: float
    sync_worst_ms: float
    needs_px: int | None


@dataclass(frozen=True)
class Offer:
    """A size, the highest rate it can be watched at (None: not even the lowest), and whether cards are large enough."""

    cost: SizeCost
    most_fps: float
    rate: float | None
    large_enough: bool


@dataclass(frozen=True)
class Proposal:
    """Every size's offer, and the one to choose; None when this machine is too slow for any."""

    offers: Sequence[Offer]
    best: Offer | None


def propose(costs: Costs) -> Proposal:
    """Offers for all sizes, and the one to choose.

    Chosen is the largest picture that keeps the usual rate; where none does, the fastest one with cards large enough,
    and where none has, the fastest.
    """
    offers = [_offer(cost, costs) for cost in costs.sizes]
    able = [offer for offer in offers if offer.rate is not None]
    return Proposal(offers, max(able, key=_worth, default=None))


def _offer(cost: SizeCost, costs: Costs) -> Offer:
    left = max(0.0, CORE_SHARE - costs.totem_share)
    most = min(left * 1000 / max(cost.watch_ms, 1e-6), DECODE_SHARE * 1000 / max(cost.decode_ms, 1e-6))
    in_time = cost.watch_p99_ms <= SLOWEST_FRAME_MS
    rate = next((rate for rate in RATES if rate <= most), None) if in_time else None
    large = costs.needs_px is None or cost.card_px >= ENOUGH * costs.needs_px
    return Offer(cost, most, rate, large)


def _worth(offer: Offer) -> tuple[bool, float, int]:
    rate = min(offer.rate or 0.0, USUAL_RATE)
    return offer.large_enough, rate, offer.cost.width * offer.cost.height
