"""Draws the pictures of docs/calibration.md, from simulated cameras alone.

python scripts/draw_calibration.py            (writes docs/pictures/calibration-*.jpg)
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.boards import A4_BOARD
from calibration.camera import CameraCalibration
from calibration.guide import drawn_table
from calibration.looks import Refused, look_at
from calibration.table import Mat, find_table
from referee.sim.boards import Manner
from referee.sim.scenery import draw_scenery
from referee.sim.seating import draw_seating
from referee.sim.sensor import Sensor
from referee.table.layouts import make_layout
from referee.vision.table import Lens
from tests.calibration.rendered import Hands, usual_lens

Picture = NDArray[np.uint8]
OUT = Path(__file__).parents[1] / "docs" / "pictures"
SEED = 71


def titled(picture: Picture, words: str, width: int) -> Picture:
    """A picture made `width` pixels wide, with a line of words under it."""
    height = round(picture.shape[0] * width / picture.shape[1])
    small = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
    strip = np.full((26, width, 3), 255, np.uint8)
    cv2.putText(strip, words, (4, 18), cv2.FONT_HERSHEY_SIMPLEX, 0.42, (30, 30, 30), 1, cv2.LINE_AA)
    return np.asarray(np.vstack([small, strip]), np.uint8)


def write(name: str, picture: Picture) -> None:
    """Keep a picture of the page."""
    cv2.imwrite(str(OUT / name), picture, [cv2.IMWRITE_JPEG_QUALITY, 82])


def board_pictures() -> None:
    """What a person sees while holding the board, and what is refused."""
    hands = Hands(usual_lens(SEED), SEED)
    calibration = CameraCalibration(A4_BOARD)
    for at, turn in (((0.28, 0.32), (25, 0, 5)), ((0.62, 0.3), (0, 25, -5)), ((0.35, 0.7), (-25, 0, 0))):
        calibration.add(hands.picture(at, 0.42, turn), "one")
    last = hands.picture((0.72, 0.66), 0.4, (18.0, -20.0, 12.0))
    said = calibration.add(last, "last")
    write(
        "calibration-camera.jpg",
        titled(calibration.annotated(last), f"{said.coverage:.0%} covered; next: {said.advice}", 860),
    )
    spoilt = {
        "blurred": hands.picture(manner=Manner(blur_px=3.5)),
        "mirrored": np.ascontiguousarray(hands.picture()[:, ::-1]),
        "covered": hands.picture(turn=(20, 0, 0), manner=Manner(hand=(640, 260, 190))),
        "burnt": hands.picture(manner=Manner(white=340)),
    }
    tiles = []
    for picture in spoilt.values():
        found = look_at(picture, A4_BOARD, "one")
        tiles.append(titled(picture, found.why.split(",")[0][:62] if isinstance(found, Refused) else "kept", 430))
    write("calibration-refused.jpg", np.asarray(np.vstack([np.hstack(tiles[:2]), np.hstack(tiles[2:])]), np.uint8))


def table_picture() -> None:
    """A mat with the seats where they are thought to be."""
    random = np.random.default_rng([SEED, 2])
    players = ["Ana", "Ben", "Cem", "Dora"]
    seating = draw_seating(players, random)
    scenery = draw_scenery(seating.places(), (1280, 720), "day", "wood", "loose", random)
    pictures = [Sensor((1280, 720), scenery.light, random).expose(scenery.empty) for _ in range(3)]
    mat = Mat({k: np.array(place) for k, place in enumerate(seating.markers)})
    found = find_table(pictures, mat, Lens(scenery.optics.matrix, scenery.optics.distortion))
    drawn = drawn_table(pictures[0], found, make_layout("jungle-speed", players))
    words = f"the camera hangs {found.height_mm / 10:.0f} cm above the table; residual {found.view.residual_mm:.2f} mm"
    write("calibration-table.jpg", titled(drawn, words, 860))


if __name__ == "__main__":
    board_pictures()
    table_picture()
