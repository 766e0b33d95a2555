"""Rendered pictures of the board and of mats, with the lens that took them."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.boards import A4_BOARD, Board
from referee.sim.boards import Lens, Manner, Sheet, Studio, framed, pose
from referee.vision.geometry import apply, homography
from referee.vision.table import Lens as FoundLens

PX = 6  # of a print, a millimetre
MARGIN_MM = 12.0
MIDDLE_MM = (A4_BOARD.size_mm[0] / 2 + MARGIN_MM, A4_BOARD.size_mm[1] / 2 + MARGIN_MM)
PLAIN = Manner()
Picture = NDArray[np.uint8]


def board_print(board: Board = A4_BOARD) -> Picture:
    width, height = (round(side * PX) for side in board.size_mm)
    drawn = np.asarray(board.aruco_board().generateImage((width, height), None, 0, 1), np.uint8)
    return framed(drawn, PX, MARGIN_MM)


@dataclass
class Hands:
    """Somebody who holds a print before a camera."""

    lens: Lens
    seed: int

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)
        self.studio = Studio(self.lens)
        self.board = board_print()

    def picture(
        self,
        at: tuple[float, float] = (0.5, 0.5),
        away: float = 0.45,
        turn: tuple[float, float, float] = (20.0, -15.0, 30.0),
        manner: Manner = PLAIN,
        printed: Picture | None = None,
        scale: tuple[float, float] = (1.0, 1.0),
    ) -> Picture:
        """The board at a share of the picture, `away` metres for a focal length as long as the picture is high."""
        width, height = self.lens.size
        sheet = self.board if printed is None else printed
        if scale != (1.0, 1.0):
            sheet = np.asarray(
                cv2.resize(sheet, None, fx=scale[0], fy=scale[1], interpolation=cv2.INTER_AREA), np.uint8
            )
        middle = (sheet.shape[1] / PX / 2, sheet.shape[0] / PX / 2)
        distance = away * 1000 * self.lens.focal_px / height
        placed = pose(middle, self.lens, (at[0] * width, at[1] * height), distance, turn)
        return self.studio.picture([Sheet(sheet, PX, *placed)], manner, self.random)

    def round_about(self, count: int, scale: tuple[float, float] = (1.0, 1.0)) -> list[Picture]:
        """Pictures as somebody takes them who was told where to hold the board and how to lean it."""
        pictures = []
        for k in range(count):
            at = ((k * 0.618) % 1 * 0.76 + 0.12, (k * 0.37) % 1 * 0.64 + 0.18)
            lean = float(self.random.uniform(18, 36))
            x, y = ((lean, 0.0), (0.0, lean), (-lean, 0.0), (0.0, -lean), (4.0, 4.0))[k % 5]
            turn = (x, y, float(self.random.uniform(-20, 20)))
            away = float(self.random.uniform(0.26, 0.4))
            pictures.append(
                self.picture(at, away, turn, Manner(blur_px=float(self.random.uniform(0.4, 0.9))), scale=scale)
            )
        return pictures


def usual_lens(seed: int, size: tuple[int, int] = (1280, 720)) -> Lens:
    """A lens as webcams and Pi cameras have them."""
    random = np.random.default_rng([seed, 31])
    width, height = size
    k1 = float(random.uniform(-0.25, 0.05))
    middle = (
        (width - 1) / 2 + float(random.normal(0, 0.01 * width)),
        (height - 1) / 2 + float(random.normal(0, 0.01 * width)),
    )
    bend = (k1, -0.35 * k1, float(random.normal(0, 5e-4)), float(random.normal(0, 5e-4)), 0.0)
    return Lens(size, float(random.uniform(0.65, 1.2)) * width, middle, bend)


def model_error(true: Lens, found: FoundLens) -> NDArray[np.float64]:
    """How far (px) each place of the picture is bent wrongly, once a plane's homography has taken what it can."""
    width, height = true.size
    ys, xs = np.mgrid[0 : height - 1 : 12j, 0 : width - 1 : 16j]
    pixels = np.stack([xs.ravel(), ys.ravel()], 1)
    rays = true.rays()
    column, row = np.round(pixels).astype(int).T
    exact = rays[row, column].astype(np.float64) * true.focal_px
    seen = np.stack([column, row], 1).astype(np.float64).reshape(-1, 1, 2)
    flat = cv2.undistortPoints(seen, found.matrix, found.distortion, P=found.matrix).reshape(-1, 2)
    off = apply(homography(np.asarray(flat, np.float64), exact), np.asarray(flat, np.float64)) - exact
    return np.asarray(np.linalg.norm(off, axis=1), np.float64)
