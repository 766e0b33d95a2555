"""Playing cards that never were: faces drawn at random, from free fonts and from strokes and curves of our own.

Belongs here: one card's face as a picture, what it says, and which fonts belong to which split. Does not belong here:
cameras, light, wear (`rank_lessons`), training (`train_ranks`).

A design is one random deck: its letters, suit signs, margins and colours. Fonts are told apart by family, and families
that are cuts of one typeface stay together, so that a split never meets a letter that another split was taught.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
from dataclasses import dataclass
from functools import cache, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from referee.deck.draw.glyphs import GLYPHS

Picture = NDArray[np.float32]

PER_MM = 4.0
WIDTH, HEIGHT = round(63 * PER_MM), round(88 * PER_MM)
SUITS = "SHDC"
COURT = ("J", "Q", "K")
PIPS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10")
STANDARD = (*PIPS, *COURT)
NUMBERS = tuple(str(n) for n in range(1, 13))
# Letters and numbers that stand in corners of cards and are no rank we read.
OTHER_SIGNS = (
    *"BCDEFGHLMNPRSTUVWXYZ",
    "0",
    "13",
    "14",
    "15",
    "20",
    "21",
    "30",
    "?",
    "!",
    "%",
    "&",
    "+2",
    "+4",
    "$",
    "#",
)
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
        polygon(heart(-1.0) * [0.95, 0.85] + [0, -0.12])
        stem(0.1)
    else:
        r = 0.36 + 0.1 * a
        for x, y in ((0.0, -0.5), (-0.48 - 0.06 * b, 0.18), (0.48 + 0.06 * b, 0.18)):
            cv2.circle(canvas, (round(100 + 78 * x), round(100 + 78 * y)), round(78 * r), 255, -1, cv2.LINE_AA)
        polygon(np.array([[-0.28, -0.3], [0.28, -0.3], [0.3, 0.3], [-0.3, 0.3]]) * (0.5 + 0.4 * d))
        stem(-0.1)
    ys, xs = np.nonzero(canvas > 40)
    return canvas[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]


@dataclass(frozen=True)
class Design:
    """One random deck: where its letters and signs come from, how large and where they stand (mm), its colours."""

    font: str | None
    bend: NDArray[np.float64]
    weight: int
    suit_font: str | None
    suit_shape: NDArray[np.float64]
    index_mm: float
    squeeze: float
    thicken: int
    margin_mm: tuple[float, float]
    sign_share: float
    sign_gap_mm: float
    sign_beside: bool
    inks: dict[str, tuple[float, float, float]]
    paper: tuple[float, float, float]
    four_corners: bool
    rim: float
    pip_mm: float
    pip_column_mm: float
    pip_row_mm: float
    turned_below: bool


def _colour(random: np.random.Generator, kind: str) -> tuple[float, float, float]:
    """An ink (B, G, R; 0..1)."""
    u = random.random
    if kind == "red":
        return (0.05 + 0.25 * u(), 0.02 + 0.22 * u(), 0.6 + 0.4 * u())
    if kind == "black":
        v = 0.02 + 0.18 * u()
        return (v + 0.06 * u(), v, v)
    hue = np.uint8([[[int(180 * u()), int(110 + 145 * u()), int(50 + 170 * u())]]])
    b, g, r = cv2.cvtColor(hue, cv2.COLOR_HSV2BGR)[0, 0] / 255.0
    return (float(b), float(g), float(r))


def design_of(random: np.random.Generator, split: str) -> Design:
    """A random deck of a split."""
    fonts = fonts_of(split)
    font = str(random.choice(fonts)) if random.random() < 0.88 else None
    suit_font = str(random.choice(fonts)) if random.random() < 0.35 else None
    large = random.random()
    index = (
        random.uniform(4.8, 8.5)
        if large < 0.62
        else random.uniform(8.5, 12.5)
        if large < 0.87
        else random.uniform(12.5, 19)
    )
    red, black = _colour(random, "red"), _colour(random, "black")
    inks = {"S": black, "C": black, "H": red, "D": red}
    if random.random() < 0.1:
        inks = inks | {"D": _colour(random, "any"), "C": _colour(random, "any")}
    tone = random.uniform(0.86, 1.0)
    return Design(
        font=font,
        bend=random.uniform(-7, 7, (2, 2)),
        weight=int(random.integers(7, 24)),
        suit_font=suit_font,
        suit_shape=random.random(4),
        index_mm=index,
        squeeze=float(random.uniform(0.55, 1.15)),
        thicken=int(random.integers(-2, 4)),
        margin_mm=(random.uniform(1.3, 4.5), random.uniform(1.6, 5.5)),
        sign_share=random.uniform(0.55, 1.05),
        sign_gap_mm=random.uniform(0.4, 2.5),
        sign_beside=random.random() < 0.06,
        inks=inks,
        paper=(tone * random.uniform(0.88, 1.0), tone * random.uniform(0.95, 1.0), tone),
        four_corners=random.random() < 0.12,
        rim=random.uniform(0, 1),
        pip_mm=random.uniform(8, 16.5),
        pip_column_mm=random.uniform(8.5, 16),
        pip_row_mm=random.uniform(22, 33),
        turned_below=random.random() < 0.92,
    )


def _letters(design: Design, words: str) -> NDArray[np.uint8] | None:
    mask = drawn(words, design.bend, design.weight) if design.font is None else glyph(design.font, words)
    if mask is None:
        return None
    if design.thicken:
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * abs(design.thicken) + 1,) * 2)
        padded = np.pad(mask, 8)
        changed = cv2.dilate(padded, kernel) if design.thicken > 0 else cv2.erode(padded, kernel)
        # What erodes away was a thin letter: it stays as it was.
        if changed.astype(np.float32).sum() > 0.5 * padded.astype(np.float32).sum():
            mask = np.asarray(changed, np.uint8)
            ys, xs = np.nonzero(mask > 40)
            mask = mask[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]
    return mask


def sign(design: Design, suit: str) -> NDArray[np.uint8]:
    """The design's sign of a suit."""
    if design.suit_font is not None:
        mask = glyph(design.suit_font, {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}[suit])
        if mask is not None:
            return mask
    return suit_mask(suit, design.suit_shape)


def put(
    canvas: Picture,
    mask: NDArray[np.uint8],
    middle_mm: tuple[float, float],
    size_mm: tuple[float, float],
    ink: tuple[float, float, float],
) -> None:
    """Print a mask on a face; places and sizes in mm from the top left."""
    w, h = (max(2, round(v * PER_MM)) for v in size_mm)
    small = cv2.resize(mask, (w, h), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    x, y = round(middle_mm[0] * PER_MM - w / 2), round(middle_mm[1] * PER_MM - h / 2)
    x0, y0, x1, y1 = max(x, 0), max(y, 0), min(x + w, canvas.shape[1]), min(y + h, canvas.shape[0])
    if x0 >= x1 or y0 >= y1:
        return
    cover = small[y0 - y : y1 - y, x0 - x : x1 - x, None]
    part = canvas[y0:y1, x0:x1]
    part[:] = part * (1 - cover) + np.array(ink, np.float32) * cover


def _index(
    canvas: Picture, design: Design, words: str, suit: str | None, ink: tuple[float, float, float], underline: bool
) -> bool:
    """The corner's index at the top left; False where the font lacks it."""
    mask = _letters(design, words)
    if mask is None:
        return False
    h = design.index_mm
    w = h * mask.shape[1] / mask.shape[0] * design.squeeze
    most = h * (0.95 if len(words) == 1 else 1.15)
    w = float(np.clip(w, h * (0.12 if words in ("1", "I") else 0.34), most))
    # One letter stands in the middle of the widest one's room.
    room = max(w, 0.62 * h * max(design.squeeze, 0.7))
    x, y = design.margin_mm[0] + room / 2, design.margin_mm[1] + h / 2
    put(canvas, mask, (x, y), (w, h), ink)
    y = design.margin_mm[1] + h
    if underline:
        line = np.full((8, 40), 255, np.uint8)
        put(canvas, line, (x, y + 1.2), (w * 1.1, max(0.5, h * 0.1)), ink)
        y += 1.6
    if suit is not None:
        mark = sign(design, suit)
        high = h * design.sign_share
        wide = high * mark.shape[1] / mark.shape[0]
        at = (
            (x + room / 2 + 1 + wide / 2, design.margin_mm[1] + h / 2)
            if design.sign_beside
            else (x, y + design.sign_gap_mm + high / 2)
        )
        put(canvas, mark, at, (wide, high), ink)
    return True


def _pips(
    random: np.random.Generator, rank: str, design: Design
) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Places of the pips (mm from the middle): those of the upper half, and those of the middle line and alone."""
    c, r = design.pip_column_mm, design.pip_row_mm
    pair = [(-c, -r), (c, -r)]
    third = r * 0.33
    return {
        "2": ([(0, -r)], []), "3": ([(0, -r)], [(0, 0)]), "4": (pair, []), "5": (pair, [(0, 0)]),
        "6": (pair, [(-c, 0), (c, 0)]),
        "7": (pair, [(-c, 0), (c, 0), (0, -r * 0.5)]),
        "8": ([*pair, (0, -r * 0.5)], [(-c, 0), (c, 0)]),
        "9": ([*pair, (-c, -third), (c, -third)], [(0, 0)]),
        "10": ([*pair, (-c, -third), (c, -third), (0, -r * 0.66)], []),
    }[rank]  # fmt: skip


def art(
    random: np.random.Generator, width: int, height: int, colours: list[tuple[float, float, float]], many: int
) -> Picture:
    """Random figures: what stands for a court card's picture, a joker's or a back."""
    picture = np.ones((height, width, 3), np.float32) * np.array(colours[0], np.float32)
    for _ in range(many):
        colour = colours[int(random.integers(len(colours)))]
        x, y = random.uniform(-0.1, 1.1, 2) * [width, height]
        size = random.uniform(0.03, 0.35) * width
        kind = random.integers(5)
        if kind == 0:
            cv2.circle(
                picture,
                (int(x), int(y)),
                int(size * 0.6),
                colour,
                -1 if random.random() < 0.6 else int(random.integers(1, 6)),
                cv2.LINE_AA,
            )
        elif kind == 1:
            points = np.array([x, y]) + random.uniform(-size, size, (int(random.integers(3, 7)), 2))
            cv2.fillPoly(picture, [points.astype(np.int32)], colour, cv2.LINE_AA)
        elif kind == 2:
            end = np.array([x, y]) + random.uniform(-2.5, 2.5, 2) * size
            cv2.line(
                picture, (int(x), int(y)), (int(end[0]), int(end[1])), colour, int(random.integers(1, 9)), cv2.LINE_AA
            )
        elif kind == 3:
            axes = (max(1, int(size)), max(1, int(size * random.uniform(0.2, 1))))
            cv2.ellipse(
                picture,
                (int(x), int(y)),
                axes,
                random.uniform(0, 180),
                0,
                random.uniform(90, 360),
                colour,
                int(random.integers(1, 8)),
                cv2.LINE_AA,
            )
        else:
            step = max(4, int(size * 0.3))
            for k in range(int(random.integers(3, 8))):
                cv2.line(
                    picture,
                    (int(x), int(y + k * step)),
                    (int(x + size * 2), int(y + k * step)),
                    colour,
                    int(random.integers(1, 4)),
                    cv2.LINE_AA,
                )
    return picture


def _both_ends(canvas: Picture, paper: NDArray[np.float32]) -> None:
    """What is printed at the top stands at the bottom the other way up."""
    canvas[:] = (
        np.minimum(canvas, canvas[::-1, ::-1]) if float(paper.mean()) > 0.5 else np.maximum(canvas, canvas[::-1, ::-1])
    )


@dataclass(frozen=True)
class Face:
    """A drawn face (H×W×3, BGR, 0..1): the rank its corners say, its suit, and what its layout says."""

    picture: Picture
    rank: str | None
    suit: str | None
    layout: str


def face_of(random: np.random.Generator, design: Design, kind: str) -> Face | None:
    """A face of a kind: `standard`, `number`, `joker`, `sign` (a corner sign that is no rank), `other`, `back`."""
    paper = np.array(design.paper, np.float32)
    canvas = np.ones((HEIGHT, WIDTH, 3), np.float32) * paper
    middle = (63 / 2, 88 / 2)
    if kind == "standard":
        rank = str(random.choice(STANDARD))
        suit = SUITS[int(random.integers(4))]
        ink = design.inks[suit]
        shows_suit = random.random() < 0.97
        if not _index(canvas, design, rank, suit if shows_suit else None, ink, False):
            return None
        mark = sign(design, suit)
        share = mark.shape[1] / mark.shape[0]
        if rank in COURT:
            x, y = max(random.uniform(8.5, 15), 0.0), random.uniform(5, 13)
            w, h = round((63 - 2 * x) * PER_MM), round((88 - 2 * y) * PER_MM)
            colours = [tuple(design.paper), (0.1, 0.1, 0.1), _colour(random, "red"), (0.1, 0.75, 0.9), (0.65, 0.3, 0.1)]
            half = art(
                random, w, h, [(float(a), float(b), float(c)) for a, b, c in colours], int(random.integers(20, 140))
            )
            half[h // 2 :] = half[::-1, ::-1][h // 2 :]
            if random.random() < 0.75:
                cv2.rectangle(
                    half,
                    (0, 0),
                    (w - 1, h - 1),
                    _colour(random, "any" if random.random() < 0.5 else "black"),
                    int(random.integers(1, 5)),
                    cv2.LINE_AA,
                )
            x0, y0 = round(x * PER_MM), round(y * PER_MM)
            part = canvas[y0 : y0 + h, x0 : x0 + w]
            # A picture without a frame lets the index stand on it, as many courts do.
            part[:] = np.minimum(part, half)
            if random.random() < 0.8:
                size = random.uniform(7, 13)
                put(canvas, mark, (x + 1 + size * share / 2, y + 1 + size / 2), (size * share, size), ink)
        elif rank != "A":
            half, alone = _pips(random, rank, design)
            for px, py in half:
                put(canvas, mark, (middle[0] + px, middle[1] + py), (design.pip_mm * share, design.pip_mm), ink)
        _both_ends(canvas, paper)
        if rank in PIPS and rank != "A":
            if not design.turned_below:
                for px, py in half:
                    at = (middle[0] - px, middle[1] - py)
                    x0, y0 = (round((v - design.pip_mm * 0.6) * PER_MM) for v in at)
                    side = round(design.pip_mm * 1.2 * PER_MM)
                    canvas[max(0, y0) : y0 + side, max(0, x0) : x0 + side] = paper
                    put(canvas, mark, at, (design.pip_mm * share, design.pip_mm), ink)
            for px, py in alone:
                put(
                    canvas,
                    mark if py <= 0 else mark[::-1],
                    (middle[0] + px, middle[1] + py),
                    (design.pip_mm * share, design.pip_mm),
                    ink,
                )
        elif rank == "A":
            size = random.uniform(10, 22) if random.random() < 0.7 else random.uniform(22, 46)
            put(canvas, mark, middle, (size * share, size), ink)
            if random.random() < 0.25:
                centre, r = (WIDTH // 2, HEIGHT // 2), round(size * PER_MM * random.uniform(0.6, 0.9))
                cv2.circle(canvas, centre, r, ink, int(random.integers(1, 4)), cv2.LINE_AA)
                put(canvas, mark, middle, (size * share * 0.4, size * 0.4), tuple(float(v) for v in paper))
        result = Face(canvas, rank, suit if shows_suit or rank in PIPS else None, "court" if rank in COURT else rank)
    elif kind in ("number", "sign"):
        words = str(random.choice(NUMBERS if kind == "number" else OTHER_SIGNS))
        ink = _colour(random, "any" if random.random() < 0.7 else "black")
        if random.random() < 0.12 and kind == "number":
            # Light letters on a coloured card.
            canvas[:] = np.array(_colour(random, "any"), np.float32) * 0.8
            paper, ink = canvas[0, 0].copy(), (0.95, 0.95, 0.95)
            if paper.mean() > 0.5:
                canvas *= 0.6
                paper = canvas[0, 0].copy()
        suit = SUITS[int(random.integers(4))] if kind == "sign" and random.random() < 0.4 else None
        if not _index(canvas, design, words, suit, ink, words in ("6", "9") and random.random() < 0.6):
            return None
        _both_ends(canvas, paper)
        if random.random() < 0.8:
            mask = _letters(design, words) if random.random() < 0.8 else sign(design, SUITS[int(random.integers(4))])
            if mask is not None:
                h = random.uniform(14, 34)
                put(canvas, mask, middle, (min(h * mask.shape[1] / mask.shape[0] * design.squeeze, 40), h), ink)
        result = Face(canvas, words if kind == "number" else None, None, "other")
    elif kind == "joker":
        ink = _colour(random, "any" if random.random() < 0.4 else "red" if random.random() < 0.5 else "black")
        x, y = design.margin_mm
        style = random.random()
        if style < 0.75:
            word = "JOKER" if random.random() < 0.85 else "Joker"
            h = random.uniform(2.6, 5.0)
            for i, letter in enumerate(word if style < 0.6 else [word]):
                mask = _letters(design, letter)
                if mask is None:
                    return None
                wide = min(h * mask.shape[1] / mask.shape[0] * design.squeeze, 18 if len(letter) > 1 else h)
                at = (x + (wide / 2 if len(letter) > 1 else h * 0.4), y + (h + 0.5) * i + h / 2)
                put(canvas, mask, at, (wide, h), ink)
        else:
            points = 5 if random.random() < 0.7 else int(random.integers(6, 9))
            turn = np.arange(2 * points) * np.pi / points - np.pi / 2
            ray = np.where(np.arange(2 * points) % 2 == 0, 1.0, random.uniform(0.35, 0.5))
            star = np.zeros((120, 120), np.uint8)
            cv2.fillPoly(
                star,
                [np.round(np.stack([np.cos(turn), np.sin(turn)], 1) * ray[:, None] * 56 + 60).astype(np.int32)],
                255,
                cv2.LINE_AA,
            )
            size = random.uniform(5, 9)
            put(canvas, star, (x + size / 2, y + size / 2), (size, size), ink)
        _both_ends(canvas, paper)
        w, h = round(random.uniform(24, 42) * PER_MM), round(random.uniform(40, 66) * PER_MM)
        colours = [tuple(design.paper), (0.1, 0.1, 0.1), _colour(random, "any"), _colour(random, "any")]
        picture = art(
            random, w, h, [(float(a), float(b), float(c)) for a, b, c in colours], int(random.integers(10, 60))
        )
        part = canvas[(HEIGHT - h) // 2 : (HEIGHT - h) // 2 + h, (WIDTH - w) // 2 : (WIDTH - w) // 2 + w]
        part[:] = np.minimum(part, picture)
        result = Face(canvas, "joker", None, "other")
    elif kind == "back":
        colours = [_colour(random, "any"), tuple(design.paper), _colour(random, "any")]
        back = art(
            random,
            WIDTH,
            HEIGHT,
            [(float(a), float(b), float(c)) for a, b, c in colours],
            int(random.integers(20, 120)),
        )
        if random.random() < 0.5:
            step = int(random.integers(8, 40))
            for k in range(-HEIGHT, WIDTH + HEIGHT, step):
                cv2.line(back, (k, 0), (k + HEIGHT, HEIGHT), (1, 1, 1), max(1, step // 6), cv2.LINE_AA)
                cv2.line(back, (k + HEIGHT, 0), (k, HEIGHT), (1, 1, 1), max(1, step // 6), cv2.LINE_AA)
        rim = round(random.uniform(0, 5) * PER_MM)
        canvas[rim : HEIGHT - rim, rim : WIDTH - rim] = back[rim : HEIGHT - rim, rim : WIDTH - rim]
        result = Face(canvas, None, None, "other")
    else:
        # A card of another game: one to three large signs, or a print of its own; or a page of writing.
        if random.random() < 0.6:
            ink = _colour(random, "any")
            count = int(random.integers(1, 4))
            outline = random.random() < 0.4
            # Signs of suits on plain cards have no corner: a heart alone is no ace.
            mask = sign(design, SUITS[int(random.integers(4))]) if random.random() < 0.4 else _blob(random)
            if outline:
                mask = cv2.morphologyEx(np.pad(mask, 6), cv2.MORPH_GRADIENT, np.ones((9, 9), np.uint8))
            h = random.uniform(10, 24)
            for i in range(count):
                put(
                    canvas,
                    np.asarray(mask, np.uint8),
                    (31.5, 44 + (i - (count - 1) / 2) * h * 1.2),
                    (min(44, h * mask.shape[1] / mask.shape[0]), h),
                    ink,
                )
        else:
            for row in range(int(random.integers(4, 14))):
                words = "".join(random.choice(list("abcdefghiklmnorstuvwABDEHKMRS  "), int(random.integers(5, 18))))
                mask = _letters(design, words.strip() or "a")
                if mask is not None:
                    h = random.uniform(2.5, 6)
                    put(
                        canvas,
                        mask,
                        (31.5, 6 + row * h * 1.7),
                        (min(60, h * mask.shape[1] / mask.shape[0]), h),
                        _colour(random, "black"),
                    )
        result = Face(canvas, None, None, "other")
    if design.four_corners and result.rank is not None:
        # The same index in all four corners.
        w, h = round(20 * PER_MM), round(24 * PER_MM)
        canvas[:h, WIDTH - w :] = np.minimum(canvas[:h, WIDTH - w :], _moved_right(canvas, w, h))
        canvas[HEIGHT - h :, :w] = canvas[:h, WIDTH - w :][::-1, ::-1]
    if design.rim > 0.94:
        cv2.rectangle(
            canvas, (3, 3), (WIDTH - 4, HEIGHT - 4), _colour(random, "any"), int(random.integers(2, 8)), cv2.LINE_AA
        )
    return result


def _moved_right(canvas: Picture, w: int, h: int) -> Picture:
    """The corner at the top left as it stands at the top right: not mirrored, its margin is."""
    corner = canvas[:h, :w].copy()
    dark = np.nonzero((corner < 0.55).any(2).any(0))[0]
    if not len(dark):
        return corner
    left, right = int(dark[0]), w - 1 - int(dark[-1])
    return np.roll(corner, right - left, 1)


def _blob(random: np.random.Generator) -> NDArray[np.uint8]:
    """A random round sign."""
    t = np.linspace(0, 2 * np.pi, 120)
    radius = 1 + sum(random.uniform(-0.3, 0.3) * np.cos(k * t + random.uniform(0, 6.3)) for k in range(2, 6))
    canvas = np.zeros((200, 200), np.uint8)
    points = np.stack([np.cos(t) * random.uniform(0.5, 1.6), np.sin(t)], 1) * radius[:, None] * 45 + 100
    cv2.fillPoly(canvas, [points.astype(np.int32)], 255, cv2.LINE_AA)
    ys, xs = np.nonzero(canvas > 40)
    return canvas[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]
