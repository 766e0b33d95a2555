"""Speed: what is wrong with what was told, and how it is found out; cards that were told already."""

from __future__ import annotations

import pytest

from referee.table.calls import Correct, Settle
from tests.table.test_speed_table import ANA, BILAL, PATIENCE_US, Table

LATER_US = 7_000_000 + PATIENCE_US


def nothing_hidden(table: Table, under: str, t_us: int) -> None:
    """A person says that no card lies under one."""
    index = next(k for k, event in enumerate(table.events) if event.get("under") == under)
    table.speed.call(Correct(t_us, "nothing happened", None, ref=index))
    table.work(t_us)


@pytest.fixture
def misread() -> Table:
    """Ana lays the eight of diamonds on a seven; it is read as a five, and play goes on."""
    table = Table()
    table.begin("7H", "JC")
    table.lay(ANA, 1, "5D", 2_000_000)
    table.lay(BILAL, 1, "9C", 3_000_000)
    table.past(6_000_000)
    nothing_hidden(table, "9C", 6_000_000)
    table.lay(ANA, 1, "10C", 7_000_000)
    table.past(LATER_US)
    return table


def test_a_card_on_one_that_did_not_fit_and_was_never_taken_back_opens_the_pile(misread: Table) -> None:
    # What is ruled wrong after one misread card is that card alone.
    assert misread.kinds().count("illegal-play") == 1
    assert [event.get("may_be") for event in misread.events[-2:]] == [["9C"], ["10C"]]


def test_once_the_wrong_card_is_corrected_what_lies_on_it_is_told_as_it_was_seen(misread: Table) -> None:
    wrong = next(k for k, event in enumerate(misread.events) if event.get("card") == "5D")
    right = {**misread.events[wrong], "card": "8D"}
    misread.speed.call(Correct(LATER_US, "it was an eight", right, ref=wrong))
    misread.work(LATER_US)
    assert misread.plays() == [(ANA, 1, "8D"), (BILAL, 1, "9C"), (ANA, 1, "10C")]
    assert [one.ruling["ruling"] for one in misread.ledger.standing] == []


def test_a_card_that_was_missed_put_in_its_place_frees_the_pile_as_well() -> None:
    table = Table()
    table.begin("7H", "JC")
    table.lay(BILAL, 1, "9C", 2_000_000)  # on an eight that nobody saw
    table.lay(ANA, 1, "10C", 3_000_000)
    table.past(6_000_000)
    nothing_hidden(table, "10C", 6_000_000)
    table.past(LATER_US)
    assert table.kinds().count("illegal-play") == 1
    before = next(k for k, event in enumerate(table.events) if event.get("card") == "9C")
    missed = {"t_us": 1_500_000, "event": "play", "player": ANA, "pile": 1, "card": "8D"}
    table.speed.call(Correct(LATER_US, "it was missed", missed, before=before))
    table.work(LATER_US)
    assert [one.ruling["ruling"] for one in table.ledger.standing] == []


def test_a_card_that_did_not_fit_and_was_taken_back_leaves_nothing_in_doubt() -> None:
    table = Table()
    table.begin("7H", "JC")
    table.lay(ANA, 1, "5D", 2_000_000)
    table.lay(BILAL, 1, "10C", 3_000_000, former="gone")
    table.past(LATER_US)
    assert [kind for kind in table.kinds() if kind != "undecided"][:1] == ["illegal-play"]
    assert all("may_be" not in event for event in table.events)


def test_a_card_that_a_person_has_told_and_that_shows_once_its_cover_is_gone_is_not_laid_again() -> None:
    table = Table()
    table.begin("7H", "JC")
    table.hand(ANA, "central/1", 1_900_000, 1_980_000)
    table.hand(BILAL, "central/1", 1_990_000, 2_100_000)
    table.card(1, "10D", 2_050_000)
    table.past(2_260_000)
    table.past(2_300_000 + PATIENCE_US // 2)
    hidden = next(k for k, event in enumerate(table.events) if event.get("under") == "10D")
    table.speed.call(Settle(7_000_000, hidden, card="8C"))
    table.work(7_000_000)
    table.hand(BILAL, "central/1", 8_000_000, 8_100_000)
    table.hand(ANA, "central/1", 8_200_000, 8_300_000)
    table.card(1, "8C", 8_250_000, former="gone")
    table.past(8_600_000)
    table.past(20_000_000)
    assert [card for _, _, card in table.plays()].count("8C") == 1


def test_two_cards_put_into_the_order_a_person_says_are_never_one_card_twice_on_the_way() -> None:
    table = Table()
    table.begin("7H", "JC")
    table.hand(ANA, "central/1", 1_950_000, 2_060_000)
    table.hand(BILAL, "central/2", 1_960_000, 2_070_000)
    table.card(1, "8D", 2_000_000)
    table.card(2, "QD", 2_010_000)
    table.past(2_300_000)
    first = len(table.events) - 2
    later = table.events[-1]["player"]
    table.speed.call(Settle(3_000_000, first, player=later))
    table.work(3_000_000)
    assert table.kinds() == []
    standing = [one for one in map(table.speed._told.at, range(first + 1, len(table.events))) if one is not None]
    assert next(one["player"] for one in standing if one["event"] == "play") == later
    assert all("together" not in one for one in standing)


def test_what_a_person_says_of_a_card_that_lies_on_an_open_one_waits_for_that() -> None:
    table = Table()
    table.begin("7H", "JC")
    table.lay(ANA, 1, "?", 2_000_000)
    table.hand(ANA, "central/1", 12_900_000, 12_980_000)
    table.hand(BILAL, "central/1", 12_990_000, 13_100_000)
    table.card(1, "10S", 13_050_000)
    table.past(13_260_000)
    table.past(30_000_000)
    low = next(k for k, event in enumerate(table.events) if event.get("card") == "?")
    high = next(k for k, event in enumerate(table.events) if "hidden" in event.get("doubt", ()))
    table.speed.call(Settle(30_000_000, high, card="9D", player=ANA))
    table.work(30_000_000)
    assert "illegal-play" not in table.kinds()
    table.speed.call(Settle(31_000_000, low, card="8D"))
    table.work(31_000_000)
    assert (ANA, 1, "9D") in table.plays()
    assert "illegal-play" not in table.kinds()


def test_a_card_that_a_false_start_leaves_on_a_turn_up_that_is_asked_about_opens_nothing() -> None:
    table = Table()
    table.hand(BILAL, "central/2", 900_000, 1_060_000)  # nobody saw where that card came from
    table.card(2, "6D", 1_000_000)
    table.past(1_300_000)
    table.speed.call(Settle(1_500_000, 0, player=BILAL))
    table.work(1_500_000)
    table.lay(BILAL, 2, "5H", 2_000_000)
    table.past(LATER_US)
    assert [one.ruling["ruling"] for one in table.ledger.standing] == ["false-start"]
