"""`referee deck`: make, check and print deck folders. Thin over the deck room and calibration's enrolment."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import orjson
from rich.console import Console
from rich.table import Table

from referee.deck.census import ColourPair, Finding, Report, check
from referee.deck.collect import DeckPlan, add_images, picture_files, plan_for
from referee.deck.folder import BUILTIN, CARD_MM, Deck, load_deck, resolve_deck
from referee.deck.ids import BOX, GAMES, game_name, is_legal, legal_ids
from referee.deck.near import SIZES_PX, Pair
from referee.deck.pictures import read_picture
from referee.deck.printing import pdf_bytes, printable
from referee.deck.sheet import PAPERS_MM
from referee.deck.write import NewCard, check_new_folder, write_deck, write_file
from referee.errors import DeckError

EXIT_DONE, EXIT_NO = 0, 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `referee deck …`."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    adding = actions.add_parser(
        "add-images", help="make a deck from pictures named after their cards", allow_abbrev=False
    )
    adding.add_argument("folder", type=Path, metavar="FOLDER", help="pictures such as knot+green.png (+ for /)")
    _add_new_deck_options(adding)

    enrolling = actions.add_parser(
        "enrol", help="make a deck from a camera or from photographs of single cards", allow_abbrev=False
    )
    add_enrol_options(enrolling)

    checking = actions.add_parser(
        "check", help="which cards are easily confused, what is missing or doubled", allow_abbrev=False
    )
    _add_deck(checking)
    checking.add_argument("--pairs", type=int, default=12, help="how many near pairs (default %(default)s)")
    checking.add_argument("--json", action="store_true", help="one JSON object a line")

    printing = actions.add_parser("print", help="a PDF to print and cut, true to scale", allow_abbrev=False)
    _add_deck(printing)
    printing.add_argument("--paper", choices=tuple(PAPERS_MM), default="a4", help="default %(default)s")
    printing.add_argument("--out", type=Path, required=True, metavar="FILE", help="the PDF to write")
    printing.add_argument("--backs", action="store_true", help="the backs too, each page followed by its other side")
    printing.add_argument("--force", action="store_true", help="replace the file when it is there already")
    printing.add_argument("--json", action="store_true", help="one JSON object a line")


def add_enrol_options(parser: argparse.ArgumentParser) -> None:
    """The arguments of an enrolment, for `referee calibrate deck` too."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--camera", metavar="N", help="a camera's number, device or URL: guided, a card at a time")
    source.add_argument("--photos", type=Path, metavar="FOLDER", help="photographs such as knot+green-1.jpg")
    _add_new_deck_options(parser)
    parser.add_argument("--ids", type=Path, metavar="FILE", help="the cards to ask for, one id a line (--camera)")
    parser.add_argument("--looks", type=int, default=3, help="looks at each card (--camera; default %(default)s)")


def _add_deck(parser: argparse.ArgumentParser) -> None:
    decks = ", ".join(f"builtin:{name}" for name in BUILTIN)
    parser.add_argument("deck", metavar="DECK", help=f"a deck folder, or {decks}")


def _add_new_deck_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--game", required=True, metavar="G", help=f"one of {', '.join(GAMES)}")
    parser.add_argument("--out", type=Path, required=True, metavar="DECK", help="the deck folder to make")
    parser.add_argument("--name", help="the deck's name (default: the folder's)")
    parser.add_argument("--card-mm", metavar="W,H", help="a card's width and height (default: usual for the game)")
    parser.add_argument("--read", choices=("symbol", "face"), help="what identifies a card (default: usual)")
    parser.add_argument("--force", action="store_true", help="replace the deck when it is there already")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked; returns the exit status, raises `DeckError` for wrong input."""
    match arguments.action:
        case "add-images":
            return _add_images(arguments)
        case "enrol":
            return enrol(arguments)
        case "check":
            return _check(arguments)
        case _:
            return _print(arguments)


def _plan(arguments: argparse.Namespace) -> DeckPlan:
    game = game_name(arguments.game)
    if game is None:
        raise DeckError(f"--game {arguments.game}: no such game, expected one of {', '.join(GAMES)}")
    name = arguments.name or arguments.out.resolve().name
    return plan_for(name, game, _card_mm(arguments.card_mm), arguments.read)


def _card_mm(words: str | None) -> tuple[float, float] | None:
    if words is None:
        return None
    low, high = CARD_MM
    try:
        width, height = (float(word) for word in words.split(","))
    except ValueError:
        width = height = 0.0
    if not (low <= width <= high and low <= height <= high):
        raise DeckError(f"--card-mm {words}: expected W,H, two numbers of millimetres from {low:g} to {high:g}")
    return width, height


def _say_made(deck: Deck, as_json: bool) -> None:
    total = sum(card.count for card in deck.cards)
    if as_json:
        row = {"deck": str(deck.folder), "game": deck.game, "different": len(deck.cards), "cards": total}
        print(orjson.dumps(row).decode())
    else:
        print(f"{deck.folder}: {len(deck.cards)} different cards, {total} in all ({deck.game})")


def _add_images(arguments: argparse.Namespace) -> int:
    # Imported here: only this action and `enrol` need a finder.
    from calibration.card_alone import shows_table
    from calibration.card_finder import find_plain

    plan = _plan(arguments)
    check_new_folder(arguments.out, force=arguments.force)
    for path in picture_files(arguments.folder):
        if shows_table(read_picture(path), plan.card_mm, find_plain):
            raise DeckError(
                f"{path}: a table shows around the card, expected the card alone "
                f"(photographs are for `referee deck enrol --photos {arguments.folder}`)"
            )
    deck = add_images(arguments.folder, plan, arguments.out, force=arguments.force)
    _say_made(deck, arguments.json)
    return EXIT_DONE


def enrol(arguments: argparse.Namespace) -> int:
    """Make a deck from a camera or from photographs; raises `DeckError` for wrong input."""
    # Imported here: the other actions need neither finder nor camera.
    from calibration.card_finder import find_plain
    from calibration.deck import enrol_guided, enrol_photos
    from calibration.desk import desk_at

    plan = _plan(arguments)
    check_new_folder(arguments.out, force=arguments.force)
    if arguments.photos is not None:
        enrolled = enrol_photos(arguments.photos, plan, find_plain)
        _keep(arguments.out, plan, enrolled.cards)
    else:
        if not 1 <= arguments.looks <= 20:
            raise DeckError(f"--looks {arguments.looks}: expected a number from 1 to 20")
        ids = _wanted_ids(arguments.ids, plan.game)
        with desk_at(arguments.camera) as desk:
            enrolled = enrol_guided(
                plan, ids, arguments.looks, desk, find_plain, lambda cards: _keep(arguments.out, plan, cards)
            )
        if not enrolled.cards:
            raise DeckError(f"{arguments.out}: no card was enrolled, no deck was made")
    for what, why in enrolled.refused:
        _say_refused(what, why, arguments.json)
    for card_id in enrolled.missing:
        _say_refused(card_id, "no good look at this card, it is not in the deck", arguments.json)
    _say_made(load_deck(arguments.out), arguments.json)
    return EXIT_NO if enrolled.missing else EXIT_DONE


def _keep(out: Path, plan: DeckPlan, cards: Sequence[NewCard]) -> None:
    """Write what has been enrolled so far; whether `out` may be written was asked before the first card."""
    write_deck(out, plan.name, plan.game, plan.card_mm, plan.read, cards, force=True)


def _wanted_ids(path: Path | None, game: str) -> list[str] | None:
    """The cards to ask for: those of a file, else the game's whole box where its ids are known."""
    if path is None:
        return None if game == "jungle-speed" else list(BOX[game])
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise DeckError(f"{path}: not UTF-8 text, expected one card id a line") from error
    ids = [line.strip() for line in lines if line.strip()]
    for place, card_id in enumerate(ids, start=1):
        if not is_legal(game, card_id) or card_id in ids[: place - 1]:
            raise DeckError(f"{path}: id {place} is {card_id!r}, expected {legal_ids(game)}, each once")
    if not ids:
        raise DeckError(f"{path}: there is no card id in this file, expected one a line")
    return ids


def _say_refused(what: str, why: str, as_json: bool) -> None:
    print(orjson.dumps({"refused": what, "why": why}).decode() if as_json else f"{what}: {why}")


def _check(arguments: argparse.Namespace) -> int:
    if not 1 <= arguments.pairs <= 1000:
        raise DeckError(f"--pairs {arguments.pairs}: expected a number from 1 to 1000")
    report = check(resolve_deck(arguments.deck), arguments.pairs)
    if arguments.json:
        for row in _rows(report):
            print(orjson.dumps(row).decode())
    else:
        _show(report)
    return EXIT_DONE if report.passed else EXIT_NO


def _rows(report: Report) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = [_pair_row(pair) for pair in report.pairs]
    rows += [_colours_row(pair) for pair in report.colours]
    rows += [_finding_row(finding) for finding in report.findings]
    deck = report.deck
    total = sum(card.count for card in deck.cards)
    summary = {"deck": deck.name, "game": deck.game, "different": len(deck.cards), "cards": total}
    rows.append({**summary, "needs_px": report.needs_px, "passed": report.passed})
    return rows


def _pair_row(pair: Pair) -> dict[str, object]:
    return {"pair": [pair.first, pair.second], "distance": round(pair.distance, 5), "needs_px": pair.needs_px}


def _colours_row(pair: ColourPair) -> dict[str, object]:
    hardest = {"distance": round(pair.hardest, 1), "for": pair.hardest_for}
    return {"colours": [pair.first, pair.second], "distance": round(pair.distance, 1), "hardest": hardest}


def _finding_row(finding: Finding) -> dict[str, object]:
    row = {"finding": finding.kind, "cards": list(finding.cards)}
    return {**row, "problem": finding.problem, "sentence": finding.sentence}


def _show(report: Report) -> None:
    deck, console = report.deck, Console(highlight=False, markup=False)
    total = sum(card.count for card in deck.cards)
    size = f"{deck.card_mm[0]:g} × {deck.card_mm[1]:g} mm"
    console.print(f"{deck.name}: {len(deck.cards)} different cards, {total} in all ({deck.game}, {size})")
    table = Table("easiest to confuse", "differ in", "told apart from", box=None)
    for pair in report.pairs:
        table.add_row(f"{pair.first} – {pair.second}", f"{pair.distance:.1%}", _size_words(pair.needs_px))
    console.print(table)
    for near in report.colours:
        hardest = "" if near.hardest_for == "everybody" else f", {near.hardest:.0f} for {near.hardest_for} players"
        console.print(f"  {near.first} – {near.second}: {near.distance:.0f} apart (CIEDE2000){hardest}")
    for finding in report.findings:
        console.print(f"{'PROBLEM' if finding.problem else 'note'}: {finding.sentence}")
    if report.needs_px is not None:
        density = report.needs_px / min(deck.card_mm)
        wanted = f"{report.needs_px} pixels wide on its shorter side ({density:.1f} a millimetre)"
        console.print(f"A card must appear {wanted} for all of these to be told apart.")


def _size_words(needs_px: int | None) -> str:
    if needs_px is None:
        return f"not up to {SIZES_PX[-1]} px"
    return f"{needs_px} px" + (" or less" if needs_px == SIZES_PX[0] else "")


def _print(arguments: argparse.Namespace) -> int:
    out: Path = arguments.out
    if out.is_dir():
        raise DeckError(f"{out}: this is a folder, expected the name of a PDF file")
    if out.is_symlink() or (out.exists() and not out.is_file()):
        raise DeckError(f"{out}: this is no ordinary file, expected the name of a PDF file")
    if out.exists() and not arguments.force:
        raise DeckError(f"{out}: this file is there already, give --force to replace it")
    deck = printable(arguments.deck)
    write_file(out, pdf_bytes(deck, arguments.paper, backs=arguments.backs))
    if arguments.json:
        row = {"file": str(out), "deck": deck.name, "cards": len(deck.cards), "paper": arguments.paper}
        print(orjson.dumps({**row, "backs": arguments.backs}).decode())
    else:
        print(f"{out}: {len(deck.cards)} cards; print at 100 % and check the 100 mm ruler")
    return EXIT_DONE
