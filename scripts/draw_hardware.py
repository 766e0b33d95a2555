"""Draws the pictures of hardware.md: `python scripts/draw_hardware.py` writes them into docs/pictures/."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape

DOCS = Path(__file__).resolve().parents[1] / "docs" / "pictures"
COPPER, BOARD, WIRE, GROUND = "#d08a4a", "#2f6b4f", "#444", "#888"


class Sheet:
    """An SVG under construction; y downwards, plain units."""

    def __init__(self, width: int, height: int, title: str) -> None:
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        self._parts = [
            f'{head} font-family="sans-serif" font-size="13" role="img"><title>{escape(title)}</title>',
            f'<rect width="{width}" height="{height}" fill="#fff"/>',
        ]

    def box(self, x: float, y: float, w: float, h: float, fill: str, words: str = "", ink: str = "#fff") -> None:
        self._parts.append(f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="4" fill="{fill}"/>')
        lines = words.split("\n") if words else []
        for place, line in enumerate(lines):
            at = y + h / 2 + 5 + 16 * (place - (len(lines) - 1) / 2)
            self.text(x + w / 2, at, line, ink, "middle")

    def text(self, x: float, y: float, words: str, ink: str = "#222", anchor: str = "start") -> None:
        self._parts.append(f'<text x="{x}" y="{y}" fill="{ink}" text-anchor="{anchor}">{escape(words)}</text>')

    def line(self, *points: tuple[float, float], ink: str = WIRE, dash: str = "") -> None:
        path = " ".join(f"{x},{y}" for x, y in points)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self._parts.append(f'<polyline points="{path}" fill="none" stroke="{ink}" stroke-width="2"{dashes}/>')

    def resistor(self, x: float, y: float, words: str) -> None:
        self._parts.append(f'<rect x="{x}" y="{y - 6}" width="34" height="12" fill="#fff" stroke="{WIRE}"/>')
        self.text(x + 17, y - 10, words, "#222", "middle")

    def ground(self, x: float, y: float) -> None:
        for step, half in enumerate((10, 6, 2)):
            self.line((x - half, y + 4 * step), (x + half, y + 4 * step), ink=GROUND)

    def save(self, name: str) -> None:
        (DOCS / name).write_text("\n".join([*self._parts, "</svg>", ""]), encoding="utf-8")


def electrodes() -> None:
    """The cylinder's skin, unrolled."""
    sheet = Sheet(560, 480, "48 electrodes: 12 rings of 10 mm, 4 sectors")
    left, top, wide, high = 90, 40, 94, 32
    for ring in range(12):
        y = top + (11 - ring) * high
        sheet.text(left - 12, y + 20, f"{5 + 10 * ring} mm", "#222", "end")
        for sector in range(4):
            number = str(ring * 4 + sector)
            sheet.box(left + sector * wide + 2, y + 2, wide - 4, high - 4, COPPER, number)
    for sector in range(4):
        sheet.text(left + sector * wide + wide / 2, 28, f"{sector * 90}°", "#222", "middle")
    sheet.text(20, 450, "seen from outside: sector 0 is the front, to the right is counter-clockwise from above;")
    sheet.text(20, 468, "the skin is 94 mm round")
    sheet.text(left + 4 * wide + 12, top + 11 * high + 20, "ring 0")
    sheet.text(left + 4 * wide + 12, top + 20, "ring 11")
    sheet.save("hardware-electrodes.svg")


def build_a() -> None:
    """Touch chips on two wires."""
    sheet = Sheet(800, 430, "Build A: four touch chips read 48 pads")
    sheet.box(30, 40, 150, 330, BOARD, "Raspberry Pi\n(or a Pico in\nthe totem)")
    wires = (("pin 1, 3.3 V", 70, "#a33"), ("pin 6, GND", 100, GROUND), ("pin 3, SDA", 130, "#345a8a"))
    for words, y, ink in (*wires, ("pin 5, SCL", 160, "#7a4a8a")):
        sheet.line((180, y), (330, y), ink=ink)
        sheet.text(186, y - 5, words)
    for place, (address, to) in enumerate((("0x5A", "GND"), ("0x5B", "VCC"), ("0x5C", "SDA"), ("0x5D", "SCL"))):
        y = 48 + place * 84
        sheet.box(390, y, 160, 62, "#345a8a", f"MPR121 board {place}\n{address}: ADDR to {to}")
        for step, ink in enumerate(("#a33", GROUND, "#345a8a", "#7a4a8a")):
            sheet.line((330 + step * 12, 70 + step * 30), (330 + step * 12, y + 12 + step * 12), ink=ink)
            sheet.line((330 + step * 12, y + 12 + step * 12), (390, y + 12 + step * 12), ink=ink)
        rings = f"rings {3 * place} to {3 * place + 2}"
        sheet.line((550, y + 31), (610, y + 31), ink=COPPER)
        sheet.box(610, y + 8, 160, 46, COPPER, f"pads {12 * place} to {12 * place + 11}\n{rings}")
    for place, words in enumerate(("GPIO 17, 27, 22, 23:", "IRQ of boards", "0, 1, 2, 3 (if you like)")):
        sheet.text(186, 250 + place * 18, words)
    sheet.text(30, 405, "all boards in parallel on the same four wires, under 30 cm in all; no resistors")
    sheet.save("hardware-build-a.svg")


def section() -> None:
    """The totem cut through, in its base on the table."""
    sheet = Sheet(880, 560, "The totem, its base and its cable, cut through")
    sheet.box(60, 360, 620, 26, "#8a6a4a")
    sheet.box(352, 358, 16, 30, "#fff")
    sheet.text(66, 350, "table")
    sheet.box(278, 350, 20, 10, "#7a5a3a")
    sheet.box(422, 350, 20, 10, "#7a5a3a")
    sheet.text(458, 350, "ring, 62 mm inside, 2 mm deep, with a pin: the front points one way")
    sheet.box(300, 322, 120, 36, "#c9a06a")
    sheet.text(292, 330, "foot, 60 mm", "#222", "end")
    sheet.box(330, 90, 60, 234, "#d9b98a")
    sheet.box(338, 96, 44, 226, "#fff")
    for ring in range(12):
        sheet.box(324, 94 + ring * 19, 6, 16, COPPER)
        sheet.box(390, 94 + ring * 19, 6, 16, COPPER)
    sheet.line((321, 90), (321, 322), ink="#7aa")
    sheet.line((399, 90), (399, 322), ink="#7aa")
    sheet.box(344, 150, 32, 74, BOARD, "board")
    sheet.box(346, 240, 28, 20, "#345a8a")
    sheet.line((360, 322), (360, 440), (330, 490), (270, 505), (210, 480), (210, 430), (120, 430))
    sheet.box(350, 316, 20, 10, "#555")
    sheet.box(351, 384, 18, 10, "#555")
    sheet.box(256, 496, 28, 22, "#777")
    sheet.box(100, 418, 44, 24, "#a33")
    for y, words, at in (
        (106, "tube, 29 mm outside, 24 mm inside at least", 390),
        (130, "pads 9 mm high, 1 mm apart: 30 mm over the skin", 399),
        (154, "skin: heat-shrink or lacquer, 0.2-0.3 mm, the same everywhere", 401),
        (190, "reading board (Pico or touch chips)", 378),
        (252, "tilt and turn, z axis up, in the middle", 376),
        (321, "first clamp: a tug pulls wood, not solder", 372),
        (404, "second clamp, at the table's hole", 371),
    ):
        sheet.line((at, y), (452, y), ink=GROUND, dash="3 3")
        sheet.text(458, y + 4, words)
    sheet.text(372, 500, "20-30 g on a ring draws the loop back")
    sheet.text(60, 466, "magnetic coupling:")
    sheet.text(60, 484, "gives way first")
    sheet.line((100, 430), (60, 430))
    sheet.text(20, 424, "to the Pi")
    sheet.text(60, 540, "a loop of twice the height that the totem is lifted to hangs under the table")
    sheet.save("hardware-totem.svg")


def build_b() -> None:
    """One Pico with its pads."""
    sheet = Sheet(780, 360, "Build B: one Pico reads 24 pads")
    sheet.box(280, 60, 150, 240, BOARD, "Raspberry Pi\nPico\n(RP2040)")
    for place, (pin, pad) in enumerate((("GPIO 2", "pad 0"), ("GPIO 3", "pad 1"), ("GPIO 28", "pad 23"))):
        y = 90 + place * 80
        sheet.box(20, y - 14, 70, 28, COPPER, pad)
        sheet.line((90, y), (280, y))
        sheet.text(274, y - 6, pin, "#222", "end")
        sheet.line((130, y), (130, y + 24), (138, y + 24))
        sheet.resistor(138, y + 24, "")
        sheet.text(155, y + 46, "1 MΩ", "#222", "middle")
        sheet.line((172, y + 24), (196, y + 24), (196, y + 30))
        sheet.ground(196, y + 30)
    sheet.text(55, 222, "…", "#222", "middle")
    sheet.box(520, 70, 150, 60, "#345a8a", "MPU-6050\ntilt and turn")
    for y, pin in ((84, "GPIO 0  SDA"), (100, "GPIO 1  SCL"), (116, "3V3, GND")):
        sheet.line((430, y), (520, y))
        sheet.text(436, y - 3, pin)
    sheet.line((355, 300), (355, 335), (520, 335))
    sheet.text(530, 340, "USB to the Pi, through the foot")
    sheet.text(440, 250, "green light: lamp for the camera")
    sheet.save("hardware-build-b.svg")


def build_c() -> None:
    """Picos in step and the seat pads."""
    sheet = Sheet(820, 470, "Build C: Picos in step, seat pads through a decoder")
    sheet.box(60, 60, 170, 180, BOARD, "first Pico\npads 0-15\n+ motion sensor\n+ base contact")
    sheet.box(470, 60, 170, 70, BOARD, "second Pico\npads 16-39\n(or 16-31)")
    sheet.box(470, 170, 170, 70, "#6f9a84", "third Pico\n(if any)\npads 32-47")
    sheet.line((230, 80), (470, 80))
    sheet.text(236, 75, "GPIO 17  sync")
    sheet.text(464, 75, "GPIO 1", "#222", "end")
    sheet.line((400, 80), (400, 190), (470, 190), dash="6 4")
    sheet.text(464, 185, "GPIO 1", "#222", "end")
    sheet.line((230, 112), (470, 112))
    sheet.text(236, 107, "GPIO 5  serial")
    sheet.text(464, 107, "GPIO 0", "#222", "end")
    sheet.line((230, 225), (470, 225), dash="6 4")
    sheet.text(236, 220, "GPIO 13  serial")
    sheet.text(464, 220, "GPIO 0", "#222", "end")
    sheet.line((145, 60), (145, 30), (300, 30))
    sheet.text(306, 35, "USB to the Pi; VBUS and GND feed the other Picos")
    sheet.box(80, 310, 130, 90, "#345a8a", "74HC238\ndecoder")
    for x, pin, leg in ((95, "21", "A0"), (125, "22", "A1"), (155, "26", "A2"), (190, "27", "E3")):
        sheet.line((x, 240), (x, 310))
        sheet.text(x + 3, 262, pin)
        sheet.text(x + 3, 302, leg)
    sheet.text(215, 262, "GPIO")
    for seat in range(3):
        y = 325 + seat * 30
        sheet.line((210, y), (300, y))
        sheet.resistor(300, y, "1 kΩ" if seat == 0 else "")
        sheet.line((334, y), (480, y))
        sheet.text(216, y - 4, f"Y{seat}")
        sheet.box(480, y - 11, 150, 22, COPPER, f"foil of seat {seat}")
    sheet.text(640, 360, "… up to Y7;")
    sheet.text(640, 378, "screened cable, screen")
    sheet.text(640, 396, "to ground at this end")
    sheet.text(60, 440, "every pad has 1 MΩ to ground; all grounds are joined; dashed: only with three Picos")
    sheet.save("hardware-build-c.svg")


def mast() -> None:
    """The camera over the table, from the side."""
    sheet = Sheet(720, 400, "The camera hangs over the middle, lamps from the sides")
    sheet.box(60, 330, 600, 14, "#8a6a4a")
    sheet.box(345, 282, 30, 48, "#b98a55")
    sheet.text(385, 310, "totem")
    sheet.line((640, 330), (640, 40), (360, 40))
    sheet.text(634, 90, "mast beside the table,", "#222", "end")
    sheet.text(634, 108, "or from the ceiling", "#222", "end")
    sheet.box(335, 40, 50, 26, "#345a8a")
    sheet.text(395, 58, "camera, straight down")
    sheet.line((360, 66), (110, 330), ink=GROUND, dash="5 5")
    sheet.line((360, 66), (610, 330), ink=GROUND, dash="5 5")
    sheet.line((45, 66), (45, 330), ink=WIRE)
    sheet.text(52, 150, "height: see the table")
    sheet.line((110, 360), (610, 360), ink=WIRE)
    sheet.text(360, 380, "field: markers and all zones inside", "#222", "middle")
    for x in (130, 260, 430, 560):
        sheet.box(x, 326, 50, 4, COPPER)
    sheet.box(80, 215, 40, 18, "#e8c84a", "lamp", "#222")
    sheet.line((110, 233), (240, 326), ink="#e8c84a")
    sheet.text(52, 186, "at 45° or lower,")
    sheet.text(52, 204, "from both sides")
    sheet.save("hardware-mast.svg")


def buttons() -> None:
    """A button and a lamp for each seat on the Pi's pins."""
    sheet = Sheet(700, 300, "Seat buttons and lamps on the Pi")
    sheet.box(40, 40, 150, 220, BOARD, "Raspberry Pi")
    for place, (button, lamp) in enumerate(((5, 6), (13, 19))):
        y = 70 + place * 80
        sheet.text(196, y - 6, f"GPIO {button}")
        sheet.line((190, y), (330, y))
        sheet.box(330, y - 14, 110, 28, COPPER, f"button, seat {place + 1}")
        sheet.line((440, y), (600, y))
        sheet.text(196, y + 32, f"GPIO {lamp}")
        sheet.line((190, y + 38), (290, y + 38))
        sheet.resistor(290, y + 38, "")
        sheet.text(342, y + 34, "330 Ω")
        sheet.line((324, y + 38), (400, y + 38))
        sheet.box(400, y + 24, 90, 28, "#a33", f"LED, seat {place + 1}")
        sheet.line((490, y + 38), (600, y + 38))
    sheet.line((600, 70), (600, 245), (190, 245), ink=GROUND)
    sheet.text(196, 239, "GND (pin 6, 9, 14, …)")
    sheet.text(40, 285, "a button joins its pin to ground; the Pi's own resistor pulls it up")
    sheet.save("hardware-buttons.svg")


if __name__ == "__main__":
    mast()
    buttons()
    electrodes()
    section()
    build_a()
    build_b()
    build_c()
