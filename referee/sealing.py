"""What of an event is secret, and how it is sealed: the event shows that something was laid, and not what.

Written rules of this module:
- a sealed event is the event with `?` in the secret's place and a commitment under `sealed`: SHA-256 over a mark, a
  random salt of 32 bytes and the value (FIPS 180-4). Without the salt ten possible values cannot be tried; with it
  nobody can say later that another value was meant;
- sealing and opening are pure but for the salt, and opening gives the very event that was sealed, key by key;
- what has been sealed already stays as it is.
Does not belong here: where secrets lie (`referee.journal.vault`), who may see them, what follows from them.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from referee.errors import RecordError
from referee.words import Event, Ruling

SECRET_KEYS: Mapping[str, str] = {"force": "card"}
"""Events that hold a secret, with the key where it stands (Jungle Bluff's forces, JB-13)."""

HIDDEN = "?"
SEALED = "sealed"
SALT_BYTES = 32
_MARK = b"referee/sealed/1\0"


class Secret(NamedTuple):
    """One secret: the commitment in the sealed event, the salt (hexadecimal) and the value."""

    seal: str
    salt: str
    value: str


def commitment(salt: str, value: str) -> str:
    """The commitment to a value, hexadecimal."""
    return sha256(_MARK + bytes.fromhex(salt) + value.encode()).hexdigest()


def secret_of(value: str) -> Secret:
    """A value with a salt of its own, and its commitment."""
    salt = secrets.token_hex(SALT_BYTES)
    return Secret(commitment(salt, value), salt, value)


def fits(secret: Secret) -> bool:
    """Whether a secret is the one its commitment was made of."""
    try:
        return len(secret.salt) == 2 * SALT_BYTES and commitment(secret.salt, secret.value) == secret.seal
    except ValueError:  # no hexadecimal digits
        return False


def may_hold_secrets(event: Event) -> bool:
    """Whether an event may hold a secret: quick, for the many that do not."""
    return event.get("event") in SECRET_KEYS or event.get("event") == "correct"


def seal(event: Event) -> tuple[Event, list[Secret]]:
    """An event as everybody may read it, and its secrets; the event itself where it holds none."""
    found: list[Secret] = []

    def hide(inner: Mapping[str, Any], key: str) -> Event:
        found.append(secret_of(inner[key]))
        return {**{name: value for name, value in inner.items() if name != SEALED}, key: HIDDEN, SEALED: found[-1].seal}

    return _changed(event, _is_open, hide), found


def hidden(event: Event) -> Event:
    """An event without its secrets, and without saying which they are."""
    return _changed(event, _is_open, lambda inner, key: {**inner, key: HIDDEN})


def seals(event: Event) -> list[str]:
    """The commitments in an event."""
    found: list[str] = []

    def note(inner: Mapping[str, Any], key: str) -> Event:
        found.append(inner[SEALED])
        return inner

    _changed(event, _is_sealed, note)
    return found


def opened(event: Event, known: Mapping[str, Secret]) -> Event:
    """An event with those of its secrets that are known; raises `RecordError` for one that is not what was sealed."""

    def show(inner: Mapping[str, Any], key: str) -> Event:
        secret = known.get(inner[SEALED])
        if secret is None:
            return inner
        if secret.seal != inner[SEALED] or not fits(secret):
            raise RecordError("a secret is not what was sealed: it was changed afterwards")
        return {**{name: value for name, value in inner.items() if name != SEALED}, key: secret.value}

    return _changed(event, _is_sealed, show)


def _is_open(inner: Mapping[str, Any], key: str) -> bool:
    return isinstance(inner.get(key), str) and inner[key] != HIDDEN


def _is_sealed(inner: Mapping[str, Any], key: str) -> bool:
    return inner.get(key) == HIDDEN and isinstance(inner.get(SEALED), str)


def _changed(
    event: Event, where: Callable[[Mapping[str, Any], str], bool], change: Callable[[Mapping[str, Any], str], Event]
) -> Event:
    """The event with what a correction puts in, or itself, changed where it holds a secret."""
    if event.get("event") == "correct":
        right = event.get("with")
        if not isinstance(right, Mapping):
            return event
        changed = _changed(right, where, change) if right.get("event") in SECRET_KEYS else right
        return event if changed is right else {**event, "with": changed}
    key = SECRET_KEYS.get(event.get("event", ""))
    return event if key is None or not where(event, key) else change(event, key)


# --- what a public record keeps of a challenge ----------------------------------------------------------


def with_result(event: Event, rulings: Sequence[Ruling]) -> Event:
    """A challenge with the result that was ruled, so that it can be judged again without the forces (JB-14, JB-37).

    Any other event, and a challenge that was not decided, stays as it is.
    """
    if event.get("event") != "challenge" or "result" in event or not rulings:
        return event
    first = rulings[0]
    if first["ruling"] == "returned":
        return {**event, "result": "none"}
    if first["ruling"] != "holds" or first.get("player") not in (event["player"], event["target"]):
        return event
    return {**event, "result": "challenger" if first["player"] == event["player"] else "holder"}


def told_by_the_totals(events: Sequence[Event]) -> list[str]:
    """The commitments of the final forces of a game that is over: its totals tell them to everybody (JB-28, JB-31).

    Without them the end of the game could not be judged again.
    """
    last = max((place for place, event in enumerate(events) if event["event"] == "reveal"), default=len(events))
    return [one for event in events[last:] for one in seals(event)]
