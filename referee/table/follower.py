"""What a session asks of the table, whatever is played on it: sources in, events of the record out.

Belongs here: the one interface that the tables of all games have, and which table a game has. Does not belong here: how
any of them works (`fusion`: Jungle Speed), what a zone means (`layouts`).

Written rules:
- a table takes every word of every source; what means nothing in its game it leaves aside without a sound;
- `release` gives events in the order in which they happened, and never one that later evidence could come before;
- whoever is given an event puts it in the record, so that indices agree on both sides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from referee.errors import ProfileError
from referee.table.bluff_table import BluffTable
from referee.table.calls import Call, Notice
from referee.table.dobro_table import DobroTable
from referee.table.fusion import Fusion
from referee.table.layouts import Layout
from referee.table.secrets import Secrets
from referee.table.settings import FusionSettings
from referee.table.speed_table import SpeedTable
from referee.table.watermarks import Health, Source
from referee.totem.scrambles import Fall, Grab
from referee.vision.sightings import Sighting
from referee.words import Event, Expected


class Follower(Protocol):
    """The table of one game; see the rules of the module."""

    layout: Layout

    def sighting(self, s: Sighting) -> None:
        """A word of the camera."""

    def touch(self, t: Grab | Fall) -> None:
        """A word of the totem; a scramble first provisional, then final."""

    def totem_past(self, t_us: int) -> None:
        """Every scramble and fall that began before `t_us` has been said, provisionally at least."""

    def totem_silent(self, from_us: int, to_us: int, touched_us: int | None) -> None:
        """The totem was not heard for a while; `touched_us`: a touch was in flight then."""

    def call(self, c: Call) -> None:
        """A word of a person: a button, or a page."""

    def source(self, name: Source, health: Health, t_us: int) -> None:
        """A source is fresh, stale or lost since `t_us`."""

    def now(self, t_us: int) -> None:
        """The table's clock, so that waits have limits when a source is silent."""

    def expected(self, e: Expected) -> None:
        """What may come next after everything released so far; it may add a doubt, never decide."""

    def add(self, event: Event) -> int:
        """An event of the caller's own goes to the end of the record (`end`); returns its index."""

    def notices(self) -> list[Notice]:
        """What people should hear of that is no event; each once."""

    def release(self) -> list[Event]:
        """Events that are ready, in the order in which they happened; call it until it returns nothing."""

    def finish(self) -> list[Event]:
        """The sources have ended: everything that still waits, as what can be said of it."""


class MakeFollower(Protocol):
    """Makes the table of a fresh game (`events` empty), or of one that goes on after `events`."""

    def __call__(
        self, layout: Layout, events: Sequence[Event], settings: FusionSettings, *, plain_totem: bool
    ) -> Follower:
        """The table."""


def _jungle_speed(layout: Layout, events: Sequence[Event], settings: FusionSettings, *, plain_totem: bool) -> Follower:
    if events:
        return Fusion.resume(layout, events, settings, plain_totem=plain_totem)
    return Fusion(layout, settings, plain_totem=plain_totem)


def _dobro(layout: Layout, events: Sequence[Event], settings: FusionSettings, *, plain_totem: bool) -> Follower:
    return DobroTable(layout, settings, events)


def _speed(layout: Layout, events: Sequence[Event], settings: FusionSettings, *, plain_totem: bool) -> Follower:
    return SpeedTable(layout, settings, events)


FOLLOWERS: Mapping[str, MakeFollower] = {"jungle-speed": _jungle_speed, "dobro": _dobro, "speed": _speed}
"""For each game that can be followed on a table: what follows it."""


class MakeWithSecrets(Protocol):
    """Makes the table of a game in which players hide something; `secrets` is whoever knows it."""

    def __call__(
        self, layout: Layout, settings: FusionSettings, secrets: Secrets, events: Sequence[Event] = ()
    ) -> Follower:
        """The table."""


WITH_SECRETS: Mapping[str, MakeWithSecrets] = {"jungle-bluff": BluffTable}
"""The same for games in which players hide something."""


def make_follower(
    layout: Layout,
    events: Sequence[Event],
    settings: FusionSettings,
    *,
    plain_totem: bool = False,
    secrets: Secrets | None = None,
) -> Follower:
    """The table of the layout's game; raises `ProfileError` for a game that no table follows yet."""
    if layout.game in WITH_SECRETS:
        if secrets is None:
            raise ProfileError(f"game: {layout.game} has secrets; expected whoever knows them")
        return WITH_SECRETS[layout.game](layout, settings, secrets, events)
    if layout.game not in FOLLOWERS:
        known = ", ".join([*FOLLOWERS, *WITH_SECRETS])
        raise ProfileError(f"game: {layout.game} is not followed on a table yet; expected {known}")
    return FOLLOWERS[layout.game](layout, events, settings, plain_totem=plain_totem)
