"""The picture in a mail: text is in its place and weight, whatever a player is called."""

from __future__ import annotations

import math
import re
from collections import Counter
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from PIL import Image

from games.registry import game
from games.testing.cases import list_cases, list_positions
from gemserver.matches.boards import board
from gemserver.matches.boards.painting import paint, paint_in_full

pytestmark = pytest.mark.pictures

NAMES = ("Ana", *(f"leichter Bot {letter}" for letter in "BCDEFGH"))
VIOLET = (106, 32, 168)

KNOWN = {"x", "y", "dx", "dy", "font-size", "font-weight", "font-family", "fill", "text-anchor"}
"""The attributes of a text that the painter reads."""


def _alpha(inside: str) -> Image.Image:
    """The opacity of each pixel of a drawing of 400 by 100 units, painted with a pixel for each unit."""
    root = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 100" width="400" height="100">'
    picture = Image.open(BytesIO(paint(f"{root}{inside}</svg>", width=400, colours=64)))
    assert picture.size == (400, 100)
    return picture.convert("RGBA").getchannel("A")


def _ink(inside: str) -> tuple[int, int, int, int] | None:
    """The box (left, top, right, bottom) of the painted pixels."""
    return _alpha(inside).getbbox()


def _box(inside: str) -> tuple[int, int, int, int]:
    ink = _ink(inside)
    assert ink is not None, inside
    return ink


@pytest.mark.parametrize("weight", ["normal", "bold"])
def test_a_text_stands_on_its_baseline_where_its_anchor_is(weight: str) -> None:
    style = f'y="60" font-size="40" font-weight="{weight}"'
    start = _box(f'<text x="200" {style}>HEH</text>')
    middle = _box(f'<text x="200" {style} text-anchor="middle">HEH</text>')
    end = _box(f'<text x="200" {style} text-anchor="end">HEH</text>')
    assert start[3] == middle[3] == end[3] == pytest.approx(60, abs=1)
    assert start[0] == pytest.approx(200, abs=5)
    assert end[2] == pytest.approx(200, abs=5)
    assert middle[0] + middle[2] == pytest.approx(400, abs=5)


def test_bold_text_is_bold() -> None:
    normal, bold = (
        _box(f'<g font-weight="{weight}"><text x="20" y="60">Bold</text></g>')
        for weight in ("normal", "bold")
    )
    assert bold[2] > normal[2] + 2


def test_spans_follow_each_other_as_one_text_would() -> None:
    one = _box('<text x="380" y="60" text-anchor="end">bid 5 of 8 points</text>')
    spans = '<tspan fill="#900">bid 5</tspan> of <tspan font-size="16">8 points</tspan>'
    many = _box(f'<text x="380" y="60" text-anchor="end">\n{spans}</text>')
    assert many == pytest.approx(one, abs=1)


def test_a_gap_and_a_new_line_are_kept() -> None:
    plain = _box('<text x="20" y="30">one<tspan>two</tspan></text>')
    gap = _box('<text x="20" y="30">one<tspan dx="12">two</tspan></text>')
    below = _box('<text x="20" y="30">one<tspan x="20" dy="20">two</tspan></text>')
    lines = _box('<text x="20" y="30" font-size="20" dy="1em">one</text>')
    assert gap[2] == pytest.approx(plain[2] + 12, abs=1)
    assert below[3] == pytest.approx(plain[3] + 20, abs=1)
    assert lines[3] == pytest.approx(50, abs=1)


def test_a_name_of_which_the_font_knows_no_letter_shows_as_boxes() -> None:
    assert _ink('<text x="20" y="60">山田</text>') == _ink('<text x="20" y="60">□□</text>')
    assert _ink('<text x="20" y="60">Ζωή</text>') != _ink('<text x="20" y="60">□□□</text>')


def test_a_name_is_written_from_right_to_left_where_its_letters_are() -> None:
    """Alef is wide and vav is narrow: a name that begins with alef has vav on its left."""
    painted = _alpha('<text x="20" y="60" font-size="40">או</text>')
    columns = [painted.crop((x, 0, x + 1, 100)).getbbox() is not None for x in range(100)]
    first = columns.index(True)
    assert columns.index(False, first) - first < 12


def test_signs_that_mean_something_in_xml_are_painted_as_themselves() -> None:
    width = {
        text: _box(f'<text x="20" y="60">{text}</text>')[2] for text in ("a&amp;b", "a&lt;b", "a&#x27;b")
    }
    assert width["a&amp;b"] < 60
    assert width["a&lt;b"] < 60
    assert width["a&#x27;b"] < 45


def test_what_a_template_says_of_a_text_is_known_to_the_painter() -> None:
    """An attribute that the painter does not read would be missing in mails, and only there."""
    templates = [
        *(Path(settings.BASE_DIR) / "templates" / "games").glob("*.svg"),
        *(Path(settings.BASE_DIR) / "games").glob("*/templates/*.svg"),
    ]
    texts = [tag for path in templates for tag in re.findall(r"<(?:text|tspan)\b[^>]*>", path.read_text())]
    assert len(texts) > 100
    for tag in texts:
        assert set(re.findall(r"\s([\w-]+)=\"", tag)) <= KNOWN, tag


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["gem", "jewellers", "florentine", "gembatan", "gemessengers"])
def test_the_board_of_a_full_table_fits_into_a_mail_from_the_deal_to_the_end(slug: str) -> None:
    """mail-requirements.md Q4."""
    case = max((case for case in list_cases() if case.slug == slug), key=lambda case: case.seats)
    states = list(list_positions(case))
    for state in (states[0], states[len(states) // 2], states[len(states) * 3 // 4], states[-1]):
        reader = min(case.rules.waiting_on(state), default=0)
        layout = game(slug).layout.layout(case.rules.view(state, reader), NAMES[: case.seats])
        picture = board.paint_for_mail(slug, board.draw(slug, layout))
        assert len(picture) <= 40_000
        assert Image.open(BytesIO(picture)).width >= 480


def test_a_board_with_little_on_it_is_sharp_on_a_telephone() -> None:
    layout = game("gem").layout.layout(game("gem").rules.view(_deal("gem", 2), 0), NAMES[:2])
    assert Image.open(BytesIO(board.paint_for_mail("gem", board.draw("gem", layout)))).width == 720


def test_a_small_jewel_keeps_its_colour_among_many_greys() -> None:
    greys = "".join(
        f'<rect x="{shade * 2}" width="2" height="100" fill="#{shade:02x}{shade:02x}{shade:02x}"/>'
        for shade in range(200)
    )
    root = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 100" width="400" height="100">'
    jewel = f'<rect x="200" y="40" width="8" height="8" fill="#{bytes(VIOLET).hex()}"/>'
    picture = Image.open(BytesIO(paint(f"{root}{greys}{jewel}</svg>", width=400, colours=28)))
    assert picture.convert("RGB").getpixel((204, 44)) == VIOLET


def test_a_corner_outside_the_board_is_transparent_for_dark_mails() -> None:
    painted = _alpha('<rect width="400" height="100" rx="30" fill="#ffffff"/>')
    assert [painted.getpixel(place) for place in ((0, 0), (399, 99), (200, 50))] == [0, 0, 255]


def _deal(slug: str, seats: int) -> Any:
    return list_positions(next(case for case in list_cases() if (case.slug, case.seats) == (slug, seats)))[0]


GAMES = ("gem", "jewellers", "florentine", "gembatan", "gemessengers")


def _draw_middle(slug: str, seats: int = 2) -> str:
    """The board in the middle of a match."""
    case = next(case for case in list_cases() if (case.slug, case.seats) == (slug, seats))
    states = list_positions(case)
    state = states[len(states) // 2]
    view = case.rules.view(state, min(case.rules.waiting_on(state), default=0))
    return board.draw(slug, game(slug).layout.layout(view, NAMES[:seats]))


@pytest.mark.slow
@pytest.mark.parametrize("slug", GAMES)
def test_what_fills_an_area_keeps_its_colour_in_a_mail(slug: str) -> None:
    """Fails after a change of colours until `python -m tests.pictures.palettes` has found the palette anew."""
    drawing = _draw_middle(slug)
    picture = Image.open(BytesIO(board.paint_for_mail(slug, drawing)))
    true = list(paint_in_full(drawing, picture.width).convert("RGB").get_flattened_data())
    shown = list(picture.convert("RGBA").get_flattened_data())
    places = {colour: place for place, colour in enumerate(true)}
    stated = {tuple(bytes.fromhex(colour)) for colour in re.findall(r"#([0-9a-f]{6})", drawing)}
    areas = [colour for colour, pixels in Counter(true).items() if pixels >= 200 and colour in stated]
    assert len(areas) > 20
    for colour in areas:
        assert math.dist(colour, shown[places[colour]][:3]) < 28, bytes(colour).hex()


def test_a_picture_is_the_same_whichever_was_painted_before_it() -> None:
    """A palette that keeps what it has looked up gives nothing of one reader's board to another's."""
    first, second = _draw_middle("gem"), _draw_middle("gem", 4)
    board.paint_for_mail.cache_clear()
    alone = board.paint_for_mail("gem", first)
    for other in (second, first.replace("Ana", "Zoe")):
        board.paint_for_mail.cache_clear()
        board.palette.cache_clear()
        board.paint_for_mail("gem", other)
        assert board.paint_for_mail("gem", first) == alone


def test_a_game_without_a_palette_is_painted_in_its_own_colours() -> None:
    root = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 400" width="480" height="400">'
    drawing = f'{root}<rect width="480" height="400" rx="30" fill="#{bytes(VIOLET).hex()}"/></svg>'
    picture = Image.open(BytesIO(board.paint_for_mail("unknown", drawing))).convert("RGBA")
    assert picture.getpixel((240, 200)) == (*VIOLET, 255)
    assert picture.getpixel((0, 0))[3] == 0  # type: ignore[index]
