"""Every clause a ruling cites exists, and every clause the engine cites is named by a test."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import referee.rules
from referee import catalogue
from referee.adjudication import Game, adjudicate
from tests.rules import cases, golden

CLAUSE = re.compile(
    r"(JS|SP|DO|JB)-G?\d+[a-z]?|(situations|grab)-\d+|last-card|out|two-persons|deal|pick-up|recount|correct"
)
RULES = Path(referee.rules.__file__).parent


def cited(tree: ast.AST) -> set[str]:
    """Every text in the code that is a clause id, doc strings apart.

    The paragraphs `out` and `deal` are also words of the code; only a tuple, a list or a call that holds
    another clause beside them cites them.
    """
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple | ast.List):
            parts = node.elts
        elif isinstance(node, ast.Call):
            parts = node.args
        else:
            continue
        texts = {part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)}
        clauses = {text for text in texts if CLAUSE.fullmatch(text)}
        found |= clauses if clauses - {"out", "deal"} else set()
    return found


def engine_clauses() -> set[str]:
    found: set[str] = set()
    for file in sorted(RULES.glob("*.py")):
        found |= cited(ast.parse(file.read_text("utf-8")))
    return found


def test_the_walk_over_the_code_finds_what_the_engine_cites() -> None:
    found = engine_clauses()
    assert {"JS-17", "JS-G20", "grab-8", "last-card", "situations-4", "out"} <= found
    assert len(found) > 50


def test_every_clause_the_engine_cites_stands_in_the_catalogue() -> None:
    unknown = {clause for clause in engine_clauses() if catalogue.sentence(clause, "en") is None}
    assert unknown == set()


def test_every_clause_the_engine_cites_is_named_by_a_case_or_a_test() -> None:
    named = {clause for case in cases.load("") for clause in case["clauses"]}
    for file in sorted(set(Path(__file__).parent.rglob("*.py")) - {Path(__file__)}):
        named |= {match[0] for match in CLAUSE.finditer(file.read_text("utf-8"))}
    assert engine_clauses() - named == set()


def test_every_ruling_that_is_given_cites_only_clauses_of_the_catalogue() -> None:
    for name in golden.GAMES:
        kept = golden.read(name)
        for _, rulings in adjudicate(Game(kept.header), kept.events):
            for ruling in rulings:
                assert ruling["clauses"] or ruling["ruling"] == "rejected"
                assert all(catalogue.sentence(clause, "fr") for clause in ruling["clauses"])
