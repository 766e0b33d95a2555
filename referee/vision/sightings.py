"""What the camera says to the table: the words that leave this room.

Written rules of this module:
- times are exposure times of frames on the table clock (microseconds);
- zones and seats are names from the profile; what a zone means to a game is not known here;
- nothing is edited: a sighting that becomes clearer is said again under the same `number`;
- pictures are not part of a word; `evidence` names the frames that show it.
Does not belong here: how a sighting is found (`watcher`), what follows from it (`referee.table`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

UNREADABLE = "?"
"""A card that is seen and cannot be told."""

TOTEM = "totem"
"""The place of the totem, where hands are seen besides the zones."""


@dataclass(frozen=True)
class CardSeen:
    """A card's face became visible on a pile, above what lay there.

    `between_us` are the last frame without and the first frame with any of its face; `edge_us` is the best
    estimate of the moment it passed its edge, inside `between_us`. `card` is `?` until it can be told;
    `nats` is the evidence for each card still in question (best 0). `sure_us` is the frame that settled it.
    `by` is the seat whose arm laid it, where that was seen, with `by_chance` (0..1). `former`: what the
    card that lay on top before does beside it (`stays`, `gone`; None where too little of it could show).
    """

    number: int
    zone: str
    card: str
    between_us: tuple[int, int]
    edge_us: int
    confidence: float = 0.0
    nats: Mapping[str, float] = field(default_factory=dict)
    sure_us: int | None = None
    by: str | None = None
    by_chance: float = 0.0
    evidence: tuple[str, ...] = ()
    former: Literal["stays", "gone"] | None = None

    @property
    def came_us(self) -> int:
        """When it passed its edge, inside `between_us`."""
        return min(max(self.edge_us, self.between_us[0]), self.between_us[1])

    @property
    def is_read(self) -> bool:
        """Whether its face is told for sure."""
        return self.card != UNREADABLE


@dataclass(frozen=True)
class PileTaken:
    """A pile that lay on a zone is gone; `by` is the seat whose arm took it, where that was seen."""

    zone: str
    between_us: tuple[int, int]
    by: str | None = None
    by_chance: float = 0.0
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class PileShifted:
    """The top of a pile changed back to a card that was known to lie below: its top was taken off or slid away."""

    zone: str
    card: str
    between_us: tuple[int, int]
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class BackLaid:
    """A card came to lie on a zone in which cards lie face down; it is never read, so nobody can learn what it is."""

    zone: str
    between_us: tuple[int, int]
    by: str | None = None
    by_chance: float = 0.0
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class BackMoved:
    """The card that lies face down there lies otherwise than before: `by_share` of its length away, turned by
    `turned_deg`."""

    zone: str
    between_us: tuple[int, int]
    by_share: float
    turned_deg: float = 0.0
    by: str | None = None
    by_chance: float = 0.0
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class BackGone:
    """The card that lay face down there is gone."""

    zone: str
    between_us: tuple[int, int]
    by: str | None = None
    by_chance: float = 0.0
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class ZoneCovered:
    """Since `t_us` something hides a zone (`clear` false), or it can be seen again (`clear` true)."""

    zone: str
    t_us: int
    clear: bool


@dataclass(frozen=True)
class HandSeen:
    """In the frame at `t_us` an arm's hand was at a place (a zone's name or `TOTEM`).

    `chances` says for each seat how likely the arm is that player's (0..1, together at most 1).
    `hand` counts a seat's arms: 0, or 1 for its second one. `tip_mm` is where its fingers end (table mm), where that
    was seen: a hand on its way to a place lies over others too. `apart` is false where its arm is one outline with
    another one and nothing tells them apart: where it ends, and at which places it is, is a guess then.
    """

    place: str
    t_us: int
    chances: Mapping[str, float]
    hand: int = 0
    tip_mm: tuple[float, float] | None = None
    apart: bool = True


@dataclass(frozen=True)
class TotemSeen:
    """The totem as the camera sees it from `t_us` on: in its place or not (lifted, fallen, carried)."""

    t_us: int
    in_place: bool


@dataclass(frozen=True)
class TableMoved:
    """Mat markers moved by `by_mm` against the table's set-up: camera or mat was bumped."""

    t_us: int
    by_mm: float


@dataclass(frozen=True)
class CameraPast:
    """Everything before `t_us` has been said, but for the cards in `open_numbers`, which are still being read.

    `frame_us` is the newest frame's time: an arm over a pile holds `t_us` back while frames go on (None: the same).
    `looked_us` says for each zone with cards when everything was last said of it (empty: `t_us` for all).
    """

    t_us: int
    open_numbers: tuple[int, ...] = ()
    frame_us: int | None = None
    looked_us: Mapping[str, int] = field(default_factory=dict)


Back = BackLaid | BackMoved | BackGone
Sighting = CardSeen | PileTaken | PileShifted | Back | ZoneCovered | HandSeen | TotemSeen | TableMoved | CameraPast
