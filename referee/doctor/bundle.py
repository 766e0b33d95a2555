"""A bundle for a bug report: findings, versions and the table's numbers, with nothing private in it.

Written rules of this module:
- nothing is copied from a file of the user's: numbers and words of a closed list go in as they are, every other text
  goes through `Scrubber`;
- private is: names of people, machines and networks, paths, addresses, serial numbers, pictures.
Does not belong here: sending it anywhere.
"""

from __future__ import annotations

import getpass
import io
import platform
import re
import socket
import tomllib
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import orjson

from referee import __version__
from referee.doctor.finding import Finding
from referee.doctor.probes.software import core_packages

LEFT_OUT = "<left out>"
_MODEL = Path("/proc/device-tree/model")
# Texts of a profile that tell nothing about anybody.
_HARMLESS = re.compile(
    r"picamera2|auto|builtin:[a-z0-9-]+|en|fr|after|at-once|off|nanotts|espeak|tone|jungle-speed|jungle-bluff|speed|dobro"
    r"|duel|arrow|/dev/(video|ttyACM|ttyUSB)\d+|mpr121[:,\d]*"
)
_PRIVATE = (
    (re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://\S+"), "<address>"),
    (re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+"), "<address>"),
    (re.compile(r"(/dev/(?:serial|v4l)/by-(?:id|path))/[^\s:,;)'\"]+"), r"\1/<id>"),
    (re.compile(r"(?<![\w<])/(?!dev/)[^\s:,;)'\"]+(?:/[^\s:,;)'\"]*)*"), "<path>"),
    (re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b"), "<address>"),
    (re.compile(r"\b(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}\b"), "<id>"),
    (re.compile(r"\b(?=[0-9a-fA-F]*\d)[0-9a-fA-F]{8,}\b"), "<id>"),
)


class Scrubber:
    """Takes what is private out of texts; `secrets` are texts that must not appear, the longest first."""

    def __init__(self, secrets: Iterable[str]) -> None:
        known = {secret.strip() for secret in secrets} - {"", "/", "."}
        ordered = sorted(known, key=len, reverse=True)
        whole = "|".join(rf"(?<!\w){re.escape(secret)}(?!\w)" for secret in ordered)
        self._secrets = re.compile(whole, re.IGNORECASE) if whole else None

    def text(self, text: str) -> str:
        """The text without what is private."""
        if self._secrets is not None:
            text = self._secrets.sub("<private>", text)
        for pattern, instead in _PRIVATE:
            text = pattern.sub(instead, text)
        return text

    def value(self, value: Any) -> Any:
        """The same of texts anywhere in lists and tables."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(key)): self.value(inner) for key, inner in value.items()}
        return [self.value(inner) for inner in value] if isinstance(value, list | tuple) else value


def scrubber_for(profile: Path | None) -> Scrubber:
    """A scrubber that knows this machine's user and names, and every text of the profile that may be private."""
    secrets = [str(Path.home()), Path.home().name, platform.node()]
    with suppress(OSError):
        secrets.append(socket.gethostname())
    with suppress(OSError, KeyError, ImportError):
        secrets.append(getpass.getuser())
    if profile is not None:
        secrets += [str(profile), str(profile.resolve()), str(profile.resolve().parent), profile.name]
        secrets += [text for text in _texts(_table(profile)) if not _HARMLESS.fullmatch(text)]
    # "root" is everybody's name and stands in many words of ours.
    return Scrubber(secret for secret in secrets if secret not in ("root", "referee", "localhost"))


def bundle(findings: Sequence[Finding], profile: Path | None) -> bytes:
    """The bundle as a ZIP file."""
    scrub = scrubber_for(profile)
    files = {
        "findings.json": [finding_row(finding, scrub) for finding in findings],
        "versions.json": versions(),
        "profile.json": {} if profile is None else profile_numbers(_table(profile), scrub),
    }
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            # A fixed date: the archive tells no time zone.
            archive.writestr(zipfile.ZipInfo(name), orjson.dumps(content, option=orjson.OPT_INDENT_2))
        lines = [f"{f.light.value:6} {f.probe}: {scrub.text(f.says('en'))}" for f in findings]
        archive.writestr(zipfile.ZipInfo("report.txt"), "\n".join(lines) + "\n")
    return written.getvalue()


def finding_row(finding: Finding, scrub: Scrubber) -> dict[str, Any]:
    """A finding as it stands in the bundle."""
    facts = {key: scrub.value(value) for key, value in finding.facts.items()}
    return {"probe": finding.probe, "verdict": finding.verdict, "light": finding.light.value, "facts": facts}


def versions() -> dict[str, Any]:
    """Versions of the referee, Python, its packages and the system; the board's model where it tells one."""
    packages = {}
    for name in core_packages():
        with suppress(PackageNotFoundError):
            packages[name] = version(name)
    try:
        model = _MODEL.read_text("utf-8", errors="replace").strip("\0\n ")
    except OSError:
        model = ""
    return {
        "referee": __version__,
        "python": platform.python_version(),
        "system": platform.system(),
        "release": re.sub(r"[^0-9.].*", "", platform.release()),
        "machine": platform.machine(),
        "model": model,
        "packages": packages,
    }


def profile_numbers(table: Mapping[str, Any], scrub: Scrubber) -> Any:
    """The profile with players numbered, and only numbers and harmless words kept of the rest."""
    players = {name: f"P{place}" for place, name in enumerate(_names(table), start=1)}

    def kept(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {players.get(key, scrub.text(str(key))): kept(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [kept(inner) for inner in value]
        if isinstance(value, str):
            return players.get(value, value if _HARMLESS.fullmatch(value) else LEFT_OUT)
        return value if isinstance(value, bool | int | float) else LEFT_OUT

    return kept(table)


def _names(table: Mapping[str, Any]) -> list[str]:
    players = table.get("players", [])
    return [name for name in players if isinstance(name, str)] if isinstance(players, list) else []


def _table(profile: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(profile.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return {}


def _texts(value: Any) -> list[str]:
    """Every text among the values of a table, and the keys below `announce` that may be names."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for inner in value.values() for text in _texts(inner)]
    return [text for inner in value for text in _texts(inner)] if isinstance(value, list) else []
