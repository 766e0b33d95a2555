"""`referee accounts` and `referee review`: who may log in, and pages that are not opened by mistake."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from referee.cli import main
from referee.journal.store import Journal
from referee.web.accounts import Accounts, Role
from tests.review.kept import EVENTS, whole_game

TYPED = "correct horse battery"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Journal.open(tmp_path / "journal") as journal:
        whole_game(journal, events=EVENTS[:2])
    return tmp_path / "journal"


def accounts(folder: Path, *words: str) -> int:
    return main(["accounts", *words, "--journal", str(folder)])


def test_the_first_account_is_a_head_referees_and_its_password_is_shown_once(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert accounts(folder, "add", "Hanna") == 0
    said = capsys.readouterr().out
    password = said.rpartition(": ")[2].strip()
    found = Accounts(folder).check("Hanna", password)
    assert found is not None
    assert found.role is Role.HEAD
    assert accounts(folder, "list") == 0
    assert password not in capsys.readouterr().out


def test_a_typed_password_comes_from_the_terminal_and_is_not_shown(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(TYPED + "\n"))
    assert accounts(folder, "add", "Hanna", "--typed") == 0
    assert TYPED not in capsys.readouterr().out
    assert Accounts(folder).check("Hanna", TYPED) is not None


def test_accounts_are_listed_given_new_passwords_and_removed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, role in (("Hanna", "head"), ("Otto", "operator"), ("Vera", "viewer")):
        assert accounts(folder, "add", name, "--role", role) == 0
    before = Accounts(folder).all()
    assert accounts(folder, "password", "Otto") == 0
    assert accounts(folder, "remove", "Vera") == 0
    capsys.readouterr()
    assert accounts(folder, "list", "--json") == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines == [{"name": "Hanna", "role": "head"}, {"name": "Otto", "role": "operator"}]
    assert Accounts(folder).all()[1].stamp != before[1].stamp


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["add", "Otto", "--role", "viewer"], "the first account has to be a head referee's"),
        (["remove", "Otto"], "there is no account of this name"),
        (["password", "Otto"], "there is no account of this name"),
        (["add", ""], "name: expected"),
        (["add", "a\x1b[2J"], "name: expected"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert accounts(folder, *words) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert len(error.splitlines()) == 1


def test_there_is_no_option_that_takes_a_password(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["accounts", "add", "Hanna", "--password", TYPED, "--journal", str(folder)])
    assert Accounts(folder).all() == []
    capsys.readouterr()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--web", "0.0.0.0:0"], "opens the pages to the network and there is no account yet"),
        (["--web", "nowhere"], "--web: nowhere is no address"),
        (["--web", "0", "--tls-cert", "x.pem"], "--tls-cert and --tls-key belong together"),
        (["--web", "0", "--tls-cert", "x.pem", "--tls-key", "x.pem"], "--tls-cert: cannot be used"),
    ],
)
def test_pages_that_cannot_be_served_are_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], options: list[str], sentence: str
) -> None:
    assert main(["review", "--journal", str(folder), *options]) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert len(error.splitlines()) == 1


def test_a_folder_without_a_journal_is_not_made_into_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", "--journal", str(tmp_path)]) == 2
    assert "expected a journal" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_beside_a_referee_that_writes_the_journal_it_only_shows(folder: Path) -> None:
    command = [sys.executable, "-m", "referee", "review", "--journal", str(folder), "--web", "0"]
    with Journal.open(folder):
        refused = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert refused.returncode == 2
        assert "--read-only shows it all the same" in refused.stderr
        process = subprocess.Popen([*command, "--read-only"], stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        address = next(word for line in process.stderr for word in line.split() if word.startswith("http"))
        with urllib.request.urlopen(address, timeout=30) as page:
            assert page.status == 200
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        assert process.returncode == 0
