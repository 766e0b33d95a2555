"""What the commands that serve pages have in common: where, to whom, over what.

Belongs here: options and their sentences. Does not belong here: the pages (`referee.web`).
"""

from __future__ import annotations

import argparse
from pathlib import Path

from referee.errors import InputError
from referee.web.accounts import Accounts
from referee.web.board import Board
from referee.web.desk import Desk
from referee.web.reviews import Reviews
from referee.web.seats import SeatDoors
from referee.web.server import Tls, WebServer, serve
from referee.web.set_up import SetUp

LAST_PORT = 65535


def add_web_options(parser: argparse.ArgumentParser) -> None:
    """The options beside `--web`."""
    parser.add_argument(
        "--scoreboard-only",
        action="store_true",
        help="with --web on the network and no accounts: others see the scoreboard and nothing else",
    )
    parser.add_argument("--tls-cert", type=Path, metavar="PEM", help="serve by https: the certificate, with its chain")
    parser.add_argument("--tls-key", type=Path, metavar="PEM", help="the certificate's key")


def address_of(said: str) -> tuple[str, int]:
    """Host and port; raises `InputError` for what is no address."""
    host, _, port = said.rpartition(":")
    if not (port.isascii() and port.isdigit()) or int(port) > LAST_PORT:
        raise InputError(f"--web: {said} is no address, expected [HOST:]PORT")
    return host.strip("[]") or "127.0.0.1", int(port)


def serve_pages(
    address: tuple[str, int],
    arguments: argparse.Namespace,
    board: Board | None,
    desk: Desk,
    language: str,
    folder: Path | None,
    reviews: Reviews | None,
    seats: SeatDoors | None = None,
    set_up: SetUp | None = None,
) -> WebServer:
    """Serve; `folder` is the journal's, where the accounts are kept (None: there can be none)."""
    cert, key = arguments.tls_cert, arguments.tls_key
    if (cert is None) != (key is None):
        raise InputError("--tls-cert and --tls-key belong together, expected both")
    return serve(
        board,
        desk,
        *address,
        language=language,
        accounts=None if folder is None else Accounts(folder),
        reviews=reviews,
        scoreboard_only=arguments.scoreboard_only,
        seats=seats,
        tls=None if cert is None else Tls(cert, key),
        set_up=set_up,
    )
