"""Jungle Bluff on a table: what is seen and said becomes events, and the worked example of the rules comes out."""

from __future__ import annotations

from typing import Any

from referee.ledger import Ledger
from referee.private.vault import Vault
from referee.table.bluff_table import BluffTable
from referee.table.calls import Accept, Challenge, Lay, Settle, Take
from referee.table.layouts import make_layout
from referee.table.settings import FusionSettings
from referee.vision.sightings import BackGone, BackLaid, BackMoved, CameraPast, CardSeen, PileTaken, ZoneCovered

NAMES = ("Ana", "Bilal", "Chloé", "Driss")
HEADER: Any = {"record": "referee/1", "game": "jungle-bluff", "players": list(NAMES), "options": {}}
S = 1_000_000


class Table:
    """A table with its rules, and a camera that sees what the test says."""

    def __init__(self) -> None:
        self.vault = Vault(HEADER)
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
        card = self.table._cards.at[zone].card
        self.leave(zone)
        self.t_us += S
        self.lie(f"score/{player}", card)
        return self.past()

    def challenge(self, player: str, target: str) -> list[dict[str, Any]]:
        self.table.call(Challenge(self.t_us, player, target))
        return self.past()

    def hand_over(self, source: str, to: str) -> None:
        card = self.table._cards.at[f"score/{source}"].card
        self.leave(f"score/{source}")
        self.t_us += S
        self.lie(f"score/{to}", card)
        self.past()

    def tidy(self) -> None:
        self.past()
        for zone in [*self.table._cards.at]:
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


def test_a_take_before_all_forces_are_down_is_refused_jb_06() -> None:
    table = Table()
    table.show("3", "7", "9", "10")
    for player in NAMES[:3]:
        table.back(player)
        table.past()
    assert [ruling["clauses"][0] for ruling in table.take("Ana", "centre/4")] == ["JB-06"]


def test_a_take_while_a_hand_hides_the_place_of_a_force_is_left_to_a_person() -> None:
    table = Table()
    table.show("3", "7", "9", "10")
    for player in NAMES[:3]:
        table.back(player)
        table.past()
    table.table.sighting(ZoneCovered("force/Driss", table.t_us, False))
    table.take("Ana", "centre/4")
    assert [ruling["ruling"] for ruling in table.past(8)] == ["undecided"]


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


def test_an_old_force_that_was_never_seen_taken_up_is_no_new_one() -> None:
    table = played_round()
    for player, zone in zip(NAMES, ("centre/1", "centre/2", "centre/3", "centre/4"), strict=True):
        table.take(player, zone)
    for zone in [*table.table._cards.at]:
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
