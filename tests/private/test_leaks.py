"""No public output tells a force, neither by what it says nor by when it says it.

Whole games through the table, as in `referee.sim.bluff_fused`; all that becomes public is kept as a page, a voice,
a record and a terminal would get it. `REFEREE_LEAK_GAMES` says how many games (1,000 for docs/accuracy-bluff.md).
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from random import Random
from typing import Any, cast

import orjson
import pytest

from referee.announce.sentences import event_sentence, ruling_sentence
from referee.private.vault import Vault
from referee.record import Record
from referee.sim.bluff_fused import play_through
from referee.sim.bluff_games import play
from referee.sim.bluff_senses import BluffErrors, truths
from referee.table.settings import FusionSettings
from referee.words import Event, Ruling
from tests.rules.test_jungle_bluff_secrets import NAMES, first_rounds, with_other_forces

GAMES = int(os.environ.get("REFEREE_LEAK_GAMES", "24"))
# What a phone is late or silent about is drawn per force, so that two games differ in their forces alone.
CLEAN = BluffErrors(unsaid=0.0, late_said=0.0)


class Public:
    """Everything that becomes public, in the order and at the times at which it does."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.events: list[Event] = []
        self.rulings: list[Ruling] = []

    def __call__(self, at_us: int, events: Sequence[Event], rulings: Sequence[Ruling]) -> None:
        self.events += events
        self.rulings += rulings
        words = [event_sentence(event, lang, "jungle-bluff") for event in events for lang in ("en", "fr")]
        words += [
            ruling_sentence(ruling, lang, "jungle-bluff")
            for ruling in rulings
            if ruling["public"] and ruling["ruling"] != "overturned"
            for lang in ("en", "fr")
        ]
        self.lines.append(orjson.dumps([at_us, list(events), list(rulings), words]))


def published(game: Record, errors: BluffErrors, seed: int) -> Public:
    public = Public()
    play_through(game, errors, seed, FusionSettings(), public)
    return public


def game_of(seed: int) -> Record:
    return play(seed, NAMES[: 2 + seed % 4], {"advanced": seed % 2 == 0}, clumsy=0.02)


@pytest.mark.parametrize("seed", range(GAMES))
def test_no_force_stands_in_the_record_or_a_ruling_before_the_game_is_over(seed: int) -> None:
    game = game_of(seed)
    public = published(game, BluffErrors(), seed)
    assert len(public.rulings) > 20
    final_from = max((n for n, event in enumerate(public.events) if event["event"] == "reveal"), default=0)
    choices = sum(1 for event in public.events[final_from:] if event["event"] in ("take", "challenge"))
    for place, event in enumerate(public.events):
        inner = event.get("with") if event["event"] == "correct" else event
        if inner is not None and inner["event"] == "force":
            # Only when the last choice of the final has come, in the very same breath.
            rest = [one["event"] for one in public.events[place:] if one["event"] in ("take", "challenge")]
            assert len(rest) <= 1, public.events[place:]
            assert choices >= 1
    for ruling in public.rulings:
        assert not ({"force", "forces", "hand"} & set(ruling)), ruling
    _says_only_what_lies_open(public)


def _says_only_what_lies_open(public: Public) -> None:
    """By value: whatever number a public line names as a card is one that everybody has seen in the centre."""
    open_cards: set[str] = set()
    for event, ruling in _pairs(public):
        if event is not None and event["event"] in ("centre", "reveal"):
            open_cards = {*event["cards"]}
        elif event is not None and event["event"] == "take":
            assert event["card"] in open_cards | {"?"}
        elif event is not None and event["event"] == "challenge":
            assert set(event) <= {"t_us", "event", "player", "target", "result", "settled_by"}
        if ruling is not None and ruling["ruling"] in ("holds", "returned"):
            assert ruling["card"] in open_cards


def _pairs(public: Public) -> list[tuple[Event | None, Ruling | None]]:
    """What became public, in its order; corrections are opened."""
    found: list[tuple[Event | None, Ruling | None]] = []
    for line in public.lines:
        _, events, rulings, _ = orjson.loads(line)
        for event in events:
            inner = event["with"] if event["event"] == "correct" else event
            if inner is not None and (event["event"] != "correct" or inner["event"] in ("centre", "reveal")):
                found.append((inner, None))
        found += [(None, ruling) for ruling in rulings if not any(e["event"] == "correct" for e in events)]
    return found


def test_other_forces_with_the_same_outcomes_give_the_same_public_game_at_the_same_times() -> None:
    """By value and by timing: two games that differ in who laid which force are byte for byte the same outside."""
    compared = 0
    for seed in range(GAMES):
        whole = game_of(seed)
        early = first_rounds(whole, 1 + seed % 4)
        other = with_other_forces(early, Random(seed))
        if other is None:
            continue
        one, two = published(early, CLEAN, seed), published(other, CLEAN, seed)
        assert one.lines == two.lines
        assert len(one.lines) > 4
        compared += 1
    assert compared > GAMES * 0.5


def test_the_times_of_a_challenge_and_its_ruling_do_not_depend_on_who_wins_it() -> None:
    """How long after the call a challenge is ruled follows from the camera alone: the same for either outcome."""
    waits: dict[str, list[int]] = {"holder": [], "challenger": []}
    for seed in range(GAMES):
        public = published(game_of(seed), CLEAN, seed)
        for line in public.lines:
            at_us, events, _, _ = orjson.loads(line)
            for event in events:
                if event["event"] == "challenge" and event.get("result") in waits:
                    waits[event["result"]].append(at_us - event["t_us"])
    means = {result: sum(found) / len(found) for result, found in waits.items()}
    assert min(len(found) for found in waits.values()) > GAMES
    assert abs(means["holder"] - means["challenger"]) < 80_000, means


class Telling(Vault):
    """A vault that tells: it writes a force into the public event."""

    def happened(self, event: Event) -> None:
        super().happened(event)
        if event["event"] == "commit":
            cast(Any, event)["seen"] = self._forces.get((self._state.round, event["player"]))


class Dawdling(Vault):
    """A vault that takes its time over high cards: it tells them by when it answers."""

    def result(self, challenge: Event) -> Any:
        seat = self._state.setup.seats[challenge["player"]]
        force = self._state.forces[seat]
        self._asked = getattr(self, "_asked", 0) + 1
        return "unknown" if force in ("8", "9", "10") and self._asked % 2 else super().result(challenge)


@pytest.mark.parametrize("leaky", [Telling, Dawdling])
def test_a_table_that_tells_a_force_by_value_or_by_timing_is_found_out(
    leaky: type[Vault], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.sim.bluff_fused.Vault", leaky)
    found = 0
    for seed in range(12):
        early = first_rounds(game_of(seed), 1 + seed % 4)
        other = with_other_forces(early, Random(seed))
        if other is not None:
            found += published(early, CLEAN, seed).lines != published(other, CLEAN, seed).lines
    assert found > 0


def test_what_is_logged_or_shown_of_the_vault_and_of_secrets_names_no_card(caplog: Any, capsys: Any) -> None:
    caplog.set_level(logging.DEBUG)
    public = published(game_of(5), BluffErrors(), 5)
    assert public.lines
    out = capsys.readouterr()
    assert (caplog.text, out.out, out.err) == ("", "", "")
    assert not truths(game_of(5), CLEAN, Random(5))[0].rulings
