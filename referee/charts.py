"""Plain charts: reaction times by player, as SVG or PNG.

Written rules of this module:
- a chart is a list of marks (`Mark`), drawn by one function as SVG and by one as PNG, so that both show the same;
- colours that colour-blind eyes tell apart (Okabe and Ito's palette); nothing is fetched, no script, no style sheet.
Does not belong here: figures (`referee.figures`).
"""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from PIL import Image, ImageDraw, ImageFont

WIDTH, ROW, TOP, BOTTOM, LEFT, RIGHT = 900, 46, 56, 48, 180, 30
INK, FAINT, PAPER, DOT, MIDDLE = "#222222", "#dddddd", "#ffffff", "#0072b2", "#d55e00"
STEPS_MS = (50, 100, 200, 250, 500, 1000, 2000, 5000)
MOST_LINES = 10
LONGEST_NAME = 22
PNG_SCALE = 2


@dataclass(frozen=True)
class Mark:
    """A line from `at` to `to` in pixels, a dot (`to` None), or words with their start, middle or end at a point."""

    at: tuple[float, float]
    to: tuple[float, float] | None = None
    words: str | None = None
    colour: str = INK
    size: float = 13.0
    anchor: str = "start"


@dataclass(frozen=True)
class Chart:
    """A picture of so many pixels."""

    width: int
    height: int
    title: str
    marks: Sequence[Mark]


def reaction_chart(title: str, by_player: Sequence[tuple[str, Sequence[int]]], axis: str) -> Chart:
    """One row a player, a dot a reaction (microseconds), the median as a line; players without any are left out."""
    rows = [(player, sorted(times)) for player, times in by_player if times]
    longest_ms = max((times[-1] for _, times in rows), default=0) / 1000
    step = next((step for step in STEPS_MS if longest_ms / step <= MOST_LINES), STEPS_MS[-1])
    last = step * max(1, -int(-longest_ms // step))
    height = TOP + ROW * max(1, len(rows)) + BOTTOM
    scale = (WIDTH - LEFT - RIGHT) / last
    marks = [Mark((LEFT, 28), words=title, size=18)]
    for value in range(0, last + 1, step):
        x = LEFT + value * scale
        marks.append(Mark((x, TOP), (x, height - BOTTOM), colour=FAINT, size=1))
        marks.append(Mark((x, height - BOTTOM + 18), words=str(value), size=12, anchor="middle"))
    marks.append(Mark(((LEFT + WIDTH - RIGHT) / 2, height - 8), words=axis, size=12, anchor="middle"))
    for number, (player, times) in enumerate(rows):
        y = TOP + ROW * (number + 0.5)
        marks.append(Mark((LEFT - 12, y + 5), words=_short(player), anchor="end"))
        marks += [Mark((LEFT + time / 1000 * scale, y), colour=DOT, size=3.5) for time in times]
        middle = LEFT + _median(times) / 1000 * scale
        marks.append(Mark((middle, y - 13), (middle, y + 13), colour=MIDDLE, size=3))
        marks.append(Mark((middle + 6, y - 8), words=f"{_median(times) / 1000:.0f}", colour=MIDDLE, size=11))
    return Chart(WIDTH, height, title, marks)


def _median(times: Sequence[int]) -> float:
    half = len(times) // 2
    return times[half] if len(times) % 2 else (times[half - 1] + times[half]) / 2


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def as_svg(chart: Chart) -> bytes:
    """The chart as SVG 1.1, UTF-8."""
    size = f'viewBox="0 0 {chart.width} {chart.height}" width="{chart.width}" height="{chart.height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" role="img">',
        f"<title>{_plain(chart.title)}</title>",
        f'<rect width="{chart.width}" height="{chart.height}" fill="{PAPER}"/>',
        *map(_svg_mark, chart.marks),
        "</svg>",
    ]
    return ("\n".join(parts) + "\n").encode()


def _svg_mark(mark: Mark) -> str:
    x, y = mark.at
    if mark.words is not None:
        place = f'x="{x:.1f}" y="{y:.1f}" fill="{mark.colour}" font-size="{mark.size:g}" text-anchor="{mark.anchor}"'
        return f"<text {place}>{_plain(mark.words)}</text>"
    if mark.to is not None:
        ends = f'x1="{x:.1f}" y1="{y:.1f}" x2="{mark.to[0]:.1f}" y2="{mark.to[1]:.1f}"'
        return f'<line {ends} stroke="{mark.colour}" stroke-width="{mark.size:g}"/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{mark.size:g}" fill="{mark.colour}" fill-opacity="0.6"/>'


def _plain(words: str) -> str:
    """A stranger's words as XML: no markup, no characters XML forbids."""
    return escape("".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in words))


def _latin(words: str) -> str:
    """Words in what Pillow's own font can draw: letters lose their accents, other scripts are marked."""
    bare = "".join(sign for sign in unicodedata.normalize("NFKD", words) if not unicodedata.combining(sign))
    return "".join(sign if " " <= sign <= "~" else "?" for sign in bare)


def as_png(chart: Chart) -> bytes:
    """The chart as PNG, twice as many pixels each way."""
    size = (chart.width * PNG_SCALE, chart.height * PNG_SCALE)
    image = Image.new("RGB", size, PAPER)
    drawing = ImageDraw.Draw(image, "RGBA")
    for mark in chart.marks:
        x, y = (value * PNG_SCALE for value in mark.at)
        if mark.words is not None:
            font = ImageFont.load_default(mark.size * PNG_SCALE)
            anchor = {"start": "ls", "middle": "ms", "end": "rs"}[mark.anchor]
            drawing.text((x, y), _latin(mark.words), mark.colour, font, anchor=anchor)
        elif mark.to is not None:
            ends = (x, y, *(value * PNG_SCALE for value in mark.to))
            drawing.line(ends, mark.colour, round(mark.size * PNG_SCALE))
        else:
            r = mark.size * PNG_SCALE
            drawing.ellipse((x - r, y - r, x + r, y + r), f"{mark.colour}99")
    stream = io.BytesIO()
    image.save(stream, "PNG", optimize=True)
    return stream.getvalue()
