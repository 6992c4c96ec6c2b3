"""Paints our SVG drawings as PNG, with thorvg.

Thorvg draws shapes in a tenth of the time of other painters, but supports neither the anchors nor the weights of
text. So `typeset` rewrites every text of a drawing as pieces in a single font, each placed by its beginning.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import nlargest
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Any, TypeAlias
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from PIL import Image, ImageFont, ImageOps
from thorvg_python.base import Result
from thorvg_python.canvas.sw import SwCanvas
from thorvg_python.engine import Engine
from thorvg_python.paint.picture import Picture
from thorvg_python.paint.text import Text

FONTS = Path(__file__).resolve().parents[3] / "static" / "fonts"
FONT_OF = {"normal": "DejaVuSans", "bold": "DejaVuSans-Bold"}
"""The file name of each weight, without its suffix; thorvg knows a font by that name."""

_UNITS = 2048
"""Units per em of the fonts: measured at that size, widths are whole numbers, not rounded for a screen."""
_RISE = 0.0717
"""Thorvg draws a text of these fonts too high, by this part of its size."""

_BLANKS = re.compile(r"\s+")
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff]+")

Palette: TypeAlias = tuple[tuple[int, int, int], ...]
"""Red, green and blue of each colour."""

_one_at_a_time = Lock()
"""Needed because thorvg keeps fonts and loaders for the whole process, not for a thread."""


ALIKE = 1500
"""Colours nearer than this, divided by the size of the palette, to one of it are left out: so few colours go round."""
ALIKE_GROUNDS = 8
"""`ALIKE` among the most frequent quarter: grounds differ by little, and a wrong one is seen at once."""
PALE = 48
"""Weighs grey against bright colours: without it a picture with few colours shows a violet jewel grey."""
CANDIDATES = 600
"""Less frequent colours than this many are those between others, along edges."""
SAMPLED = 7
"""One pixel of this many says which colours there are: all of them take three times as long and say the same."""
LEVEL, LEVEL_FAST = 8, 6
"""Of deflate: 8 makes a picture a twentieth smaller than 6, and takes three times as long."""


@dataclass(frozen=True, slots=True)
class Try:
    """A way to write a picture, and the part of the bytes of the first way that it takes as a rule.

    It is left out where even that would be too much.
    """

    colours: int
    level: int
    part: float = 1


_IS_TRANSPARENT = [255 * (opacity < 128) for opacity in range(256)]


def paint(drawing: str, *, width: int, colours: int) -> bytes:
    """Paint the drawing as a PNG with a palette, `width` pixels wide; raises RuntimeError if it cannot be drawn."""
    return _write_png(_reduce(paint_in_full(drawing, width), colours), LEVEL)


def paint_to_fit(
    drawing: str, *, width: int, palette: Palette, tries: Sequence[Try], most: int
) -> bytes | None:
    """Like `paint`, by the first of the tries that takes at most `most` bytes; None if none does.

    With the first colours of the palette that is given, or if it is empty of one of the picture's own.
    """
    full = paint_in_full(drawing, width)
    first = 0
    for each in tries:
        if first * each.part > most:
            continue
        small = _recolour(full, palette[: each.colours]) if palette else _reduce(full, each.colours + 1)
        picture = _write_png(small, each.level)
        if len(picture) <= most:
            return picture
        first = first or len(picture)
    return None


def paint_frames(drawings: Sequence[str], *, width: int, colours: int, pause: int, rest: int) -> bytes:
    """Paint the drawings as a GIF that loops, `width` pixels wide, on white; raises like `paint`.

    Each is shown for `pause` milliseconds, the last one for `rest`.
    """
    frames = []
    for drawing in drawings:
        drawn = paint_in_full(drawing, width)
        white = Image.new("RGB", drawn.size, "white")
        white.paste(drawn, mask=drawn.getchannel("A"))
        frames.append(white)
    height = max(frame.height for frame in frames)
    palette = _write_palette(_choose_colours(_pile(frames[:: max(1, len(frames) // 6)]), colours))
    small = [
        ImageOps.pad(frame, (width, height), color="white", centering=(0, 0)).quantize(
            palette=palette, dither=Image.Dither.NONE
        )
        for frame in frames
    ]
    file, pauses = BytesIO(), [pause] * (len(small) - 1) + [rest]
    small[0].save(file, "GIF", save_all=True, append_images=small[1:], duration=pauses, loop=0)
    return file.getvalue()


def paint_in_full(drawing: str, width: int) -> Image.Image:
    """Paint the drawing with all its colours; raises like `paint`."""
    ready = typeset(drawing)
    with _one_at_a_time:
        return _draw(ready.svg, width, round(width * ready.height / ready.width))


def _pile(frames: Sequence[Image.Image]) -> Image.Image:
    """All frames below one another, from which one palette for all is chosen."""
    piled = Image.new("RGB", (frames[0].width, sum(frame.height for frame in frames)))
    top = 0
    for frame in frames:
        piled.paste(frame, (0, top))
        top += frame.height
    return piled


def _write_palette(colours: Palette) -> Image.Image:
    palette = Image.new("P", (1, 1))
    filled = [*colours, *colours[:1] * (256 - len(colours))]
    palette.putpalette([value for colour in filled for value in colour])
    return palette


_kept_palette = lru_cache(maxsize=32)(_write_palette)
"""Of the games. Pillow keeps in it which of its colours is nearest to which other: two thirds of the search for it."""


def _reduce(full: Image.Image, count: int) -> Image.Image:
    """The picture with a palette of its own.

    Pillow's palettes are averages, in which faint colours turn grey; here all that fills an area keeps its colour.
    """
    colours = _choose_colours(_sample(full), count - 1)
    return _write_indexes(full, colours, _write_palette(colours))


def _recolour(full: Image.Image, colours: Palette) -> Image.Image:
    """The picture with this palette."""
    return _write_indexes(full, colours, _kept_palette(colours))


def _write_indexes(full: Image.Image, colours: Palette, palette: Image.Image) -> Image.Image:
    """The picture with each pixel as the number of a colour; the one behind the last is transparent."""
    small = full.convert("RGB").quantize(palette=palette, dither=Image.Dither.NONE)
    transparent = len(colours)
    small.paste(transparent, mask=full.getchannel("A").point(_IS_TRANSPARENT))
    small.putpalette([value for colour in [*colours, (255, 255, 255)] for value in colour])
    small.info["transparency"] = transparent
    return small


def _sample(full: Image.Image) -> Image.Image:
    """Every seventh pixel; no width that we paint is a multiple of 7, so that each line has its part."""
    rows = full.width * full.height // SAMPLED
    pixels = full.tobytes()[: rows * SAMPLED * 4]
    return (
        Image.frombuffer("RGBA", (SAMPLED, rows), pixels, "raw", "RGBA", 0, 1)
        .crop((0, 0, 1, rows))
        .convert("RGB")
    )


def _write_png(small: Image.Image, level: int) -> bytes:
    file = BytesIO()
    small.save(file, "PNG", compress_level=level)
    return file.getvalue()


def _choose_colours(picture: Image.Image, count: int) -> Palette:
    """The most frequent colours, bright ones first, without those that are almost like one already chosen."""
    found: Any = picture.getcolors(picture.width * picture.height)
    chosen: list[tuple[int, int, int]] = []
    for _, (red, green, blue) in nlargest(CANDIDATES, found, key=_weigh):
        least = (ALIKE_GROUNDS if len(chosen) < count // 4 else ALIKE // count) ** 2
        if all((red - r) ** 2 + (green - g) ** 2 + (blue - b) ** 2 >= least for r, g, b in chosen):
            chosen.append((red, green, blue))
            if len(chosen) == count:
                break
    return tuple(chosen)


def _weigh(found: tuple[int, tuple[int, int, int]]) -> int:
    """The weight of a colour: its pixels, more for a bright colour, as jewels are small and tell apart by theirs."""
    pixels, colour = found
    return pixels * (PALE + max(colour) - min(colour))


def _draw(svg: bytes, width: int, height: int) -> Image.Image:
    engine = _engine()
    canvas = SwCanvas(engine)
    try:
        picture = Picture(engine)
        canvas.set_target(width, height)  # its annotation errs; without a target the next steps fail
        _check(picture.load_data(svg, "svg", None, True))
        _check(picture.set_size(width, height))
        for result in (canvas.add(picture), canvas.update(), canvas.draw(True), canvas.sync()):
            _check(result)
        # `get_pillow` would copy all pixels twice; Pillow takes any buffer.
        pixels: Any = canvas.buffer_arr
        return Image.frombuffer("RGBA", (width, height), pixels, "raw", "RGBA", 0, 1)
    finally:
        canvas.destroy()


def _check(result: Result) -> None:
    if result != Result.SUCCESS:
        raise RuntimeError(f"thorvg: {result.name}")


@lru_cache(maxsize=1)
def _engine() -> Engine:
    """Thorvg with our fonts, in this thread alone, so that a worker may fork."""
    engine = Engine(threads=0)
    for name in FONT_OF.values():
        _check(Text(engine).font_load(str(FONTS / f"{name}.ttf")))
    return engine


@dataclass(frozen=True, slots=True)
class Typeset:
    """A drawing whose texts are placed by their beginning only, and its size in units."""

    svg: bytes
    width: float
    height: float


def typeset(drawing: str) -> Typeset:
    """Rewrite the drawing with its texts in pieces; raises ExpatError if it is no XML, KeyError if it has no size."""
    return _Typesetter(drawing.encode()).finish()


_STYLING = frozenset({"font-size", "font-weight", "fill"})


@dataclass(frozen=True, slots=True)
class _Style:
    size: float = 16
    weight: str = "normal"
    fill: str = "#000000"

    def with_(self, attributes: Mapping[str, str]) -> _Style:
        """The style inside an element; most elements change nothing."""
        if _STYLING.isdisjoint(attributes):
            return self
        return _Style(
            float(attributes.get("font-size", self.size)),
            attributes.get("font-weight", self.weight),
            attributes.get("fill", self.fill),
        )


@dataclass(slots=True)
class _Line:
    """Consecutive pieces of text on one line, and the place of their anchor."""

    x: float
    y: float
    anchor: str
    length: float = 0
    pieces: list[tuple[float, str, _Style]] = field(default_factory=list)
    """Offset from the beginning, text, and style."""
    ends_blank: bool = True

    def add(self, text: str, style: _Style) -> None:
        """Append a piece, with one blank between words and none at the beginning; thorvg draws none before a piece."""
        bare = text.lstrip(" ")
        if bare != text and not self.ends_blank:
            self.length += _measure(" ", style.weight)[1] * style.size
        if bare:
            shown, width = _measure(bare, style.weight)
            self.pieces.append((self.length, shown, style))
            self.length += width * style.size
        self.ends_blank = text.endswith(" ") or (self.ends_blank and not text)

    def write(self) -> str:
        begin = self.x - self.length * {"middle": 0.5, "end": 1}.get(self.anchor, 0)
        return "".join(
            f'<text x="{begin + offset:.2f}" y="{self.y + _RISE * style.size:.2f}" font-size="{style.size:g}"'
            f' font-family="{FONT_OF[style.weight]}" fill={quoteattr(style.fill)}>{text}</text>'
            for offset, text, style in self.pieces
        )


def _place(attributes: Mapping[str, str], size: float, x: float, y: float) -> tuple[float, float]:
    """The place that an element of this font size states; `x` and `y` are the defaults."""
    dx, dy = (_read_length(attributes.get(name, "0"), size) for name in ("dx", "dy"))
    return float(attributes.get("x", x)) + dx, float(attributes.get("y", y)) + dy


def _read_length(text: str, size: float) -> float:
    return size * float(text[:-2]) if text.endswith("em") else float(text)


class _Typesetter:
    """Copies a drawing, rewriting its texts."""

    def __init__(self, drawing: bytes) -> None:
        self._drawing = drawing
        self._copied = 0
        self._out: list[bytes] = []
        self._root: dict[str, str] = {}
        self._styles = [_Style()]
        self._lines: list[_Line] = []
        """The lines of the text that is being read."""
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._begin
        self._parser.CharacterDataHandler = self._read
        self._parser.EndElementHandler = self._end

    def finish(self) -> Typeset:
        self._parser.Parse(self._drawing, True)
        svg = b"".join([*self._out, self._drawing[self._copied :]])
        return Typeset(svg, float(self._root["width"]), float(self._root["height"]))

    def _begin(self, tag: str, attributes: dict[str, str]) -> None:
        self._root = self._root or attributes
        style = self._styles[-1].with_(attributes)
        self._styles.append(style)
        if tag == "text":
            self._out.append(self._drawing[self._copied : self._parser.CurrentByteIndex])
            self._lines = [
                _Line(*_place(attributes, style.size, 0, 0), attributes.get("text-anchor", "start"))
            ]
        elif tag == "tspan":
            last = self._lines[-1]
            if "x" in attributes:
                self._lines.append(_Line(*_place(attributes, style.size, 0, last.y), last.anchor))
            else:
                last.length += _read_length(attributes.get("dx", "0"), style.size)

    def _read(self, text: str) -> None:
        if self._lines:
            self._lines[-1].add(_BLANKS.sub(" ", text), self._styles[-1])

    def _end(self, tag: str) -> None:
        self._styles.pop()
        if tag == "text":
            self._out += [line.write().encode() for line in self._lines]
            self._lines = []
            self._copied = self._drawing.index(b">", self._parser.CurrentByteIndex) + 1


@lru_cache(maxsize=4096)
def _measure(text: str, weight: str) -> tuple[str, float]:
    """The text as thorvg can write it, and its width at size 1.

    Thorvg leaves out signs that the font lacks, writes from left to right and reads no entities: `&` stays as it is.
    """
    shown = "".join(sign if _has_sign(sign) else "□" for sign in text).replace("<", "‹")
    shown = _RIGHT_TO_LEFT.sub(lambda word: word[0][::-1], shown)
    return shown, _font(weight).getlength(shown) / _UNITS


@lru_cache(maxsize=1024)
def _has_sign(sign: str) -> bool:
    """True if the fonts have the sign; all signs that they lack show the same box."""
    font = ImageFont.truetype(FONTS / f"{FONT_OF['normal']}.ttf", 20, layout_engine=ImageFont.Layout.BASIC)
    return bytes(font.getmask(sign)) != bytes(font.getmask("\uffff"))


@lru_cache(maxsize=2)
def _font(weight: str) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(FONTS / f"{FONT_OF[weight]}.ttf", _UNITS, layout_engine=ImageFont.Layout.BASIC)
