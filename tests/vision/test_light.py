from __future__ import annotations

import numpy as np

from referee.vision.light import Plane, apart, covers, differs, fine_noise_of, hides_grain


def patch(colour: tuple[float, float, float]) -> Plane:
    grain = np.random.default_rng(1).normal(0, 1.0, (20, 20, 1))
    return (np.array(colour) * (1 + 0.02 * grain)).astype(np.float32)


def test_a_shadow_of_the_same_colour_is_no_difference() -> None:
    cloth = patch((80, 110, 90))
    assert not differs(cloth * np.float32(0.6), cloth).any()


def test_another_colour_of_the_same_brightness_is_one() -> None:
    assert differs(patch((110, 90, 80)), patch((80, 90, 110))).all()


def test_the_same_colour_much_lighter_or_much_darker_is_one() -> None:
    cloth = patch((60, 60, 60))
    assert differs(cloth * np.float32(3), cloth).all()
    assert differs(cloth * np.float32(0.2), cloth).all()


def test_fine_structure_that_was_not_there_is_one() -> None:
    cloth = patch((90, 90, 90))
    lined = cloth.copy()
    lined[10] *= np.float32(0.6)
    assert differs(lined, cloth)[10].all()


def test_a_dark_picture_is_judged_by_smaller_steps() -> None:
    dark, hand = patch((8, 9, 10)), patch((11, 14, 21))
    assert not differs(hand, dark, 1.0).any()
    assert differs(hand, dark, 0.3).all()


def test_apart_is_the_largest_channels_difference() -> None:
    a = np.zeros((2, 2, 3), np.uint8)
    b = a.copy()
    b[0, 0] = (3, 9, 1)
    assert apart(a, b).tolist() == [[9, 0], [0, 0]]


def grained(colour: tuple[float, float, float]) -> Plane:
    """Wood: lines along the rows, of the wood's own colour."""
    lines = np.random.default_rng(2).normal(0, 1.0, (20, 1, 1)).repeat(20, 1)
    return (np.array(colour) * (1 + 0.15 * lines)).astype(np.float32)


def test_what_has_the_colour_of_a_shadow_and_not_the_grain_under_it_covers_it() -> None:
    wood, hand = grained((24, 49, 90)), patch((13, 26, 47))
    assert differs(hand, wood).mean() < 0.2
    assert hides_grain(hand, wood)[3:-3, 3:-3].all()
    assert covers(hand, wood, wood, 1.0, 0.0)[3:-3, 3:-3].all()


def test_the_seams_of_what_was_learned_piece_by_piece_are_no_grain_that_something_hides() -> None:
    cloth = np.full((20, 20, 3), (110, 60, 25), np.float32)
    pieces = np.random.default_rng(3).random((20, 20, 1)) < 0.5
    learned = np.where(pieces, cloth * np.float32(1.08), cloth).astype(np.float32)
    assert hides_grain(cloth, learned).any()
    assert not covers(cloth, learned, cloth, 1.0, 0.0).any()


def test_what_is_brighter_than_what_lay_still_hides_no_grain_it_differs_or_it_is_light() -> None:
    wood = grained((24, 49, 90))
    assert not hides_grain(patch((30, 60, 110)), wood).any()


def test_where_another_thing_lies_still_than_at_first_the_first_frames_grain_does_not_count() -> None:
    wood, cloth = grained((24, 49, 90)), np.full((20, 20, 3), (180, 180, 180), np.float32)
    assert not covers(cloth, cloth, wood, 1.0, 0.0).any()


def test_a_shadow_keeps_the_grain_under_it() -> None:
    wood = grained((24, 49, 90))
    shadow = wood * np.linspace(0.45, 0.9, 20, dtype=np.float32)[None, :, None]
    assert not hides_grain(shadow, wood).any()


def test_where_there_is_no_grain_nothing_is_said_of_it() -> None:
    assert not hides_grain(patch((24, 49, 90)) * np.float32(0.5), np.full((20, 20, 3), (24, 49, 90), np.float32)).any()


def test_a_dark_pictures_noise_is_no_grain() -> None:
    noisy = np.random.default_rng(4)
    before, now = (np.clip(noisy.normal(14, 1.0, (60, 60, 3)), 0, 255).astype(np.float32) for _ in range(2))
    assert hides_grain(now, before, 0.3).any()
    assert not hides_grain(now, before, 0.3, fine_noise_of(now, before)).any()
