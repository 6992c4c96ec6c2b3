"""The picture of Gemessengers' board: every gem has a shape and a letter, and nothing hidden is drawn."""

from __future__ import annotations

import re

import pytest
from django.utils import translation

from games.chance import Chance
from games.contract import Seat
from games.gemessengers.layout import layout
from games.gemessengers.rules import RULES
from games.gemessengers.state import State
from gemserver.matches.boards import board

NAMES = ("Ana", "Bob", "Cy")


def render(state: State, reader: Seat | None) -> str:
    return board.draw("gemessengers", layout(RULES.view(state, reader), NAMES))


def list_drawn(svg: str) -> list[str]:
    """The codes of the open cards in the picture, whose names differ."""
    names = re.findall(r'data-piece="([^"]+)"', svg)
    assert len(set(names)) == len(names)
    return sorted(name.partition("-")[0] for name in names)


@pytest.mark.slow
def test_only_what_the_reader_knows_is_drawn() -> None:
    chance = Chance("picture", "players")
    state = RULES.deal(seats=3, options={}, chance=Chance("picture", "deal"))
    while RULES.waiting_on(state):
        table = [card for workshop in state.workshops for row in workshop for card in row]
        table += [f"*{suit}" for row in state.guild for suit in row]
        for reader in (None, 0, 1, 2):
            view = RULES.view(state, reader)
            known = [card for cards in view.known for card in cards]
            assert list_drawn(render(state, reader)) == sorted([*table, *view.hand, *known])
        seat = min(RULES.waiting_on(state))
        state = RULES.apply(state, seat, RULES.random_move(state, seat, chance), chance).state
    assert "The match is over" in render(state, None)


def test_every_suit_has_a_shape_of_its_own_and_nothing_is_styled_from_outside() -> None:
    svg = render(RULES.deal(seats=3, options={}, chance=Chance("picture", "deal")), 0)
    shapes = re.findall(r'<g id="jewel-([A-Z])"><(?:path d|ellipse rx)="([^"]+)"', svg)
    assert {suit for suit, _ in shapes} == set("ACDERST")
    assert len({shape for _, shape in shapes}) == 7
    assert "style=" not in svg
    assert "<script" not in svg


def test_what_one_has_picked_is_named_in_the_readers_language() -> None:
    chance = Chance("picture", "players")
    state = RULES.deal(seats=3, options={}, chance=Chance("picture", "deal"))
    with translation.override("de"):
        for _ in range(20):
            seat = min(RULES.waiting_on(state))
            state = RULES.apply(state, seat, RULES.random_move(state, seat, chance), chance).state
            svg = render(state, seat)
            assert not re.search(r">gewählt: [^<]*(above|below|row|headstone|decoration|base)", svg)
