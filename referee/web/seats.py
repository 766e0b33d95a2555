"""Who sits where with which phone: tokens that the operator hands out, and the browsers that used one.

Written rules of this module:
- one seat, one phone: handing a seat out anew, or taking it back, ends what was there before, at once;
- a token is a random number that stands for one seat, works once, for a quarter of an hour, and is kept as its digest;
- a browser that used it is known by its cookie (as its digest) until the seat is taken back, for a day at most;
- what is remembered is bounded by the number of seats.
Does not belong here: what a seat may do (`seat_pages`), how a code is drawn (`referee.qr`).
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

OFFER_S = 15 * 60.0
LONGEST_S = 24 * 3600.0
LONGEST_TOKEN = 64

SeatState = Literal["free", "offered", "taken"]


@dataclass
class _Chair:
    token: str | None = None
    offered_s: float = 0.0
    cookie: str | None = None
    taken_s: float = 0.0


class Seats:
    """The seats of one table; for all threads."""

    def __init__(self, players: Sequence[str], now_s: Callable[[], float] = time.monotonic) -> None:
        self._lock = threading.Lock()
        self._now_s = now_s
        self._key = secrets.token_bytes(32)
        self._chairs = {player: _Chair() for player in players}

    @property
    def players(self) -> tuple[str, ...]:
        """Whose seats there are, clockwise."""
        return tuple(self._chairs)

    def hand_out(self, player: str) -> str:
        """A new token for a seat; what it had before ends. Raises `KeyError` for a seat that is not there."""
        token = secrets.token_urlsafe(24)
        with self._lock:
            if player not in self._chairs:
                raise KeyError(player)
            self._chairs[player] = _Chair(token=self._digest(token), offered_s=self._now_s())
        return token

    def take_back(self, player: str) -> bool:
        """The seat is nobody's any more; False where it is not there."""
        with self._lock:
            if player not in self._chairs:
                return False
            self._chairs[player] = _Chair()
            return True

    def claim(self, token: str, cookie: str) -> str | None:
        """A browser uses a token; returns whose seat it has now, None where the token is none that works."""
        said = self._digest(token)
        found: str | None = None
        with self._lock:
            now_s = self._now_s()
            for player, chair in self._chairs.items():  # all of them, so that a right one takes as long as a wrong one
                fits = chair.token is not None and hmac.compare_digest(chair.token, said)
                if fits and now_s - chair.offered_s <= OFFER_S:
                    found = player
            if found is not None:
                mine = self._digest(cookie)
                for chair in self._chairs.values():  # a phone has one seat
                    if chair.cookie == mine:
                        chair.cookie = None
                self._chairs[found] = _Chair(cookie=mine, taken_s=now_s)
        return found

    def player(self, cookie: str) -> str | None:
        """Whose seat this browser has."""
        if not cookie:
            return None
        mine = self._digest(cookie)
        with self._lock:
            now_s = self._now_s()
            for player, chair in self._chairs.items():
                if chair.cookie is not None and hmac.compare_digest(chair.cookie, mine):
                    return player if now_s - chair.taken_s <= LONGEST_S else None
        return None

    def leave(self, cookie: str) -> None:
        """A browser gives its seat back."""
        player = self.player(cookie)
        if player is not None:
            self.take_back(player)

    def states(self) -> dict[str, SeatState]:
        """How each seat is."""
        with self._lock:
            now_s = self._now_s()
            return {player: _state(chair, now_s) for player, chair in self._chairs.items()}

    def _digest(self, value: str) -> str:
        return hmac.digest(self._key, value.encode("utf-8", "replace"), "sha256").hex()


def _state(chair: _Chair, now_s: float) -> SeatState:
    if chair.cookie is not None and now_s - chair.taken_s <= LONGEST_S:
        return "taken"
    return "offered" if chair.token is not None and now_s - chair.offered_s <= OFFER_S else "free"


class OwnHand(Protocol):
    """What a player may see of their own secret: the cards they may lay, and how far it has come."""

    @property
    def cards(self) -> tuple[str, ...]:
        """The cards to choose from."""

    @property
    def chosen(self) -> bool:
        """Whether one was chosen."""

    @property
    def laid(self) -> bool:
        """Whether it lies on the table."""

    @property
    def may_choose(self) -> bool:
        """Whether it may be chosen, or changed, now."""


class PrivateDoor(Protocol):
    """Where a player's phone tells a secret; nothing comes back but to the same player."""

    def hand(self, player: str) -> OwnHand:
        """What this player may see."""

    def choose(self, player: str, card: str) -> bool:
        """This player has chosen; False where that cannot be now."""


@dataclass(frozen=True)
class SeatDoors:
    """What the pages of the seats need: the seats, where a code is drawn, and where secrets go (None: there are none).

    `qr` draws a text as rows of `0` and `1`; `host` is a name or address by which a phone finds this machine.
    """

    seats: Seats
    qr: Callable[[str], Sequence[str]]
    host: str = ""
    private: PrivateDoor | None = field(default=None, repr=False)
