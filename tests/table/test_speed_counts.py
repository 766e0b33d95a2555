"""Speed: what players do shows that counts are wrong."""

from __future__ import annotations

import pytest

from referee.table.calls import Blocked, Recount, Settle
from referee.table.speed_counts import MOST_MISSED, WON_AFTER_US
from referee.table.speed_table import REVEAL_US
from referee.vision.sightings import PileTaken
from tests.table.test_speed_table import ANA, BILAL, PLAYERS, Table


def with_left(count: int) -> Table:
    """Ana has so many cards left, all in her hand."""
    table = Table()
    table.begin("7H", "JC")
    table.speed.call(Recount(1_400_000, hand={ANA: count}, draw={ANA: 0}))
    table.past(1_500_000)
    return table


def take_off(table: Table, t_us: int) -> None:
    """Both central piles are taken off the table."""
    for pile in (1, 2):
        table.speed.sighting(PileTaken(f"central/{pile}", (t_us - 50_000, t_us)))
    table.past(t_us + 200_000)


def test_both_turning_a_side_card_up_shows_that_both_were_stuck_whatever_the_counts_say() -> None:
    table = Table()
    table.begin("7H", "JC")
    table.lay(ANA, 1, "8D", 2_000_000)
    table.hand(ANA, "side/Ana", 2_060_000, 3_500_000)  # never out of sight: she cannot have drawn
    table.speed.call(Blocked(3_500_000, ANA))
    table.speed.call(Blocked(3_700_000, BILAL))
    table.past(3_900_000)
    assert table.kinds() == ["rejected"]
    for pile, (who, card) in enumerate(zip(PLAYERS, ("2C", "9S"), strict=True), 1):
        table.hand(who, f"side/{who}", 5_000_000, 5_200_000)
        table.hand(who, f"central/{pile}", 5_300_000, 5_460_000)
        table.card(pile, card, 5_400_000)
    table.past(5_700_000)
    assert table.kinds() == ["rejected", "turn-up"]
    assert {(e["player"], e["card"]) for e in table.events[-2:]} == {(ANA, "2C"), (BILAL, "9S")}
    assert [e["event"] for e in table.events[-2:]] == ["turn_up", "turn_up"]


@pytest.mark.parametrize(("count", "is_won"), [(2, True), (MOST_MISSED + 1, True), (MOST_MISSED + 2, False)])
def test_the_middle_taken_off_with_nobody_stuck_shows_who_was_rid_of_their_cards(count: int, is_won: bool) -> None:
    table = with_left(count)
    table.lay(ANA, 1, "8D", 2_000_000)  # another one was missed before
    take_off(table, 4_000_000)
    assert ("game-won" in table.kinds()) is is_won


def test_the_middle_taken_off_to_be_shuffled_wins_nothing() -> None:
    table = with_left(2)
    table.lay(ANA, 1, "8D", 2_000_000)
    for who in PLAYERS:
        table.speed.call(Blocked(3_000_000, who))
    table.past(3_200_000)
    take_off(table, 4_000_000)
    assert "game-won" not in table.kinds()


def test_a_last_card_is_told_once_play_has_stopped() -> None:
    table = with_left(1)
    table.lay(ANA, 1, "8D", 2_000_000)
    assert table.plays() == []
    table.past(2_100_000 + WON_AFTER_US)
    assert table.plays() == [(ANA, 1, "8D")]
    assert table.kinds()[-1] == "game-won"


def test_a_last_card_is_told_when_the_middle_is_taken_off() -> None:
    table = with_left(1)
    table.lay(ANA, 1, "8D", 2_000_000)
    take_off(table, 3_000_000)
    assert table.kinds()[-1] == "game-won"


@pytest.mark.parametrize("who", PLAYERS)
def test_a_card_after_which_play_goes_on_was_not_the_last_one(who: str) -> None:
    table = with_left(1)
    table.lay(ANA, 1, "8D", 2_000_000)
    table.lay(who, 1, "9C", 3_000_000)
    assert "game-won" not in table.kinds()
    assert table.plays()[0] == (ANA, 1, "8D")


def test_a_card_after_which_somebody_is_stuck_was_not_the_last_one() -> None:
    table = with_left(1)
    table.lay(ANA, 1, "8D", 2_000_000)
    table.speed.call(Blocked(3_000_000, BILAL))
    table.past(3_200_000)
    assert "game-won" not in table.kinds()
    assert table.plays() == [(ANA, 1, "8D")]


def test_a_card_that_a_person_gives_to_a_player_whose_hand_should_be_empty_was_drawn_before() -> None:
    table = Table()
    table.begin("7H", "QC")
    # Bilal lays all five from his hand, and is not seen to draw.
    for step, (pile, card) in enumerate(((1, "8D"), (1, "9C"), (1, "10D"), (2, "JC"), (2, "10S"))):
        table.lay(BILAL, pile, card, 2_000_000 + 600_000 * step)
    table.hand(BILAL, "central/2", 5_950_000, 6_060_000, chance=0.7)
    table.card(2, "9D", 6_000_000)
    table.past(6_000_000 + REVEAL_US + 300_000)
    index = next(k for k, event in enumerate(table.events) if event.get("card") == "9D")
    assert table.events[index]["player"] is None
    table.speed.call(Settle(9_000_000, index, player=BILAL))
    table.work(9_000_000)
    assert table.plays()[-1] == (BILAL, 2, "9D")
    assert [one.ruling["ruling"] for one in table.ledger.standing] == []
