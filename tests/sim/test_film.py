"""The simulated camera: what it shows agrees with its truth, and can be read."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.sim.film import Film, visible
from referee.sim.light import LIGHTS, draw_light
from referee.sim.optics import draw_optics
from referee.sim.recorded_table import write_profile
from referee.sim.settings import TableSetUp
from referee.vision.reader import Reader, read_setup
from referee.vision.table import find_markers


@pytest.fixture(scope="module")
def film(small_table: TableSetUp) -> Film:
    return small_table.film()


def quiet_moment(table: TableSetUp) -> int:
    """When the most cards lie and nothing moves."""
    line = table.game.timeline

    def calm(t: int) -> bool:
        busy = [(turn.lift_us, turn.laid_us) for turn in line.turns]
        busy += [(slide.keys[0].t_us, slide.keys[-1].t_us) for slide in line.slides]
        away = all(np.hypot(line.arm(p, t).x, line.arm(p, t).y) > 200 for p in line.arms)
        return away and not any(a - 20_000 <= t <= b + 20_000 for a, b in busy)

    def lying(t: int) -> int:
        return sum(rest.from_us <= t < rest.until_us for rest in line.rests)

    return max((t for t in range(0, line.end_us, 50_000) if calm(t)), key=lying)


def test_the_mats_markers_are_where_the_truth_has_them(film: Film, small_table: TableSetUp) -> None:
    picture = film.frame(200_000)
    markers = find_markers(picture)
    assert set(markers) == {0, 1, 2, 3}
    for marker, place in enumerate(small_table.game.places.markers):
        wanted = small_table.scenery.optics.pixels(np.array([place]))[0]
        assert markers[marker].mean(0) == pytest.approx(wanted, abs=0.4)


def test_cards_that_lie_still_are_read_with_the_profile(film: Film, small_table: TableSetUp, tmp_path: Path) -> None:
    t_us = quiet_moment(small_table)
    picture = film.frame(t_us)
    tops = film.tops(t_us)
    assert tops
    reader = Reader(small_table.game.deck, read_setup(write_profile(small_table, tmp_path)))
    read = {sighting.card: np.asarray(sighting.quad) for sighting in reader.read(picture)}
    for top in tops.values():
        assert top.card in read
        assert np.abs(read[top.card].mean(0) - top.quad.mean(0)).max() < 1.0


def test_the_same_moment_looks_the_same_again_but_for_noise(film: Film) -> None:
    before = film.frame(3_000_000).astype(int)
    film.frame(9_000_000)
    again = film.frame(3_000_000).astype(int)
    assert abs(before - again).mean() < 4
    assert (before != again).any()


def test_a_card_on_its_edge_is_a_line(film: Film, small_table: TableSetUp) -> None:
    turn = next(turn for turn in small_table.game.timeline.turns if not turn.stopped)
    film.frame(turn.edge_us)
    standing = cv2.contourArea(film.tops(turn.edge_us)[turn.zone].quad.astype(np.float32))
    film.frame(turn.laid_us)
    lying = cv2.contourArea(film.tops(turn.laid_us)[turn.zone].quad.astype(np.float32))
    assert standing < 0.35 * lying  # a tilted camera sees some of its side


def test_a_card_counts_as_covered_where_an_arm_lies_over_it() -> None:
    card = ((10, 10, 20, 20), np.ones((10, 10), bool))
    arm = ((0, 0, 15, 40), np.ones((40, 15), np.float32))
    assert visible(card, []) == 1.0
    assert visible(card, [arm]) == 0.5


@pytest.mark.parametrize("kind", LIGHTS)
def test_no_light_blinds_or_blackens_the_whole_table(kind: str) -> None:
    light = draw_light(kind, (320, 200), np.random.default_rng(1))
    assert 0.15 < light.gain.mean() < 1.3
    assert light.exposure_us > 0


@pytest.mark.parametrize("seed", range(5))
def test_the_camera_sees_all_it_is_asked_to(seed: int) -> None:
    optics = draw_optics((960, 540), (400.0, 260.0), np.random.default_rng(seed))
    seen = optics.pixels(np.array([[x, y] for x in (-400.0, 400.0) for y in (-260.0, 260.0)]))
    assert (seen >= 0).all()
    assert (seen <= (959, 539)).all()
    back = optics.table_of_pixels()[270, 480]
    assert optics.pixels(back[None].astype(float))[0] == pytest.approx((480, 270), abs=0.01)
