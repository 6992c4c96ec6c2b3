"""Building a move step by step on the board, undoing steps, and the board meanwhile."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from gemserver.accounts.models import User
from gemserver.matches import replay
from gemserver.matches.models import Match
from tests.builders import NOON, is_asked, make_match, make_user, play_until
from tests.site.pages import Page, read, signed_in

pytestmark = pytest.mark.django_db

DEAL = "5a" * 32


def deal(game: str, ana: User, **options: str) -> Match:
    match = make_match(game, [ana, make_user("ben")], options=options, server_part=DEAL)
    return play_until(match, is_asked(ana), now=NOON)


def links_on_board(page: Page) -> list[str]:
    """The moves begun by links on the picture."""
    queries = [parse_qs(urlsplit(link).query) for link in page.links]
    return [query["move"][0] for query in queries if "move" in query]


def begin(client: Client, match: Match, move: str) -> Any:
    return client.get(f"/m/{match.code}/", {"move": move})


def test_a_move_is_made_by_links_and_buttons_alone(ana: User) -> None:
    """Each leads to the next; nothing is played before the button is pressed. How a card is turned, a button says."""
    match = deal("florentine", ana)
    client = signed_in(ana)
    played = match.moves.count()
    response = client.get(f"/m/{match.code}/")
    for _ in range(4):
        page = read(response)
        if ("play", "1") in page.buttons and "Preview of" in page.text:
            break
        chosen = [value for name, value in page.buttons if name == "choose" and value.startswith("place")]
        move = max([*links_on_board(page), *chosen], key=lambda text: len(text.split()))
        response = begin(client, match, move)
        assert response.status_code == 200
        assert read(response).fields["text"] == move
    place = re.escape(move)
    assert re.search(rf"Preview of “Place [^”]+, facing [a-z]+” \({place}\): nothing", read(response).text)
    assert match.moves.count() == played


def test_what_was_built_is_told_and_its_last_step_undone(ana: User) -> None:
    match = deal("florentine", ana)
    client = signed_in(ana)
    first = links_on_board(read(client.get(f"/m/{match.code}/")))[0]
    page = read(begin(client, match, first))
    assert "Place" in page.text.partition("Your move so far:")[2]
    assert ("choose", "") in page.buttons
    second = next(move for move in links_on_board(page) if move.startswith(first))
    assert ("choose", first) in read(begin(client, match, second)).buttons


def test_the_board_shows_the_finished_steps_of_a_move_that_goes_on(ana: User) -> None:
    """In Gembatan a turn has several steps: while the second is built, the first is on the board."""
    match = deal("gembatan", ana)
    rules = match.rules
    state, seat = replay.position(match), match.seats.get(user=ana).index
    move = ""
    while " + play" not in move:
        choices = rules.steps(state, seat, move)
        ahead = [choice for choice in choices if choice.text.rsplit(" + ", 1)[-1].startswith("play")]
        move = (ahead or list(choices))[0].text
    page = read(begin(signed_in(ana), match, move))
    assert "The board after the steps that are finished; nothing has been played." in page.text
    assert page.fields["text"] == move


def test_a_spot_that_two_choices_share_is_no_link(ana: User) -> None:
    match = deal("gembatan", ana)
    client = signed_in(ana)
    moves = links_on_board(read(client.get(f"/m/{match.code}/")))
    assert moves
    assert len(moves) == len(set(moves))


def test_bids_stand_on_the_board_of_who_is_to_bid(ana: User) -> None:
    match = deal("gem", ana)
    bids = [
        move for move in links_on_board(read(signed_in(ana).get(f"/m/{match.code}/"))) if move[:3] == "bid"
    ]
    state, seat = replay.position(match), match.seats.get(user=ana).index
    legal = [match.rules.write(move) for move in match.rules.legal_moves(state, seat)]
    assert bids == [move for move in legal if move.startswith("bid")]
    assert b"Your bid" not in Client().get(f"/m/{match.code}/").content


@pytest.mark.slow
def test_nothing_can_be_chosen_by_who_is_not_asked(ana: User) -> None:
    match = deal("jewellers", ana, silver="yes")
    url = f"/m/{match.code}/"
    ben = User.objects.get(username="ben")
    for client in (Client(), signed_in(make_user("dee")), signed_in(ben)):
        for query in ("", "?move=silver R4", "?move=pass"):
            page = read(client.get(url + query))
            assert links_on_board(page) == []
            assert "Preview of" not in page.text
    assert links_on_board(read(signed_in(ana).get(url)))


def test_a_link_to_what_is_no_move_begins_nothing(ana: User) -> None:
    match = deal("jewellers", ana, silver="yes")
    response = begin(signed_in(ana), match, "castle <b>")
    page = read(response)
    assert page.fields["text"] == "castle <b>"
    assert b"<b>" not in response.content
    assert "Your move so far" not in page.text
    assert links_on_board(page)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["gem", "jewellers", "florentine", "gembatan", "gemessengers"])
def test_a_sealed_or_open_move_is_never_told_to_others_by_its_links(game: str, ana: User) -> None:
    """A link only builds a move; another reader who follows it sees their own page."""
    match = deal(game, ana)
    own = signed_in(ana)
    steps = [value for name, value in read(own.get(f"/m/{match.code}/")).buttons if name == "choose"]
    stranger = read(begin(Client(), match, steps[0]))
    assert steps[0] not in stranger.fields.values()
