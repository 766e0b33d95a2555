"""What holds for every game of Jungle Speed, whatever is done at the table."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from referee.adjudication import Game, adjudicate
from referee.record import Record
from referee.rules import jungle_speed
from referee.rules.jungle_speed_state import NOBODY, State, entitled
from referee.sim.games import play
from tests.rules import moves

MOVED = {"won", "to-pot", "fault"}


class AnyTable(RuleBasedStateMachine):
    """Plays anything on a small table with known cards and checks every step."""

    @initialize(header=moves.starts())
    def begin(self, header: dict[str, Any]) -> None:
        self.state: State = jungle_speed.start(header)  # type: ignore[arg-type]
        self.cards = moves.table_cards(self.state)

    @rule(data=st.data())
    def something_happens(self, data: st.DataObject) -> None:
        event = data.draw(moves.events(self.state))
        frozen = orjson.dumps(event)
        before = self.state
        after, rulings = jungle_speed.apply(before, event)
        assert orjson.dumps(event) == frozen, "an event was changed"
        assert jungle_speed.apply(before, event) == (after, rulings), "the same event gave another answer"
        orjson.dumps(rulings)
        self._check_rejection(before, after, rulings)
        if before.over:
            assert event["event"] == "end" or [r["ruling"] for r in rulings] == ["rejected"]
        for ruling in rulings:
            assert ruling["public"] in (True, False)
            assert isinstance(ruling["why"], str) if ruling["ruling"] == "rejected" else ruling["clauses"]
        self.state = after

    def _check_rejection(self, before: State, after: State, rulings: list[dict[str, Any]]) -> None:
        kinds = [ruling["ruling"] for ruling in rulings]
        if kinds == ["rejected"] and before.volley is None:
            assert after == before, "a rejected event changed the state"
        assert "rejected" not in kinds[:-1], "something was ruled after the rejection"

    @invariant()
    def cards_are_conserved_and_each_in_one_place(self) -> None:
        assert moves.table_cards(self.state) == self.cards

    @invariant()
    def live_things_hang_on_the_tops_that_are_shown(self) -> None:
        state = self.state
        for duel in state.duels:
            assert len(duel.members) > 1
            tops = {jungle_speed.face(state.face_up[seat][-1]) for seat in duel.members}
            assert len({top.colour if duel.by == "colour" else top.shape for top in tops}) == 1
            assert duel.by == "colour" if state.colour_mode else duel.by == "shape"
        for arrow in state.inward:
            assert state.face_up[arrow.owner][-1] == "arrow/in"
        for owner in state.waiting:
            assert state.face_up[owner][-1] == "arrow/out"
        for last in state.last:
            assert state.face_up[last.owner][-1] == last.card

    @invariant()
    def whose_turn_it_is_can_flip(self) -> None:
        state = self.state
        if state.over:
            assert state.turn == NOBODY
            assert not entitled(state)
        elif state.turn != NOBODY and state.volley is None and state.choice is None and state.share is None:
            assert state.reserve[state.turn]
            assert not state.rank[state.turn]
        if state.volley is not None:
            assert state.volley.owes
            assert all(state.reserve[seat] and not state.rank[seat] for seat in state.volley.owes)

    @invariant()
    def what_is_expected_can_happen(self) -> None:
        expected = jungle_speed.expected(self.state)
        seats = self.state.setup.seats
        for name in expected["may_flip"]:
            _, rulings = jungle_speed.apply(self.state, moves.true_flip(self.state, seats[name]))
            assert all(r["ruling"] != "rejected" and r.get("kind") != "out-of-turn" for r in rulings)
        summary = jungle_speed.summary(self.state)
        assert summary["over"] is (expected["waiting_for"] == "nothing")


AnyTable.TestCase.settings = settings(
    max_examples=120, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
test_any_table = AnyTable.TestCase


@settings(max_examples=300, deadline=None)
@given(header=moves.starts(), data=st.data())
def test_the_short_cut_for_a_calm_flip_gives_the_same_state_as_the_long_way(
    header: dict[str, Any], data: st.DataObject
) -> None:
    state = jungle_speed.start(header)  # type: ignore[arg-type]
    for _ in range(6):
        event = data.draw(moves.events(state))
        short = jungle_speed._calm_flip(state, event) if event["event"] == "flip" else None
        if short is not None:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(jungle_speed, "_calm_flip", lambda state, event: None)
                assert jungle_speed.apply(state, event) == (short, [])
        state, _ = jungle_speed.apply(state, event)


def adjudicated(record: Record) -> tuple[bytes, dict[str, Any]]:
    game = Game(record.header)
    rulings = [ruling for _, given in adjudicate(game, record.events) for ruling in given]
    return orjson.dumps(rulings), game.summary()


@pytest.mark.parametrize("count", [3, 4, 5, 6, 7, 8, 9, 10])
def test_the_same_record_gives_the_same_rulings_byte_for_byte(count: int) -> None:
    players = [f"player {number}" for number in range(count)]
    record = play(count, players, clumsy=0.2)
    assert adjudicated(record) == adjudicated(play(count, players, clumsy=0.2))


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), data=st.data())
def test_each_correction_equals_the_corrected_record_from_the_start(seed: int, data: st.DataObject) -> None:
    record = play(seed, moves.NAMES[: 3 + seed % 3], clumsy=0.2, most_events=60)
    events = [event for event in record.events if event["event"] != "end"]
    place = data.draw(st.integers(0, len(events) - 1))
    kind = data.draw(st.sampled_from(("replace", "take back", "insert")))
    new = {"t_us": events[place]["t_us"], "event": "fall", "player": data.draw(st.sampled_from(("Ana", None)))}
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
    corrected, state = adjudicated(Record(record.header, [*events, correct], []))
    wanted, wanted_state = adjudicated(Record(record.header, list(right), []))
    assert state == wanted_state
    assert _without_places(corrected) == _without_places(wanted)


def _without_places(rulings: bytes) -> list[Any]:
    return [{k: v for k, v in ruling.items() if k != "event"} for ruling in orjson.loads(rulings)]


def test_a_loser_turns_the_cards_again_in_the_order_in_which_they_were_slid_under() -> None:
    """grab-10: own pile, then the winner's, then the pot, each bottom first."""
    header = {
        "record": "referee/1",
        "game": "jungle-speed",
        "players": ["Ana", "Bilal", "Chloé"],
        "start": {
            "reserve": {"Ana": ["moon/green"], "Bilal": ["star/green", "knot/green"], "Chloé": ["sun/red"]},
            "face_up": {"Ana": ["bee/red", "knot/red"]},
            "pot": ["owl/red"],
            "turn": "Bilal",
        },
    }
    grab = {"player": "Bilal", "t_us": 0, "fingers": 3, "lowest_mm": 9}
    state, _ = moves.play(
        header,
        [
            {"t_us": 0, "event": "flip", "player": "Bilal", "card": "knot/green"},
            {"t_us": 1, "event": "grab", "hands": [grab]},
        ],
    )
    assert state.reserve[0] == ("moon/green", "bee/red", "knot/red", "knot/green", "owl/red")
