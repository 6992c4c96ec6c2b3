"""A player's choices at the same time as a move at their table: neither blocks the other for good."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connections, transaction

from gemserver.accounts.models import User
from gemserver.matches.actions.people.choose_channels import choose_channels
from gemserver.matches.actions.time.take_vacation import announce_vacation
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Match, NotificationChoice, Seat
from tests.builders import NOON, make_match, make_user, play
from tests.lock_waits import wait_until_waiting

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]

DAY = timedelta(days=1)


def go_on_vacation(user: User, match: Match) -> None:
    announce_vacation(user, NOON.date() + DAY, NOON.date() + 2 * DAY, now=NOON)


def want_no_reminders(user: User, match: Match) -> None:
    choose_channels(
        user, match, {NotificationChoice.Topic.REMINDER: NotificationChoice.Channel.WEB}, now=NOON
    )


@pytest.mark.parametrize("change", [go_on_vacation, want_no_reminders])
def test_a_move_and_a_choice_at_once_are_both_kept(change: Callable[[User, Match], None]) -> None:
    match = make_match(players=[make_user("ana"), make_user("ben")])
    seat = Seat.objects.select_related("user").get(match=match, is_waiting=True)
    assert seat.user
    with ThreadPoolExecutor() as pool:
        with transaction.atomic():
            lock_match(match.pk)
            changed = pool.submit(_in_thread, change, seat.user, match)
            wait_until_waiting(begun=changed)
            play(match, seat.index, "bid 1")
        changed.result(timeout=20)
    assert match.moves.filter(seat=seat.index).exists()
    assert seat.user.vacations.exists() or seat.user.notification_choices.exists()


def _in_thread(change: Callable[[User, Match], None], user: User, match: Match) -> None:
    try:
        change(user, match)
    finally:
        connections.close_all()
