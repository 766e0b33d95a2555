"""Draws docs/pictures/watching.jpg: two arms over a small table, as the watcher takes them.

python -m scripts.draw_watching
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from referee.deck.folder import resolve_deck
from referee.vision.ground import Ground
from referee.vision.hands import Arms
from referee.vision.places import TotemPlace, cells_millimetres, totem_cells
from referee.vision.reader import Reader
from tests.vision.tabletop import PER_MM, SEATS, SIZE, ZONES, Card, Limb, Tabletop

OUT = Path(__file__).parents[1] / "docs" / "pictures" / "watching.jpg"
TINTS = {"Ana": (230, 120, 0), "Bilal": (0, 140, 240), "Chloé": (0, 200, 0)}


def main() -> None:
    deck = resolve_deck("builtin:totem-rush")
    top = Tabletop(deck)
    cards = (Card("wave-thin/green", (-145.0, 105.0), 35.0), Card("seeds/red", (145.0, 105.0)))
    first = top.film(cards)
    view = Reader(deck).view(first.picture)
    if view is None:
        raise SystemExit("the markers were not found")
    ground = Ground(first.picture, first.t_us)
    arms = Arms(cells_millimetres(view, ground.rows, ground.columns, ground.cell), SEATS)
    frame, found = first, arms.find(np.zeros((ground.rows, ground.columns), bool), 0)
    for step in np.linspace(0.2, 1.0, 9):
        limbs = [
            Limb((430.0, 330.0), (430 - 440 * step, 330 - 335 * step)),
            Limb((-430.0, 330.0), (-430 + 440 * step, 330 - 335 * step), "dark", (60, 140, 170)),
        ]
        frame = top.film(cards, limbs)
        found = arms.find(ground.feed(frame.picture, frame.t_us).other, frame.t_us)
    over = np.zeros((ground.rows, ground.columns, 3), np.uint8)
    for arm in found:
        tint = np.array(TINTS[max(arm.chances, key=lambda seat: arm.chances[seat])])
        over[arm.cells] = tint
        over[arm.hand] = np.minimum(tint + 90, 255)
    large = cv2.resize(over, SIZE, interpolation=cv2.INTER_NEAREST)
    on = large.any(2)
    picture = frame.picture.copy()
    picture[on] = picture[on] // 2 + large[on] // 2
    place = totem_cells(TotemPlace(height_mm=1.0), view, SIZE, over.shape[:2], ground.cell)
    ring = cv2.resize(place.astype(np.uint8), SIZE, interpolation=cv2.INTER_NEAREST)
    cv2.drawContours(
        picture, cv2.findContours(ring, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0], -1, (255, 255, 0), 1
    )
    for name, (x_min, y_min, x_max, y_max) in ZONES.items():
        corners = np.array([[x_min, y_min], [x_max, y_min], [x_max, y_max], [x_min, y_max]])
        outline = np.round(view.pixels(corners)).astype(np.int32)
        cv2.polylines(picture, [outline], True, (255, 255, 255), 1, cv2.LINE_AA)
        cv2.putText(
            picture, name, (int(outline[0, 0]), int(outline[0, 1]) - 5), 0, 0.42, (255, 255, 255), 1, cv2.LINE_AA
        )
    for card in cards:
        box = cv2.boxPoints((view.pixels(np.array([card.centre]))[0].tolist(), (60 * PER_MM,) * 2, card.angle_deg))
        cv2.polylines(picture, [np.round(box).astype(np.int32)], True, (80, 255, 80), 2, cv2.LINE_AA)
    for arm in found:
        who = max(arm.chances, key=lambda seat: arm.chances[seat])
        x, y = view.pixels(np.array([arm.tip_mm]) * 0.55 + np.array([arm.entry_mm]) * 0.45)[0].astype(int)
        label = f"{who} {arm.chances[who]:.2f}"
        cv2.putText(picture, label, (int(x) - 40, int(y)), 0, 0.55, (255, 255, 255), 2, cv2.LINE_AA)
    cv2.imwrite(str(OUT), picture, [cv2.IMWRITE_JPEG_QUALITY, 85])


if __name__ == "__main__":
    main()
