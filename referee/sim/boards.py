"""Pictures of flat sheets before a simulated camera: a calibration board in somebody's hands, a mat on a table.

Belongs here: a camera's lens and a sheet's place, turned into pixels by following each pixel's ray, and what spoils
such a picture. Does not belong here: finding anything in it: nothing is shared with calibration.

A sheet is a grey picture and its size in millimetres, x to the right, y down from its top left corner. Camera space:
x right, y down, z away from the camera.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Picture = NDArray[np.uint8]
OVER = 3  # pixels are sampled OVER × OVER


@dataclass(frozen=True)
class Lens:
    """A camera: picture size, focal length and middle in pixels, distortion (k1, k2, p1, p2, k3)."""

    size: tuple[int, int]
    focal_px: float
    middle_px: tuple[float, float]
    distortion: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)

    @property
    def matrix(self) -> Array:
        """The camera matrix (3×3)."""
        return np.array([[self.focal_px, 0, self.middle_px[0]], [0, self.focal_px, self.middle_px[1]], [0, 0, 1.0]])

    def pixels(self, points: Array) -> Array:
        """Points in camera space (N×3, mm) to pixels (N×2), by the lens's own polynomial."""
        x, y = (points[:, :2] / points[:, 2:]).T
        k1, k2, p1, p2, k3 = self.distortion
        r2 = x * x + y * y
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        u = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
        v = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
        out: Array = np.stack([u, v], 1) * self.focal_px + np.array(self.middle_px)
        return out

    def rays(self, over: int = 1) -> NDArray[np.float32]:
        """The direction (x, y at z = 1) of each sample of each pixel, (H·over)×(W·over)×2."""
        width, height = self.size
        k1, k2, p1, p2, k3 = self.distortion
        u, v = np.meshgrid(np.arange(width) - self.middle_px[0], np.arange(height) - self.middle_px[1])
        u, v = u / self.focal_px, v / self.focal_px
        x, y = u.copy(), v.copy()
        for _ in range(25):  # a fixed point: the ray whose bent image is this pixel
            r2 = x * x + y * y
            radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
            x, y = (
                (u - 2 * p1 * x * y - p2 * (r2 + 2 * x * x)) / radial,
                (v - p1 * (r2 + 2 * y * y) - 2 * p2 * x * y) / radial,
            )
        flat = np.stack([x, y], 2).astype(np.float32)
        fine = cv2.resize(flat, (width * over, height * over), interpolation=cv2.INTER_CUBIC)
        return np.asarray(fine, np.float32)


@dataclass(frozen=True)
class Sheet:
    """A printed sheet (grey, `px_per_mm` pixels a millimetre) and where it lies: its pose in camera space."""

    print: Picture
    px_per_mm: float
    rotation: Array
    translation: Array


def pose(
    centre_mm: tuple[float, float],
    lens: Lens,
    at_px: tuple[float, float],
    distance_mm: float,
    turn_deg: Sequence[float],
) -> tuple[Array, Array]:
    """Rotation and translation of a sheet whose point `centre_mm` lies on the ray of `at_px`, `distance_mm` away.

    `turn_deg` turns it about its x, y and then the camera's z axis.
    """
    x, y, z = (np.deg2rad(angle) for angle in turn_deg)
    about_x, about_y, about_z = (
        np.asarray(cv2.Rodrigues(np.array(axis) * angle)[0])
        for axis, angle in (((1.0, 0, 0), x), ((0, 1.0, 0), y), ((0, 0, 1.0), z))
    )
    rotation = about_z @ about_y @ about_x
    ray = np.array([(at_px[0] - lens.middle_px[0]) / lens.focal_px, (at_px[1] - lens.middle_px[1]) / lens.focal_px, 1])
    return rotation, ray * distance_mm - rotation @ np.array([*centre_mm, 0.0])


@dataclass(frozen=True)
class Manner:
    """How a picture is taken: blur and a movement's length in pixels, noise of 255, levels of black and white paper."""

    blur_px: float = 0.6
    motion_px: float = 0.0
    motion_deg: float = 0.0
    noise: float = 1.5
    black: float = 28.0
    white: float = 205.0
    ground: float = 96.0
    slant: float = 0.15  # how much brighter one side is
    hand: tuple[float, float, float] | None = None  # x, y, radius in pixels of something in front of it all


@dataclass
class Studio:
    """Takes pictures through one lens; the rays are worked out once."""

    lens: Lens
    _rays: NDArray[np.float32] = field(init=False)

    def __post_init__(self) -> None:
        self._rays = self.lens.rays(OVER)

    def picture(self, sheets: Sequence[Sheet], manner: Manner, random: np.random.Generator) -> Picture:
        """A picture (H×W×3, BGR) of sheets, later ones before earlier ones."""
        width, height = self.lens.size
        big = np.full((height * OVER, width * OVER), manner.ground, np.float32)
        for sheet in sheets:
            self._lay(big, sheet, manner)
        grey = cv2.resize(big, (width, height), interpolation=cv2.INTER_AREA)
        if manner.hand is not None:
            x, y, radius = manner.hand
            cv2.circle(grey, (round(x), round(y)), round(radius), 120.0, -1, cv2.LINE_AA)
        across = (np.arange(width, dtype=np.float32) / width - 0.5) * manner.slant
        grey = grey * (1 + across)[None, :]
        grey = cv2.GaussianBlur(grey, (0, 0), max(manner.blur_px, 0.01))
        if manner.motion_px > 0:
            grey = cv2.filter2D(grey, -1, _streak(manner.motion_px, manner.motion_deg))
        noisy = grey[:, :, None] + random.normal(0, manner.noise, (height, width, 3))
        return np.asarray(np.clip(noisy + 0.5, 0, 255), np.uint8)

    def _lay(self, big: NDArray[np.float32], sheet: Sheet, manner: Manner) -> None:
        """Paint a sheet: where each ray meets its plane is what that sample sees."""
        normal = sheet.rotation[:, 2]
        reach = float(normal @ sheet.translation)
        depth = reach / (self._rays @ normal[:2].astype(np.float32) + np.float32(normal[2]))
        x_axis, y_axis = sheet.rotation[:, 0], sheet.rotation[:, 1]
        columns = []
        for axis in (x_axis, y_axis):
            flat = (self._rays @ axis[:2].astype(np.float32) + np.float32(axis[2])) * depth
            columns.append(
                (flat - np.float32(axis @ sheet.translation)) * np.float32(sheet.px_per_mm) - np.float32(0.5)
            )
        light = manner.black + sheet.print.astype(np.float32) / 255 * (manner.white - manner.black)
        seen = cv2.remap(
            light, columns[0], columns[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=-1e6
        )
        rows, wide = sheet.print.shape
        inside = (columns[0] > -0.5) & (columns[0] < wide - 0.5) & (columns[1] > -0.5) & (columns[1] < rows - 0.5)
        on = inside & (depth > 0) & (seen > 0)
        big[on] = seen[on]


def _streak(length_px: float, angle_deg: float) -> NDArray[np.float32]:
    """A movement's kernel: a line through its middle."""
    half = int(np.ceil(length_px / 2)) + 1
    ys, xs = np.mgrid[-half : half + 1, -half : half + 1].astype(np.float64)
    along = xs * np.cos(np.deg2rad(angle_deg)) + ys * np.sin(np.deg2rad(angle_deg))
    across = -xs * np.sin(np.deg2rad(angle_deg)) + ys * np.cos(np.deg2rad(angle_deg))
    kernel = np.clip(length_px / 2 + 0.5 - np.abs(along), 0, 1) * np.clip(1 - np.abs(across), 0, 1)
    return np.asarray(kernel / kernel.sum(), np.float32)


def framed(print_px: Picture, px_per_mm: float, margin_mm: float) -> Picture:
    """A print with white paper around it."""
    pad = round(margin_mm * px_per_mm)
    return np.asarray(cv2.copyMakeBorder(print_px, pad, pad, pad, pad, cv2.BORDER_CONSTANT, value=255), np.uint8)
