"""Who is let in: checks that stand before every page, and the headers that every answer carries.

Written rules of this module:
- a request is for one of the routes in the table, and each of them says who may call it;
- the operator's routes answer the machine the referee runs on and nobody else: the peer, the address it came in
  by and the name it used must all be this machine's own, and nothing may have passed it on;
- a name that is not this machine's is refused everywhere (another site's name can be made to point here);
- whatever changes something must come from one of our own pages (`Origin`), and as JSON.
Does not belong here: what a route does.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable, Mapping
from enum import Enum

from starlette.types import Scope

LARGEST_BODY = 16 * 1024
_LOOPBACK_NAMES = frozenset(("localhost", "127.0.0.1", "::1"))
# Endings that home networks give their machines and nobody can buy: a foreign site cannot be named so.
_HOME_ENDINGS = ("local", "lan", "home", "home.arpa", "internal")
# What a proxy adds when it passes a request on: then the peer is the proxy and not the caller.
_PASSED_ON = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")

SECURITY_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
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
    OPERATOR = "operator"


def own_names() -> frozenset[str]:
    """The names this machine goes by."""
    name = socket.gethostname().lower()
    first = name.split(".")[0]
    return frozenset((*_LOOPBACK_NAMES, name, first, *(f"{first}.{ending}" for ending in _HOME_ENDINGS)))


def refusal(scope: Scope, who: Who, names: Iterable[str]) -> tuple[int, str] | None:
    """Status and reason why a request is not let in; None when it is."""
    headers = _headers(scope)
    host = headers.get("host", "")
    name = _name_of(host)
    if name is None or not (name in names or _is_address(name)):
        return 421, "This address is not one of the referee's."
    if who is Who.OPERATOR and not _is_from_here(scope, headers, name):
        return 403, "The operator's page answers on the referee's own machine only, at http://127.0.0.1 and its port."
    if scope["method"] not in ("GET", "HEAD"):
        if headers.get("origin") != f"{scope['scheme']}://{host}":
            return 403, "This can be done from the referee's own pages only."
        if headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
            return 415, "Expected JSON."
    return None


def _is_from_here(scope: Scope, headers: Mapping[str, str], name: str) -> bool:
    peer, own = scope.get("client"), scope.get("server")
    if peer is None or own is None or any(header in headers for header in _PASSED_ON):
        return False
    return name in _LOOPBACK_NAMES and _is_loopback(peer[0]) and _is_loopback(own[0])


def _headers(scope: Scope) -> dict[str, str]:
    """Header names in lower case; one that is given twice is taken as neither."""
    found: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name = raw_name.decode("latin-1").lower()
        found[name] = "" if name in found and name in ("host", "origin") else raw_value.decode("latin-1")
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


def _is_loopback(address: str) -> bool:
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = getattr(ip, "ipv4_mapped", None)
    return bool((mapped or ip).is_loopback)
