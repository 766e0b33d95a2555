"""Arms and hands: what comes in over the picture's edge, from which side, and where its hand is.

Written rules of this module:
- an arm is a change of the ground that reaches the picture's edge; neither skin nor cloth is known here, so bare
  arms, sleeves and gloves are alike;
- who reaches far over a table may leave the edge behind (a sleeve like the cloth, a thin wrist): something large that
  lies where an arm was a moment ago is that arm yet;
- whose arm it is follows from where it comes in and the way it points, as a chance for each seat, never as a name;
- arms that touch are parted by the colours each had while it was alone, then by where each was a moment ago, and else
  by which entry a cell is nearer to along the arm; an arm keeps its chances from frame to frame, so that a crossing
  does not change whose it is;
- where colours do not part them, it is said that they are one outline: where their hands end is a guess then.
Does not belong here: cards, what a hand does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.arm_colours import TELLS_SHARE, clearly, colours_of
from referee.vision.geometry import Array
from referee.vision.masks import Mask, count

Picture = NDArray[np.uint8]

LEAST_AREA_MM2 = 900.0
LEAST_ENTRY_MM = 18.0
SAME_ENTRY_MM = 45.0  # entries nearer than that along the edge are one arm (fingers, a sleeve's folds)
HIDDEN_MM = 70.0  # of a hand that may lie under another one it touches
HAND_MM = 95.0  # from the finger tips to the wrist and a little more
FOREARM_MM = 230.0  # of the arm from the edge on, to find the way it points
SEAT_RADIUS_MM = 620.0  # where shoulders are
SEAT_SPREAD_DEG = 20.0
LEAST_CHANCE = 0.01
SAME_ARM_MM = 130.0  # an arm's entry and tip move less than that between two frames
SAME_STEP_US = 80_000
FORGET_US = 250_000
LOOSE_MM2 = 12_000.0  # larger than any card that an arm leaves behind
LOOSE_SHARE = 0.4  # of it, where an arm was a moment ago
LOOSE_ENTRY_MM = 40.0  # of it, on the side from which that arm came
LOOSE_FAR_MM = 220.0  # from where that arm came in to where it begins now: a pile of cards lies further in
STEADY = 0.7  # how much of an arm's chances is kept from frame to frame


@dataclass(frozen=True)
class Arm:
    """One arm in one frame.

    `cells` are all of it and `hand` its hand, `tip_mm` and `entry_mm` where it ends and comes in (table mm), `chances`
    how likely it is each seat's (together at most 1). `number` stays the same while the arm is seen, `turn` is 1 for a
    seat's second arm, `hidden` are cells of another arm that its hand may lie under. `alone`: it touches no other
    arm; `apart`: nor that, or its colours tell it from that one; `at_edge`: it reaches the picture's edge.
    """

    cells: Mask
    hand: Mask
    tip_mm: tuple[float, float]
    entry_mm: tuple[float, float]
    chances: Mapping[str, float]
    number: int = 0
    turn: int = 0
    hidden: Mask | None = None
    apart: bool = True
    alone: bool = True
    at_edge: bool = True

    def at(self, place: Mask) -> bool:
        """Whether the hand is at a place, or may be there under the arm it touches."""
        return bool((self.hand & place).any() or (self.hidden is not None and (self.hidden & place).any()))


@dataclass
class _Track:
    number: int
    entry: Array
    tip: Array
    log_chances: Array
    seen_us: int
    cells: Mask
    turn: int = 0
    step: tuple[int, int] = (0, 0)  # cells its tip went since the frame before (across, down)
    colours: Array | None = None
    edge: Array | None = None  # where it came in when it last reached the picture's edge


@dataclass
class Arms:
    """Finds the arms of each frame.

    `cells_mm` are the table millimetres of each cell of the small picture (rows × columns × 2), `seats_deg` where the
    seats lie (degrees counter-clockwise seen from above, 0 = +x). `loose`: what else is as large as an arm in the
    newest frame, and nobody's.
    """

    cells_mm: Array
    seats_deg: Mapping[str, float]
    loose: Mask | None = None
    _tracks: list[_Track] = field(default_factory=list)
    _next: int = 0
    _picture: Picture | None = None

    def __post_init__(self) -> None:
        across = np.linalg.norm(np.diff(self.cells_mm, axis=1), axis=2)
        self._cell_mm = float(np.median(across))
        rows, columns = self.cells_mm.shape[:2]
        self._edge = _around(rows, columns)

    def find(self, other: Mask, t_us: int, picture: Picture | None = None) -> list[Arm]:
        """The arms in what differs from the ground; `picture` is the small picture (None: colours are not used)."""
        self._picture = picture
        self._tracks = [track for track in self._tracks if t_us - track.seen_us <= FORGET_US]
        arms: list[Arm] = []
        self.loose = None
        if other.any():
            _, labels, stats, _ = cv2.connectedComponentsWithStats(
                other.astype(np.uint8), connectivity=8, ltype=cv2.CV_16U
            )
            at_edge = np.unique(labels[self._edge[:, 0], self._edge[:, 1]])
            for label in at_edge:
                if label:
                    arms += self._of_part(labels == label)
            for label in np.flatnonzero(stats[:, cv2.CC_STAT_AREA] * self._cell_mm**2 >= LOOSE_MM2):
                if label and label not in at_edge:
                    arms += self._loose_arm(labels == label)
        return self._hidden(self._followed(arms, t_us))

    def _loose_arm(self, part: Mask) -> list[Arm]:
        """Something large that does not reach the edge, as the arm that was there a moment ago, if one was."""
        share, track = max(
            ((float((t.cells & part).sum()) / part.sum(), t) for t in self._tracks),
            key=lambda o: o[0],
            default=(0.0, None),
        )
        if track is None or share < LOOSE_SHARE:
            self.loose = part if self.loose is None else self.loose | part
            return []
        cells = np.argwhere(part)
        came_in = track.entry if track.edge is None else track.edge
        away = np.linalg.norm(self.cells_mm[cells[:, 0], cells[:, 1]] - came_in, axis=1)
        if away.min() > LOOSE_FAR_MM:
            return []  # what lay under that arm, or beside it, and differs from the ground yet
        return [replace(self._arm(part, cells[away <= away.min() + LOOSE_ENTRY_MM]), at_edge=False)]

    def _hidden(self, arms: list[Arm]) -> list[Arm]:
        """Where hands of arms that touch may lie under one another."""
        if len(arms) < 2:
            return arms
        reach = 2 * round(HIDDEN_MM / self._cell_mm) + 1
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach))
        result = []
        for arm in arms:
            others = np.zeros_like(arm.cells)
            for other in arms:
                if other is not arm:
                    others |= other.cells
            edge = cv2.dilate(arm.hand.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
            if (edge & others).any():
                hidden = (cv2.dilate(arm.hand.astype(np.uint8), kernel) > 0) & others
                result.append(replace(arm, hidden=hidden))
            else:
                result.append(arm)
        return result

    def _of_part(self, part: Mask) -> list[Arm]:
        if count(part) * self._cell_mm**2 < LEAST_AREA_MM2:
            return []
        entries = self._entries(part)
        if len(entries) < 2:
            return [self._arm(part, entry) for entry in entries]
        tracks = [self._track_at(entry) for entry in entries]
        told = self._told(part, tracks)
        owner = _parted(part, entries, [_going(track) for track in tracks], told)
        apart = told is not None and float((told > 0).sum()) >= TELLS_SHARE * float(part.sum())
        arms = []
        for i, entry in enumerate(entries):
            own = owner == i + 1
            if count(own) * self._cell_mm**2 >= LEAST_AREA_MM2:
                arms.append(replace(self._arm(own, entry), apart=apart, alone=False))
        return arms

    def _track_at(self, entry: NDArray[np.intp]) -> _Track | None:
        """The arm that came in where this entry is, a moment ago."""
        middle = self.cells_mm[entry[:, 0], entry[:, 1]].mean(0)
        near = [(float(np.linalg.norm(t.entry - middle)), t) for t in self._tracks]
        apart, track = min(near, key=lambda pair: pair[0], default=(np.inf, None))
        return None if apart > SAME_ARM_MM else track

    def _told(self, part: Mask, tracks: list[_Track | None]) -> NDArray[np.uint8] | None:
        """Whose colours the cells of a part clearly have; None where an arm was never seen alone."""
        colours = [track.colours for track in tracks if track is not None and track.colours is not None]
        if self._picture is None or len(colours) < len(tracks) or len({id(track) for track in tracks}) < len(tracks):
            return None
        return clearly(self._picture, part, colours)

    def _entries(self, part: Mask) -> list[NDArray[np.intp]]:
        """The stretches of the picture's edge an arm comes in over: arrays of cells (N×2)."""
        touching = part[self._edge[:, 0], self._edge[:, 1]]
        at = np.flatnonzero(touching)
        if not len(at):
            return []
        gap = SAME_ENTRY_MM / self._cell_mm
        around = len(self._edge)
        breaks = np.flatnonzero(np.diff(at) > gap)
        runs = np.split(at, breaks + 1)
        if len(runs) > 1 and at[0] + around - at[-1] <= gap:
            runs = [np.concatenate([runs[-1], runs[0]]), *runs[1:-1]]
        return [self._edge[run] for run in runs if len(run) * self._cell_mm >= LEAST_ENTRY_MM]

    def _arm(self, part: Mask, entry: NDArray[np.intp]) -> Arm:
        cells = np.argwhere(part)
        points = self.cells_mm[cells[:, 0], cells[:, 1]]
        start = self.cells_mm[entry[:, 0], entry[:, 1]].mean(0)
        from_start = np.linalg.norm(points - start, axis=1)
        far = from_start >= np.quantile(from_start, 0.985)
        tip = points[far].mean(0)
        near = np.linalg.norm(points - tip, axis=1) < HAND_MM
        hand = np.zeros_like(part)
        hand[cells[near, 0], cells[near, 1]] = True
        forearm = points[from_start < max(FOREARM_MM, float(from_start.min()) + 60)]
        return Arm(part, hand, _pair(tip), _pair(start), self._chances(start, tip, forearm.mean(0)))

    def _chances(self, start: Array, tip: Array, middle: Array) -> dict[str, float]:
        """How likely the arm is each seat's: it is followed outwards to where people sit."""
        way = start - tip
        length = float(np.linalg.norm(way))
        way = way / length if length > 40 else start / max(1.0, float(np.linalg.norm(start)))
        along = float(way @ start)
        inside = SEAT_RADIUS_MM**2 - float(start @ start) + along**2
        reach = max(0.0, -along + float(np.sqrt(inside))) if inside > 0 else 0.0
        # Arms bend: half of the way out is taken straight, half away from the table's middle.
        bent = start + way * reach * 0.5
        angle = float(np.rad2deg(np.arctan2(-bent[1], bent[0])))
        off = np.array([(seat - angle + 180) % 360 - 180 for seat in self.seats_deg.values()])
        weights = np.exp(-0.5 * (off / SEAT_SPREAD_DEG) ** 2) + LEAST_CHANCE * 0.1
        stranger = LEAST_CHANCE
        shares = weights / (weights.sum() + stranger)
        return dict(zip(self.seats_deg, (float(s) for s in shares), strict=True))

    def _followed(self, arms: list[Arm], t_us: int) -> list[Arm]:
        free = list(self._tracks)
        result = []
        for arm in sorted(arms, key=lambda a: -count(a.cells)):
            entry, tip = np.array(arm.entry_mm), np.array(arm.tip_mm)
            best, least = None, 2 * SAME_ARM_MM
            for track in free:
                gap = float(np.linalg.norm(track.entry - entry)) + 0.3 * float(np.linalg.norm(track.tip - tip))
                if gap < least:
                    best, least = track, gap
            now = np.log(np.maximum(1e-6, np.array(list(arm.chances.values()))))
            if best is None:
                best = _Track(self._next, entry, tip, now, t_us, arm.cells)
                self._next += 1
                self._tracks.append(best)
                best.turn = self._turn(best)
            else:
                free.remove(best)
                best.log_chances = STEADY * best.log_chances + (1 - STEADY) * now
            if t_us - best.seen_us < SAME_STEP_US:
                gone = np.round((tip - best.tip) / self._cell_mm).astype(int)
                best.step = (int(gone[0]), int(gone[1]))
            if arm.at_edge:
                best.edge = entry
            best.entry, best.tip, best.seen_us, best.cells = entry, tip, t_us, arm.cells
            if arm.alone and self._picture is not None:
                best.colours = colours_of(self._picture, arm.cells, best.colours)
            shares = np.exp(best.log_chances)
            shares = shares / max(1.0, float(shares.sum()))
            chances = dict(zip(self.seats_deg, (float(s) for s in shares), strict=True))
            result.append(replace(arm, chances=chances, number=best.number, turn=best.turn))
        return result

    def _turn(self, new: _Track) -> int:
        """1 when the same seat most likely has an arm in the picture already."""
        mine = int(np.argmax(new.log_chances)) if len(new.log_chances) else -1
        others = [
            t for t in self._tracks if t is not new and len(t.log_chances) and t.seen_us >= new.seen_us - FORGET_US
        ]
        return int(any(int(np.argmax(t.log_chances)) == mine and t.turn == 0 for t in others))


def _around(rows: int, columns: int) -> NDArray[np.intp]:
    """The cells of the picture's edge, clockwise from the top left (N×2)."""
    top = [(0, c) for c in range(columns)]
    right = [(r, columns - 1) for r in range(1, rows)]
    bottom = [(rows - 1, c) for c in range(columns - 2, -1, -1)]
    left = [(r, 0) for r in range(rows - 2, 0, -1)]
    return np.array(top + right + bottom + left, np.intp)


def _going(track: _Track | None) -> Mask | None:
    """Where an arm was a moment ago, and where it was going: a fast hand is somewhere else by now."""
    return None if track is None else track.cells | _shifted(track.cells, track.step)


def _parted(
    part: Mask, entries: list[NDArray[np.intp]], before: list[Mask | None], told: NDArray[np.uint8] | None = None
) -> NDArray[np.uint8]:
    """Whose each cell of a part is (entry 1, 2, …; 0 outside): whose colours it has (`told`), where that is clear;
    where an arm was a moment ago it still is as far as that hangs together with its entry; what is left goes to the
    nearest along the part."""
    inside = part.astype(np.uint8)
    owner = np.zeros(part.shape, np.uint8)
    for i, (entry, cells) in enumerate(zip(entries, before, strict=True)):
        own = np.zeros(part.shape, np.uint8)
        if cells is not None:
            own[cells & part & (owner == 0)] = 1
        if told is not None:
            own[(told > 0) & (told != i + 1)] = 0
            own[told == i + 1] = 1
        own[entry[:, 0], entry[:, 1]] = inside[entry[:, 0], entry[:, 1]]
        _, labels = cv2.connectedComponents(own, connectivity=8)
        hold = np.unique(labels[entry[:, 0], entry[:, 1]])
        owner[np.isin(labels, hold[hold > 0])] = i + 1
    if told is not None:
        owner[told > 0] = told[told > 0]  # also a hand beyond the arm it crosses
    kernel = np.ones((3, 3), np.uint8)
    for _ in range(part.shape[0] + part.shape[1]):
        grown = np.asarray(cv2.dilate(owner, kernel), np.uint8) * inside
        new = (owner == 0) & (grown > 0)
        if not new.any():
            break
        owner[new] = grown[new]
    return owner


def _shifted(cells: Mask, step: tuple[int, int]) -> Mask:
    """A mask moved by so many cells (across, down)."""
    move = np.array([[1.0, 0, step[0]], [0, 1.0, step[1]]])
    rows, columns = cells.shape
    return cv2.warpAffine(cells.astype(np.uint8), move, (columns, rows), flags=cv2.INTER_NEAREST).astype(bool)


def _pair(point: Array) -> tuple[float, float]:
    return (float(point[0]), float(point[1]))
