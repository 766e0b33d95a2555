"""What holds for Dobro whatever is done at a table."""

from __future__ import annotations

import copy
import io
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from referee.adjudication import Game, adjudicate
from referee.errors import RecordError
from referee.record import Record, read_records
from referee.rules import dobro
from referee.rules.dobro_state import NOBODY, State, owes_a_draw
from referee.sim.dobro_games import play
from tests.rules import cases
from tests.rules import dobro_moves as moves

NOTHING_CHANGES = {"rejected", "illegal-play", "undecided"}


class AnyTable(RuleBasedStateMachine):
    """Anything is done at a table; what must hold is checked after every event."""

    def __init__(self) -> None:
        super().__init__()
        self.state: State
        self.cards = 0

    @initialize(header=moves.headers())
    def begin(self, header: dict[str, Any]) -> None:
        self.state = dobro.start(header)  # type: ignore[arg-type]
        self.cards = moves.cards_of_a_round(self.state)

    @rule(data=st.data())
    def something_happens(self, data: st.DataObject) -> None:
        self.judge(data.draw(moves.events(self.state)))

    @rule(data=st.data())
    def somebody_counts(self, data: st.DataObject) -> None:
        event = data.draw(moves.recounts(self.state))
        before = self.state
        kinds = self.judge(event)
        if before.round == self.state.round and not self.state.over and "rejected" not in kinds:
            self.cards = moves.cards_on_the_table(self.state)  # the only event that may make or lose cards

    @rule()
    def somebody_goes_out(self) -> None:
        state = self.state
        player = state.setup.players[state.turn]
        if not state.over and (state.latest is None or not owes_a_draw(state, state.latest.seat)):
            self.judge({"t_us": 0, "event": "recount", "hand": {player: 1}, "pile": 0})
            self.cards = moves.cards_on_the_table(self.state)
            if self.state.round == state.round and not self.state.over:  # nobody else's empty hand ended it
                last = "12" if state.value is None else "skip"
                assert "round-over" in self.judge({"t_us": 0, "event": "play", "player": player, "cards": [last]})

    def judge(self, event: dict[str, Any]) -> list[str]:
        before, word = self.state, copy.deepcopy(event)
        after, rulings = dobro.apply(before, event)
        assert dobro.apply(before, event) == (after, rulings), "the same state and event gave another answer"
        assert event == word, "an event was changed"
        self.state = after
        kinds = [ruling["ruling"] for ruling in rulings]
        self.check_rulings(before, event, rulings)
        if before.over and event["event"] != "end":
            assert kinds == ["rejected"]
        if NOTHING_CHANGES & set(kinds) or event["event"] == "end":
            assert after == before
            assert len(kinds) == (event["event"] != "end")
        if {ruling.get("kind") for ruling in rulings} & {"out-of-turn", "false-call"}:
            assert after == before
        if "round-over" in kinds and not after.over:
            assert after.round == before.round + 1
            self.cards = moves.cards_of_a_round(after)
        return kinds

    def check_rulings(self, before: State, event: dict[str, Any], rulings: list[dict[str, Any]]) -> None:
        for ruling in rulings:
            assert ruling["t_us"] == event["t_us"]
            assert ruling["public"] is True
            assert ruling["clauses"] or ruling["ruling"] == "rejected"
            orjson.dumps(ruling)
            if ruling["ruling"] == "value":
                assert event["player"] == before.setup.players[before.turn]
                assert before.value is None or ruling["value"] >= before.value
                assert not ruling["doubled"] or ruling["value"] == 2 * (before.value or 0)
            if ruling["ruling"] == "round-over":
                assert sum(ruling["counts"].values()) <= moves.cards_on_the_table(before)
                most = max(ruling["points"].values())
                assert ruling["points"][ruling["opener"]] == most

    @invariant()
    def cards_are_conserved(self) -> None:
        if not self.state.over:
            assert moves.cards_on_the_table(self.state) == self.cards

    @invariant()
    def the_state_makes_sense(self) -> None:
        state = self.state
        assert (state.value is None) == (state.table == 0)
        assert state.over == (state.turn == NOBODY)
        assert state.over or state.pile > 0 or all(state.hand), "a round has an end"
        assert all(count >= 0 for count in (*state.hand, *state.piles, state.pile))
        assert state.declared == 0 or (state.value is None and state.pile == 0)
        assert state.latest is None or state.latest.seat not in state.forgetters
        for seat in state.forgetters:
            assert state.pile == 0 or owes_a_draw(state, seat)

    @invariant()
    def what_is_expected_can_happen(self) -> None:
        expected, summary = dobro.expected(self.state), dobro.summary(self.state)
        assert summary["over"] is (expected["waiting_for"] == "nothing")
        for name in expected["may_play"]:
            assert name == summary["turn"] == expected["asked"]
            _, rulings = dobro.apply(self.state, {"t_us": 0, "event": "play", "player": name, "cards": ["12"]})
            assert all(ruling.get("kind") != "out-of-turn" for ruling in rulings)
        for name in expected["may_draw"]:
            _, rulings = dobro.apply(self.state, {"t_us": 0, "event": "draw", "player": name, "count": 1})
            assert all(ruling["ruling"] == "round-over" or ruling["ruling"] == "over" for ruling in rulings)


AnyTable.TestCase.settings = settings(
    max_examples=150, stateful_step_count=50, deadline=None, suppress_health_check=list(HealthCheck)
)
test_any_table = AnyTable.TestCase


def adjudicated(record: Record) -> tuple[bytes, dict[str, Any]]:
    game = Game(record.header)
    rulings = [ruling for _, given in adjudicate(game, record.events) for ruling in given]
    return orjson.dumps(rulings), game.summary()


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
def test_the_same_record_gives_the_same_rulings_byte_for_byte(count: int) -> None:
    players = moves.NAMES[:count]
    assert adjudicated(play(count, players, clumsy=0.2)) == adjudicated(play(count, players, clumsy=0.2))


@pytest.mark.parametrize("clumsy", [0.0, 0.1, 0.4])
@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
def test_a_whole_game_ends_after_its_rounds_with_the_points_added_up(count: int, clumsy: float) -> None:
    record = play(count, moves.NAMES[:count], {"long_game": True}, clumsy=clumsy)
    rulings, state = adjudicated(record)
    given: list[dict[str, Any]] = orjson.loads(rulings)
    rounds = [ruling for ruling in given if ruling["ruling"] == "round-over"]
    assert len(rounds) == count
    assert state["over"] is True
    (over,) = [ruling for ruling in given if ruling["ruling"] == "over"]
    for name, total in state["totals"].items():
        assert total == over["totals"][name] == sum(ruling["points"][name] for ruling in rounds)
    if not clumsy:
        assert {ruling["ruling"] for ruling in given} <= {"value", "picks-up", "round-over", "over"}


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 10_000), data=st.data())
def test_each_correction_equals_the_corrected_record_from_the_start(seed: int, data: st.DataObject) -> None:
    record = play(seed, moves.NAMES[: 2 + seed % 5], clumsy=0.2, most_events=60)
    events = [event for event in record.events if event["event"] != "end"]
    place = data.draw(st.integers(0, len(events) - 1))
    kind = data.draw(st.sampled_from(("replace", "take back", "insert")))
    state: State = dobro.start(record.header)
    new = {**data.draw(moves.events(state)), "t_us": events[place]["t_us"]}
    correct: dict[str, Any] = {"t_us": 9, "event": "correct", "by": "host", "reason": "seen again"}
    if kind == "replace":
        correct |= {"ref": place, "with": new}
        right = [*events[:place], new, *events[place + 1 :]]
    elif kind == "take back":
        correct |= {"ref": place, "with": None}
        right = [*events[:place], *events[place + 1 :]]
    else:
        correct |= {"before": place, "with": new}
        right = [*events[:place], new, *events[place:]]
    corrected, state_after = adjudicated(Record(record.header, [*events, correct], []))
    wanted, wanted_state = adjudicated(Record(record.header, list(right), []))
    assert state_after == wanted_state
    assert _without_places(corrected) == _without_places(wanted)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)
FIELDS = {
    "player": st.sampled_from(("Ana", "Bilal", "Zoé")),
    "cards": st.lists(st.sampled_from((*moves.PLAYABLE, "?", "back")), max_size=3),
    "value": st.integers(-(2**70), 2**70) | st.integers(1, 13),
    "count": st.integers(-9, 1000),
    "on": st.sampled_from(("Ana", "Bilal", "Zoé")),
    "only_specials": st.booleans(),
    "hand": st.dictionaries(st.sampled_from(("Ana", "Zoé")), st.integers(-1, 1000), max_size=2),
    "pile": st.integers(-9, 1000),
    "between": ANYTHING,
    "ref": st.integers(-1, 3),
    "with": st.none() | st.just({"event": "pass", "player": "Ana"}),
}
KINDS = st.sampled_from(("play", "pass", "draw", "call", "recount", "correct", "flip", "grab", "end"))
JUNK = st.dictionaries(st.sampled_from((*FIELDS, "before", "confidence", "t_us", "event")), ANYTHING, max_size=1)
ANY_EVENT = st.builds(
    lambda event, junk: {**event, **junk},
    st.fixed_dictionaries({"t_us": st.integers(0, 9), "event": KINDS, **FIELDS}),
    st.just({}) | st.just({}) | JUNK,
)


@settings(max_examples=400, deadline=None)
@given(events=st.lists(ANY_EVENT, max_size=4))
def test_whatever_can_be_read_is_judged_and_the_rest_is_refused_in_one_sentence(events: list[dict[str, Any]]) -> None:
    header = {"record": "referee/1", "game": "dobro", "players": ["Ana", "Bilal"]}
    refused = ""
    try:
        for record in read_records(io.BytesIO(cases.as_bytes([header, *events])), "any"):
            rulings, state = adjudicated(record)
            assert all(ruling["ruling"] and ruling["public"] for ruling in orjson.loads(rulings))
            assert 1 <= state["round"] <= 3
    except RecordError as error:
        refused = str(error)
    assert "\n" not in refused


def _without_places(rulings: bytes) -> list[Any]:
    return [{k: v for k, v in ruling.items() if k != "event"} for ruling in orjson.loads(rulings)]
