"""Before the first card: are all cards there, is the totem in its place, is everybody named who takes it?

Written rules of this module:
- it takes the same data by the same calls as a session (`referee.play.Taker`) and keeps no record;
- the census ends when a person says so or every card has been shown, the roll call when everybody was crossed off.
Does not belong here: counting and crossing off (`referee.table.census`, `referee.table.ready`), printing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from referee.deck.folder import Deck
from referee.errors import TraceError
from referee.profile import Profile
from referee.session import Name, Source, hand_on, make_watcher
from referee.table.calls import Call
from referee.table.census import Census, CensusResult
from referee.table.fusion import Fusion
from referee.table.layouts import layout_of
from referee.table.ready import RollCall, TotemPlaceCheck, check_totem
from referee.table.settings import FusionSettings
from referee.totem.enrol import Findings, enrol
from referee.totem.live import LiveDetector, layout_of_batch, scans_of_batch
from referee.totem.scans import ScanBatch
from referee.totem.stream import join
from referee.vision.camera import Frame
from referee.vision.sightings import CardSeen, TotemSeen
from referee.words import Event

MOST_SCANS = 300_000  # five minutes at a thousand a second


@dataclass(frozen=True)
class Readiness:
    """What was found: the census of the cards shown, who has not taken the totem, hands nobody could name.

    `seats` is what everybody's grip says about the seat pads (None: there are none, or it is not known yet), and
    `seats_why` why it is not known.
    """

    cards: CensusResult
    missing: tuple[str, ...]
    unknown: int
    totem: TotemPlaceCheck
    seats: Findings | None = None
    seats_why: str = ""


class Warmup:
    """Watches a table before its game; `named` is told each player who was crossed off."""

    def __init__(
        self,
        profile: Profile,
        deck: Deck,
        *,
        fps: float,
        totem: bool,
        pads: Sequence[str] = (),
        named: Callable[[str], None] = lambda player: None,
        troubled: Callable[[str, str | None], None] = lambda name, problem: None,
    ) -> None:
        """`troubled` is told how each source is. Raises `ProfileError` where the profile does not fit."""
        self._layout = layout_of(profile, deck.card_mm)
        self._watcher = make_watcher(profile, self._layout, deck)
        self._fusion = Fusion(self._layout, FusionSettings(frame_us=round(1e6 / fps)), plain_totem=not totem)
        angle0_deg = profile.totem.angle0_deg
        near = profile.totem.warm_counts
        self._detector = LiveDetector(self._layout.angles_deg, angle0_deg, pads, warm_counts=near) if totem else None
        self._census = Census({card.id: card.count for card in deck.cards})
        self._roll = RollCall(self._layout.players)
        self._named, self._troubled = named, troubled
        self._angle0_deg, self._pads = angle0_deg, tuple(pads)
        self._scans: deque[ScanBatch] = deque()
        self._many = 0
        self._standing = True
        self._t_us = 0

    @property
    def everybody(self) -> bool:
        """Whether every player has taken the totem."""
        return self._roll.done

    @property
    def every_card(self) -> bool:
        """Whether every card has been shown."""
        return self._census.result().complete

    def found(self) -> Readiness:
        """What has been found so far."""
        totem = check_totem(self._layout, self._standing)
        seats, why = self._enrolled()
        return Readiness(self._census.result(), self._roll.missing, self._roll.unknown, totem, seats, why)

    def _enrolled(self) -> tuple[Findings | None, str]:
        """What the grips say about the seat pads, if everybody took the totem once, in the order of the seats."""
        if not self._pads or not self._scans:
            return None, ""
        layout = layout_of_batch(self._scans[-1].layout)
        whole = join([scans_of_batch(batch) for batch in self._scans if len(batch)])
        try:
            return enrol(whole, self._layout.angles_deg, layout, self._pads, self._angle0_deg), ""
        except TraceError as error:
            return None, str(error)

    # ---- what comes in, as in a session

    def frame(self, frame: Frame) -> None:
        """One picture of the table; raises `PictureError` when its size changes."""
        for sighting in self._watcher.feed(frame):
            if isinstance(sighting, CardSeen):
                self._census.card(sighting)
            elif isinstance(sighting, TotemSeen):
                self._standing = sighting.in_place
            self._fusion.sighting(sighting)
        self.now(frame.t_us)

    def scans(self, batches: Iterable[ScanBatch]) -> None:
        """Scans of the totem, in their order."""
        if self._detector is None:
            return
        batches = list(batches)
        if self._pads:
            self._remember(batches)
        hand_on(self._fusion, self._detector.feed(batches))
        if self._detector.past_us is not None:
            self._fusion.totem_past(self._detector.past_us)

    def _remember(self, batches: Iterable[ScanBatch]) -> None:
        for batch in batches:
            if self._scans and batch.layout != self._scans[-1].layout:
                self._scans.clear()
                self._many = 0
            self._scans.append(batch)
            self._many += len(batch)
        while self._many > MOST_SCANS:
            self._many -= len(self._scans.popleft())

    def call(self, call: Call) -> None:
        """Nothing: there is no game yet."""

    def source(self, name: Name, source: Source, t_us: int) -> None:
        """How a source is."""
        self._troubled(name, source.problem)
        self._fusion.source(name, source.freshness.value, t_us)

    def now(self, t_us: int) -> None:
        """The table clock."""
        self._t_us = max(self._t_us, t_us)
        self._fusion.now(self._t_us)
        while events := self._fusion.release():
            self._cross_off(events)

    def finish(self) -> None:
        """Nothing more comes."""
        for sighting in self._watcher.finish():
            self._fusion.sighting(sighting)
        if self._detector is not None:
            hand_on(self._fusion, self._detector.finish())
        self._cross_off(self._fusion.finish())

    def _cross_off(self, events: Iterable[Event]) -> None:
        for event in events:
            stands: Mapping[str, object] | None = event["with"] if event["event"] == "correct" else event
            player = None if stands is None else self._roll.event(stands)
            if player is not None:
                self._named(player)
