"""`referee bench`: what this very machine can do, and the picture size and rate to choose. Thin over the bench room."""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import asdict
from pathlib import Path

import orjson
from rich.console import Console
from rich.table import Table

from referee.bench.propose import SLOW_SYNC_MS, Costs, Offer, Proposal, propose
from referee.errors import InputError

FEWEST_FRAMES, MOST_FRAMES = 10, 220
SMALLEST_PX, LARGEST_PX = 200, 4096


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    add = parser.add_argument
    add("--players", default="4", metavar="N|NAMES", help="how many people sit at the table (default %(default)s)")
    add("--deck", default="builtin:totem-rush", metavar="DECK", help="whose cards are read (default %(default)s)")
    add("--size", action="append", metavar="WxH", help="only this picture size, as often as you like (default: three)")
    add("--frames", type=int, default=150, help="frames that are watched of each size (default %(default)s)")
    add("--folder", type=Path, default=Path(), metavar="FOLDER", help="where records are kept (default: here)")
    add("--json", action="store_true", help="one JSON object a line")


def run(arguments: argparse.Namespace) -> int:
    """Measure and propose; 1 when this machine is too slow for any size."""
    # Imported here: it brings the simulated table, which no other command should load.
    from referee.bench.measure import SIZES, measure
    from referee.sim.settings import names_of

    if not FEWEST_FRAMES <= arguments.frames <= MOST_FRAMES:
        raise InputError(f"--frames {arguments.frames}: expected a number from {FEWEST_FRAMES} to {MOST_FRAMES}")
    players = names_of(arguments.players)
    sizes = SIZES if arguments.size is None else tuple(_size(words) for words in arguments.size)
    with Console(stderr=True).status("measuring") as status:
        costs = measure(
            players,
            arguments.deck,
            arguments.folder,
            arguments.frames,
            sizes,
            said=lambda what: status.update(f"measuring: {what}"),
        )
    proposal = propose(costs)
    if arguments.json:
        for row in rows(costs, proposal):
            sys.stdout.buffer.write(orjson.dumps(row) + b"\n")
        sys.stdout.buffer.flush()
    else:
        show(costs, proposal)
    return 0 if proposal.best is not None else 1


def _size(words: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{3,4})x(\d{3,4})", words)
    if found is None or not all(SMALLEST_PX <= int(side) <= LARGEST_PX for side in found.groups()):
        raise InputError(f"--size {words}: expected WIDTHxHEIGHT, for instance 1280x720")
    return int(found[1]), int(found[2])


def rows(costs: Costs, proposal: Proposal) -> list[dict[str, object]]:
    """What was measured, a size a row, and the proposal last."""
    found = [_row(offer) for offer in proposal.offers]
    kept: dict[str, object] = {
        "totem_share": round(costs.totem_share, 4),
        "sync_ms": round(costs.sync_ms, 2),
        "sync_worst_ms": round(costs.sync_worst_ms, 2),
        "needs_px": costs.needs_px,
    }
    best = proposal.best
    chosen = None if best is None else {"width": best.cost.width, "height": best.cost.height, "fps": best.rate}
    return [*found, kept, {"proposal": chosen}]


def _row(offer: Offer) -> dict[str, object]:
    measured = {key: round(value, 2) for key, value in asdict(offer.cost).items()}
    return {
        **measured,
        "most_fps": round(offer.most_fps, 1),
        "rate": offer.rate,
        "cards_large_enough": offer.large_enough,
    }


def show(costs: Costs, proposal: Proposal) -> None:
    """The same for people."""
    console = Console(highlight=False, markup=False, soft_wrap=True)
    table = Table("picture", "decode", "watch", "slowest 1 %", "read once", "at most", "card", box=None)
    for offer in proposal.offers:
        cost = offer.cost
        table.add_row(
            f"{cost.width}×{cost.height}",
            f"{cost.decode_ms:.1f} ms",
            f"{cost.watch_ms:.1f} ms",
            f"{cost.watch_p99_ms:.1f} ms",
            f"{cost.read_ms:.0f} ms",
            f"{offer.most_fps:.0f}/s",
            f"{cost.card_px:.0f} px{'' if offer.large_enough else ' (small)'}",
        )
    console.print(table)
    needs = "" if costs.needs_px is None else f"; this deck needs cards of {costs.needs_px} px"
    console.print(f"The totem's scans take {costs.totem_share:.1%} of a core{needs}.")
    slow = " (slow: rulings come late)" if costs.sync_ms > SLOW_SYNC_MS else ""
    console.print(f"A line is on the disk in {costs.sync_ms:.1f} ms, at worst {costs.sync_worst_ms:.0f} ms{slow}.")
    best = proposal.best
    if best is None:
        console.print("This machine is too slow to referee at any of these sizes.")
        return
    console.print(f"→ width = {best.cost.width}, height = {best.cost.height}, fps = {best.rate:g} in [camera]")
