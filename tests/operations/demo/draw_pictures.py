"""Draws the pictures of the sample blog: `python -m tests.operations.demo.draw_pictures` writes them.

The pictures are lossless and have few colours, so that they are small. The same versions of Pillow and of its
WebP encoder write the same bytes.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Sequence

from PIL import Image, ImageDraw

from blogapi.operations.demo import seed

WIDTH, HEIGHT = seed.PICTURE_SIZE
#: The versions of Pillow and of its WebP encoder that wrote the files.
PILLOW_VERSION, WEBP_VERSION = "13.0.0", "1.6.0"

# Each shape is drawn this many times larger, so that its edges are smooth in the picture.
_SCALE = 4
_COLORS = 32

NIGHT, NAVY, SEA, MIST, FOAM = "#16283a", "#24435a", "#3f7383", "#a9c4c4", "#e6efe9"
CREAM, SAND, CRUST, OAK, BARK = "#f7ecd9", "#e6cfa4", "#c98d4b", "#8a5a36", "#4f3527"
RUST, ORANGE, SUN, LEAF, MOSS = "#b9523a", "#e0873a", "#eeb44f", "#8fa878", "#4f6b52"

Point = tuple[float, float]


class Canvas:
    """A picture; all lengths are in its pixels."""

    def __init__(self, background: str) -> None:
        self._image = Image.new("RGB", (WIDTH * _SCALE, HEIGHT * _SCALE), background)
        self._draw = ImageDraw.Draw(self._image)

    def fill(self, points: Iterable[Point], color: str) -> None:
        """Fill a polygon."""
        self._draw.polygon([(x * _SCALE, y * _SCALE) for x, y in points], color)

    def box(
        self, left: float, top: float, right: float, bottom: float, color: str, radius: float = 0
    ) -> None:
        """Fill a rectangle, whose corners are round if it has a radius."""
        corners = [side * _SCALE for side in (left, top, right, bottom)]
        self._draw.rounded_rectangle(corners, radius * _SCALE, color)

    def oval(self, x: float, y: float, width: float, height: float, color: str) -> None:
        """Fill an ellipse around a centre."""
        sides = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
        self._draw.ellipse([side * _SCALE for side in sides], color)

    def disc(self, x: float, y: float, radius: float, color: str) -> None:
        """Fill a circle."""
        self.oval(x, y, 2 * radius, 2 * radius, color)

    def ring(self, x: float, y: float, radius: float, color: str, width: float) -> None:
        """Draw a circle whose line is inside of the radius."""
        self.arc(x, y, radius, 0, 360, color, width)

    def arc(
        self, x: float, y: float, radius: float, start: float, end: float, color: str, width: float
    ) -> None:
        """Draw a part of a circle; the angles are in degrees, clockwise from the right."""
        sides = (x - radius, y - radius, x + radius, y + radius)
        self._draw.arc([side * _SCALE for side in sides], start, end, color, round(width * _SCALE))

    def slice(self, x: float, y: float, radius: float, start: float, end: float, color: str) -> None:
        """Fill a sector of a circle."""
        sides = (x - radius, y - radius, x + radius, y + radius)
        self._draw.pieslice([side * _SCALE for side in sides], start, end, color)

    def line(self, points: Sequence[Point], color: str, width: float) -> None:
        """Draw a line with round ends and corners."""
        scaled = [(x * _SCALE, y * _SCALE) for x, y in points]
        self._draw.line(scaled, color, round(width * _SCALE), joint="curve")
        for x, y in (points[0], points[-1]):
            self.disc(x, y, width / 2, color)

    def encode(self) -> bytes:
        """Return the picture as WebP."""
        content = io.BytesIO()
        self.reduce().save(content, "WEBP", lossless=True, quality=100, method=4, exact=True)
        return content.getvalue()

    def reduce(self) -> Image.Image:
        """Return the picture in its final size."""
        small = self._image.reduce(_SCALE)
        return small.quantize(_COLORS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).convert(
            "RGB"
        )


def curve(points: Sequence[Point], steps: int = 24) -> list[Point]:
    """Return the points of a smooth curve through `points` (Catmull-Rom)."""
    padded = [points[0], *points, points[-1]]
    found = []
    for a, b, c, d in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        for step in range(steps):
            t = step / steps
            found.append(
                tuple(
                    b[i]
                    + t * (c[i] - a[i]) / 2
                    + t * t * (2 * a[i] - 5 * b[i] + 4 * c[i] - d[i]) / 2
                    + t**3 * (3 * b[i] - a[i] - 3 * c[i] + d[i]) / 2
                    for i in (0, 1)
                )
            )
    return [*found, points[-1]]


def wave(y: float, height: float, length: float, phase: float = 0) -> list[Point]:
    """Return the points of waves from the left to the right side, and the lower corners."""
    crest = [(x, y + height * math.sin((x / length + phase) * 2 * math.pi)) for x in range(0, WIDTH + 8, 8)]
    return [*crest, (WIDTH, HEIGHT), (0, HEIGHT)]


def draw_steam(canvas: Canvas, x: float, y: float, color: str, height: float = 150) -> None:
    canvas.line(
        curve([(x, y), (x - 22, y - height * 0.35), (x + 18, y - height * 0.7), (x - 6, y - height)]),
        color,
        12,
    )


def draw_gull(canvas: Canvas, x: float, y: float, size: float, color: str) -> None:
    canvas.line(curve([(x - size, y - size * 0.25), (x - size * 0.4, y - size * 0.4), (x, y)]), color, 5)
    canvas.line(curve([(x, y), (x + size * 0.4, y - size * 0.4), (x + size, y - size * 0.25)]), color, 5)


def draw_jar(canvas: Canvas, x: float, y: float, color: str, lid: str) -> None:
    """Draw a jar that stands at y and is 130 wide."""
    canvas.box(x - 65, y - 170, x + 65, y, FOAM, 24)
    canvas.box(x - 53, y - 138, x + 53, y - 12, color, 18)
    canvas.box(x - 58, y - 196, x + 58, y - 160, lid, 8)


def draw_loaf() -> Canvas:
    canvas = Canvas(CREAM)
    canvas.box(760, 70, 1060, 400, OAK, 10)
    canvas.box(776, 86, 1044, 384, NAVY)
    canvas.disc(965, 165, 42, SAND)
    canvas.disc(985, 152, 36, NAVY)
    for x, y in ((820, 130), (870, 210), (1010, 270), (835, 300)):
        canvas.disc(x, y, 4, FOAM)
    canvas.box(904, 86, 916, 384, OAK)
    canvas.box(776, 230, 1044, 242, OAK)
    canvas.box(0, 500, WIDTH, HEIGHT, SAND)
    canvas.box(150, 520, 830, 570, OAK, 16)
    loaf = curve([(205, 522), (190, 430), (270, 310), (480, 262), (690, 310), (772, 430), (757, 522)])
    canvas.fill(loaf, CRUST)
    canvas.fill(
        curve([(205, 522), (196, 470), (300, 500), (480, 508), (660, 500), (766, 470), (757, 522)]), OAK
    )
    for x in (330, 470, 610):
        canvas.fill(curve([(x - 55, 450), (x - 10, 400), (x + 60, 320), (x + 30, 400), (x - 55, 450)]), CREAM)
    draw_jar(canvas, 985, 585, CREAM, RUST)
    canvas.box(932, 500, 1038, 573, SAND, 14)
    for x, y, radius in ((955, 520, 7), (990, 540, 10), (1015, 515, 6), (968, 555, 6), (1012, 556, 8)):
        canvas.disc(x, y, radius, CREAM)
    return canvas


def draw_soup() -> Canvas:
    canvas = Canvas(MIST)
    for y, color in ((90, FOAM), (200, "#c6d8d5"), (300, FOAM)):
        canvas.box(-60, y, 700, y + 46, color, 23)
        canvas.box(620, y + 70, 1260, y + 112, color, 21)
    canvas.box(0, 540, WIDTH, HEIGHT, OAK)
    canvas.box(0, 540, WIDTH, 556, BARK)
    for x in (500, 600, 700):
        draw_steam(canvas, x, 250, CREAM)
    canvas.box(330, 330, 390, 372, BARK, 20)
    canvas.box(810, 330, 870, 372, BARK, 20)
    canvas.box(370, 290, 830, 560, RUST, 60)
    canvas.box(370, 290, 830, 400, RUST)
    canvas.oval(600, 292, 460, 96, BARK)
    canvas.oval(600, 296, 424, 76, ORANGE)
    for x, y in ((480, 292), (545, 312), (690, 306), (655, 284)):
        canvas.oval(x, y, 46, 18, SUN)
    canvas.line([(760, 296), (905, 170)], SAND, 14)
    canvas.fill(
        curve([(60, 560), (120, 500), (220, 498), (300, 556), (220, 600), (120, 604), (60, 560)]), SEA
    )
    canvas.fill([(285, 556), (345, 510), (335, 556), (348, 604)], SEA)
    canvas.disc(105, 548, 9, FOAM)
    canvas.arc(120, 556, 46, -50, 50, NAVY, 5)
    canvas.line([(920, 600), (1010, 590)], CREAM, 34)
    canvas.line([(1010, 590), (1090, 580)], LEAF, 34)
    for end in ((1150, 545), (1165, 575), (1160, 606)):
        canvas.line([(1080, 581), end], MOSS, 16)
    return canvas


def draw_stove() -> Canvas:
    canvas = Canvas(NAVY)
    canvas.fill(wave(420, 6, 260), SEA)
    canvas.fill(wave(470, 6, 320, 0.4), "#356373")
    canvas.disc(950, 150, 62, CREAM)
    for x, y in ((140, 90), (300, 180), (470, 70), (760, 110), (1100, 260), (220, 300), (1060, 60)):
        canvas.disc(x, y, 4, FOAM)
    for y in (300, 318, 336):
        canvas.box(950 - (y - 270), y + 130, 950 + (y - 270), y + 136, CREAM, 3)
    canvas.box(0, 545, WIDTH, HEIGHT, OAK)
    for x in range(90, WIDTH, 170):
        canvas.box(x, 545, x + 6, HEIGHT, BARK)
    canvas.box(0, 545, WIDTH, 557, BARK)
    for x in (480, 600, 720):
        canvas.line([(x, 560), (600 + (x - 600) * 0.8, 470)], SUN, 12)
    canvas.oval(600, 500, 250, 96, SUN)
    canvas.oval(600, 490, 200, 52, CRUST)
    canvas.box(582, 400, 618, 490, CRUST)
    canvas.oval(600, 400, 120, 26, BARK)
    for x, height in ((560, 44), (600, 62), (640, 44)):
        canvas.fill(
            curve([(x - 16, 396), (x - 14, 380), (x, 396 - height), (x + 14, 380), (x + 16, 396)]), ORANGE
        )
    canvas.line([(500, 480), (500, 340)], SUN, 10)
    canvas.line([(700, 480), (700, 340)], SUN, 10)
    canvas.box(470, 326, 730, 340, BARK, 6)
    canvas.ring(705, 238, 58, FOAM, 18)
    canvas.box(495, 150, 705, 328, FOAM, 22)
    canvas.box(495, 150, 705, 200, FOAM)
    canvas.box(487, 142, 713, 162, RUST, 10)
    canvas.oval(600, 152, 206, 30, SUN)
    canvas.oval(585, 150, 90, 12, CRUST)
    draw_steam(canvas, 560, 120, MIST, 90)
    draw_steam(canvas, 640, 120, MIST, 90)
    return canvas


def draw_dinghy() -> Canvas:
    canvas = Canvas(BARK)
    for x in range(0, WIDTH, 150):
        canvas.box(x, 0, x + 5, 560, "#43291d")
    canvas.fill([(560, 96), (640, 96), (1080, 560), (120, 560)], "#7a5335")
    canvas.box(0, 560, WIDTH, HEIGHT, OAK)
    canvas.box(596, 0, 604, 60, NIGHT)
    canvas.fill([(560, 56), (640, 56), (690, 104), (510, 104)], RUST)
    canvas.disc(600, 108, 24, CREAM)
    for x in (360, 830):
        canvas.line([(x, 500), (x - 55, 620)], CRUST, 18)
        canvas.line([(x, 500), (x + 55, 620)], CRUST, 18)
        canvas.box(x - 70, 486, x + 70, 508, CRUST, 6)
    hull = [(170, 268), (240, 400), (380, 486), (600, 502), (840, 480), (1000, 380), (1060, 240)]
    top = [(1060, 240), (860, 300), (600, 322), (350, 308), (170, 268)]
    canvas.fill([*curve(hull), *curve(top)], SEA)
    for part, color in ((0.25, NAVY), (0.5, NAVY), (0.75, NAVY)):
        plank = [
            (170 + 45 * part + (x - 170) * (1 - 0.07 * part), y + part * depth)
            for x, y, depth in (
                *((170, 268, 130), (350, 308, 165), (600, 322, 180), (860, 300, 175), (1030, 250, 130)),
            )
        ]
        canvas.line(curve(plank), color, 5)
    canvas.line(curve(top), CRUST, 16)
    for x, y in ((250, 345), (330, 350), (520, 388), (700, 385), (905, 350)):
        canvas.box(x, y, x + 58, y + 14, FOAM, 7)
    for x in range(300, 1000, 90):
        canvas.line([(x, 296 + 20 * math.sin((x - 170) / 890 * math.pi)), (x, 262)], CRUST, 12)
    for x, y in ((130, 632), (200, 642), (620, 636), (700, 646), (1010, 630), (1090, 645)):
        canvas.arc(x, y, 18, 180, 400, SAND, 6)
    return canvas


def draw_bicycle() -> Canvas:
    canvas = Canvas("#dfe7d6")
    canvas.box(0, 560, WIDTH, HEIGHT, SAND)
    canvas.box(860, 400, 1120, 570, CRUST, 8)
    canvas.box(845, 388, 1135, 420, OAK, 6)
    canvas.ring(930, 372, 52, BARK, 12)
    canvas.line([(1010, 392), (1060, 290)], MIST, 16)
    canvas.ring(1064, 282, 26, MIST, 12)
    canvas.line([(1090, 392), (1112, 330)], RUST, 20)
    back, front = (260, 430), (640, 430)
    for x, y in (back, front):
        for spoke in range(10):
            angle = spoke * math.pi / 5
            canvas.line([(x, y), (x + 124 * math.cos(angle), y + 124 * math.sin(angle))], MIST, 3)
        canvas.ring(x, y, 138, BARK, 16)
        canvas.disc(x, y, 14, BARK)
    pedals, seat, head = (430, 440), (380, 250), (590, 250)
    for first, last in (
        *((back, pedals), (back, seat), (pedals, seat), (pedals, head), (seat, head), (head, front)),
    ):
        canvas.line([first, last], MOSS, 14)
    canvas.line([seat, (368, 205)], BARK, 12)
    canvas.box(310, 186, 424, 208, BARK, 11)
    canvas.line([head, (578, 190)], BARK, 12)
    canvas.line(curve([(530, 178), (580, 188), (630, 178), (640, 212), (610, 232)]), BARK, 12)
    canvas.ring(*pedals, 44, OAK, 10)
    canvas.line([(398, 492), (462, 388)], BARK, 10)
    canvas.box(370, 488, 424, 502, BARK, 6)
    canvas.box(436, 378, 490, 392, BARK, 6)
    return canvas


def draw_radio() -> Canvas:
    canvas = Canvas(NAVY)
    canvas.oval(600, 330, 1060, 620, "#2d4f66")
    canvas.box(0, 540, WIDTH, HEIGHT, BARK)
    canvas.box(0, 540, WIDTH, 552, "#3c261b")
    canvas.box(290, 530, 350, 560, NIGHT, 8)
    canvas.box(850, 530, 910, 560, NIGHT, 8)
    canvas.box(220, 130, 980, 545, OAK, 54)
    canvas.box(244, 154, 956, 521, "#77492a", 38)
    canvas.box(270, 180, 930, 362, SAND, 22)
    for x in range(292, 930, 22):
        canvas.box(x, 180, x + 4, 362, CRUST)
    canvas.box(270, 384, 930, 440, CREAM, 10)
    for x in range(296, 920, 26):
        canvas.box(x, 392, x + 4, 408, BARK)
        canvas.box(x + 2, 420, x + 16, 425, CRUST)
    canvas.box(712, 384, 720, 440, RUST)
    for x in (320, 880):
        canvas.disc(x, 480, 32, BARK)
        canvas.disc(x, 480, 20, CRUST)
    for x in range(410, 780, 66):
        canvas.box(x, 462, x + 52, 504, CREAM, 6)
    canvas.disc(600, 271, 22, SUN)
    canvas.disc(600, 271, 10, MOSS)
    for radius in (60, 100, 140):
        canvas.arc(990, 250, radius, -40, 40, SUN, 8)
    return canvas


def draw_lighthouse() -> Canvas:
    canvas = Canvas("#f3d9b1")
    canvas.fill([(820, 150), (0, 40), (0, 190)], "#f9e8c6")
    canvas.fill([(820, 150), (1200, 90), (1200, 215)], "#f9e8c6")
    canvas.fill(wave(400, 4, 300), MIST)
    canvas.fill(wave(450, 6, 240, 0.3), SEA)
    canvas.fill(wave(540, 8, 330, 0.7), NAVY)
    island = [(610, 440), (680, 385), (780, 352), (900, 350), (1010, 392), (1080, 446)]
    canvas.fill(curve(island), MOSS)
    canvas.fill(
        curve([(590, 452), (700, 425), (840, 432), (980, 424), (1100, 456), (840, 476), (590, 452)]), BARK
    )
    canvas.fill([(780, 360), (796, 182), (844, 182), (860, 360)], FOAM)
    canvas.fill([(786, 300), (791, 240), (849, 240), (854, 300)], RUST)
    canvas.box(784, 170, 856, 186, BARK, 4)
    canvas.box(800, 128, 840, 172, SUN)
    canvas.fill([(790, 130), (820, 96), (850, 130)], RUST)
    canvas.box(812, 326, 828, 360, BARK, 6)
    canvas.box(890, 318, 970, 366, CREAM)
    canvas.fill([(880, 320), (930, 284), (980, 320)], RUST)
    for step in range(15):
        part = (step / 14) ** 1.6
        x, y = 640 - 560 * part, 452 + 190 * part
        canvas.oval(x, y, 40 + 80 * part, 12 + 22 * part, SAND)
    canvas.line([(306, 505), (306, 540)], NIGHT, 18)
    canvas.disc(306, 482, 12, CRUST)
    canvas.oval(306, 474, 40, 8, BARK)
    canvas.disc(306, 470, 10, BARK)
    draw_gull(canvas, 420, 250, 34, NAVY)
    draw_gull(canvas, 500, 300, 22, NAVY)
    draw_gull(canvas, 1090, 270, 26, NAVY)
    return canvas


def draw_foghorn() -> Canvas:
    canvas = Canvas(NIGHT)
    canvas.disc(930, 130, 50, "#5f7f8b")
    canvas.fill(wave(330, 10, 800), "#1e3548")
    for x, height in ((640, 120), (730, 160), (820, 110), (910, 175), (1000, 130), (1090, 150)):
        canvas.box(x, 470 - height, x + 86, 600, "#111f2d")
        canvas.fill([(x - 6, 470 - height), (x + 43, 420 - height), (x + 92, 470 - height)], "#111f2d")
    canvas.box(938, 345, 966, 382, SUN)
    canvas.box(951, 345, 954, 382, "#111f2d")
    canvas.box(0, 455, WIDTH, 500, NAVY, 22)
    canvas.box(170, 330, 290, 620, "#111f2d")
    canvas.box(150, 312, 310, 338, OAK, 6)
    canvas.fill([(190, 230), (350, 170), (350, 320), (190, 268)], RUST)
    canvas.oval(350, 245, 52, 150, BARK)
    canvas.box(150, 220, 200, 278, RUST, 14)
    canvas.line([(220, 262), (220, 318)], OAK, 14)
    for radius in (90, 150, 210, 270):
        canvas.arc(350, 245, radius, -24, 24, MIST, 9)
    for y, color, left in ((500, "#3d6071", -80), (545, SEA, 200), (590, "#6d97a0", -160), (632, MIST, 60)):
        canvas.box(left, y, left + 1320, y + 80, color, 30)
        canvas.box(-40, y + 36, WIDTH + 40, HEIGHT, color)
    return canvas


def draw_morning() -> Canvas:
    canvas = Canvas("#f4cfa0")
    canvas.box(0, 0, WIDTH, 130, "#eebf96")
    canvas.box(0, 210, WIDTH, 400, "#f9e0b8")
    canvas.disc(450, 380, 120, RUST)
    canvas.fill(curve([(680, 390), (800, 300), (920, 340), (1040, 270), (1210, 350), (1210, 390)]), "#8aa6a8")
    canvas.box(0, 380, WIDTH, HEIGHT, SEA)
    for y, width in ((400, 220), (424, 170), (450, 200), (478, 120), (508, 90)):
        canvas.box(450 - width / 2, y, 450 + width / 2, y + 8, ORANGE, 4)
    for x, y in ((120, 440), (700, 430), (980, 470), (200, 530), (640, 520)):
        canvas.box(x, y, x + 90, y + 6, MIST, 3)
    canvas.fill(
        [
            *curve([(560, 500), (600, 560), (760, 566), (840, 492)]),
            *curve([(840, 492), (700, 520), (560, 500)]),
        ],
        NAVY,
    )
    canvas.line(curve([(560, 500), (700, 520), (840, 492)]), SAND, 9)
    canvas.line([(690, 515), (690, 330)], BARK, 9)
    canvas.fill([(700, 340), (700, 480), (790, 478)], CREAM)
    canvas.fill([(680, 360), (680, 480), (610, 480)], CREAM)
    canvas.box(830, 585, WIDTH, 625, OAK)
    canvas.box(830, 585, WIDTH, 597, CRUST)
    for x in (870, 1000, 1130):
        canvas.box(x, 600, x + 26, HEIGHT, BARK)
    canvas.line(curve([(838, 494), (880, 560), (925, 560)]), CREAM, 5)
    canvas.box(912, 545, 950, 588, NIGHT, 8)
    canvas.box(904, 538, 958, 556, NIGHT, 9)
    canvas.fill(curve([(1040, 586), (1036, 540), (1062, 505), (1090, 520), (1104, 560), (1100, 586)]), NIGHT)
    canvas.disc(1062, 492, 25, NIGHT)
    canvas.fill([(1040, 484), (1042, 452), (1060, 470)], NIGHT)
    canvas.fill([(1084, 484), (1082, 452), (1064, 470)], NIGHT)
    canvas.line(curve([(1096, 578), (1136, 570), (1146, 536), (1130, 516)]), NIGHT, 11)
    return canvas


def draw_shelf() -> Canvas:
    canvas = Canvas("#dfe7e2")
    canvas.box(0, 520, WIDTH, 556, OAK)
    canvas.box(0, 548, WIDTH, 560, BARK)
    canvas.box(0, 120, WIDTH, 146, OAK)
    for x in (120, 1060):
        canvas.fill([(x, 560), (x + 20, 560), (x + 20, 650)], BARK)
    for x, width, height, color in (
        *((70, 46, 250, NAVY), (118, 38, 220, RUST), (158, 52, 270, SEA), (212, 34, 235, SUN)),
    ):
        canvas.box(x, 520 - height, x + width, 520, color, 4)
        canvas.box(x + 8, 550 - height, x + width - 8, 558 - height, CREAM)
        canvas.box(x + 8, 470, x + width - 8, 476, CREAM)
    canvas.box(300, 462, 470, 520, NIGHT, 12)
    canvas.disc(325, 491, 7, LEAF)
    for x in range(360, 450, 16):
        canvas.box(x, 480, x + 6, 502, NAVY, 3)
    canvas.line(curve([(300, 500), (276, 510), (272, 560), (268, 675)]), NIGHT, 6)
    for x, top in ((560, 250), (610, 232), (660, 260), (710, 240)):
        canvas.box(x, top, x + 150, 480, CREAM, 4)
        canvas.line([(x + 6, top + 8), (x + 75, top + 60), (x + 144, top + 8)], SAND, 5)
    canvas.box(530, 350, 880, 520, CRUST, 6)
    canvas.box(530, 350, 880, 384, OAK, 6)
    canvas.box(640, 420, 770, 480, CREAM, 4)
    canvas.box(656, 440, 754, 446, MIST)
    canvas.box(656, 458, 720, 464, MIST)
    draw_jar(canvas, 980, 520, RUST, SUN)
    draw_jar(canvas, 1120, 520, ORANGE, MOSS)
    return canvas


def draw_jars() -> Canvas:
    canvas = Canvas("#f5dfbb")
    for x in range(0, WIDTH, 120):
        canvas.box(x, 0, x + 60, 520, "#f7e6c8")
    canvas.box(0, 520, WIDTH, HEIGHT, SEA)
    canvas.box(0, 520, WIDTH, 534, NAVY)
    for x, color, lid in ((330, BARK, NAVY), (520, SUN, RUST), (710, ORANGE, MOSS)):
        draw_jar(canvas, x, 570, color, lid)
        canvas.box(x - 36, 480, x + 36, 530, CREAM, 6)
    for x, y in ((690, 452), (730, 548), (680, 545)):
        canvas.arc(x, y, 16, 200, 340, RUST, 5)
    canvas.disc(930, 510, 84, ORANGE)
    canvas.disc(903, 480, 14, SUN)
    canvas.fill(curve([(930, 430), (960, 388), (1016, 384), (990, 424), (930, 430)]), MOSS)
    canvas.disc(1060, 560, 72, ORANGE)
    canvas.disc(1060, 560, 62, CREAM)
    for start in range(0, 360, 45):
        canvas.slice(1060, 560, 54, start + 4, start + 41, SUN)
    canvas.line([(90, 610), (190, 560)], CRUST, 20)
    canvas.oval(222, 544, 84, 52, CRUST)
    return canvas


def draw_twelfths() -> Canvas:
    canvas = Canvas(CREAM)
    total = 0.0
    for hour, twelfths in enumerate((0, 1, 2, 3, 3, 2, 1)):
        left, total = 90 + hour * 150, total + twelfths
        canvas.box(left, 80, left + 120, 610, SAND, 12)
        level = 570 - total * 36
        canvas.box(left, level, left + 120, 610, SEA, 12)
        canvas.box(left, level, left + 120, 590, SEA)
        canvas.box(left, level, left + 120, level + twelfths * 36, MIST)
        canvas.box(left, level, left + 120, level + 6, NAVY)
        boat = left + 60
        canvas.fill(
            [
                (boat - 34, level - 16),
                (boat + 34, level - 16),
                (boat + 22, level + 4),
                (boat - 22, level + 4),
            ],
            RUST,
        )
        canvas.line([(boat, level - 18), (boat, level - 58)], BARK, 5)
        canvas.fill([(boat + 5, level - 56), (boat + 5, level - 22), (boat + 28, level - 22)], FOAM)
    return canvas


def draw_ribs() -> Canvas:
    canvas = Canvas(NAVY)
    for row in range(6):
        canvas.box(0, 20 + row * 110, WIDTH, 122 + row * 110, SEA)
    for x in (170, 480, 790, 1100):
        canvas.box(x - 80, 0, x - 24, HEIGHT, OAK)
        canvas.box(x - 16, 0, x + 40, HEIGHT, CRUST)
        for row in range(6):
            canvas.disc(x + 12, 71 + row * 110, 8, SUN)
            canvas.disc(x - 52, 71 + row * 110, 8, MIST)
    for x, y in ((170, 355), (480, 300), (790, 410), (1100, 330)):
        canvas.line([(x - 78, y + 20), (x - 58, y - 6), (x - 50, y + 10), (x - 26, y - 18)], NIGHT, 9)
    canvas.box(0, 0, WIDTH, 46, BARK)
    canvas.box(0, 629, WIDTH, HEIGHT, BARK)
    return canvas


PICTURES: dict[str, Callable[[], Canvas]] = {
    "loaf.webp": draw_loaf,
    "fish-soup.webp": draw_soup,
    "camping-stove.webp": draw_stove,
    "dinghy.webp": draw_dinghy,
    "bicycle.webp": draw_bicycle,
    "walnut-radio.webp": draw_radio,
    "lighthouse.webp": draw_lighthouse,
    "foghorn.webp": draw_foghorn,
    "harbour-morning.webp": draw_morning,
    "shoebox.webp": draw_shelf,
    "marmalade.webp": draw_jars,
    "rule-of-twelfths.webp": draw_twelfths,
    "sister-rib.webp": draw_ribs,
}


def main() -> None:
    """Write the files."""
    seed.PICTURE_FOLDER.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (seed.PICTURE_FOLDER / name).write_bytes(draw().encode())


if __name__ == "__main__":
    main()
