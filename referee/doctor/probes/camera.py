"""Watches the camera for a few seconds and looks at what its pictures show."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.deck.census import check
from referee.deck.folder import Deck, resolve_deck
from referee.doctor.judges.camera import CameraFacts
from referee.doctor.plan import Plan
from referee.doctor.rights import group_to_join
from referee.errors import DeckError, HardwareError, ProfileError
from referee.gpio import on_a_pi
from referee.profile import Profile
from referee.table.layouts import layout_of
from referee.totem.links.base import table_clock
from referee.vision.camera import CameraSettings, Frame, FrameSource, camera_settings, is_live, open_camera
from referee.vision.cameras.devices import USUAL_FPS
from referee.vision.cameras.quiet import quiet_opencv
from referee.vision.geometry import Array
from referee.vision.reader import Reader, read_setup
from referee.vision.table import TableView, drift_mm, find_markers

OPEN_S = 10.0
OPENINGS = 2  # a device that could not be opened twice is not there
_TURN_S = 0.25
SETTLE_FRAMES = 5  # cameras find their exposure over the first pictures
SMALL_PX = 320  # pictures are made so narrow before their light is summed up
BURNT = 250
PAIRS = 12
# What `referee.vision.cameras.devices.as_wanted` says of a camera that keeps to another size.
_OTHER_SIZE = re.compile(r"gives (\d+)×(\d+) pixels, not")


def probe(plan: Plan) -> CameraFacts:
    """What the plan's camera gives and shows."""
    try:
        profile = plan.read_profile()
    except ProfileError:
        profile = None  # said by the profile's own finding
    said: dict[str, Any] = {} if profile is None else dict(profile.camera)
    source = plan.camera or str(said.get("source") or "") or a_camera()
    if source is None:
        return CameraFacts("none")
    try:
        settings = camera_settings(said, "the profile", source)
        facts = CameraFacts(
            "live" if is_live(settings.source) else "recording",
            settings.source,
            _group(settings.source),
            wanted_width=settings.width,
            wanted_height=settings.height,
            model=model_of(settings.source),
            wanted_fps=settings.fps or USUAL_FPS,
        )
        if facts.kind == "recording":
            return facts
        with quiet_opencv():
            facts, picture = watched(facts, settings, plan.seconds)
    except (HardwareError, ProfileError) as error:
        return CameraFacts("live", source, problem=str(error))
    return with_table(facts, profile, picture)


def a_camera() -> str | None:
    """The camera to look at where none is named: the Pi's own, else the first V4L2 device."""
    devices = sorted(Path("/dev").glob("video*"))
    if on_a_pi() and devices:
        return "picamera2"
    return str(devices[0]) if devices else None


def model_of(source: str, known: Path = Path("/sys/class/video4linux")) -> str | None:
    """What kind of camera a device is, as its driver says; None where nobody says so."""
    device = Path(f"/dev/video{source}") if source.isdigit() else Path(source)
    if not source.isdigit() and not source.startswith("/dev/"):
        return None
    try:
        model = (known / device.resolve().name / "name").read_text("utf-8", errors="replace").strip()
    except OSError:
        return None
    # A driver may repeat itself ("HD Pro Webcam C920: HD Pro Webcam") and say anything.
    return model.split(":")[0].strip()[:60] or None


def _group(source: str) -> str | None:
    if source.isdigit():
        source = f"/dev/video{source}"
    return group_to_join(Path(source)) if source.startswith("/dev/") else None


def watched(
    facts: CameraFacts, settings: CameraSettings, seconds: float
) -> tuple[CameraFacts, NDArray[np.uint8] | None]:
    """Open the camera and watch it; raises `HardwareError` where picamera2 is not installed."""
    if facts.group is not None:
        return facts, None
    camera = open_camera(settings, table_clock())
    try:
        return watch(facts, camera, seconds)
    finally:
        camera.close()


def watch(
    facts: CameraFacts, camera: FrameSource, seconds: float, open_s: float = OPEN_S
) -> tuple[CameraFacts, NDArray[np.uint8] | None]:
    """What an open camera gives within `seconds` after its first frames, and its last picture."""
    first = _first(camera, open_s)
    if first is None:
        return _silent(facts, camera.health().problem or ""), None
    for _ in range(SETTLE_FRAMES):
        first = camera.poll(1.0) or first
    begun = camera.health()
    means: list[float] = []
    last, end_s = first, time.monotonic() + seconds
    while (left_s := end_s - time.monotonic()) > 0:
        frame = camera.poll(left_s)
        if frame is not None:
            last = frame
            means.append(float(_small(frame.picture).mean()))
    ended = camera.health()
    small = _small(last.picture)
    facts = replace(
        facts,
        problem=ended.problem or "",
        width=camera.width,
        height=camera.height,
        frames=max(1, ended.frames - begun.frames),
        dropped=ended.dropped - begun.dropped,
        span_frames=last.number - first.number,
        span_us=last.t_us - first.t_us,
        age_ms=None if ended.age_us is None else ended.age_us / 1000,
        exposure_ms=None if last.exposure_us is None else last.exposure_us / 1000,
        clock_error_ms=ended.clock_error_us / 1000,
        mean=float(small.mean()),
        burnt=float((small.min(axis=2) >= BURNT).mean()),
        flicker=float(np.std(means)) / max(float(np.mean(means)), 1.0) if len(means) > 1 else None,
    )
    return facts, last.picture


def _first(camera: FrameSource, open_s: float) -> Frame | None:
    """The first frame within `open_s`, or until opening has failed several times."""
    end_s = time.monotonic() + open_s
    while time.monotonic() < end_s and camera.health().starts <= OPENINGS:
        frame = camera.poll(_TURN_S)
        if frame is not None:
            return frame
    return None


def _silent(facts: CameraFacts, problem: str) -> CameraFacts:
    other = _OTHER_SIZE.search(problem)
    width, height = (int(other.group(1)), int(other.group(2))) if other else (0, 0)
    return replace(facts, problem=problem, width=width, height=height)


def _small(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    step = max(1, picture.shape[1] // SMALL_PX)
    return picture[::step, ::step]


def with_table(facts: CameraFacts, profile: Profile | None, picture: NDArray[np.uint8] | None) -> CameraFacts:
    """The same with what the picture shows of the mat, and whether the profile's deck can be read there."""
    if profile is None:
        return facts if picture is None else replace(facts, markers_seen=len(find_markers(picture)))
    try:
        deck = resolve_deck(profile.deck)
        reader = Reader(deck, read_setup(profile.path))
    except (DeckError, ProfileError) as error:
        return replace(facts, deck_problem=str(error))
    facts = replace(facts, deck_cards=len(deck.cards), needs_px=check(deck, PAIRS).needs_px)
    if picture is None or reader.setup is None:
        return facts
    setup, size = reader.setup, (picture.shape[1], picture.shape[0])
    markers = find_markers(picture, setup.marker_ids)
    by_markers = reader.view_of(markers, size) if markers else None
    view = reader.view(picture)
    facts = replace(
        facts,
        markers_seen=len(markers),
        markers_wanted=len(setup.marker_ids),
        measured=setup.homography is not None,
        residual_mm=None if by_markers is None else by_markers.residual_mm,
        off_mm=_off_mm(view, by_markers, markers) if setup.homography is not None else None,
    )
    return facts if view is None else replace(facts, card_px=card_px(view, deck, _places(profile, deck)))


def _off_mm(view: TableView | None, by_markers: TableView | None, markers: dict[int, Array]) -> float | None:
    """How far the markers lie from where the profile's homography has them."""
    if view is None or by_markers is None or not markers:
        return None
    placed = replace(view, centres_mm=by_markers.centres_mm)
    return max(drift_mm(placed, markers).values(), default=None)


def _places(profile: Profile, deck: Deck) -> Array:
    """The middles of all zones (N×2 mm); the totem's spot where the game has no layout."""
    try:
        zones = layout_of(profile, deck.card_mm).zones.values()
    except ProfileError:
        return np.array([profile.totem.centre_mm], np.float64)
    return np.array([zone.centre_mm for zone in zones], np.float64)


def card_px(view: TableView, deck: Deck, places_mm: Array) -> float:
    """How many pixels the shorter side of a card covers where it covers the fewest."""
    steps = view.locals(view.pixels(places_mm))
    least = min(float(cv2.SVDecomp(step)[0].min()) for step in steps)
    return least * min(deck.card_mm)
