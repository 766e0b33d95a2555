"""Markup in names of players and cards, wherever they go: speech, file names, the terminal. Pages: `test_reviews`."""

from __future__ import annotations

import io
import json
import shutil
import ssl
import subprocess
import urllib.request
from pathlib import Path

import pytest

from referee.announce.sentences import ruling_sentence
from referee.announce.speech.spoken import phrases, said_names
from referee.errors import InputError
from referee.journal.store import Journal
from referee.ledger import Given
from referee.listeners import Sheet
from referee.record import find_defects
from referee.web.board import Board
from referee.web.desk import Desk
from referee.web.server import Tls, serve
from tests.review.kept import EVENTS, add_evidence, flip, place_of, read, whole_game
from tests.web.tables import TABLE

NASTY = [
    "<img src=x onerror=alert(1)>",
    '<volume level="900"/><audio src="/etc/passwd"/>',
    "../../etc/passwd",
    "$(reboot)`id`;|&",
    "%n%s%x {0.__class__}",
]


def game_of(journal: Journal, name: str) -> str:
    """A game in which somebody of this name takes the totem from a card with the same name."""
    events = [
        {key: name if value == "Ana" else value for key, value in event.items()}
        | ({"hands": [{**one, "player": name} for one in event["hands"][:1]]} if "hands" in event else {})
        for event in EVENTS[:4]
    ]
    return whole_game(journal, (name, "Bilal", "Chloé"), [*events, flip(20_000_000, "Chloé", f"{name}/red")])


@pytest.mark.parametrize("name", NASTY)
def test_no_file_is_called_by_a_name_somebody_chose(tmp_path: Path, name: str) -> None:
    with Journal.open(tmp_path / "journal") as journal:
        key = game_of(journal, name)
        add_evidence(journal, key, [place_of(read(journal.folder, key), "won")])
    made = {path.relative_to(tmp_path / "journal") for path in (tmp_path / "journal").rglob("*")}
    assert len(made) > 6
    plain = set("abcdefghijklmnopqrstuvwxyz0123456789.-/")
    assert all(set(str(path)) <= plain for path in made)
    assert {path.name for path in tmp_path.iterdir()} == {"journal"}


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("name", NASTY)
def test_no_voice_is_given_markup_or_signs(tmp_path: Path, name: str, language: str) -> None:
    with Journal.open(tmp_path / "journal") as journal:
        kept = read(journal.folder, game_of(journal, name))
    won = kept.rulings[place_of(kept, "won")].ruling
    said = phrases(ruling_sentence(won, language), language, said_names(kept.header["players"], language, {}))
    assert said
    assert not set("".join(said)) & set('<>/\\&|;`${}"=%')


@pytest.mark.parametrize("name", ["a\x1b[2J", "a\nb", "a\u202eb", "a\x07"])
def test_a_name_that_would_move_the_cursor_or_the_line_is_no_name(name: str) -> None:
    header = {"record": "referee/1", "game": "jungle-speed", "players": [name, "Bilal", "Chloé"]}
    assert find_defects(io.BytesIO(json.dumps(header).encode() + b"\n"))


@pytest.mark.parametrize("name", NASTY)
def test_on_the_terminal_a_name_is_one_line_of_text(tmp_path: Path, name: str) -> None:
    with Journal.open(tmp_path / "journal") as journal:
        kept = read(journal.folder, game_of(journal, name))
    lines: list[str] = []
    Sheet(lines.append, "en", "jungle-speed").given([Given(one.place, one.ruling) for one in kept.rulings])
    assert any(name in line for line in lines)
    assert all(line.isprintable() for line in lines)


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Tls:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl on this machine to make a certificate with")
    folder = tmp_path_factory.mktemp("tls")
    made = Tls(folder / "cert.pem", folder / "key.pem")
    how = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost"
    names = ["-addext", "subjectAltName=IP:127.0.0.1", "-out", str(made.certificate), "-keyout", str(made.key)]
    subprocess.run([openssl, *how.split(), *names], check=True, capture_output=True)
    return made


def test_over_tls_the_pages_are_served_and_their_cookie_is_for_tls_alone(tls: Tls) -> None:
    server = serve(Board(TABLE), Desk(), port=0, tls=tls)
    try:
        assert server.address.startswith("https://")
        trusted = ssl.create_default_context(cafile=str(tls.certificate))
        with urllib.request.urlopen(server.address, context=trusted, timeout=20) as page:
            cookie = page.headers["Set-Cookie"]
        assert cookie.startswith("__Host-referee=")
        assert "Secure" in cookie
    finally:
        server.stop()


def test_a_certificate_that_cannot_be_used_is_one_sentence(tls: Tls, tmp_path: Path) -> None:
    for wrong in (Tls(tls.key, tls.key), Tls(tmp_path / "none.pem", tls.key)):
        with pytest.raises(InputError, match="--tls-cert: cannot be used"):
            serve(Board(TABLE), Desk(), port=0, tls=wrong)
