"""The totem of a simulated table, as the referee's own reader of traces finds it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from referee.deck.folder import resolve_deck
from referee.sim.people import play
from referee.sim.played import PlayedGame
from referee.sim.seating import draw_seating
from referee.sim.touches import TotemKind, scans, trace_arrays
from referee.totem.scrambles import Grab, detect
from referee.totem.trace import Trace, trace_of

KIND = TotemKind(seat_pads=True)


@pytest.fixture(scope="module")
def felt() -> tuple[PlayedGame, dict[str, NDArray[Any]]]:
    seating = draw_seating(("Ana", "Bilal", "Chloé"), np.random.default_rng(2))
    game = play(resolve_deck("builtin:totem-rush"), seating, 6, 45.0)
    return game, trace_arrays(game.touching, KIND, 6)


def trace(arrays: dict[str, NDArray[Any]]) -> Trace:
    return trace_of(Path("simulated.npz"), arrays)


def test_it_is_a_sound_trace_as_long_as_the_game(felt: tuple[PlayedGame, dict[str, NDArray[Any]]]) -> None:
    game, arrays = felt
    read = trace(arrays)
    assert read.seats is not None
    assert set(read.seats.names) == set(game.header["players"])
    assert read.t_us[-1] == pytest.approx(game.timeline.end_us, abs=5_000)


def test_scrambles_are_felt_when_they_happen(felt: tuple[PlayedGame, dict[str, NDArray[Any]]]) -> None:
    game, arrays = felt
    seats = {seat.player: seat.angle_deg for seat in game.places.chairs}
    found = [event for event in detect(trace(arrays), seats, 0.0) if isinstance(event, Grab)]
    true = [e for e in game.events if e["event"] == "grab" and all(hand["grip"] for hand in e["hands"])]
    assert len(true) >= 2
    errors = [min(abs(grab.t_us - event["t_us"]) for grab in found) for event in true]
    assert np.median(errors) < 3_000
    assert max(errors) < 100_000


def test_nothing_is_felt_where_nobody_is(felt: tuple[PlayedGame, dict[str, NDArray[Any]]]) -> None:
    game, arrays = felt
    first = min(touch.land_us for hand in game.touching.hands for touch in hand.touches)
    quiet = arrays["counts"][arrays["t_us"] < first - 500_000]
    assert np.median(quiet.std(axis=0)) < 20


def test_a_keyed_base_says_when_the_totem_is_away(felt: tuple[PlayedGame, dict[str, NDArray[Any]]]) -> None:
    game, _ = felt
    arrays = trace_arrays(game.touching, replace(KIND, keyed=True), 6)
    lift = next(lift for lift in game.touching.lifts if lift is not None)
    away = (arrays["t_us"] > lift.start_us + 5_000) & (arrays["t_us"] < lift.end_us - 70_000)
    assert not arrays["seated"][away].any()
    assert arrays["seated"][:100].all()
    read = trace(arrays)
    assert read.seated is not None


def test_the_same_readings_go_over_the_wire(felt: tuple[PlayedGame, dict[str, NDArray[Any]]]) -> None:
    _, arrays = felt
    batch = scans(arrays, KIND.cylinder)
    assert batch.layout.seats == 3
    assert tuple(arrays["seat_names"]) == ("Ana", "Bilal", "Chloé")
    assert (batch.counts == arrays["counts"]).all()
