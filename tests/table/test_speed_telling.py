"""Speed: what is wrong with what was told, and how it is found out; cards that were told already."""

from __future__ import annotations

import pytest

from referee.table.calls import Correct, Settle
from referee.vision.sightings import HandSeen, PileShifted
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


def in_dispute(table: Table) -> int:
    """The card of which the ruling was withdrawn."""
    return next(k for k in range(len(table.events)) if "disputed" in (table.speed._told.at(k) or {}).get("doubt", ()))


def test_what_was_ruled_on_a_card_in_dispute_is_withdrawn_and_it_is_asked_which_one_it_was(misread: Table) -> None:
    assert [one.ruling["ruling"] for one in misread.ledger.standing].count("illegal-play") == 0
    misread.speed.call(Settle(LATER_US, in_dispute(misread), card="8D"))
    misread.work(LATER_US)
    assert misread.plays() == [(ANA, 1, "8D"), (BILAL, 1, "9C"), (ANA, 1, "10C")]
    assert [one.ruling["ruling"] for one in misread.ledger.standing] == []


def test_where_a_card_in_dispute_was_seen_right_something_else_is_wrong_and_the_pile_stays_open(misread: Table) -> None:
    misread.speed.call(Settle(LATER_US, in_dispute(misread), card="5D"))
    misread.work(LATER_US)
    assert "illegal-play" not in [one.ruling["ruling"] for one in misread.ledger.standing]
    assert all(card == "?" for _, _, card in misread.plays())


def test_a_card_that_was_taken_back_unseen_may_be_laid_again() -> None:
    table = Table()
    table.begin("7H", "JC")
    table.past(1_900_000)
    table.hand(BILAL, "central/1", 1_950_000, 2_060_000)
    table.hand(BILAL, "central/1", 2_300_000, 2_460_000)
    table.past(2_600_000)
    table.lay(ANA, 1, "6S", 3_000_000)
    table.lay(BILAL, 1, "5C", 3_600_000)
    table.past(5_000_000)
    hidden = next(k for k, event in enumerate(table.events) if "hidden" in event.get("doubt", ()))
    table.speed.call(Settle(6_000_000, hidden, card="5C"))
    table.work(6_000_000)
    assert table.plays() == [(BILAL, 1, "5C"), (ANA, 1, "6S"), (BILAL, 1, "5C")]
    assert table.kinds().count("illegal-play") == 1


def test_one_visit_lays_one_card_also_where_a_person_says_which_one() -> None:
    table = Table()
    table.begin("7H", "JC")
    table.hand(BILAL, "central/1", 1_400_000, 2_300_000)
    table.card(1, "9D", 2_250_000)
    table.past(2_500_000)
    table.past(5_000_000)
    hidden = next(k for k, event in enumerate(table.events) if "hidden" in event.get("doubt", ()))
    table.speed.call(Settle(6_000_000, hidden, player=BILAL))
    table.work(6_000_000)
    table.speed.call(Settle(7_000_000, hidden, card="8S"))
    table.work(7_000_000)
    assert table.plays() == [(BILAL, 1, "8S"), (None, 1, "9D")]


def test_a_card_that_lies_in_the_middle_already_is_not_told_once_more() -> None:
    table = Table()
    table.begin("7H", "JC")
    table.lay(ANA, 1, "8D", 2_000_000)
    table.lay(BILAL, 1, "9C", 3_000_000)
    table.lay(ANA, 2, "8D", 4_000_000)  # a ten, misread
    assert table.plays()[-1] == (ANA, 2, "?")
    assert table.kinds() == ["undecided"]


@pytest.mark.parametrize("first", ["8D", "8?"])
def test_a_card_of_the_tops_rank_whose_suit_is_not_known_is_another_one_and_asked_for(first: str) -> None:
    # What shows of the top beside it may be all that was read.
    table = Table()
    table.begin("7H", "JC")
    table.lay(ANA, 1, first, 2_000_000)
    table.lay(BILAL, 1, "8?", 3_000_000)
    assert table.plays() == [(ANA, 1, first), (BILAL, 1, "?")]
    assert table.kinds() == ["undecided"]
    table.speed.call(Settle(4_000_000, len(table.events) - 1, card="9C"))
    table.work(4_000_000)
    assert table.plays() == [(ANA, 1, first), (BILAL, 1, "9C")]


@pytest.mark.parametrize(("from_us", "to_us"), [(1_700_000, 1_830_000), (2_080_000, 2_180_000)])
def test_a_card_that_came_when_no_hand_was_there_is_nobodys(from_us: int, to_us: int) -> None:
    table = Table()
    table.begin("7H", "JC")
    table.hand(BILAL, "central/1", from_us, to_us)
    table.card(1, "8D", 2_000_000)
    table.past(2_300_000)
    table.past(5_000_000)
    assert (BILAL, 1, "8D") not in table.plays()


def test_a_card_that_shows_when_its_cover_is_taken_back_lay_below_it() -> None:
    table = Table()
    table.begin("7H", "JC")
    table.lay(BILAL, 1, "6C", 2_000_000)
    table.hand(BILAL, "central/1", 2_600_000, 2_760_000)
    table.card(1, "8S", 2_700_000, former="gone")  # Ana's, which nobody saw come
    table.past(3_000_000)
    late = table.events[-1]["with"]
    assert (late["player"], late["card"]) == (None, "8S")
    assert late["t_us"] < 2_000_000
    table.speed.call(Settle(4_000_000, len(table.events) - 1, player=ANA))
    table.work(4_000_000)
    assert [one.ruling["ruling"] for one in table.ledger.standing] == ["illegal-play"]


def test_a_card_laid_too_soon_goes_back_whichever_it_is() -> None:
    table = Table()
    table.hand(ANA, "side/Ana", 600_000, 800_000)
    table.hand(ANA, "central/1", 900_000, 1_060_000)
    table.card(1, "7H", 1_000_000)
    table.past(1_300_000)
    table.lay(BILAL, 1, "?", 1_500_000)
    table.past(3_000_000)
    assert table.kinds() == ["false-start"]
    table.hand(BILAL, "side/Bilal", 4_000_000, 4_200_000)
    table.hand(BILAL, "central/2", 4_300_000, 4_460_000)
    table.card(2, "JC", 4_400_000)
    table.past(4_700_000)
    table.speed.sighting(PileShifted("central/1", "7H", (4_700_000, 4_750_000)))
    table.lay(ANA, 1, "8D", 5_000_000)
    table.past(8_000_000)
    assert (ANA, 1, "8D") in table.plays()


def test_a_hand_that_comes_out_of_anothers_outline_was_there() -> None:
    table = Table()
    table.begin("7H", "JC")
    x, y = table.layout.zones["central/1"].centre_mm
    table.hand(BILAL, "central/1", 1_950_000, 2_200_000)
    tip = (x + 62.0, y)  # so far from the pile's middle a hand that is seen to come lays nothing
    table.speed.sighting(HandSeen("central/1", 2_200_000, {ANA: 0.99, BILAL: 0.01}, 0, tip))
    table.card(1, "9D", 2_150_000)
    table.past(2_400_000)
    assert table.kinds() == []  # two hands: it may hide a card
    assert table.plays() == []


def test_a_card_that_is_open_and_put_behind_the_other_one_is_clear_once_its_player_is_named() -> None:
    table = Table()
    table.begin("7H", "JC")
    table.hand(ANA, "central/1", 1_950_000, 2_060_000, chance=0.7)
    table.hand(BILAL, "central/2", 1_960_000, 2_070_000)
    table.card(1, "8D", 2_000_000)
    table.card(2, "QD", 2_010_000)
    table.past(2_300_000)
    table.past(5_000_000)
    first, second = (k for k, event in enumerate(table.events) if event.get("together") is not None)
    assert table.events[first]["player"] is None
    table.speed.call(Settle(5_000_000, second, player=BILAL))  # the queen came first
    table.work(5_000_000)
    moved = next(k for k in range(second + 1, len(table.events)) if table.events[k]["event"] == "play")
    table.speed.call(Settle(6_000_000, moved, player=ANA))
    table.work(6_000_000)
    table.lay(BILAL, 1, "9C", 7_000_000)
    table.past(7_500_000 + PATIENCE_US)
    assert (BILAL, 1, "9C") in table.plays()
