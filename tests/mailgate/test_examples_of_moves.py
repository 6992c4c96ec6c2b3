"""Where a mail has ready replies for some moves, it lists no others but one of each other kind."""

from __future__ import annotations

import re

import pytest

from tests.mailgate.phrasing_sets import ask_ana

OTHERS = {
    ("florentine", "hand"): ["place rrgg d5 E", "discard rrgg"],
    ("gembatan", "start"): ["trade gems BP tiles G-Y-"],
    ("gemessengers", "first"): ["play citrine", "proclaim ruby headstone"],
}
"""The move that a mail would list of each kind. Which kinds have a ready reply is the computer player's choice."""


@pytest.mark.django_db
@pytest.mark.parametrize(("game", "position"), OTHERS)
def test_a_mail_with_ready_replies_lists_one_move_of_each_other_kind(game: str, position: str) -> None:
    html = str(ask_ana(game, position).mail.alternatives[0][0])
    listed = re.findall(r"To play, write:\s+([^<\n]+)", html)
    assert "Listed here: " in html, "these are not all"
    assert [*map(str.strip, listed)] == [
        move for move in OTHERS[game, position] if not re.search(rf"body={move.split()[0]}%20", html)
    ]
