"""A fortnight over two changes of clocks, with a downtime and a mail outage in it, and the conditions it must meet."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.db import transaction
from django.db.models import F

from gemserver.events.models import Season
from gemserver.matches import sweeps, timing
from gemserver.matches.mails import about_match
from gemserver.matches.models import Match, Move, Notice, Seat, Sitting, Stop
from gemserver.notify.models import OutboxMessage
from gemserver.ratings.models import RatedMatch
from tests.quick import long
from tests.simulation import season_checks
from tests.simulation import world as world_module
from tests.simulation.leagues import LEAGUES, League
from tests.simulation.report import report
from tests.simulation.world import FORTNIGHT, World

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

DAY = timedelta(days=1)


def test_a_fortnight_of_a_dozen_matches() -> None:
    """One simulation for all these conditions; the figures show that everything did happen."""
    world = World(FORTNIGHT)
    world.run()
    print(*report(world), sep="\n")
    assert world.problems == []
    sources = Counter(Move.objects.values_list("source", flat=True))
    assert min(sources[source] for source in ("web", "mail", "clock", "bot")) > 10
    letters = Counter(letter.kind for letter in world.post.sent)
    assert min(letters[kind] for kind in ("turn", "reminder", "digest", "answer", "time ran out")) > 10
    assert {"vacation", "paused", "unpaused"} <= set(Notice.objects.values_list("kind", flat=True))
    sittings = Sitting.objects.filter(agreed_at__isnull=False)
    assert sittings.filter(ended_at=F("ends_at")).exists()
    assert sittings.filter(ended_at__lt=F("ends_at")).exists()
    sitters = Move.objects.filter(
        actor__in=sittings.values("sitter"), match__in=sittings.values("seat__match")
    )
    assert any(move.actor_id not in seated(move.match) for move in sitters)
    assert [stop.reason for stop in Stop.objects.filter(match=None).order_by("start")] == ["downtime", "mail"]
    assert OutboxMessage.objects.filter(state="queued", available_at__lte=world.now).count() == 0


def seated(match: Match) -> set[int | None]:
    return set(match.seats.values_list("user", flat=True))


TINY = replace(FORTNIGHT, days=2, matches=6, players=8)


def test_the_same_seed_plays_the_same_days() -> None:
    """So any fault that is found can be examined again."""

    def play() -> list[tuple[int, str]]:
        # Not `atomic`: days are transactions of their own, and lock anew what others have locked.
        before = transaction.savepoint()
        world = World(replace(TINY, days=1))
        world.run()
        moves = list(Move.objects.order_by("match", "ply").values_list("ply", "text"))
        transaction.savepoint_rollback(before)
        return moves

    assert play() == play() != []


@long
def test_a_server_that_mails_about_what_has_passed_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(about_match.MatchMail, "is_asked", True)
    world = World(replace(TINY, mail_down=(DAY / 2, DAY)))
    world.run()
    assert any("turn that has passed" in problem for problem in world.problems)


@long
def test_a_server_that_overlooks_deadlines_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeps, "expire_seat", lambda pk, now: None)
    monkeypatch.setattr(world_module, "CONTROLS", ("1d",))
    world = World(replace(TINY, days=3))
    world.run()
    assert any("is still asked" in problem for problem in world.problems)


@long
def test_a_server_that_reminds_twice_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    set_alarms = timing.set_alarms

    def set_one_too_many(match: Match, seat: Seat, now: datetime) -> None:
        set_alarms(match, seat, now)
        if seat.reminders_sent == 1:
            seat.remind_at = now + timedelta(minutes=30)

    monkeypatch.setattr(timing, "set_alarms", set_one_too_many)
    world = World(TINY)
    world.run()
    assert any("reminded" in problem for problem in world.problems)


TINY_LEAGUE = replace(
    FORTNIGHT,
    days=32,
    matches=0,
    players=6,
    leagues=(League("tiny", "jewellers", 2, 28, 4, 4, seasons=1, options={"pace": "sealed"}),),
)


@pytest.mark.parametrize("league", [*LEAGUES, *TINY_LEAGUE.leagues], ids=lambda league: league.slug)
def test_a_league_that_is_simulated_can_be_opened(league: League) -> None:
    assert league.terms(FORTNIGHT.start).find_faults(FORTNIGHT.start) == {}


@long
def test_a_season_of_a_league_from_its_entries_to_its_end() -> None:
    """One simulation for what must hold, and for what must be noticed where it does not."""
    world = World(TINY_LEAGUE)
    world.run()
    print(*report(world), sep="\n")
    assert world.problems == []
    season = Season.objects.get(number=1)
    assert season.state == Season.State.OVER
    assert season.entries.exclude(final_place=None).count() == 4
    assert RatedMatch.objects.filter(refusal="").count() > 6
    seat = Seat.objects.filter(match__fixture__isnull=False, match__ending="played out", rank=2)[0]
    Seat.objects.filter(pk=seat.pk).update(rank=1)
    assert any("by records" in problem for problem in season_checks.of_finished(DAY))
    Season.objects.filter(pk=season.pk).update(closed_at=season.ends_at + 2 * DAY)
    assert any("was closed at" in problem for problem in season_checks.of_finished(DAY))
    Season.objects.filter(number=2).delete()
    Season.objects.filter(pk=season.pk).update(state=Season.State.RUNNING)
    assert any("should have ended" in problem for problem in season_checks.of_dates(world.now))
