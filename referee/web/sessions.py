"""Who is at a browser: one cookie, what the server knows of it, and the token that its pages must send back.

Written rules of this module:
- the cookie is a random number and nothing else; what it stands for is kept here, and ends here: by logging out, by
  time, with the process, or when the account changes;
- logging in gives a new cookie, so that one somebody else has planted is worth nothing;
- every cookie, logged in or not, has a token (bound to it by a key of this process) that a page puts into each
  request that changes something: another site can make a browser send the cookie, but cannot read the token;
- what is remembered is bounded.
Does not belong here: passwords (`accounts`), which route asks for what (`guard`).
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from referee.web.accounts import Account

IDLE_S = 8 * 3600.0  # an evening of games
LONGEST_S = 24 * 3600.0
MOST_SESSIONS = 1024
MOST_OF_ONE = 16  # browsers of one account at a time; the oldest goes
_ID_CHARACTERS = 43  # of 32 random bytes


@dataclass
class _Session:
    account: Account
    begun_s: float
    seen_s: float


class Sessions:
    """Who is logged in; for all threads. A cookie's value is kept as its digest: what leaks here opens nothing."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._lock = threading.Lock()
        self._now_s = now_s
        self._key = secrets.token_bytes(32)
        self._sessions: OrderedDict[str, _Session] = OrderedDict()

    def open(self, account: Account) -> str:
        """Log somebody in; returns the cookie's value."""
        value = new_cookie()
        with self._lock:
            own = [key for key, one in self._sessions.items() if one.account.name == account.name]
            for key in own[: max(0, len(own) - MOST_OF_ONE + 1)]:
                del self._sessions[key]
            while len(self._sessions) >= MOST_SESSIONS:
                self._sessions.popitem(last=False)
            now_s = self._now_s()
            self._sessions[self._digest("session", value)] = _Session(account, now_s, now_s)
        return value

    def account(self, value: str) -> Account | None:
        """Who logged in with this cookie, if that has not ended; whether the account still is so is not known here."""
        key = self._digest("session", value)
        with self._lock:
            session, now_s = self._sessions.get(key), self._now_s()
            if session is None:
                return None
            if now_s - session.seen_s > IDLE_S or now_s - session.begun_s > LONGEST_S:
                del self._sessions[key]
                return None
            session.seen_s = now_s
            return session.account

    def close(self, value: str) -> None:
        """Log out."""
        with self._lock:
            self._sessions.pop(self._digest("session", value), None)

    def token(self, value: str) -> str:
        """What pages opened with this cookie must send back."""
        return self._digest("token", value)

    def is_token(self, said: str, value: str) -> bool:
        """Whether it is the cookie's token; takes the same time for every wrong one."""
        return is_cookie(value) and hmac.compare_digest(said.encode(), self.token(value).encode())

    def _digest(self, what: str, value: str) -> str:
        return hmac.digest(self._key, f"{what}:{value}".encode(), "sha256").hex()


def new_cookie() -> str:
    """The value of a cookie nobody has yet."""
    return secrets.token_urlsafe(32)


def is_cookie(value: str) -> bool:
    """Whether a value can be one of ours."""
    return len(value) == _ID_CHARACTERS and value.isascii() and value.replace("-", "a").replace("_", "a").isalnum()
