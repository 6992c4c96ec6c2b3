"""Ratings from matches of a schedule, in which bots play for whoever has no time left."""

from __future__ import annotations

import pytest

from gemserver.accounts.models import User
from gemserver.matches import selectors
from gemserver.matches.models import Match, Seat
from gemserver.ratings.models import RatingChange
from gemserver.ratings.rating import rate_matches
from tests.builders import make_user, play
from tests.matches.test_fixtures import END, leave_away, let_bots_play, make_fixture, play_to_the_end

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("guessing_bots")]


@pytest.fixture
def players() -> list[User]:
    return [make_user(name) for name in ("ana", "ben", "cy")]


def play_out(match: Match, monkeypatch: pytest.MonkeyPatch, now: object) -> Match:
    """Let the players who have time, and the bots, play to the end."""
    for _ in range(1000):
        if not match.is_running:
            break
        for seat in Seat.objects.select_related("match").filter(match=match, is_waiting=True, is_away=False):
            legal = selectors.legal_texts(match, seat, 500)
            assert legal
            play(match, seat.index, legal[0], now=now)  # type: ignore[arg-type]
        match = let_bots_play(match, monkeypatch, now)  # type: ignore[arg-type]
    return match


@pytest.mark.slow
def test_who_had_no_time_left_is_rated_last_whatever_the_bot_reached(
    players: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    match = make_fixture(players)
    _seat, due = leave_away(match, monkeypatch)
    match = play_out(match, monkeypatch, due)
    assert match.is_over
    rate_matches()
    places = dict(RatingChange.objects.filter(match=match).values_list("seat", "place"))
    assert places[0] == 3
    assert RatingChange.objects.get(match=match, seat=0).why == RatingChange.Why.TIME


def test_nobody_is_late_because_the_season_ended(
    players: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    match = make_fixture(players)
    for number in range(12):
        seat = Seat.objects.select_related("match").get(match=match, is_waiting=True)
        legal = selectors.legal_texts(match, seat, 500)
        assert legal
        play(match, seat.index, legal[number % len(legal)])
        match.refresh_from_db()
    match = play_to_the_end(match, monkeypatch)
    assert match.finished_at is not None
    assert match.finished_at >= END
    rate_matches()
    changes = {change.seat: change for change in RatingChange.objects.filter(match=match)}
    ranks = dict(match.seats.values_list("index", "rank"))
    assert {seat: change.place for seat, change in changes.items()} == ranks
    assert RatingChange.Why.TIME not in {change.why for change in changes.values()}
