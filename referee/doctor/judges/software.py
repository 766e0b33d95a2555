"""Python, the packages of the core, and which OpenCV is loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from referee.doctor.finding import Finding

OLDEST_PYTHON = (3, 11)
OPENCV_FROM, OPENCV_BEFORE = (4, 10), (6, 0)  # pyproject.toml


@dataclass(frozen=True)
class SoftwareFacts:
    """`packages`: name to version; `opencv_packages`: those that bring a `cv2`; `opencv` its version when it loads."""

    python: Sequence[int]
    packages: Mapping[str, str] = field(default_factory=dict)
    missing: Sequence[str] = ()
    opencv_packages: Sequence[str] = ()
    opencv: str | None = None
    opencv_problem: str = ""


def judge(facts: SoftwareFacts) -> list[Finding]:
    """What Python and its packages amount to."""
    version = ".".join(map(str, facts.python))
    verdict = "old" if tuple(facts.python[:2]) < OLDEST_PYTHON else "ok"
    found = [Finding("python.version", verdict, {"version": version})]
    if facts.missing:
        found.append(Finding("python.packages", "missing", {"names": ", ".join(facts.missing)}))
    else:
        found.append(Finding("python.packages", "ok", {"count": len(facts.packages)}))
    found.append(_opencv(facts))
    return found


def _opencv(facts: SoftwareFacts) -> Finding:
    if len(facts.opencv_packages) > 1:
        return Finding("python.opencv", "both", {"names": " ".join(facts.opencv_packages)})
    if facts.opencv is None:
        return Finding("python.opencv", "broken", {"why": facts.opencv_problem or "it is not installed"})
    numbers = tuple(int(part) for part in facts.opencv.split(".")[:2] if part.isdigit())
    verdict = "ok" if OPENCV_FROM <= numbers < OPENCV_BEFORE else "untested"
    return Finding("python.opencv", verdict, {"version": facts.opencv})
