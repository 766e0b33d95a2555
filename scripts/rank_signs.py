"""Letters and signs as they stand on cards: from free fonts, and from strokes and curves of our own.

Belongs here: which fonts belong to which split, and masks (0..255, cut to what is inked) of letters and signs. Does not
belong here: colours, places, cards (`rank_cards`).

Fonts are told apart by family, and families that are cuts of one typeface stay together, so that a split never meets a
letter that another split was taught.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
from functools import cache, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from referee.deck.draw.glyphs import GLYPHS

# Cuts of one typeface, by the first words of their families' names.
SAME = {
    "century": ("C059", "TeX Gyre Schola", "Century"),
    "times": ("Nimbus Roman", "TeX Gyre Termes", "Liberation Serif", "Tinos", "STIX", "FreeSerif"),
    "helvetica": ("Nimbus Sans", "TeX Gyre Heros", "Liberation Sans", "Arimo", "FreeSans"),
    "palatino": ("P052", "TeX Gyre Pagella"),
    "courier": ("Nimbus Mono", "TeX Gyre Cursor", "Liberation Mono", "Cousine", "FreeMono", "Courier", "GNUTypewriter"),
    "bookman": ("URW Bookman", "TeX Gyre Bonum"),
    "gothic": ("URW Gothic", "TeX Gyre Adventor"),
    "chancery": ("Z003", "TeX Gyre Chorus"),
    "baskerville": ("Baskervald",),
    "garamond": ("EB Garamond",),
    "rasa": ("Rasa", "Yrsa"),
    "museum": ("Museum",),
    "caslon": ("Caslon", "Cupola", "Caliban"),
}
NO_LETTERS = re.compile(
    r"Symbols|Keyboard|Initials|FontAwesome|D050000L|NonUnicode|SizeF|SizeO|SizeT|Integrals|Variants|Math|Script|Tamil|Titling|Z003|Chorus|OCR"
)


@cache
def fonts_of(split: str) -> tuple[str, ...]:
    """The font files of a split: `train` (7 of 10 typefaces), `choose` or `report`."""
    command = ["fc-list", "--format", "%{family[0]}|%{style[0]}|%{file}\n"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    files: dict[str, list[str]] = {}
    for line in sorted(lines):
        family, style, file = [*line.split("|"), "", ""][:3]
        noto = family.startswith("Noto") and family not in (
            "Noto Sans",
            "Noto Serif",
            "Noto Sans Display",
            "Noto Serif Display",
            "Noto Mono",
        )
        if NO_LETTERS.search(family) or noto or not file.endswith((".ttf", ".otf", ".pfb", ".t1")):
            continue
        if "Thin" in style or "Hairline" in style or "ExtraLight" in style:
            continue
        group = next(
            (g for g, starts in SAME.items() if family.startswith(starts)), " ".join(family.split()[:1]).lower()
        )
        files.setdefault(group, []).append(file)
    chosen = []
    for group, members in sorted(files.items()):
        place = hashlib.sha256(group.encode()).digest()[0] % 10
        if ("train" if place < 7 else "choose" if place == 7 else "report") == split:
            # A large family must not drown the others.
            chosen += members if len(members) <= 8 else members[:: len(members) // 8 + 1]
    return tuple(chosen)


@lru_cache(maxsize=6000)
def glyph(font: str, words: str) -> NDArray[np.uint8] | None:
    """Words as a mask (0..255) cut to what is inked; None where the font has no such letters."""
    try:
        face = ImageFont.truetype(font, 110)
        mask = Image.new("L", (130 * max(1, len(words)) + 60, 220))
        ImageDraw.Draw(mask).text((40, 30), words, 255, font=face)
        missing = Image.new("L", mask.size)
        ImageDraw.Draw(missing).text((40, 30), "\uffff" * len(words), 255, font=face)
    except OSError:
        return None
    box = mask.getbbox()
    if box is None or mask.tobytes() == missing.tobytes():
        return None
    return np.asarray(mask.crop(box), np.uint8)


_NUMBER = re.compile(r"-?\d*\.?\d+")


def strokes_of(letter: str, steps: int = 10) -> list[NDArray[np.float64]]:
    """One of our own glyphs as lines of points (60×100 box)."""
    lines: list[NDArray[np.float64]] = []
    points: list[tuple[float, float]] = []
    at, first = (0.0, 0.0), (0.0, 0.0)
    for command, rest in re.findall(r"([MLHVCZ])([^MLHVCZ]*)", GLYPHS[letter]):
        v = [float(n) for n in _NUMBER.findall(rest)]
        if command == "M":
            if len(points) > 1:
                lines.append(np.array(points))
            at = first = (v[0], v[1])
            points = [at]
            v = v[2:]
            command = "L"
        if command == "L":
            for x, y in zip(v[::2], v[1::2], strict=True):
                at = (x, y)
                points.append(at)
        elif command == "H":
            for x in v:
                at = (x, at[1])
                points.append(at)
        elif command == "V":
            for y in v:
                at = (at[0], y)
                points.append(at)
        elif command == "C":
            for k in range(0, len(v), 6):
                p = np.array([at, v[k : k + 2], v[k + 2 : k + 4], v[k + 4 : k + 6]])
                t = (np.arange(1, steps + 1) / steps)[:, None]
                curve = (1 - t) ** 3 * p[0] + 3 * (1 - t) ** 2 * t * p[1] + 3 * (1 - t) * t**2 * p[2] + t**3 * p[3]
                points += [(float(x), float(y)) for x, y in curve]
                at = points[-1]
        else:
            points.append(first)
    if len(points) > 1:
        lines.append(np.array(points))
    return lines


def drawn(words: str, bend: NDArray[np.float64], weight: int) -> NDArray[np.uint8] | None:
    """Words in our own strokes, bent a little by the design's `bend` (2×2), as a mask cut to what is inked."""
    if any(letter not in GLYPHS for letter in words):
        return None
    canvas = np.zeros((190, 100 * len(words) + 60), np.uint8)
    for i, letter in enumerate(words):
        for line in strokes_of(letter):
            # A smooth bend about the box's middle keeps every loop closed.
            c = (line - [30, 50]) / [30, 50]
            bent = line + np.stack(
                [bend[0, 0] * c[:, 1] ** 2 + bend[0, 1] * c[:, 1], bend[1, 0] * c[:, 0] ** 2 + bend[1, 1] * c[:, 0]], 1
            )
            places = np.round((bent + np.array([30 + 84 * i, 40])) * 16).astype(np.int32)
            cv2.polylines(canvas, [places], False, 255, weight, cv2.LINE_AA, 4)
    ys, xs = np.nonzero(canvas > 40)
    return canvas[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]


def suit_mask(suit: str, shape: NDArray[np.float64]) -> NDArray[np.uint8]:
    """A suit's sign of a design's own curves (four numbers, 0..1), as a mask cut to what is inked."""
    size = 200
    canvas = np.zeros((size, size), np.uint8)
    a, b, c, d = shape

    def polygon(points: NDArray[np.float64]) -> None:
        cv2.fillPoly(canvas, [np.round((points * 78 + 100) * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)

    def heart(up: float) -> NDArray[np.float64]:
        t = np.linspace(0, 2 * np.pi, 90)
        x = np.sign(np.sin(t)) * np.abs(np.sin(t)) ** (2.2 + 1.2 * a)
        y = -(13 * np.cos(t) - (4 + 2 * b) * np.cos(2 * t) - (1.5 + c) * np.cos(3 * t) - np.cos(4 * t)) / 17
        return np.stack([x * (0.85 + 0.25 * d), y * up], 1)

    def bezier(*points: tuple[float, float]) -> NDArray[np.float64]:
        t = np.linspace(0, 1, 24)[:, None]
        p = np.array(points, np.float64)
        return (1 - t) ** 3 * p[0] + 3 * (1 - t) ** 2 * t * p[1] + 3 * (1 - t) * t**2 * p[2] + t**3 * p[3]

    def stem(top: float) -> None:
        wide, thin = 0.25 + 0.3 * c, 0.05 + 0.08 * d
        y = np.linspace(top, 1.0, 12)
        half = thin + (wide - thin) * ((y - top) / (1 - top)) ** (1.5 + 2 * a)
        polygon(np.concatenate([np.stack([half, y], 1), np.stack([-half[::-1], y[::-1]], 1)]))

    if suit == "H":
        polygon(heart(1.0))
    elif suit == "D":
        t = np.linspace(0, 2 * np.pi, 80, endpoint=False)
        power = 0.75 + 0.5 * a
        x, y = np.cos(t), np.sin(t)
        curve = np.stack([np.sign(x) * np.abs(x) ** (2 / power), np.sign(y) * np.abs(y) ** (2 / power)], 1)
        polygon(curve * [0.68 + 0.3 * b, 1.0])
    elif suit == "S":
        if 5 * (a + b + c + d) % 1 < 0.35:
            polygon(heart(-1.0) * [0.95, 0.85] + [0, -0.12])
        else:
            # Many makers' spades have full shoulders.
            wide, low = 0.66 + 0.3 * d, 0.12 + 0.25 * b
            side = bezier((0, -1), (0.06 + 0.22 * a, -0.7 + 0.2 * c), (wide, -0.5 + 0.45 * a), (wide, low))
            lobe = bezier((wide, low), (wide, low + 0.3 + 0.2 * c), (0.3 * wide, low + 0.5), (0.02, low + 0.12))
            half = np.concatenate([side, lobe])
            polygon(np.concatenate([half, half[::-1] * [-1, 1]]))
        stem(0.1)
    else:
        r = 0.36 + 0.1 * a
        for x, y in ((0.0, -0.5), (-0.48 - 0.06 * b, 0.18), (0.48 + 0.06 * b, 0.18)):
            cv2.circle(canvas, (round(100 + 78 * x), round(100 + 78 * y)), round(78 * r), 255, -1, cv2.LINE_AA)
        polygon(np.array([[-0.28, -0.3], [0.28, -0.3], [0.3, 0.3], [-0.3, 0.3]]) * (0.5 + 0.4 * d))
        stem(-0.1)
    ys, xs = np.nonzero(canvas > 40)
    return canvas[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]


def blob(random: np.random.Generator) -> NDArray[np.uint8]:
    """A random round sign."""
    t = np.linspace(0, 2 * np.pi, 120)
    radius = 1 + sum(random.uniform(-0.3, 0.3) * np.cos(k * t + random.uniform(0, 6.3)) for k in range(2, 6))
    canvas = np.zeros((200, 200), np.uint8)
    points = np.stack([np.cos(t) * random.uniform(0.5, 1.6), np.sin(t)], 1) * radius[:, None] * 45 + 100
    cv2.fillPoly(canvas, [points.astype(np.int32)], 255, cv2.LINE_AA)
    ys, xs = np.nonzero(canvas > 40)
    return canvas[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]
