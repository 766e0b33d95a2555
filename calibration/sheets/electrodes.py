"""The template of the totem's pads: the cylinder's skin unrolled, to wrap around it and cut through.

Belongs here: where pads, seam and numbers lie. Does not belong here: wiring (hardware.md), what pads feel.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from calibration.sheets.pages import FAINT, INK, Drawing
from referee.deck.draw.glyphs import text
from referee.deck.draw.svg import outline, rectangle, stroke
from referee.errors import InputError

FLAP_MM = 8.0
_COPPER = "#f0d9c0"
_HEAD_MM, _FOOT_MM, _SIDE_MM = 14.0, 14.0, 16.0
DIAMETER_MM, HEIGHT_MM = (15.0, 120.0), (40.0, 400.0)
MOST_RINGS, MOST_SECTORS = 40, 24
LEAST_PAD_MM = 3.0


@dataclass(frozen=True)
class Skin:
    """A totem's pads: `rings` × `sectors` on a cylinder, `gap_mm` between pads.

    Pad `ring * sectors + sector`; ring 0 is the lowest, sector 0 the front, sectors run counter-clockwise seen from
    above, which is to the right when the skin is seen from outside (formats.md, "Totem trace").
    """

    rings: int = 12
    sectors: int = 4
    diameter_mm: float = 30.0
    height_mm: float = 120.0
    gap_mm: float = 1.0

    def __post_init__(self) -> None:
        limits = (
            ("--rings", self.rings, 1, MOST_RINGS),
            ("--sectors", self.sectors, 1, MOST_SECTORS),
            ("--diameter", self.diameter_mm, *DIAMETER_MM),
            ("--height", self.height_mm, *HEIGHT_MM),
            ("--gap", self.gap_mm, 0.3, 5.0),
        )
        for name, value, low, high in limits:
            if not low <= value <= high:
                raise InputError(f"{name} {value:g}: expected a number from {low:g} to {high:g}")
        if min(self.pad_mm) < LEAST_PAD_MM:
            wide, high = self.pad_mm
            raise InputError(
                f"{self.rings} rings and {self.sectors} sectors: pads of {wide:.1f} × {high:.1f} mm, "
                f"expected {LEAST_PAD_MM:g} mm or more (a finger would not be felt)"
            )

    @property
    def around_mm(self) -> float:
        """The way round the cylinder."""
        return math.pi * self.diameter_mm

    @property
    def step_mm(self) -> tuple[float, float]:
        """From pad to pad, round and up."""
        return self.around_mm / self.sectors, self.height_mm / self.rings

    @property
    def pad_mm(self) -> tuple[float, float]:
        """Width and height of a pad."""
        return self.step_mm[0] - self.gap_mm, self.step_mm[1] - self.gap_mm

    def corner_mm(self, pad: int) -> tuple[float, float]:
        """Top left corner of a pad on the unrolled skin, from the skin's top left; y down."""
        ring, sector = divmod(pad, self.sectors)
        wide, high = self.step_mm
        return sector * wide + self.gap_mm / 2, (self.rings - 1 - ring) * high + self.gap_mm / 2


WORDS: Mapping[str, tuple[str, str, str]] = {
    "en": ("0 front", "ring", "pads, {:g} mm across, printed side out, top up"),
    "fr": ("0 avant", "anneau", "plages, {:g} mm, imprimé dehors, haut en haut"),
}


def electrode_drawing(skin: Skin, language: str = "en") -> Drawing:
    """The skin with its pads, the middle of sector 0 in the middle of the leftmost column, and a flap to glue."""
    front, ring_word, pads = WORDS[language]
    x0, y0 = _SIDE_MM, _HEAD_MM
    wide, high = skin.around_mm, skin.height_mm
    body = [
        stroke(outline([(x0, y0), (x0 + wide, y0), (x0 + wide, y0 + high), (x0, y0 + high)]), INK, 0.2),
        stroke(
            outline(
                [
                    (x0 + wide, y0),
                    (x0 + wide + FLAP_MM, y0 + 4),
                    (x0 + wide + FLAP_MM, y0 + high - 4),
                    (x0 + wide, y0 + high),
                ],
                closed=False,
            ),
            FAINT,
            0.2,
        ),
    ]
    for pad in range(skin.rings * skin.sectors):
        x, y = skin.corner_mm(pad)
        body.append(rectangle(x0 + x, y0 + y, *skin.pad_mm, _COPPER))
        label = min(3.5, 0.5 * min(skin.pad_mm))
        body.append(text(str(pad), (x0 + x + skin.pad_mm[0] / 2, y0 + y + skin.pad_mm[1] / 2), label, INK, 0.12))
    for sector in range(skin.sectors):
        angle = f"{360 * sector / skin.sectors:g}"
        middle = x0 + (sector + 0.5) * skin.step_mm[0]
        body.append(text(angle if sector else front, (middle, y0 - 4), 2.4, INK, 0.1))
    for ring in (0, skin.rings - 1):
        y = y0 + (skin.rings - ring - 0.5) * skin.step_mm[1]
        body.append(text(f"{ring_word} {ring}", (x0 - 2, y), 2.4, INK, 0.1, anchor=1))
    title = f"{skin.rings} x {skin.sectors} {pads.format(skin.diameter_mm)}"
    size = (max(wide + FLAP_MM + _SIDE_MM + 4, 240.0), high + _HEAD_MM + _FOOT_MM)
    return Drawing(title, size, body, (x0, y0 + high + 5), language)
