"""The command `referee`: finds the command's module and runs it.

Belongs here: the list of commands, the help page, and what every command has in common (exit status, one
sentence on standard error for wrong input). Does not belong here: what a command does.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from referee import __version__
from referee.errors import HardwareError, InputError, RefereeError

# Name, module, one line of help. The module has `configure(parser)` and `run(arguments) -> exit status`;
# it is imported only when its command is asked for, so that no command pays for another's libraries.
COMMANDS: tuple[tuple[str, str, str], ...] = (
    ("accounts", "referee.commands.accounts", "who may log in to the pages"),
    ("adjudicate", "referee.commands.adjudicate", "from game records to rulings"),
    ("bench", "referee.commands.bench", "what this machine can do: picture size and rate to choose"),
    ("calibrate", "referee.commands.calibrate", "from a box of parts to a profile: camera, table, totem, time"),
    ("deck", "referee.commands.deck", "make, check and print decks of cards"),
    ("demo", "referee.commands.demo", "a simulated game, refereed live before your eyes"),
    ("doctor", "referee.commands.doctor", "what is wrong with this table, and what to do about it"),
    ("evidence", "referee.commands.evidence", "list, remove and pin what a journal keeps to show why"),
    ("export", "referee.commands.export", "games of a journal as records, tables or bundles"),
    ("games", "referee.commands.games", "the games of a journal, searched"),
    ("grabs", "referee.commands.grabs", "who took the totem, from a recorded trace"),
    ("journal", "referee.commands.journal", "check a journal, and take games into it"),
    ("print", "referee.commands.print", "sheets for a table as PDF: mat, calibration board, templates, cards"),
    ("read", "referee.commands.read", "which cards lie face up in pictures"),
    ("ready", "referee.commands.ready", "before a game: are all cards there, is everybody named"),
    ("replay", "referee.commands.replay", "work kept games out again and compare the rulings"),
    ("review", "referee.commands.review", "look at kept games again, on pages"),
    ("rules", "referee.commands.rules", "print the rules, clause by clause"),
    ("run", "referee.commands.run", "referee a game, live or recorded"),
    ("say", "referee.commands.say", "hear how the referee speaks"),
    ("serve", "referee.commands.serve", "one table game after game, as a service runs it"),
    ("show", "referee.commands.show", "one game of a journal, or one ruling with all it rests on"),
    ("sim", "referee.commands.sim", "simulate tables with people, cameras and a totem"),
    ("stats", "referee.commands.stats", "reaction times, duels won, faults, closest calls"),
    ("totem", "referee.commands.totem", "install, watch, record and simulate the totem"),
)

EXIT_DONE = 0
EXIT_NO = 1
EXIT_WRONG_INPUT = 2


def build_parser(wanted: str | None) -> argparse.ArgumentParser:
    """The parser of the whole program; only the wanted command's own arguments are filled in."""
    parser = argparse.ArgumentParser(
        prog="referee", description="A referee for fast physical card games.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"referee {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, module, help_line in COMMANDS:
        sub = commands.add_parser(name, help=help_line, description=help_line, allow_abbrev=False)
        if name == wanted:
            loaded = importlib.import_module(module)
            loaded.configure(sub)
            sub.set_defaults(run=loaded.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns 0 (done), 1 (the answer is no) or 2 (the input is wrong, or cannot be used)."""
    _make_streams_safe()
    _use_one_thread_for_small_matrices()
    words = list(sys.argv[1:] if argv is None else argv)
    wanted = next((word for word in words if not word.startswith("-")), None)
    try:
        arguments = build_parser(wanted).parse_args(words)
        status: int = arguments.run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of our output has gone (`referee … | head`): nothing is wrong with the input.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_DONE
    except (
        InputError,
        HardwareError,
    ) as error:  # as any other `OSError`: what was asked cannot be done with what is there
        print(f"referee {wanted}: {one_line(error)}", file=sys.stderr)
        return EXIT_WRONG_INPUT
    except RefereeError as error:
        print(f"referee {wanted}: {one_line(error)}", file=sys.stderr)
        return EXIT_NO
    except OSError as error:
        name = "" if error.filename is None else f"{error.filename}: "
        print(f"referee {wanted}: {one_line(name + (error.strerror or str(error)))}", file=sys.stderr)
        return EXIT_WRONG_INPUT
    except UnicodeEncodeError as error:
        bad = one_line(error.object[error.start : error.end])
        print(
            f"referee {wanted}: {bad}: a name that is no UTF-8 text, expected one that can be written", file=sys.stderr
        )
        return EXIT_WRONG_INPUT
    except KeyboardInterrupt:
        return 130
    return status


def _use_one_thread_for_small_matrices() -> None:
    """Keep NumPy's linear algebra on one thread, unless the environment says otherwise.

    Every matrix here is small. Threads that wait for each other cost a busy machine many times what they save: reading
    a card took up to seconds (benchmarks/live_path.py). It has to be said before NumPy is loaded.
    """
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(variable, "1")


def _make_streams_safe() -> None:
    """A stream the shell has closed, or one in a narrow encoding, loses characters and never ends in a traceback."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open while we run
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def one_line(message: object) -> str:
    """A message fit for one line of a terminal: control characters are shown, not obeyed."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in str(message))


if __name__ == "__main__":
    sys.exit(main())
