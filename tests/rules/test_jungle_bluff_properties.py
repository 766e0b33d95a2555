"""What holds for every game of Jungle Bluff, whatever is done at the table."""

from __future__ import annotations

from collections import Counter
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from referee.rules import jungle_bluff
from referee.rules.jungle_bluff_state import FINAL, VALUES, State
from referee.sim import bluff_games
from referee.words import Event, Header
from tests.rules.judged import corrections, judged

NAMES = ("Ana", "Bilal", "Chloé", "Driss")
NAME = st.sampled_from((*NAMES, *NAMES, *NAMES, "Zoé"))
CARD = st.sampled_from((*VALUES, "?", "back", "11", ""))
CARDS = st.lists(CARD, max_size=5)
RESULT = st.sampled_from(("holder", "challenger", "none", "tie", ""))
CHOICE = st.one_of(
    st.fixed_dictionaries({"event": st.just("take"), "player": NAME | st.none(), "card": CARD}),
    st.fixed_dictionaries({"event": st.just("challenge"), "player": NAME, "target": NAME}, optional={"result": RESULT}),
)
ANYTHING = st.one_of(
    CHOICE,
    st.fixed_dictionaries({"event": st.sampled_from(("centre", "reveal")), "cards": CARDS}),
    st.fixed_dictionaries({"event": st.just("commit"), "player": NAME}),
    st.fixed_dictionaries({"event": st.just("force"), "player": NAME, "card": CARD}),
    st.sampled_from(({"event": "end"}, {"event": "dance"}, {"event": "recount", "reserve": {"Ana": 1}})),
)


def header(count: int, *, advanced: bool) -> Header:
    return {
        "record": "referee/1",
        "game": "jungle-bluff",
        "players": list(NAMES[:count]),
        "options": {"advanced": advanced},
    }


def sensible(state: State) -> st.SearchStrategy[dict[str, Any]]:
    """What a player might do now: lay cards open, lay a force, have it read, take, challenge."""
    players, expected = state.setup.players, jungle_bluff.expected(state)
    values = [card for card in VALUES if state.setup.advanced or card.isdecimal()]
    name = st.sampled_from(players)
    if expected["waiting_for"] == "centre":
        return st.fixed_dictionaries(
            {"event": st.just("centre"), "cards": st.lists(st.sampled_from(values), min_size=len(players))}
        ).map(lambda event: {**event, "cards": event["cards"][: len(players)]})
    if expected["waiting_for"] == "reveal":
        shown = [force or "4" for force in state.laid or ()]
        return st.permutations(shown).map(lambda cards: {"event": "reveal", "cards": cards})
    if expected["waiting_for"] == "nothing":
        return st.just({"event": "end"})
    moves: list[st.SearchStrategy[dict[str, Any]]] = []
    for seat in sorted(state.committed):
        if state.forces[seat] is None:
            able = [card for card in values if state.round < FINAL or card in state.piles[seat]]
            force = st.sampled_from(able).map(
                lambda card, player=players[seat]: {"event": "force", "player": player, "card": card}
            )
            moves += [force] * 2
    if expected["waiting_for"] == "commit":
        commits = st.sampled_from(expected["may_play"])
        moves += [commits.map(lambda player: {"event": "commit", "player": player})] * 3
    else:
        asked = expected["asked"]
        take = st.sampled_from(state.centre or ("?",)).map(
            lambda card: {"event": "take", "player": asked, "card": card}
        )
        challenge = name.map(lambda target: {"event": "challenge", "player": asked, "target": target})
        noted = st.tuples(challenge, RESULT).map(lambda pair: {**pair[0], "result": pair[1]})
        moves += [take, challenge, challenge, noted]
    return st.one_of(moves)


class AnyTable(RuleBasedStateMachine):
    """Plays anything, mostly what makes sense, and checks every step."""

    @initialize(count=st.integers(2, 4), advanced=st.booleans(), rounds=st.sampled_from((1, 1, 9, 10)))
    def begin(self, count: int, advanced: bool, rounds: int) -> None:
        self.state: State = jungle_bluff.start(header(count, advanced=advanced))
        if rounds > 1:  # near the end, with some score piles
            piles = (("3", "9"), (), ("7",), ("2", "2"))[:count]
            self.state = self.state._replace(round=rounds, piles=piles, laid=(None,) * count)
        self.laid: Counter[str] = Counter()

    @rule(event=ANYTHING)
    def anything_happens(self, event: dict[str, Any]) -> None:
        self._happen(event)

    @rule(data=st.data())
    def something_sensible_happens(self, data: st.DataObject) -> None:
        self._happen(data.draw(sensible(self.state)))

    @rule(data=st.data())
    def something_else_that_is_sensible_happens(self, data: st.DataObject) -> None:
        self._happen(data.draw(sensible(self.state)))

    def _happen(self, event: dict[str, Any]) -> None:
        event = {"t_us": 5, **event}
        frozen = orjson.dumps(event)
        before = self.state
        after, rulings = jungle_bluff.apply(before, event)
        assert orjson.dumps(event) == frozen, "an event was changed"
        assert jungle_bluff.apply(before, event) == (after, rulings), "the same event gave another answer"
        orjson.dumps(rulings)
        kinds = [ruling["ruling"] for ruling in rulings]
        if {"rejected", "refused"} & {*kinds} or kinds == ["undecided"]:
            assert len(kinds) == 1
            assert after == before, "what cannot be changed the state"
        if before.over:
            assert kinds == ([] if event["event"] == "end" else ["rejected"])
        for ruling in rulings:
            assert ruling["public"] in (True, False)
            assert isinstance(ruling["why"], str) if ruling["ruling"] == "rejected" else ruling["clauses"]
        if after.centre is not None and (before.centre is None or before.laid is not None):
            self.laid = Counter(after.centre)
        if before.round < after.round or after.over:
            kept = sum(len(pile) for pile in after.piles) - sum(len(pile) for pile in before.piles)
            held = sum(card is not None for card in before.holds)
            assert kept <= held + 1
        self.state = after

    @invariant()
    def the_score_cards_of_a_round_lie_in_the_centre_or_with_one_player_each(self) -> None:
        state = self.state
        if state.centre is not None:
            held = [card for card in state.holds if card is not None]
            assert Counter(state.centre) + Counter(held) == self.laid
            assert state.over or len(state.centre) >= len(state.order) - state.chosen
        else:
            assert set(state.holds) == {None}

    @invariant()
    def counts_can_be(self) -> None:
        state = self.state
        assert 1 <= state.round <= FINAL
        assert state.committed <= {*state.order}
        assert all(state.forces[seat] is None or seat in state.committed for seat in range(len(state.forces)))
        assert state.over or state.chosen < len(state.order) or state.unread
        summary = jungle_bluff.summary(state)
        assert all(count >= 0 for count in summary["piles"].values())
        assert (summary["totals"] is None) is not state.over

    @invariant()
    def whoever_is_asked_can_take(self) -> None:
        expected = jungle_bluff.expected(self.state)
        if expected["waiting_for"] == "choice":
            card = (self.state.centre or ())[0]
            event = {"t_us": 0, "event": "take", "player": expected["asked"], "card": card}
            _, rulings = jungle_bluff.apply(self.state, event)
            assert rulings[0]["ruling"] == ("undecided" if card == "?" else "holds")
        for player in expected["may_play"] if expected["waiting_for"] == "commit" else ():
            assert jungle_bluff.apply(self.state, {"t_us": 0, "event": "commit", "player": player})[1] == []


AnyTable.TestCase.settings = settings(
    max_examples=100, stateful_step_count=50, deadline=None, suppress_health_check=list(HealthCheck)
)
test_any_table = AnyTable.TestCase


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), new=CHOICE, data=st.data())
def test_each_correction_equals_the_corrected_record_from_the_start(
    seed: int, new: dict[str, Any], data: st.DataObject
) -> None:
    record = bluff_games.play(seed, NAMES[: 2 + seed % 3], {"advanced": seed % 2 == 0}, clumsy=0.2, most_events=80)
    corrected, right = data.draw(corrections(record, new))
    assert judged(record.header, corrected) == judged(record.header, right)


@pytest.mark.parametrize("count", [2, 3, 4, 7, 10])
def test_the_same_game_gives_the_same_rulings_byte_for_byte_and_one_end(count: int) -> None:
    players = [f"player {number}" for number in range(count)]
    for seed in range(6):
        one, other = (bluff_games.play(seed, players, {"advanced": seed % 2 == 0}, clumsy=0.1) for _ in range(2))
        assert orjson.dumps(judged(one.header, one.events)) == orjson.dumps(judged(other.header, other.events))
        rulings, state = judged(one.header, one.events)
        assert state["over"]
        assert [ruling["ruling"] for ruling in rulings].count("round-over") == FINAL
        assert rulings[-1]["ruling"] == "over"


def test_a_game_in_which_everyone_keeps_a_card_ends_with_what_was_kept_and_not_drawn() -> None:
    """JB-28, JB-31: the totals are the cards kept in all rounds less the final forces."""
    for seed in range(20):
        record = bluff_games.play(seed, NAMES, {})
        rulings, _ = judged(record.header, record.events)
        kept: dict[str, int] = dict.fromkeys(NAMES, 0)
        for ruling in rulings:
            if ruling["ruling"] == "round-over":
                for name, card in ruling["kept"].items():
                    kept[name] += VALUES[card]
        finals: dict[str, Event] = {e["player"]: e for e in record.events if e["event"] == "force" and e["card"] != "?"}
        reveals = [place for place, event in enumerate(record.events) if event["event"] == "reveal"]
        last = record.events[reveals[-1] :]
        drawn = {name: event for name, event in finals.items() if event in last}
        for name, event in drawn.items():
            kept[name] -= VALUES[event["card"]]
        assert rulings[-1]["totals"] == kept
