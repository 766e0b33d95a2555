"""Who is let in: checks that stand before every page, and the headers that every answer carries.

Written rules of this module:
- a request is for one of the routes in the table, and each of them says who may call it;
- a seat comes from a token that an operator has handed out, and opens what is that seat's and nothing else;
- where there are accounts, a role comes from logging in and from nothing else; where there are none yet, whoever
  sits at the machine the referee runs on may do everything, and nobody else anything but look at the scoreboard: the
  peer, the address it came in by and the name it used must all be this machine's own, and nothing may have passed
  it on;
- a name that is not this machine's is refused everywhere (another site's name can be made to point here);
- what another site's page asks for is refused, but for following a link to a page;
- whatever changes something must come from one of our own pages (`Origin`, and the token of the caller's cookie),
  and as JSON.
Does not belong here: what a route does, what a cookie stands for (`sessions`).
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from http.cookies import CookieError, SimpleCookie

from starlette.types import Scope

from referee.errors import InputError
from referee.web.accounts import Accounts, Role
from referee.web.seats import Seats
from referee.web.sessions import Sessions, is_cookie

LARGEST_BODY = 16 * 1024
TOKEN_HEADER = "x-referee-token"
_LOOPBACK_NAMES = frozenset(("localhost", "127.0.0.1", "::1"))
# Endings that home networks give their machines and nobody can buy: a foreign site cannot be named so.
_HOME_ENDINGS = ("local", "lan", "home", "home.arpa", "internal")
# What a proxy adds when it passes a request on: then the peer is the proxy and not the caller.
_PASSED_ON = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")
_ONCE = ("host", "origin", "cookie", TOKEN_HEADER, "sec-fetch-site", "sec-fetch-mode")

SECURITY_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; "
        "connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Who(Enum):
    """Who may call a route."""

    ANYONE = "anyone"
    SEAT = "seat"
    VIEWER = Role.VIEWER.word
    OPERATOR = Role.OPERATOR.word
    HEAD = Role.HEAD.word

    @property
    def role(self) -> Role | None:
        """The role it takes; None where it takes none."""
        return None if self in (Who.ANYONE, Who.SEAT) else Role[self.name]


AT_THE_MACHINE = "operator"
"""The name of whoever sits at the referee's machine while there are no accounts."""


@dataclass(frozen=True)
class Caller:
    """Who calls: the name and role they are known by (None: nobody is logged in), their cookie ("" without one).

    `here`: there are no accounts yet, and it is whoever sits at the machine. `seat` is whose seat their browser has.
    """

    name: str = ""
    role: Role | None = None
    cookie: str = ""
    here: bool = False
    seat: str | None = None

    def may(self, who: Who) -> bool:
        """Whether the caller may call a route."""
        if who is Who.SEAT:
            return self.seat is not None
        return who.role is None or (self.role is not None and self.role >= who.role)


@dataclass(frozen=True)
class Refusal:
    """Why a request is not let in; `log_in`: it would be, from somebody who is logged in."""

    status: int
    reason: str
    log_in: bool = False


def own_names() -> frozenset[str]:
    """The names this machine goes by."""
    name = socket.gethostname().lower()
    first = name.split(".")[0]
    return frozenset((*_LOOPBACK_NAMES, name, first, *(f"{first}.{ending}" for ending in _HOME_ENDINGS)))


def cookie_name(scope: Scope) -> str:
    """What our cookie is called; over TLS by a name that only this very host can set (RFC 6265bis, `__Host-`)."""
    return "__Host-referee" if scope["scheme"] == "https" else "referee"


def caller_of(scope: Scope, accounts: Accounts | None, sessions: Sessions) -> Caller:
    """Who calls. Raises `InputError` when the accounts cannot be read."""
    headers = _headers(scope)
    cookie = _cookie(scope, headers)
    if accounts is None or not accounts.exist():
        here = _is_from_here(scope, headers)
        return Caller(AT_THE_MACHINE, Role.HEAD, cookie, here=True) if here else Caller(cookie=cookie)
    known = sessions.account(cookie) if cookie else None
    account = accounts.current(known.name, known.stamp) if known is not None else None
    if account is None:
        return Caller(cookie=cookie)
    return Caller(account.name, account.role, cookie)


def admit(
    scope: Scope,
    who: Who,
    page: bool,
    names: Iterable[str],
    accounts: Accounts | None,
    sessions: Sessions,
    seats: Seats | None = None,
) -> Caller | Refusal:
    """Who calls a route, or why they are not let in; `page`: links elsewhere may lead to it."""
    headers = _headers(scope)
    refused = _wrong_place(scope, headers, page, names)
    if refused is not None:
        return refused
    caller = Caller(cookie=_cookie(scope, headers))
    if who is Who.SEAT:
        caller = replace(caller, seat=None if seats is None else seats.player(caller.cookie))
        if caller.seat is None:
            return Refusal(401, "Take a seat first: scan the code that the operator shows.")
    elif who is not Who.ANYONE:
        try:
            caller = caller_of(scope, accounts, sessions)
            some = accounts is not None and accounts.exist()
        except InputError:  # what cannot be read opens nothing
            return Refusal(503, "The accounts cannot be read, and without them nobody is let in.")
        if not caller.may(who):
            return _not_allowed(who, caller, some)
    said = headers.get(TOKEN_HEADER, "")
    if scope["method"] not in ("GET", "HEAD") and not sessions.is_token(said, caller.cookie):
        return Refusal(403, "This page is no longer current: load it again.")
    return caller


def _wrong_place(scope: Scope, headers: Mapping[str, str], page: bool, names: Iterable[str]) -> Refusal | None:
    """Why a request comes from or goes to a place where it cannot be."""
    host = headers.get("host", "")
    name = _name_of(host)
    if name is None or not (name in names or _is_address(name)):
        return Refusal(421, "This address is not one of the referee's.")
    own = f"{scope['scheme']}://{host}"
    if scope["method"] not in ("GET", "HEAD"):
        if headers.get("origin") != own:
            return Refusal(403, "This can be done from the referee's own pages only.")
        if headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
            return Refusal(415, "Expected JSON.")
        return None
    link = page and headers.get("sec-fetch-mode", "navigate") == "navigate" and "origin" not in headers
    foreign = headers.get("origin", own) != own or headers.get("sec-fetch-site") in ("cross-site", "same-site")
    return Refusal(403, "This can be seen on the referee's own pages only.") if foreign and not link else None


def _not_allowed(who: Who, caller: Caller, accounts: bool) -> Refusal:
    if caller.role is not None:
        return Refusal(403, f"This is for the role {who.value}; {caller.name} is {caller.role.word}.")
    if accounts:
        return Refusal(401, "Log in first.", log_in=True)
    return Refusal(
        403,
        "While there are no accounts, this answers on the referee's own machine only, "
        "at http://127.0.0.1 and its port.",
    )


def _cookie(scope: Scope, headers: Mapping[str, str]) -> str:
    """The value of our cookie; one that cannot be ours is none."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(cookie_name(scope))
    except CookieError:
        return ""
    return found.value if found is not None and is_cookie(found.value) else ""


def _is_from_here(scope: Scope, headers: Mapping[str, str]) -> bool:
    peer, own = scope.get("client"), scope.get("server")
    if peer is None or own is None or any(header in headers for header in _PASSED_ON):
        return False
    return _name_of(headers.get("host", "")) in _LOOPBACK_NAMES and is_loopback(peer[0]) and is_loopback(own[0])


def _headers(scope: Scope) -> dict[str, str]:
    """Header names in lower case; one that is given twice is taken as neither."""
    found: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name = raw_name.decode("latin-1").lower()
        found[name] = "" if name in found and name in _ONCE else raw_value.decode("latin-1")
    return found


def _name_of(host: str) -> str | None:
    """The name in a Host header, without port and brackets."""
    if host.startswith("["):
        name, bracket, rest = host[1:].partition("]")
        return name.lower() if bracket and (not rest or _is_port(rest)) else None
    name, colon, port = host.partition(":")
    return name.lower() if name and (not colon or _is_port(":" + port)) else None


def _is_port(text: str) -> bool:
    return text[:1] == ":" and text[1:].isascii() and text[1:].isdigit()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(address: str) -> bool:
    """Whether an address is this machine's alone."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = getattr(ip, "ipv4_mapped", None)
    return bool((mapped or ip).is_loopback)
