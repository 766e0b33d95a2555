"""What the calibrations' commands share: words for a person, the camera's settings, keeping a part."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from calibration.devices import device_name
from calibration.profile_file import Part, read_raw, value_at, write_part
from referee.errors import ProfileError
from referee.vision.camera import CameraSettings, camera_settings, is_live

EXIT_DONE, EXIT_NO = 0, 1


def tell(arguments: argparse.Namespace, words: str, values: Mapping[str, Any]) -> None:
    """One line on standard output: words, or with `--json` the values."""
    print(json.dumps(values, ensure_ascii=False) if arguments.json else words, flush=True)


def ask(question: str) -> str | None:
    """A question on standard error; None when nobody answers."""
    print(question, end=" ", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    return line.strip() if line else None


def hint(sentence: str) -> None:
    """Something to do next, on standard error."""
    print(sentence, file=sys.stderr, flush=True)


def settings_of(arguments: argparse.Namespace) -> CameraSettings:
    """The camera that the profile names, or the one named instead."""
    camera = read_raw(arguments.profile).get("camera", {})
    if not isinstance(camera, Mapping):
        raise ProfileError(f"{arguments.profile}: camera: expected a table")
    return camera_settings(camera, str(arguments.profile), arguments.camera)


def keep(arguments: argparse.Namespace, part: Part) -> None:
    """Write a part into the profile and say so."""
    copy = write_part(arguments.profile, part, datetime.now(), arguments.force)
    kept = "" if copy is None else f" (as it was: {copy})"
    values = {"wrote": part.name, "profile": str(arguments.profile), "before": None if copy is None else str(copy)}
    tell(arguments, f"{part.name} is kept in {arguments.profile}{kept}", {**values, "figures": _plain(part.figures)})


def first_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """What `--camera` adds to a profile that names no camera."""
    named = value_at(read_raw(arguments.profile), "camera.source")
    if arguments.camera is None or named is not None or not is_live(arguments.camera):
        return {}
    return {"camera.source": arguments.camera}


def device_of(settings: CameraSettings) -> dict[str, str]:
    """Which camera a part was made with; pictures from a folder do not say."""
    return {"device": device_name(settings.source)} if is_live(settings.source) else {}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    return value.isoformat() if isinstance(value, datetime) else value
