"""`referee calibrate table`: pictures of the mat, or four corners, in; geometry and seats into the profile."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from calibration.placing import deck_of, judged, layout_for, lens_for, setup_of
from calibration.profile_file import CALIBRATION, Part, check_may_write, read_raw, value_at
from calibration.scale import RULER_MM, check_measured
from calibration.seats import laid_on
from calibration.sources import shots
from calibration.table import FRAMES, CardSize, Mat, TableFound, find_table, found_by, markers_mm, table_part
from referee.commands.calibrate.common import EXIT_DONE, EXIT_NO, device_of, first_of, hint, keep, settings_of, tell
from referee.deck.folder import Deck
from referee.errors import InputError
from referee.table.layouts import Layout
from referee.totem.links.base import table_clock
from referee.vision.geometry import Array
from referee.vision.reader import TableSetup
from referee.vision.table import MARKER_IDS, Lens, view_from_corners


def run(arguments: argparse.Namespace) -> int:
    """Measure the table, lay out seats where there are none, say whether cards are large enough, keep."""
    content = read_raw(arguments.profile)
    new = {key: value for key in ("game", "players", "deck") if (value := _said(arguments, key)) is not None}
    check_may_write(arguments.profile, "table", tuple(new), arguments.force)
    if arguments.measured_mm is not None:
        check_measured(arguments.measured_mm, RULER_MM, "the mat's ruler")
    settings = settings_of(arguments)
    setup = setup_of(arguments.profile)
    pictures = [shot.picture for shot in islice(shots(settings, table_clock()), FRAMES)]
    size = (pictures[0].shape[1], pictures[0].shape[0])
    lens = lens_for(setup, size)
    if lens is None:
        hint("the lens is not calibrated: places are good to a few millimetres only (referee calibrate camera)")
    mat = None if arguments.corners is not None else _mat(arguments, setup)
    if mat is None:
        found = _by_corners(arguments, lens, size)
    else:
        if mat.centres_mm is None:
            hint("the mat's size is worked out from its markers' own sides; --mat W,H says it exactly")
        found = find_table(pictures, mat, lens)
    merged = {**content, **new}
    deck = deck_of(arguments.profile, merged)
    layout = _layout(arguments, merged, deck)
    is_new = arguments.lay_out or not content.get("seat")
    if layout is not None and is_new and mat is not None:
        layout = laid_on(layout, markers_mm(found), mat.side_mm)
    problems, card = judged(found, layout, deck)
    lens_date = value_at(content, f"{CALIBRATION}.camera.date")
    figures = {**device_of(settings), **({} if lens_date is None else {"lens_date": lens_date})}
    seats = layout if is_new else None
    _say(arguments, found, card)
    for problem in problems:
        tell(arguments, problem, {"problem": problem})
    part = table_part(found, mat, seats, card, figures)
    keep(arguments, _complete(part, new, first_of(arguments), size))
    return EXIT_NO if problems else EXIT_DONE


def _said(arguments: argparse.Namespace, key: str) -> Any:
    value = getattr(arguments, key)
    if key == "players" and value is not None:
        return [name.strip() for name in value.split(",")]
    return value


def _complete(part: Part, new: Mapping[str, Any], first: Mapping[str, Any], size: tuple[int, int]) -> Part:
    """The part with what a new profile needs besides."""
    known = {**first, "camera.width": size[0], "camera.height": size[1]}
    # What names the game stands at the top of a profile.
    return replace(part, values={**new, **part.values}, first=known)


def _pair(text: str, option: str) -> tuple[float, float]:
    try:
        width, height = (float(word) for word in text.split(","))
    except ValueError:
        width = height = 0.0
    if not (0 < width < 10_000 and 0 < height < 10_000):
        raise InputError(f"{option} {text}: expected W,H in millimetres")
    return width, height


def _mat(arguments: argparse.Namespace, setup: TableSetup) -> Mat:
    side = arguments.marker_mm or setup.side_mm
    if arguments.mat is None:
        return Mat(setup.centres_mm, side)
    x, y = (length / 2 for length in _pair(arguments.mat, "--mat"))
    places = ((-x, -y), (x, -y), (x, y), (-x, y))
    return Mat({k: np.array(place) for k, place in zip(MARKER_IDS, places, strict=True)}, side)


def _by_corners(arguments: argparse.Namespace, lens: Lens | None, size: tuple[int, int]) -> TableFound:
    if arguments.size_mm is None:
        raise InputError("--corners: expected --size-mm with the size of what they bound")
    try:
        corners: Array = np.array([float(word) for word in arguments.corners.split(",")], np.float64).reshape(4, 2)
    except ValueError as error:
        raise InputError(f"--corners {arguments.corners}: expected eight numbers X,Y,X,Y,X,Y,X,Y in pixels") from error
    if (corners < 0).any() or (corners > np.array(size)).any():
        raise InputError(f"--corners: expected points within the picture of {size[0]}x{size[1]}")
    width, height = _pair(arguments.size_mm, "--size-mm")
    return found_by(view_from_corners(corners, width, height, lens), size, 1, lens is not None)


def _layout(arguments: argparse.Namespace, content: Mapping[str, Any], deck: Deck | None) -> Layout | None:
    """The table's seats: those of the profile, or new ones; None while nobody said who plays."""
    layout = layout_for(arguments.profile, content, deck, arguments.lay_out)
    if layout is None:
        hint("nobody's seat is laid out yet: --game and --players say who plays what")
    return layout


def _say(arguments: argparse.Namespace, found: TableFound, card: CardSize | None) -> None:
    about = "" if found.lens_known else "about "
    words = (
        f"the camera hangs {about}{found.height_mm / 10:.0f} cm above the table, {found.lean_deg:.0f}° off the "
        f"vertical; the markers' residual is {found.view.residual_mm:.1f} mm (which says little about the error)"
    )
    values: dict[str, Any] = {
        "height_mm": round(found.height_mm),
        "lean_deg": round(found.lean_deg, 1),
        "residual_mm": round(found.view.residual_mm, 2),
    }
    if card is not None:
        needed = "" if card.need_px is None else f" (the deck needs {card.need_px})"
        words += f"; cards are {card.have_px:.0f} px wide at least{needed}"
        values |= {"card_px": round(card.have_px, 1), "needs_px": card.need_px}
    tell(arguments, words, values)
