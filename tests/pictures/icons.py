"""Draws the icons of the installed site and `favicon.ico` from `static/favicon.svg`, on the colour of the pages."""

from __future__ import annotations

import re
from pathlib import Path

from PIL import Image

STATIC = Path(__file__).resolve().parent.parent.parent / "static"
ICONS = STATIC / "icons"
GROUND = "#16161b"

SIZES = {"icon-192.png": (192, 0.72), "icon-512.png": (512, 0.72), "icon-maskable-512.png": (512, 0.56)}
"""Pixels of each file, and the part of the width that the gem takes: systems cut a maskable icon to a circle."""


def make_icons() -> list[Path]:
    """Write every icon and return the paths."""
    written = []
    for name, (pixels, part) in SIZES.items():
        path = ICONS / name
        picture = _paint(pixels, part, ground=GROUND, is_round="maskable" not in name)
        # 256 colours, some of them half transparent, show no difference in half the bytes.
        picture.quantize(256, method=Image.Quantize.FASTOCTREE).save(path, "PNG", optimize=True)
        written.append(path)
    ico = STATIC / "root" / "favicon.ico"
    picture = _paint(48, 1, ground="", is_round=False)
    picture.save(ico, "ICO", sizes=[(16, 16), (32, 32), (48, 48)])
    return [*written, ico]


def _paint(pixels: int, part: float, *, ground: str, is_round: bool) -> Image.Image:
    from gemserver.matches.boards.painting import _draw

    gem = "".join(re.findall(r"<path[^>]*/>", (STATIC / "favicon.svg").read_text()))
    field = f'<rect width="24" height="24" rx="{5 if is_round else 0}" fill="{ground}"/>' if ground else ""
    place = f"translate({12 - 12 * part} {12 - 12.5 * part}) scale({part})"
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24">'
        f'{field}<g transform="{place}">{gem}</g></svg>'
    )
    return _draw(svg.encode(), pixels, pixels)
