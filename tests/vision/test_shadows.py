"""Cards across which a lamp's hard shadow falls, and cards of which a part is really covered."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.sim.tables import Conditions, Scene, Table, TrueCard
from referee.vision.cards import Sighting
from referee.vision.geometry import corners_mm, homography, overlap
from referee.vision.pyramid import Pyramid
from referee.vision.reader import Reader
from referee.vision.registration import ALL_TERMS, Fit, register
from referee.vision.shadows import evenly_lit

SHADE = 0.5  # of the light


def band(image: NDArray[np.uint8], card: TrueCard, start: float, end: float) -> NDArray[np.float32]:
    """1 on a band across the card, from one share of its side to another, with an edge as soft as a lamp's."""
    (ax, ay), (bx, by), _, (dx, dy) = card.quad
    along, down = np.array([bx - ax, by - ay]), np.array([dx - ax, dy - ay])
    corners = np.array([card.quad[0] + along * s + down * d for s, d in ((start, -2), (end, -2), (end, 3), (start, 3))])
    mask = np.zeros(image.shape[:2], np.float32)
    cv2.fillConvexPoly(mask, np.round(corners).astype(np.int32), 1.0)
    return np.asarray(cv2.GaussianBlur(mask, (0, 0), 1.2), np.float32)


def shaded(scene: Scene, start: float, end: float) -> NDArray[np.uint8]:
    light = 1 - (1 - SHADE) * band(scene.image, scene.cards[0], start, end)
    return (scene.image * light[..., None]).astype(np.uint8)


def of(card: TrueCard, sightings: list[Sighting]) -> Sighting:
    return max(sightings, key=lambda s: overlap(s.quad, card.quad))


def laid(reader: Reader, scene: Scene, image: NDArray[np.uint8]) -> Fit:
    """The scene's one print, laid where it truly lies."""
    card, prints = scene.cards[0], reader.prints
    template = next(i for i, t in enumerate(prints.templates) if card.card in t.cards)
    pose = homography(corners_mm(prints.deck.card_mm), card.quad)
    return register(Pyramid(image).at(1.0).ink, prints, template, pose, 64, 2, ALL_TERMS, 8)


@pytest.mark.parametrize("name", ["moon-wide/red", "wheel-round/blue", "nest-2/green"])
@pytest.mark.parametrize("where", [(-2.0, 0.45), (0.5, 3.0)])
def test_a_card_across_which_a_hard_shadow_falls_is_read_whole(
    rush: Reader, rush_table: Table, easy: Conditions, name: str, where: tuple[float, float]
) -> None:
    scene = rush_table.single(41, easy, [name])
    seen = of(scene.cards[0], rush.read(shaded(scene, *where)))
    assert seen.card == name
    assert seen.look.seen > 0.9


def test_what_covers_a_card_is_no_other_light(rush: Reader, rush_table: Table, easy: Conditions) -> None:
    scene = rush_table.single(41, easy, ["moon-wide/red"])
    card = scene.cards[0]
    cover = band(scene.image, card, 0.5, 3.0)[..., None]
    for grey in (60, 110, 150, 240):
        image = (scene.image * (1 - cover) + grey * cover).astype(np.uint8)
        assert evenly_lit(Pyramid(image).at(1.0).ink, image, laid(rush, scene, image), rush.prints, 64, 2) is None


def test_a_part_without_print_says_nothing_of_light(rush: Reader, rush_table: Table, easy: Conditions) -> None:
    scene = rush_table.single(41, easy, ["nest-2/red"])
    card = scene.cards[0]
    light = 1 - (1 - SHADE) * band(scene.image, card, -2.0, 0.1)[..., None]
    image = (scene.image * light).astype(np.uint8)
    assert evenly_lit(Pyramid(image).at(1.0).ink, image, laid(rush, scene, image), rush.prints, 64, 2) is None
