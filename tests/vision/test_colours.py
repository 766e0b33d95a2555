"""Colours under light that is not the same all over a card, and under light that is too much for the camera."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from referee.sim.tables import Conditions, Table
from referee.vision.geometry import homography
from referee.vision.pyramid import Pyramid
from referee.vision.reader import Reader
from referee.vision.registration import ALL_TERMS, register
from referee.vision.symbols import colour_nats

SHORT_PX, BLUR = 64, 2
FAR_APART = 3.0  # nats: well above what a sure reading needs


def nats_of(reader: Reader, image: NDArray[np.uint8], card: str, quad: NDArray[np.float64]) -> dict[str, float]:
    """What speaks against each colour of the print of a card that lies at a quad."""
    prints = reader.prints
    template = next(i for i, t in enumerate(prints.templates) if card in t.cards)
    pose = homography(prints.levels[SHORT_PX].frame, quad)
    fit = register(Pyramid(image).at(1.0).ink, prints, template, pose, SHORT_PX, BLUR, ALL_TERMS, 5)
    return colour_nats(fit, image, prints, SHORT_PX, BLUR, np.zeros(len(fit.residual), bool))


@pytest.mark.parametrize("card", ["moon-narrow/yellow", "moon-narrow/red", "seeds/green", "swirl-right/blue"])
def test_a_colour_is_told_where_the_edge_of_a_shadow_lies_on_the_card(
    rush: Reader, rush_table: Table, easy: Conditions, card: str
) -> None:
    scene = rush_table.single(35, easy, [card])
    quad = scene.cards[0].quad
    shaded = scene.image.astype(np.float32)
    shaded[:, : round(quad[:, 0].mean()) + 8] *= 0.5
    nats = nats_of(rush, np.clip(shaded, 0, 255).astype(np.uint8), card, quad)
    assert nats.pop(card) == 0.0
    assert min(nats.values()) > FAR_APART


@pytest.mark.parametrize("card", ["nest-3/yellow", "swirl-left/green", "slits-long/red"])
def test_a_colour_is_told_where_a_reflection_burns_the_paper_out(
    rush: Reader, rush_table: Table, easy: Conditions, card: str
) -> None:
    scene = rush_table.single(36, easy, [card])
    burnt = np.clip(scene.image.astype(np.float32) + 150.0, 0, 255).astype(np.uint8)
    nats = nats_of(rush, burnt, card, scene.cards[0].quad)
    assert nats.pop(card) == 0.0
    assert min(nats.values()) > FAR_APART


def test_no_colour_is_told_of_grey_ink(rush: Reader, rush_table: Table, easy: Conditions) -> None:
    scene = rush_table.single(37, easy, ["moon-narrow/red"])
    grey = np.repeat(scene.image.mean(2, keepdims=True), 3, axis=2).astype(np.uint8)
    nats = nats_of(rush, grey, "moon-narrow/red", scene.cards[0].quad)
    assert sorted(nats.values())[1] < 1.5
