"""Which hand counts first, how close it was, and who is only warned."""

from __future__ import annotations

from itertools import product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules.jungle_speed_hands import Grip, bounds, choose
from tests.rules.cases import run

PLAYERS = ["Ana", "Bilal", "Chloé", "Driss"]


def hand(player: str | None, t_us: int, fingers: Any = 3, lowest_mm: Any = 40, **more: Any) -> dict[str, Any]:
    return {"player": player, "t_us": t_us, "fingers": fingers, "lowest_mm": lowest_mm, **more}


def ruled(hands: list[dict[str, Any]], *, before: list[Any] | None = None, **start: Any) -> list[dict[str, Any]]:
    """The rulings of a scramble while Ana and Chloé are in a duel."""
    header = {
        "record": "referee/1",
        "game": "jungle-speed",
        "players": PLAYERS,
        "start": {
            "reserve": dict.fromkeys(PLAYERS, 9),
            "face_up": {"Ana": ["knot/green"], "Bilal": ["sun/red"]},
            "turn": "Chloé",
            **start,
        },
    }
    flips = [{"t_us": 0, "event": "flip", "player": "Chloé", "card": "knot/red"}] if before is None else before
    rulings, _ = run([header, *flips, {"t_us": 10, "event": "grab", "hands": hands}])
    return [ruling for ruling in rulings if ruling["t_us"] == 10]


def test_a_decision_by_time_says_by_how_much() -> None:
    (won,) = ruled([hand("Ana", 0), hand("Chloé", 90_000)])
    assert won["margin"] == {"by": "time", "us": 90_000}
    assert "grab-1" in won["clauses"]


def test_a_decision_by_fingers_says_both_counts_the_deciding_hand_first() -> None:
    (won,) = ruled([hand("Ana", 0, 3), hand("Chloé", 20_000, [4, 5])])
    assert (won["winner"], won["margin"]) == ("Chloé", {"by": "fingers", "count": [[4, 5], 3]})


def test_a_decision_by_height_says_both_heights_the_deciding_hand_first() -> None:
    (won,) = ruled([hand("Ana", 0, 3, 70), hand("Chloé", 20_000, 3, 30)])
    assert (won["winner"], won["margin"]) == ("Chloé", {"by": "height", "mm": [30, 70]})


def test_equal_fingers_and_heights_are_decided_by_the_earlier_contact() -> None:
    (won,) = ruled([hand("Chloé", 7), hand("Ana", 3)])
    assert (won["winner"], won["margin"]) == ("Ana", {"by": "time", "us": 4})


def test_an_entitled_hand_together_with_an_intruder_is_said_to_have_gone_first_by_right() -> None:
    """JS-G40, JS-G09: the intruder touched first and pays on what is left."""
    won, fault = ruled([hand("Bilal", 0, 5, 1), hand("Ana", 30_000, 1, 90)])
    assert (won["winner"], won["margin"]) == ("Ana", {"by": "entitled"})
    assert (fault["kind"], fault["player"]) == ("intervention", "Bilal")


def test_a_hand_alone_has_no_margin_and_two_hands_of_one_player_are_no_rivals() -> None:
    assert "margin" not in ruled([hand("Ana", 0)])[0]
    (won,) = ruled([hand("Ana", 0, 1, 90), hand("Ana", 10_000, [1, 4], 5)])
    assert (won["winner"], "margin" in won) == ("Ana", False)


def test_a_brush_is_only_warned_of_and_decides_nothing() -> None:
    """JS-G18: a touch that neither grips nor lifts."""
    brush, won = ruled([hand("Ana", 0, grip=False), hand("Chloé", 50_000)])
    assert (brush["kind"], brush["clauses"]) == ("brush", ["JS-G18", "grab-0"])
    assert won["winner"] == "Chloé"


def test_a_player_who_is_out_is_warned_once_however_many_hands_there_are() -> None:
    """JS-G38: players who are out have no rights and no piles."""
    given_ = ruled(
        [hand("Driss", 0), hand("Driss", 5, grip=False), hand("Ana", 90_000)],
        out=["Driss"],
        reserve=dict.fromkeys(PLAYERS[:3], 9),
    )
    assert [(r["ruling"], r.get("kind")) for r in given_] == [("warning", "out-player"), ("won", None)]


def test_a_nameless_hand_together_with_the_first_leaves_it_undecided_and_nothing_moves() -> None:
    """grab-11, grab-12"""
    (open_,) = ruled([hand("Ana", 0), hand(None, 40_000), hand("Bilal", 41_000)])
    assert (open_["why"], open_["candidates"]) == ("who", ["Ana"])
    assert [r["ruling"] for r in ruled([hand("Ana", 0), hand(None, 40_001)])] == ["won"]


def test_several_losers_are_shared_out_to_and_the_clauses_say_so() -> None:
    """JS-G03, JS-G04, JS-G17: three of a shape, the third flipped out of turn."""
    flips = [
        {"t_us": 0, "event": "flip", "player": "Chloé", "card": "knot/red"},
        {"t_us": 1, "event": "flip", "player": "Bilal", "card": "knot/blue"},
    ]
    (needed,) = ruled([hand("Ana", 0)], before=flips)
    assert (needed["ruling"], needed["cards"], needed["losers"]) == ("share-needed", 1, ["Bilal", "Chloé"])
    assert {"JS-G03", "JS-G04"} <= set(needed["clauses"])


def test_a_last_outward_arrow_takes_the_whole_pile_along_and_lasts_of_a_volley_wait() -> None:
    """JS-G12, JS-G15: Bilal's last card of the volley is a colour arrow, Chloé's an outward one."""
    header = {
        "record": "referee/1",
        "game": "jungle-speed",
        "players": PLAYERS,
        "start": {
            "reserve": {"Ana": 5, "Bilal": 1, "Chloé": 1, "Driss": 5},
            "face_up": {"Chloé": ["sun/red"]},
            "turn": "Ana",
        },
    }
    cards = [("Ana", "arrow/out"), ("Bilal", "arrow/colour"), ("Chloé", "arrow/out"), ("Driss", "moon/red")]
    flips = [{"t_us": t, "event": "flip", "player": p, "card": c} for t, (p, c) in enumerate(cards)]
    rulings, state = run([header, *flips, {"t_us": 9, "event": "flip", "player": "Ana", "card": "bee/red"}])
    (fault,) = [r for r in rulings if r["ruling"] == "fault"]
    assert (fault["player"], fault["picks_up"]) == ("Bilal", {"Bilal": 6})
    assert "JS-G15" in fault["clauses"]
    assert state["out"] == ["Chloé"]


def test_a_touch_inside_a_cards_arrival_says_so() -> None:
    flip = {"t_us": 100, "event": "flip", "player": "Chloé", "card": "knot/red", "between": [-5, 40]}
    (won,) = ruled([hand("Ana", 20)], before=[flip])
    assert won["margin"] == {"by": "arrival", "us": [-15, 30]}
    (both,) = ruled([hand("Ana", 20), hand("Chloé", 90_000)], before=[flip])
    assert both["margin"] == {"by": "time", "us": 89_980, "arrival_us": [-15, 30]}


# --- against every value inside the intervals ------------------------------------------------------------


def winners(grips: list[Grip], fingers: tuple[int, ...]) -> set[int]:
    """Who could win for one finger count each, trying every height that matters."""
    most = max(fingers)
    best = [grip for grip, count in zip(grips, fingers, strict=True) if count == most]
    found = set()
    for heights in product(*[sorted({*grip.lowest_mm, sum(grip.lowest_mm) / 2}) for grip in best]):
        lowest = min(heights)
        level = [grip for grip, height in zip(best, heights, strict=True) if height == lowest]
        exact = [grip.t_us for grip in level if grip.height_is_exact]  # of these only the earliest can win
        level = [grip for grip in level if not grip.height_is_exact or grip.t_us == min(exact)]
        found |= {grip.seat for grip in level}
    return found


grip_values = st.tuples(
    st.integers(0, 2),
    st.lists(st.integers(1, 4), min_size=1, max_size=2).map(sorted),
    st.lists(st.integers(0, 3), min_size=1, max_size=2).map(sorted),
)


@settings(max_examples=600, deadline=None)
@given(st.lists(grip_values, min_size=1, max_size=4))
def test_a_hand_is_chosen_exactly_when_every_value_inside_the_intervals_gives_it(
    values: list[tuple[int, list[int], list[int]]],
) -> None:
    """grab-1, JS-39, JS-40, JS-41"""
    grips = [
        Grip(seat, t_us, (f[0], f[-1]), (h[0], h[-1]), True, f[0], h[0]) for seat, (t_us, f, h) in enumerate(values)
    ]
    ranges = [range(int(grip.fingers[0]), int(grip.fingers[1]) + 1) for grip in grips]
    each = [frozenset(winners(grips, counts)) for counts in product(*ranges)]
    possible = frozenset().union(*each)
    chosen = choose(grips)
    assert set(chosen.candidates) == possible
    assert (chosen.grip is not None) == (len(possible) == 1)
    if chosen.grip is None:
        assert (chosen.why == "fingers") == (len(set(each)) > 1)


def test_bounds_of_a_number_are_the_number_twice() -> None:
    assert (bounds(3), bounds([1, 2])) == ((3, 3), (1, 2))
