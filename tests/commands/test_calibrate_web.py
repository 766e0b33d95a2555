"""`referee calibrate web` and `referee serve` before a table is set up: real processes, real sockets, a real stream."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from calibration.sheets.mat import plan_mat
from calibration.sheets.paper import PAPERS
from referee.cli import main
from referee.sim.bench_server import BenchServer
from referee.sim.set_up import BenchCamera
from referee.table.layouts import make_layout

PATIENCE_S = 90.0
REFEREE = [sys.executable, "-m", "referee"]


@pytest.fixture(scope="module")
def bench() -> Iterator[BenchServer]:
    """A camera behind an address; of the board and the card nothing is asked here, so they are not drawn."""
    camera = BenchCamera(5_621, (640, 360))
    made = BenchServer(camera, None, 0, 10.0, prepared=False)
    yield made
    made.close()


def asked(address: str, page: str, order: dict[str, Any]) -> dict[str, Any]:
    """Send an order as the page does, and wait for its answer."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    text = opener.open(f"{address}{page}", timeout=30).read().decode()
    token = re.search(r'data-token="([0-9a-f]+)"', text)
    assert token is not None
    request = urllib.request.Request(f"{address}setup/order", json.dumps(order).encode(), method="POST")
    for name, value in {
        "Content-Type": "application/json",
        "Origin": address.rstrip("/"),
        "X-Referee-Token": token[1],
    }.items():
        request.add_header(name, value)
    number = json.load(opener.open(request, timeout=30))["order"]
    return until(address, lambda state: state["answer"]["order"] >= number)["answer"]


def until(address: str, true: Callable[[Any], bool]) -> Any:
    end_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < end_s:
        state = json.load(urllib.request.urlopen(f"{address}setup/state", timeout=30))
        if true(state):
            return state
        time.sleep(0.1)
    raise AssertionError(state)


def begun(words: list[str], **environment: str) -> tuple[subprocess.Popen[str], str]:
    """A command, and the address of its set-up pages."""
    process = subprocess.Popen([*REFEREE, *words], stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})
    assert process.stderr is not None
    for line in process.stderr:
        found = re.search(r"(http://\S+/)setup", line)
        if found:
            return process, found[1]
    raise AssertionError(process.wait())


def ended(process: subprocess.Popen[str], by: signal.Signals | None = None) -> int:
    if by is not None:
        process.send_signal(by)
    try:
        process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    return process.returncode


def test_a_new_table_is_set_up_through_the_camera_s_real_door_and_the_command_ends(
    tmp_path: Path, bench: BenchServer
) -> None:
    profile = tmp_path / "table.toml"
    words = ["calibrate", "web", "--profile", str(profile), "--camera", bench.camera_address, "--web", "0"]
    process, address = begun(words)
    try:
        until(address, lambda state: state["picture"] is not None and state["camera"]["size"] == [640, 360])
        people = {"do": "people", "players": ["Ana", "Ben", "Cleo"], "deck": "builtin:totem-rush"}
        assert asked(address, "setup", people)["ok"]
        assert asked(address, "", {"do": "open", "step": "table"})["ok"]
        until(address, lambda state: state["step"].get("seen"))
        assert asked(address, "setup", {"do": "keep"})["ok"]
        assert asked(address, "setup", {"do": "finish"})["ok"]
    finally:
        status = ended(process)
    assert status == 0
    text = profile.read_text("utf-8")
    assert f'source = "{bench.camera_address}"' in text
    assert 'players = ["Ana", "Ben", "Cleo"]' in text


def test_a_stop_ends_the_set_up_without_a_word_in_the_profile(tmp_path: Path, bench: BenchServer) -> None:
    profile = tmp_path / "table.toml"
    words = ["calibrate", "web", "--profile", str(profile), "--camera", bench.camera_address, "--web", "0"]
    process, _ = begun(words)
    assert ended(process, signal.SIGTERM) == 0
    assert not profile.exists()


def test_a_service_without_a_table_serves_the_set_up_pages_first_and_is_alive(tmp_path: Path) -> None:
    profile = tmp_path / "table.toml"
    profile.write_text('[camera]\nsource = "/dev/video99"\n', "utf-8")
    words = ["serve", "--profile", str(profile), "--journal", str(tmp_path / "journal"), "--web", "127.0.0.1:0"]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.settimeout(60.0)
        process, address = begun(words, NOTIFY_SOCKET=str(tmp_path / "notify"))
        try:
            said = [listening.recv(200).decode() for _ in range(2)]
            state = until(address, lambda state: state["camera"]["freshness"] == "lost")
        finally:
            status = ended(process, signal.SIGTERM)
    assert said[0].startswith("READY=1")
    assert said[1].startswith("WATCHDOG=1")
    assert state["open"] == "deck"
    assert status == 0


def test_a_service_sets_its_table_up_again_when_it_is_told_so_and_then_goes_on_to_the_game(tmp_path: Path) -> None:
    profile = tmp_path / "table.toml"
    mat = plan_mat(make_layout("jungle-speed", ("Ana", "Ben", "Cleo")), PAPERS["4xa4"])
    profile.write_text(mat.profile("builtin:totem-rush", "/dev/video99") + '[announce]\nengine = "off"\n', "utf-8")
    wish = tmp_path / "set-up-again"
    wish.touch()
    words = ["serve", "--profile", str(profile), "--journal", str(tmp_path / "journal"), "--web", "127.0.0.1:0"]
    process, address = begun(words)
    try:
        assert "table.toml" in until(address, lambda state: state["steps"])["profile"]
        assert asked(address, "setup", {"do": "finish"})["ok"]
        assert process.stderr is not None
        board = next(found[0] for line in process.stderr if (found := re.search(r"http://\S+/", line)))
        assert b"scoreboard.js" in urllib.request.urlopen(board, timeout=30).read()
        assert not wish.exists()
    finally:
        status = ended(process, signal.SIGTERM)
    assert status in (0, 1)


def test_a_profile_in_a_folder_that_is_not_there_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calibrate", "web", "--profile", str(tmp_path / "no" / "table.toml")]) == 2
    assert "there is no such folder" in capsys.readouterr().err


def test_the_network_takes_accounts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["calibrate", "web", "--profile", str(tmp_path / "table.toml"), "--camera", "/dev/video99"]
    assert main([*words, "--web", "0.0.0.0:0"]) == 2
    assert "there is no account yet" in capsys.readouterr().err


def test_the_bench_says_where_it_is_and_refuses_what_cannot_be(
    tmp_path: Path, bench: BenchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    page = urllib.request.urlopen(bench.address, timeout=30).read().decode()
    assert "somebody holds the board" in page
    urllib.request.urlopen(f"{bench.address}now/lamp", timeout=30).read()
    assert '<b>now:</b> <a href="/now/lamp">' in urllib.request.urlopen(bench.address, timeout=30).read().decode()
    bench.go_on("table")
    for words, why in (
        (["--size", "big"], "WIDTHxHEIGHT"),
        (["--fps", "0"], "--fps"),
        (["--port", "99999"], "--port"),
        (["--profile", str(tmp_path / "none.toml")], "no such profile"),
    ):
        assert main(["sim", "bench", *words]) == 2
        assert why in capsys.readouterr().err
