"""The doors of a game: which camera and which totem, live or recorded.

Written rules of this module:
- a game is either live or recorded as a whole: a recording's times and a live device's times are not one clock;
- a recorded game opens no hardware, whatever the profile names;
- simulated tables have no door of their own: they come in by the camera's and the totem's.
Does not belong here: how a source works (`referee.vision.camera`, `referee.totem.links`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from referee.errors import InputError
from referee.profile import Profile
from referee.totem.links.base import Link
from referee.totem.links.opening import TWELVE_BY_FOUR, open_link
from referee.totem.links.recorded import RecordedLink
from referee.totem.recording import scans_of
from referee.totem.scans import Layout
from referee.totem.trace import Trace, load_trace
from referee.vision.camera import Clock, FrameSource, camera_settings, is_live, open_camera


@dataclass(frozen=True)
class Doors:
    """What a game is watched with; `totem` None for a plain wooden one.

    `pads` are the players whose seat pads the totem drives, in its order (empty: none are used).
    """

    camera: FrameSource
    totem: Link | None
    recorded: bool
    pads: tuple[str, ...] = ()

    def close(self) -> None:
        """Let go of everything."""
        self.camera.close()
        if self.totem is not None:
            self.totem.close()


def is_recorded(profile: Profile, camera: str | None = None) -> bool:
    """Whether the camera that the profile names, or the one named instead, is a recording; opens nothing."""
    return not is_live(camera_settings(profile.camera, str(profile.path), camera).source)


def open_doors(
    profile: Profile, clock: Clock, camera: str | None = None, times: Path | None = None, totem: str | None = None
) -> Doors:
    """The doors that the profile names, or those named instead.

    Raises `InputError` when one is a recording and the other is not, or for a file that cannot be used;
    `HardwareError` when the totem is to be found and is not there.
    """
    settings = camera_settings(profile.camera, str(profile.path), camera)
    recorded = not is_live(settings.source)
    if totem is not None and totem.endswith(".npz") != recorded:
        what, other = ("a recording", "live") if recorded else ("live", "a recording")
        raise InputError(f"--totem: {totem} is {other} and the camera is {what}; expected both live or both recorded")
    if recorded:
        settings = replace(settings, offset_us=0)  # a recording's times are on one clock already
    frames = open_camera(settings, clock, times)
    try:
        if not recorded:
            return _live(profile, frames, clock, totem)
        _check_size(profile, frames)
        if totem is None:
            return Doors(frames, None, recorded=True)
        trace = load_trace(Path(totem))
        if times is not None:
            _check_span(trace, totem, times)
        link = RecordedLink(scans_of(trace), totem, now_us=clock)
        return Doors(frames, link, recorded=True, pads=_pads_of(trace, profile, totem))
    except BaseException:
        frames.close()
        raise


def _check_size(profile: Profile, frames: FrameSource) -> None:
    """The lens and the homography are for pictures of the profile's shape; raises `InputError` for another one."""
    wide, high = profile.camera.get("width"), profile.camera.get("height")
    if wide is None or high is None or abs(wide * frames.height - high * frames.width) <= max(wide, high):
        return
    found = f"{frames.width}x{frames.height}"
    raise InputError(f"{frames.name}: pictures are {found}, expected the shape of {profile.path}, {wide}x{high}")


def _check_span(trace: Trace, name: str, times: Path) -> None:
    """A trace and a video of one game are on one clock; raises `InputError` where they do not meet."""
    lines = times.read_text("utf-8").split()
    first_us, last_us = int(lines[0]), int(lines[-1])
    begin_us, end_us = int(trace.t_us[0]), int(trace.t_us[-1])
    if min(last_us, end_us) <= max(first_us, begin_us):
        trace_s, video_s = (f"{a / 1e6:.1f} to {b / 1e6:.1f} s" for a, b in ((begin_us, end_us), (first_us, last_us)))
        raise InputError(f"{name}: runs from {trace_s} and the video from {video_s}, expected them on the same clock")


def _live(profile: Profile, camera: FrameSource, clock: Clock, totem: str | None) -> Doors:
    port = totem if totem is not None else profile.totem.port
    link = None if port is None else open_link(port, clock, totem_layout(profile))
    return Doors(camera, link, recorded=False, pads=profile.players if profile.totem.seat_pads else ())


def totem_layout(profile: Profile) -> Layout:
    """The totem's pads as the profile describes them; the recommended totem where it does not."""
    part = profile.totem
    if part.rings is None or part.sectors is None:
        return TWELVE_BY_FOUR
    first = part.height_mm / part.rings / 2
    heights = tuple(first + part.height_mm / part.rings * ring for ring in range(part.rings))
    return Layout(part.rings, part.sectors, heights, part.diameter_mm, part.height_mm)


def _pads_of(trace: Trace, profile: Profile, name: str) -> tuple[str, ...]:
    if trace.seats is None:
        return ()
    strangers = [seat for seat in trace.seats.names if seat not in profile.players]
    if strangers:
        raise InputError(f"{name}: seat_names: {strangers[0]} is no player of {profile.path}")
    return trace.seats.names
