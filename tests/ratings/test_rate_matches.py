"""Finished matches change ratings, in the order in which they finished, and say so."""

from __future__ import annotations

import pytest

from games.ratings import NEWCOMER, rate
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.models import Match, Notice
from gemserver.ratings import rating
from gemserver.ratings.models import Pool, RatedMatch, Rating, RatingChange
from gemserver.ratings.selectors import curve, ratings_of
from tests.builders import make_match, play_to_the_end
from tests.ratings.finished import finish, forget_ratings

pytestmark = pytest.mark.django_db


def _places(match: Match) -> list[int]:
    return [seat.rank or 0 for seat in match.seats.order_by("index")]


def _state() -> list[tuple[object, ...]]:
    changes = RatingChange.objects.order_by("finished_at", "match", "seat")
    ratings = Rating.objects.order_by("pool__game", "contender__user__username")
    return [
        *changes.values_list("match", "seat", "mu_before", "mu_after", "sigma_after"),
        *ratings.values_list("contender__user__username", "mu", "sigma", "matches"),
        *Notice.objects.filter(key="rating").order_by("match").values_list("match", "kind", "data"),
    ]


def test_a_match_among_people_changes_their_ratings(players: list[User]) -> None:
    match = finish(players)
    rating.rate_all()
    expected = rate([NEWCOMER] * 3, _places(match))
    assert [ratings_of(player)["florentine"].belief for player in players] == expected
    (line,) = match.notices.filter(key="rating")
    assert line.kind == "rated"
    assert [change["after"] for change in line.data["ratings"]] == [each.number for each in expected]


@pytest.mark.slow
def test_the_frequent_task_rates_what_has_finished_lately(players: list[User]) -> None:
    long_ago = finish(players[:2], game="gembatan")
    fresh = play_to_the_end(make_match("florentine", players, is_rated=True), now=clock.now())
    rating.rate_matches()
    assert list(RatedMatch.objects.values_list("match", flat=True)) == [fresh.pk]
    rating.rate_all()
    assert RatedMatch.objects.filter(match=long_ago).exists()


def test_rating_twice_changes_nothing(players: list[User]) -> None:
    finish(players)
    rating.rate_all()
    before = _state()
    rating.rate_matches()
    rating.rate_all()
    assert _state() == before


@pytest.mark.slow
def test_a_match_that_is_found_late_is_rated_in_its_place(players: list[User]) -> None:
    late = finish(players, 1)
    Match.objects.filter(pk=late.pk).update(is_rated=False)
    second, third = finish(players, 2), finish(players[:2], 3)
    rating.rate_all()
    Match.objects.filter(pk=late.pk).update(is_rated=True)
    rating.rate_all()
    found = _state()
    forget_ratings()
    rating.rate_all()
    assert _state() == found
    assert [point.match_code for point in curve(players[0], "florentine")] == [
        late.code,
        second.code,
        third.code,
    ]


@pytest.mark.slow
def test_many_matches_take_several_transactions(players: list[User], monkeypatch: pytest.MonkeyPatch) -> None:
    for hours in (1, 2, 2, 3, 4):
        finish(players[:2], hours)
    rating.rate_all()
    expected = _state()
    forget_ratings()
    monkeypatch.setattr(rating, "NEW_AT_ONCE", 2)
    monkeypatch.setattr(rating, "RATED_AT_ONCE", 1)
    rating.rate_all()
    assert _state() == expected
    assert not Pool.objects.exclude(stale_from=None).exists()


def test_a_match_that_does_not_wish_it_is_not_rated_and_says_nothing(players: list[User]) -> None:
    match = play_to_the_end(make_match("florentine", players))
    rating.rate_all()
    assert not RatedMatch.objects.exists()
    assert not match.notices.filter(key="rating").exists()


@pytest.mark.slow
def test_each_game_has_its_own_ratings(players: list[User]) -> None:
    finish(players[:2], 1)
    finish(players[:2], 2, game="gembatan")
    rating.rate_all()
    assert sorted(ratings_of(players[0])) == ["florentine", "gembatan"]
    assert all(rated.matches == 1 for rated in ratings_of(players[0]).values())


@pytest.mark.slow
def test_a_rating_moves_by_as_much_as_its_matches_say(players: list[User]) -> None:
    finish(players[:2], 1)
    finish(players[:2], 2)
    rating.rate_all()
    first, second = RatingChange.objects.filter(contender__user=players[0]).order_by("finished_at")
    assert first.before == NEWCOMER
    assert second.before == first.after
    assert ratings_of(players[0])["florentine"].belief == second.after
