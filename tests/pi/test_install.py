"""scripts/install-pi in a root of its own, with a stand-in for Python where pip would reach for the network."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
PARTS = ("scripts", "referee", "calibration", "firmware", "seeds", "pyproject.toml")
PYTHON = """#!/bin/sh
# Stands in for Python: makes an environment that says its version, and notes what pip was asked for.
case "$*" in
*"-m venv"*)
    for place in "$@"; do :; done
    mkdir -p "$place/bin"
    cp "$0" "$place/bin/python"
    ;;
*"-m pip install"*)
    for what in "$@"; do :; done
    echo "$what" >>"${PIP_LOG:?}"
    place=$(dirname "$0")
    printf '#!%s/python\\necho referee 0\\n' "$place" >"$place/referee"
    chmod +x "$place/referee"
    ;;
*referee*) echo "referee 0" ;;
esac
exit 0
"""
SYSTEM_FILES = (
    "etc/sysusers.d/referee.conf",
    "etc/udev/rules.d/60-referee-totem.rules",
    "etc/systemd/journald@referee.conf",
    "etc/systemd/system/referee.service",
)


class Machine:
    """A bare root with the groups of a Pi, and a copy of the checkout."""

    def __init__(self, folder: Path) -> None:
        self.root, self.checkout = folder / "root", folder / "checkout"
        self.checkout.mkdir()
        for part in PARTS:
            source = CHECKOUT / part
            copy = shutil.copytree if source.is_dir() else shutil.copy
            copy(source, self.checkout / part)
        (self.root / "etc").mkdir(parents=True)
        (self.root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/bash\n")
        (self.root / "etc/shadow").write_text("root:*:19000:0:99999:7:::\n")
        (self.root / "etc/group").write_text("root:x:0:\ndialout:x:20:\naudio:x:29:\nvideo:x:44:\ngpio:x:997:\n")
        self.python = folder / "python"
        self.python.write_text(PYTHON)
        self.python.chmod(0o755)
        self.pip_log = folder / "pip.log"

    def run(self, *words: str, answer: str = "") -> subprocess.CompletedProcess[str]:
        """The script below this root."""
        return subprocess.run(
            ["sh", "scripts/install-pi", "--root", str(self.root), *words],
            cwd=self.checkout,
            env={"PATH": os.environ["PATH"], "PYTHON": str(self.python), "PIP_LOG": str(self.pip_log)},
            input=answer,
            capture_output=True,
            text=True,
            check=False,
        )

    def files(self) -> dict[str, str]:
        """Everything below the root: files with their text, links with where they lead."""
        found = {}
        for path in sorted(self.root.rglob("*")):
            name = str(path.relative_to(self.root))
            if path.is_symlink():
                found[name] = f"-> {path.readlink()}"
            elif path.is_file():
                found[name] = path.read_text(errors="replace")
        return found

    def change_the_program(self) -> None:
        """Another version of the program lies in the checkout."""
        with (self.checkout / "referee/__init__.py").open("a") as file:
            file.write(f"# changed {len(file.name)}{os.urandom(4).hex()}\n")

    @property
    def current(self) -> str:
        return str((self.root / "opt/referee/current").readlink())


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    if shutil.which("systemd-sysusers") is None or os.geteuid() != 0:
        pytest.skip("installing into a root of its own needs systemd's tools and root")
    return Machine(tmp_path)


def test_a_dry_run_says_all_and_changes_nothing(machine: Machine) -> None:
    before = machine.files()
    done = machine.run("--dry-run")
    assert (done.returncode, done.stderr) == (0, "")
    assert all(f"write /{file}" in done.stdout for file in SYSTEM_FILES)
    assert machine.files() == before


def test_it_asks_before_it_changes_the_system(machine: Machine) -> None:
    before = machine.files()
    refused = machine.run(answer="n\n")
    silent = machine.run(answer="")
    assert (refused.returncode, silent.returncode) == (1, 1)
    assert "Nothing was changed" in refused.stdout
    assert machine.files() == before
    assert machine.run(answer="y\n").returncode == 0


def test_everything_is_in_place_and_the_second_run_finds_nothing_to_do(machine: Machine) -> None:
    done = machine.run("--yes")
    assert done.returncode == 0, done.stderr
    files = machine.files()
    assert set(SYSTEM_FILES) <= set(files)
    assert "SupplementaryGroups=video dialout gpio audio\n" in files["etc/systemd/system/referee.service"]
    assert "referee:x:" in files["etc/passwd"]
    assert "nologin" in files["etc/passwd"]
    assert "etc/systemd/system/multi-user.target.wants/referee.service" in files
    assert (machine.root / "var/lib/referee/journal").is_dir()
    assert (machine.root / "var/lib/referee").stat().st_mode & 0o777 == 0o700
    assert (machine.root / "var/lib/referee").stat().st_uid != 0
    started = (machine.root / "opt/referee" / machine.current / "bin/referee").read_text()
    assert started.startswith("#!/opt/referee/releases/")
    assert "[pi,speech]" in machine.pip_log.read_text()
    again = machine.run("--yes")
    assert again.returncode == 0
    assert "nothing: all is as it should be" in again.stdout
    assert machine.files() == files


def test_an_update_and_a_rollback_keep_profile_and_games(machine: Machine) -> None:
    machine.run("--yes")
    first = machine.current
    table, game = machine.root / "var/lib/referee/table.toml", machine.root / "var/lib/referee/journal/a-game"
    table.write_text("profile")
    game.write_text("game")
    assert machine.run("--rollback", "--yes").returncode == 2
    machine.change_the_program()
    assert machine.run("--yes").returncode == 0
    second = machine.current
    assert second != first
    assert machine.run("--rollback", "--yes").returncode == 0
    assert machine.current == first
    machine.change_the_program()
    update = machine.run("--yes")
    assert f"remove older releases: {Path(second).name}" in update.stdout
    assert machine.current not in (first, second)
    assert {path.name for path in (machine.root / "opt/referee/releases").iterdir()} == {
        Path(first).name,
        Path(machine.current).name,
    }
    assert (table.read_text(), game.read_text()) == ("profile", "game")


def test_undo_takes_all_away_but_profile_and_games(machine: Machine) -> None:
    own = machine.root / "etc/systemd/journald@referee.conf"
    own.parent.mkdir(parents=True)
    own.write_text("# somebody's own\n")
    machine.run("--yes")
    (machine.root / "var/lib/referee/table.toml").write_text("profile")
    assert machine.run("--undo", "--yes").returncode == 0
    left = machine.files()
    assert left["var/lib/referee/table.toml"] == "profile"
    assert left["etc/systemd/journald@referee.conf"] == "# somebody's own\n"
    assert [name for name in left if "referee" in name] == [
        "etc/systemd/journald@referee.conf",
        "var/lib/referee/table.toml",
    ]
    assert "nothing" in machine.run("--undo", "--yes").stdout
    purged = machine.run("--undo", "--purge", "--yes")
    assert purged.returncode == 0, purged.stderr
    assert "PROFILE AND ALL GAMES" in purged.stdout
    assert not (machine.root / "var/lib/referee").exists()
    assert "referee" not in machine.files()["etc/passwd"]


def test_a_release_that_cannot_be_installed_is_not_switched_to(machine: Machine) -> None:
    machine.run("--yes")
    first = machine.current
    machine.change_the_program()
    machine.python.write_text(
        PYTHON.replace("echo referee 0\\\\n", "exit 3\\\\n").replace(
            "*referee*) echo", '*"bin/referee"*) exit 3 ;;\n*referee*) echo'
        )
    )
    failed = machine.run("--yes")
    assert failed.returncode != 0
    assert machine.current == first


@pytest.mark.parametrize("words", [["--purge"], ["--frobnicate"], ["--root"], ["--root", "/nowhere/at/all"]])
def test_wrong_options_are_told_in_one_line(words: list[str]) -> None:
    done = subprocess.run(
        ["sh", str(CHECKOUT / "scripts/install-pi"), *words], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
@pytest.mark.parametrize("script", ["install-pi", "setup", "test", "demo"])
def test_shellcheck_has_nothing_to_say(script: str) -> None:
    done = subprocess.run(
        ["shellcheck", str(CHECKOUT / "scripts" / script)], capture_output=True, text=True, check=False
    )
    assert done.stdout == ""


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_the_unit_is_sound_and_hardened() -> None:
    unit = CHECKOUT / "scripts/pi/referee.service"
    verified = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)
    other = [line for line in verified.stderr.splitlines() if "is not executable" not in line]
    assert other == []
    rated = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=30", str(unit)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert rated.returncode == 0, rated.stdout[-200:]


def test_the_unit_waits_for_signs_of_life_and_its_log_is_bounded() -> None:
    unit = (CHECKOUT / "scripts/pi/referee.service").read_text()
    assert {"Type=notify", "WatchdogSec=30", "User=referee", "Restart=always", "LogNamespace=referee"} <= set(
        unit.splitlines()
    )
    assert "SystemMaxUse=40M" in (CHECKOUT / "scripts/pi/journald.conf").read_text()
