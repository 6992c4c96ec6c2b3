"""The board as a picture: it can be drawn for every reader, and nothing in it needs anything from outside."""

from __future__ import annotations

import gettext
import re
import xml.etree.ElementTree as ET
from functools import cache
from typing import Any

import pytest

from games.contract import Seat
from games.picture import Box
from games.registry import game
from games.testing.cases import Case, list_positions, play_match
from games.testing.readers import NAMES, list_readers

FROM_OUTSIDE = re.compile(
    r"<(script|style|image|foreignObject|animate\w*)\b|\bon\w+=|https?://(?!www\.w3\.org/)"
)
FEW = 8
"""Choices whose next ones are looked at, and the next ones of each."""
HOST = ("games/jewels.svg",)
"""Drawings of the host that a board may include; here they are empty."""


@cache
def find_template(slug: str) -> Any:
    """The template of the board, as a host reads it."""
    jinja = pytest.importorskip("jinja2")

    def read(name: str) -> str:
        if name in HOST:
            return ""
        folder, owner, file = name.split("/")
        assert (folder, owner) == ("games", slug), f"{name} is not in this package"
        return (game(slug).folder / "templates" / file).read_text(encoding="utf-8")

    environment = jinja.Environment(
        loader=jinja.FunctionLoader(read),
        autoescape=True,
        undefined=jinja.StrictUndefined,
        extensions=["jinja2.ext.i18n"],
    )
    environment.install_gettext_translations(gettext.NullTranslations(), newstyle=True)
    return environment.get_template(f"games/{slug}/board.svg")


def test_every_view_is_drawn_without_anything_from_outside(case: Case) -> None:
    names = NAMES[: case.seats]
    positions = list_positions(case)
    for state in [*positions[:: max(1, len(positions) // 3)], positions[-1]]:
        for reader in list_readers(case.seats):
            board = case.game.layout.layout(case.rules.view(state, reader), names)
            text = find_template(case.slug).render(board=board)
            root = ET.fromstring(text)
            assert root.tag == "{http://www.w3.org/2000/svg}svg"
            assert root.get("role") == "img"
            assert root.get("aria-label")
            assert not FROM_OUTSIDE.search(text)


def test_the_sign_of_the_game_is_small_and_says_nothing(slug: str) -> None:
    text = (game(slug).folder / "templates" / "emblem.svg").read_text(encoding="utf-8")
    root = ET.fromstring(text)
    assert root.get("viewBox") == "0 0 40 40"
    assert " id=" not in text
    assert "".join(root.itertext()).strip() == ""
    assert not FROM_OUTSIDE.search(text)


def test_the_cover_of_the_game_shares_no_id_with_another(slug: str) -> None:
    """Covers stand beside each other on one page."""
    file = game(slug).folder / "templates" / "cover.svg"
    if not file.is_file():
        pytest.skip("the game has no cover; the host shows its sign")
    text = file.read_text(encoding="utf-8")
    assert ET.fromstring(text).get("viewBox") == "0 0 320 180"
    assert all(name.startswith(f"cover-{slug}-") for name in re.findall(r' id="([^"]*)"', text))
    assert not FROM_OUTSIDE.search(text)


def test_what_can_be_touched_lies_on_the_picture(case: Case) -> None:
    layout, rules = case.game.layout, case.rules
    for state in list_positions(case)[::5]:
        for seat in rules.waiting_on(state):
            board = layout.layout(rules.view(state, seat), NAMES[: case.seats])
            begun = [("", choice) for choice in rules.steps(state, seat, "")]
            further = [
                (first.text, choice)
                for _, first in begun[:FEW]
                for choice in rules.steps(state, seat, first.text)[:FEW]
            ]
            for partial, choice in [*begun, *further]:
                gesture = layout.find_gesture(board, partial, choice.text)
                for touch in gesture.touches if gesture else ():
                    assert touch, f"{choice.text} is made by a touch of nothing"
                    for box in touch:
                        assert_is_on_the_picture(box, board, choice.text)


def test_what_is_marked_lies_on_the_picture(case: Case) -> None:
    """The last move of every seat, for every reader."""
    layout, rules = case.game.layout, case.rules
    last: dict[Seat, str] = {}
    for played in play_match(case):
        last[played.seat] = rules.write(played.move)
        if played.ply % 5:
            continue
        for reader in list_readers(case.seats):
            board = layout.layout(rules.view(played.after, reader), NAMES[: case.seats])
            for seat, text in last.items():
                for box in layout.find_marks(board, seat, text):
                    assert_is_on_the_picture(box, board, text)


def assert_is_on_the_picture(box: Box, board: Any, text: str) -> None:
    assert min(box.width, box.height) > 0, f"{text}: {box} is nothing"
    is_inside = (
        0 <= box.x <= box.x + box.width <= board.width and 0 <= box.y <= box.y + box.height <= board.height
    )
    assert is_inside, f"{text}: {box} lies outside the picture of {board.width} by {board.height}"
