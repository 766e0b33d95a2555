"""Speed: what a hand at a place means, as the camera shows it frame by frame."""

from __future__ import annotations

import pytest

from referee.table.calls import Blocked, Recount, Settle
from referee.table.speed_table import PATIENCE_US, REVEAL_US
from referee.vision.sightings import CardSeen, HandSeen, PileTaken
from tests.table.test_speed_table import ANA, BILAL, FRAME_US, Table

# Ana sits at +y, Bilal at -y: their fingers point the other way.


@pytest.fixture
def table() -> Table:
    table = Table()
    table.begin("7H", "JC")
    return table


def seen(
    table: Table, who: str, place: str, t_us: int, beside_mm: tuple[float, float] = (0.0, 0.0), hand: int = 0
) -> None:
    """Fingers end so far beside the middle of a place, in one frame."""
    other = BILAL if who == ANA else ANA
    x, y = table.layout.zones[place].centre_mm
    tip = (x + beside_mm[0], y + beside_mm[1])
    table.speed.sighting(HandSeen(place, t_us, {who: 0.99, other: 0.01}, hand, tip))


@pytest.mark.parametrize(("stays_us", "plays"), [(40_000, [(BILAL, 2, "QD")]), (250_000, [(None, 2, "QD")])])
def test_only_a_hand_that_stays_at_its_side_pile_may_have_turned_a_card_up_that_was_not_due(
    table: Table, stays_us: int, plays: list[tuple[str | None, int, str]]
) -> None:
    table.hand(BILAL, "side/Bilal", 1_900_000 - stays_us, 1_900_000)
    table.lay(BILAL, 2, "QD", 2_000_000)
    assert table.plays() == plays


def test_a_side_card_is_turned_up_by_fingers_that_end_beyond_its_pile() -> None:
    table = Table()
    table.frames(600_000)
    for t_us in range(600_000, 800_000, FRAME_US):
        seen(table, ANA, "side/Ana", t_us, (0.0, -52.0))
    table.hand(ANA, "central/1", 900_000, 1_060_000)
    table.card(1, "7H", 1_000_000)
    table.past(1_300_000)
    assert [(event["event"], event["player"]) for event in table.events] == [("turn_up", ANA)]


def test_a_hand_that_is_counted_anew_in_a_visit_lays_one_card(table: Table) -> None:
    table.frames(1_950_000)
    for place, t_us in enumerate(range(1_950_000, 2_060_000, FRAME_US)):
        seen(table, BILAL, "central/1", t_us, hand=place % 2)
    table.card(1, "8D", 2_000_000)
    table.past(2_300_000)
    assert table.plays() == [(BILAL, 1, "8D")]


def test_a_hand_that_is_counted_anew_may_have_been_two_where_its_card_does_not_fit(table: Table) -> None:
    table.frames(1_950_000)
    for place, t_us in enumerate(range(1_950_000, 2_060_000, FRAME_US)):
        seen(table, BILAL, "central/1", t_us, hand=place % 2)
    table.card(1, "9D", 2_000_000)
    table.past(2_300_000)
    table.past(2_300_000 + REVEAL_US)
    assert "illegal-play" not in table.kinds()
    assert [event.get("under") for event in table.events[2:]] == ["9D"]


def test_two_hands_in_one_frame_are_two(table: Table) -> None:
    table.frames(1_950_000)
    for t_us in range(1_950_000, 2_060_000, FRAME_US):
        seen(table, BILAL, "central/1", t_us, hand=0)
        seen(table, BILAL, "central/1", t_us, (9.0, 0.0), hand=1)
    table.card(1, "9D", 2_000_000)
    table.past(2_300_000)
    assert table.plays() == []  # one may lie below the other


def test_a_hand_that_flies_over_a_pile_in_one_frame_has_laid_nothing(table: Table) -> None:
    table.frames(1_950_000)
    seen(table, ANA, "draw/Ana", 1_950_000)
    seen(table, ANA, "central/2", 1_950_000 + FRAME_US)
    seen(table, ANA, "central/1", 1_950_000 + 2 * FRAME_US)
    table.hand(BILAL, "central/2", 1_950_000, 2_060_000)
    table.card(2, "10D", 2_000_000)
    table.past(2_300_000)
    assert table.plays() == [(BILAL, 2, "10D")]


@pytest.mark.parametrize("who", [ANA, None])
def test_a_card_that_came_with_the_hand_after_the_one_that_took_the_top_back_is_the_later_ones(
    table: Table, who: str | None
) -> None:
    table.lay(BILAL, 1, "9D", 2_000_000)
    table.hand(BILAL, "central/1", 2_700_000, 2_860_000)
    if who is not None:
        table.hand(who, "central/1", 2_900_000, 3_060_000)
    between_us, sure_us = (2_700_000, 2_710_000), 3_200_000  # the pile began to change when the nine was lifted
    table.speed.sighting(CardSeen(9, "central/1", "8C", between_us, 2_705_000, 0.999, {}, sure_us, former="gone"))
    table.past(3_300_000)
    assert table.plays()[-1] == ((ANA, 1, "8C") if who == ANA else (None, 1, "8C"))
    assert table.kinds()[0] == "illegal-play"


def test_fingers_that_draw_may_end_beyond_the_pile_for_a_moment(table: Table) -> None:
    table.lay(ANA, 1, "8D", 2_000_000)
    table.frames(2_400_000)
    for step, off_mm in enumerate((0.0, -20.0, -50.0, -55.0, -20.0, 0.0)):
        seen(table, ANA, "draw/Ana", 2_400_000 + step * FRAME_US, (0.0, off_mm))
    table.hand(ANA, "side/Ana", 2_600_000, 3_500_000)
    table.speed.call(Blocked(3_500_000, ANA))
    table.past(4_000_000)
    assert [event["event"] for event in table.events[-2:]] == ["draw", "blocked"]
    assert table.kinds() == []


def test_a_hidden_card_of_a_player_whose_hand_should_be_empty_was_drawn_and_is_asked_about(table: Table) -> None:
    table.speed.call(Recount(1_500_000, hand={BILAL: 0}))
    table.past(1_600_000)
    table.hand(BILAL, "central/1", 1_950_000, 2_060_000)
    table.hand(ANA, "central/1", 2_100_000, 2_260_000)
    table.card(1, "7D", 2_150_000)
    table.past(2_400_000)
    table.past(2_400_000 + REVEAL_US)
    assert [(event["event"], event["player"]) for event in table.events[-2:]] == [("draw", BILAL), ("play", BILAL)]
    assert table.kinds()[-1] == "undecided"
    assert "rejected" not in table.kinds()


@pytest.mark.parametrize(("over", "player"), [(True, BILAL), (False, None)])
def test_whoever_was_at_a_pile_is_there_still_while_their_arm_lies_over_it(
    table: Table, over: bool, player: str | None
) -> None:
    # What an arm touches beyond the pile is one outline with it: there its fingers seem to end.
    table.frames(1_890_000)
    seen(table, BILAL, "central/2", 1_890_000)
    for t_us in range(1_890_000 + FRAME_US, 2_060_000, FRAME_US):
        seen(table, BILAL, "draw/Ana", t_us, (0.0, 50.0) if over else (150.0, 50.0))
    table.card(2, "QD", 2_000_000)
    table.past(2_300_000)
    table.past(2_300_000 + PATIENCE_US)
    assert table.plays() == [(player, 2, "QD")]


@pytest.mark.parametrize(("elsewhere", "player"), [(False, BILAL), (True, None)])
def test_of_two_hands_whoever_draws_from_a_full_hand_and_laid_nothing_else_has_laid_the_card(
    table: Table, elsewhere: bool, player: str | None
) -> None:
    table.hand(BILAL, "central/1", 1_950_000, 2_110_000)
    table.hand(ANA, "central/1", 2_000_000, 2_120_000)
    if elsewhere:
        table.hand(BILAL, "central/2", 2_140_000, 2_200_000)
        table.card(2, "QD", 2_170_000)
    table.card(1, "8D", 2_030_000)
    table.hand(BILAL, "draw/Bilal", 2_300_000, 2_500_000)
    table.past(4_500_000)
    assert (player, 1, "8D") in table.plays()


@pytest.mark.parametrize("way_mm", [40.0, 0.0])
def test_a_hand_that_shows_beside_another_one_and_moves_on_from_home_has_just_come(table: Table, way_mm: float) -> None:
    table.hand(BILAL, "central/1", 1_950_000, 2_230_000)
    for step in range(3):
        seen(table, ANA, "central/1", 2_230_000 + step * FRAME_US, (0.0, 40.0 - step * way_mm))
    visits = table.speed._hands.laying("central/1", 2_200_000, 2_300_000)
    mine = next(visit for visit in visits if visit.likeliest == ANA)
    assert (mine.lost, mine.met) == ((False, True) if way_mm else (True, False))


def test_a_card_that_may_have_come_with_a_later_hand_is_not_told_together_with_one_on_the_other_pile(
    table: Table,
) -> None:
    table.hand(BILAL, "central/2", 1_930_000, 2_040_000)
    table.card(2, "QD", 1_980_000)
    table.hand(ANA, "central/1", 1_950_000, 2_900_000)
    table.hand(BILAL, "central/1", 2_900_000, 3_100_000)
    # One card under the hand that stayed, the other on it: the pile changed once only, as far as anybody could see.
    between_us, sure_us = (1_900_000, 3_100_000), 3_300_000
    table.speed.sighting(CardSeen(9, "central/1", "9C", between_us, 1_990_000, 0.999, {}, sure_us, former="stays"))
    table.past(3_400_000)
    table.past(3_400_000 + REVEAL_US)
    assert all("together" not in event for event in table.events)
    assert [event.get("under") for event in table.events if event["event"] == "play"] == [None, "9C"]


@pytest.mark.parametrize("both", [False, True])
def test_a_pile_that_seems_to_have_gone_alone_lies_there_still_and_what_shows_on_it_may_have_come_before(
    table: Table, both: bool
) -> None:
    table.hand(ANA, "central/1", 1_950_000, 2_060_000)
    for zone in ("central/1", "central/2")[: 1 + both]:
        table.speed.sighting(PileTaken(zone, (2_100_000, 2_133_000)))
    table.past(2_500_000)
    table.lay(BILAL, 1, "8D", 3_000_000)
    table.past(3_500_000 + REVEAL_US)
    assert (None, 1, "8D") not in table.plays() if both else (BILAL, 1, "8D") not in table.plays()
    assert table.speed._watch.piles[1].known[0][0] == ("8D" if both else "7H")


def test_whoever_turns_a_side_card_up_lays_no_card_on_the_other_pile_then() -> None:
    table = Table()
    table.hand(BILAL, "side/Bilal", 600_000, 800_000)
    table.hand(BILAL, "central/2", 900_000, 1_060_000)
    table.frames(1_060_000)
    for t_us in range(960_000, 1_060_000, FRAME_US):
        seen(table, BILAL, "central/1", t_us)  # an arm that is not seen has its hand taken for the other one's
    table.card(2, "JC", 1_000_000)
    table.card(1, "7H", 1_010_000)
    table.past(1_300_000)
    assert "false-start" not in table.kinds()
    table.speed.call(Settle(2_000_000, len(table.events) - 1, player=ANA))
    table.work(2_000_000)
    assert [one.ruling for one in table.ledger.standing] == []


@pytest.mark.parametrize(("elsewhere", "player"), [(True, None), (False, BILAL)])
def test_a_card_that_came_without_fingers_is_not_theirs_whose_fingers_were_seen_elsewhere(
    table: Table, elsewhere: bool, player: str | None
) -> None:
    if elsewhere:
        table.hand(BILAL, "draw/Bilal", 1_800_000, 2_000_000)
    table.frames(2_100_000)
    between_us = (1_900_000, 1_933_000)
    word = CardSeen(9, "central/1", "8D", between_us, 1_905_000, 0.999, {}, 2_200_000, BILAL, 0.998, former="stays")
    table.speed.sighting(word)
    table.past(2_300_000)
    assert table.plays() == [(player, 1, "8D")]
