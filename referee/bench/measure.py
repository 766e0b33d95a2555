"""Measuring: a simulated table of a few seconds, watched, felt and kept as in a game.

Costs are processor time of this thread, so that other programs do not lengthen them; keeping is time on the clock,
since a disk is waited for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import cv2
import numpy as np

from calibration.mast import closest_px
from referee.bench.propose import Costs, SizeCost
from referee.deck.census import check
from referee.deck.folder import Deck, resolve_deck
from referee.doctor.probes.machine import time_writes
from referee.errors import HardwareError, PictureError
from referee.profile import read_profile
from referee.session import make_watcher
from referee.sim.recorded_table import write_profile
from referee.sim.settings import SHORTEST_S, Settings, TableSetUp, frame_times, set_up
from referee.sim.touches import scans, trace_arrays
from referee.table.layouts import layout_of
from referee.totem.links.recorded import RecordedLink
from referee.totem.live import LiveDetector
from referee.vision.camera import Frame

SIZES = ((960, 540), (1280, 720), (1920, 1080))
SEED = 7
FPS = 30.0
WARM_FRAMES = 20  # the first frames find the markers and learn the ground
READ_EVERY = 25
PAIRS = 12
_JPEG = [cv2.IMWRITE_JPEG_QUALITY, 85]

Said = Callable[[str], None]


def measure(
    players: Sequence[str],
    deck_name: str,
    folder: Path,
    frames: int,
    sizes: Sequence[tuple[int, int]] = SIZES,
    said: Said = lambda what: None,
) -> Costs:
    """Measure everything; `folder` is where a game would be kept, `frames` how many are watched of each size.

    `said` is told what is being measured. Raises `DeckError`, and `HardwareError` when nothing can be kept in `folder`.
    """
    cv2.setNumThreads(1)
    deck = resolve_deck(deck_name)
    needs_px = check(deck, PAIRS).needs_px
    said("keeping a line")
    writes, number = time_writes(folder)
    if number is not None or not writes:
        raise HardwareError(f"{folder}: nothing can be written there, expected the folder for records")
    measured = []
    for size in sizes:
        said(f"{size[0]}×{size[1]}")
        measured.append(_size_cost(tuple(players), deck_name, deck, size, frames))
    said("the totem")
    share = _totem_share(_table(tuple(players), deck_name, sizes[0]))
    return Costs(measured, share, median(writes), max(writes), needs_px)


def _table(players: tuple[str, ...], deck: str, size: tuple[int, int]) -> TableSetUp:
    wish = Settings(players, SHORTEST_S, SEED, "day", "felt", "printed", FPS, size, deck)
    return set_up(wish)


def _size_cost(players: tuple[str, ...], deck_name: str, deck: Deck, size: tuple[int, int], frames: int) -> SizeCost:
    table = _table(players, deck_name, size)
    film = table.film()
    with TemporaryDirectory() as scratch:
        profile = read_profile(write_profile(table, Path(scratch)))
        watcher = make_watcher(profile, layout_of(profile, deck.card_mm), deck)
    decode_s, watch_s, read_s = [], [], []
    times = frame_times(table.game.timeline.end_us, FPS, SEED)[: WARM_FRAMES + frames]
    for number, t_us in enumerate(times.tolist()):
        packed = cv2.imencode(".jpg", film.frame(t_us), _JPEG)[1]
        begun = time.thread_time()
        picture = cv2.imdecode(packed, cv2.IMREAD_COLOR)
        decode_s.append(time.thread_time() - begun)
        if picture is None:
            raise PictureError("a picture of the simulated table could not be decoded")
        begun = time.thread_time()
        watcher.feed(Frame(t_us, None, number, np.asarray(picture, np.uint8)))
        watch_s.append(time.thread_time() - begun)
        if number % READ_EVERY == READ_EVERY - 1:
            begun = time.thread_time()
            watcher.reader.read(np.asarray(picture, np.uint8))
            read_s.append(time.thread_time() - begun)
    watched_ms = np.array(watch_s[WARM_FRAMES:]) * 1000
    return SizeCost(
        *size,
        1000 * median(decode_s),
        float(watched_ms.mean()),
        float(np.percentile(watched_ms, 99)),
        1000 * median(read_s) if read_s else 0.0,
        closest_px(len(players), min(deck.card_mm), size),
    )


def _totem_share(table: TableSetUp) -> float:
    """The share of a core that the totem's scans take, with the totem and the scrambles of the table's game."""
    game, totem = table.game, table.totem
    assert game.touching is not None  # it is Jungle Speed that is played here
    assert totem is not None
    batch = scans(trace_arrays(game.touching, totem, SEED), totem.cylinder)
    seats = {chair.player: chair.angle_deg for chair in game.places.chairs}
    detector = LiveDetector(seats)
    link, spent_s = RecordedLink(batch), 0.0
    while not link.ended:
        came = link.poll(0.0)
        begun = time.thread_time()
        detector.feed(came)
        spent_s += time.thread_time() - begun
    return spent_s / (int(batch.t_us[-1] - batch.t_us[0]) / 1e6)
