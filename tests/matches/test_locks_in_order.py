"""A mail about all matches of a player locks them in the order that all others do (`tests/lock_watch.py`)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import transaction

from gemserver.accounts.models import User
from gemserver.clocks.control import TimeControl
from gemserver.matches import sitters
from gemserver.matches.actions.people.snooze import end_snooze, snooze
from gemserver.matches.actions.time.set_hours import set_leads
from tests.builders import NOON, asked, make_match

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


def be_woken(user: User) -> None:
    User.objects.filter(pk=user.pk).update(snoozed_until=NOON + DAY)
    end_snooze(user, now=NOON)


def sleep(user: User) -> None:
    snooze(user, DAY, now=NOON)


def choose_leads(user: User) -> None:
    set_leads(user, [DAY], now=NOON)


@pytest.mark.parametrize("choose", [be_woken, sleep, choose_leads])
def test_the_most_urgent_match_is_not_locked_first(
    choose: Callable[[User], None], ana: User, ben: User
) -> None:
    deal = "0" * 64  # so that the same player begins in both
    for days in (7, 3):
        time = TimeControl.per_move(days * DAY)
        match = make_match("gembatan", players=[ana, ben], time_control=time, server_part=deal)
    player = asked(match).user
    assert player
    urgent, other = sitters.mailed_to(player, NOON)
    assert urgent.match_id > other.match_id
    with transaction.atomic():
        choose(player)
    assert player.seats.filter(remind_at__isnull=False).count() == 2
