"""A season and its matches change at the same time: who has left does not play, and whoever comes plays the rest."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from gemserver.accounts.models import User
from gemserver.events.actions import start_season as starting
from gemserver.events.actions.adjudicate_fixture import adjudicate_fixture
from gemserver.events.actions.enter import enter
from gemserver.events.actions.open_match import open_match
from gemserver.events.actions.replace_player import propose_replacement
from gemserver.events.actions.start_season import start_season
from gemserver.events.actions.withdraw import withdraw
from gemserver.events.models import Place
from gemserver.inbox import erasure
from gemserver.matches.actions.play.adjudicate import adjudicate
from gemserver.matches.models import Match, Seat
from tests.builders import NOON, make_user
from tests.events.leagues import fixtures_of, make_event, make_players, season_of
from tests.lock_waits import begin

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]

DAY = timedelta(days=1)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as pool:
        yield pool


def test_who_withdraws_while_a_match_is_opened_does_not_play_it(
    organiser: User, pool: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "OPENED_AT_ONCE", 0)
    players = make_players(4)
    event = make_event(organiser, players)
    start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    place = Place.objects.filter(entry__player=players[0]).first()
    assert place is not None
    with transaction.atomic():
        withdraw(event.pk, players[0], now=NOON + DAY)
        opened = begin(pool, lambda: open_match(place.fixture_id, now=NOON + DAY))
    opened.result(timeout=20)
    match = Match.objects.get(fixture=place.fixture_id)
    assert match.seats.get(index=place.index).bot == Seat.Bot.NORMAL
    assert not Seat.objects.filter(user=players[0]).exists()


def test_a_newcomer_takes_over_what_runs_while_one_match_ends(
    organiser: User, pool: ThreadPoolExecutor
) -> None:
    players, newcomer = make_players(4), make_user("dee")
    event = make_event(organiser, players)
    season = start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    entry = season.entries.get(player=players[0])
    propose_replacement(entry.pk, newcomer, by=organiser, reason="Away.", now=NOON + DAY)
    ending = fixtures_of(season)[0].match
    assert ending is not None
    with transaction.atomic():
        adjudicate(ending.pk, (), "A slip.", now=NOON + DAY)
        agreed = begin(pool, lambda: enter(event.pk, newcomer, now=NOON + DAY))
    agreed.result(timeout=20)
    assert season.entries.get(pk=entry.pk).player == newcomer
    running = Seat.objects.filter(match__status=Match.Status.RUNNING)
    assert running.filter(user=newcomer).count() == len(fixtures_of(season)) - 1
    assert not running.filter(user=players[0]).exists()


def test_an_organiser_decides_a_fixture_whose_match_ends_meanwhile(
    organiser: User, pool: ThreadPoolExecutor
) -> None:
    event = make_event(organiser, make_players(4))
    season = start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    fixture = fixtures_of(season)[0]
    assert fixture.match is not None

    def decide() -> object:
        return adjudicate_fixture(fixture.pk, [1, 2, 3, 4], by=organiser, reason="Late.", now=NOON + DAY)

    with transaction.atomic():
        adjudicate(fixture.match.pk, (2,), "A slip.", now=NOON + DAY)
        decided = begin(pool, decide)
    decided.result(timeout=20)
    assert [place.rank for place in fixture.places.order_by("index")] == [1, 2, 3, 4]
    assert fixture.match.seats.get(index=2).rank == 1, "it stays as it ended"


def test_an_account_is_erased_while_a_newcomer_takes_over_from_it(
    organiser: User, pool: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each wanted what the other held: the one the entry, the other its matches."""
    players, newcomer = make_players(4), make_user("dee")
    event = make_event(organiser, players)
    season = start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    entry = season.entries.get(player=players[0])
    propose_replacement(entry.pk, newcomer, by=organiser, reason="Away.", now=NOON + DAY)
    agreed: list[Future[None]] = []
    resign = erasure.resign

    def resign_meanwhile(*given: Any, **named: Any) -> Match:
        if not agreed:
            agreed.append(begin(pool, lambda: enter(event.pk, newcomer, now=NOON + DAY)))
        return resign(*given, **named)

    monkeypatch.setattr(erasure, "resign", resign_meanwhile)
    erasure.erase(players[0], now=NOON + DAY)
    agreed[0].result(timeout=20)
    assert season.entries.get(pk=entry.pk).player == newcomer
    assert Seat.objects.filter(user=newcomer).count() == len(fixtures_of(season))
