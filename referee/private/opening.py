"""Which games have secrets, and the vault of one.

Belongs here: `[private]` of a profile, making a vault or none. Does not belong here: what a vault does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from referee.errors import ProfileError
from referee.private.store import SecretStore
from referee.private.vault import Forget, Vault
from referee.words import Event, Header

WITH_SECRETS = frozenset(("jungle-bluff",))
_FORGET = ("round", "game")


@dataclass(frozen=True)
class PrivateSettings:
    """`[private]`: when forces are forgotten (`round`: as soon as they are laid open, `game`: with the game), and where
    the hooded camera is (None: players choose on their phones)."""

    forget: Forget = "game"
    source: str | None = None


def read_private(table: object, where: str) -> PrivateSettings:
    """The profile's `[private]`; raises `ProfileError` that names the key and what was expected."""
    if table is None:
        return PrivateSettings()
    if not isinstance(table, Mapping):
        raise ProfileError(f"{where}: private: expected a table")
    for key in table:
        if key not in ("forget", "source"):
            raise ProfileError(f"{where}: private.{key}: is not known, expected forget or source")
    forget: Any = table.get("forget", "game")
    if forget not in _FORGET:
        raise ProfileError(f"{where}: private.forget: expected round or game")
    source: Any = table.get("source")
    if source is not None and not (isinstance(source, str) and source.strip()):
        raise ProfileError(f"{where}: private.source: expected a camera, as in [camera]")
    return PrivateSettings(cast(Forget, forget), source)


def open_vault(
    header: Header,
    settings: PrivateSettings,
    store: SecretStore | None = None,
    events: Sequence[Event] = (),
) -> Vault | None:
    """The vault of a game that has secrets; None for any other."""
    if header["game"] not in WITH_SECRETS:
        return None
    return Vault(header, store, settings.forget, events)
