"""A simulated table as a folder: exactly what a recording of a real one holds, and the truth beside it.

Belongs here: the files (formats.md, "A recorded table") and what stands in them. Does not belong here: what is
rendered (`film`), the live table (`table`).

For the referee: `video.mp4`, `frames_t.txt`, `profile.toml`, `totem.npz` where the game has a totem, and `calls.jsonl`
where people had something to say. Never for the referee: `truth.jsonl`, `rulings.jsonl`, `truth.json`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import orjson

from referee.adjudication import Game, adjudicate
from referee.errors import InputError, PictureError
from referee.record import Record
from referee.sim.film import frame_truth
from referee.sim.played import PlayedGame
from referee.sim.scenery import MARKER_IDS, MARKER_MM
from referee.sim.settings import TableSetUp, frame_times
from referee.sim.touches import TotemKind, trace_arrays
from referee.words import Ruling

FILES = (
    "video.mp4",
    "frames_t.txt",
    "profile.toml",
    "totem.npz",
    "calls.jsonl",
    "truth.jsonl",
    "rulings.jsonl",
    "truth.json",
)
Progress = Callable[[int, int], None]


def write_table(table: TableSetUp, folder: Path, progress: Progress | None = None, *, force: bool = False) -> None:
    """Write a whole recorded table; raises `InputError` where one lies already, unless forced."""
    there = [name for name in FILES if (folder / name).exists()]
    if there and not force:
        raise InputError(f"{folder / there[0]} exists; --force overwrites it")
    for name in there:
        (folder / name).unlink()
    folder.mkdir(parents=True, exist_ok=True)
    write_profile(table, folder)
    write_truth(table.game, folder)
    if table.game.touching is not None and table.totem is not None:
        with (folder / "totem.npz").open("wb") as handle:
            arrays = trace_arrays(table.game.touching, table.totem, table.settings.seed)
            np.savez_compressed(handle, **arrays)  # type: ignore[arg-type]
    _write_video(table, folder, progress)


def write_profile(table: TableSetUp, folder: Path) -> Path:
    """Write `profile.toml`, and `calls.jsonl` where there are calls; returns the profile's path."""
    path = folder / "profile.toml"
    path.write_text(profile_text(table, folder), encoding="utf-8")
    if table.game.calls:
        (folder / "calls.jsonl").write_bytes(_lines(table.game.calls))
    return path


def write_truth(game: PlayedGame, folder: Path) -> None:
    """Write the true record and what has to be ruled."""
    (folder / "truth.jsonl").write_bytes(_lines([dict(game.header), *game.events]))
    (folder / "rulings.jsonl").write_bytes(_lines(true_rulings(game)))


def true_rulings(game: PlayedGame) -> list[Ruling]:
    """What follows from the true record, by the rules."""
    record = Record(game.header, list(game.events), list(game.events))
    judged = adjudicate(Game(record.header), record.events)
    return [ruling for _, rulings in judged for ruling in rulings]


def profile_text(table: TableSetUp, folder: Path) -> str:
    """The profile of the table, as its calibration would have written it."""
    game, scenery, settings = table.game, table.scenery, table.settings
    optics, places = scenery.optics, game.places
    width, height = optics.size
    deck = settings.deck_name
    if not deck.startswith("builtin:"):
        deck = os.path.relpath(Path(deck).resolve(), folder.resolve())
    lines = [
        f"# simulated, {len(settings.players)} players; rectangles: [x_min, y_min, x_max, y_max] in table millimetres",
        f"game = {_toml(game.header['game'])}",
        f"players = {_toml(settings.players)}",
        f"deck = {_toml(deck)}",
        "",
        "[camera]",
        f"width = {width}",
        f"height = {height}",
        f"fps = {float(settings.fps)}",
        f"matrix = {_toml(np.round(optics.matrix, 4).tolist())}",
        f"distortion = {_toml(np.round(optics.distortion, 6).tolist())}",
        "",
    ]
    if scenery.mat == "none":
        homography = np.linalg.inv(optics.table_to_pixels)
        homography /= homography[2, 2]
        lines += ["[table]", f"homography = {_toml([[float(f'{v:.9g}') for v in row] for row in homography])}", ""]
    else:
        centres = [list(place) for place in places.markers]
        lines += [
            "[table.markers]",
            f"ids = {_toml(MARKER_IDS)}",
            f"side_mm = {MARKER_MM:g}",
            f"centres_mm = {_toml(centres)}",
            "",
        ]
    for chair in places.chairs:
        lines += ["[[seat]]", f"player = {_toml(chair.player)}", f"angle_deg = {chair.angle_deg}"]
        own = places.own_zones(chair.player)
        lines += [f"{name} = {_toml([round(v, 1) for v in rect])}" for name, rect in own.items()]
        lines.append("")
    for name, rect in places.shared_zones().items():
        lines += [f"[zone.{_key(name)}]", f"rect = {_toml([round(v, 1) for v in rect])}", ""]
    if game.header.get("options"):
        lines += ["[options]", *(f"{_key(k)} = {_toml(v)}" for k, v in game.header["options"].items()), ""]
    if table.totem is not None:
        lines += _totem_lines(table.totem)
    lines += ["[announce]", 'language = "en"', 'duel = "after"', ""]
    return "\n".join(lines)


def _totem_lines(totem: TotemKind) -> list[str]:
    cylinder = totem.cylinder
    return [
        "[totem]",
        "centre_mm = [0.0, 0.0]",
        f"diameter_mm = {cylinder.diameter_mm:g}",
        f"height_mm = {cylinder.height_mm:g}",
        f"rings = {cylinder.rings}",
        f"sectors = {cylinder.sectors}",
        "angle0_deg = 0.0",
        f"seat_pads = {_toml(totem.seat_pads)}",
        "",
    ]


def _write_video(table: TableSetUp, folder: Path, progress: Progress | None) -> None:
    film, optics, settings = table.film(), table.scenery.optics, table.settings
    times = frame_times(table.game.timeline.end_us, settings.fps, settings.seed)
    codec = cv2.VideoWriter_fourcc(*"mp4v")  # type: ignore[attr-defined]
    video = cv2.VideoWriter(str(folder / "video.mp4"), codec, settings.fps, optics.size)
    if not video.isOpened():
        raise PictureError(f"{folder / 'video.mp4'}: this OpenCV writes no MPEG-4 video")
    frames = []
    for number, t_us in enumerate(times.tolist()):
        video.write(film.frame(t_us))
        frames.append({"frame": number, "t_us": t_us, "tops": frame_truth(film, t_us)})
        if progress is not None:
            progress(number + 1, len(times))
    video.release()
    (folder / "frames_t.txt").write_text("".join(f"{t}\n" for t in times.tolist()), encoding="utf-8")
    camera = {"matrix": optics.matrix.tolist(), "distortion": optics.distortion.tolist()}
    whole = {
        "fps": settings.fps,
        "width": optics.size[0],
        "height": optics.size[1],
        "camera": camera,
        "table_to_pixels": optics.table_to_pixels.tolist(),
        "light": table.scenery.light.kind,
        "surface": table.scenery.surface,
        "mat": table.scenery.mat,
        "frames": frames,
    }
    (folder / "truth.json").write_bytes(orjson.dumps(whole))


def _lines(words: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(orjson.dumps(word) + b"\n" for word in words)


def _key(name: str) -> str:
    """A TOML key: bare where it can be."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _toml(name)


def _toml(value: object) -> str:
    """A TOML value: JSON is one for texts, numbers and lists of them."""
    return orjson.dumps(value).decode().replace(",", ", ")
