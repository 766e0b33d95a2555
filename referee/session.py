"""The session: camera, totem and people on one side, rules, record and voices on the other, in one running game.

Written rules of this module:
- one thread, one order: a datum is handed in by a call, and what follows from it has happened when the call returns;
- an event and its rulings are in the record (synced) before any listener hears of them;
- it knows no device and no clock: whoever drives it (`referee.play`) says what time it is;
- it never asks where a datum came from: a simulated, recorded or real table is the same to it.
Does not belong here: opening doors (`referee.doors`), when an event is ready (`referee.table`), how a ruling sounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, cast

from referee.deck.folder import Deck
from referee.health import Freshness
from referee.journal.entries import Entry
from referee.keeping import Keeper
from referee.ledger import Given, Ledger
from referee.profile import Profile
from referee.sealing import with_result
from referee.table.calls import Call, Notice
from referee.table.follower import Follower, make_follower
from referee.table.known import Piles, contradictions, zone_chances
from referee.table.layouts import OPEN, Layout, layout_of
from referee.table.secrets import Secrets
from referee.table.settings import CONTACT_PADS_US, CONTACT_US, FusionSettings
from referee.totem.live import Break, LiveDetector
from referee.totem.scans import ScanBatch
from referee.totem.scrambles import Fall, Grab
from referee.totem.touch import Known
from referee.vision.camera import Frame
from referee.vision.places import TotemPlace
from referee.vision.reader import Reader, read_setup
from referee.vision.sightings import Back, CardSeen, PileTaken, Sighting
from referee.vision.watcher import Watcher
from referee.words import Event, Expected, Header

Name = Literal["camera", "totem"]
SHOW_EVERY_US = 900_000
CAMERA: Name = "camera"
TOTEM: Name = "totem"


@dataclass(frozen=True)
class Source:
    """How a source is: `age_us` since its newest datum (None: none yet), `problem` in words if any."""

    freshness: Freshness
    age_us: int | None = None
    problem: str | None = None


@dataclass(frozen=True)
class Snapshot:
    """How the game stands: for pages and lamps."""

    t_us: int
    expected: Expected
    counts: Mapping[str, Any]
    standing: Sequence[Given]
    events: int
    sources: Mapping[str, Source]
    paused: bool = False


class Listener(Protocol):
    """Whoever is told what was kept."""

    def given(self, given: Sequence[Given]) -> None:
        """Rulings that belong together were kept; where earlier ones are void an `overturned` comes first."""

    def noticed(self, notice: Notice) -> None:
        """Something a person should hear of that is no event of the game."""

    def stands(self, snapshot: Snapshot) -> None:
        """The game stands otherwise than before, or a source does."""


Beside = Callable[[Ledger, Sequence[Given]], Sequence[Entry]]
"""What is kept beside rulings just given, in the same breath: their decision records."""


class Tap(Listener, Protocol):
    """A listener that is also shown what came in; it changes nothing and never makes a live game wait."""

    def frame(self, frame: Frame, seen: Sequence[Sighting], watcher: Watcher) -> None:
        """A picture, what was seen in it, and who saw it."""

    def scans(self, batch: ScanBatch) -> None:
        """Scans of the totem."""


class Session:
    """A running game; see the rules of the module."""

    def __init__(
        self,
        ledger: Ledger,
        kept: Keeper,
        fusion: Follower,
        watcher: Watcher,
        detector: LiveDetector | None,
        deck: Mapping[str, int],
        listeners: Sequence[Listener] = (),
        beside: Beside | None = None,
    ) -> None:
        """`deck` is how often each card is in it; `detector` None where the totem is a plain wooden one."""
        self.ledger = ledger
        self._kept = kept
        self._beside = beside
        self._fusion = fusion
        self._watcher = watcher
        self._detector = detector
        self._listeners = tuple(listeners)
        self._sources: dict[Name, Source] = {CAMERA: Source(Freshness.LOST)}
        if detector is not None:
            self._sources[TOTEM] = Source(Freshness.LOST)
        self._tap: Tap | None = None
        self.paused = False
        self._paused_us = 0
        self._shown_us = 0
        self._t_us = 0
        self._deck = dict(deck)
        self._doubled: set[str] = set()
        fusion.expected(ledger.expected())

    # ---- what comes in

    def attach(self, tap: Tap) -> None:
        """From now on it is shown what comes in, and told what is given."""
        self._tap = tap
        self._listeners = (*self._listeners, tap)

    def catch_up(self) -> None:
        """Give what a game that goes on still owes, and show how it stands."""
        if owed := self.ledger.catch_up():
            self._keep([], owed)
        self._show()

    def frame(self, frame: Frame) -> None:
        """One picture of the table; raises `PictureError` when its size changes.

        Like all that comes in it raises `HardwareError` when nothing can be kept any more.
        """
        seen = self._watcher.feed(frame)
        if self._tap is not None:
            self._tap.frame(frame, seen, self._watcher)
        for sighting in seen:
            if not (self.paused and self._is_new(sighting)):
                self._fusion.sighting(sighting)
        self._advance(frame.t_us)

    def _is_new(self, sighting: Sighting) -> bool:
        """Whether something happened in the pause; what was turned before it may still be read."""
        return isinstance(sighting, CardSeen | PileTaken | Back) and sighting.between_us[1] >= self._paused_us

    def scans(self, batches: Iterable[ScanBatch]) -> None:
        """Scans of the totem, in their order."""
        if self._detector is None:
            return
        last_us = 0
        for batch in batches:
            if self._tap is not None:
                self._tap.scans(batch)
            self._touches(self._detector.feed([batch]))
            last_us = int(batch.t_us[-1])
        past_us = self._detector.past_us
        if past_us is not None:
            self._fusion.totem_past(past_us)
        self._advance(last_us)

    def pause(self, paused: bool, t_us: int) -> None:
        """While a game is paused, what is turned, touched or taken does not count."""
        if paused != self.paused:
            self.paused, self._paused_us = paused, t_us
            self._show()

    def call(self, call: Call) -> None:
        """What a person said by a button or a page."""
        self._fusion.call(call)
        self._advance(call.t_us)

    def source(self, name: Name, source: Source, t_us: int) -> None:
        """How a source is at `t_us` (table clock)."""
        before = self._sources.get(name)
        self._sources[name] = source
        if before is None or before.freshness is not source.freshness or before.problem != source.problem:
            self._fusion.source(name, source.freshness.value, t_us)
            self._advance(t_us)
            self._show()

    def now(self, t_us: int) -> None:
        """The table clock; waits end by it when a source is silent."""
        self._advance(t_us)
        if t_us - self._shown_us > SHOW_EVERY_US:
            self._show()

    def finish(self) -> None:
        """Nothing more comes: what still waits is ruled, and the record closed with its `end`."""
        for sighting in self._watcher.finish():
            self._fusion.sighting(sighting)
        if self._detector is not None:
            self._touches(self._detector.finish())
        while events := self._fusion.finish():
            self._judge(events)
        end: Event = {"t_us": self._t_us, "event": "end"}
        self._fusion.add(end)
        self._judge([end])
        if rest := self.ledger.close():
            self._keep([], rest)
        self._kept.close()

    # ---- what follows

    def snapshot(self) -> Snapshot:
        """How the game stands now."""
        return Snapshot(
            self._t_us,
            self.ledger.expected(),
            self.ledger.summary(),
            tuple(self.ledger.standing),
            len(self.ledger.events),
            {str(name): source for name, source in self._sources.items()},
            self.paused,
        )

    def _touches(self, touches: Iterable[Grab | Fall | Break]) -> None:
        if not self.paused:
            hand_on(self._fusion, touches)

    def _advance(self, t_us: int) -> None:
        self._t_us = max(self._t_us, t_us)
        self._fusion.now(self._t_us)
        while events := self._fusion.release():
            self._judge(events)
        for notice in self._fusion.notices():
            self._tell(notice)

    def _tell(self, notice: Notice) -> None:
        for listener in self._listeners:
            listener.noticed(notice)

    def _judge(self, events: list[Event]) -> None:
        for event in events:
            given = self.ledger.add(event)
            self._keep([with_result(event, [one.ruling for one in given])], given)
        if events:
            self._fusion.expected(self.ledger.expected())
            self._weigh()
            self._show()

    def _weigh(self) -> None:
        """Where cards are known to be is a hint for the next reading, and a card in two places a question to people."""
        lying = self.ledger.lying()
        if lying is None:
            return
        piles = Piles(lying["reserve"], lying["face_up"], lying["pot"])
        for zone, chances in zone_chances(self._fusion.layout, self._deck, piles).items():
            self._watcher.weigh(zone, chances)
        doubled = contradictions(self._deck, piles, self._t_us)
        for notice in doubled:
            if notice.about["card"] not in self._doubled:
                self._tell(notice)
        self._doubled = {notice.about["card"] for notice in doubled}

    def _keep(self, events: list[Event], given: list[Given]) -> None:
        beside = self._beside(self.ledger, given) if given and self._beside is not None else ()
        self._kept.keep([*events, *(one.ruling for one in given)], beside=beside)
        if given:
            for listener in self._listeners:
                listener.given(given)

    def _show(self) -> None:
        self._shown_us = self._t_us
        snapshot = self.snapshot()
        for listener in self._listeners:
            listener.stands(snapshot)


def hand_on(fusion: Follower, touches: Iterable[Grab | Fall | Break]) -> None:
    """Tell the table what the totem felt, and when it was not heard."""
    for touch in touches:
        if isinstance(touch, Break):
            fusion.totem_silent(touch.from_us, touch.to_us, touch.touched_us)
        else:
            fusion.touch(touch)


def header_of(profile: Profile) -> Header:
    """The header of a fresh game at the profile's table."""
    header: Header = {
        "record": "referee/1",
        "game": profile.game,
        "players": list(profile.players),
        "options": dict(profile.options),
        "start": {},
    }
    return cast(Header, {**header, "profile": profile.digest})


def make_watcher(profile: Profile, layout: Layout, deck: Deck) -> Watcher:
    """The watcher of the profile's table; raises `ProfileError` for a lens or a homography that cannot be."""
    part = profile.totem
    totem = TotemPlace(part.centre_mm, part.diameter_mm, part.height_mm) if layout.has_totem else None
    hidden = frozenset(name for name in layout.zones if layout.meaning(name) == "hidden")
    face_up = frozenset(name for name in layout.zones if layout.meaning(name) in OPEN)
    rects = {name: zone.rect for name, zone in layout.zones.items()}
    attentive, busy = (
        frozenset(name for name in face_up if layout.meaning(name) == meaning) for meaning in ("pile", "busy")
    )
    reader = Reader(deck, read_setup(profile.path))
    return Watcher(reader, rects, layout.angles_deg, totem, face_up, hidden, attentive, busy)


def make_session(
    profile: Profile,
    deck: Deck,
    ledger: Ledger,
    kept: Keeper,
    *,
    fps: float,
    totem: bool,
    camera_error_us: int = 0,
    pads: Sequence[str] = (),
    known: Mapping[str, Known] | None = None,
    listeners: Sequence[Listener] = (),
    beside: Beside | None = None,
    secrets: Secrets | None = None,
) -> Session:
    """A session for the profile's table: `totem` false for a plain wooden one, `camera_error_us` how far frames' times
    may be off, `pads` the players with seat pads, `known` what their first grips showed, `secrets` whoever knows what
    players hide.

    A ledger that holds events already goes on with its game. Raises `ProfileError` where the profile does not fit.
    """
    layout = layout_of(profile, deck.card_mm)
    settings = FusionSettings(
        frame_us=round(1e6 / fps),
        camera_error_us=camera_error_us,
        contact_us=CONTACT_PADS_US if pads else CONTACT_US,
    )
    fusion = make_follower(layout, ledger.events, settings, plain_totem=not totem, secrets=secrets)
    part, detector = profile.totem, None
    if totem:
        detector = LiveDetector(layout.angles_deg, part.angle0_deg, pads, known, warm_counts=part.warm_counts)
    counts = {card.id: card.count for card in deck.cards}
    return Session(ledger, kept, fusion, make_watcher(profile, layout, deck), detector, counts, listeners, beside)
