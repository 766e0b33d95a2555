"""The camera: is it there, how fast, how old, how well in time; the light in its pictures; the table they show."""

from __future__ import annotations

from dataclasses import dataclass

from referee.doctor.finding import Fact, Finding

LOW_RATE, BAD_RATE = 0.9, 0.5  # of what was asked for
FEWEST_FPS = 10.0  # below it a card's arrival is known to 100 ms only, a quarter of what people take to react
DROPPED_SHARE = 0.02
STALLED_MS = 300.0  # as `referee.vision.cameras.live.Patience.stale_s`
LONG_EXPOSURE_MS = 12.0  # a card turned at 0.5 m/s smears over 6 mm
COARSE_CLOCK_MS = 34.0  # a frame at 30 a second: the best that times of arrival give (docs/camera.md)
DARK, BLACK = 60.0, 12.0  # mean grey of 255
BURNT_SHARE = 0.02
FLICKER = 0.02  # standard deviation of the pictures' mean grey, over their mean
MOVED_MM = 3.0  # as `referee.vision.table.DRIFT_MM`
TIGHT = 1.2  # times what the deck needs


@dataclass(frozen=True)
class CameraFacts:
    """What a camera said and showed in the time it was watched; None where it was not to be known.

    `kind`: `live`, `recording` or `none`. `group` is the group to join where the device may not be opened. `first` and
    `last` are the numbers and times (us) of the first and last frame, so that frames nobody fetched count, too.
    """

    kind: str
    source: str = ""
    group: str | None = None
    problem: str = ""
    wanted_width: int | None = None
    wanted_height: int | None = None
    wanted_fps: float = 30.0
    width: int = 0
    height: int = 0
    frames: int = 0
    dropped: int = 0
    span_frames: int = 0
    span_us: int = 0
    age_ms: float | None = None
    exposure_ms: float | None = None
    clock_error_ms: float | None = None
    mean: float | None = None
    burnt: float | None = None
    flicker: float | None = None
    markers_seen: int | None = None
    markers_wanted: int = 4
    measured: bool = False
    residual_mm: float | None = None
    off_mm: float | None = None
    deck_cards: int | None = None
    deck_problem: str = ""
    card_px: float | None = None
    needs_px: int | None = None
    model: str | None = None


def judge(facts: CameraFacts) -> list[Finding]:
    """What the camera, its light and its table amount to."""
    if facts.kind == "none":
        return [Finding("camera.there", "none")]
    if facts.kind == "recording":
        return [Finding("camera.there", "recording")]
    if facts.group is not None:
        return [Finding("camera.there", "rights", {"group": facts.group})]
    if facts.frames == 0:
        return [_no_picture(facts), *_deck(facts)]
    size: dict[str, Fact] = {"width": facts.width, "height": facts.height}
    found = [Finding("camera.there", "ok", {"source": _named(facts), **size})]
    return [*found, *_pace(facts), *_times(facts), *_light(facts), *_table(facts), *_deck(facts)]


def _no_picture(facts: CameraFacts) -> Finding:
    wanted = (facts.wanted_width, facts.wanted_height)
    if facts.width and facts.height and (facts.width, facts.height) != wanted and None not in wanted:
        asked = {"wanted_width": facts.wanted_width or 0, "wanted_height": facts.wanted_height or 0}
        return Finding("camera.there", "size", {"width": facts.width, "height": facts.height, **asked})
    return Finding("camera.there", "silent", {"why": facts.problem or "no frame"})


def _pace(facts: CameraFacts) -> list[Finding]:
    found = []
    if facts.span_us > 0:
        fps = facts.span_frames / facts.span_us * 1e6
        share = fps / facts.wanted_fps
        verdict = "bad" if share < BAD_RATE or fps < FEWEST_FPS else "low" if share < LOW_RATE else "ok"
        found.append(Finding("camera.rate", verdict, {"fps": fps, "wanted": facts.wanted_fps}))
    came = facts.frames + facts.dropped
    dropped: dict[str, Fact] = {"dropped": facts.dropped, "frames": came}
    found.append(Finding("camera.drops", "some" if facts.dropped > DROPPED_SHARE * came else "ok", dropped))
    if facts.age_ms is not None:
        slow_ms = max(STALLED_MS, 5000 / facts.wanted_fps)
        found.append(Finding("camera.age", "stalled" if facts.age_ms > slow_ms else "ok", {"age_ms": facts.age_ms}))
    return found


def _times(facts: CameraFacts) -> list[Finding]:
    if facts.exposure_ms is None:
        found = [Finding("camera.exposure", "unknown")]
    else:
        verdict = "long" if facts.exposure_ms > LONG_EXPOSURE_MS else "ok"
        found = [Finding("camera.exposure", verdict, {"ms": facts.exposure_ms, "limit_ms": LONG_EXPOSURE_MS})]
    if facts.clock_error_ms is not None:
        verdict = "coarse" if facts.clock_error_ms > COARSE_CLOCK_MS else "ok"
        found.append(Finding("camera.clock", verdict, {"ms": facts.clock_error_ms}))
    return found


def _light(facts: CameraFacts) -> list[Finding]:
    found = []
    if facts.mean is not None:
        verdict = "black" if facts.mean < BLACK else "dark" if facts.mean < DARK else "ok"
        found.append(Finding("light.level", verdict, {"mean": facts.mean}))
    if facts.burnt is not None:
        found.append(Finding("light.glare", "some" if facts.burnt > BURNT_SHARE else "ok", {"share": facts.burnt}))
    if facts.flicker is not None:
        verdict = "some" if facts.flicker > FLICKER else "ok"
        found.append(Finding("light.flicker", verdict, {"share": facts.flicker}))
    return found


def _table(facts: CameraFacts) -> list[Finding]:
    seen = facts.markers_seen
    if seen is None:
        return []
    if facts.off_mm is not None and facts.off_mm > MOVED_MM:
        return [Finding("table.markers", "moved", {"off_mm": facts.off_mm})]
    if seen == 0:
        return [Finding("table.markers", "measured" if facts.measured else "none")]
    if seen < facts.markers_wanted:
        return [Finding("table.markers", "some", {"seen": seen, "wanted": facts.markers_wanted})]
    return [Finding("table.markers", "ok", {"seen": seen, "residual_mm": facts.residual_mm or 0.0})]


def _deck(facts: CameraFacts) -> list[Finding]:
    if facts.deck_problem:
        return [Finding("table.deck", "broken", {"why": facts.deck_problem})]
    found = []
    if facts.deck_cards is not None:
        found.append(Finding("table.deck", "ok", {"cards": facts.deck_cards}))
    if facts.card_px is not None and facts.needs_px is not None:
        enough = facts.card_px / facts.needs_px
        verdict = "small" if enough < 1 else "tight" if enough < TIGHT else "ok"
        size: dict[str, Fact] = {"px": facts.card_px, "needs_px": facts.needs_px, "share": enough / TIGHT}
        found.append(Finding("table.cards", verdict, size))
    return found


def _named(facts: CameraFacts) -> str:
    """The camera as the profile names it, with its model where the system knows it."""
    return facts.source if facts.model is None else f"{facts.source} ({facts.model})"
