"""The program installed from a wheel, outside the repository, with nothing of the checkout at hand."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel's contents, as an installation would lay them."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def run(unpacked: Path, *words: str) -> str:
    """The installed program's answer; `-I` and the working folder keep the checkout out of reach."""
    code = f"import sys; sys.path.insert(0, {str(unpacked)!r}); from referee.cli import main; sys.exit(main())"
    command = [sys.executable, "-I", "-c", code, *words]
    done = subprocess.run(command, cwd=unpacked, capture_output=True, text=True, check=True)
    return done.stdout


def test_an_installed_program_is_the_one_of_the_wheel_and_finds_its_seeds(unpacked: Path) -> None:
    code = f"import sys; sys.path.insert(0, {str(unpacked)!r}); import referee; print(referee.__file__)"
    done = subprocess.run([sys.executable, "-I", "-c", code], cwd=unpacked, capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()).is_relative_to(unpacked)
    assert "JS-42" in run(unpacked, "rules", "jungle-speed", "JS-42")


def test_an_installed_program_explains_its_rulings(unpacked: Path) -> None:
    record = ROOT / "tests" / "rules" / "golden" / "five-players.jsonl"
    assert "explain" in run(unpacked, "adjudicate", str(record), "--json", "--explain")


@pytest.mark.parametrize("folder", ["seeds", "firmware"])
def test_what_ships_beside_the_code_is_in_the_wheel(unpacked: Path, folder: str) -> None:
    shipped = {
        path.relative_to(ROOT / folder) for path in (ROOT / folder).rglob("*") if path.suffix in (".toml", ".py")
    }
    packed = unpacked / "referee" / "data" / folder
    assert {path for path in shipped if not (packed / path).is_file()} == set()
