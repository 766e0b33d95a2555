"""`referee read`: every face-up card in pictures, folders of pictures and videos.

Belongs here: arguments, the order of the answers, the annotated picture, one sentence for each picture that
cannot be opened. Does not belong here: how cards are found and read (`referee.vision`).
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from glob import escape
from itertools import islice
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import orjson
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

from referee.deck.folder import Deck, resolve_deck
from referee.errors import PictureError
from referee.vision.cards import Sighting
from referee.vision.change import Still, has_changed, still
from referee.vision.pictures import find_pictures, is_video, open_picture, video_frames
from referee.vision.reader import Reader, TableSetup, read_setup

EXIT_DONE = 0
EXIT_WRONG_INPUT = 2
EXIT_INTERRUPTED = 130
MANY = 20  # pictures from which on a progress bar is worth its line
SURE_COLOUR = (60, 170, 40)
UNSURE_COLOUR = (40, 140, 240)
LABEL_COLOUR = (255, 255, 255)


def configure(parser: argparse.ArgumentParser) -> None:
    """Fill in the command's arguments."""
    parser.add_argument("images", nargs="+", type=Path, metavar="IMAGE", help="pictures, folders or videos")
    parser.add_argument("--deck", required=True, help="a deck folder or builtin:52|dobro|jungle-bluff|totem-rush")
    parser.add_argument("--table", type=Path, metavar="PROFILE", help="a table profile: scale and lens come from it")
    parser.add_argument(
        "--show", type=Path, metavar="FILE", help="write the annotated picture (a folder for several, and for videos)"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="pictures read at the same time (default 1)")
    parser.add_argument("--force", action="store_true", help="let --show replace what exists")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def run(arguments: argparse.Namespace) -> int:
    """Read; 0 when every picture could be opened, 2 when one could not."""
    if not 1 <= arguments.jobs <= 256:
        raise PictureError("--jobs: expected a number from 1 to 256")
    paths = find_pictures(arguments.images)
    deck = resolve_deck(arguments.deck)
    setup = read_setup(arguments.table) if arguments.table is not None else None
    show = _show_targets(arguments.show, paths, arguments.force)
    failed, noted = 0, False
    results = _read_all(paths, deck, setup, show, min(arguments.jobs, len(paths)))
    for result in _progress(results, len(paths)):
        if result.error is not None:
            failed += 1
            print(f"referee read: {result.error}", file=sys.stderr)
        if result.note is not None and not noted:
            noted = True
            print(f"referee read: {arguments.table}: {result.note}", file=sys.stderr)
        for answer in result.answers:
            # At once: a video goes on for minutes, and whoever reads the pipe wants its frames as they come.
            print(orjson.dumps(answer).decode() if arguments.json else _sentence(answer), flush="frame" in answer)
    return EXIT_WRONG_INPUT if failed else EXIT_DONE


Answer = dict[str, Any]


@dataclass(frozen=True)
class Result:
    """What one picture, or one frame of a video, came to; `done` when its file is."""

    answers: tuple[Answer, ...] = ()
    error: str | None = None
    note: str | None = None
    done: bool = True


def _read_all(
    paths: list[Path], deck: Deck, setup: TableSetup | None, show: dict[Path, Path], jobs: int
) -> Iterator[Result]:
    """What each picture and each frame of a video holds, in the order named."""
    pictures = [path for path in paths if not is_video(path)]
    if jobs == 1 or len(pictures) < 2:
        _start(deck, setup)
        for path in paths:
            yield from _read_video(path, show.get(path)) if is_video(path) else [_read_one(path, show.get(path))]
        return
    if len(pictures) < len(paths):
        # Videos are read here, so that their frames can be told as they come.
        _start(deck, setup)
    pool = ProcessPoolExecutor(jobs, initializer=_start_worker, initargs=(deck, setup))
    try:
        todo = iter(pictures)
        # Workers are born with Ctrl-C blocked, until they know how to leave without a traceback.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            # A bounded window of work: thousands of pictures must not mean thousands of results in memory.
            window = [pool.submit(_read_one, p, show.get(p)) for p in islice(todo, 4 * jobs)]
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        for path in paths:
            if is_video(path):
                yield from _read_video(path, show.get(path))
                continue
            yield window.pop(0).result()
            window.extend(pool.submit(_read_one, p, show.get(p)) for p in islice(todo, 1))
    finally:
        pool.shutdown(cancel_futures=True)


_readers: list[Reader] = []


def _start_worker(deck: Deck, setup: TableSetup | None) -> None:
    # Ctrl-C reaches the whole group: a worker leaves without a word, the parent says what there is to say.
    signal.signal(signal.SIGINT, lambda *_: os._exit(EXIT_INTERRUPTED))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    _start(deck, setup)


def _start(deck: Deck, setup: TableSetup | None) -> None:
    # Pictures are the unit of parallel work; OpenCV's own threads would only fight over the cores.
    cv2.setNumThreads(1)
    _readers[:] = [Reader(deck, setup)]


def _read_one(path: Path, show: Path | None) -> Result:
    try:
        image = open_picture(path)
        sightings = _readers[0].read(image)
        if show is not None:
            _write(show, annotated(image, sightings))
        return Result((_answer(path, sightings, None),), note=_size_note(image))
    except PictureError as error:
        return Result(error=str(error))


def _size_note(image: NDArray[np.uint8]) -> str | None:
    """One sentence where the profile was made for pictures of another size."""
    setup = _readers[0].setup
    size = (image.shape[1], image.shape[0])
    if setup is None or setup.size is None or setup.size == size:
        return None
    return (
        f"was made for pictures of {setup.size[0]}×{setup.size[1]} pixels, not {size[0]}×{size[1]}: "
        "lens and homography are scaled"
    )


def _read_video(path: Path, show: Path | None) -> Iterator[Result]:
    """Each frame as it is read; with `show` those in which something changed are drawn into that folder."""
    before: Still | None = None
    sightings: list[Sighting] = []
    try:
        for number, frame in video_frames(path):
            now = still(frame)
            # Compared with the last frame that was read, not with the last frame: slow drift adds up to a change.
            if before is None or has_changed(before, now):
                sightings, before = _readers[0].read(frame), now
                if show is not None:
                    _write(show / _frame_name(path, number), annotated(frame, sightings))
            yield Result((_answer(path, sightings, number),), note=_size_note(frame), done=False)
        yield Result()
    except PictureError as error:
        yield Result(error=str(error))


def _frame_name(path: Path, number: int) -> str:
    return f"{path.stem}-{number:06d}.png"


def _answer(path: Path, sightings: list[Sighting], frame: int | None) -> Answer:
    answer: Answer = {"image": str(path)}
    if frame is not None:
        answer["frame"] = frame
    answer["cards"] = [_card(s) for s in sightings]
    return answer


def _card(sighting: Sighting) -> Answer:
    quad = [[round(float(x), 2), round(float(y), 2)] for x, y in sighting.quad]
    centre = [round(float(v), 2) for v in sighting.centre]
    card: Answer = {"card": sighting.card, "quad": quad, "centre": centre}
    card["confidence"] = round(sighting.confidence, 4)
    if sighting.card == "?" or sighting.card.endswith("?"):
        card["candidates"] = list(sighting.candidates)
    elif sighting.runner_up is not None:
        card["runner_up"] = sighting.runner_up
    return card


def _sentence(answer: Answer) -> str:
    name = answer["image"] + (f" frame {answer['frame']}" if "frame" in answer else "")
    if not answer["cards"]:
        return f"{name}: no card"
    parts = []
    for card in answer["cards"]:
        where = f"at {card['centre'][0]:.0f},{card['centre'][1]:.0f}"
        maybe = f" ({' or '.join(card['candidates'])})" if card.get("candidates") else ""
        parts.append(f"{card['card']}{maybe} {where}, {100 * card['confidence']:.1f} %")
    return f"{name}: " + "; ".join(parts)


def _progress(results: Iterator[Result], total: int) -> Iterator[Result]:
    console = Console(stderr=True)
    if total < MANY or not console.is_terminal:
        yield from results
        return
    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("reading", total=total)
        for result in results:
            yield result
            progress.advance(task, int(result.done))


def _show_targets(show: Path | None, paths: list[Path], force: bool) -> dict[Path, Path]:
    """Where the annotated picture of each picture goes; raises `PictureError` before anything is read."""
    if show is None:
        return {}
    if len(paths) == 1 and show.suffix and not show.is_dir() and not is_video(paths[0]):
        targets = {paths[0]: show}
    else:
        if show.exists() and not show.is_dir():
            raise PictureError(f"{show}: is a file, expected a folder for the annotated pictures")
        stills = [p for p in paths if not is_video(p)]
        targets = {p: show / f"{p.stem}.png" for p in stills}
        if len({p.stem for p in paths}) < len(paths):
            raise PictureError(f"{show}: two pictures have the same name, expected different ones for --show")
    videos = [p for p in paths if is_video(p)]
    for video in videos:
        if not force and any(show.glob(f"{escape(video.stem)}-[0-9]*.png")):
            raise PictureError(f"{show}: has frames of {video.name} already, --force replaces them")
    for source, target in targets.items():
        if target.exists() and target.samefile(source):
            raise PictureError(f"{target}: is the picture itself, expected another name for the annotated one")
        if target.suffix.lower() not in (".png", ".jpg", ".jpeg", ".webp"):
            raise PictureError(f"{target}: expected a name that ends in .png, .jpg or .webp")
        if target.exists() and not force:
            raise PictureError(f"{target}: exists already, --force replaces it")
    return targets | dict.fromkeys(videos, show)


def _write(path: Path, image: NDArray[np.uint8]) -> None:
    done, data = cv2.imencode(path.suffix.lower(), image)
    if not done:
        raise PictureError(f"{path}: cannot be written as {path.suffix}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.tobytes())


def annotated(image: NDArray[np.uint8], sightings: list[Sighting]) -> NDArray[np.uint8]:
    """A copy of the picture with each card's corners, id and confidence drawn in."""
    drawn = image.copy()
    size = max(0.4, min(image.shape[:2]) / 1400)
    for sighting in sightings:
        colour = UNSURE_COLOUR if "?" in sighting.card else SURE_COLOUR
        quad = np.round(sighting.quad * 8).astype(np.int32)
        cv2.polylines(drawn, [quad.reshape(-1, 1, 2)], True, colour, max(1, round(2 * size)), cv2.LINE_AA, 3)
        text = f"{sighting.card} {100 * sighting.confidence:.0f}%"
        (wide, high), below = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, 1)
        corner = np.round(sighting.quad[np.argmin(sighting.quad[:, 1])]).astype(int)
        x = int(np.clip(corner[0], 1, max(1, image.shape[1] - wide - 2)))
        y = int(np.clip(corner[1] - below - 2, high + 2, max(high + 2, image.shape[0] - below - 2)))
        cv2.rectangle(drawn, (x - 2, y - high - 2), (x + wide + 1, y + below), colour, cv2.FILLED)
        cv2.putText(drawn, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, size, LABEL_COLOUR, 1, cv2.LINE_AA)
    return drawn
