"""Pages of players and games say what has been counted, and nothing that the reader may not know."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from games.ratings import SETTLED
from gemserver.accounts.models import User
from gemserver.clubs.models import Club, Member
from gemserver.matches.models import Match
from gemserver.ratings import counting
from gemserver.site.lists.rating_curve import draw_curve
from tests.builders import NOON, make_match, make_user, play_to_the_end
from tests.ratings.rated import rate
from tests.site.pages import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def players() -> list[User]:
    return [make_user(name) for name in ("ana", "ben", "cy")]


@pytest.fixture
def match(players: list[User]) -> Match:
    """A finished and counted match of all three."""
    played = play_to_the_end(make_match(players=players))
    counting.count_finished()
    return played


def read(path: str, reader: User | None = None) -> str:
    response = (signed_in(reader) if reader else Client()).get(path)
    assert response.status_code == 200
    return response.content.decode()


def test_a_page_shows_rating_results_and_punctuality(match: Match, players: list[User]) -> None:
    ana = players[0]
    rate(ana, match, play_to_the_end(make_match(players=players)), mu=27.0, sigma=SETTLED + 0.5)
    page = read("/players/ana/")
    assert "1548" in page
    assert "provisional" in page
    assert "<polyline" in page
    assert "The rating after each of 2 matches: 1500 on 6 Mar 2026, 1524 on 6 Mar 2026" in page
    assert "Half of the answers within" in page
    assert "Every hour counts from the question to the answer" in page
    assert "Met most" in page


def test_head_to_head_is_for_the_reader_alone(match: Match, players: list[User]) -> None:
    assert "You and ana" not in read("/players/ana/")
    assert "You and ana" not in read("/players/ana/", players[0])
    assert "You and ana" in read("/players/ana/", players[1])
    assert "You and ana" not in read("/players/ana/", make_user("stranger"))


@pytest.mark.slow
def test_matches_are_filtered_by_game_result_and_opponent(match: Match, players: list[User]) -> None:
    other = play_to_the_end(make_match("jewellers", players[:2]))
    assert {match.code, other.code} <= set(codes("/players/ana/"))
    assert codes("/players/ana/?game=jewellers") == [other.code]
    assert codes("/players/ana/?opponent=CY") == [match.code]
    assert codes("/players/ana/?opponent=nobody") == []
    won = [row.code for row in (other, match) if row.seats.get(user=players[0]).rank == 1]
    assert codes("/players/ana/?result=won") == won
    assert codes("/players/ana/?result=lost") == [row.code for row in (other, match) if row.code not in won]
    assert len(codes("/players/ana/?game=chess&result=draw")) == 2, "what cannot be read narrows nothing"


def codes(path: str) -> list[str]:
    finished = read(path).partition('id="finished"')[2]
    return re.findall(r'href="/m/(M\d+)/"', finished)


def test_a_private_clubs_match_is_listed_for_its_members_alone(players: list[User]) -> None:
    club = Club.objects.create(slug="den", name="Den", is_private=True, created_at=NOON)
    Member.objects.create(club=club, user=players[1], joined_at=NOON)
    match, hidden = make_match(players=players), make_match(players=players)
    Match.objects.filter(pk__in=[match.pk, hidden.pk]).update(club=club)
    match.refresh_from_db()
    play_to_the_end(match)
    counting.count_finished()
    page = read("/players/ana/")
    assert f"/m/{match.code}/" not in page
    assert f"/m/{hidden.code}/" not in page
    assert "has finished no match yet" in page
    page = read("/players/ana/", players[1])
    assert f"/m/{match.code}/" in page
    assert f"/m/{hidden.code}/" in page
    assert "No match with 3 seats has been played to its end yet." in read("/games/gem/?seats=3")


def test_a_guest_has_no_page_and_is_not_found(players: list[User]) -> None:
    User.objects.filter(username="cy").update(is_guest=True)
    assert Client().get("/players/cy/").status_code == 404
    assert "Nobody has a name like that" in read("/players/?q=cy")


def test_players_are_searched_by_name(players: list[User]) -> None:
    assert '<a href="/players/ana/">ana</a>' in read("/players/?q=AN")
    assert "Nobody has a name like that" in read("/players/?q=zzz")
    assert "Leaderboards" in read("/players/")


def test_a_game_page_counts_who_began(match: Match) -> None:
    page = read("/games/gem/")
    assert "1, begins" in page
    assert "From 1 match that was played out." in page
    assert "First moves" in page
    for bad in ("9", "x", "²", "-1", "99999999999"):
        assert "1, begins" in read(f"/games/gem/?seats={bad}")
    assert Client().get("/games/chess/").status_code == 404


def test_where_all_decide_at_once_nobody_begins(players: list[User]) -> None:
    play_to_the_end(make_match("gemessengers", players))
    counting.count_finished()
    assert "Nobody begins: all decide at once." in read("/games/gemessengers/")


def test_a_leaderboard_leaves_provisional_ratings_out_and_bots_apart(players: list[User]) -> None:
    ana, ben, cy = players
    rate(ana, mu=30)
    rate(ben, mu=40, sigma=SETTLED + 1)
    rate(cy, mu=35, is_bot=True)
    page = read("/games/gem/leaderboard/")
    assert "/players/ana/" in page
    assert "/players/ben/" not in page
    assert "/players/cy/" not in page
    page = read("/games/gem/leaderboard/?players=bots")
    assert "/players/cy/" in page
    assert "/players/ana/" not in page
    assert "/players/ana/" not in read("/games/gem/leaderboard/?since=quarter"), "the last match is long ago"


def test_a_curve_needs_two_matches() -> None:
    assert draw_curve([]) is None
