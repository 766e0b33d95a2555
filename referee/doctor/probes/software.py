"""Looks at Python and the packages installed beside it."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distributions, requires, version

from referee.doctor.judges.software import SoftwareFacts
from referee.doctor.plan import Plan

LOAD_S = 15.0
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def probe(plan: Plan) -> SoftwareFacts:
    """What is installed; loads OpenCV in a process of its own, where a missing library may end it."""
    packages, missing = {}, []
    for name in core_packages():
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            missing.append(name)
    opencv, problem = load_opencv()
    return SoftwareFacts(sys.version_info[:3], packages, missing, opencv_packages(), opencv, problem)


def core_packages() -> list[str]:
    """The packages that the core needs, by its own metadata; extras are not among them."""
    try:
        needs = requires("referee") or []
    except PackageNotFoundError:
        return []
    named = [_NAME.match(need) for need in needs if "extra ==" not in need]
    return sorted(match.group() for match in named if match is not None)


def opencv_packages() -> list[str]:
    """Every installed package that brings a `cv2`."""
    names = {(found.metadata["Name"] or "").lower() for found in distributions()}
    return sorted(name for name in names if re.fullmatch(r"opencv-(contrib-)?python(-headless)?", name))


def load_opencv(python: str = sys.executable) -> tuple[str | None, str]:
    """The version of the OpenCV that loads, or None and why it does not."""
    try:
        done = subprocess.run(
            [python, "-c", "import cv2; print(cv2.__version__)"],
            capture_output=True,
            text=True,
            timeout=LOAD_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, f"it did not load within {LOAD_S:g} s"
    if done.returncode == 0:
        return done.stdout.strip(), ""
    last = done.stderr.strip().splitlines()[-1:] or [f"ended with status {done.returncode}"]
    return None, last[0]
