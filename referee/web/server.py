"""The pages on a socket, in a thread beside the game.

Belongs here: the socket, the thread, starting and stopping. Does not belong here: what is served (`app`).
"""

from __future__ import annotations

import socket
import threading
from dataclasses import dataclass, replace
from pathlib import Path

import uvicorn

from referee.errors import HardwareError, InputError
from referee.web.accounts import Accounts
from referee.web.app import make_app
from referee.web.board import Board
from referee.web.desk import Desk
from referee.web.guard import is_loopback
from referee.web.reviews import Reviews
from referee.web.seats import SeatDoors
from referee.web.set_up import SetUp
from referee.web.shared import Pages

LOCAL = "127.0.0.1"
STOP_S = 5.0
LARGEST_CONNECTIONS = 256


@dataclass(frozen=True)
class Tls:
    """The files of a certificate and its key (PEM)."""

    certificate: Path
    key: Path


@dataclass(frozen=True)
class WebServer:
    """The pages being served; `address` is where, for people on this machine."""

    address: str
    port: int
    _server: uvicorn.Server
    _pages: Pages
    _thread: threading.Thread

    def stop(self) -> None:
        """End all streams and stop serving; may be called twice."""
        self._server.should_exit = True
        self._pages.close()
        self._thread.join(STOP_S)


def serve(
    board: Board | None,
    desk: Desk,
    host: str = LOCAL,
    port: int = 8000,
    language: str = "en",
    accounts: Accounts | None = None,
    reviews: Reviews | None = None,
    scoreboard_only: bool = False,
    tls: Tls | None = None,
    seats: SeatDoors | None = None,
    set_up: SetUp | None = None,
) -> WebServer:
    """Serve the pages from a thread of their own until `stop`; `board` None: the review pages, and those of `set_up`.

    With `host` 127.0.0.1 nobody else sees them. Any other address takes accounts, or `scoreboard_only`: then the
    network sees the scoreboard, and all the rest answers on this machine alone. Port 0 takes any that is free.
    Raises `InputError` when the address would open the pages and there are no accounts, or they or the certificate
    cannot be read, and `HardwareError` when the address cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        if not scoreboard_only and not is_loopback(listening.getsockname()[0]):
            _check_accounts(host, accounts)
        listening.listen(128)  # now, so that a page opened at once waits instead of failing
    except InputError:
        listening.close()
        raise
    except (OSError, OverflowError) as error:
        listening.close()
        raise HardwareError(f"the pages cannot be served at {host}, port {port}: {_reason(error)}") from error
    found = _found(seats, listening)
    app, pages = make_app(board, desk, language, accounts=accounts, reviews=reviews, seats=found, set_up=set_up)
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        loop="asyncio",
        log_config=None,
        log_level="error",  # of what strangers send nothing is said; an error here is our own
        access_log=False,
        proxy_headers=False,  # a header must not be able to say where a request came from
        server_header=False,
        limit_concurrency=LARGEST_CONNECTIONS,
        ssl_certfile=None if tls is None else tls.certificate,
        ssl_keyfile=None if tls is None else tls.key,
        timeout_graceful_shutdown=1,
    )
    try:
        config.load()
    except OSError as error:  # `ssl.SSLError` is one
        listening.close()
        raise InputError(
            f"--tls-cert: cannot be used ({_reason(error)}), expected a certificate and its key"
        ) from error
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, name="web", daemon=True)
    thread.start()
    taken = int(listening.getsockname()[1])
    scheme = "http" if tls is None else "https"
    return WebServer(f"{scheme}://{LOCAL}:{taken}/", taken, server, pages, thread)


def _found(seats: SeatDoors | None, listening: socket.socket) -> SeatDoors | None:
    """The seats, with the address at which phones find this machine, where they can."""
    if seats is None or seats.host or is_loopback(listening.getsockname()[0]):
        return seats
    return replace(seats, host=own_address())


def own_address() -> str:
    """This machine's address in its network, else its name; nothing is sent to find out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(("192.0.2.1", 9))  # an address of no network (RFC 5737): it picks the way out
            return str(asking.getsockname()[0])
        except OSError:
            return f"{socket.gethostname().split('.')[0]}.local"


def _check_accounts(host: str, accounts: Accounts | None) -> None:
    if accounts is None or not accounts.exist():
        raise InputError(
            f"--web: {host} opens the pages to the network and there is no account yet; expected one "
            "(referee accounts add NAME --journal DIR), or --scoreboard-only to show the scoreboard and nothing else"
        )


def _reason(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)
