"""Rulings as they come, and a clock that a test moves."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

PLAYERS = ("Ana", "Bilal", "Chloé", "Driss")


class HandClock:
    """A clock that stands still until it is told."""

    def __init__(self) -> None:
        self.us = 0

    def now_us(self) -> int:
        return self.us

    def now_s(self) -> float:
        return self.us / 1e6

    def move(self, seconds: float) -> None:
        self.us += round(seconds * 1e6)


def ruling(named: str, **keys: Any) -> dict[str, Any]:
    return {"t_us": 1_000_000, "ruling": named, "clauses": [], "public": True, **keys}


def won(winner: str = "Ana", loser: str = "Bilal", cards: int = 3) -> dict[str, Any]:
    return ruling("won", winner=winner, losers=[loser], picks_up={loser: cards}, next=loser)


def duel() -> dict[str, Any]:
    return ruling("duel", players=["Ana", "Bilal"], by="shape", public=False)


def triple() -> dict[str, Any]:
    return ruling("arrow", player="Ana", kind="triple", public=False)


def arrow() -> dict[str, Any]:
    return ruling("arrow", player="Chloé", kind="in")


def wait_until(condition: Callable[[], bool], limit_s: float = 20.0) -> bool:
    """Whether it comes true; the limit is there so that a failure ends, and is never what is measured."""
    end_s = time.monotonic() + limit_s
    while not condition() and time.monotonic() < end_s:
        time.sleep(0.002)
    return condition()
