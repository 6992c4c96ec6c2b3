"""Weeks of play in seconds: players of differing habits and zones, over a change of clocks, swept every hour."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, time, timedelta
from random import Random

import pytest

from gemserver.accounts.models import User
from gemserver.clocks.control import PRESETS
from gemserver.lib import clock
from gemserver.matches import selectors, sweeps, timing
from gemserver.matches.actions.set_hours import set_hours
from gemserver.matches.actions.vacation import announce_vacation
from gemserver.matches.models import Match, Seat
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, make_user, play

pytestmark = pytest.mark.django_db

START = datetime(2026, 3, 26, 6, 0, tzinfo=UTC)
"""Before the week-end on which Paris puts its clocks forward; Sydney puts them back a week later."""
DAYS = 11
TICK = timedelta(hours=1)
ZONES = ("Europe/Paris", "America/New_York", "Australia/Sydney", "Asia/Kathmandu")


def simulate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every player answers with the same chance at each tick of waking time; one in four never does."""
    random = Random(1)
    players = [make_player(number) for number in range(6)]
    for number in range(3):
        make_match(
            players=random.sample(players, 2),
            time_control=(PRESETS["1d"], PRESETS["2d"], PRESETS["1d+8h"])[number % 3],
            free_weekends=number % 2 == 0,
            now=START,
        )
    announce_vacation(
        players[1], START.date() + timedelta(days=4), START.date() + timedelta(days=7), now=START
    )
    now = START
    while now < START + timedelta(days=DAYS):
        now += TICK
        monkeypatch.setattr(clock, "now", lambda at=now: at)
        for seat in Seat.objects.filter(is_waiting=True, match__status="running").select_related(
            "user", "match"
        ):
            if seat.user and seat.user.pk % 4 and random.random() < 0.08:
                legal = selectors.legal_texts(seat.match, seat, 200)
                if legal:
                    play(seat.match, seat.index, random.choice(legal), now=now)
        sweeps.uptime.Heartbeat.objects.update(at=now)
        sweeps.act_on_deadlines()
        delivery.send_queued()
        check_nobody_is_overdue(now)


def make_player(number: int) -> User:
    user = make_user(f"player{number}")
    quiet = (time(22), time(7)) if number % 2 else None
    set_hours(user, quiet=quiet, zone=ZONES[number % 4], now=START - timedelta(days=2))
    return User.objects.get(pk=user.pk)


def check_nobody_is_overdue(now: datetime) -> None:
    assert not Seat.objects.filter(is_waiting=True, match__status="running", due_at__lte=now).exists()


@pytest.fixture
def after(monkeypatch: pytest.MonkeyPatch) -> None:
    simulate(monkeypatch)


def test_weeks_of_play(after: None) -> None:
    """One simulation for all that must hold of it."""
    sources = Counter(Match.objects.values_list("moves__source", flat=True))
    assert sources["web"] > 10
    assert sources["clock"] > 3
    reminders_are_single_and_apt()
    caches_are_what_the_arithmetic_says()
    nothing_was_sent_about_a_turn_that_had_passed()


def reminders_are_single_and_apt() -> None:
    sent = OutboxMessage.objects.filter(kind="reminder", state="sent").select_related("user")
    assert sent.count() > 3
    per_prompt = Counter((row.data["match"], row.data["seat"], row.data["turn"]) for row in sent)
    assert max(per_prompt.values()) <= 2, "one for each lead"
    for row in sent:
        assert row.user
        hours = row.user.hours_at(row.created_at)
        if hours.quiet_start is not None:
            wall = row.created_at.astimezone(hours.zone).time()
            assert time(7) <= wall < time(22), "none in quiet hours"


def caches_are_what_the_arithmetic_says() -> None:
    waiting = Seat.objects.filter(is_waiting=True, match__status="running").select_related("user", "match")
    for seat in waiting:
        assert seat.due_at == timing.due_at(seat.match, seat)


def nothing_was_sent_about_a_turn_that_had_passed() -> None:
    """A mail about a turn went out before the seat's next move at the latest."""
    for row in OutboxMessage.objects.filter(kind__in=["turn", "reminder"], state="sent"):
        answered = (
            Match.objects.get(pk=row.data["match"])
            .moves.filter(seat=row.data["seat"], ply__gte=row.data["turn"])
            .order_by("ply")
            .first()
        )
        assert row.sent_at is not None
        assert answered is None or row.sent_at <= answered.created_at
