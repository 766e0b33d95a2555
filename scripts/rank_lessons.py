"""Lessons for the rank reader: faces of `rank_cards` as a camera sees them, cut into parts as the reader cuts them.

Belongs here: poses, light, blur, noise, wear, covers, and what each part should be read as. Does not belong here:
drawing faces, training.

    python scripts/rank_lessons.py OUT.npz --split train --first 0 --count 12000     (once per process)
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from rank_cards import SUITS, Face, art, face_of
from rank_designs import HEIGHT, PER_MM, WIDTH, Design, design_of

from referee.vision.corners import CORNER_MM, best_side_px, parts_of
from referee.vision.geometry import apply, homography, quad_of
from referee.vision.rank_net import LAYOUTS, NO_LAYOUT, NO_SIGN, NO_SUIT, SIGNS

CARD_MM = (63.0, 88.0)
KINDS = ("standard", "number", "joker", "sign", "other", "back")
SHARES = (0.66, 0.14, 0.05, 0.05, 0.06, 0.04)
VIEWS = 4  # of each face
UNSAID = -1  # a part nobody could be asked about
INDEX_STRAYED_MM, MOST_STRAYED_MM = 6.0, 9.0  # from its place, of an index that is still asked about, and of pips
_CARD = np.array([[-31.5, -44.0], [31.5, -44.0], [31.5, 44.0], [-31.5, 44.0]])


@dataclass(frozen=True)
class View:
    """A face in a picture: the picture, its true pose, and which parts of the face something covers (mm mask)."""

    picture: NDArray[np.uint8]
    pose: NDArray[np.float64]
    covered: NDArray[np.bool_]


def seen(random: np.random.Generator, face: Face, other: Face, beside: float) -> View:
    """A face as a camera sees it, with `beside` of its width around it; another card may lie under or over it."""
    side = float(np.exp(random.uniform(np.log(46), np.log(185))))
    turned = random.uniform(0, 2 * np.pi) if random.random() < 0.7 else random.normal(0, 0.12)
    tilt, towards = abs(random.normal(0, 0.35)), random.uniform(0, 2 * np.pi)
    tilt = min(tilt, 0.9)
    # The card turned about an axis in its plane, seen from `away` card widths.
    axis = np.array([np.cos(towards), np.sin(towards), 0])
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    lean = np.eye(3) + np.sin(tilt) * k + (1 - np.cos(tilt)) * k @ k
    spin = np.array([[np.cos(turned), -np.sin(turned), 0], [np.sin(turned), np.cos(turned), 0], [0, 0, 1]])
    corners = np.array([[-31.5, -44, 0], [31.5, -44, 0], [31.5, 44, 0], [-31.5, 44, 0]]) @ (lean @ spin).T
    away = random.uniform(150, 900)
    flat = corners[:, :2] * (away / (away + corners[:, 2:])) * side / 63
    low, high = flat.min(0), flat.max(0)
    room = beside * side + 4
    flat = flat - low + room
    w, h = (int(v) for v in np.ceil(high - low + 2 * room))
    mm = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]])
    pose = homography(mm, flat)
    covered = np.zeros((88, 63), bool)
    card = _worn(random, face.picture)
    if random.random() < 0.22:
        card, covered = _covered(random, card, other)
    # Shrunk first, so that thin strokes are averaged and not lost.
    shrink = min(1.0, 1.25 * side / WIDTH)
    small = cv2.resize(card, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA) if shrink < 1 else card
    sx, sy = small.shape[1] / 63, small.shape[0] / 88
    to_mm = np.array([[1 / sx, 0, -31.5 + 0.5 / sx], [0, 1 / sy, -44 + 0.5 / sy], [0, 0, 1.0]])
    way = pose @ to_mm
    ground = _ground(random, w, h)
    if random.random() < 0.3:
        _below(random, ground, other, side)
    laid = cv2.warpPerspective(small, way, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    mask = np.zeros((h * 4, w * 4), np.uint8)
    rounded = _rounded(random.uniform(1.5, 4.5))
    cv2.fillPoly(mask, [np.round((apply(pose, rounded) + 0.5) * 4).astype(np.int32)], 255)
    cover = cv2.resize(mask, (w, h), interpolation=cv2.INTER_AREA).astype(np.float32)[:, :, None] / 255
    if random.random() < 0.5:
        # The card's own shadow.
        shift = np.float32([[1, 0, random.normal(0, 0.02) * side], [0, 1, random.normal(0, 0.02) * side]])
        shade = cv2.GaussianBlur(cv2.warpAffine(cover[:, :, 0], shift, (w, h)), (0, 0), 1 + 0.02 * side)
        ground *= 1 - random.uniform(0.1, 0.6) * shade[:, :, None]
    scene = ground * (1 - cover) + laid * cover
    return View(_photographed(random, scene, side), pose, covered)


def _rounded(radius: float) -> NDArray[np.float64]:
    """The outline of a card with round corners, mm."""
    t = np.linspace(0, np.pi / 2, 6)
    arcs = []
    for i, (cx, cy) in enumerate(((31.5, 44), (-31.5, 44), (-31.5, -44), (31.5, -44))):
        a = t + i * np.pi / 2
        arcs.append(
            np.stack(
                [cx - np.sign(cx) * radius + radius * np.cos(a), cy - np.sign(cy) * radius + radius * np.sin(a)], 1
            )
        )
    return np.concatenate(arcs)


def _worn(random: np.random.Generator, picture: NDArray[np.float32]) -> NDArray[np.float32]:
    card = picture.copy()
    if random.random() < 0.3:
        lines = card.copy()
        for _ in range(int(random.integers(1, 12))):
            a, b = random.uniform(0, 1, (2, 2)) * [WIDTH, HEIGHT]
            value = random.uniform(0.5, 1.1)
            cv2.line(lines, (int(a[0]), int(a[1])), (int(b[0]), int(b[1])), (value, value, value), 1, cv2.LINE_AA)
        card = cv2.addWeighted(card, 0.6, lines, 0.4, 0)
    if random.random() < 0.3:
        # Ink that is rubbed off.
        fade = random.uniform(0, 0.35)
        card = card * (1 - fade) + card.max((0, 1)) * fade
    return np.asarray(card, np.float32)


def _covered(
    random: np.random.Generator, card: NDArray[np.float32], over: Face
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Something over the card: a finger, another card or its edge, a book."""
    mask = np.zeros((HEIGHT, WIDTH), np.uint8)
    kind = random.random()
    if kind < 0.3:
        middle = (WIDTH / 2, HEIGHT / 2)
        way = cv2.getRotationMatrix2D(middle, random.uniform(0, 360) if random.random() < 0.6 else 0, 1.0)
        a = random.uniform(0, 2 * np.pi)
        way[:, 2] += np.array([np.cos(a) * WIDTH, np.sin(a) * HEIGHT]) * random.uniform(0.3, 1.0)
        cv2.warpAffine(np.full_like(mask, 255), way, (WIDTH, HEIGHT), mask)
        above = cv2.warpAffine(over.picture, way, (WIDTH, HEIGHT)) * np.float32(random.uniform(0.7, 1.0))
        hidden = mask > 127
        # An edge casts a shadow.
        shade = cv2.GaussianBlur(mask, (0, 0), random.uniform(1, 6)).astype(np.float32)[:, :, None] / 255
        card = np.where(hidden[:, :, None], above, card * (1 - random.uniform(0, 0.5) * shade)).astype(np.float32)
        return card, cv2.resize(mask, (63, 88), interpolation=cv2.INTER_AREA) > 127
    if kind < 0.7:
        a = random.uniform(0, 2 * np.pi)
        normal = np.array([np.cos(a), np.sin(a)])
        reach = random.uniform(-0.1, 0.9)
        y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
        far = ((x / WIDTH - 0.5) * normal[0] + (y / HEIGHT - 0.5) * normal[1]) > reach * 0.5
        mask[far] = 255
    else:
        x, y = random.uniform(0, 1, 2) * [WIDTH, HEIGHT]
        size = (int(random.uniform(4, 12) * PER_MM), int(random.uniform(8, 40) * PER_MM))
        cv2.ellipse(mask, (int(x), int(y)), size, random.uniform(0, 180), 0, 360, 255, -1)
    other = art(random, WIDTH, HEIGHT, [tuple(random.random(3)) for _ in range(3)], int(random.integers(0, 12)))
    other *= random.uniform(0.3, 1.0)
    hidden = mask > 0
    card = np.where(hidden[:, :, None], other, card).astype(np.float32)
    return card, cv2.resize(mask, (63, 88), interpolation=cv2.INTER_AREA) > 127


def _below(random: np.random.Generator, ground: NDArray[np.float32], other: Face, side: float) -> None:
    """Lay another card, or a page, on the ground near the card."""
    h, w = ground.shape[:2]
    scale = side / WIDTH * random.uniform(0.8, 1.2)
    small = cv2.resize(other.picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    way = cv2.getRotationMatrix2D((small.shape[1] / 2, small.shape[0] / 2), random.uniform(0, 360), 1.0)
    way[:, 2] += random.uniform(0, 1, 2) * [w, h] - [small.shape[1] / 2, small.shape[0] / 2]
    cover = cv2.warpAffine(np.ones(small.shape[:2], np.float32), way, (w, h))[:, :, None]
    ground *= 1 - cover
    ground += cover * cv2.warpAffine(small, way, (w, h)) * np.float32(random.uniform(0.6, 1.0))


def _ground(random: np.random.Generator, w: int, h: int) -> NDArray[np.float32]:
    base = random.random(3).astype(np.float32) * random.uniform(0.2, 1)
    kind = random.random()
    if kind < 0.5:
        ground = np.ones((h, w, 3), np.float32) * base
        for scale in (2, 6, 20):
            size = (max(1, w // scale), max(1, h // scale))
            noise = random.normal(0, 1, (size[1], size[0])).astype(np.float32)
            ground += random.uniform(0, 0.08) * cv2.resize(noise, (w, h), interpolation=cv2.INTER_LINEAR)[:, :, None]
    else:
        ground = art(random, w, h, [tuple(random.random(3)) for _ in range(4)], int(random.integers(2, 30)))
    return np.clip(ground, 0, 1)


def _photographed(random: np.random.Generator, scene: NDArray[np.float32], side: float) -> NDArray[np.uint8]:
    h, w = scene.shape[:2]
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    a = random.uniform(0, 2 * np.pi)
    slope = ((x / w - 0.5) * np.cos(a) + (y / h - 0.5) * np.sin(a)) * random.normal(0, 0.35)
    light = np.clip(1 + slope.astype(np.float32), 0.3, 1.7)
    if random.random() < 0.25:
        # A hard shadow's edge.
        b = random.uniform(0, 2 * np.pi)
        far = (x / w - 0.5) * np.cos(b) + (y / h - 0.5) * np.sin(b) - random.uniform(-0.4, 0.4)
        light *= (
            1 - random.uniform(0.2, 0.65) / (1 + np.exp(np.clip(-far * random.uniform(20, 400), -30, 30)))
        ).astype(np.float32)
    tint = np.exp(random.normal(0, 0.13, 3)).astype(np.float32)
    picture = scene * light[:, :, None] * tint * np.float32(random.uniform(0.45, 1.1))
    if random.random() < 0.15:
        # Glare.
        cx, cy, r = random.uniform(0, 1) * w, random.uniform(0, 1) * h, random.uniform(0.1, 0.5) * w
        picture = (
            picture
            + (
                np.float32(random.uniform(0.1, 0.8))
                * np.exp(-((x - np.float32(cx)) ** 2 + (y - np.float32(cy)) ** 2) / np.float32(r**2))
            )[:, :, None]
        )
    if random.random() < 0.14:
        # Light in the lens, or a shining card: ink turns pale and paper burns out.
        b = random.uniform(0, 2 * np.pi)
        veil = random.uniform(0.15, 0.65) + random.normal(0, 0.25) * (
            (x / w - 0.5) * np.float32(np.cos(b)) + (y / h - 0.5) * np.float32(np.sin(b))
        )
        veil = np.clip(veil, 0, 0.75).astype(np.float32)[:, :, None]
        picture = picture * (1 - veil) + veil * np.float32(random.uniform(0.9, 1.15))
    sigma = random.uniform(0.3, 1.0) if random.random() < 0.75 else random.uniform(0.8, 1.0 + 0.012 * side)
    picture = cv2.GaussianBlur(picture, (0, 0), sigma)
    if random.random() < 0.15:
        length = max(3, int(random.uniform(0.01, 0.045) * side)) | 1
        kernel = np.zeros((length, length), np.float32)
        b, c = random.uniform(0, np.pi), length // 2
        d = np.array([np.cos(b), np.sin(b)]) * c
        cv2.line(kernel, (round(c - d[0]), round(c - d[1])), (round(c + d[0]), round(c + d[1])), 1.0)
        picture = cv2.filter2D(picture, -1, kernel / kernel.sum())
    picture = cv2.pow(np.clip(picture, 0, 1), random.uniform(0.8, 1.25))
    noise = random.uniform(0.002, 0.035)
    picture = picture + noise * random.standard_normal(picture.shape, np.float32)
    if random.random() < 0.4:
        soft = cv2.GaussianBlur(picture, (0, 0), 1.2)
        picture = picture + random.uniform(0.2, 0.9) * (picture - soft)
    bytes_ = (np.clip(picture, 0, 1) * 255).astype(np.uint8)
    if random.random() < 0.7:
        _, data = cv2.imencode(".jpg", bytes_, [cv2.IMWRITE_JPEG_QUALITY, int(random.integers(35, 97))])
        bytes_ = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return bytes_


def lessons_of(seed: int, split: str) -> list[dict[str, object]]:
    """The lessons of one face: per view two corners, the whole face, and their answers."""
    random = np.random.default_rng([{"train": 1, "choose": 2, "report": 3}[split], seed])
    face: Face | None = None
    design: Design
    while face is None:
        design = design_of(random, split)
        face = face_of(random, design, str(random.choice(KINDS, p=SHARES)))
    other: Face | None = None
    while other is None:
        other = face_of(random, design_of(random, split), str(random.choice(KINDS, p=SHARES)))
    result: list[dict[str, object]] = []
    for _ in range(VIEWS):
        off = random.random()
        view = seen(random, face, other, 0.5 if 0.06 <= off < 0.2 else 0.12)
        pose = view.pose
        quad = quad_of(pose, CARD_MM)
        side = float(np.sqrt(abs(cv2.contourArea(quad.astype(np.float32))) / (63 * 88)) * 63)
        rank, suit, layout = face.rank, face.suit, face.layout
        if off < 0.06:
            # A quad that lies wrong: turned by a quarter, or beside the card.
            if random.random() < 0.5:
                quad = np.roll(quad, 1, 0)
                rank = None if not design.four_corners else "unsaid"
            else:
                quad = quad + random.choice([-1, 1]) * random.uniform(0.22, 0.6) * (quad[1] - quad[0])
                rank = None
            suit, layout = None, NO_LAYOUT
        elif off < 0.2:
            quad = _guessed(random, quad)
        slack = random.choice([0.006, 0.012, 0.025, 0.04], p=[0.35, 0.35, 0.2, 0.1])
        quad = quad + random.normal(0, slack * side + 0.3, (4, 2))
        near = homography(np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]]), quad)
        # Where the card's own millimetres lie in the quad's.
        moved = np.linalg.inv(near) @ pose
        picture = view.picture
        while side > best_side_px():
            half = np.array([[0.5, 0, -0.25], [0, 0.5, -0.25], [0, 0, 1.0]])
            picture = np.asarray(cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
            near, side = half @ near, side / 2
        corners, whole = parts_of(picture, near, CARD_MM)
        reach_x = int(np.clip(design.margin_mm[0] + design.index_mm * 0.9, 4, 20))
        reach_y = int(np.clip(design.margin_mm[1] + design.index_mm, 6, 30))
        said, suits = [], []
        for turned in (False, True):
            covered = view.covered[::-1, ::-1] if turned else view.covered
            hidden = float(covered[1:reach_y, 1:reach_x].mean())
            below = float(covered[reach_y : reach_y + 10, 1:reach_x].mean())
            shown = _shown(moved, turned, (reach_x, reach_y))
            if rank == "unsaid" or 0.08 < hidden < 0.75 or (rank is not None and shown is None):
                said.append(UNSAID)
            elif not shown:
                said.append(NO_SIGN)
            else:
                said.append(SIGNS.index(rank) if rank is not None and hidden <= 0.08 else NO_SIGN)
            known = suit is not None and said[-1] not in (UNSAID, NO_SIGN)
            if said[-1] == UNSAID or (known and below > 0.1):
                suits.append(UNSAID)
            else:
                suits.append(SUITS.index(suit) if known else NO_SUIT)
        hidden = float(view.covered.mean())
        # A quad that lies a little wrong shows the same pips; one that lies far off is not asked about.
        strayed = float(np.abs(apply(moved, _CARD) - _CARD).max())
        if layout != NO_LAYOUT and strayed > MOST_STRAYED_MM:
            hidden = 0.15
        lay = LAYOUTS.index(layout) if layout in LAYOUTS else NO_LAYOUT
        pips = SUITS.index(suit) if suit is not None and lay < NO_LAYOUT - 1 else NO_SUIT
        result.append(
            {
                "corners": np.clip(corners * 200 + 55, 0, 255).astype(np.uint8),
                "face": np.clip(whole[0] * 200 + 55, 0, 255).astype(np.uint8),
                "signs": np.array(said, np.int8),
                "suits": np.array(suits, np.int8),
                "layout": np.int8(lay if hidden < 0.04 else UNSAID if hidden < 0.3 else NO_LAYOUT),
                "pips": np.int8(pips if hidden < 0.04 else UNSAID),
                "side": np.float32(side),
                "seed": np.int32(seed),
            }
        )
    return result


def _guessed(random: np.random.Generator, quad: NDArray[np.float64]) -> NDArray[np.float64]:
    """A card's quad as it is guessed from one of its corners: that one is right, and the others may lie on anything."""
    first = int(random.integers(4))
    a = random.normal(0, 0.1)
    turned = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    across, down = quad[(first + 1) % 4] - quad[first], quad[(first - 1) % 4] - quad[first]
    across, down = turned @ across * np.exp(random.normal(0, 0.12)), turned @ down * np.exp(random.normal(0, 0.12))
    at = quad[first]
    return np.roll(np.stack([at, at + across, at + across + down, at + down]), first, 0)


def _shown(moved: NDArray[np.float64], turned: bool, reach_mm: tuple[int, int]) -> bool | None:
    """Whether a quad's corner shows the index that stands in the card's: None where it is cut or far from its place."""
    x, y = reach_mm
    index = np.array([[1.0, 1.0], [x, 1.0], [x, y], [1.0, y]]) - [31.5, 44]
    sign = -1.0 if turned else 1.0
    lies = sign * apply(moved, sign * index)
    if float(np.abs(lies - index).max()) < INDEX_STRAYED_MM:
        return True
    low, high = np.array(CORNER_MM[:2]) - [31.5, 44], np.array(CORNER_MM[2:]) - [31.5, 44]
    inside = np.prod(np.clip(np.minimum(lies.max(0), high) - np.maximum(lies.min(0), low), 0, None))
    return None if inside > 0.2 * np.prod(np.ptp(lies, axis=0)) else False


def main() -> None:
    """Make a file of lessons."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--split", choices=("train", "choose", "report"), default="train")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    start, rows = time.monotonic(), []
    for seed in range(arguments.first, arguments.first + arguments.count):
        rows += lessons_of(seed, arguments.split)
    np.savez(arguments.out, **{key: np.array([row[key] for row in rows]) for key in rows[0]})
    print(f"{len(rows)} lessons in {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
