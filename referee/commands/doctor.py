"""`referee doctor`: what is wrong with this table, and what to do about it. Thin over the doctor's room."""

from __future__ import annotations

import argparse
from pathlib import Path

import orjson
from rich.console import Console

from referee.doctor.bundle import bundle
from referee.doctor.examine import examine
from referee.doctor.finding import LANGUAGES, Finding, Light, worst
from referee.doctor.plan import Plan
from referee.errors import InputError

LONGEST_S = 60.0
# A sign beside each colour: a light is told by those who do not see red from green, and in a pipe.
SIGNS = {
    Light.GREEN: ("✓", "green"),
    Light.AMBER: ("!", "yellow"),
    Light.RED: ("✗", "red"),
    Light.OFF: ("·", "bright_black"),
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    add = parser.add_argument
    add("--profile", type=Path, metavar="P", help="the table's profile (TOML)")
    add("--camera", metavar="SOURCE", help="instead of the profile's: picamera2, a device or a URL")
    add("--totem", metavar="PORT", help="instead of the profile's: a port, mpr121, or auto")
    add("--games", type=Path, metavar="FOLDER", help="a journal, or a folder of records, to look through")
    add("--folder", type=Path, default=Path(), metavar="FOLDER", help="where records are kept (default: here)")
    add("--seconds", type=float, default=3.0, help="how long camera and totem are watched (default %(default)g)")
    add("--lang", choices=LANGUAGES, default="en", help="language of the list (default %(default)s)")
    add("--json", action="store_true", help="one JSON object a line")
    add("--bundle", type=Path, metavar="OUT.zip", help="for a bug report: findings and versions, nothing private")
    add("--force", action="store_true", help="replace the bundle when it is there already")


def run(arguments: argparse.Namespace) -> int:
    """Look at everything; 1 when something is red."""
    if not 0.5 <= arguments.seconds <= LONGEST_S:
        raise InputError(f"--seconds {arguments.seconds:g}: expected a number from 0.5 to {LONGEST_S:g}")
    if arguments.bundle is not None and arguments.bundle.exists() and not arguments.force:
        raise InputError(f"{arguments.bundle}: this file is there already, give --force to replace it")
    plan = Plan(
        profile=_text(arguments.profile),
        camera=arguments.camera,
        totem=arguments.totem,
        games=_text(arguments.games),
        folder=str(arguments.folder),
        seconds=arguments.seconds,
    )
    console = Console(highlight=False, markup=False, soft_wrap=True)
    findings = []
    for finding in examine(plan):
        findings.append(finding)
        if arguments.json:
            print(orjson.dumps(row(finding)).decode(), flush=True)
        else:
            show(finding, arguments.lang, console)
    light = worst(findings)
    if arguments.bundle is not None:
        arguments.bundle.write_bytes(bundle(findings, arguments.profile))
    if arguments.json:
        print(orjson.dumps({"light": light.value, "bundle": _text(arguments.bundle)}).decode())
    else:
        _sum_up(findings, arguments, console)
    return 1 if light is Light.RED else 0


def row(finding: Finding) -> dict[str, object]:
    """A finding as an object of `--json`."""
    return {
        "probe": finding.probe,
        "verdict": finding.verdict,
        "light": finding.light.value,
        "facts": dict(finding.facts),
        **{language: finding.says(language) for language in LANGUAGES},
        **{f"remedy_{language}": finding.remedy(language) for language in LANGUAGES if finding.remedy(language)},
    }


def show(finding: Finding, language: str, console: Console) -> None:
    """A finding on a terminal: sign, name, sentence, and what to do about it."""
    sign, colour = SIGNS[finding.light]
    console.print(f"{sign} {finding.probe:16} {finding.says(language)}", style=colour)
    if remedy := finding.remedy(language):
        console.print(f"  {'':16} → {remedy}")


def _sum_up(findings: list[Finding], arguments: argparse.Namespace, console: Console) -> None:
    count = {light: sum(finding.light is light for finding in findings) for light in Light}
    red, amber, green = count[Light.RED], count[Light.AMBER], count[Light.GREEN]
    if arguments.lang == "fr":
        console.print(f"{red} rouge, {amber} orange, {green} vert")
    else:
        console.print(f"{red} red, {amber} amber, {green} green")
    if arguments.bundle is not None:
        console.print(f"→ {arguments.bundle}")


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)
