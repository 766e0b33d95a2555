"""Signs of life for the service manager: only while camera, totem and record are fresh."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import pytest

from referee.commands.serve import interrupted_game
from referee.health import Freshness
from referee.journal.reading import JournalView
from referee.journal.store import Journal
from referee.ledger import Ledger
from referee.session import Snapshot, Source
from referee.watchdog import Watchdog, sender, watchdog_for, why_not_kept
from referee.words import Header
from tests.journal.scripted import SETTINGS, Player, ignore, script
from tests.session.table import recorded

FRESH, STALE, LOST = (Source(one) for one in (Freshness.FRESH, Freshness.STALE, Freshness.LOST))


def snapshot(sources: Mapping[str, Source]) -> Snapshot:
    return Snapshot(0, {"asked": None, "may": []}, {}, (), 7, sources)  # type: ignore[typeddict-item, typeddict-unknown-key]


class Heard:
    """What was said to the manager, and a clock that is set by hand."""

    def __init__(self, kept: Path, every_s: float = 10.0) -> None:
        self.words: list[str] = []
        self.now_s = 0.0
        self.dog = Watchdog(self.words.append, kept, every_s, lambda: self.now_s)

    def fed(self, sources: Mapping[str, Source]) -> bool:
        """Whether this snapshot feeds the watchdog, an hour after the one before."""
        self.now_s += 3600.0
        before = len(self.words)
        self.dog.stands(snapshot(sources))
        return any(words.startswith("WATCHDOG=1") for words in self.words[before:])


@pytest.mark.parametrize("ill", [STALE, LOST])
@pytest.mark.parametrize("name", ["camera", "totem"])
def test_a_source_that_is_not_fresh_starves_the_watchdog_until_it_is(tmp_path: Path, name: str, ill: Source) -> None:
    heard = Heard(tmp_path)
    good = {"camera": FRESH, "totem": FRESH}
    assert heard.fed(good)
    assert not heard.fed({**good, name: ill})
    assert heard.words[-1] == f"STATUS={name} {ill.freshness.value}"
    assert heard.fed(good)


def test_a_plain_totem_needs_no_sign_of_it(tmp_path: Path) -> None:
    assert Heard(tmp_path).fed({"camera": FRESH})


def test_a_record_that_is_gone_starves_the_watchdog(tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    record.write_text("{}")
    heard = Heard(record)
    assert heard.fed({"camera": FRESH})
    record.unlink()
    assert not heard.fed({"camera": FRESH})
    assert "the record is gone" in heard.words[-1]
    assert why_not_kept(tmp_path) is None


def test_signs_of_life_are_not_sent_more_often_than_asked_and_troubles_once(tmp_path: Path) -> None:
    heard = Heard(tmp_path, every_s=10.0)
    for _ in range(25):
        heard.dog.stands(snapshot({"camera": FRESH}))
        heard.now_s += 1.0
    assert len(heard.words) == 3
    for _ in range(5):
        heard.dog.stands(snapshot({"camera": LOST}))
    assert len(heard.words) == 4


def test_without_a_manager_there_is_no_watchdog(tmp_path: Path) -> None:
    assert watchdog_for(tmp_path, {}) is None
    assert sender({"NOTIFY_SOCKET": "nonsense"}) is None
    assert watchdog_for(tmp_path, {"NOTIFY_SOCKET": "/nowhere", "WATCHDOG_USEC": "30000000"}) is not None


@pytest.fixture(params=["file", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[socket.socket, str]]:
    """A service manager's socket and what it is called in the environment."""
    name = str(tmp_path / "notify") if request.param == "file" else f"@referee-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(name if request.param == "file" else "\0" + name[1:])
        listening.settimeout(60.0)
        yield listening, name


def test_words_reach_the_manager_by_either_kind_of_socket(manager: tuple[socket.socket, str]) -> None:
    listening, name = manager
    send = sender({"NOTIFY_SOCKET": name})
    assert send is not None
    send("READY=1")
    assert listening.recv(100) == b"READY=1"


def test_a_manager_that_is_gone_or_does_not_listen_stops_nothing(tmp_path: Path) -> None:
    send = sender({"NOTIFY_SOCKET": str(tmp_path / "nobody")})
    assert send is not None
    send("WATCHDOG=1")


def test_a_recorded_game_says_ready_never_and_stopping_at_its_end(
    manager: tuple[socket.socket, str], tmp_path: Path
) -> None:
    listening, name = manager
    command = [sys.executable, "-m", "referee", "run", *recorded().options(tmp_path / "game.jsonl")]
    done = subprocess.run(
        command, env={**os.environ, "NOTIFY_SOCKET": name}, capture_output=True, check=False, timeout=200
    )
    assert done.returncode == 0
    said = []
    while not said or not said[-1].startswith("STOPPING"):
        said.append(listening.recv(200).decode())
    assert not any(words.startswith("READY") for words in said)


def begun(folder: Path, digest: str, ends: bool) -> str:
    """A game in a journal, kept with a profile of this digest; returns its key."""
    header, events = script()
    with Journal.open(folder) as journal:
        keeper = journal.begin(cast(Header, {**header, "profile": digest}), SETTINGS)
        Player(keeper, Ledger(header), ignore).play(events if ends else events[:4])
        if ends:
            keeper.close()
        return keeper.key


def test_a_service_goes_on_with_the_newest_game_if_it_was_interrupted_at_this_table(tmp_path: Path) -> None:
    assert interrupted_game(tmp_path, "x") is None
    begun(tmp_path, "x", ends=False)
    newest = begun(tmp_path, "x", ends=False)
    assert interrupted_game(tmp_path, "x") == newest
    assert interrupted_game(tmp_path, "another profile") is None
    begun(tmp_path, "x", ends=True)
    assert interrupted_game(tmp_path, "x") is None


def test_the_service_without_a_camera_waits_is_ready_and_is_not_fed(tmp_path: Path) -> None:
    if Path("/dev/video99").exists():
        pytest.skip("this machine has a hundred cameras")
    profile = tmp_path / "table.toml"
    profile.write_text(
        'game = "jungle-speed"\nplayers = ["Ana", "Bilal", "Oma"]\ndeck = "builtin:totem-rush"\n'
        '[camera]\nsource = "/dev/video99"\nwidth = 1280\nheight = 720\n[announce]\nengine = "off"\n'
    )
    journal = tmp_path / "journal"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.settimeout(60.0)
        command = [sys.executable, "-m", "referee", "serve", "--profile", str(profile), "--journal", str(journal)]
        service = subprocess.Popen(
            [*command, "--web", "127.0.0.1:0"],
            env={**os.environ, "NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "3000000"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            said = [listening.recv(200).decode()]
            end_s = time.monotonic() + 3.0
            listening.settimeout(0.5)
            while time.monotonic() < end_s:
                try:
                    said.append(listening.recv(200).decode())
                except TimeoutError:
                    continue
            service.send_signal(signal.SIGTERM)
            _, words = service.communicate(timeout=60)
        finally:
            service.kill()
            service.wait()
    assert any(one.startswith("READY=1") for one in said), words
    assert any("camera lost" in one for one in said)
    assert not any(one.startswith("WATCHDOG=1") for one in said)
    with JournalView.open(journal) as view:
        (game,) = view.games()
    assert game.state == "ended"
