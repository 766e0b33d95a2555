"""Parts of a card as the rank reader sees them: its two indexed corners, and its whole face.

Belongs here: cutting the parts out of a picture by a card's pose, and taking the paper's own light and tint out of
them. Does not belong here: what the parts say (`rank_net`), what follows (`ranks`).

Cards carry their index at the top left and, turned, at the bottom right. Both are shown upright: a 6 in a corner is
never a 9. Parts are measured in the card's own width, so that a bridge card and a poker card look alike.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.geometry import Array, turn

# A corner's part: columns and rows; how far it reaches beyond the card's edge and into it, mm of a card 63 wide.
CORNER_SIZE = (40, 60)
CORNER_MM = (-1.5, -1.5, 20.0, 30.75)
FACE_SIZE = (48, 67)
CARD_WIDTH_MM, CARD_HEIGHT_MM = 63.0, 88.0
CORNER_PER_MM = CORNER_SIZE[0] / (CORNER_MM[2] - CORNER_MM[0])
# The largest short side of a card in the picture that is cut from, of that in the part.
MOST_MINIFIED = 1.6
PAPER_PERCENTILE = 90.0
WHITEST = 1.25  # of the paper

Part = NDArray[np.float32]


def best_side_px() -> float:
    """The short side a card should have at most in the picture its parts are cut from."""
    return MOST_MINIFIED * CORNER_PER_MM * CARD_WIDTH_MM


def parts_of(image: NDArray[np.uint8], pose: Array, card_mm: tuple[float, float]) -> tuple[Part, Part]:
    """The two corners (2×3×60×40) and the face (1×3×67×48) of a card lying with this pose in a picture (H×W×3).

    Values are ink: 0 the paper, 1 black.
    """
    scale = np.diag([card_mm[0] / CARD_WIDTH_MM, card_mm[1] / CARD_HEIGHT_MM, 1.0])
    corners = [_part(image, pose @ half @ scale @ _CORNER, CORNER_SIZE) for half in (turn(0), turn(2))]
    face = _part(image, pose @ scale @ _FACE, FACE_SIZE)
    return np.stack([normalised(part) for part in corners]), normalised(face)[None]


def normalised(part: NDArray[np.uint8]) -> Part:
    """A part (H×W×3) as ink against its own paper, 3×H×W."""
    values = part.reshape(-1, 3)
    # The paper is what is light in the darkest channel: in each channel alone a red print would pass for paper.
    light = values.min(1)
    paper = values[light >= np.percentile(light, PAPER_PERCENTILE)].astype(np.float32).mean(0)
    ink = 1 - np.minimum(part.astype(np.float32) / np.maximum(paper, 8.0), WHITEST)
    return np.ascontiguousarray(ink.transpose(2, 0, 1))


def _part(image: NDArray[np.uint8], way: Array, size: tuple[int, int]) -> NDArray[np.uint8]:
    part = cv2.warpPerspective(
        image, way, size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(part, np.uint8)


def _grid(left_mm: float, top_mm: float, right_mm: float, bottom_mm: float, size: tuple[int, int]) -> Array:
    """From a part's pixels (centres at integers) to the card's millimetres, from its middle."""
    x, y = (right_mm - left_mm) / size[0], (bottom_mm - top_mm) / size[1]
    return np.array(
        [
            [x, 0, left_mm + x / 2 - CARD_WIDTH_MM / 2],
            [0, y, top_mm + y / 2 - CARD_HEIGHT_MM / 2],
            [0, 0, 1.0],
        ]
    )


_CORNER = _grid(*CORNER_MM, CORNER_SIZE)
_FACE = _grid(0.0, 0.0, CARD_WIDTH_MM, CARD_HEIGHT_MM, FACE_SIZE)
