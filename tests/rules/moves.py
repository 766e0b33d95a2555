"""What can be done at a table: every kind of event, possible or not, for property tests and counted trees."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import strategies as st

from referee.rules import jungle_speed
from referee.rules.jungle_speed_state import State

SHAPES = ("knot", "star", "moon")
COLOURS = ("green", "orange")
SYMBOLS = tuple(f"{shape}/{colour}" for shape in SHAPES for colour in COLOURS)
ARROWS = ("arrow/in", "arrow/out", "arrow/colour")
NAMES = ("Ana", "Bilal", "Chloé", "Driss", "Eva")


def table_cards(state: State) -> Counter[str | None]:
    """Every card of the table, wherever it lies."""
    cards: Counter[str | None] = Counter(state.pot)
    for pile in (*state.reserve, *state.face_up):
        cards.update(pile)
    return cards


def true_flip(state: State, seat: int, t_us: int = 0) -> dict[str, Any]:
    """The flip of the card that really lies on top of a reserve."""
    return {"t_us": t_us, "event": "flip", "player": state.setup.players[seat], "card": state.reserve[seat][0]}


@st.composite
def starts(draw: st.DrawFn) -> dict[str, Any]:
    """A header with small known piles, any house rules, perhaps somebody out."""
    count = draw(st.sampled_from((3, 3, 4, 4, 5)))
    players = list(NAMES[:count])
    options: dict[str, Any] = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "end": st.sampled_from(("two-left", "first-out")),
                "simultaneous_ms": st.sampled_from((0, 40, 100)),
                "missed_duel": st.sampled_from(("stays", "lapses")),
                "unknown_fall": st.sampled_from(("pot", "void")),
                "last_out": st.sampled_from(("pile", "card")),
                "last_colour": st.sampled_from(("automatic", "if-missed")),
                "leftovers": st.sampled_from(("dealt", "pot")),
            },
        )
    )
    if count in (4, 5) and draw(st.booleans()):
        options["permanent_colour"] = True
    if count == 4 and draw(st.booleans()):
        options["hands"] = 2
    kinds = SYMBOLS + (ARROWS if count > 3 else ARROWS[:2])
    card = st.sampled_from(kinds)
    start: dict[str, Any] = {
        "reserve": {name: draw(st.lists(card, max_size=5)) for name in players},
        "face_up": {name: draw(st.lists(st.sampled_from((*SYMBOLS, "?")), max_size=2)) for name in players},
        "pot": draw(st.lists(card, max_size=2)),
        "turn": draw(st.sampled_from(players)),
        "colour_mode": draw(st.booleans()),
    }
    if draw(st.integers(0, 5)) == 0:
        gone = draw(st.sampled_from(players))
        start["out"] = [gone]
        start["reserve"][gone], start["face_up"][gone] = [], []
    return {"record": "referee/1", "game": "jungle-speed", "players": players, "options": options, "start": start}


def _interval(low: int, high: int) -> st.SearchStrategy[Any]:
    exact = st.integers(low, high)
    return exact | st.tuples(exact, exact).map(sorted)


def hands(players: list[str]) -> st.SearchStrategy[list[dict[str, Any]]]:
    """One to four hands of anybody, close together or not."""
    hand = st.fixed_dictionaries(
        {
            "player": st.sampled_from([*players, *players, *players, None]),
            "t_us": st.sampled_from((0, 0, 20_000, 40_000, 40_001, 90_000)),
            "fingers": _interval(0, 5),
            "lowest_mm": _interval(0, 9),
        },
        optional={"grip": st.booleans()},
    )
    return st.lists(hand, min_size=1, max_size=4)


def events(state: State) -> st.SearchStrategy[dict[str, Any]]:
    """Any event, likely ones more often; a flip shows the card that really lies there."""
    players = list(state.setup.players)
    able = [seat for seat, pile in enumerate(state.reserve) if pile and not state.rank[seat]]
    name = st.sampled_from(players)
    kinds: list[st.SearchStrategy[dict[str, Any]]] = [
        st.fixed_dictionaries(
            {"event": st.just("grab"), "hands": hands(players)},
            optional={"fell": st.fixed_dictionaries({"t_us": st.just(9), "player": name | st.none()})},
        ),
        st.fixed_dictionaries({"event": st.just("fall"), "player": name | st.none()}),
        st.fixed_dictionaries(
            {"event": st.just("choose"), "player": name, "choice": st.sampled_from(("duel", "arrow"))}
        ),
        st.fixed_dictionaries({"event": st.just("pick_up"), "player": name}),
        st.fixed_dictionaries(
            {"event": st.just("share"), "player": name, "shares": st.dictionaries(name, st.integers(-1, 4), max_size=3)}
        ),
        st.just({"event": "end"}),
        st.just({"event": "dance"}),
    ]
    if able:
        flip = st.sampled_from(able).map(lambda seat: true_flip(state, seat))
        turn = st.just(true_flip(state, state.turn)) if state.turn in able else flip
        kinds += [flip, flip, turn, turn, turn, turn]
    if state.choice is not None:
        taker = players[state.choice.taker]
        kinds += [st.sampled_from([{"event": "choose", "player": taker, "choice": c} for c in ("duel", "arrow")])] * 8
    if state.share is not None:
        kinds += [_right_share(state)] * 4
    return st.one_of(kinds).map(lambda event: {"t_us": 0, **event})


def _right_share(state: State) -> st.SearchStrategy[dict[str, Any]]:
    assert state.share is not None
    share, players = state.share, state.setup.players
    cards = len(state.face_up[share.winner]) + len(state.pot)
    first, *others = share.losers

    def give(count: int) -> dict[str, Any]:
        shares = {players[first]: count, players[others[0]]: cards - count}
        return {"event": "share", "player": players[share.winner], "shares": shares}

    return st.integers(0, cards).map(give)


def likely(state: State) -> list[dict[str, Any]]:
    """The moves of a counted tree: every flip of a real card, one hand of each player, falls, choices, shares."""
    players = state.setup.players
    moves: list[dict[str, Any]] = [
        true_flip(state, seat) for seat, pile in enumerate(state.reserve) if pile and not state.rank[seat]
    ]
    for name in players:
        hand = {"player": name, "t_us": 0, "fingers": 3, "lowest_mm": 40}
        moves.append({"t_us": 0, "event": "grab", "hands": [hand]})
        moves.append({"t_us": 0, "event": "fall", "player": name})
        for choice in ("duel", "arrow"):
            moves.append({"t_us": 0, "event": "choose", "player": name, "choice": choice})
    moves.append({"t_us": 0, "event": "fall", "player": None})
    if state.share is not None:
        moves.append({"t_us": 0, "event": "end"})
    return moves


def play(header: dict[str, Any], moves: list[dict[str, Any]]) -> tuple[State, list[dict[str, Any]]]:
    """Start a game and judge some events."""
    state = jungle_speed.start(header)  # type: ignore[arg-type]
    given: list[dict[str, Any]] = []
    for move in moves:
        state, rulings = jungle_speed.apply(state, move)
        given += rulings
    return state, given
