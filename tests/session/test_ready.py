"""`referee ready`: the cards that were shown, the players who took the totem."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.cli import main
from referee.deck.folder import resolve_deck
from referee.profile import read_profile
from referee.record import read_records
from referee.sim.enrolment import simulate_enrolment
from referee.totem.links.recorded import RecordedLink
from referee.totem.recording import scans_of
from referee.totem.trace import trace_of
from referee.warmup import Warmup
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


@pytest.mark.parametrize(("dead", "silent"), [(None, ()), (1, ("Bilal",))])
def test_everybodys_first_grip_tells_which_seat_pad_is_silent(
    dead: int | None, silent: tuple[str, ...], tmp_path: Path
) -> None:
    made = simulate_enrolment(3, dead=dead)
    seats = made.truth["seats"]
    assert list(seats) == ["Ana", "Bilal", "Chloé"]
    path = tmp_path / "profile.toml"
    rows = "".join(f'[[seat]]\nplayer = "{name}"\nangle_deg = {angle}\n' for name, angle in seats.items())
    names = json.dumps(list(seats), ensure_ascii=False)
    path.write_text(f'game = "jungle-speed"\nplayers = {names}\ndeck = "builtin:totem-rush"\n{rows}', encoding="utf-8")
    profile = read_profile(path)
    trace = trace_of(Path("enrolment"), made.arrays)
    assert trace.seats is not None
    warmup = Warmup(profile, resolve_deck(profile.deck), fps=30.0, totem=True, pads=trace.seats.names)
    link = RecordedLink(scans_of(trace))
    while not link.ended:
        warmup.scans(link.poll(0.0))
    warmup.finish()
    found = warmup.found()
    assert found.seats is not None
    assert found.seats.silent == silent
    assert found.seats.swapped == ()
