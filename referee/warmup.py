"""Before the first card: are all cards there, is the totem in its place, is everybody named who takes it?

Written rules of this module:
- it takes the same data by the same calls as a session (`referee.play.Taker`) and keeps no record;
- the census ends when a person says so or every card has been shown, the roll call when everybody was crossed off.
Does not belong here: counting and crossing off (`referee.table.census`, `referee.table.ready`), printing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from referee.deck.folder import Deck
from referee.profile import Profile
from referee.session import Name, Source, make_watcher
from referee.table.calls import Call
from referee.table.census import Census, CensusResult
from referee.table.fusion import Fusion
from referee.table.layouts import layout_of
from referee.table.ready import RollCall, TotemPlaceCheck, check_totem
from referee.table.settings import FusionSettings
from referee.totem.live import Break, LiveDetector
from referee.totem.scans import ScanBatch
from referee.vision.camera import Frame
from referee.vision.sightings import CardSeen, TotemSeen
from referee.words import Event


@dataclass(frozen=True)
class Readiness:
    """What was found: the census of the cards shown, who has not taken the totem, hands nobody could name."""

    cards: CensusResult
    missing: tuple[str, ...]
    unknown: int
    totem: TotemPlaceCheck


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
    ) -> None:
        """Raises `ProfileError` where the profile does not fit."""
        self._layout = layout_of(profile, deck.card_mm)
        self._watcher = make_watcher(profile, self._layout, deck)
        self._fusion = Fusion(self._layout, FusionSettings(frame_us=round(1e6 / fps)), plain_totem=not totem)
        angle0_deg = profile.totem.angle0_deg
        self._detector = LiveDetector(self._layout.angles_deg, angle0_deg, pads) if totem else None
        self._census = Census({card.id: card.count for card in deck.cards})
        self._roll = RollCall(self._layout.players)
        self._named = named
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
        return Readiness(self._census.result(), self._roll.missing, self._roll.unknown, totem)

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
        for touch in self._detector.feed(batches):
            if isinstance(touch, Break):
                self._fusion.totem_silent(touch.from_us, touch.to_us, touch.touched_us)
            else:
                self._fusion.touch(touch)
        if self._detector.past_us is not None:
            self._fusion.totem_past(self._detector.past_us)

    def call(self, call: Call) -> None:
        """Nothing: there is no game yet."""

    def source(self, name: Name, source: Source, t_us: int) -> None:
        """How a source is."""
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
            for touch in self._detector.finish():
                if not isinstance(touch, Break):
                    self._fusion.touch(touch)
        self._cross_off(self._fusion.finish())

    def _cross_off(self, events: Iterable[Event]) -> None:
        for event in events:
            stands: Mapping[str, object] | None = event["with"] if event["event"] == "correct" else event
            player = None if stands is None else self._roll.event(stands)
            if player is not None:
                self._named(player)
