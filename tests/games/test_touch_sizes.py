"""Places to touch on the board pictures are large enough, apart, and reached without scrolling on a phone.

Where the host enlarges a part of the picture (`Box.can_grow`), only that the middles of places are apart.

A picture is 480 units wide; a phone of 390 pixels shows it edge to edge, and 700 units of it without scrolling.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest

from games.contract import Choice
from games.picture import Box, Gesture
from games.registry import game
from games.testing.cases import Case, list_cases, list_positions, play_match
from games.testing.conformance.test_pictures import find_template

NAMES = ("Ana", *(f"leichter Bot {letter}" for letter in "BCDEFGH"))
SLUGS = ("gem", "jewellers", "florentine", "gembatan", "gemessengers")
SMALLEST = {"gem": 54, "gembatan": 54}
"""Where all that is touched has 40 pixels on a phone of 360, too; the nine cards of Jewellers do not fit."""
LOWEST, HEAVIEST = 700, 60_000
DEEPEST, MOST_BRANCHES = 5, 4

each_slug = pytest.mark.parametrize("slug", SLUGS)


def full_table(slug: str) -> Case:
    """The game with the most seats."""
    return max((case for case in list_cases() if case.slug == slug), key=lambda case: case.seats)


def list_asked(case: Case) -> Iterator[tuple[Any, Any]]:
    """Yield positions in which somebody is asked, with the board of that seat."""
    layout = game(case.slug).layout
    for state in list_positions(case)[::2]:
        for seat in case.rules.waiting_on(state):
            yield state, layout.layout(case.rules.view(state, seat), NAMES[: case.seats])


def list_steps(case: Case, state: Any, begun: str = "", depth: int = 0) -> Iterator[tuple[str, list[Choice]]]:
    """Yield some beginnings of a move with all choices that go on from each."""
    choices = list(case.rules.steps(state, min(case.rules.waiting_on(state)), begun))
    if choices and depth <= DEEPEST:
        yield begun, choices
        for choice in choices[:: max(1, len(choices) // MOST_BRANCHES)]:
            yield from list_steps(case, state, choice.text, depth + 1)


def list_boxes(gesture: Gesture | None) -> list[Box]:
    return [box for touch in gesture.touches for box in touch] if gesture else []


def overlap(one: Box, other: Box) -> bool:
    return (
        one.x + one.width > other.x + 0.1
        and other.x + other.width > one.x + 0.1
        and one.y + one.height > other.y + 0.1
        and other.y + other.height > one.y + 0.1
    )


def shrink(box: Box) -> Box:
    """The part of a place that no other may cover: where the host enlarges the picture, its middle."""
    if not box.can_grow:
        return box
    return Box(box.x + box.width / 4, box.y + box.height / 4, box.width / 2, box.height / 2)


@each_slug
@pytest.mark.slow
def test_all_that_is_touched_is_large_apart_and_high_on_the_picture(slug: str) -> None:
    case, layout = full_table(slug), game(slug).layout
    for state, board in list_asked(case):
        for begun, choices in list_steps(case, state):
            boxes: set[Box] = set()
            for choice in choices:
                boxes.update(list_boxes(layout.find_gesture(board, begun, choice.text)))
            for box in boxes:
                if box.can_grow:
                    continue
                assert min(box.width, box.height) >= SMALLEST.get(slug, 50), choices
                assert min(box.x, box.y) >= 0
                assert box.x + box.width <= board.width
                assert box.y + box.height <= LOWEST, choices
            for one, other in combinations(boxes, 2):
                assert not overlap(shrink(one), shrink(other)), (one, other)


@each_slug
def test_every_step_of_every_move_is_a_touch(slug: str) -> None:
    case, layout = full_table(slug), game(slug).layout
    for state, board in list(list_asked(case))[::4]:
        for begun, choices in list_steps(case, state):
            for choice in choices:
                if choice.text != "pass":
                    assert layout.find_gesture(board, begun, choice.text) is not None, choice.text


@each_slug
def test_the_last_move_is_found_on_the_picture(slug: str) -> None:
    case = full_table(slug)
    layout: Any = game(slug).layout
    found = 0
    for played, state in zip(play_match(case), list_positions(case)[1:], strict=True):
        board = layout.layout(case.rules.view(state, played.seat), NAMES[: case.seats])
        for box in layout.find_marks(board, played.seat, case.rules.write(played.move)):
            found += 1
            assert min(box.width, box.height) > 0
            assert min(box.x, box.y) >= 0
            assert box.x + box.width <= board.width
            assert box.y + box.height <= board.height
    assert found >= len(list_positions(case)) // 2


@each_slug
def test_no_picture_is_heavy_and_every_piece_is_named_once(slug: str) -> None:
    case, layout = full_table(slug), game(slug).layout
    for state in list_positions(case)[::6]:
        for seat in (0, None):
            board = layout.layout(case.rules.view(state, seat), NAMES[: case.seats])
            drawn = find_template(slug).render(board=board)
            assert len(drawn.encode()) <= HEAVIEST
            pieces = re.findall(r'data-piece="([^"]*)"', drawn)
            assert len(set(pieces)) == len(pieces)


@each_slug
def test_names_that_have_room_are_whole_and_bots_stay_apart(slug: str) -> None:
    case, layout = full_table(slug), game(slug).layout
    state = list_positions(case)[-1]
    for reader in (*range(case.seats), None):
        board = layout.layout(case.rules.view(state, reader), NAMES[: case.seats])
        panels = board.seats if slug == "florentine" else board.panels
        assert sorted(panel.name for panel in panels) == sorted(NAMES[: case.seats])
