"""Playing cards that never were: one face, drawn at random in a design.

Belongs here: what is printed on one card and what it says. Does not belong here: decks' designs (`rank_designs`),
letters and signs (`rank_signs`), cameras, light, wear (`rank_lessons`), training (`train_ranks`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from rank_designs import HEIGHT, PER_MM, WIDTH, Design, Picture, colour, letters, put, sign
from rank_signs import blob

SUITS = "SHDC"
COURT = ("J", "Q", "K")
PIPS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10")
STANDARD = (*PIPS, *COURT)
NUMBERS = tuple(str(n) for n in range(1, 13))
MIDDLE_MM = (63 / 2, 88 / 2)
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


@dataclass(frozen=True)
class Face:
    """A drawn face (H×W×3, BGR, 0..1): the rank its corners say, its suit, and what its layout says."""

    picture: Picture
    rank: str | None
    suit: str | None
    layout: str


def face_of(random: np.random.Generator, design: Design, kind: str) -> Face | None:
    """A face of a kind: `standard`, `number`, `joker`, `sign` (a corner sign that is no rank), `other`, `back`.

    None where the design's font lacks a letter.
    """
    kinds: dict[str, Callable[[np.random.Generator, Design, Picture], Face | None]] = {
        "standard": _standard,
        "number": _number,
        "sign": _no_rank,
        "joker": _joker,
        "back": _back,
    }
    canvas = np.ones((HEIGHT, WIDTH, 3), np.float32) * np.array(design.paper, np.float32)
    result = kinds.get(kind, _other)(random, design, canvas)
    if result is None:
        return None
    if design.four_corners and result.rank is not None:
        # The same index in all four corners.
        w, h = round(20 * PER_MM), round(24 * PER_MM)
        canvas[:h, WIDTH - w :] = np.minimum(canvas[:h, WIDTH - w :], _moved_right(canvas, w, h))
        canvas[HEIGHT - h :, :w] = canvas[:h, WIDTH - w :][::-1, ::-1]
    if design.rim > 0.94:
        cv2.rectangle(
            canvas, (3, 3), (WIDTH - 4, HEIGHT - 4), colour(random, "any"), int(random.integers(2, 8)), cv2.LINE_AA
        )
    return result


def _standard(random: np.random.Generator, design: Design, canvas: Picture) -> Face | None:
    """A card of a pack of 52."""
    paper, middle = np.array(design.paper, np.float32), MIDDLE_MM
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
        colours = [tuple(design.paper), (0.1, 0.1, 0.1), colour(random, "red"), (0.1, 0.75, 0.9), (0.65, 0.3, 0.1)]
        half = art(random, w, h, [(float(a), float(b), float(c)) for a, b, c in colours], int(random.integers(20, 140)))
        half[h // 2 :] = half[::-1, ::-1][h // 2 :]
        if random.random() < 0.75:
            cv2.rectangle(
                half,
                (0, 0),
                (w - 1, h - 1),
                colour(random, "any" if random.random() < 0.5 else "black"),
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
        _ace(random, design, canvas, suit)
    return Face(canvas, rank, suit if shows_suit or rank in PIPS else None, "court" if rank in COURT else rank)


def _ace(random: np.random.Generator, design: Design, canvas: Picture, suit: str) -> None:
    """The middle of an ace: one sign, plain or large and ornate, with the maker's words about it on some."""
    mark, ink, paper = sign(design, suit), design.inks[suit], design.paper
    share = mark.shape[1] / mark.shape[0]
    size = random.uniform(10, 22) if random.random() < 0.55 else random.uniform(22, 50)
    size = min(size, 46 / share)
    ornate = size > 20 and random.random() < 0.7
    if ornate and random.random() < 0.35:
        # A wreath behind the sign.
        side = round(size * random.uniform(0.9, 1.25) * PER_MM)
        side = min(side, WIDTH - 16)
        wreath = art(random, side, side, [paper, ink, ink, paper], int(random.integers(20, 90)))
        x0, y0 = (WIDTH - side) // 2, (HEIGHT - side) // 2
        part = canvas[y0 : y0 + side, x0 : x0 + side]
        part[:] = np.minimum(part, wreath)
    put(canvas, mark, MIDDLE_MM, (size * share, size), ink)
    if ornate:
        # The sign is an outline: within it are lines, figures and a smaller sign.
        inner = random.uniform(0.78, 0.94)
        put(canvas, mark, MIDDLE_MM, (size * share * inner, size * inner), paper)
        w, h = max(8, round(size * share * inner * PER_MM)), max(8, round(size * inner * PER_MM))
        figures = art(random, w, h, [paper, ink, ink, paper], int(random.integers(4, 60)))
        for y in range(0, h, int(random.integers(4, 12))) if random.random() < 0.4 else ():
            cv2.line(figures, (0, y), (w, y), ink, 1, cv2.LINE_AA)
        cover = cv2.resize(mark, (w, h), interpolation=cv2.INTER_AREA).astype(np.float32)[:, :, None] / 255
        x0, y0 = round(MIDDLE_MM[0] * PER_MM - w / 2), round(MIDDLE_MM[1] * PER_MM - h / 2)
        part = canvas[y0 : y0 + h, x0 : x0 + w]
        part[:] = part * (1 - cover) + figures[: part.shape[0], : part.shape[1]] * cover
        if random.random() < 0.6:
            put(canvas, mark, MIDDLE_MM, (size * share * 0.45, size * 0.45), ink)
    elif random.random() < 0.25:
        centre, r = (WIDTH // 2, HEIGHT // 2), round(size * PER_MM * random.uniform(0.6, 0.9))
        cv2.circle(canvas, centre, r, ink, int(random.integers(1, 4)), cv2.LINE_AA)
        put(canvas, mark, MIDDLE_MM, (size * share * 0.4, size * 0.4), paper)
    if random.random() < (0.7 if ornate else 0.12):
        y = MIDDLE_MM[1] + random.choice([-1, 1]) * (size / 2 + random.uniform(3, 9))
        for _ in range(int(random.integers(1, 4))):
            count = int(random.integers(4, 17))
            words = letters(design, "".join(random.choice(list("ABCDEGHIKLNOPRSTUY "), count)).strip() or "CO")
            if words is not None and 4 < y < 84:
                h = random.uniform(1.2, 4.5)
                put(canvas, words, (MIDDLE_MM[0], y), (min(44, h * words.shape[1] / words.shape[0]), h), ink)
            y += random.uniform(2, 6)


def _number(random: np.random.Generator, design: Design, canvas: Picture) -> Face | None:
    """A card of a pack of numbers."""
    return _signed(random, design, canvas, "number")


def _no_rank(random: np.random.Generator, design: Design, canvas: Picture) -> Face | None:
    """A card whose corners bear something that is no rank."""
    return _signed(random, design, canvas, "sign")


def _signed(random: np.random.Generator, design: Design, canvas: Picture, kind: str) -> Face | None:
    paper, middle = np.array(design.paper, np.float32), MIDDLE_MM
    words = str(random.choice(NUMBERS if kind == "number" else OTHER_SIGNS))
    ink = colour(random, "any" if random.random() < 0.7 else "black")
    if random.random() < 0.12 and kind == "number":
        # Light letters on a coloured card.
        canvas[:] = np.array(colour(random, "any"), np.float32) * 0.8
        paper, ink = canvas[0, 0].copy(), (0.95, 0.95, 0.95)
        if paper.mean() > 0.5:
            canvas *= 0.6
            paper = canvas[0, 0].copy()
    suit = SUITS[int(random.integers(4))] if kind == "sign" and random.random() < 0.4 else None
    if not _index(canvas, design, words, suit, ink, words in ("6", "9") and random.random() < 0.6):
        return None
    _both_ends(canvas, paper)
    if random.random() < 0.8:
        mask = letters(design, words) if random.random() < 0.8 else sign(design, SUITS[int(random.integers(4))])
        if mask is not None:
            h = random.uniform(14, 34)
            put(canvas, mask, middle, (min(h * mask.shape[1] / mask.shape[0] * design.squeeze, 40), h), ink)
    return Face(canvas, words if kind == "number" else None, None, "other")


def _joker(random: np.random.Generator, design: Design, canvas: Picture) -> Face | None:
    """A joker: its name down the corner, or a star, and a picture."""
    paper = np.array(design.paper, np.float32)
    ink = colour(random, "any" if random.random() < 0.4 else "red" if random.random() < 0.5 else "black")
    x, y = design.margin_mm
    style = random.random()
    if style < 0.75:
        word = "JOKER" if random.random() < 0.85 else "Joker"
        h = random.uniform(2.6, 5.0)
        for i, letter in enumerate(word if style < 0.6 else [word]):
            mask = letters(design, letter)
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
    colours = [tuple(design.paper), (0.1, 0.1, 0.1), colour(random, "any"), colour(random, "any")]
    picture = art(random, w, h, [(float(a), float(b), float(c)) for a, b, c in colours], int(random.integers(10, 60)))
    part = canvas[(HEIGHT - h) // 2 : (HEIGHT - h) // 2 + h, (WIDTH - w) // 2 : (WIDTH - w) // 2 + w]
    part[:] = np.minimum(part, picture)
    return Face(canvas, "joker", None, "other")


def _back(random: np.random.Generator, design: Design, canvas: Picture) -> Face:
    """A card's back."""
    colours = [colour(random, "any"), tuple(design.paper), colour(random, "any")]
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
    return Face(canvas, None, None, "other")


def _other(random: np.random.Generator, design: Design, canvas: Picture) -> Face:
    """A card of another game: one to three large signs; or a page of writing."""
    if random.random() < 0.6:
        ink = colour(random, "any")
        count = int(random.integers(1, 4))
        outline = random.random() < 0.4
        # Signs of suits on plain cards have no corner: a heart alone is no ace.
        mask = sign(design, SUITS[int(random.integers(4))]) if random.random() < 0.4 else blob(random)
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
            mask = letters(design, words.strip() or "a")
            if mask is not None:
                h = random.uniform(2.5, 6)
                put(
                    canvas,
                    mask,
                    (31.5, 6 + row * h * 1.7),
                    (min(60, h * mask.shape[1] / mask.shape[0]), h),
                    colour(random, "black"),
                )
    return Face(canvas, None, None, "other")


def _index(
    canvas: Picture, design: Design, words: str, suit: str | None, ink: tuple[float, float, float], underline: bool
) -> bool:
    """The corner's index at the top left; False where the font lacks it."""
    mask = letters(design, words)
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
    third, single = r * random.uniform(0.28, 0.38), r * random.uniform(0.42, 0.6)
    return {
        "2": ([(0, -r)], []), "3": ([(0, -r)], [(0, 0)]), "4": (pair, []), "5": (pair, [(0, 0)]),
        "6": (pair, [(-c, 0), (c, 0)]),
        "7": (pair, [(-c, 0), (c, 0), (0, -single)]),
        "8": ([*pair, (0, -single)], [(-c, 0), (c, 0)]),
        "9": ([*pair, (-c, -third), (c, -third)], [(0, 0)]),
        "10": ([*pair, (-c, -third), (c, -third), (0, -(r + third) / 2)], []),
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


def _moved_right(canvas: Picture, w: int, h: int) -> Picture:
    """The corner at the top left as it stands at the top right: not mirrored, its margin is."""
    corner = canvas[:h, :w].copy()
    dark = np.nonzero((corner < 0.55).any(2).any(0))[0]
    if not len(dark):
        return corner
    left, right = int(dark[0]), w - 1 - int(dark[-1])
    return np.roll(corner, right - left, 1)
