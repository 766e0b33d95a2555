"""The scorer: what counts as right, withheld and wrong."""

from __future__ import annotations

from typing import Any

from referee.sim.scoring import Score, never_shown, score

FLIP = {"t_us": 1_000_000, "event": "flip", "player": "Ana", "card": "moon/red", "laid_us": 1_240_000}
WON = {
    "t_us": 2_000_000, "ruling": "won", "winner": "Ana", "losers": ["Bilal"], "picks_up": {"Bilal": 2}, "next": "Bilal",
}  # fmt: skip


def of(said: list[dict[str, Any]], rulings: list[dict[str, Any]], unseen: frozenset[int] = frozenset()) -> Score:
    return score([FLIP], [WON], said, rulings, unseen)


def test_what_is_said_as_it_was_is_right() -> None:
    result = of([{**FLIP, "t_us": 1_050_000}], [{**WON, "clauses": ["JS-17"], "public": True}])
    assert (result.flips_right, result.rulings_right) == (1, 1)
    assert (result.flips_wrong, result.rulings_wrong, result.rulings_missing) == (0, 0, 0)


def test_another_card_is_wrong_and_a_question_mark_is_withheld() -> None:
    assert of([{**FLIP, "card": "moon/green"}], []).flips_wrong == 1
    assert of([{**FLIP, "card": "?"}], []).flips_withheld == 1


def test_another_player_or_another_second_is_a_miss_and_a_phantom() -> None:
    for said in ({**FLIP, "player": "Bilal"}, {**FLIP, "t_us": 2_500_000}):
        result = of([said], [])
        assert (result.flips_missed, result.flips_phantom) == (1, 1)


def test_a_correction_counts_instead_of_what_it_corrects() -> None:
    wrong = {**FLIP, "card": "moon/green"}
    correct = {"t_us": 3_000_000, "event": "correct", "ref": 0, "by": "camera", "reason": "seen again", "with": FLIP}
    assert of([wrong, correct], []).flips_right == 1


def test_a_card_nobody_could_see_is_counted_apart_unless_it_is_read_wrongly() -> None:
    unseen = frozenset({0})
    assert (of([], [], unseen).unseen, of([], [], unseen).flips) == (1, 0)
    assert of([{**FLIP, "card": "moon/green"}], [], unseen).flips_wrong == 1


def test_an_overturned_ruling_counts_no_more() -> None:
    wrong = {**WON, "winner": "Bilal"}
    result = of([], [wrong, {"ruling": "overturned", "refs": [0]}, WON])
    assert (result.rulings_right, result.rulings_wrong) == (1, 0)


def test_the_duels_of_one_volley_have_no_order() -> None:
    duels = [
        {"t_us": 5, "ruling": "duel", "players": pair, "by": "shape"} for pair in (["Ana", "Bilal"], ["Chloé", "Eva"])
    ]
    result = score([], [*duels, WON], [], [*duels[::-1], WON])
    assert (result.rulings_right, result.rulings_wrong, result.rulings_missing) == (3, 0, 0)


def test_the_same_ruling_within_a_frame_is_right_in_whatever_place_and_later_it_is_not() -> None:
    arrow = {"t_us": 1_996_000, "ruling": "arrow", "player": "Eva", "kind": "out"}
    for after_us, fps, right in ((8_000, 30.0, 2), (90_000, 30.0, 1), (60_000, 30.0, 1), (60_000, 15.0, 2)):
        result = score([], [arrow, WON], [], [WON, {**arrow, "t_us": 1_996_000 + after_us}], fps=fps)
        assert (result.rulings_right, result.rulings_wrong) == (right, 2 - right)


def test_an_undecided_with_the_right_name_stands_for_the_ruling() -> None:
    undecided = {"t_us": 2_000_500, "ruling": "undecided", "why": "fingers", "candidates": ["Ana", "Bilal"]}
    result = of([], [undecided])
    assert (result.rulings_open, result.undecided_right, result.rulings_missing) == (1, 1, 0)
    result = of([], [{**undecided, "candidates": ["Chloé"]}])
    assert (result.rulings_open, result.undecided_right) == (1, 0)


def test_one_undecided_does_not_stand_for_two_rulings() -> None:
    undecided = {"t_us": 2_000_000, "ruling": "undecided", "why": "unreadable", "candidates": []}
    second = {"t_us": 2_100_000, "ruling": "out", "player": "Ana", "rank": 1}
    result = score([], [WON, second], [], [undecided])
    assert (result.rulings_open, result.rulings_missing) == (1, 1)


def test_a_ruling_nobody_should_have_given_is_wrong() -> None:
    fault = {"t_us": 9_000_000, "ruling": "fault", "player": "Ana", "kind": "wrong-grab", "picks_up": {}, "next": "Ana"}
    assert of([], [WON, fault]).rulings_wrong == 1


def test_what_fingers_decided_is_counted_apart() -> None:
    close = {**WON, "margin": {"by": "fingers", "count": [4, 3]}}
    result = score([], [close], [], [{**WON, "winner": "Bilal", "losers": ["Ana"]}])
    assert (result.touch_rulings, result.touch_wrong, result.rulings_wrong) == (1, 1, 0)


def test_the_order_of_losers_means_nothing_and_that_of_a_ranking_everything() -> None:
    many = {**WON, "losers": ["Bilal", "Chloé"]}
    assert score([], [many], [], [{**many, "losers": ["Chloé", "Bilal"]}]).rulings_right == 1
    over = {"t_us": 5, "ruling": "over", "why": "two-left", "ranking": [["Ana"], ["Bilal"]]}
    assert score([], [over], [], [{**over, "ranking": [["Bilal"], ["Ana"]]}]).rulings_wrong == 1


def test_a_card_is_shown_when_one_frame_shows_enough_of_it_at_rest() -> None:
    def frame(visible: float, moving: bool, t_us: int = 1_500_000) -> dict[str, Any]:
        tops = {"Ana": {"card": "moon/red", "n": 1, "moving": moving, "visible": visible}}
        return {"t_us": t_us, "tops": tops}

    assert never_shown([FLIP], [frame(0.3, False), frame(0.9, True)]) == {0}
    assert never_shown([FLIP], [frame(0.3, False), frame(0.5, False)]) == frozenset()
    again = {**FLIP, "t_us": 9_000_000}
    assert never_shown([FLIP, again], [frame(0.9, False)]) == {1}
    assert never_shown([FLIP, again], [frame(0.9, False, 9_500_000)]) == {0}


def test_scores_add_up() -> None:
    total = Score()
    total.add(of([FLIP], [WON]))
    total.add(of([FLIP], []))
    assert (total.games, total.flips_right, total.rulings_right, total.rulings_missing) == (2, 2, 1, 1)
