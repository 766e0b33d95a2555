"""What can be done at a table of Dobro: every kind of event, possible or not, for the property tests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from referee.rules.dobro_setup import ASIDE, PACK, REVERSES
from referee.rules.dobro_state import State

NAMES = ("Ana", "Bilal", "Chloé", "Driss", "Eva", "Farid")
PLAYABLE = (*(str(number) for number in range(2, 13)), "joker", "skip", "reverse")
ABSURD = ("1", "13", "back", "oubli", "direction", "", "AS", "02")


def cards_of_a_round(state: State) -> int:
    """How many cards a round has: those that are played with, not the ten set aside for two players (DO-60)."""
    return PACK - REVERSES - ASIDE if len(state.hand) == 2 else PACK


def cards_on_the_table(state: State) -> int:
    """Every card of the round, wherever it lies."""
    return sum(state.hand) + state.pile + sum(state.piles) + state.table


@st.composite
def headers(draw: st.DrawFn) -> dict[str, Any]:
    """A header with any number of players and any house rules."""
    players = list(NAMES[: draw(st.integers(2, 6))])
    points = st.lists(st.integers(-1000, 1000), min_size=len(players), max_size=len(players))
    options = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "long_game": st.booleans(),
                "oubli_called_by": st.sampled_from(("players", "referee")),
                "scoring": points.map(lambda table: {str(len(players)): table}),
            },
        )
    )
    return {"record": "referee/1", "game": "dobro", "players": players, "options": options}


def plays(players: list[str], turn: str) -> st.SearchStrategy[dict[str, Any]]:
    """Any play: mostly by whose turn it is, now and then with cards or values that cannot be."""
    card = st.sampled_from(PLAYABLE) | st.sampled_from(PLAYABLE[4:]) | st.sampled_from((*ABSURD, "?"))
    high = st.sampled_from(("9", "10", "11", "12", "joker", "skip"))
    return st.fixed_dictionaries(
        {
            "event": st.just("play"),
            "player": st.sampled_from([turn] * 8 + [*players, None, "Zoé"]),
            "cards": st.lists(card, max_size=3) | high.map(lambda one: [one]) | high.map(lambda one: [one, one]),
        },
        optional={"value": st.integers(1, 13) | st.just(12) | st.integers(-(2**63), 2**63)},
    )


def events(state: State) -> st.SearchStrategy[dict[str, Any]]:
    """Any event, likely ones more often."""
    players = list(state.setup.players)
    turn = players[state.turn] if not state.over else players[0]
    name = st.sampled_from(players)
    anybody = st.sampled_from([*players, *players, "Zoé"])
    some = st.integers(-1, 8)
    play = plays(players, turn)
    kinds: list[st.SearchStrategy[dict[str, Any]]] = [
        play,
        play,
        play,
        st.fixed_dictionaries(
            {"event": st.just("pass"), "player": st.sampled_from([turn, turn, *players])},
            optional={"only_specials": st.booleans()},
        ),
        st.fixed_dictionaries({"event": st.just("draw"), "player": anybody, "count": some | st.integers(1, 2)}),
        st.fixed_dictionaries({"event": st.just("call"), "player": anybody, "on": anybody}),
        st.just({"event": "end"}),
        st.just({"event": "dance"}),
    ]
    if state.forgetters:
        forgetter = st.sampled_from([players[seat] for seat in sorted(state.forgetters)])
        kinds.append(st.fixed_dictionaries({"event": st.just("call"), "player": name, "on": forgetter}))
    return st.one_of(kinds).flatmap(lambda event: times().map(lambda t_us: {"t_us": t_us, **event}))


def times() -> st.SearchStrategy[int]:
    """Moments close together, far apart, and anywhere."""
    return st.sampled_from((0, 1_999_999, 2_000_000, 4_000_000, 9_000_000)) | st.integers(-(2**53), 2**53)


def recounts(state: State) -> st.SearchStrategy[dict[str, Any]]:
    """A person counts: hands and the pile become small, so that a round ends soon."""
    name = st.sampled_from([*state.setup.players, "Zoé"])
    return st.fixed_dictionaries(
        {"t_us": st.just(0), "event": st.just("recount")},
        optional={"hand": st.dictionaries(name, st.integers(-1, 7), max_size=6), "pile": st.integers(-1, 3)},
    )


def likely(state: State) -> list[dict[str, Any]]:
    """The moves of a counted tree: what the one in turn can lay, in time and too soon, and what anybody may say."""
    players = state.setup.players
    name = players[state.turn]
    before = 0 if state.latest is None else state.latest.t_us
    moves: list[dict[str, Any]] = [
        {"t_us": before + 3_000_000, "event": "play", "player": name, "cards": cards}
        for cards in (["9"], ["12"], ["9", "9"], ["9", "joker"], ["skip"], ["reverse"], ["?"], ["9", "skip"])
    ]
    moves.append({"t_us": before + 3_000_000, "event": "play", "player": name, "cards": ["joker"], "value": 12})
    moves.append({"t_us": before + 1_000_000, "event": "play", "player": name, "cards": ["12"]})
    moves.append({"t_us": before, "event": "play", "player": players[state.turn - 1], "cards": ["9"]})
    moves.append({"t_us": before, "event": "pass", "player": name})
    moves.append({"t_us": before, "event": "pass", "player": name, "only_specials": True})
    for player in players:
        moves.append({"t_us": before, "event": "draw", "player": player, "count": 1})
        moves.append({"t_us": before, "event": "call", "player": name, "on": player})
    return moves
