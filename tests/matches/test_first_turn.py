"""Before their first move in a game, players get a short introduction, once, on the page and in the mail."""

from __future__ import annotations

import gettext

import pytest
from django.test import Client

from games.gem import words
from gemserver.matches import selectors
from gemserver.matches.mails.about_match import MatchMail
from gemserver.matches.models import Match
from tests.builders import asked, make_match, make_user, play
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db

HINT = words.first_turn(gettext.NullTranslations())


@pytest.fixture
def match() -> Match:
    return make_match("gem", players=[make_user("ana"), make_user("ben")])


def page_text(client: Client, match: Match) -> str:
    return read(client.get(match.get_absolute_url())).text


def test_a_newcomer_reads_what_matters_before_the_first_move(match: Match) -> None:
    seat = asked(match)
    assert seat.user
    assert HINT in page_text(signed_in(seat.user), match)
    mail = MatchMail.of(seat, seat.user, seat.prompt_ply)
    assert mail.first_turn == HINT
    text = mail.write("turn", news="").text
    assert HINT in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 78


def test_neither_who_waits_nor_who_watches_reads_it(match: Match) -> None:
    other = match.seats.select_related("user").get(is_waiting=False).user
    assert other
    assert HINT not in page_text(signed_in(other), match)
    assert HINT not in page_text(Client(), match)


def test_who_has_moved_in_the_game_is_told_no_more(match: Match) -> None:
    seat = asked(match)
    assert seat.user
    play(match, seat.index, "bid 0")
    again = make_match("gem", players=[seat.user, make_user("cy")], server_part="5" * 64)
    other_game = make_match("jewellers", players=[seat.user, make_user("dee")])
    for later in (match, again):
        later.refresh_from_db()
        assert not selectors.is_new_to(later.game, later.seats.get(user=seat.user))
    assert selectors.is_new_to(other_game.game, other_game.seats.get(user=seat.user))
