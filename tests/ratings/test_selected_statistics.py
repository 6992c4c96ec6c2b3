"""Statistics of players and games say what the matches say."""

from __future__ import annotations

import re
from datetime import timedelta
from fractions import Fraction

import pytest
from django.test import Client

from gemserver.accounts.models import User
from gemserver.matches.models import Match, Seat
from gemserver.ratings import answer_times
from gemserver.ratings.models import CountedMatch, GameTally, PlayedMatch
from gemserver.ratings.statistics import (
    GameStatistics,
    Meetings,
    PlayerStatistics,
    Share,
    seats_played,
    usual_seats,
)
from tests.builders import NOON, make_table, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def players() -> list[User]:
    return [make_user(name) for name in ("ana", "ben", "cy")]


def played(
    players: list[User], ranks: list[int | None], *, game: str = "gem", days: int = 0, **fields: object
) -> Match:
    """A counted match with these ranks."""
    match = make_table(game, seats=len(players))
    at = NOON + timedelta(days=days)
    Match.objects.filter(pk=match.pk).update(status="finished", finished_at=at)
    CountedMatch.objects.create(match=match, finished_at=at, is_public=True)
    for index, (player, rank) in enumerate(zip(players, ranks, strict=True)):
        Seat.objects.create(match=match, index=index, user=player, rank=rank, score=9)
        PlayedMatch.objects.create(
            match=match,
            user=player,
            game=game,
            seat_count=len(players),
            rank=rank,
            above_mean=None if rank is None else 2.0 - rank,
            finished_at=at,
            **fields,
        )
    return match


def test_wins_and_points_by_number_of_seats(players: list[User]) -> None:
    ana, ben, _cy = players
    played(players, [1, 2, 3])
    played(players, [2, 1, 3])
    played([ana, ben], [1, 2])
    played([ana, ben], [1, 1], game="gembatan")
    played([ana, ben], [None, 1])
    gem, gembatan = PlayerStatistics(ana).games
    assert (gem.game, gem.played, gem.won.wins) == ("gem", 3, 2)
    assert [(line.seats, line.played, line.won.wins) for line in gem.by_seats] == [(2, 1, 1), (3, 2, 1)]
    assert gem.by_seats[1].above_mean == 0.5
    assert (gembatan.played, gembatan.won.firsts) == (1, 1)


def test_who_shares_first_place_has_a_share_of_the_win(players: list[User], client: Client) -> None:
    played(players, [1, 1, 1])
    played(players, [1, 1, 3])
    played(players, [1, 2, 3])
    won = [PlayerStatistics(player).games[0].won.wins for player in players]
    assert won == [Fraction(11, 6), Fraction(5, 6), Fraction(1, 3)]
    assert sum(won) == 3, "every match is won once"
    page = client.get("/players/ana/").content.decode()
    assert re.search(r"1 5/6 <span class=\"muted\">\s*61&nbsp;%", page)


def test_meetings_are_counted_from_both_sides(players: list[User]) -> None:
    ana, ben, cy = players
    played(players, [1, 2, 3])
    played(players, [2, 2, 1])
    played([ana, ben], [2, 1], game="jewellers")
    played([ana, ben], [None, 1])
    opponents = {each.player: each.meetings for each in PlayerStatistics(ana).opponents}
    assert opponents == {ben: Meetings(3, 1, 1), cy: Meetings(2, 1, 1)}
    assert opponents[ben].level == 1
    assert PlayerStatistics(ben).against(ana) == [
        ("gem", Meetings(2, 1, 0)),
        ("jewellers", Meetings(1, 0, 1)),
    ]
    assert PlayerStatistics(cy).against(cy) == []


def test_guests_and_shut_accounts_are_no_opponents(players: list[User]) -> None:
    played(players, [1, 2, 3])
    User.objects.filter(username="ben").update(is_guest=True)
    User.objects.filter(username="cy").update(is_active=False)
    assert PlayerStatistics(players[0]).opponents == []


def test_punctuality_is_that_of_the_last_matches(players: list[User]) -> None:
    ana, ben, _cy = players
    slow, quick = (answer_times.class_of(timedelta(hours=hours)) for hours in (48, 2))
    for day in range(50):
        played([ana, ben], [1, 2], days=day + 1, answers=4, times={quick: 4})
    played([ana, ben], [None, 1], days=0, answers=500, times={slow: 500}, timeouts=30, lost_seat=True)
    found = PlayerStatistics(ana).punctuality
    assert found is not None
    assert (found.matches, found.answers, found.timeouts, found.lost_seats) == (50, 200, 0, 0)
    assert found.median is not None
    assert timedelta(hours=1.8) < found.median < timedelta(hours=2.2)
    assert PlayerStatistics(make_user("dee")).punctuality is None


def test_a_game_says_what_its_places_win_and_how_sure_that_is() -> None:
    for place, wins in ((1, 60), (2, 40)):
        GameTally.objects.create(
            game="gem", seat_count=2, kind="place", key=str(place), count=100, wins=840 * wins
        )
    for plies, count in ((40, 50), (60, 50)):
        GameTally.objects.create(game="gem", seat_count=2, kind="plies", key=str(plies), count=count)
    GameTally.objects.create(game="gem", seat_count=3, kind="plies", key="70", count=200)
    for text, count in (("bid 2", 70), ("pass", 30)):
        GameTally.objects.create(
            game="gem", seat_count=2, kind="opening", key=text, count=count, wins=840 * count // 2
        )
    game = GameStatistics("gem", 2)
    assert game.matches == 100
    first, second = (line.share for line in game.places)
    assert (first.percent, second.percent) == (60, 40)
    assert (round(first.low, 1), round(first.high, 1)) == (50.2, 69.1)
    assert game.plies is not None
    assert (game.plies.low, game.plies.median, game.plies.high) == (40, 40, 60)
    assert game.days is None
    assert [(each.text, each.frequency.percent) for each in game.openings] == [("bid 2", 70), ("pass", 30)]
    assert seats_played("gem") == {2: 100, 3: 200}
    assert usual_seats("gem") == 3


def test_nothing_known_is_anything_possible() -> None:
    assert Share(0, 0).bounds == (0, 100)
    assert Share(3, 3).high == pytest.approx(100)
    assert Share(3, 3).low < 50
