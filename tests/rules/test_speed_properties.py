"""What holds for every match of Speed, whatever is done at the table."""

from __future__ import annotations

from typing import Any

import orjson
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from referee.rules import speed
from referee.rules.speed_play import play
from referee.rules.speed_state import BOTH, HAND, RANKS, UNREADABLE, State, fits
from referee.sim import speed_games
from referee.words import Event, Header
from tests.rules.judged import corrections, judged

PLAYERS = ["Ana", "Bilal"]
NAME = st.sampled_from((*PLAYERS, *PLAYERS, *PLAYERS, "Zoé"))
CARD = st.sampled_from((*speed_games.deck(), "9?", UNREADABLE, "back", "star/red", ""))
COUNT = st.sampled_from((1, 1, 1, 2, 3, 5, 0, -1, 16, 10**30))
PLAY = st.fixed_dictionaries(
    {
        "event": st.just("play"),
        "player": NAME | st.none(),
        "pile": st.sampled_from((1, 1, 1, 2, 2, 2, 0, 3, -(10**30))),
        "card": CARD,
    },
    optional={"together": st.sampled_from((1, 1, 1, "a", None, [], {"a": 1}))},
)
ANYTHING = st.one_of(
    PLAY,
    st.fixed_dictionaries({"event": st.just("turn_up"), "player": NAME, "card": CARD}),
    st.fixed_dictionaries({"event": st.just("draw"), "player": NAME, "count": COUNT}),
    st.fixed_dictionaries({"event": st.just("blocked"), "player": NAME}),
    st.fixed_dictionaries(
        {"event": st.just("reshuffle"), "counts": st.lists(st.integers(-1, 9), min_size=2, max_size=2)}
    ),
    st.fixed_dictionaries(
        {"event": st.just("recount")},
        optional={
            "hand": st.dictionaries(NAME, st.sampled_from((0, 1, 4, 5, 6, -1))),
            "draw": st.dictionaries(NAME, st.sampled_from((0, 0, 1, 15, 53))),
        },
    ),
    st.sampled_from(({"event": "end"}, {"event": "dance"}, {"event": "flip", "player": "Ana", "card": "2S"})),
)


def header(best_of: int = 3) -> Header:
    return {"record": "referee/1", "game": "speed", "players": PLAYERS, "options": {"best_of": best_of}}


def cards(state: State) -> int:
    """Every card of the table, wherever it lies."""
    return sum(state.hand) + sum(state.draw) + sum(state.side) + sum(state.central)


def sensible(state: State) -> st.SearchStrategy[dict[str, Any]]:
    """What a player might do now: a card that fits, a draw, a claim, a turn-up that is due, a fair shuffle."""
    moves: list[dict[str, Any]] = []
    for seat, name in enumerate(PLAYERS):
        for pile in (1, 2):
            top = state.tops[pile - 1]
            if top != UNREADABLE and state.hand[seat]:
                near = [f"{rank}S" for rank in RANKS if fits(f"{rank}S", top)]
                moves += [{"event": "play", "player": name, "pile": pile, "card": card} for card in near]
        moves.append({"event": "blocked", "player": name})
        if speed.could_draw(state, seat):
            missing = min(HAND - state.hand[seat], state.draw[seat])
            moves += [{"event": "draw", "player": name, "count": missing}] * 3
        if seat in state.owes:
            moves += [{"event": "turn_up", "player": name, "card": "7H"}] * 6
    if state.claims == BOTH:
        half = sum(state.central) // 2
        moves += [{"event": "reshuffle", "counts": [half, sum(state.central) - half]}] * 6
    return st.sampled_from(moves)


class AnyTable(RuleBasedStateMachine):
    """Plays anything, mostly what makes sense, and checks every step."""

    @initialize(best_of=st.sampled_from((1, 3, 5)))
    def begin(self, best_of: int) -> None:
        self.state = speed.start(header(best_of))
        self.cards = 52

    @rule(event=ANYTHING)
    def anything_happens(self, event: dict[str, Any]) -> None:
        self._happen(event)

    @rule(data=st.data())
    def something_sensible_happens(self, data: st.DataObject) -> None:
        self._happen(data.draw(sensible(self.state)))

    @rule(data=st.data())
    def a_player_runs_out_of_cards(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(PLAYERS))
        self._happen({"event": "recount", "hand": {name: 1}, "draw": {name: data.draw(st.integers(0, 1))}})

    def _happen(self, event: dict[str, Any]) -> None:
        event = {"t_us": 5, **event}
        frozen = orjson.dumps(event) if event.get("count") != 10**30 and event.get("pile") != -(10**30) else b""
        before = self.state
        after, rulings = speed.apply(before, event)
        assert not frozen or orjson.dumps(event) == frozen, "an event was changed"
        assert speed.apply(before, event) == (after, rulings), "the same event gave another answer"
        orjson.dumps(rulings)
        settled, then = before, rulings
        if before.held is not None and event.get("together") != before.held["together"]:
            settled, first = play(before._replace(held=None), before.held)
            after_it, then = speed.apply(settled, event)
            assert (after, rulings) == (after_it, [*first, *then]), "a held play was not judged as if it stood alone"
            if any(ruling["ruling"] == "game-won" for ruling in first):
                self.cards = cards(settled) if settled.over else 52
        elif (
            before.held is None
            and rulings
            and rulings[-1]["ruling"] in ("rejected", "illegal-play", "false-start", "fault")
        ):
            assert after == before, "what goes back changed the state"
        if before.over:
            assert [r["ruling"] for r in rulings] == ([] if event["event"] == "end" else ["rejected"])
        for ruling in rulings:
            assert ruling["public"] is True
            assert isinstance(ruling["why"], str) if ruling["ruling"] == "rejected" else ruling["clauses"]
        if event["event"] == "recount" and "rejected" not in {ruling["ruling"] for ruling in then}:
            self.cards += cards(after) - cards(settled)
        if any(ruling["ruling"] == "game-won" for ruling in then) and not after.over:
            self.cards = 52
        self.state = after

    @invariant()
    def cards_are_conserved(self) -> None:
        assert cards(self.state) == self.cards

    @invariant()
    def counts_can_be(self) -> None:
        state = self.state
        assert all(0 <= count <= HAND for count in state.hand)
        assert min(*state.draw, *state.side, *state.central) >= 0
        assert not (state.owes and state.claims)
        assert state.over is (max(state.wins) > state.setup.best_of // 2)
        assert state.over or all(speed.left(state, seat) for seat in (0, 1))
        for seat in state.owes:
            assert state.side[seat]

    @invariant()
    def what_is_expected_can_happen(self) -> None:
        expected = speed.expected(self.state)
        assert speed.summary(self.state)["over"] is (expected["waiting_for"] == "nothing")
        settled = speed.apply(self.state, {"t_us": 0, "event": "end"})[0]
        events: list[dict[str, Any]] = []
        events += [{"event": "turn_up", "player": name, "card": "7H"} for name in expected["may_flip"]]
        events += [{"event": "play", "player": name, "pile": 1, "card": "7H"} for name in expected["may_play"]]
        events += [{"event": "draw", "player": name, "count": 1} for name in expected["may_draw"]]
        for event in events:
            _, rulings = speed.apply(settled, {"t_us": 0, **event})
            assert not {"rejected", "fault", "false-start"} & {ruling["ruling"] for ruling in rulings}


AnyTable.TestCase.settings = settings(
    max_examples=100, stateful_step_count=50, deadline=None, suppress_health_check=list(HealthCheck)
)
test_any_table = AnyTable.TestCase


def near_the_end(tops: tuple[str, str], hands: tuple[int, int], best_of: int) -> State:
    """Both cards are up, and the hands are all that is left to lay."""
    return speed.start(header(best_of))._replace(
        hand=hands, draw=(0, 0), side=(5, 5), central=(1, 1), tops=tops, owes=frozenset()
    )


SOME_CARD = st.sampled_from(("6S", "7S", "8S", "9S", "7H", UNREADABLE))


@settings(max_examples=400, deadline=None)
@given(
    tops=st.tuples(SOME_CARD, SOME_CARD),
    hands=st.tuples(st.integers(1, 2), st.integers(1, 2)),
    best_of=st.sampled_from((1, 3)),
    plays=st.lists(
        st.tuples(st.sampled_from((*PLAYERS, None)), st.sampled_from((1, 2)), SOME_CARD), min_size=2, max_size=2
    ),
)
def test_two_plays_of_unknown_order_are_ruled_alike_in_either_order(
    tops: tuple[str, str], hands: tuple[int, int], best_of: int, plays: list[tuple[str | None, int, str]]
) -> None:
    """SP-G11, speed-decisions-8: what is ruled, and the state, are the same whichever stands first in the record."""
    state = near_the_end(tops, hands, best_of)
    events: list[Event] = [
        {"t_us": 0, "event": "play", "player": player, "pile": pile, "card": card, "together": "x"}
        for player, pile, card in plays
    ]

    def ruled(order: list[Event]) -> tuple[State, list[tuple[str, str, str]]]:
        held, none = speed.apply(state, order[0])
        assert none == []
        assert speed.summary(held)["hand"].keys() == speed.summary(state)["hand"].keys()
        after, rulings = speed.apply(held, order[1])
        return after, sorted((r["ruling"], r.get("player", ""), r.get("card", "")) for r in rulings)

    after, rulings = ruled(events)
    other, others = ruled(events[::-1])
    assert after == other
    assert rulings == others
    if [kind for kind, _, _ in rulings] == ["undecided", "undecided"]:
        assert after == state


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), new=PLAY.filter(lambda play: play.get("pile") in (1, 2)), data=st.data())
def test_each_correction_equals_the_corrected_record_from_the_start(
    seed: int, new: dict[str, Any], data: st.DataObject
) -> None:
    record = speed_games.play(seed, PLAYERS, clumsy=0.2, most_events=120)
    corrected, right = data.draw(corrections(record, new))
    assert judged(record.header, corrected) == judged(record.header, right)


def test_the_same_match_gives_the_same_rulings_byte_for_byte() -> None:
    for seed in range(20):
        one, other = (speed_games.play(seed, PLAYERS, {"best_of": 5}, clumsy=0.1) for _ in range(2))
        assert orjson.dumps(judged(one.header, one.events)) == orjson.dumps(judged(other.header, other.events))


def test_a_match_played_by_chance_comes_to_its_end_and_nothing_stays_undecided() -> None:
    for seed in range(60):
        record = speed_games.play(seed, PLAYERS, {"best_of": (1, 3, 5)[seed % 3]}, clumsy=0.1)
        rulings, state = judged(record.header, record.events)
        assert state["over"]
        assert [r["ruling"] for r in rulings].count("match-won") == 1
        assert "undecided" not in {ruling["ruling"] for ruling in rulings}
