"""A move that nobody understands comes back as a ready reply, in most cases; chat gets none."""

from __future__ import annotations

import pytest
from django.core import mail
from django.db import transaction

from gemserver.matches.models import Match
from gemserver.notify import delivery
from tests.mailgate.phrasing_sets import (
    GAMES,
    LANGUAGES,
    Phrasing,
    answer,
    ask_ana,
    offered_by_mail,
    read_positions,
    read_set,
)
from tests.mailgate.posting import one_line

pytestmark = pytest.mark.django_db

LEAST_OFFERED = 0.4
"""Share of the moves that are not played, of those that were written blind, that are offered."""
MOST_OFFERED_FOR_CHAT = 0.1


def test_a_move_among_other_words_is_offered_and_not_played() -> None:
    asked = ask_ana("gem", "sixs")
    row = answer(asked, "Two it is, one for each amethyst.")
    assert [result["candidates"] for result in row.results] == [["bid 2"]]
    assert Match.objects.get(pk=asked.seat.match_id).ply == asked.seat.match.ply
    delivery.send_queued()
    assert "Nothing was played. Did you mean: bid 2" in one_line(mail.outbox[-1])


def test_nothing_is_offered_beside_a_move_that_is_played() -> None:
    row = answer(ask_ana("gem", "sixs"), "Two it is, one for each amethyst.\nbid 3")
    assert [result["outcome"] for result in row.results] == ["unread", "done"]
    assert [result["candidates"] for result in row.results] == [[], []]


def test_a_refused_move_that_leaves_a_part_out_is_offered_with_each_such_part() -> None:
    row = answer(ask_ana("gem", "take"), "take ET")
    assert [result["outcome"] for result in row.results] == ["refused"]
    assert row.results[0]["candidates"] == ["take ET pay 1 2", "take ET pay 3"]


@pytest.mark.parametrize(
    ("game", "position", "text", "move"),
    [
        ("gem", "bid", "Eve passes, so do I", "pass"),
        ("gem", "bid", "Warum nicht 4", "bid 4"),
        ("gem", "bid", "pourquoi ne pas miser 4", "bid 4"),
        ("gem", "bid", "I bid 4 is that ok", "bid 4"),
        ("gem", "bid", "je mise 4 ça va", "bid 4"),
        ("gem", "bid", "Ich biete 4, wenn's recht ist", "bid 4"),
        ("florentine", "threebb", "Sorry that I put roog on c2 west", "place roog c2 W"),
        ("gem", "bid", "I bid 4. Yeah, sure.", "bid 4"),
        ("gem", "bid", "I bid 4, final answer tonight", "bid 4"),
        ("gem", "bid", "ich gehe mit 4 mit", "bid 4"),
        ("gem", "bid", "Ich biete 4. Das hat Tom gemacht.", "bid 4"),
        ("gem", "bid", "je mise 4, ça rapporte combien", "bid 4"),
        ("gembatan", "fourhx", "kommt GY auf 0,0 hin", "gem GY 0,0 E"),
        ("gembatan", "fivehx", "I put BG in", "gem BG 1,1 N"),
        ("gemessengers", "sevenbb", "ruby in the last row", "play ruby row 2"),
    ],
)
def test_a_move_that_is_asked_about_or_told_is_offered(
    game: str, position: str, text: str, move: str
) -> None:
    row = answer(ask_ana(game, position), text)
    assert [result["candidates"] for result in row.results] == [[move]]


@pytest.mark.parametrize("text", ["I would bid 3 or 4", "ich würde 3 oder 4 bieten", "je miserais 3 ou 4"])
def test_of_two_moves_that_are_weighed_each_is_offered(text: str) -> None:
    row = answer(ask_ana("gem", "bid"), text)
    assert [result["candidates"] for result in row.results] == [["bid 3", "bid 4"]]


@pytest.mark.parametrize("text", ["play diamond then top", "Diamond, top"])
def test_the_top_may_be_the_top_row_or_a_new_one_and_is_never_below(text: str) -> None:
    row = answer(ask_ana("gemessengers", "onehx"), text)
    assert [sorted(result["candidates"]) for result in row.results] == [
        ["play diamond above", "play diamond row 1"]
    ]


@pytest.mark.parametrize("text", ["den grün-lila in die Lücke", "the green-purple into the hole"])
def test_a_gem_that_fits_several_sockets_is_offered_for_each(text: str) -> None:
    row = answer(ask_ana("gembatan", "twobb"), text)
    sockets = ["gem GP 1,0 E", "gem GP 3,-2 E", "gem GP 0,1 N"]
    assert [sorted(result["candidates"]) for result in row.results] == [sorted(sockets)]


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_most_moves_that_are_not_understood_are_offered(game: str) -> None:
    """The sets of positions with an *s* are kept whole, with what nobody understands."""
    drawn = [name for name, position in read_positions(game).items() if position.is_drawn]
    found = [result for name in drawn if name.endswith("s") for result in _try_set(game, name)]
    moves = [each.move in offered for each, offered in found if each.move and offered is not None]
    chat = [bool(offered) for each, offered in found if not each.move]
    assert sum(moves) >= LEAST_OFFERED * len(moves)
    assert sum(chat) <= MOST_OFFERED_FOR_CHAT * len(chat)


def _try_set(game: str, position: str) -> list[tuple[Phrasing, list[str] | None]]:
    with transaction.atomic():
        asked = ask_ana(game, position)
        lines = [
            each for language in LANGUAGES for each in read_set(game, language) if each.position == position
        ]
        found = [(each, offered_by_mail(asked, each.text)) for each in lines]
        transaction.set_rollback(True)
    return found
