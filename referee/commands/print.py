"""`referee print`: sheets for a table as PDF, true to scale. Thin over calibration's sheets and the deck's printing."""

from __future__ import annotations

import argparse
from pathlib import Path

import orjson

from referee.deck.folder import BUILTIN, resolve_deck
from referee.deck.write import write_file
from referee.errors import InputError
from referee.profile import LONGEST_NAME, MOST_PLAYERS

FEWEST_PLAYERS = 2


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `referee print …`."""
    from calibration.sheets.paper import PAPERS

    sheets = parser.add_subparsers(dest="sheet", metavar="SHEET", required=True)
    papers = tuple(PAPERS)

    mat = sheets.add_parser("mat", help="markers, the totem's spot and where cards lie", allow_abbrev=False)
    mat.add_argument(
        "--players", required=True, metavar="N|NAMES", help="how many, or names clockwise: Ana,Bilal,Chloé"
    )
    mat.add_argument("--deck", default="builtin:totem-rush", metavar="DECK", help="whose cards (default %(default)s)")
    mat.add_argument("--profile-out", type=Path, metavar="P", help="write the table's profile to this mat, too")
    mat.add_argument("--camera", default="0", metavar="SOURCE", help="the profile's camera (default %(default)s)")
    _common(mat, papers, "a2")

    charuco = sheets.add_parser("charuco", help="the board a camera is calibrated with", allow_abbrev=False)
    _common(charuco, papers, "a4")

    pads = sheets.add_parser("electrodes", help="the totem's pads, to wrap around it", allow_abbrev=False)
    pads.add_argument("--rings", type=int, default=12, help="default %(default)s")
    pads.add_argument("--sectors", type=int, default=4, help="default %(default)s")
    pads.add_argument("--diameter", type=float, default=30.0, metavar="MM", help="of the tube (default %(default)g)")
    pads.add_argument("--height", type=float, default=120.0, metavar="MM", help="covered by pads (default %(default)g)")
    pads.add_argument("--gap", type=float, default=1.0, metavar="MM", help="between pads (default %(default)g)")
    _common(pads, papers, "a4")

    seats = sheets.add_parser("seat-pads", help="the foils under the players' hands", allow_abbrev=False)
    seats.add_argument("--players", required=True, metavar="N|NAMES", help="how many, or their names")
    seats.add_argument("--size", default="200,150", metavar="W,H", help="millimetres (default %(default)s)")
    _common(seats, papers, "a4")

    deck = sheets.add_parser("deck", help="cards to cut out (as `referee deck print`)", allow_abbrev=False)
    deck.add_argument("deck", metavar="DECK", help=f"a folder, or {', '.join(f'builtin:{name}' for name in BUILTIN)}")
    deck.add_argument("--backs", action="store_true", help="the backs too, each page followed by its other side")
    _common(deck, ("a4", "letter"), "a4")


def _common(parser: argparse.ArgumentParser, papers: tuple[str, ...], usual: str) -> None:
    parser.add_argument("--paper", choices=papers, default=usual, help="default %(default)s")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the PDF to write")
    parser.add_argument("--lang", choices=("en", "fr"), default="en", help="words on the sheet (default %(default)s)")
    parser.add_argument("--force", action="store_true", help="replace files that are there already")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def run(arguments: argparse.Namespace) -> int:
    """Write what was asked for; raises `InputError` for wrong input."""
    _check_free(arguments.out, arguments.force)
    match arguments.sheet:
        case "mat":
            return _mat(arguments)
        case "charuco":
            return _charuco(arguments)
        case "electrodes":
            return _electrodes(arguments)
        case "seat-pads":
            return _seat_pads(arguments)
        case _:
            return _deck(arguments)


def _mat(arguments: argparse.Namespace) -> int:
    from calibration.sheets.mat import mat_drawing, plan_mat
    from calibration.sheets.pages import pdf_of
    from calibration.sheets.paper import PAPERS
    from referee.table.layouts import make_layout

    players = _players(arguments.players)
    deck = resolve_deck(arguments.deck)
    if arguments.profile_out is not None:
        _check_free(arguments.profile_out, arguments.force)
        _check_game(deck.game, players)
    mat = plan_mat(make_layout(deck.game, players, deck.card_mm), PAPERS[arguments.paper])
    drawing = mat_drawing(mat, arguments.lang)
    write_file(arguments.out, pdf_of([(drawing, mat.paper)]))
    beside = mat.beside()
    if arguments.profile_out is not None:
        named = arguments.deck if arguments.deck.startswith("builtin:") else str(Path(arguments.deck).resolve())
        write_file(arguments.profile_out, mat.profile(named, arguments.camera).encode())
    if not arguments.json:
        for name, over in beside.items():
            print(f"{name}: lies {over:.0f} mm beyond the sheet's edge, on the table beside it")
    _say(arguments, "mat", markers_mm=[list(centre) for centre in mat.centres_mm], beside_mm=beside)
    if arguments.profile_out is not None:
        _say_profile(arguments)
    return 0


def _charuco(arguments: argparse.Namespace) -> int:
    from calibration.boards import A4_BOARD
    from calibration.sheets.charuco import charuco_drawing
    from calibration.sheets.pages import pdf_of
    from calibration.sheets.paper import PAPERS, fitting

    drawing = charuco_drawing(A4_BOARD, arguments.lang)
    paper = fitting(PAPERS[arguments.paper], drawing.size_mm, "the board")
    write_file(arguments.out, pdf_of([(drawing, paper)]))
    _say(arguments, "charuco", squares=[A4_BOARD.columns, A4_BOARD.rows], square_mm=A4_BOARD.square_mm)
    return 0


def _electrodes(arguments: argparse.Namespace) -> int:
    from calibration.sheets.electrodes import Skin, electrode_drawing
    from calibration.sheets.pages import pdf_of
    from calibration.sheets.paper import PAPERS, fitting

    skin = Skin(arguments.rings, arguments.sectors, arguments.diameter, arguments.height, arguments.gap)
    drawing = electrode_drawing(skin, arguments.lang)
    paper = fitting(PAPERS[arguments.paper], drawing.size_mm, "the skin")
    write_file(arguments.out, pdf_of([(drawing, paper)]))
    wide, high = skin.pad_mm
    _say(arguments, "electrodes", pads=skin.rings * skin.sectors, pad_mm=[round(wide, 2), round(high, 2)])
    return 0


def _seat_pads(arguments: argparse.Namespace) -> int:
    from calibration.sheets.pages import pdf_of
    from calibration.sheets.paper import PAPERS, fitting
    from calibration.sheets.seat_pads import seat_pad_drawing

    size = _size(arguments.size)
    drawings = [seat_pad_drawing(seat, size, arguments.lang) for seat in range(1, len(_players(arguments.players)) + 1)]
    paper = fitting(PAPERS[arguments.paper], drawings[0].size_mm, "a seat pad")
    write_file(arguments.out, pdf_of([(drawing, paper) for drawing in drawings]))
    _say(arguments, "seat-pads", pads=len(drawings), size_mm=list(size))
    return 0


def _deck(arguments: argparse.Namespace) -> int:
    from referee.deck.printing import pdf_bytes, printable

    deck = printable(arguments.deck)
    write_file(arguments.out, pdf_bytes(deck, arguments.paper, backs=arguments.backs))
    _say(arguments, "deck", cards=len(deck.cards), backs=arguments.backs)
    return 0


def _players(words: str) -> list[str]:
    """Names of the players: those that are given, else `1` to `N`."""
    names = [name.strip() for name in words.split(",")]
    if len(names) == 1 and names[0].isdigit():
        names = [str(place) for place in range(1, min(int(names[0]), MOST_PLAYERS + 1) + 1)]
    sound = all(name and len(name) <= LONGEST_NAME and name.isprintable() for name in names)
    if not FEWEST_PLAYERS <= len(names) <= MOST_PLAYERS or len(set(names)) != len(names) or not sound:
        raise InputError(
            f"--players {words}: expected a number from {FEWEST_PLAYERS} to {MOST_PLAYERS}, or so many different names"
        )
    return names


def _check_game(game: str, players: list[str]) -> None:
    """A profile is for a game that can be played; raises `RecordError` for one these players cannot play."""
    from referee.ledger import Ledger

    Ledger({"record": "referee/1", "game": game, "players": players, "options": {}, "start": {}})


def _size(words: str) -> tuple[float, float]:
    try:
        wide, high = (float(word) for word in words.split(","))
    except ValueError as error:
        raise InputError(f"--size {words}: expected W,H, two numbers of millimetres") from error
    return wide, high


def _check_free(path: Path, force: bool) -> None:
    if path.is_dir():
        raise InputError(f"{path}: this is a folder, expected the name of a file")
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise InputError(f"{path}: this is no ordinary file, expected the name of a file")
    if path.exists() and not force:
        raise InputError(f"{path}: this file is there already, give --force to replace it")


def _say(arguments: argparse.Namespace, sheet: str, **facts: object) -> None:
    if arguments.json:
        print(orjson.dumps({"file": str(arguments.out), "sheet": sheet, "paper": arguments.paper, **facts}).decode())
    else:
        print(f"{arguments.out}: {sheet} on {arguments.paper}; print at 100 % and check the 100 mm ruler")


def _say_profile(arguments: argparse.Namespace) -> None:
    if arguments.json:
        print(orjson.dumps({"profile": str(arguments.profile_out)}).decode())
    else:
        path = arguments.profile_out
        print(f"{path}: the profile to this mat; try it: referee doctor --profile {path}")
