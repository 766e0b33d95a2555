"""Putting the totem's program on its board, and seeing that it runs there.

Belongs here: which files go, and the check afterwards. Does not belong here: how bytes get onto a board
(mpremote does that), how to wire it (hardware.md).
"""

from __future__ import annotations

import ast
import hashlib
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import serial

from referee.errors import HardwareError, InputError
from referee.resources import resource
from referee.totem import protocol
from referee.totem.links.serial_port import SerialLink
from referee.totem.messages import Hello, SelfTest

SETTINGS = "config.py"
DESK_ONLY = frozenset({"desk.py"})
_COPY_S = 120
_LEAVE_S = 0.5

Runner = Callable[[Sequence[str]], str]


@dataclass(frozen=True, slots=True)
class Checked:
    """What the board said after the installation."""

    hello: Hello
    scans: int
    faulty_pads: tuple[int, ...]


def mpremote(words: Sequence[str]) -> str:
    """Run mpremote; returns what it printed. Raises `HardwareError` with its last line when it fails."""
    if find_spec("mpremote") is None:
        raise HardwareError("mpremote is missing: pip install 'referee[firmware]'")
    try:
        done = subprocess.run(
            [sys.executable, "-m", "mpremote", *words],
            capture_output=True,
            text=True,
            timeout=_COPY_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired as error:
        raise HardwareError(f"mpremote did not finish within {_COPY_S} s: unplug the board, plug it in") from error
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise HardwareError(f"mpremote: {lines[-1] if lines else 'failed without a word'}")
    return done.stdout


def _prompt(port: str) -> list[str]:
    # "resume": the board stands at its prompt; the soft reset that mpremote does otherwise is not needed.
    return ["connect", port, "resume"]


def program_files(folder: Path | None = None) -> list[Path]:
    """The files of the program that go on every board, its settings not among them."""
    source = folder or resource("firmware") / "totem"
    return [file for file in sorted(source.glob("*.py")) if file.name != SETTINGS and file.name not in DESK_ONLY]


def builds() -> list[str]:
    """Names of the settings that ship, one for each board of each way to build a totem."""
    return sorted(file.stem for file in (resource("firmware") / "builds").glob("*.py"))


def settings_file(named: str) -> Path:
    """The settings that a person means: a file, or the name of a build; raises `InputError` for neither."""
    if Path(named).is_file():
        return Path(named)
    if named in builds():
        return resource("firmware") / "builds" / f"{named}.py"
    raise InputError(f"{named}: there is no such file and no such build ({', '.join(builds())})")


def shipped_version(folder: Path | None = None) -> tuple[int, int, int]:
    """The version of the program that ships."""
    source = (folder or resource("firmware") / "totem") / "defaults.py"
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "VERSION":
            major, minor, patch = ast.literal_eval(node.value)
            return int(major), int(minor), int(patch)
    raise HardwareError(f"{source}: has no VERSION")


def stop_program(port: str) -> None:
    """Ask a running program to leave, so that mpremote finds a prompt; harmless when none runs."""
    try:
        with serial.Serial(port, 115_200, timeout=0.1, write_timeout=1, exclusive=True) as line:
            line.write(protocol.leave())
            end_s = time.monotonic() + _LEAVE_S
            while time.monotonic() < end_s:
                line.read(4096)
    except OSError as error:
        raise HardwareError(f"{port}: cannot be opened ({error})") from error


def copy_program(port: str, settings: Path | None, force: bool, run: Runner = mpremote) -> list[str]:
    """Copy the program and, if it has none or with `force`, the settings; returns the names copied.

    Raises `HardwareError` when the board has settings and others are given without `force`.
    """
    present = run([*_prompt(port), "fs", "ls"])
    has_settings = any(line.split()[-1:] == [SETTINGS] for line in present.splitlines())
    if settings is not None and has_settings and not force:
        raise HardwareError(f"the board has a {SETTINGS} already: --force writes over it")
    expected = {file.name: file for file in program_files()}
    if settings is not None or not has_settings:
        expected[SETTINGS] = settings or resource("firmware") / "totem" / SETTINGS
    copies: list[str] = []
    for name, file in expected.items():
        # "+" joins commands, so that the board's prompt is entered once.
        copies += [*(["+"] if copies else []), "fs", "cp", str(file), f":{name}"]
    run([*_prompt(port), *copies])
    arrived = run([*_prompt(port), "fs", "sha256sum", *(f":{name}" for name in expected)])
    for name, file in expected.items():
        if hashlib.sha256(file.read_bytes()).hexdigest() not in arrived:
            raise HardwareError(f"{name} did not arrive whole on the board: install again")
    return list(expected)


def restart(port: str, run: Runner = mpremote) -> None:
    """Start the board anew."""
    run([*_prompt(port), "reset"])


def check(port: str, seconds: float = 15.0) -> Checked:
    """Wait for hello, a second of scans and the self-test; raises `HardwareError` without them."""
    link = SerialLink(port)
    end_s = time.monotonic() + seconds
    scans, asked = 0, False
    test: SelfTest | None = None
    try:
        while time.monotonic() < end_s:
            scans += sum(len(batch) for batch in link.poll(0.1))
            if scans and not asked:
                link.send(protocol.ask_self_test())
                asked = True
            for said in link.take_notices():
                if isinstance(said, SelfTest):
                    test = said
            hello = link.receiver.hello
            if hello is not None and test is not None and scans * hello.period_us >= 1_000_000:
                return Checked(hello, scans, test.faulty)
        problem = link.health().problem or (
            "it said nothing" if link.receiver.hello is None else f"only {scans} scans came"
        )
    finally:
        link.close()
    raise HardwareError(f"{port}: the totem did not start within {seconds:.0f} s: {problem}")
