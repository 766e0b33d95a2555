"""How often somebody may try a password: a limit for each account and for each address, in bounded memory.

Written rules of this module:
- only failures count, and an account that does not exist counts like one that does;
- what is remembered is bounded; when it is full of fresh failures, whoever is not known yet waits: a flood from very
  many addresses must not wash away what is known of the others;
- time comes from outside.
Does not belong here: whether a password is right (`accounts`).
"""

from __future__ import annotations

import ipaddress
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable

WINDOW_S = 300.0
ACCOUNT_TRIES = 8
ADDRESS_TRIES = 20
MOST_KEYS = 4096


class Limit:
    """At most `tries` failures of one key within the window."""

    def __init__(self, tries: int, most_keys: int = MOST_KEYS) -> None:
        self._tries = tries
        self._most = most_keys
        self._failed: OrderedDict[str, deque[float]] = OrderedDict()

    def wait_s(self, key: str, now_s: float) -> float:
        """How long the key has to wait before it may try again; 0: not at all."""
        while self._failed and self._last_s() + WINDOW_S <= now_s:
            self._failed.popitem(last=False)
        times = self._failed.get(key)
        if times is None:
            return 0.0 if len(self._failed) < self._most else self._last_s() + WINDOW_S - now_s
        while times and times[0] + WINDOW_S <= now_s:
            times.popleft()
        return times[0] + WINDOW_S - now_s if len(times) >= self._tries else 0.0

    def failed(self, key: str, now_s: float) -> None:
        """The key has failed."""
        self._failed.setdefault(key, deque(maxlen=self._tries)).append(now_s)
        self._failed.move_to_end(key)

    def forgive(self, key: str, everything: bool) -> None:
        """The key's last failure was none; `everything`: nor were those before it."""
        times = self._failed.get(key)
        if times is None:
            return
        if not everything:
            times.pop()
        if everything or not times:
            del self._failed[key]

    def _last_s(self) -> float:
        """When the key that has been quiet for longest failed last: keys stand in that order."""
        return next(iter(self._failed.values()))[-1]


class Attempts:
    """Failures to log in, for all threads."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._lock = threading.Lock()
        self._now_s = now_s
        self._accounts = Limit(ACCOUNT_TRIES)
        self._addresses = Limit(ADDRESS_TRIES)

    def begin(self, account: str, address: str) -> float:
        """Count a try as failed until it is known to be right; returns how long to wait instead (0: may try).

        Counting before the password is looked at keeps many tries at once from all coming before the first answer.
        """
        place = _network(address)
        with self._lock:
            now_s = self._now_s()
            wait_s = max(self._accounts.wait_s(account, now_s), self._addresses.wait_s(place, now_s))
            if wait_s <= 0:
                self._accounts.failed(account, now_s)
                self._addresses.failed(place, now_s)
            return wait_s

    def right(self, account: str, address: str) -> None:
        """The try that was begun last was right: it does not count, and neither do the account's from before."""
        with self._lock:
            self._accounts.forgive(account, everything=True)
            self._addresses.forgive(_network(address), everything=False)


def _network(address: str) -> str:
    """Whose address it is: a household has a whole /64 of IPv6, and each of its addresses would try anew."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return "?"
    if isinstance(ip, ipaddress.IPv6Address):
        return str(ip.ipv4_mapped or ipaddress.ip_network((int(ip) >> 64 << 64, 64)))
    return str(ip)
