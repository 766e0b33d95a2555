"""No force reaches the public: other forces with the same outcomes give the same answer, byte for byte (JB-13)."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import redirect_stdout
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest

from referee.adjudication import Game, adjudicate
from referee.cli import main
from referee.record import Record, Step, write_record
from referee.rules.jungle_bluff_state import VALUES, outcome
from referee.sim.bluff_games import play
from referee.words import Event, Ruling
from tests.rules.judged import judged

NAMES = ("Ana", "Bilal", "Chloé", "Driss", "Eva")
GAMES = 300
KEYS = {
    "holds": {"player", "card"},
    "returned": {"card"},
    "refused": {"player", "why"},
    "round-over": {"kept", "first"},
    "over": {"why", "totals", "ranking"},
    "undecided": {"why", "candidates"},
    "rejected": {"event", "why"},
}


def game(seed: int) -> Record:
    return play(seed, NAMES[: 2 + seed % 4], {"advanced": seed % 2 == 0}, clumsy=0.08)


class Round:
    """Which events of a record are the forces of one round, and which outcomes they must keep."""

    def __init__(self) -> None:
        self.forces: dict[str, int] = {}  # player -> place of the event that read the force
        self.challenges: list[tuple[str, str]] = []  # holder, challenger


def rounds(record: Record, *, final: bool = False) -> list[Round]:
    """The rounds before the final, or with it; only challenges that were compared count."""
    found = [Round()]
    for step, rulings in judged_steps(record):
        event, kinds = step.event, {ruling["ruling"] for ruling in rulings}
        if event["event"] == "force" and event["card"] != "?":
            found[-1].forces[event["player"]] = step.place
        elif event["event"] == "challenge" and kinds & {"holds", "returned"}:
            found[-1].challenges.append((event["target"], event["player"]))
        elif event["event"] == "reveal" and not kinds:
            found.append(Round())
    return found if final else [this for this in found[:10] if this.forces]


def first_rounds(record: Record, count: int) -> Record:
    """The record up to the reveal that ends a round."""
    reveals = [step.place for step, given in judged_steps(record) if step.event["event"] == "reveal" and not given]
    events = record.events[: reveals[count - 1] + 1]
    return Record(record.header, events, events)


def judged_steps(record: Record) -> Iterator[tuple[Step, list[Ruling]]]:
    return adjudicate(Game(record.header), record.events)


def with_forces(record: Record, played: list[Round], assigned: list[dict[str, str]]) -> Record | None:
    """The record with other forces; None when they are the same."""
    events = list(record.events)
    for this, after in zip(played, assigned, strict=True):
        for player, place in this.forces.items():
            events[place] = {**events[place], "card": after[player]}
    return None if events == record.events else Record(record.header, events, events)


def keeps_outcomes(this: Round, before: dict[str, str], after: dict[str, str]) -> bool:
    return all(outcome(after[h], after[c]) == outcome(before[h], before[c]) for h, c in this.challenges)


def with_other_forces(record: Record, chance: Random) -> Record | None:
    """The record with the forces of each round dealt to other players, all outcomes alike; None if no way is found."""
    played = rounds(record)
    assigned: list[dict[str, str]] = []
    tries = 2000

    def deal(spent: dict[str, frozenset[int]]) -> bool:
        nonlocal tries
        if len(assigned) == len(played):
            return True
        this = played[len(assigned)]
        before = {player: record.events[place]["card"] for player, place in this.forces.items()}
        ways = list(permutations(before.values()))
        chance.shuffle(ways)
        for way in ways:
            tries -= 1
            after = dict(zip(before, way, strict=True))
            if tries < 0 or any(VALUES[card] in spent[player] for player, card in after.items()):
                continue
            if keeps_outcomes(this, before, after):
                assigned.append(after)
                if deal({player: spent[player] | {VALUES[card]} for player, card in after.items()}):
                    return True
                assigned.pop()
        return False

    found = deal({player: frozenset() for player in record.header["players"]})
    return with_forces(record, played, assigned) if found else None


def with_other_final_forces(record: Record, chance: Random) -> Record | None:
    """The record up to the game's last choice, with other final forces from the same piles; None if there is none."""
    places = [place for place, event in enumerate(record.events) if event["event"] in ("take", "challenge")]
    cut = Record(record.header, record.events[: places[-1]], [])
    game = Game(cut.header)
    for step, _ in adjudicate(game, cut.events):
        if step.event["event"] == "reveal":
            piles = game.state.piles
    this = rounds(cut, final=True)[-1]
    before = {player: cut.events[place]["card"] for player, place in this.forces.items()}
    for _ in range(50):
        after = {player: chance.choice(piles[game.state.setup.seats[player]]) for player in before}
        if after != before and keeps_outcomes(this, before, after):
            return with_forces(cut, [this], [after])
    return None


def shown(path: Path, *arguments: str) -> bytes:
    """What the command prints about a record."""
    output = io.BytesIO()
    text = io.TextIOWrapper(output, "utf-8")
    with redirect_stdout(text):
        assert main(["adjudicate", str(path), *arguments]) == 0
        text.flush()
    return output.getvalue()


def as_rulings(record: Record) -> bytes:
    state = Game(record.header)
    rulings = [ruling for _, given in adjudicate(state, record.events) for ruling in given]
    return orjson.dumps([rulings, state.summary()])


def pairs(step: int = 1) -> Iterator[tuple[Record, Record]]:
    """Games that differ in their secret forces alone: the first rounds of some, all but the last choice of others."""
    for seed in range(0, GAMES, step):
        whole = game(seed)
        early = first_rounds(whole, 1 + seed % 5)
        if (other := with_other_forces(early, Random(seed))) is not None:
            yield early, other
        if (other := with_other_final_forces(whole, Random(seed))) is not None:
            yield Record(whole.header, whole.events[: len(other.events)], []), other


def test_what_is_ruled_does_not_depend_on_who_laid_which_force() -> None:
    compared = 0
    for one, other in pairs():
        compared += 1
        assert as_rulings(other) == as_rulings(one)
    assert compared > GAMES * 1.5


@pytest.mark.parametrize(
    "arguments",
    [
        ("--json", "--state", "--explain"),
        ("--events", "--state", "--explain", "--lang", "en"),
        ("--events", "--state", "--explain", "--lang", "fr"),
    ],
)
def test_what_is_shown_does_not_depend_on_who_laid_which_force(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    path = tmp_path / "game.jsonl"
    for pair in pairs(step=20):
        answers = []
        for record in pair:
            with path.open("wb") as stream:
                write_record(stream, Record(record.header, record.events, record.events))
            answers.append(shown(path, *arguments))
        assert answers[0] == answers[1]
        assert answers[0].count(b"\n") > 3


def test_a_public_ruling_names_only_cards_that_lie_open() -> None:
    """Every card of a public ruling was laid in the centre of that round before; other keys hold no card at all."""
    for seed in range(GAMES):
        record = game(seed)
        table: set[str] = set()
        for step, rulings in judged_steps(record):
            if step.event["event"] in ("centre", "reveal") and not rulings:
                table = {*step.event["cards"]}
            for ruling in rulings:
                if step.event["event"] == "force":
                    assert not ruling["public"]
                assert set(ruling) - {"t_us", "ruling", "clauses", "public"} == KEYS[ruling["ruling"]]
                named = [ruling["card"]] if "card" in ruling else [*ruling.get("kept", {}).values()]
                assert {*named} <= table


def test_a_challenge_cites_the_same_clauses_whatever_decided_it() -> None:
    cited: dict[bool, set[tuple[str, ...]]] = {False: set(), True: set()}
    for seed in range(GAMES):
        record = game(seed)
        for step, rulings in judged_steps(record):
            if step.event["event"] == "challenge" and rulings[0]["ruling"] == "holds":
                cited[record.header["options"]["advanced"]].add((*rulings[0]["clauses"],))
    assert {advanced: len(ways) for advanced, ways in cited.items()} == {False: 1, True: 1}


def without_forces(record: Record) -> list[Event]:
    """The public record: no forces, and for each challenge what came of it (jungle-bluff-decisions-7)."""
    events: list[Event] = []
    for step, rulings in judged_steps(record):
        event: dict[str, Any] = {**step.event}
        if event["event"] == "force":
            continue
        if event["event"] == "challenge" and rulings[0]["ruling"] in ("holds", "returned"):
            winner = rulings[0].get("player")
            event["result"] = {event["player"]: "challenger", event["target"]: "holder"}.get(winner, "none")
        events.append(event)
    return events


def test_a_public_record_is_ruled_as_the_whole_one_up_to_the_totals() -> None:
    for seed in range(60):
        record = play(seed, NAMES[: 2 + seed % 4], {"advanced": seed % 2 == 0})
        whole, _ = judged(record.header, record.events)
        public, state = judged(record.header, without_forces(record))
        assert public[:-1] == whole[:-1]
        assert (whole[-1]["ruling"], public[-1]["ruling"]) == ("over", "undecided")
        assert state["totals"] is None


def test_a_reading_that_cannot_be_says_neither_which_card_nor_why() -> None:
    said = set()
    for card in ("6", "11", "1*", "back"):
        events: list[Event] = [
            {"t_us": 0, "event": "centre", "cards": ["3", "7"]},
            {"t_us": 1, "event": "commit", "player": "Ana"},
            {"t_us": 2, "event": "commit", "player": "Bilal"},
            {"t_us": 3, "event": "force", "player": "Ana", "card": "6"},
            {"t_us": 4, "event": "take", "player": "Ana", "card": "3"},
            {"t_us": 5, "event": "take", "player": "Bilal", "card": "7"},
            {"t_us": 6, "event": "reveal", "cards": ["6", "2"]},
            {"t_us": 7, "event": "commit", "player": "Ana"},
            {"t_us": 8, "event": "force", "player": "Ana", "card": card},
        ]
        header: Any = {"record": "referee/1", "game": "jungle-bluff", "players": ["Ana", "Bilal"]}
        rulings, _ = judged(header, events)
        assert not rulings[-1]["public"]
        said.add(orjson.dumps(rulings[-1]))
    assert len(said) == 1
