"""The examination as a whole: it always ends, with a line for everything, and never in a traceback."""

from __future__ import annotations

import http.server
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import pytest

from referee.cli import main
from referee.doctor.examine import examine, look
from referee.doctor.families import Family
from referee.doctor.finding import Finding, Light
from referee.doctor.plan import Plan
from referee.sim.totem_device import SimulatedTotem
from tests.session.table import recorded
from tests.totem_link.back_to_back import trace


def family(extra_s: float = 30.0) -> Family:
    return Family("camera", "nowhere:probe", lambda facts: [Finding("board.heat", "unknown")], extra_s)


def test_a_probe_that_hangs_is_stopped_with_all_it_started_and_told(tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    code = f"sleep 600 & echo $! > {noted}; wait"
    (found,) = look(family(extra_s=0.5), Plan(seconds=0.5), ["sh", "-c", code])
    assert (found.verdict, found.light) == ("late", Light.RED)
    child = int(noted.read_text())
    assert ended(child)


def ended(process: int) -> bool:
    """Whether a process is gone within two seconds; one that nobody waited for is."""
    for _ in range(100):
        try:
            if Path(f"/proc/{process}/stat").read_text().split()[2] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.02)
    return False


def test_a_probe_that_crashes_is_told_by_its_last_line() -> None:
    (found,) = look(family(), Plan(), [sys.executable, "-c", "raise RuntimeError('no such driver')"])
    assert (found.verdict, found.facts["why"]) == ("crashed", "RuntimeError: no such driver")
    (killed,) = look(family(), Plan(), ["sh", "-c", "kill -9 $$"])
    assert killed.verdict == "crashed"


def test_a_probe_that_says_nonsense_is_told() -> None:
    (found,) = look(family(), Plan(), ["sh", "-c", "echo hello"])
    assert found.verdict == "crashed"


def test_a_broken_profile_is_one_line_and_the_rest_is_looked_at_all_the_same(tmp_path: Path) -> None:
    profile = tmp_path / "table.toml"
    profile.write_text('game = "chess"\n')
    found = {one.probe: one for one in examine(Plan(profile=str(profile), seconds=0.5))}
    assert found["profile.file"].verdict == "broken"
    assert "game: expected one of" in found["profile.file"].says("fr")
    assert {"python.version", "camera.there", "disk.sync", "games.folder"} <= set(found)


def test_a_machine_without_camera_totem_and_pins_gets_a_list_and_status_one(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if list(Path("/dev").glob("video*")):
        pytest.skip("this machine has a camera")
    assert main(["doctor", "--json", "--seconds", "0.5"]) == 1
    out, err = capfd.readouterr()
    rows = [json.loads(line) for line in out.splitlines()]
    assert err == ""
    lights = {row["probe"]: row["light"] for row in rows if "probe" in row}
    assert lights["camera.there"] == "red"
    assert lights["totem.there"] == lights["pins.factory"] == "off"
    assert rows[-1]["light"] == "red"
    assert all({"en", "fr", "facts", "verdict"} <= set(row) for row in rows[:-1])


def test_the_list_is_told_in_french_with_its_remedies(capfd: pytest.CaptureFixture[str]) -> None:
    main(["doctor", "--lang", "fr", "--seconds", "0.5"])
    out = capfd.readouterr().out
    assert "Python" in out
    assert "→ referee doctor --profile table.toml" in out
    assert "rouge" in out.splitlines()[-1]
    assert "Traceback" not in out


def test_wrong_options_are_told_in_one_line(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["doctor", "--seconds", "0"]) == 2
    (tmp_path / "there.zip").write_bytes(b"")
    assert main(["doctor", "--bundle", str(tmp_path / "there.zip")]) == 2
    assert capfd.readouterr().err.count("\n") == 2


@contextmanager
def stream(picture: Path) -> Iterator[str]:
    """A network camera: MJPEG over HTTP, the same picture 20 times a second."""
    jpeg = picture.read_bytes()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
            self.end_headers()
            head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n".encode()
            try:
                while True:
                    self.wfile.write(head + jpeg + b"\r\n")
                    time.sleep(0.05)
            except OSError:
                return

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/stream.mjpg"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5.0)


def test_a_table_with_a_network_camera_and_a_totem_is_looked_at_from_end_to_end(tmp_path: Path) -> None:
    video = cv2.VideoCapture(str(recorded().folder / "video.mp4"))
    picture = video.read()[1]
    video.release()
    cv2.imwrite(str(tmp_path / "table.jpg"), picture)
    profile = recorded().folder / "profile.toml"
    command = [sys.executable, "-m", "referee", "doctor", "--json", "--profile", str(profile), "--seconds", "2"]
    with stream(tmp_path / "table.jpg") as address, SimulatedTotem(trace(90_000, rings=6), tmp_path / "port"):
        command += ["--camera", address, "--totem", str(tmp_path / "port"), "--folder", str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=150)
    rows = {row["probe"]: row for row in map(json.loads, done.stdout.splitlines()) if "probe" in row}
    assert done.stderr == ""
    assert rows["camera.there"]["verdict"] == "ok"
    assert rows["table.markers"]["verdict"] == "ok"
    assert rows["table.deck"]["verdict"] == "ok"
    assert "table.cards" in rows
    assert rows["totem.there"]["verdict"] == rows["totem.protocol"]["verdict"] == "ok"
