"""Which print lies at a place: twins, blots and symmetric prints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from referee.deck.folder import Card, resolve_deck
from referee.sim.tables import Conditions, Scene, Table
from referee.vision.contest import against
from referee.vision.geometry import homography, overlap
from referee.vision.prints import enrol
from referee.vision.pyramid import Pyramid
from referee.vision.reader import Reader
from referee.vision.registration import MOST_GAIN, register


def likeliest(reader: Reader, scene: Scene) -> dict[str, str]:
    """Of each card of a picture that was found, the likeliest id."""
    found = {}
    for s in reader.read(scene.image):
        card = max(scene.cards, key=lambda c: overlap(c.quad, s.quad))
        if overlap(card.quad, s.quad) > 0.5:
            found[card.card] = s.look.ranking[0].card
    return found


def test_a_picture_halfway_between_two_prints_speaks_for_neither() -> None:
    apart = np.full(400, 0.2, np.float32)
    ones = np.ones(400, np.float32)
    assert abs(against(-apart / 2, apart / 2, ones)) < 1e-6
    assert against(0 * apart, apart, ones) > 5
    assert against(apart, 0 * apart, ones) < -5


def test_no_ink_is_darker_than_black(rush: Reader, rush_table: Table, easy: Conditions) -> None:
    scene = rush_table.single(41, replace(easy, blur_px=2.2, side_px=45.0), ["slits-short/red", "slits-long/green"])
    field = Pyramid(scene.image).at(1.0).ink
    seeds = next(i for i, t in enumerate(rush.prints.templates) if t.name == "seeds")
    for card in scene.cards:
        pose = homography(rush.prints.levels[48].frame, card.quad)
        fit = register(field, rush.prints, seeds, pose, 48, 9)
        assert fit.gain <= MOST_GAIN * (1 - fit.light[0]) * 1.3


def test_blurred_slits_are_not_taken_for_dots(rush: Reader, rush_table: Table, easy: Conditions) -> None:
    names = ["slits-short/red", "slits-long/green", "slits-in/blue", "seeds/red"]
    scene = rush_table.single(42, replace(easy, blur_px=1.9, noise=6.0, side_px=48.0, exposure=0.6), names)
    found = likeliest(rush, scene)
    assert len(found) >= 3
    for truth, said in found.items():
        assert truth.split("-")[0].split("/")[0] == said.split("-")[0].split("/")[0]


def test_an_octagon_is_told_from_a_circle_however_the_dots_in_it_lie(
    rush: Reader, rush_table: Table, easy: Conditions
) -> None:
    names = ["wheel-eight/red", "wheel-round/red", "wheel-eight/blue", "wheel-round/green"]
    for seed in (43, 44):
        scene = rush_table.single(seed, replace(easy, side_px=70.0), names)
        found = likeliest(rush, scene)
        assert len(found) >= 3
        assert all(truth == said for truth, said in found.items())


def test_a_card_without_any_print_disturbs_nothing(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "white.png"), np.full((300, 300, 3), 255, np.uint8))
    whole = resolve_deck("builtin:totem-rush")
    blank = tuple(Card(f"nothing/{colour}", tmp_path / "white.png", 1) for colour in ("red", "blue"))
    with np.errstate(all="raise"):
        prints = enrol(replace(whole, cards=whole.cards[:8] + blank))
    assert sum(template.name.startswith("nothing") for template in prints.templates) >= 1
    assert all(np.isfinite(template.ink).all() for template in prints.templates)
