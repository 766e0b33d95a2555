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
