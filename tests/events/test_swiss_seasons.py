"""Swiss tournaments from the order of their players to the final table, with matches that are really played."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gemserver.accounts.bans import ban_user, lift
from gemserver.accounts.models import User
from gemserver.events.models import Event
from gemserver.events.standings import find_standings
from gemserver.ratings import rating
from gemserver.ratings.selectors import ratings_in
from tests.events.leagues import START, hold, make_event, make_players, order_by_lot, play_all, season_of
from tests.ratings.finished import finish

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("guessing_bots")]

DAY = timedelta(days=1)


@pytest.mark.slow
def test_the_players_of_a_swiss_tournament_stand_by_their_ratings(
    organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = make_players(5)
    for strong in (3, 4):
        finish([players[strong], players[0]], game="gembatan")
    rating.rate_all()
    event = make_event(organiser, players, format=Event.Format.SWISS, seats=2, rounds=3, season_days=3 * 28)
    hold(monkeypatch, START)
    entries = season_of(event).divisions.get().entries.select_related("player").order_by("number")
    numbers = {
        player: belief.belief.number
        for player, belief in ratings_in("gembatan", [p.pk for p in players]).items()
    }
    order = [numbers.get(entry.player_id, 1500) for entry in entries]
    assert len(set(order)) > 2
    assert order == sorted(order, reverse=True)
    by_lot = order_by_lot(season_of(event), season_of(event).lots)
    equal = [entry for entry in by_lot if entry.player in players[1:3]]
    assert [entry for entry in entries if entry.player_id not in numbers] == equal


@pytest.mark.slow
def test_a_swiss_tournament_is_paired_round_by_round(
    organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = make_players(5)
    event = make_event(organiser, players, format=Event.Format.SWISS, seats=2, rounds=3, season_days=3 * 28)
    hold(monkeypatch, START)
    season = season_of(event)
    division = season.divisions.get()
    for number in range(1, 4):
        assert division.fixtures.filter(round=number).count() == 3
        assert division.fixtures.filter(round=number, match=None).count() == 1
        at = START + timedelta(days=number)
        hold(monkeypatch, at)
        assert not division.fixtures.filter(round=number + 1).exists()
        play_all(season, now=at)
        hold(monkeypatch, at + timedelta(hours=1))
    met = [
        frozenset(places)
        for fixture in division.fixtures.all()
        if len(places := fixture.places.values_list("entry", flat=True)) == 2
    ]
    assert len(met) == len(set(met)) == 6
    last = division.fixtures.filter(round=3).exclude(match=None)[0].match
    assert last is not None
    assert last.play_until == season.ends_at - DAY
    hold(monkeypatch, season.ends_at)
    standings = find_standings(division)
    assert sum(row.points for row in standings.rows) == 9
    assert min(row.place for row in standings.rows) == 1


def test_an_account_that_is_shut_is_paired_with_nobody_until_it_is_open_again(
    organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = make_players(4)
    event = make_event(organiser, players, format=Event.Format.SWISS, seats=2, rounds=3, season_days=3 * 28)
    hold(monkeypatch, START)
    season = season_of(event)
    entry = season.entries.get(player=players[0])
    for number in range(1, 4):
        at = START + timedelta(days=number)
        if number == 2:
            ban = ban_user(players[0], "Insults.", now=at)
        if number == 3:
            lift(ban, now=at)
        play_all(season, now=at)
        hold(monkeypatch, at + timedelta(hours=1))
    rounds = entry.places.values_list("fixture__round", flat=True)
    assert sorted(rounds) == [1, 2]
    assert season.divisions.get().fixtures.filter(round=3).count() == 2
