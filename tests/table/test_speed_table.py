"""The table of Speed: cards, hands and words of players become the events of a match."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from referee.ledger import Ledger
from referee.table.calls import Blocked, Correct, Settle
from referee.table.layouts import make_layout
from referee.table.settings import FusionSettings
from referee.table.speed_table import PATIENCE_US, REVEAL_US, SpeedTable
from referee.vision.sightings import CameraPast, CardSeen, HandSeen, PileShifted
from referee.words import Event

ANA, BILAL = PLAYERS = ("Ana", "Bilal")
FRAME_US = 33_000


@dataclass
class Table:
    """A table and the judge of its events, told what a camera would say."""

    layout: Any = field(default_factory=lambda: make_layout("speed", PLAYERS, (63.0, 88.0)))
    events: list[Event] = field(default_factory=list)
    rulings: list[Any] = field(default_factory=list)
    numbers: int = 0
    past_us: int = 0
    frame_us: int = 0

    def __post_init__(self) -> None:
        self.speed = SpeedTable(self.layout, FusionSettings())
        header: Any = {"record": "referee/1", "game": "speed", "players": list(PLAYERS), "options": {}, "start": {}}
        self.ledger = Ledger(header)
        self.speed.expected(self.ledger.expected())

    def hand(self, who: str, place: str, from_us: int, to_us: int, chance: float = 0.99) -> None:
        """A hand rests its fingers in the middle of a place."""
        self.frames(from_us)
        tip = self.layout.zones[place].centre_mm
        other = BILAL if who == ANA else ANA
        for t_us in range(from_us, to_us, FRAME_US):
            self.speed.sighting(HandSeen(place, t_us, {who: chance, other: 1 - chance}, 0, tip))

    def frames(self, until_us: int) -> None:
        """The camera goes on looking, and has nothing to say."""
        looked = dict.fromkeys(("central/1", "central/2"), self.past_us)
        for t_us in range(self.frame_us, until_us, FRAME_US):
            self.speed.sighting(CameraPast(self.past_us, (), t_us, looked))
        self.frame_us = max(self.frame_us, until_us)

    def card(self, pile: int, card: str, t_us: int, former: Any = "stays") -> None:
        """A card is seen to lie there, having come at `t_us`."""
        self.numbers += 1
        seen_us = t_us + 200_000
        zone = f"central/{pile}"
        between = (t_us - 100_000, t_us - 90_000)
        self.speed.sighting(
            CardSeen(self.numbers, zone, card, between, t_us - 95_000, 0.999, {}, seen_us, former=former)
        )

    def lay(self, who: str, pile: int, card: str, t_us: int, former: Any = "stays") -> None:
        """A hand comes, lays a card and goes; then everything is looked at."""
        self.hand(who, f"central/{pile}", t_us - 50_000, t_us + 60_000)
        self.card(pile, card, t_us, former)
        self.past(t_us + 210_000)

    def past(self, t_us: int) -> None:
        """The camera has said everything before `t_us`."""
        self.frames(t_us)
        self.past_us = t_us
        self.speed.sighting(CameraPast(t_us, (), t_us, {"central/1": t_us, "central/2": t_us}))
        self.work(t_us)

    def work(self, now_us: int) -> None:
        """Take what is ready and judge it."""
        self.speed.now(now_us)
        while events := self.speed.release():
            for event in events:
                self.events.append(event)
                self.rulings += [one.ruling for one in self.ledger.add(event)]
            self.speed.expected(self.ledger.expected())

    def begin(self, first: str = "7H", second: str = "JC") -> None:
        """Both turn a side card up at the first second."""
        for pile, (who, card) in enumerate(((ANA, first), (BILAL, second)), 1):
            self.hand(who, f"side/{who}", 600_000, 800_000)
            self.hand(who, f"central/{pile}", 900_000, 1_060_000)
            self.card(pile, card, 1_000_000)
        self.past(1_300_000)

    def plays(self) -> list[tuple[str | None, int, str]]:
        """What was told of cards that were laid, as it stands now."""
        standing = [self.speed._told.at(k) for k in range(len(self.events))]
        return [(e["player"], e["pile"], e["card"]) for e in standing if e is not None and e["event"] == "play"]

    def kinds(self) -> list[str]:
        return [ruling["ruling"] for ruling in self.rulings]


@pytest.fixture
def table() -> Table:
    table = Table()
    table.begin()
    return table


def test_cards_from_the_side_piles_are_turned_up(table: Table) -> None:
    assert [(e["event"], e["player"], e["card"]) for e in table.events] == [
        ("turn_up", ANA, "7H"),
        ("turn_up", BILAL, "JC"),
    ]


def test_a_card_is_laid_by_the_hand_that_was_there(table: Table) -> None:
    table.lay(BILAL, 1, "8D", 2_000_000)
    assert table.plays() == [(BILAL, 1, "8D")]
    assert table.kinds() == []


def test_a_card_that_does_not_fit_is_ruled(table: Table) -> None:
    table.lay(BILAL, 1, "9D", 2_000_000)
    assert table.kinds() == ["illegal-play"]


def test_what_shows_again_is_no_new_card(table: Table) -> None:
    table.lay(BILAL, 1, "9D", 2_000_000)
    table.speed.sighting(PileShifted("central/1", "7H", (2_600_000, 2_650_000)))
    table.past(2_800_000)
    assert table.plays() == [(BILAL, 1, "9D")]


@pytest.mark.parametrize("who", PLAYERS)
def test_a_card_laid_before_both_are_up_is_a_false_start(who: str) -> None:
    table = Table()
    table.hand(ANA, "side/Ana", 600_000, 800_000)
    table.hand(ANA, "central/1", 900_000, 1_060_000)
    table.card(1, "7H", 1_000_000)
    table.past(1_300_000)
    table.lay(who, 1, "8H", 1_500_000)
    assert table.kinds() == ["false-start"]


def test_a_card_on_the_own_pile_that_came_from_nobody_saw_where_is_asked_about() -> None:
    table = Table()
    table.lay(ANA, 1, "7H", 1_000_000)
    assert table.kinds() == ["undecided"]
    table.speed.call(Settle(1_500_000, 0, player=ANA))
    table.work(1_500_000)
    stands = table.speed._told.at(0)
    assert stands is not None
    assert stands["event"] == "turn_up"


def collide(table: Table, card: str = "9D") -> None:
    """Two hands, one after the other, before the pile can be looked at; a card then lies on the 7."""
    table.hand(BILAL, "central/1", 1_950_000, 2_060_000)
    table.hand(ANA, "central/1", 2_100_000, 2_260_000)
    table.card(1, card, 2_150_000)
    table.past(2_400_000)


def test_a_hidden_card_is_waited_for_and_told_when_it_shows(table: Table) -> None:
    collide(table)
    assert table.plays() == []
    table.hand(ANA, "central/1", 2_600_000, 2_760_000)
    table.card(1, "8S", 2_700_000, former="gone")
    table.past(3_000_000)
    assert table.plays() == [(BILAL, 1, "8S"), (ANA, 1, "9D")]
    assert table.kinds() == []


def test_a_hidden_card_that_does_not_show_is_asked_for_and_what_came_later_waits(table: Table) -> None:
    collide(table, "7D")
    table.lay(BILAL, 2, "10C", 3_000_000)
    table.past(2_000_000 + REVEAL_US + 200_000)
    assert table.plays() == [(BILAL, 1, "?")]
    index = len(table.events) - 1
    table.speed.call(Settle(5_000_000, index, card="8S"))
    table.work(5_000_000)
    assert table.plays() == [(BILAL, 1, "8S"), (ANA, 1, "7D"), (BILAL, 2, "10C")]


def test_without_an_answer_nothing_on_that_pile_is_judged(table: Table) -> None:
    collide(table, "7D")
    table.lay(BILAL, 1, "10C", 3_000_000)
    table.past(2_000_000 + REVEAL_US + 200_000)
    table.past(2_000_000 + REVEAL_US + PATIENCE_US + 800_000)
    assert [card for _, _, card in table.plays()] == ["?", "?", "?"]
    assert set(table.kinds()) == {"undecided"}
    table.speed.call(Correct(table.past_us, "nothing happened", None, ref=2))
    table.work(table.past_us)
    assert (BILAL, 1, "10C") not in table.plays()  # who laid the card below it is still open


def test_two_hands_that_meet_name_nobody(table: Table) -> None:
    table.hand(BILAL, "central/1", 1_950_000, 2_060_000, chance=0.7)
    table.card(1, "8D", 2_000_000)
    table.past(2_000_000 + REVEAL_US + PATIENCE_US)
    assert "illegal-play" not in table.kinds()
    assert all(player is None or card == "?" for player, _, card in table.plays())


@pytest.mark.parametrize("apart", [False, True])
def test_hands_that_are_one_outline_name_nobody(table: Table, apart: bool) -> None:
    table.frames(1_950_000)
    for t_us in range(1_950_000, 2_060_000, FRAME_US):
        tip = table.layout.zones["central/1"].centre_mm
        table.speed.sighting(HandSeen("central/1", t_us, {BILAL: 0.99, ANA: 0.01}, 0, tip, apart))
    table.card(1, "9D", 2_000_000)
    table.past(2_000_000 + REVEAL_US + PATIENCE_US)
    assert ("illegal-play" in table.kinds()) is apart
    assert all(player is None or card == "?" or apart for player, _, card in table.plays())


def test_a_hand_that_was_gone_when_the_pile_was_last_seen_without_a_card_did_not_lay_it(table: Table) -> None:
    table.hand(ANA, "central/1", 1_500_000, 1_600_000)
    table.lay(BILAL, 1, "8D", 2_000_000)
    table.past(2_000_000 + REVEAL_US)
    assert table.plays() == [(BILAL, 1, "8D")]
    assert table.kinds() == []


@pytest.mark.parametrize(("first", "then"), [("8D", "8D"), ("?", "8D"), ("8D", "8?")])
def test_a_card_that_is_read_once_more_under_the_hand_that_laid_it_is_no_other_card(
    table: Table, first: str, then: str
) -> None:
    table.hand(BILAL, "central/1", 1_950_000, 2_800_000)
    table.card(1, first, 2_000_000)
    table.card(1, then, 2_400_000, former=None)
    table.past(2_900_000)
    assert table.plays() == [(BILAL, 1, "8D")]
    assert table.kinds() == []


def test_a_hand_that_stays_over_the_card_it_has_laid_lays_no_other(table: Table) -> None:
    table.hand(BILAL, "central/1", 1_950_000, 2_500_000)
    table.card(1, "8D", 2_000_000)
    for t_us in range(2_500_000, 2_700_000, FRAME_US):
        tip = table.layout.zones["central/1"].centre_mm
        table.speed.sighting(HandSeen("central/1", t_us, {BILAL: 0.99, ANA: 0.01}, 0, tip))
        table.speed.sighting(HandSeen("central/1", t_us, {ANA: 0.99, BILAL: 0.01}, 0, tip))
    table.card(1, "9C", 2_600_000)
    table.past(2_900_000)
    table.past(2_900_000 + REVEAL_US)
    assert table.plays() == [(BILAL, 1, "8D"), (ANA, 1, "9C")]
    assert table.kinds() == []


def test_a_card_that_is_read_on_its_way_down_and_again_where_it_lies_is_one(table: Table) -> None:
    table.frames(1_900_000)
    first, then = (1_850_000, 1_883_000), (1_916_000, 1_949_000)
    table.speed.sighting(CardSeen(11, "central/1", "8D", first, 1_858_000, 0.999, {}, 1_883_000, former="stays"))
    table.hand(BILAL, "central/1", 1_950_000, 2_060_000)
    table.speed.sighting(CardSeen(12, "central/1", "8D", then, 1_925_000, 0.999, {}, 2_050_000))
    table.past(2_300_000)
    table.past(2_300_000 + REVEAL_US)
    assert table.plays() == [(BILAL, 1, "8D")]
    assert table.kinds() == []


def test_a_top_that_was_moved_by_the_next_card_is_not_laid_again_when_it_shows(table: Table) -> None:
    table.lay(ANA, 1, "8D", 2_000_000)
    table.lay(BILAL, 1, "4C", 2_500_000, former="gone")  # nobody takes another's card: it lies otherwise under this
    table.lay(BILAL, 1, "8D", 3_000_000, former="gone")
    table.past(3_300_000 + REVEAL_US + PATIENCE_US)
    told = [event for event in table.events if "8D" in (event.get("card"), *event.get("may_be", ()))]
    assert len(told) == 1


def test_whoever_draws_afterwards_has_not_laid_a_card_that_came_with_the_other_hand(table: Table) -> None:
    table.hand(ANA, "central/1", 1_950_000, 2_600_000)
    table.hand(BILAL, "central/1", 2_500_000, 2_560_000)  # on its way home from the other pile
    table.card(1, "8D", 2_000_000)
    table.hand(BILAL, "draw/Bilal", 2_700_000, 2_900_000)
    table.past(4_500_000)
    assert (BILAL, 1, "8D") not in table.plays()


def test_cards_on_two_piles_at_one_time_are_told_together(table: Table) -> None:
    table.hand(ANA, "central/1", 1_950_000, 2_060_000)
    table.hand(BILAL, "central/2", 1_960_000, 2_070_000)
    table.card(1, "8D", 2_000_000)
    table.card(2, "QD", 2_010_000)
    table.past(2_300_000)
    keys = [event.get("together") for event in table.events[-2:]]
    assert keys[0] is not None
    assert keys[0] == keys[1]


def test_what_the_second_of_two_cards_was_drawn_for_is_told_before_the_first() -> None:
    table = Table()
    table.begin("7H", "QC")
    # Bilal lays all five from his hand, and is not seen to draw.
    for step, (pile, card) in enumerate(((1, "8D"), (1, "9C"), (1, "10D"), (2, "JC"), (2, "10S"))):
        table.lay(BILAL, pile, card, 2_000_000 + 600_000 * step)
    table.hand(ANA, "central/1", 5_950_000, 6_060_000)
    table.hand(BILAL, "central/2", 5_960_000, 6_070_000)
    table.card(1, "JD", 6_000_000)
    table.card(2, "9D", 6_010_000)
    table.past(6_300_000)
    kinds = [event["event"] for event in table.events]
    assert kinds[-3:] == ["draw", "play", "play"]
    assert table.events[-2]["together"] == table.events[-1]["together"]
    assert table.kinds() == []


def test_whose_card_it_is_is_answered_before_which_of_two_was_first(table: Table) -> None:
    table.hand(ANA, "central/1", 1_950_000, 2_060_000, chance=0.7)
    table.hand(BILAL, "central/2", 1_960_000, 2_070_000)
    table.card(1, "8D", 2_000_000)
    table.card(2, "QD", 2_010_000)
    table.past(2_300_000 + REVEAL_US)
    pair = [k for k, event in enumerate(table.events) if event.get("together") is not None]
    assert [(table.events[k]["card"], table.events[k]["player"]) for k in pair] == [("8D", None), ("QD", BILAL)]
    table.speed.call(Settle(6_000_000, pair[0], player=ANA))
    table.work(6_000_000)
    assert table.plays()[-2:] == [(ANA, 1, "8D"), (BILAL, 2, "QD")]


def test_a_hand_at_its_draw_pile_has_drawn_what_was_missing(table: Table) -> None:
    table.lay(ANA, 1, "8D", 2_000_000)
    table.hand(ANA, "draw/Ana", 2_400_000, 2_600_000)
    table.speed.call(Blocked(3_500_000, ANA))
    table.past(4_000_000)
    assert [event["event"] for event in table.events[-2:]] == ["draw", "blocked"]
    assert table.kinds() == []


def test_stuck_without_having_drawn_is_refused(table: Table) -> None:
    table.lay(ANA, 1, "8D", 2_000_000)
    table.hand(ANA, "side/Ana", 2_060_000, 3_500_000)
    table.speed.call(Blocked(3_500_000, ANA))
    table.past(4_000_000)
    assert table.kinds() == ["rejected"]


def test_a_hand_that_only_passes_by_lays_nothing(table: Table) -> None:
    x, y = table.layout.zones["central/1"].centre_mm
    for t_us in range(1_950_000, 2_060_000, FRAME_US):
        table.speed.sighting(HandSeen("central/1", t_us, {ANA: 0.99, BILAL: 0.01}, 0, (x + 50, y + 65)))
    table.lay(BILAL, 1, "8D", 2_100_000)
    assert table.plays() == [(BILAL, 1, "8D")]


def test_a_flat_hand_lays_with_its_palm(table: Table) -> None:
    x, y = table.layout.zones["central/2"].centre_mm
    table.frames(1_950_000)
    for t_us in range(1_950_000, 2_060_000, FRAME_US):
        # Ana sits below (+y): her fingers end far beyond the pile.
        table.speed.sighting(HandSeen("central/2", t_us, {ANA: 0.99, BILAL: 0.01}, 0, (x, y - 95)))
    table.card(2, "QD", 2_000_000)
    table.past(2_300_000)
    assert table.plays() == [(ANA, 2, "QD")]


def test_stuck_by_a_player_whose_hand_has_been_at_its_draw_pile_all_the_time_is_asked_about(table: Table) -> None:
    table.hand(ANA, "draw/Ana", 1_500_000, 1_900_000)
    tips = [table.layout.zones[place].centre_mm for place in ("draw/Ana", "central/1")]
    table.frames(1_900_000)
    for t_us in range(1_900_000, 3_500_000, FRAME_US):
        table.speed.sighting(HandSeen("draw/Ana", t_us, {ANA: 0.99, BILAL: 0.01}, 0, tips[0]))
        if 1_950_000 <= t_us <= 2_060_000:
            table.speed.sighting(HandSeen("central/1", t_us, {ANA: 0.99, BILAL: 0.01}, 1, tips[1]))
        table.speed.sighting(CameraPast(t_us, (), t_us, dict.fromkeys(("central/1", "central/2"), 1_900_000)))
    table.frame_us = 3_500_000
    table.card(1, "8D", 2_000_000)
    table.speed.call(Blocked(3_500_000, ANA))
    table.past(4_000_000)
    assert (ANA, 1, "8D") in table.plays()
    assert table.kinds() == ["undecided"]


def test_what_rests_beside_a_draw_pile_does_not_show_that_nobody_drew(table: Table) -> None:
    table.lay(ANA, 1, "8D", 2_000_000)
    x, y = table.layout.zones["draw/Ana"].centre_mm
    table.frames(2_060_000)
    for t_us in range(2_060_000, 3_900_000, FRAME_US):
        table.speed.sighting(HandSeen("draw/Ana", t_us, {ANA: 0.99, BILAL: 0.01}, 0, (x + 20, y - 45)))
    table.speed.call(Blocked(3_900_000, ANA))
    table.past(4_200_000)
    assert table.kinds() == ["undecided"]


def test_stuck_by_a_player_who_may_have_drawn_unseen_is_asked_about(table: Table) -> None:
    table.lay(ANA, 1, "8D", 2_000_000)
    table.speed.call(Blocked(3_500_000, ANA))
    table.past(4_000_000)
    assert table.kinds() == ["undecided"]
    table.speed.call(Blocked(4_100_000, BILAL))
    table.past(4_300_000)
    index = next(k for k, event in enumerate(table.events) if event["event"] == "blocked")
    table.speed.call(Settle(5_000_000, index, player=ANA))
    table.work(5_000_000)
    assert table.ledger.standing[-1].ruling["ruling"] == "turn-up"


@pytest.mark.parametrize("order", [1, -1])
def test_of_two_claims_that_hold_one_draw_is_told(table: Table, order: int) -> None:
    table.lay(ANA, 1, "8D", 2_000_000)
    table.speed.call(Blocked(3_500_000, ANA))
    table.past(3_600_000)
    table.speed.call(Blocked(4_500_000, ANA))
    table.past(4_600_000 + PATIENCE_US)
    claims = [k for k, event in enumerate(table.events) if event["event"] == "blocked"]
    for at_us, index in zip((14_000_000, 15_000_000), claims[::order], strict=True):
        table.speed.call(Settle(at_us, index, player=ANA))
        table.work(at_us)
    standing = [table.speed._told.at(k) for k in range(len(table.events))]
    assert sum(event["count"] for event in standing if event is not None and event["event"] == "draw") == 1
    assert {"fault", "rejected"}.isdisjoint(table.kinds())


def test_a_card_from_a_side_pile_waits_for_the_claim_that_makes_it_a_turn_up(table: Table) -> None:
    table.lay(ANA, 1, "8D", 2_000_000)
    table.speed.call(Blocked(3_500_000, ANA))
    table.past(3_600_000)
    table.speed.call(Blocked(3_700_000, BILAL))
    table.hand(ANA, "side/Ana", 5_000_000, 5_200_000)
    table.hand(ANA, "central/1", 5_300_000, 5_460_000)
    table.card(1, "2C", 5_400_000)
    table.past(6_000_000)
    index = next(k for k, event in enumerate(table.events) if event["event"] == "blocked")
    table.speed.call(Settle(7_000_000, index, player=ANA))
    table.work(7_000_000)
    assert [(e["event"], e.get("player"), e.get("card")) for e in table.events if e["t_us"] > 5_000_000][-1] == (
        "turn_up",
        ANA,
        "2C",
    )


def test_a_hand_that_passes_over_its_draw_pile_has_not_drawn(table: Table) -> None:
    table.lay(ANA, 1, "8D", 2_000_000)
    table.hand(ANA, "draw/Ana", 2_060_000, 2_094_000)
    table.hand(ANA, "side/Ana", 2_100_000, 3_500_000)
    table.speed.call(Blocked(3_500_000, ANA))
    table.past(4_000_000)
    assert table.kinds() == ["rejected"]


def test_a_card_two_ranks_from_the_top_lies_on_the_rank_between(table: Table) -> None:
    collide(table)
    table.lay(BILAL, 1, "10C", 3_000_000)
    table.past(2_000_000 + REVEAL_US + 200_000)
    assert table.plays() == [(BILAL, 1, "8?"), (ANA, 1, "9D"), (BILAL, 1, "10C")]
    assert table.kinds() == []


def test_a_card_that_fits_and_stays_hides_none(table: Table) -> None:
    collide(table, "8D")
    table.hand(ANA, "draw/Ana", 2_500_000, 2_700_000)
    table.lay(BILAL, 1, "9C", 4_000_000)
    table.past(5_000_000)
    assert table.plays() == [(ANA, 1, "8D"), (BILAL, 1, "9C")]


@pytest.mark.parametrize(("looked_us", "is_asked"), [(3_900_000, False), (4_600_000, True)])
def test_a_hand_that_came_again_may_have_taken_a_card_back_once_the_pile_shows_it_laid_none(
    table: Table, looked_us: int, is_asked: bool
) -> None:
    collide(table, "8D")
    for who in PLAYERS:  # each may have laid the hidden one
        table.hand(who, "central/1", 3_950_000, 4_050_000)
    table.past(looked_us)
    looked = {"central/1": looked_us, "central/2": looked_us}
    table.speed.sighting(CameraPast(4_600_000, (), 4_600_000, looked))
    table.work(4_600_000)
    assert any("under" in event for event in table.events) is is_asked


def test_of_a_card_that_fits_and_stays_it_is_only_asked_who_laid_it_where_nobody_is_named(table: Table) -> None:
    table.hand(BILAL, "central/1", 1_950_000, 2_060_000, chance=0.7)
    table.card(1, "8D", 2_000_000)
    table.past(2_000_000 + REVEAL_US + PATIENCE_US)
    assert table.plays() == [(None, 1, "8D")]


def test_a_card_that_fits_and_is_taken_back_lay_on_one_that_nobody_saw(table: Table) -> None:
    collide(table, "8D")
    table.hand(ANA, "central/1", 2_900_000, 3_060_000)
    table.card(1, "8S", 3_000_000, former="gone")
    table.past(3_300_000)
    assert table.plays() == [(BILAL, 1, "8S"), (ANA, 1, "8D")]
    assert table.kinds() == ["illegal-play"]


def queen_after_a_time_nobody_could_look(table: Table) -> None:
    table.hand(BILAL, "central/1", 2_450_000, 2_560_000)
    table.numbers += 1
    between = (1_400_000, 2_690_000)
    seen = CardSeen(table.numbers, "central/1", "QD", between, 2_405_000, 0.999, {}, 2_700_000, former="stays")
    table.speed.sighting(seen)
    table.past(2_710_000)


def test_a_card_that_does_not_fit_after_a_time_nobody_could_look_is_asked_about(table: Table) -> None:
    """Somebody's hand may have laid a card that nobody saw come: the card on it is not called wrong."""
    queen_after_a_time_nobody_could_look(table)
    assert table.kinds() == []
    table.past(5_000_000)
    assert "illegal-play" not in table.kinds()
    assert table.plays()[0] == (None, 1, "?")


def test_the_same_card_taken_back_is_ruled_as_it_was_seen(table: Table) -> None:
    queen_after_a_time_nobody_could_look(table)
    table.speed.sighting(PileShifted("central/1", "7H", (3_000_000, 3_050_000)))
    table.past(3_100_000)
    assert table.plays() == [(BILAL, 1, "QD")]
    assert table.kinds() == ["illegal-play"]


def test_a_card_laid_and_taken_back_before_anybody_could_look_is_asked_about(table: Table) -> None:
    table.past(1_900_000)
    table.hand(BILAL, "central/1", 1_950_000, 2_060_000)
    table.hand(BILAL, "central/1", 2_300_000, 2_460_000)
    table.past(2_600_000)
    table.past(2_600_000 + REVEAL_US)
    assert table.plays() == [(BILAL, 1, "?")]


def test_a_hand_that_goes_over_a_pile_twice_from_one_frame_to_the_next_has_laid_and_taken_back_nothing(
    table: Table,
) -> None:
    table.past(1_900_000)
    table.hand(BILAL, "central/1", 1_950_000, 1_980_000)
    table.hand(BILAL, "central/1", 2_300_000, 2_330_000)
    table.past(2_600_000)
    table.past(2_600_000 + REVEAL_US)
    assert table.plays() == []


def test_a_hand_that_is_lost_where_another_one_meets_it_has_not_left_before_its_card_came(table: Table) -> None:
    table.hand(BILAL, "central/1", 1_950_000, 2_040_000)
    table.hand(ANA, "central/1", 2_075_000, 2_250_000)
    table.card(1, "8D", 2_020_000)
    table.past(2_300_000)
    table.past(2_300_000 + REVEAL_US)
    assert (ANA, 1, "8D") not in table.plays()


def turn_up(table: Table, at_us: int) -> None:
    """Ana turns her side card up, long before the other one."""
    table.hand(ANA, "side/Ana", at_us - 400_000, at_us - 100_000)
    table.hand(ANA, "central/1", at_us - 100_000, at_us + 100_000)


def with_both_turned_up() -> Table:
    """Bilal has turned up a jack, and Ana turns hers a second later."""
    table = Table()
    table.hand(BILAL, "side/Bilal", 600_000, 800_000)
    table.hand(BILAL, "central/2", 900_000, 1_060_000)
    table.card(2, "JC", 1_000_000)
    table.past(1_300_000)
    turn_up(table, 2_000_000)
    return table


def test_a_card_as_near_to_the_last_turn_up_as_cannot_be_ordered_is_no_false_start() -> None:
    table = with_both_turned_up()
    table.hand(BILAL, "central/2", 1_880_000, 1_990_000)
    table.card(1, "7H", 2_000_000)
    table.card(2, "QD", 1_930_000)
    table.past(2_400_000)
    assert "false-start" not in table.kinds()
    assert table.kinds() == ["undecided"]
    assert table.plays() == [(None, 2, "QD")]


def test_a_turn_up_that_was_covered_before_anybody_could_look_is_told_unread() -> None:
    table = with_both_turned_up()
    table.hand(BILAL, "central/1", 2_150_000, 2_300_000)
    table.card(1, "8D", 2_230_000, former=None)
    table.past(2_500_000)
    kinds = [(event["event"], event["player"], event["card"]) for event in table.events]
    assert kinds == [("turn_up", BILAL, "JC"), ("turn_up", ANA, "?"), ("play", BILAL, "8D")]
    table.speed.call(Settle(3_000_000, 1, card="9S"))
    table.work(3_000_000)
    assert [one.ruling["ruling"] for one in table.ledger.standing] == []


def test_the_top_that_is_said_once_more_is_no_new_card(table: Table) -> None:
    table.lay(ANA, 1, "8D", 2_000_000)
    table.hand(ANA, "central/1", 2_950_000, 3_060_000)
    table.card(1, "8D", 3_000_000, former=None)
    table.past(3_300_000)
    assert table.plays() == [(ANA, 1, "8D")]
    assert table.kinds() == []


def test_hands_whose_frames_are_missing_name_nobody(table: Table) -> None:
    x, y = table.layout.zones["central/1"].centre_mm
    for t_us in range(1_400_000, 2_100_000, 200_000):
        table.speed.sighting(HandSeen("central/1", t_us, {BILAL: 0.99, ANA: 0.01}, 0, (x, y)))
    table.card(1, "QD", 2_000_000)
    table.past(2_210_000)
    table.past(2_000_000 + 2 * PATIENCE_US)
    assert "illegal-play" not in table.kinds()
    assert "undecided" in table.kinds()


@pytest.mark.parametrize("seen_after", [True, False])
def test_a_hand_that_went_by_beside_another_one_and_is_seen_elsewhere_laid_nothing(
    table: Table, seen_after: bool
) -> None:
    x, y = table.layout.zones["central/1"].centre_mm
    table.frames(1_940_000)
    table.speed.sighting(HandSeen("central/1", 1_940_000, {ANA: 0.99, BILAL: 0.01}, 0, (x, y + 40)))
    if seen_after:  # otherwise it may be lost in the other one's outline
        table.speed.sighting(HandSeen("draw/Ana", 1_973_000, {ANA: 0.99, BILAL: 0.01}, 0, (x, y + 150)))
    table.lay(BILAL, 1, "JD", 2_000_000)
    table.past(2_000_000 + 2 * PATIENCE_US)
    assert ("illegal-play" in table.kinds()) is seen_after
    assert any("under" in event for event in table.events) is not seen_after


def test_a_hand_that_had_been_there_for_long_may_have_hidden_the_one_that_laid_a_card_that_does_not_fit(
    table: Table,
) -> None:
    table.hand(BILAL, "central/1", 1_450_000, 2_060_000)
    table.card(1, "JD", 2_000_000)
    table.past(2_210_000)
    table.past(2_000_000 + 2 * PATIENCE_US)
    assert "illegal-play" not in table.kinds()
    assert all(player is None or card == "?" for player, _, card in table.plays())
