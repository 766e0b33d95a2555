"""Begins a game at a table, or goes on with one: what judges it and what keeps it.

Written rules of this module:
- a game is kept in the journal, in a record file, or in both (the journal first); without either it gets a file;
- a game that cannot begin leaves nothing behind: `start` is called when everything else stands;
- only a game of the same table goes on: its players, its game, its profile.
Does not belong here: how a game is kept (`referee.journal`, `referee.keeping`), what a command's options are called.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from referee import __version__
from referee.decision import Decisions
from referee.deck.folder import Deck
from referee.errors import InputError
from referee.force_store import ForceStore
from referee.journal import entries as kinds
from referee.journal.entries import Entry, Settings
from referee.journal.store import Journal
from referee.keeping import Keeper, Keepers, RecordFile, go_on, set_aside
from referee.ledger import Given, Ledger
from referee.private.opening import open_vault, read_private
from referee.private.vault import Vault
from referee.profile import Profile
from referee.record import Record
from referee.session import Beside, header_of
from referee.words import Header


@dataclass(frozen=True)
class Where:
    """Where a game is kept: a journal's folder, a record file; `resume` goes on with `game` (None: the latest)."""

    journal: Path | None
    record: Path | None
    resume: bool = False
    game: str | None = None
    force: bool = False


@dataclass
class Begun:
    """A game that begins or goes on.

    `key` is its name in the journal once it has started; `last_us` the time of its last event (None: a fresh game);
    `notices` are sentences for whoever runs it; `kept_in` says where it is, `place` is the first of these places;
    `vault` is what alone knows the players' secrets, in a game that has some.
    """

    ledger: Ledger
    kept: Keepers
    kept_in: str
    place: Path
    journal: Journal | None = None
    key: str | None = None
    last_us: int | None = None
    notices: list[str] = field(default_factory=list)
    vault: Vault | None = None
    _store: ForceStore | None = None
    _settings: Settings | None = None
    _record: Path | None = None

    def start(self) -> None:
        """The game begins: from here on it is in the journal. Raises `HardwareError` when it cannot be kept."""
        self._record = None
        if self.journal is None or self._settings is None:
            return
        if self.key is None:
            keeper = self.journal.begin(self.ledger.header, self._settings)
            self.key = keeper.key
            self.kept.put_first(keeper)
            if self._store is not None:
                self._store.key = keeper.key
        else:
            self.journal.add(self.key, [Entry(kinds.SETTINGS, self._settings.word())])

    def close(self) -> None:
        """Close all that keeps it; a game that did not start leaves no record."""
        try:
            self.kept.close()
            if self.vault is not None and any(event["event"] == "end" for event in self.ledger.events):
                self._forget()
        finally:
            if self._record is not None:
                self._record.unlink(missing_ok=True)
            if self.journal is not None:
                self.journal.close()

    def _forget(self) -> None:
        """The game is over: nobody needs its secrets any more."""
        if self.journal is not None and self.key is not None and not self.journal.broken:
            self.journal.forget(self.key, "the game is over")

    def beside(self, touches: str) -> Beside | None:
        """What is kept beside rulings: their decision records, in the journal only; `touches` says what feels them."""
        if self.journal is None:
            return None

        known = Decisions(self.ledger.header, touches)

        def records(ledger: Ledger, given: Sequence[Given]) -> list[Entry]:
            return [Entry(kinds.DECISION, word) for word in known.of(ledger.events, given)]

        return records


def begin(where: Where, profile: Profile, deck: Deck) -> Begun:
    """A fresh game at the profile's table, or the one to go on with.

    Raises `InputError` when there is none to go on with or it is another table's, `RecordError` when the place cannot
    be used.
    """
    if where.resume:
        return _go_on(where, profile, deck)
    header = header_of(profile)
    ledger = Ledger(header)  # a refused header must not leave a file behind
    path = where.record
    if path is None and where.journal is None:
        path = Path(f"game-{datetime.now():%Y%m%d-%H%M%S}.jsonl")
    notices: list[str] = []
    journal = None if where.journal is None else Journal.open(where.journal, anew=True)
    try:
        keepers: list[Keeper] = []
        if path is not None:
            if where.force and (aside := set_aside(path)):
                notices.append(f"{path}: the record that was there is now {aside}")
            keepers.append(RecordFile(path, header))
    except BaseException:
        if journal is not None:
            journal.close()
        raise
    places = [place for place in (where.journal, path) if place is not None]
    store = None if journal is None else ForceStore(journal)
    return Begun(
        ledger,
        Keepers(keepers),
        " and ".join(str(place) for place in places),
        places[0],
        journal,
        notices=[*notices, *(journal.notices if journal is not None else ())],
        vault=_vault(profile, ledger, store),
        _store=store,
        _settings=_settings(profile, deck),
        _record=path,
    )


def _go_on(where: Where, profile: Profile, deck: Deck) -> Begun:
    if where.record is not None:
        record, kept = go_on(where.record)
        _check_table(record, profile, str(where.record), kept)
        ledger = _ledger(record)
        return Begun(
            ledger,
            Keepers([kept]),
            str(where.record),
            where.record,
            last_us=_last_us(record),
            vault=_vault(profile, ledger),
        )
    if where.journal is None:
        raise InputError("--resume: expected --record or --journal with the game that is to go on")
    journal = Journal.open(where.journal)
    try:
        key = where.game or next(
            (one for one in journal.interrupted() if _is_of_table(journal.header(one), profile)), None
        )
        if key is None:
            raise InputError(f"{where.journal}: holds no interrupted game of {profile.path}, nothing to go on with")
        record, keeper = journal.go_on(key)
        _check_table(record, profile, f"{where.journal}, game {key}", None)
    except BaseException:
        journal.close()
        raise
    ledger, store = _ledger(record), ForceStore(journal, keeper.key)
    return Begun(
        ledger,
        Keepers([keeper]),
        str(where.journal),
        where.journal,
        journal,
        keeper.key,
        _last_us(record),
        list(journal.notices),
        _vault(profile, ledger, store),
        store,
        _settings(profile, deck),
    )


def _vault(profile: Profile, ledger: Ledger, store: ForceStore | None = None) -> Vault | None:
    """What alone knows the players' secrets, in a game that has some."""
    settings = read_private(profile.rest.get("private"), str(profile.path))
    return open_vault(ledger.header, settings, store, ledger.events)


def _is_of_table(header: Header, profile: Profile) -> bool:
    own = header_of(profile)
    same = header["players"] == own["players"] and header["game"] == own["game"]
    return same and cast(Any, header).get("profile") == profile.digest


def _check_table(record: Record, profile: Profile, name: str, kept: Keeper | None) -> None:
    if not _is_of_table(record.header, profile):
        if kept is not None:
            kept.close()
        raise InputError(f"{name}: was kept with another profile than {profile.path}; expected the same to go on")


def _ledger(record: Record) -> Ledger:
    return Ledger(record.header, record.events, record.rulings)


def _last_us(record: Record) -> int:
    return max((event["t_us"] for event in record.events), default=0)


def _settings(profile: Profile, deck: Deck) -> Settings:
    return Settings(
        begun=datetime.now().astimezone().isoformat(timespec="seconds"),
        engine=__version__,
        options=profile.options,
        profile=profile.text,
        profile_hash=profile.digest,
        deck_name=deck.name,
        deck={card.id: card.count for card in deck.cards},
    )
