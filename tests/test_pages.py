"""The documentation as people read it: links lead somewhere, and commands of set-up pages are ones that exist."""

from __future__ import annotations

import re
import shlex
from contextlib import nullcontext
from pathlib import Path

import pytest

from referee.cli import build_parser

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "hardware.md", *(ROOT / "docs").rglob("*.md")])
SET_UP = ("README.md", "hardware.md", "docs/set-up.md", "docs/pi.md", "docs/ruling.md", "docs/first-game.md")
LINK = re.compile(r"\]\(([^)\s]+)\)")
COMMAND = re.compile(r"(?:^|`)(referee [a-z][^`\n]*)", re.MULTILINE)
_WHOLE = re.compile(r" {2,}.*| # .*|\\$")


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def anchors(page: Path) -> set[str]:
    """The names that GitHub gives to a page's headings."""
    heads = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_of_a_page_leads_to_a_file_or_a_heading(page: Path) -> None:
    for link in LINK.findall(page.read_text("utf-8")):
        if "://" in link:
            continue
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_every_page_of_the_docs_can_be_reached_from_the_index() -> None:
    reached, new = set(), {ROOT / "docs/README.md"}
    while new:
        page = new.pop()
        reached.add(page)
        links = [(page.parent / link.partition("#")[0]).resolve() for link in LINK.findall(page.read_text("utf-8"))]
        new |= {link for link in links if link.suffix == ".md" and link.is_file()} - reached
    assert set(PAGES) - reached == set()


def commands(page: Path) -> list[str]:
    """The commands in a page's code blocks."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    joined = "\n".join(block for kind, block in blocks if kind in ("", "sh")).replace("\\\n", " ")
    joined = re.sub(r"^sudo -u referee \S*/bin/referee ", "referee ", joined, flags=re.MULTILINE)
    return [_WHOLE.sub("", line).strip() for line in joined.splitlines() if line.startswith("referee ")]


@pytest.mark.parametrize("page", [*SET_UP, "docs/fr/installation.md", "docs/fr/premiere-partie.md"])
def test_every_command_in_a_block_of_a_set_up_page_is_one_the_program_takes(page: str) -> None:
    found = commands(ROOT / page)
    for line in found:
        words = shlex.split(line)[1:]
        with pytest.raises(SystemExit, match=r"^0$") if "--help" in words else nullcontext():
            build_parser(words[0]).parse_args(words)
    assert found or page == "hardware.md"


@pytest.mark.parametrize("page", [*SET_UP, "docs/fr/installation.md", "docs/fr/pages.md"])
def test_the_options_named_in_a_set_up_page_exist(page: str) -> None:
    for line in COMMAND.findall((ROOT / page).read_text("utf-8")):
        words = line.split()
        if not re.fullmatch(r"[a-z]+", words[1]):
            continue
        options = {word.rstrip(".,;)") for word in words if word.startswith("--")}
        parser = build_parser(words[1])
        known = {option for action in _all(parser) for option in action}
        assert options <= known | {"--version"}, line


def _all(parser: object) -> list[list[str]]:
    """The options of a parser and of all its sub-commands."""
    found: list[list[str]] = []
    for action in parser._actions:  # type: ignore[attr-defined]
        found.append(list(action.option_strings))
        if isinstance(action.choices, dict):
            for sub in action.choices.values():
                found += _all(sub)
    return found
