"""`referee show`: one game of a journal, or one of its rulings with all it rests on.

Belongs here: the layout for a terminal. Does not belong here: wording (`referee.announce`), what a decision rests on
(`referee.decision`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from referee import catalogue
from referee.amounts import amount
from referee.cli import one_line
from referee.commands.games import game_word
from referee.commands.saying import at, how_close, said
from referee.commands.searching import LATEST, find_game
from referee.errors import InputError
from referee.journal.reading import EvidenceRow, JournalView, KeptGame, KeptRuling
from referee.ledger import OVERTURNED
from referee.record import to_line
from referee.web import review_view
from referee.web.review_text import REVIEW

_WORDS = "the journal's folder (unless --journal says it), then the game's key (default: the latest game)"


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument("--journal", type=Path, metavar="DIR", help="the journal's folder")
    parser.add_argument("words", nargs="*", metavar="DIR GAME", help=_WORDS)
    parser.add_argument("--ruling", type=int, metavar="PLACE", help="one ruling: its inputs, margin and alternatives")
    parser.add_argument("--explain", action="store_true", help="add the sentence of each clause cited")
    parser.add_argument("--all", action="store_true", help="also the rulings that were overturned")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--lang", choices=("en", "fr"), default="en", help="language of the sentences")


def run(arguments: argparse.Namespace) -> int:
    """Print the game's sheet, or the ruling's record."""
    folder, key = _which(arguments)
    with JournalView.open(folder) as view:
        game = view.game(find_game(view, key))
    if arguments.ruling is not None:
        lines = _ruling(game, _find(game, arguments.ruling), arguments)
    elif arguments.json:
        lines = _words(game, arguments)
    else:
        lines = _sheet(game, arguments)
    for line in lines:
        print(line)
    sys.stdout.flush()
    return 0


def _which(arguments: argparse.Namespace) -> tuple[Path, str]:
    """The journal's folder and the game's key; raises `InputError` where the words say neither, or more."""
    words = list(arguments.words)
    folder = arguments.journal
    if folder is None and words:
        folder = Path(words.pop(0))
    if folder is None or len(words) > 1:
        raise InputError("expected a journal's folder and at most one game: `referee show DIR GAME`")
    return folder, words[0] if words else LATEST


def _find(game: KeptGame, place: int) -> KeptRuling:
    if not 0 <= place < len(game.rulings):
        many = len(game.rulings)
        if not many:
            raise InputError(f"--ruling: game {game.row.key} has no ruling yet, nothing to show of one")
        raise InputError(f"--ruling: game {game.row.key} has no ruling {place}, expected 0 to {many - 1}")
    return game.rulings[place]


def _shown(game: KeptGame, arguments: argparse.Namespace) -> list[KeptRuling]:
    return [one for one in game.rulings if one.stands or arguments.all]


# --- JSON -----------------------------------------------------------------------------------------------


def _json(word: Mapping[str, Any]) -> str:
    return to_line(word).decode().rstrip("\n")


def _words(game: KeptGame, arguments: argparse.Namespace) -> Iterator[str]:
    yield _json({**game_word(game.row), "header": game.header, "settings": game.settings})
    for one in _shown(game, arguments):
        yield _json(_word(game, one, arguments))
    for kind, words in (("upheld", game.upheld), ("appeal", game.appeals), ("note", game.notes)):
        for word in words:
            yield _json({"entry": kind, **word})


def _word(game: KeptGame, one: KeptRuling, arguments: argparse.Namespace) -> dict[str, Any]:
    word: dict[str, Any] = {"place": one.place, "stands": one.stands, "ruling": one.ruling}
    if (decision := game.decisions.get(one.place)) is not None:
        word["decision"] = decision
    if arguments.explain:
        word["explain"] = dict(_clauses(one, arguments.lang))
    word["evidence"] = [row.id for row in _evidence(game, one.place)]
    return word


# --- for people -----------------------------------------------------------------------------------------


def _sheet(game: KeptGame, arguments: argparse.Namespace) -> Iterator[str]:
    row, language = game.row, arguments.lang
    yield one_line(f"{row.name}: {', '.join(row.players)}")
    yield one_line(f"game {row.key}, {row.state}, begun {row.begun or 'at a time nobody kept'}")
    for settings in game.settings[-1:]:
        options = ", ".join(f"{key} = {value}" for key, value in (settings.get("options") or {}).items())
        yield one_line(f"referee {settings['engine']}" + (f", house rules: {options}" if options else ""))
    for one in _shown(game, arguments):
        yield _line(game, one, language)
        if arguments.explain:
            yield from (f"       {clause}: {sentence}" for clause, sentence in _clauses(one, language))
    for event in game.events:
        if event["event"] == "correct":
            yield one_line(f"corrected at {at(event['t_us'])} by {event.get('by', '?')}: {event.get('reason', '')}")
    for word in game.upheld:
        yield one_line(f"ruling {word['place']} was upheld by {word['by']}: {word['reason']}")
    for word in game.appeals:
        yield one_line(f"ruling {word['place']} was appealed by {word['player']}")
    for word in game.notes:
        yield one_line(f"note: {word.get('text', '')}")
    if game.evidence:
        there = [row for row in game.evidence if row.gone is None]
        megabytes = sum(row.bytes for row in there) / 1e6
        yield f"evidence: {len(there)} of {amount(len(game.evidence), 'piece')}, {megabytes:.1f} MB"


def _line(game: KeptGame, one: KeptRuling, language: str) -> str:
    ruling = one.ruling
    if ruling["ruling"] == OVERTURNED:
        return f"{one.place:4}  {at(ruling['t_us'])}  overturned: {', '.join(map(str, ruling['refs']))}"
    close = how_close(ruling.get("margin"), language)
    line = f"{one.place:4}  {at(ruling['t_us'])}  {said(ruling, language, game.row.name)}"
    return line + (f"  ({close})" if close else "") + ("" if one.stands else "  [no longer stands]")


def _clauses(one: KeptRuling, language: str) -> Iterator[tuple[str, str]]:
    clauses = one.ruling.get("clauses")
    for clause in clauses if isinstance(clauses, list) else ():
        if isinstance(clause, str):
            yield one_line(clause), catalogue.sentence(clause, language) or ""


def _evidence(game: KeptGame, place: int) -> list[EvidenceRow]:
    return [row for row in game.evidence if place in row.places]


def _ruling(game: KeptGame, one: KeptRuling, arguments: argparse.Namespace) -> Iterator[str]:
    if arguments.json:
        arguments.explain = True
        yield _json(_word(game, one, arguments))
        return
    language = arguments.lang
    yield _line(game, one, language)
    yield from (f"  clause {clause}: {sentence}" for clause, sentence in _clauses(one, language))
    if one.place not in game.decisions:
        yield "  no decision record was kept with it"
    else:
        yield from _decision(game, one.place, language)
    for row in _evidence(game, one.place):
        state = f"gone ({row.gone})" if row.gone is not None else str(row.path)
        yield one_line(f"  evidence {row.id}: {row.kind}, {state}")
    for word in game.upheld:
        if word["place"] == one.place:
            yield one_line(f"  upheld by {word['by']}: {word['reason']}")


def _decision(game: KeptGame, place: int, language: str) -> Iterator[str]:
    """The words of the ruling's page: what it rests on, and what was not ruled."""
    for given in review_view.inputs(game, place, language):
        source = ", ".join(part for part in (given["source"], given["time"]) if part)
        details = "; ".join(given["details"])
        yield one_line(f"  {given['what']} ({source})" + (f": {details}" if details else ""))
    words = REVIEW[language].labels
    for other in review_view.alternatives(game, place, language):
        yield one_line(f"  {words['not-ruled']}: {other['text']}" + (f" ({other['why']})" if other["why"] else ""))
        if other["same"]:
            yield f"    {words['comes-same']}"
        else:
            yield one_line(f"    {words['would-give']} {' '.join(other['gives']) or '–'}")
