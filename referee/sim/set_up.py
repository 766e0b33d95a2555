"""A bench that never was: what camera and totem of a table see and feel while somebody sets it up.

Belongs here: one camera over one table through one lens (the board held before it, the empty mat, a card laid alone,
the totem's lamp), one totem left alone or in hands, and which of it is going on now. Does not belong here: doors,
servers, what calibration makes of it.

Somebody who holds the board as told holds it still for a moment in each of 20 places.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.boards import A4_BOARD
from referee.deck.folder import resolve_deck
from referee.deck.pictures import read_picture
from referee.sim.boards import Lens, Manner, Sheet, Studio, framed, pose
from referee.sim.checkup import simulate_checkup
from referee.sim.electronics import random_electronics
from referee.sim.enrolment import simulate_enrolment
from referee.sim.lamp_camera import Changes, LampCamera, LampScene
from referee.sim.places import Point
from referee.sim.scenery import draw_scenery
from referee.sim.seating import draw_seating
from referee.sim.sensor import Sensor
from referee.sim.totem_device import SimulatedTotem, TracePads
from referee.totem.links.recorded import cut
from referee.totem.recording import scans_of
from referee.totem.scans import Layout, ScanBatch
from referee.totem.trace import trace_of

SCENES = ("table", "board", "card", "lamp")
HANDS = ("rest", "finger", "hands", "players")
PRINT_PX = 6
MARGIN_MM = 12.0
PLACES = 20
CORNERS = ((0.14, 0.2), (0.86, 0.2), (0.86, 0.8), (0.14, 0.8))  # of the picture, as shares: somebody thinks of them
STILL_FRAMES = 4  # the board stays so long in each place
EXPOSURE_US = 8_000
_SETTLED_S = 0.002  # by then the totem has told when its lamp changed
Picture = NDArray[np.uint8]


class BenchCamera:
    """Pictures of the bench, one after another; `scene` says what is going on (any thread may change it).

    `markers_mm` are the mat's as it was printed (None: drawn), `lamp` the lamp's changes on the monotonic clock (us).
    """

    def __init__(
        self,
        seed: int = 0,
        size: tuple[int, int] = (1280, 720),
        players: Sequence[str] = ("Ana", "Bilal", "Chloé"),
        markers_mm: Sequence[Point] | None = None,
        lamp: Changes = tuple,
        light: str = "day",
    ) -> None:
        self._random = np.random.default_rng([seed, 109])
        # Of its own: where the board is held does not hang on how many pictures were taken before.
        self._hands = np.random.default_rng([seed, 110])
        seating = draw_seating(list(players), self._random)
        if markers_mm is not None:
            half = max(abs(x) for x, _ in markers_mm) + 34.0, max(abs(y) for _, y in markers_mm) + 34.0
            seating = replace(seating, markers=tuple(markers_mm), half_mm=half)
        self.seating = seating
        self.scenery = draw_scenery(seating.places(), size, light, "wood", "printed", self._random)
        self.size = size
        self.scene = "table"
        self._sensor = Sensor(size, self.scenery.light, self._random)
        self._lamp = lamp
        self._number = itertools.count()

    @cached_property
    def lens(self) -> Lens:
        """The camera's lens, as it truly is."""
        matrix, bend = self.scenery.optics.matrix, self.scenery.optics.distortion
        k1, k2, p1, p2, k3 = (float(value) for value in bend)
        middle = float(matrix[0, 2]), float(matrix[1, 2])
        return Lens(self.size, float(matrix[0, 0]), middle, (k1, k2, p1, p2, k3))

    def prepare(self) -> None:
        """Take the pictures beforehand that take long: a camera does not keep anybody waiting."""
        _ = self._boards, self._card, self._halo

    def picture(self, now_us: int) -> Picture:
        """The next picture (H×W×3), its exposure about `now_us`."""
        number = next(self._number)
        if self.scene == "board":
            return self._boards[number // STILL_FRAMES % len(self._boards)]
        if self.scene == "card":
            return self._card
        seen = self._sensor.expose(self.scenery.empty)
        return self._lit(seen, now_us) if self.scene == "lamp" else seen

    @cached_property
    def _studio(self) -> Studio:
        return Studio(self.lens)

    @cached_property
    def _boards(self) -> list[Picture]:
        """The board in all parts of the picture, leaning to all sides."""
        width, height = (round(side * PRINT_PX) for side in A4_BOARD.size_mm)
        drawn = np.asarray(A4_BOARD.aruco_board().generateImage((width, height), None, 0, 1), np.uint8)
        print_px = framed(drawn, PRINT_PX, MARGIN_MM)
        middle = (print_px.shape[1] / PRINT_PX / 2, print_px.shape[0] / PRINT_PX / 2)
        pictures = []
        for k in range(PLACES):
            anywhere = ((k * 0.618) % 1 * 0.76 + 0.12, (k * 0.37) % 1 * 0.64 + 0.18)
            at = CORNERS[k // 5] if k % 5 == 0 else anywhere
            lean = float(self._hands.uniform(18, 36))
            x, y = ((lean, 0.0), (0.0, lean), (-lean, 0.0), (0.0, -lean), (4.0, 4.0))[k % 5]
            turn = (x, y, float(self._hands.uniform(-20, 20)))
            distance = float(self._hands.uniform(0.26, 0.4)) * 1000 * self.lens.focal_px / self.size[1]
            placed = pose(middle, self.lens, (at[0] * self.size[0], at[1] * self.size[1]), distance, turn)
            manner = Manner(blur_px=float(self._hands.uniform(0.4, 0.9)))
            pictures.append(self._studio.picture([Sheet(print_px, PRINT_PX, *placed)], manner, self._hands))
        return pictures

    @cached_property
    def _card(self) -> Picture:
        """One card, lying alone near the camera."""
        card = resolve_deck("builtin:totem-rush").cards[0]
        face = cv2.cvtColor(read_picture(card.image), cv2.COLOR_BGR2GRAY)
        scale = face.shape[1] / 60.0
        middle = (30.0, face.shape[0] / scale / 2)
        distance = 0.085 * 1000 * self.lens.focal_px / self.size[1]
        placed = pose(middle, self.lens, (self.size[0] / 2, self.size[1] / 2), distance, (0.0, 0.0, 8.0))
        sheet = Sheet(np.asarray(face, np.uint8), scale, *placed)
        return self._studio.picture([sheet], Manner(white=230.0), self._random)

    @cached_property
    def _halo(self) -> NDArray[np.float32]:
        height, width = self.size[1], self.size[0]
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        away = np.hypot(x - width / 2, y - height / 2) * np.float32(320 / width)
        return np.asarray(120.0 * np.exp(-((away / 3.0) ** 2)) + 90.0 * np.exp(-away / 9.0), np.float32)

    def _lit(self, seen: Picture, now_us: int) -> Picture:
        """The picture with the lamp's light, as far as it was lit in the exposure."""
        watch = LampCamera(self._lamp, lambda: now_us, LampScene(exposure_us=EXPOSURE_US, readout_us=0))
        share = watch.lit_share(now_us)
        if share <= 0:
            return seen
        return np.asarray(np.clip(seen + share * self._halo[:, :, None], 0, 255), np.uint8)


class BenchPads(TracePads):
    """The totem's pads in what is going on now (`hands`, any thread may change it), over and over again."""

    def __init__(self, rest: ScanBatch, counts: Mapping[str, NDArray[np.int32]], period_us: int) -> None:
        super().__init__(rest)
        self._parts = {name: np.clip(part, 0, 0xFFFF).astype(np.uint16) for name, part in counts.items()}
        self._period_us = period_us
        self._first_us = int(rest.t_us[0])
        self.hands = "rest"
        self._now, self._row, self._scans = "rest", -1, 0

    @property
    def finished(self) -> bool:
        return False

    def next_us(self) -> int:
        return self._first_us + self._scans * self._period_us

    def scan(self) -> bool:
        if self.hands != self._now:
            self._now, self._row = self.hands, -1
        counts = self._parts[self._now]
        # What people were told to do once they do once, then leave it; all else goes on.
        last = len(counts) - 1
        self._row = min(self._row + 1, last) if self._now == "players" else (self._row + 1) % len(counts)
        when = self.next_us()
        self._counts, self._t_us = counts[self._row : self._row + 1], np.array([when])
        self.at = -1
        self._scans += 1
        return super().scan()


class BenchTotem:
    """A totem on a port at `path`, in what `hands` says; hands are `haste` times quicker than people's."""

    def __init__(
        self,
        path: Path,
        seed: int = 0,
        layout: tuple[int, int] = (12, 4),
        rate_hz: float = 250.0,
        players: int = 3,
        haste: int = 1,
    ) -> None:
        good = random_electronics(np.random.default_rng(seed), noisy=False, wet=False)
        wires = replace(good, gain=260.0, noise=1.5, mains_counts=0.5, mains_share=0.01)
        made = simulate_checkup(seed, layout, rate_hz, electronics=wires)
        scans = scans_of(trace_of(Path("bench"), made.arrays))
        parts = {
            name: cut(scans, *np.searchsorted(scans.t_us, span).tolist()) for name, span in made.truth["steps"].items()
        }
        counts = {name: part.counts if name == "rest" else part.counts[::haste] for name, part in parts.items()}
        grips = simulate_enrolment(seed, players, layout, rate_hz, seat_pads=False)
        taken = scans_of(trace_of(Path("bench"), grips.arrays))
        # The same totem: its own untouched levels under the other hands.
        level = np.median(parts["rest"].counts, axis=0) - np.median(taken.counts[:100], axis=0)
        counts["players"] = (taken.counts + level).astype(np.int32)[:: 1 if haste == 1 else 2]
        self.layout: Layout = scans.layout
        self._pads = BenchPads(parts["rest"], counts, round(1e6 / rate_hz))
        self.path = path
        self._device = SimulatedTotem(parts["rest"], path, pads=self._pads)

    @property
    def hands(self) -> str:
        """What is going on: one of `HANDS`."""
        return self._pads.hands

    @hands.setter
    def hands(self, name: str) -> None:
        self._pads.hands = name

    def lamp_changes(self) -> list[tuple[int, bool]]:
        """The lamp's changes on the monotonic clock (us)."""
        return [(round(at * 1e6), on) for at, on in self._device.lamp_changes]

    def close(self) -> None:
        """Take the port away."""
        self._device.close()


def paced(camera: BenchCamera, fps: float, lock: threading.Lock) -> Iterator[tuple[int, Picture]]:
    """The camera's pictures at a rate, without end; `lock` keeps several who look apart.

    Each comes with the end of its exposure on the monotonic clock (us): a driver stamps when reading out begins, and
    however long a picture takes afterwards does not change that.
    """
    due_s = time.monotonic()
    while True:
        due_s = max(due_s + 1 / fps, time.monotonic() - 1 / fps)
        # Only when it is over is it known how long the lamp was lit in it.
        end_us = round(due_s * 1e6) + EXPOSURE_US // 2
        time.sleep(max(0.0, end_us / 1e6 + _SETTLED_S - time.monotonic()))
        with lock:
            picture = camera.picture(end_us - EXPOSURE_US // 2)
        yield end_us, picture
