"""The totem falls: who pays, and what it ends."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.cases import run

PLAYERS = ["Ana", "Bilal", "Chloé", "Driss"]


def fallen(player: str | None, options: dict[str, Any], *, volley: bool = False) -> tuple[list[Any], dict[str, Any]]:
    header = {
        "record": "referee/1",
        "game": "jungle-speed",
        "players": PLAYERS,
        "options": options,
        "start": {"reserve": {"Ana": 9, "Bilal": 9, "Chloé": 0, "Driss": 9}, "face_up": {"Chloé": ["sun/red"]}},
    }
    flips = [{"t_us": 0, "event": "flip", "player": "Ana", "card": "arrow/out" if volley else "knot/red"}]
    if volley:
        flips.append({"t_us": 1, "event": "flip", "player": "Bilal", "card": "sun/blue"})
    rulings, state = run([header, *flips, {"t_us": 2, "event": "fall", "player": player}])
    return [ruling for ruling in rulings if ruling["t_us"] == 2], state


def test_when_nobody_knows_who_did_it_all_piles_go_to_the_pot_and_the_turn_stays() -> None:
    """JS-G20, grab-9: and who had only a pile left is out."""
    (to_pot, out), state = fallen(None, {})
    assert (to_pot["player"], to_pot["cards"], to_pot["pot"], to_pot["next"]) == (None, 2, 2, "Bilal")
    assert (out["ruling"], out["player"], state["turn"]) == ("out", "Chloé", "Bilal")


def test_in_an_open_volley_the_next_named_is_who_flips_once_it_is_closed() -> None:
    (duel, to_pot, _), state = fallen(None, {}, volley=True)
    assert duel["players"] == ["Bilal", "Chloé"], "a fall judges the cards flipped so far"
    assert (to_pot["next"], state["turn"]) == ("Bilal", None)


def test_with_the_house_rule_void_nothing_moves() -> None:
    assert fallen(None, {"unknown_fall": "void"})[0] == []


@pytest.mark.parametrize(("player", "kind"), [("Chloé", "knocked-over"), ("Driss", "wrong-fall")])
def test_a_duellist_sets_it_up_again_and_anybody_else_pays(player: str, kind: str) -> None:
    assert [ruling.get("kind") for ruling in fallen(player, {}, volley=True)[0]][1] == kind


def test_a_late_intruder_whose_last_cards_another_intruder_had_to_pick_up_is_out_and_only_warned() -> None:
    """JS-G38: Bilal has only his pile; Driss, who intervened before him, picks it up."""
    header = {
        "record": "referee/1",
        "game": "jungle-speed",
        "players": [*PLAYERS, "Eva"],
        "start": {
            "reserve": {"Ana": 9, "Bilal": 0, "Chloé": 9, "Driss": 9, "Eva": 9},
            "face_up": {"Ana": ["knot/red"], "Bilal": ["sun/red"]},
            "turn": "Chloé",
        },
    }
    flip = {"t_us": 0, "event": "flip", "player": "Chloé", "card": "knot/blue"}
    hands = [
        {"player": player, "t_us": t_us, "fingers": 3, "lowest_mm": 9}
        for player, t_us in (("Ana", 2), ("Driss", 200_000), ("Bilal", 300_000))
    ]
    rulings, state = run([header, flip, {"t_us": 2, "event": "grab", "hands": hands}])
    said = [(ruling["ruling"], ruling.get("kind"), ruling.get("player")) for ruling in rulings if ruling["t_us"] == 2]
    assert said == [
        ("won", None, None),
        ("fault", "intervention", "Driss"),
        ("out", None, "Bilal"),
        ("warning", "out-player", "Bilal"),
    ]
    assert state["out"] == ["Bilal"]


def test_who_had_a_share_to_pick_up_is_right_to_even_when_the_next_event_sent_all_piles_to_the_pot() -> None:
    """pick-up: the winner had not shared yet when the totem fell by nobody knows whose hand."""
    header = {
        "record": "referee/1",
        "game": "jungle-speed",
        "players": PLAYERS,
        "start": {
            "reserve": dict.fromkeys(PLAYERS, 9),
            "face_up": {"Ana": ["knot/red"], "Bilal": ["knot/blue"], "Driss": ["sun/red"]},
            "turn": "Chloé",
        },
    }
    events = [
        {"event": "flip", "player": "Chloé", "card": "knot/green"},
        {"event": "grab", "hands": [{"player": "Ana", "t_us": 1, "fingers": 3, "lowest_mm": 9}]},
        {"event": "fall", "player": None},
        {"event": "pick_up", "player": "Bilal"},
        {"event": "pick_up", "player": "Driss"},
    ]
    rulings, _ = run([header, *[{"t_us": t_us, **event} for t_us, event in enumerate(events)]])
    assert [r["player"] for r in rulings if r.get("kind") == "wrong-pick-up"] == ["Driss"]


@pytest.mark.parametrize(
    ("event", "why"),
    [
        ({"event": "grab", "hands": [{"player": "Ana", "t_us": 0, "fingers": 3, "lowest_mm": [5, 3]}]}, "lowest_mm"),
        ({"event": "recount", "reserve": {"Ana": -1}}, "expected 0 to 1000 cards"),
        ({"event": "recount", "reserve": {"Zoé": 3}}, "Zoé is not among"),
    ],
)
def test_values_that_cannot_be_are_rejected(event: dict[str, Any], why: str) -> None:
    """recount"""
    header = {"record": "referee/1", "game": "jungle-speed", "players": PLAYERS}
    (rejected,), _ = run([header, {"t_us": 0, **event}])
    assert (rejected["ruling"], rejected["event"]) == ("rejected", 0)
    assert why in rejected["why"]


def test_a_player_who_is_out_cannot_be_counted_cards() -> None:
    """recount, out"""
    header = {
        "record": "referee/1",
        "game": "jungle-speed",
        "players": PLAYERS,
        "start": {"reserve": {"Ana": 9, "Bilal": 9, "Chloé": 9}, "out": ["Driss"]},
    }
    (rejected,), _ = run([header, {"t_us": 0, "event": "recount", "reserve": {"Ana": 3, "Driss": 1}}])
    assert rejected["why"] == "Driss is out"


@pytest.mark.parametrize(("player", "warned"), [("Bilal", []), ("Ana", ["wrong-pick-up"])])
def test_taking_cards_before_the_winner_has_shared_settles_the_share_and_is_checked_against_it(
    player: str, warned: list[str]
) -> None:
    """pick-up, JS-37: evenly, and Bilal has cards to pick up, Ana has none."""
    header = {
        "record": "referee/1",
        "game": "jungle-speed",
        "players": PLAYERS,
        "start": {
            "reserve": dict.fromkeys(PLAYERS, 9),
            "face_up": {"Ana": ["knot/red"], "Bilal": ["knot/blue"]},
            "turn": "Chloé",
        },
    }
    events = [
        {"event": "flip", "player": "Chloé", "card": "knot/green"},
        {"event": "grab", "hands": [{"player": "Ana", "t_us": 1, "fingers": 3, "lowest_mm": 9}]},
        {"event": "pick_up", "player": player},
    ]
    rulings, _ = run([header, *[{"t_us": t_us, **event} for t_us, event in enumerate(events)]])
    after = [ruling for ruling in rulings if ruling["t_us"] == 2]
    assert after[0]["ruling"] == "won"
    assert [ruling["kind"] for ruling in after[1:]] == warned
