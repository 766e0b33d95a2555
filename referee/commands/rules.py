"""`referee rules`: print the rules, clause by clause.

Belongs here: how a list of games, a list of clauses and one clause look on a terminal, in a pipe and as JSON.
Does not belong here: reading and checking the catalogues (`referee/catalogue.py`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence

from referee import catalogue
from referee.catalogue import Catalogue, Clause, Decision, Entry, Value
from referee.errors import InputError

LABELS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "clauses": "clauses",
        "decisions": "decisions",
        "rule": "Rule",
        "observe": "Observed",
        "announce": "Announced",
        "source": "Source",
        "line": "line",
        "lines": "lines",
        "implied": "implied only",
        "stands": "What stands",
        "option": "Option",
        "option_line": "{option} (default {default}; values {values})",
        "reason": "Reason",
        "disputes": "Disputes",
    },
    "fr": {
        "clauses": "clauses",
        "decisions": "décisions",
        "rule": "Règle",
        "observe": "À observer",
        "announce": "Annonce",
        "source": "Source",
        "line": "ligne",
        "lines": "lignes",
        "implied": "sous-entendu seulement",
        "stands": "Décision",
        "option": "Option",
        "option_line": "{option} (par défaut {default} ; valeurs {values})",
        "reason": "Raison",
        "disputes": "Litiges",
    },
}

Row = tuple[str, str]


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("game", nargs="?", metavar="GAME", help="a game, for example jungle-speed")
    parser.add_argument("clause", nargs="?", metavar="CLAUSE", help="the id of a clause or of a decision")
    parser.add_argument("--lang", choices=catalogue.LANGUAGES, default="en", help="language of the sentences")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def run(arguments: argparse.Namespace) -> int:
    """List the games, list a game's clauses, or print one of them; raises `InputError` for unknown names."""
    language: str = arguments.lang
    if arguments.game is None:
        pages = [catalogue.load(game) for game in catalogue.games()]
        if arguments.json:
            _print_json(_game_object(page, language) for page in pages)
        else:
            _print_rows("", [(page.game, _game_line(page, language)) for page in pages])
        return 0
    page = _page(arguments.game)
    if arguments.clause is None:
        _list_clauses(page, language, arguments.json)
        return 0
    entry = _entry(page, arguments.clause)
    if arguments.json:
        _print_json([_entry_object(page, entry, language)])
    else:
        _print_rows(f"{entry.id}  {entry.title.said(language)}", _entry_rows(page, entry, language))
    return 0


def _page(word: str) -> Catalogue:
    """The catalogue of the game somebody named; a clause in its place gets told where it belongs."""
    for game in catalogue.games():
        if game == word.casefold():
            return catalogue.load(game)
        if _named(catalogue.load(game), word) is not None:
            raise InputError(f"{word} is no game: write referee rules {game} {word}")
    return catalogue.load(word)


def _named(page: Catalogue, word: str) -> Entry | None:
    return next((entry for entry in page.entries if entry.id.casefold() == word.casefold()), None)


def _entry(page: Catalogue, word: str) -> Entry:
    entry = _named(page, word)
    if entry is not None:
        return entry
    near = page.near(word)
    hint = f"did you mean {' or '.join(near)}?" if near else f"referee rules {page.game} lists them"
    raise InputError(f"{page.game} has no clause {word}: {hint}")


def _list_clauses(page: Catalogue, language: str, as_json: bool) -> None:
    if as_json:
        _print_json(
            {"game": page.game, "id": entry.id, "kind": _kind(entry), "title": entry.title.said(language)}
            for entry in page.entries
        )
        return
    labels = LABELS[language]
    name = page.name.said(language)
    for label, entries in (("clauses", page.clauses), ("decisions", page.decisions)):
        rows = [(entry.id, entry.title.said(language)) for entry in entries]
        _print_rows(f"{name}, {labels[label]} ({len(rows)})", rows)


def _kind(entry: Entry) -> str:
    return "clause" if isinstance(entry, Clause) else "decision"


def _game_line(page: Catalogue, language: str) -> str:
    labels = LABELS[language]
    counts = f"{len(page.clauses)} {labels['clauses']}, {len(page.decisions)} {labels['decisions']}"
    return f"{page.name.said(language)} ({counts})"


def _game_object(page: Catalogue, language: str) -> dict[str, object]:
    return {
        "game": page.game,
        "name": page.name.said(language),
        "source": page.source,
        "clauses": len(page.clauses),
        "decisions": len(page.decisions),
    }


def _entry_object(page: Catalogue, entry: Entry, language: str) -> dict[str, object]:
    found: dict[str, object] = {
        "game": page.game,
        "id": entry.id,
        "kind": _kind(entry),
        "title": entry.title.said(language),
        "text": entry.text.said(language),
    }
    if isinstance(entry, Clause):
        found |= {
            "source": page.source,
            "lines": entry.lines,
            "implied": entry.implied,
            "observe": entry.observe.said(language),
            "announce": entry.announce.said(language),
        }
    else:
        found |= {
            "option": entry.option,
            "default": entry.default,
            "values": entry.values,
            "reason": entry.reason.said(language),
            "disputes": entry.disputes,
        }
    return found


def _entry_rows(page: Catalogue, entry: Entry, language: str) -> list[Row]:
    """What there is to say about an entry; a row without a value is left out."""
    labels = LABELS[language]
    if isinstance(entry, Clause):
        rows = [
            (labels["rule"], entry.text.said(language)),
            (labels["observe"], entry.observe.said(language)),
            (labels["announce"], entry.announce.said(language)),
            (labels["source"], _source_line(page, entry, language)),
        ]
    else:
        rows = [
            (labels["stands"], entry.text.said(language)),
            (labels["option"], _option_line(entry, language)),
            (labels["reason"], entry.reason.said(language)),
            (labels["disputes"], ", ".join(entry.disputes)),
        ]
    return [(label, value) for label, value in rows if value]


def _source_line(page: Catalogue, clause: Clause, language: str) -> str:
    labels = LABELS[language]
    parts = [page.source]
    if clause.lines:
        word = labels["line"] if len(clause.lines) == 1 else labels["lines"]
        parts.append(f"{word} {', '.join(map(str, clause.lines))}")
    if clause.implied:
        parts.append(labels["implied"])
    return ", ".join(parts)


def _option_line(decision: Decision, language: str) -> str:
    if not decision.option or decision.default is None:
        return ""
    values = decision.values if isinstance(decision.values, str) else ", ".join(map(_written, decision.values))
    return LABELS[language]["option_line"].format(
        option=decision.option, default=_written(decision.default), values=values
    )


def _written(value: Value) -> str:
    """A value as people write it in a record's header, texts without their quotes."""
    return value if isinstance(value, str) else _json(value)


def _json(found: object) -> str:
    # `default=dict`: the catalogue's tables are read-only views, which json does not know.
    return json.dumps(found, ensure_ascii=False, default=dict)


def _print_json(objects: Iterable[Mapping[str, object]]) -> None:
    for found in objects:
        print(_json(found))


def _print_rows(heading: str, rows: Sequence[Row]) -> None:
    """A heading and two columns: wrapped and coloured on a terminal, one line a row in a pipe."""
    if sys.stdout.isatty():
        _print_rows_on_a_terminal(heading, rows)
        return
    if heading:
        print(heading)
    width = max((len(left) for left, _ in rows), default=0)
    for left, right in rows:
        print(f"{left:<{width}}  {right}")


def _print_rows_on_a_terminal(heading: str, rows: Sequence[Row]) -> None:
    # Imported here: a pipe has no use for it, and it takes longer than all the rest of the command.
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    if heading:
        console.print(Text(heading, style="bold"))
    table = Table.grid(padding=(0, 2))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for left, right in rows:
        table.add_row(Text(left), Text(right))
    console.print(table)
    console.print()
