"""`referee ready`: the cards that were shown, the players who took the totem."""

from __future__ import annotations

import json

import pytest

from referee.cli import main
from referee.record import read_records
from tests.session.table import recorded


def options() -> list[str]:
    folder = recorded().folder
    files = {"--profile": "profile.toml", "--camera": "video.mp4", "--frames-t": "frames_t.txt", "--totem": "totem.npz"}
    return [word for option, name in files.items() for word in (option, str(folder / name))]


def test_cards_that_were_not_shown_are_named_and_the_answer_is_no(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ready", "cards", *options(), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    with (recorded().folder / "truth.jsonl").open("rb") as stream:
        (truth,) = read_records(stream, "truth")
    shown = {event["card"] for event in truth.events if event["event"] == "flip"}
    assert found["expected"] == 80
    assert found["strange"] == {}
    assert found["shown"] == len(shown)
    assert not shown - {"?"} & {card for card, count in found["missing"].items() if "arrow" not in card}


def test_players_who_did_not_take_the_totem_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["ready", "players", *options()])
    said = capsys.readouterr().out
    there = [line.split()[0] for line in said.splitlines() if line.endswith("is there")]
    assert status == (0 if len(there) == 3 else 1)
    assert all(name in said for name in ("Ana", "Bilal", "Chloé"))
