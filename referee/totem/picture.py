"""A trace as a picture: rings over time, hands in colours, first contacts and fingers marked.

Belongs here: drawing with OpenCV (which the package needs anyway) into one PNG. Does not belong here: finding
anything; the picture shows what it is handed.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.errors import InputError
from referee.totem.baseline import without_spikes
from referee.totem.scrambles import Fall, Grab
from referee.totem.trace import Trace

Pixels = NDArray[np.uint8]

WIDTH, LEFT, RIGHT, GAP = 1400, 110, 20, 46
MOST_PANELS = 6
LEAD_US, TAIL_US = 80_000, 180_000
INK, PAPER, GRID = (40, 40, 40), (255, 255, 255), (225, 225, 225)
# Blue, green, red, as OpenCV wants them; told apart also by colour-blind eyes (Okabe and Ito's palette).
HAND_COLOURS = ((178, 114, 0), (0, 94, 213), (115, 158, 0), (167, 121, 204), (66, 159, 240))
NOBODY = (150, 150, 150)


def write_picture(path: Path, trace: Trace, events: Sequence[Grab | Fall]) -> None:
    """Draw the trace and what was found in it; raises `InputError` where the file cannot be written."""
    grabs = [event for event in events if isinstance(event, Grab)][:MOST_PANELS]
    falls = [event for event in events if isinstance(event, Fall)]
    above = above_level(trace)
    parts = [overview(trace, above, grabs, falls)] + [panel(trace, above, grab) for grab in grabs]
    done, data = cv2.imencode(".png", np.concatenate(parts, axis=0), [cv2.IMWRITE_PNG_COMPRESSION, 9])
    if not done:
        raise InputError(f"{path}: the picture could not be made")
    # Written beside it first: whatever goes wrong, what is there stays whole.
    beside = path.with_name(path.name + ".part")
    try:
        beside.write_bytes(data.tobytes())
        beside.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from error


def above_level(trace: Trace) -> NDArray[np.float32]:
    """Counts above the lowest usual reading of each electrode, without spikes, (N, E)."""
    counts = trace.counts.astype(np.float32)
    if len(counts) > 2:
        counts[1:-1] = without_spikes(counts)
    return np.asarray(counts - np.percentile(counts, 20, axis=0), np.float32)


def columns(values: NDArray[np.float32], t_us: NDArray[np.int64], begin: int, end: int) -> NDArray[np.float32]:
    """The largest value in each of the picture's columns between two times, (E, columns)."""
    width = WIDTH - LEFT - RIGHT
    edges = np.searchsorted(t_us, np.linspace(begin, end, width + 1))
    out = np.zeros((values.shape[1], width), np.float32)
    for column in range(width):
        low = min(int(edges[column]), len(t_us) - 1)
        out[:, column] = values[low : max(int(edges[column + 1]), low + 1)].max(axis=0)
    return out


def overview(trace: Trace, above: NDArray[np.float32], grabs: list[Grab], falls: list[Fall]) -> Pixels:
    """The whole trace, one row a ring, with the scrambles marked."""
    layout = trace.layout
    rings = above.reshape(len(above), layout.rings, layout.sectors).max(axis=2)
    begin, end = int(trace.t_us[0]), max(int(trace.t_us[-1]), int(trace.t_us[0]) + 1000)
    tall = max(4, 140 // layout.rings)
    picture = blank(layout.rings * tall + 2 * GAP)
    shade(picture, columns(rings, trace.t_us, begin, end), tall, None)
    for number, grab in enumerate(grabs):
        x = place(grab.t_us, begin, end)
        cv2.line(picture, (x, GAP - 8), (x, GAP + layout.rings * tall), INK, 1)
        write(picture, str(number + 1), (x - 4, GAP - 12))
    for fall in falls + [grab.fell for grab in grabs if grab.fell is not None]:
        x = place(fall.t_us, begin, end)
        cv2.line(picture, (x, GAP), (x, GAP + layout.rings * tall), (0, 0, 200), 2)
        write(picture, "falls", (x + 4, GAP - 12), (0, 0, 200))
    frame(picture, layout.rings * tall, "whole trace", begin, end)
    return picture


def panel(trace: Trace, above: NDArray[np.float32], grab: Grab) -> Pixels:
    """One scramble, one row an electrode, the rows of a ring together, hands in colours."""
    layout = trace.layout
    settled = grab.settled_us if grab.settled_us is not None else grab.t_us + 150_000
    begin, end = grab.t_us - LEAD_US, max(settled, grab.hands[-1].t_us) + TAIL_US
    tall = max(3, min(14, 560 // layout.electrodes))
    legend = 20 * len(grab.hands)
    picture = blank(layout.electrodes * tall + 2 * GAP + legend)
    owner = np.full(layout.electrodes, -1)
    for k, hand in enumerate(grab.hands):
        owner[list(hand.electrodes)] = k
    shade(picture, columns(above, trace.t_us, begin, end), tall, owner)
    bottom = GAP + layout.electrodes * tall
    for ring in range(layout.rings + 1):
        y = bottom - ring * layout.sectors * tall
        cv2.line(picture, (LEFT, y), (WIDTH - RIGHT, y), GRID, 1)
        if ring < layout.rings:
            write(picture, f"{layout.ring_mm[ring]:.0f} mm", (LEFT - 62, y - layout.sectors * tall // 2 + 4))
    for k, hand in enumerate(grab.hands):
        colour = HAND_COLOURS[k % len(HAND_COLOURS)]
        x = place(hand.t_us, begin, end)
        cv2.line(picture, (x, GAP - 6), (x, bottom), colour, 2)
        low, high = (bottom - round(mm / layout.height_mm * (bottom - GAP)) for mm in hand.lowest_mm)
        cv2.line(picture, (LEFT - 8 - 5 * k, low), (LEFT - 8 - 5 * k, high), colour, 4)
        few, many = hand.fingers
        count = str(few) if few == many else f"{few}-{many}"
        write(picture, count, (x + 4, GAP - 8), colour)
        who = hand.player or "player not told"
        kind = "" if hand.grip else " (brush)"
        text = (
            f"{who}{kind}: +{(hand.t_us - grab.t_us) / 1000:.1f} ms, fingers {count}, "
            f"lowest {hand.lowest_mm[0]:g} to {hand.lowest_mm[1]:g} mm"
        )
        write(picture, text, (LEFT, bottom + GAP - 6 + 20 * (k + 1) - 6), colour)
    for moment, name in ((grab.settled_us, "settled"), (grab.lifted_us, "lifted")):
        if moment is not None and begin <= moment <= end:
            x = place(moment, begin, end)
            cv2.line(picture, (x, GAP), (x, bottom), INK, 1, cv2.LINE_AA)
            write(picture, name, (x + 3, GAP + 12 if name == "settled" else GAP + 26))
    frame(picture, layout.electrodes * tall, f"scramble at {grab.t_us / 1e6:.3f} s", begin, end)
    return picture


def blank(height: int) -> Pixels:
    """An empty sheet."""
    return np.full((height, WIDTH, 3), PAPER, np.uint8)


def place(t_us: int, begin: int, end: int) -> int:
    """The column of a time."""
    return LEFT + round((t_us - begin) / (end - begin) * (WIDTH - LEFT - RIGHT))


def shade(picture: Pixels, values: NDArray[np.float32], tall: int, owner: NDArray[np.int64] | None) -> None:
    """Rows of values, the first at the bottom, darker = more touch, in the colour of the row's hand."""
    top = max(float(np.percentile(values, 99.7)), 20.0)
    # Few shades: noise does not fill the file.
    strength = np.round(np.sqrt(np.clip(values / top, 0.0, 1.0)) * 16)[:, :, None] / 16
    colour = np.full((len(values), 1, 3), NOBODY, np.float32)
    if owner is None:
        colour[:] = (90, 60, 30)
    else:
        for row, hand in enumerate(owner):
            if hand >= 0:
                colour[row] = HAND_COLOURS[int(hand) % len(HAND_COLOURS)]
    rows = (np.array(PAPER, np.float32) * (1 - strength) + colour * strength).astype(np.uint8)[::-1]
    tiles = np.repeat(rows, tall, axis=0)
    picture[GAP : GAP + len(tiles), LEFT : WIDTH - RIGHT] = tiles


def frame(picture: Pixels, tall: int, title: str, begin: int, end: int) -> None:
    """Border, title and time axis of a panel."""
    cv2.rectangle(picture, (LEFT, GAP), (WIDTH - RIGHT, GAP + tall), INK, 1)
    write(picture, title, (8, 18))
    span = (end - begin) / 1e6
    step = next(s for s in (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 60, 600, 1e9) if span / s <= 12)
    tick = np.ceil(begin / 1e6 / step) * step
    while tick * 1e6 <= end:
        x = place(round(tick * 1e6), begin, end)
        cv2.line(picture, (x, GAP + tall), (x, GAP + tall + 5), INK, 1)
        write(picture, f"{tick:.2f} s", (x - 22, GAP + tall + 20))
        tick += step


def write(picture: Pixels, text: str, at: tuple[int, int], colour: tuple[int, int, int] = INK) -> None:
    """Text; OpenCV's own letters have no accents, so they are left off."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode() or "?"
    cv2.putText(picture, plain, at, cv2.FONT_HERSHEY_SIMPLEX, 0.45, colour, 1, cv2.LINE_AA)
