"""Jungle Bluff on a table: what is seen and said becomes events, and the worked example of the rules comes out."""

from __future__ import annotations

from typing import Any

import pytest

from referee.ledger import Ledger
from referee.private.store import SecretStore
from referee.private.vault import Vault
from referee.table.bluff_table import BluffTable
from referee.table.calls import Accept, Challenge, Lay, Settle, Take
from referee.table.layouts import make_layout
from referee.table.settings import FusionSettings
from referee.vision.sightings import (
    BackGone,
    BackLaid,
    BackMoved,
    CameraPast,
    CardSeen,
    PileShifted,
    PileTaken,
    ZoneCovered,
)

NAMES = ("Ana", "Bilal", "Chloé", "Driss")
HEADER: Any = {"record": "referee/1", "game": "jungle-bluff", "players": list(NAMES), "options": {}}
S = 1_000_000


class Table:
    """A table with its rules, and a camera that sees what the test says."""

    def __init__(self, store: SecretStore | None = None) -> None:
        self.vault = Vault(HEADER, store)
        self.ledger = Ledger(HEADER)
        self.table = BluffTable(make_layout("jungle-bluff", NAMES, (63, 88)), FusionSettings(), self.vault)
        self.table.expected(self.ledger.expected())
        self.t_us = 0
        self.number = 0
        self.noticed: list[str] = []

    def lie(self, zone: str, card: str) -> CardSeen:
        self.number += 1
        seen = CardSeen(self.number, zone, card, (self.t_us - 33_000, self.t_us), self.t_us - 9_000, confidence=0.999)
        self.table.sighting(seen)
        return seen

    def leave(self, zone: str) -> None:
        self.table.sighting(PileTaken(zone, (self.t_us - 33_000, self.t_us)))

    def back(self, player: str) -> None:
        self.table.sighting(BackLaid(f"force/{player}", (self.t_us - 40_000, self.t_us)))

    def past(self, seconds: float = 1.0, open_numbers: tuple[int, ...] = ()) -> list[dict[str, Any]]:
        """Time goes on and the camera sees all of it; returns what is ruled."""
        self.t_us += round(seconds * S)
        self.table.sighting(CameraPast(self.t_us, open_numbers, self.t_us))
        self.table.now(self.t_us)
        rulings = []
        while events := self.table.release():
            for event in events:
                rulings += [one.ruling for one in self.ledger.add(event)]
                self.table.expected(self.ledger.expected())
        self.noticed += [notice.kind for notice in self.table.notices()]
        return rulings

    def show(self, *cards: str) -> None:
        for place, card in enumerate(cards, start=1):
            self.lie(f"centre/{place}", card)
        self.past()

    def lay(self, *forces: str) -> None:
        for player, force in zip(NAMES, forces, strict=True):
            if force:
                assert self.vault.choose(player, force)
            self.back(player)
            self.past(0.5)
        self.past()

    def take(self, player: str, zone: str) -> list[dict[str, Any]]:
        card = self.table._book.cards.at[zone].card
        self.leave(zone)
        self.t_us += S
        self.lie(f"score/{player}", card)
        return self.past()

    def challenge(self, player: str, target: str) -> list[dict[str, Any]]:
        self.table.call(Challenge(self.t_us, player, target))
        return self.past()

    def hand_over(self, source: str, to: str) -> None:
        card = self.table._book.cards.at[f"score/{source}"].card
        self.leave(f"score/{source}")
        self.t_us += S
        self.lie(f"score/{to}", card)
        self.past()

    def tidy(self) -> None:
        self.past()
        for zone in [*self.table._book.cards.at]:
            self.leave(zone)
        for player in NAMES:
            self.table.sighting(BackGone(f"force/{player}", (self.t_us - 40_000, self.t_us)))
        self.past(5)

    def names(self) -> list[str]:
        return [event["event"] for event in self.ledger.events]


def kept(rulings: list[dict[str, Any]]) -> Any:
    return next(ruling for ruling in rulings if ruling["ruling"] == "round-over")


def played_round() -> Table:
    table = Table()
    table.show("3", "7", "9", "10")
    table.lay("6", "9", "6", "2")
    return table


def test_the_worked_example_of_two_rounds_comes_out() -> None:
    table = played_round()
    assert table.take("Ana", "centre/4")[0]["card"] == "10"
    held = table.challenge("Bilal", "Ana")
    assert (held[0]["player"], held[0]["card"]) == ("Bilal", "10")
    table.hand_over("Ana", "Bilal")
    table.take("Chloé", "centre/3")
    over = kept(table.take("Driss", "centre/2"))
    assert (over["kept"], over["first"]) == ({"Bilal": "10", "Chloé": "9", "Driss": "7"}, "Bilal")
    table.tidy()
    table.show("2", "6", "6", "9")
    table.lay("7", "3", "7", "10")
    table.take("Bilal", "centre/4")
    assert table.challenge("Chloé", "Bilal")[0]["player"] == "Chloé"
    table.hand_over("Bilal", "Chloé")
    table.take("Driss", "centre/2")
    over = kept(table.challenge("Ana", "Chloé"))
    assert (over["kept"], over["first"]) == ({"Ana": "9", "Driss": "6"}, "Ana")
    assert "force" not in table.names()
    assert table.noticed == []


def test_a_public_challenge_says_what_came_of_it_and_is_ruled_alike_without_the_vault() -> None:
    table = played_round()
    table.take("Ana", "centre/4")
    table.challenge("Bilal", "Ana")
    again = Ledger(HEADER)
    for event in table.ledger.events:
        again.add(event)
    assert [one.ruling for one in again.standing] == [one.ruling for one in table.ledger.standing]
    assert table.ledger.events[-1]["result"] == "challenger"


def second_round(*laid: str) -> Table:
    """A table at which everybody's force was seen once; in the second round those of `laid` lie."""
    table = played_round()
    for player, zone in zip(NAMES, ("centre/1", "centre/2", "centre/3", "centre/4"), strict=True):
        table.take(player, zone)
    table.tidy()
    table.show("2", "6", "6", "9")
    for player in laid:
        table.back(player)
        table.past()
    table.past(2)
    return table


def test_a_take_before_all_forces_are_down_is_refused_where_the_camera_would_see_them_jb_06() -> None:
    table = second_round("Ana", "Bilal", "Chloé")
    assert [ruling["clauses"][0] for ruling in table.take("Driss", "centre/4")] == ["JB-06"]


def test_a_force_that_was_never_seen_there_is_not_said_to_be_missing() -> None:
    table = Table()
    table.show("3", "7", "9", "10")
    for player in NAMES[:3]:
        table.back(player)
        table.past()
    assert table.take("Ana", "centre/4") == []
    assert table.past(5) == []
    assert table.noticed == ["force-not-seen"]
    table.table.call(Lay(table.t_us, "Driss"))
    rulings = table.past(2)
    assert [(ruling["ruling"], ruling["player"]) for ruling in rulings] == [("holds", "Ana")]


def test_a_force_that_seemed_to_go_while_the_round_went_on_may_lie_there_unseen_in_the_next_one() -> None:
    table = played_round()
    table.take("Ana", "centre/1")
    table.table.sighting(BackGone("force/Driss", (table.t_us - 40_000, table.t_us)))
    for player, zone in zip(NAMES[1:], ("centre/2", "centre/3", "centre/4"), strict=True):
        table.take(player, zone)
    table.tidy()
    table.show("2", "6", "6", "9")
    for player in NAMES[:3]:
        table.back(player)
        table.past()
    table.past(2)
    table.noticed.clear()
    assert table.take("Driss", "centre/4") == []
    assert table.past(5) == []
    assert table.noticed == ["force-not-seen"]


def test_a_choice_is_held_for_a_while_where_a_hand_hides_the_place_of_a_force_and_then_left_to_a_person() -> None:
    table = second_round("Ana", "Bilal", "Chloé")
    table.table.sighting(ZoneCovered("force/Driss", table.t_us, False))
    assert table.take("Driss", "centre/4") == []
    assert [ruling["ruling"] for ruling in table.past(25)] == ["undecided"]
    table.table.call(Settle(table.t_us, len(table.ledger.events) - 1, player="Driss"))
    rulings = table.past()
    assert [ruling["ruling"] for ruling in rulings if ruling["ruling"] != "overturned"] == ["holds"]
    assert table.ledger.expected()["waiting_for"] == "choice"


@pytest.mark.parametrize(("since", "holder"), [(None, "Bilal"), ("10", "Bilal")])
def test_jb_07_what_is_chosen_for_the_next_round_does_not_count_in_one_that_is_told_late(
    since: str | None, holder: str
) -> None:
    table = Table()
    table.show("3", "7", "9", "10")
    for player, force in zip(NAMES, ("6", "9", "6", "2"), strict=True):
        table.vault.choose(player, force)
    for player in NAMES[:3]:
        table.back(player)
        table.past()
    assert table.take("Ana", "centre/4") == []
    assert [ruling["ruling"] for ruling in table.past(25)] == ["undecided"]
    if since is not None:
        assert table.vault.choose("Driss", since)  # the players are on with the next round
    table.table.call(Settle(table.t_us, len(table.ledger.events) - 1, player="Ana"))
    table.past()
    for player, zone in (("Bilal", "centre/3"), ("Chloé", "centre/2")):
        table.take(player, zone)
    rulings = table.challenge("Driss", "Bilal")
    assert [ruling["player"] for ruling in rulings if ruling["ruling"] == "holds"] == [holder]


def test_jb_21_a_card_that_is_carried_past_another_one_is_no_card_of_that_place() -> None:
    table = Table()
    table.lie("centre/1", "3")
    table.lie("centre/1", "7")  # on its way to the second place
    table.lie("centre/2", "7")
    table.table.sighting(PileShifted("centre/1", "3", (table.t_us - 33_000, table.t_us)))
    table.lie("centre/3", "9")
    table.lie("centre/4", "10")
    table.past()
    assert [event["cards"] for event in table.ledger.events] == [["3", "7", "9", "10"]]
    table.lay("6", "9", "6", "2")
    rulings = table.take("Ana", "centre/1")
    assert [(one["ruling"], one["player"], one["card"]) for one in rulings] == [("holds", "Ana", "3")]


@pytest.mark.parametrize(("for_us", "card"), [(200_000, "10"), (3_000_000, "1")])
def test_jb_10_a_card_that_is_read_otherwise_as_a_hand_takes_it_up_is_the_one_that_lay_there(
    for_us: int, card: str
) -> None:
    table = played_round()
    table.lie("centre/4", "1")
    table.past(for_us / S)
    table.leave("centre/4")
    assert [one.card for one in table.table._book.cards.leavings][-1] == card


def test_a_challenge_that_is_held_is_made_once_the_last_force_is_seen() -> None:
    table = second_round("Ana", "Bilal", "Chloé")
    table.table.sighting(ZoneCovered("force/Driss", table.t_us, False))
    assert table.challenge("Bilal", "Ana") == []
    table.table.sighting(ZoneCovered("force/Driss", table.t_us, True))
    table.back("Driss")
    assert [ruling["clauses"][0] for ruling in table.past(2)] == ["JB-09"]


def test_a_card_in_the_hand_for_long_is_undecided_and_ruled_once_it_lies() -> None:
    table = played_round()
    table.leave("centre/4")
    first = table.past(5)
    assert [ruling["ruling"] for ruling in first] == ["undecided"]
    table.lie("score/Ana", "10")
    assert [ruling["ruling"] for ruling in table.past()] == ["overturned", "holds"]


def test_nobody_else_is_ruled_while_a_take_is_open() -> None:
    table = played_round()
    table.leave("centre/4")
    table.past(5)
    assert table.take("Bilal", "centre/3") == []
    table.table.call(Settle(table.t_us, len(table.ledger.events) - 1, player="Ana"))
    rulings = table.past()
    assert [(r["ruling"], r.get("player")) for r in rulings if r["ruling"] == "holds"] == [
        ("holds", "Ana"),
        ("holds", "Bilal"),
    ]


def test_a_take_of_which_neither_card_nor_player_is_known_stays_open_until_both_are() -> None:
    table = Table()
    for place, card in enumerate(("3", "7", "9", "?"), start=1):
        table.lie(f"centre/{place}", card)
    table.past(5)
    table.lay("6", "9", "6", "2")
    table.leave("centre/4")
    table.past(5)
    handle = len(table.ledger.events) - 1
    table.table.call(Settle(table.t_us, handle, player="Ana"))
    table.past()
    assert table.challenge("Bilal", "Ana") == []
    table.table.call(Settle(table.t_us, handle, card="10"))
    rulings = [ruling for ruling in table.past() if ruling["ruling"] == "holds"]
    assert [(ruling["player"], ruling["card"]) for ruling in rulings] == [("Ana", "10"), ("Bilal", "10")]


def test_a_card_that_is_lifted_and_put_back_is_no_take() -> None:
    table = played_round()
    table.leave("centre/4")
    table.past(1)
    table.lie("centre/4", "10")
    assert table.past(8) == []


def test_a_card_of_the_centre_that_is_read_late_is_corrected_before_it_is_taken() -> None:
    table = Table()
    for place, card in enumerate(("3", "7", "9"), start=1):
        table.lie(f"centre/{place}", card)
    unread = table.lie("centre/4", "?")
    table.past(5)
    assert table.ledger.events[-1]["cards"] == ["3", "7", "9", "?"]
    table.lay("6", "9", "6", "2")
    table.leave("centre/4")
    table.t_us += S
    table.lie("score/Ana", "10")
    assert [(r["ruling"], r["card"]) for r in table.past()] == [("holds", "10")]
    assert unread.card == "?"


def test_a_force_that_nobody_read_leaves_a_challenge_to_a_person_or_to_the_reader() -> None:
    table = Table()
    table.show("3", "7", "9", "10")
    table.lay("6", "", "6", "2")
    table.take("Ana", "centre/4")
    assert [ruling["why"] for ruling in table.challenge("Bilal", "Ana")] == ["force"]
    assert table.vault.choose("Bilal", "9")
    assert [ruling["ruling"] for ruling in table.past()] == ["overturned", "holds"]


def test_a_person_may_say_who_holds_the_card_after_a_comparison_at_the_table() -> None:
    table = Table()
    table.show("3", "7", "9", "10")
    table.lay("", "", "", "")
    table.take("Ana", "centre/4")
    table.challenge("Bilal", "Ana")
    table.table.call(Settle(table.t_us, len(table.ledger.events) - 1, player="Ana"))
    assert table.past()[-1]["player"] == "Ana"


def test_a_force_that_is_moved_is_noticed_jb_07() -> None:
    table = played_round()
    table.table.sighting(BackMoved("force/Bilal", (table.t_us - 40_000, table.t_us), 0.4))
    table.past()
    assert table.noticed == ["force-moved"]


def test_a_force_that_is_taken_up_while_the_round_goes_on_is_noticed_and_after_the_last_choice_it_is_not() -> None:
    table = played_round()
    table.take("Ana", "centre/1")
    table.table.sighting(BackGone("force/Bilal", (table.t_us - 40_000, table.t_us)))
    table.past()
    assert table.noticed == []
    table.take("Bilal", "centre/2")
    assert table.noticed == ["force-moved"]
    table.take("Chloé", "centre/3")
    table.leave("centre/4")
    table.table.sighting(BackGone("force/Driss", (table.t_us + 100_000, table.t_us + 200_000)))
    table.t_us += S
    table.lie("score/Driss", "10")
    table.past()
    assert table.noticed == ["force-moved"]


def test_an_old_force_that_was_never_seen_taken_up_is_no_new_one() -> None:
    table = played_round()
    for player, zone in zip(NAMES, ("centre/1", "centre/2", "centre/3", "centre/4"), strict=True):
        table.take(player, zone)
    for zone in [*table.table._book.cards.at]:
        table.leave(zone)
    table.past(5)
    table.show("2", "6", "6", "9")
    assert table.past(5) == []
    assert table.names()[-1] == "reveal"


def test_a_player_may_say_that_a_force_lies_which_the_camera_does_not_see() -> None:
    table = Table()
    table.show("3", "7", "9", "10")
    table.table.call(Lay(table.t_us, "Driss"))
    table.past()
    assert table.names() == ["centre", "commit"]


def test_what_a_player_says_and_the_camera_sees_of_one_take_is_one_take() -> None:
    table = played_round()
    table.table.call(Take(table.t_us, "Ana", "10"))
    assert [ruling["ruling"] for ruling in table.past()] == ["holds"]
    assert table.take("Ana", "centre/4") == []


def test_cards_that_are_not_the_forces_wait_until_a_person_lets_them_count_jb_21() -> None:
    table = played_round()
    for player, zone in zip(NAMES, ("centre/1", "centre/2", "centre/3", "centre/4"), strict=True):
        table.take(player, zone)
    table.tidy()
    table.show("2", "6", "5", "9")
    table.past(3)
    assert (table.noticed, table.names()[-1]) == (["not-the-forces"], "take")
    table.table.call(Accept(table.t_us))
    table.past()
    assert table.names()[-1] == "reveal"
    assert table.ledger.expected()["waiting_for"] == "commit"


class Sealing:
    """A store that makes commitments."""

    def __init__(self) -> None:
        self.count = 0

    def put(self, round_number: int, player: str, card: str) -> str:
        self.count += 1
        return f"seal-{self.count}"

    def read(self) -> list[Any]:
        return []

    def forget(self, round_number: int) -> None:
        """Nothing."""


def test_a_force_stands_in_the_record_as_a_commitment_just_after_it_was_laid() -> None:
    table = Table(Sealing())
    table.show("3", "7", "9", "10")
    table.lay("6", "", "6", "2")
    assert [event for event in table.ledger.events if event["event"] == "force"] == [
        {"t_us": event["t_us"] + 1, "event": "force", "player": event["player"], "card": "?", "sealed": f"seal-{n}"}
        for n, event in enumerate(
            [one for one in table.ledger.events if one["event"] == "commit" and one["player"] != "Bilal"], 1
        )
    ]
    table.take("Ana", "centre/4")
    table.challenge("Bilal", "Ana")
    table.vault.choose("Bilal", "9")
    rulings = table.past()
    assert [ruling["ruling"] for ruling in rulings] == ["overturned", "holds"]
    assert not [one.ruling for one in table.ledger.standing if one.ruling["ruling"] == "rejected"]
    late = next(event for event in table.ledger.events if event.get("with", {}).get("sealed"))
    assert (late["with"]["player"], late["with"]["card"]) == ("Bilal", "?")


def test_a_game_that_goes_on_knows_its_round_its_cards_and_its_forces() -> None:
    before = second_round("Ana", "Bilal", "Chloé")
    table = BluffTable(before.table.layout, FusionSettings(), before.vault, before.ledger.events)
    table.expected(before.ledger.expected())
    table.call(Lay(before.t_us, "Driss"))
    table.sighting(CameraPast(before.t_us + S, (), before.t_us + S))
    table.now(before.t_us + S)
    assert [(event["event"], event["player"]) for event in table.release()] == [("commit", "Driss")]


def test_what_is_said_before_the_cards_of_the_centre_are_told_is_never_called_too_early() -> None:
    table = Table()
    assert table.challenge("Bilal", "Ana") == []
    assert table.past(10) == []
    table.show("3", "7", "9", "10")
    table.lay("6", "9", "6", "2")
    assert table.past(5) == []
    assert table.names() == ["centre", "commit", "commit", "commit", "commit"]


def test_a_card_of_the_centre_that_goes_on_being_read_holds_the_round_up_for_three_seconds_at_most() -> None:
    table = Table()
    for place, card in enumerate(("3", "7", "9"), start=1):
        table.lie(f"centre/{place}", card)
    unread = table.lie("centre/4", "?")
    table.past(2, (unread.number,))
    assert table.names() == []
    table.past(2, (unread.number,))
    assert table.ledger.events[-1]["cards"] == ["3", "7", "9", "?"]
