"""`referee calibrate camera`: pictures of the board in, the lens into the profile."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2

from calibration.boards import A4_BOARD
from calibration.camera import CameraCalibration, Feedback, camera_part
from calibration.lens import Solved
from calibration.looks import Refused, look_at
from calibration.profile_file import check_may_write
from calibration.scale import RULER_MM, check_markers, check_measured, marker_scale
from calibration.sources import shots
from referee.commands.calibrate.common import EXIT_DONE, device_of, first_of, hint, keep, settings_of, tell
from referee.errors import InputError
from referee.totem.links.base import table_clock
from referee.vision.camera import CameraSettings, is_live
from referee.vision.pictures import is_video, open_picture
from referee.vision.table import MARKER_SIDE_MM

_SAY_EVERY_S = 1.0


def run(arguments: argparse.Namespace) -> int:
    """Take pictures until they are enough, solve, keep."""
    check_may_write(arguments.profile, "camera", ("camera.matrix",), arguments.force)
    scale: dict[str, Any] = {"size_checked": "no"}
    if arguments.measured_mm is not None:
        measured = check_measured(arguments.measured_mm, RULER_MM, "the board's ruler")
        scale = {"size_checked": "ruler", "printed_scale": round(measured, 4)}
    settings = settings_of(arguments)
    calibration = CameraCalibration(A4_BOARD, live=is_live(settings.source) or _is_video(settings.source))
    _take(arguments, settings, calibration)
    if calibration.wanting and not is_live(settings.source):
        hint(f"the pictures would say more: {'; '.join(calibration.wanting)}")
    solved = calibration.solve()
    if arguments.on_mat is not None:
        scale = {"size_checked": "mat", "printed_scale": round(1 / _on_mat(arguments, solved), 4)}
    figures = {"held_out_px": round(solved.held_out_px, 3), "focal_px": round(float(solved.lens.matrix[0, 0]), 1)}
    tell(
        arguments,
        f"the lens: focal length {figures['focal_px']} px, {solved.field_deg:.0f}° across; corners of pictures "
        f"held out are {solved.held_out_px:.2f} px off ({solved.pictures} pictures)",
        {"solved": True, **figures, "left_out": list(solved.left_out)},
    )
    if scale["size_checked"] == "no":
        hint("the print's size was not checked: the lens does not need it (--measured-mm or --on-mat check it)")
    part = camera_part(solved, calibration, {**device_of(settings), **scale})
    keep(arguments, replace(part, first=first_of(arguments)))
    return EXIT_DONE


def _take(arguments: argparse.Namespace, settings: CameraSettings, calibration: CameraCalibration) -> None:
    """Show the calibration every picture until it has enough, the source ends or the time is over."""
    begin_s, said_s, last = time.monotonic(), 0.0, None
    live = is_live(settings.source)
    for shot in shots(settings, table_clock()):
        feedback = calibration.add(shot.picture, shot.name)
        last = shot.picture
        now_s = time.monotonic()
        if feedback.kept or not calibration.live or now_s - said_s > _SAY_EVERY_S:
            said_s = now_s
            tell(arguments, _words(feedback), feedback.words())
        if live and (calibration.enough or now_s - begin_s > arguments.seconds):
            break
    if (
        arguments.show is not None
        and last is not None
        and not cv2.imwrite(str(arguments.show), calibration.annotated(last))
    ):
        raise InputError(f"{arguments.show}: cannot be written, expected the name of a PNG or JPEG picture")


def _words(feedback: Feedback) -> str:
    if feedback.refused is not None:
        return f"{feedback.name}: no: {feedback.refused}"
    missing = ", ".join(feedback.missing[:3])
    return (
        f"{feedback.name}: good (edges {feedback.blur_px:.1f} px, leans {feedback.tilt_deg:.0f}°); "
        f"{feedback.coverage:.0%} of the picture covered"
        + (f", missing: {missing}" if missing else "")
        + f"; next: {feedback.advice}"
    )


def _on_mat(arguments: argparse.Namespace, solved: Solved) -> float:
    """The mat's size by the board's measure, from a picture with both."""
    picture = open_picture(arguments.on_mat)
    look = look_at(picture, A4_BOARD, str(arguments.on_mat))
    if isinstance(look, Refused):
        raise InputError(f"{arguments.on_mat}: {look.why}")
    if look.size != solved.size:
        raise InputError(f"{arguments.on_mat}: {look.size[0]}x{look.size[1]} pixels, expected the camera's size")
    scale = marker_scale(picture, look, A4_BOARD, solved.lens, MARKER_SIDE_MM)
    if scale is None:
        raise InputError(f"{arguments.on_mat}: no marker of the mat lies flat beside the board, expected one at least")
    return check_markers([scale])


def _is_video(source: str) -> bool:
    return is_video(Path(source))
