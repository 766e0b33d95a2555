"""`referee totem`: put the program on the totem's board, watch it live, record it, play one.

Belongs here: arguments and words for a person. Does not belong here: what is done (`referee/totem`).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live

from referee.amounts import amount
from referee.errors import InputError
from referee.totem import install, monitor
from referee.totem.links import Link
from referee.totem.links.base import table_clock
from referee.totem.links.opening import open_link
from referee.totem.links.serial_port import SerialLink, find_port
from referee.totem.messages import Hello
from referee.totem.monitor_page import LOCAL, MonitorPage
from referee.totem.recording import Recorder, read_scans

AUTO = "auto"
_TURN_S = 0.1
_TUG_S = 0.2


def configure(parser: argparse.ArgumentParser) -> None:
    """Fill in the arguments of `referee totem`."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    installs = actions.add_parser("install", help="put the program on the totem's board and check it")
    installs.add_argument(
        "--config", metavar="BUILD", help="settings for the board: " + ", ".join(install.builds()) + ", or a file"
    )
    installs.add_argument("--force", action="store_true", help="write over the settings on the board")
    checks = installs.add_mutually_exclusive_group()
    checks.add_argument("--check-only", action="store_true", help="copy nothing, only check")
    checks.add_argument("--no-check", action="store_true", help="only copy (for a second Pico of build C)")
    watches = actions.add_parser("monitor", help="show what the totem feels, live")
    watches.add_argument("--web", action="store_true", help="serve a page as well (nothing can be done on it)")
    watches.add_argument("--host", default=LOCAL, help="address to serve on (default: this machine only)")
    watches.add_argument("--http-port", type=_port, default=0, metavar="N", help="port to serve on")
    records = actions.add_parser("record", help="record raw scans to a trace")
    records.add_argument("out", type=Path, metavar="OUT.npz")
    records.add_argument("--seats", default="", metavar="A,B,C", help="names of the seat pads, in their order")
    kept = records.add_mutually_exclusive_group()
    kept.add_argument("--force", action="store_true", help="write over what is there")
    kept.add_argument("--resume", action="store_true", help="go on with an interrupted recording")
    plays = actions.add_parser("simulate", help="play a trace as a totem on a port of its own")
    plays.add_argument("trace", type=Path, metavar="TRACE")
    plays.add_argument("--at", type=Path, required=True, metavar="PORT", help="where the port is to be")
    plays.add_argument("--pace", type=_positive, default=1.0, help="times faster than life (default: 1)")
    plays.add_argument("--bit-errors", type=_chance, default=0.0, metavar="P", help="chance of each bit to flip")
    plays.add_argument("--tug-every", type=_positive, metavar="S", help="tug at the cable so often")
    for action in (installs, watches, records):
        action.add_argument(
            "--port", default=AUTO, metavar="PORT", help="serial port (default: the one board plugged in)"
        )
    for action in (installs, watches, records, plays):
        action.add_argument("--json", action="store_true", help="one JSON object a line")
    for action in (watches, records):
        action.add_argument("--simulate", type=Path, metavar="TRACE", help="play a trace as a simulated totem")
    for action in (watches, records, plays):
        action.add_argument("--seconds", type=_positive, metavar="S", help="stop after so long (default: Ctrl-C)")


def _positive(text: str) -> float:
    """A number above zero, as argparse asks for it."""
    value = float(text)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number above 0, found {text}")
    return value


def _chance(text: str) -> float:
    """A number from 0 to 1, as argparse asks for it."""
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to 1, found {text}")
    return value


def _port(text: str) -> int:
    """A network port, 0 for any that is free."""
    value = int(text)
    if not 0 <= value <= 65_535:
        raise argparse.ArgumentTypeError(f"expected a port from 0 to 65535, found {text}")
    return value


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says."""
    actions = {"install": _install, "monitor": _monitor, "record": _record, "simulate": _simulate}
    return actions[arguments.action](arguments)


def _say(arguments: argparse.Namespace, words: str, **values: Any) -> None:
    print(json.dumps(values) if arguments.json else words, flush=True)


@contextlib.contextmanager
def _link(arguments: argparse.Namespace) -> Iterator[Link]:
    """The totem behind its port, or a simulated one behind a pseudo-terminal."""
    if arguments.simulate is not None and arguments.port != AUTO:
        raise InputError("--simulate and --port: only one of them can be the totem")
    with contextlib.ExitStack() as stack:
        port = arguments.port
        if arguments.simulate is not None:
            # Only here does a command know that a totem is simulated; behind the port nobody does.
            from referee.sim.totem_device import SimulatedTotem

            scans = read_scans(arguments.simulate)
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="totem-"))
            port = str(Path(folder) / "port")
            stack.enter_context(SimulatedTotem(scans, Path(port)))
        link = open_link(port, table_clock())
        stack.callback(link.close)
        yield link


def _simulate(arguments: argparse.Namespace) -> int:
    from referee.sim.totem_device import SimulatedTotem

    if arguments.at.exists():  # a link that leads nowhere was left by a program that was killed
        raise InputError(f"{arguments.at}: exists already; the simulated port needs a name of its own")
    if not arguments.at.parent.is_dir():
        raise InputError(f"{arguments.at}: there is no folder {arguments.at.parent}")
    with SimulatedTotem(read_scans(arguments.trace), arguments.at, pace=arguments.pace) as totem:
        totem.cable.bit_error_rate = arguments.bit_errors
        _say(arguments, f"a totem is at {arguments.at} (Ctrl-C ends it)", port=str(arguments.at))
        tugged_s = time.monotonic()
        for _ in _until(arguments):
            time.sleep(_TURN_S)
            if arguments.tug_every and time.monotonic() - tugged_s >= arguments.tug_every:
                tugged_s = time.monotonic()
                totem.cable.tug(_TUG_S)
    return 0


def _install(arguments: argparse.Namespace) -> int:
    port = str(find_port()) if arguments.port == AUTO else str(arguments.port)
    if not arguments.check_only:
        settings = None if arguments.config is None else install.settings_file(arguments.config)
        install.stop_program(port)
        copied = install.copy_program(port, settings, arguments.force)
        _say(arguments, f"copied {amount(len(copied), 'file')}", copied=copied)
        install.restart(port)
        if arguments.no_check:
            return 0
    found = install.check(port)
    hello = found.hello
    version = ".".join(map(str, hello.firmware))
    layout = hello.layout
    pads = ", ".join(map(str, found.faulty_pads))
    _say(
        arguments,
        f"build {hello.build}, version {version}: {layout.rings} rings × {layout.sectors} sectors, "
        f"{layout.seats} seat pads, {found.scans} scans came, "
        + (f"pads to look at: {pads}" if pads else "all pads fine"),
        build=hello.build,
        version=version,
        rings=layout.rings,
        sectors=layout.sectors,
        seats=layout.seats,
        boot_id=hello.boot_id,
        scans=found.scans,
        faulty_pads=list(found.faulty_pads),
    )
    return 1 if found.faulty_pads else 0


def _until(arguments: argparse.Namespace) -> Iterator[None]:
    """Turns until the time is over or the person has had enough (Ctrl-C, or a polite kill)."""
    enough = threading.Event()
    # A flag and no exception: what is being written is finished first.
    earlier = {number: signal.signal(number, lambda *_: enough.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    end_s = None if arguments.seconds is None else time.monotonic() + arguments.seconds
    try:
        while not enough.is_set() and (end_s is None or time.monotonic() < end_s):
            yield
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)


def _monitor(arguments: argparse.Namespace) -> int:
    view = monitor.View()
    with contextlib.ExitStack() as stack:
        link = stack.enter_context(_link(arguments))
        if arguments.web:
            page = MonitorPage(lambda: view.snapshot(link.health()), arguments.host, arguments.http_port)
            stack.callback(page.close)
            _say(arguments, f"page: {page.address}", page=page.address)
        live = None if arguments.json else stack.enter_context(Live(console=Console(), auto_refresh=False))
        shown_s = 0.0
        for _ in _until(arguments):
            for batch in link.poll(_TURN_S):
                view.update(batch)
            if time.monotonic() - shown_s >= _TURN_S:
                shown_s = time.monotonic()
                state = view.snapshot(link.health())
                if live is None:
                    print(json.dumps(state), flush=True)
                else:
                    live.update(monitor.picture(state), refresh=True)
        return 0 if link.health().scans else 1


def _seat_names(text: str) -> list[str]:
    """The names of the seat pads; raises `InputError` for names that a trace could not keep apart."""
    names = [name.strip() for name in text.split(",")] if text else []
    if any(not 1 <= len(name) <= 64 or not name.isprintable() for name in names):
        raise InputError("--seats: expected names of 1 to 64 printable characters, separated by commas")
    if len(set(names)) != len(names):
        raise InputError("--seats: a name stands there twice, expected a different one for each seat")
    return names


def _record(arguments: argparse.Namespace) -> int:
    names = _seat_names(arguments.seats)
    recorder = Recorder(arguments.out, names, arguments.force, arguments.resume)
    with _link(arguments) as link:
        zero_unix_us = time.time_ns() // 1000
        # An interrupted recording goes on with the zero it had, so that its two parts lie right to each
        # other.
        shift_us = 0 if recorder.zero_unix_us is None else zero_unix_us - recorder.zero_unix_us
        try:
            for _ in _until(arguments):
                for batch in link.poll(_TURN_S):
                    recorder.add(batch.later(shift_us), zero_unix_us - shift_us)
                for said in link.take_notices() if isinstance(link, SerialLink) else ():
                    if isinstance(said, Hello):
                        _say(arguments, f"totem {said.boot_id:08x} is there", boot_id=said.boot_id)
        finally:
            paths = recorder.close()
        health = link.health()
    for path in paths:
        _say(arguments, f"wrote {path}", trace=str(path))
    _say(
        arguments,
        f"{recorder.scans + recorder.resumed_scans} scans, {health.scans_lost} lost"
        + (f"; {health.problem}" if health.problem else ""),
        scans=recorder.scans + recorder.resumed_scans,
        scans_lost=health.scans_lost,
        problem=health.problem,
    )
    return 0 if paths else 1
