"""How different two colours look, to everybody and to colour-blind players.

Belongs here: CIELAB, the CIEDE2000 distance, and what the three kinds of dichromat see of a colour.
Does not belong here: which colours a deck has, and anything a camera does to them.
"""

from __future__ import annotations

from math import atan2, cos, degrees, exp, hypot, radians, sin, sqrt

import numpy as np
from numpy.typing import NDArray

# Machado, Oliveira, Fernandes 2009, "A Physiologically-based Model for Simulation of Color Vision
# Deficiency", table 1, severity 1.0; for linear RGB.
_DICHROMAT = {
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
COLOUR_VISION = ("everybody", *_DICHROMAT)
# IEC 61966-2-1 (sRGB) to CIE XYZ, and its white.
_RGB_TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
_WHITE = _RGB_TO_XYZ.sum(axis=1)

Rgb = tuple[int, int, int]
Lab = tuple[float, float, float]


def lab(rgb: Rgb, seen_by: str = "everybody") -> Lab:
    """CIELAB (D65) of an sRGB colour as seen by one of `COLOUR_VISION`."""
    value = np.asarray(rgb, np.float64) / 255.0
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    if seen_by != "everybody":
        linear = np.clip(np.array(_DICHROMAT[seen_by]) @ linear, 0.0, 1.0)
    return _lab_of_xyz(_RGB_TO_XYZ @ linear / _WHITE)


def _lab_of_xyz(relative: NDArray[np.float64]) -> Lab:
    root = np.where(relative > (6 / 29) ** 3, np.cbrt(relative), relative / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = (float(part) for part in root)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def colour_distance(first: Lab, second: Lab) -> float:
    """CIEDE2000 between two CIELAB colours (CIE 142-2001; formulas as in Sharma, Wu, Dalal 2005).

    About 1 is just visible side by side; cards apart on a table want 20 and more.
    """
    (l1, a1, b1), (l2, a2, b2) = first, second
    mean_chroma = (hypot(a1, b1) + hypot(a2, b2)) / 2
    stretch = 1 + 0.5 * (1 - sqrt(mean_chroma**7 / (mean_chroma**7 + 25.0**7)))
    a1, a2 = a1 * stretch, a2 * stretch
    c1, c2 = hypot(a1, b1), hypot(a2, b2)
    h1, h2 = degrees(atan2(b1, a1)) % 360, degrees(atan2(b2, a2)) % 360
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    mean_hue = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    mean_l, mean_c = (l1 + l2) / 2, (c1 + c2) / 2
    t = (
        1
        - 0.17 * cos(radians(mean_hue - 30))
        + 0.24 * cos(radians(2 * mean_hue))
        + 0.32 * cos(radians(3 * mean_hue + 6))
        - 0.20 * cos(radians(4 * mean_hue - 63))
    )
    weight_l = 1 + 0.015 * (mean_l - 50) ** 2 / sqrt(20 + (mean_l - 50) ** 2)
    weight_c, weight_h = 1 + 0.045 * mean_c, 1 + 0.015 * mean_c * t
    rotation = -2 * sqrt(mean_c**7 / (mean_c**7 + 25.0**7)) * sin(radians(60 * exp(-(((mean_hue - 275) / 25) ** 2))))
    d_l = (l2 - l1) / weight_l
    d_c = (c2 - c1) / weight_c
    d_h = 2 * sqrt(c1 * c2) * sin(radians(turn / 2)) / weight_h
    return sqrt(d_l**2 + d_c**2 + d_h**2 + rotation * d_c * d_h)


def hardest_to_tell(first: Rgb, second: Rgb) -> tuple[float, str]:
    """The smallest CIEDE2000 distance of two sRGB colours over `COLOUR_VISION`, and whose it is."""
    return min((colour_distance(lab(first, who), lab(second, who)), who) for who in COLOUR_VISION)
