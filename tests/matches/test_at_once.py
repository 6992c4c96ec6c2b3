"""A player goes away, or answers, while something happens at the table: both is done, and nobody stays by halves."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from django.db import connection, connections, transaction

from gemserver.accounts.models import User
from gemserver.inbox.erasure import erase
from gemserver.matches.actions.clubs.leave_club import leave_club
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.play.start_match import start_match
from gemserver.matches.actions.tables.answer_invitation import accept_invitation
from gemserver.matches.actions.tables.invite import invite, withdraw_invitation
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.refusal import Refused
from tests.builders import NOON, make_match, make_table, make_user
from tests.clubs.people import make_club, open_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as pool:
        yield pool


def test_a_match_that_ends_meanwhile_does_not_stop_the_erasure(
    ana: User, ben: User, pool: ThreadPoolExecutor
) -> None:
    match = make_match(game="gembatan", players=[ana, ben])
    with transaction.atomic():
        lock_match(match.pk)
        erased = _erase_in_thread(pool, ana)
        resign(match.pk, ben, source=Move.Source.WEB, request_id="first", now=NOON)
    erased.result(timeout=20)
    assert not User.objects.filter(username="ana").exists()
    assert match.seats.get(index=0).rank == 1


def test_a_table_that_begins_meanwhile_is_resigned(ana: User, ben: User, pool: ThreadPoolExecutor) -> None:
    table = make_table(seats=2, creator=ana, starts_when_full=True)
    with transaction.atomic():
        lock_match(table.pk)
        erased = _erase_in_thread(pool, ana)
        join_table(table.pk, ben, now=NOON)
    erased.result(timeout=20)
    assert not User.objects.filter(username="ana").exists()
    table.refresh_from_db()
    assert (table.status, table.ending) == (Match.Status.FINISHED, Match.Ending.RESIGNED)


def test_no_seat_is_left_without_a_player(ana: User, ben: User, pool: ThreadPoolExecutor) -> None:
    """Ana sits down at another table while the erasure waits for the lock of the first."""
    match, table = (
        make_match(game="gembatan", players=[ana, make_user("cy")]),
        make_table(seats=2, creator=ben, starts_when_full=True),
    )
    with transaction.atomic():
        lock_match(match.pk)
        erased = _erase_in_thread(pool, ana)
        pool.submit(_in_thread, lambda: join_table(table.pk, ana, now=NOON)).result(timeout=20)
    erased.result(timeout=20)
    assert not User.objects.filter(username="ana").exists()
    running = Seat.objects.filter(match__status__in=[Match.Status.OPEN, Match.Status.RUNNING])
    assert not running.filter(user=None, bot="").exists()


def test_a_club_is_left_although_its_table_begins_meanwhile(
    ana: User, ben: User, pool: ThreadPoolExecutor
) -> None:
    club = make_club("Lake", ben, ana)
    table = open_for(club, ana)
    with transaction.atomic():
        lock_match(table.pk)
        left = _wait_in_thread(pool, lambda: leave_club(club.pk, ana, now=NOON))
        join_table(table.pk, ben, now=NOON)
        start_match(table.pk, by=ben, now=NOON)
    left.result(timeout=20)
    assert not club.members.filter(user=ana).exists()
    table.refresh_from_db()
    assert table.is_running


def test_an_invitation_is_accepted_while_its_sender_takes_it_back(
    ana: User, ben: User, pool: ThreadPoolExecutor
) -> None:
    table = make_table(seats=2, creator=ana)
    invitation = invite(table.pk, ana, "ben", now=NOON)
    with transaction.atomic():
        lock_match(table.pk)
        accepted = _wait_in_thread(pool, lambda: accept_invitation(invitation.pk, ben, now=NOON))
        withdraw_invitation(invitation.pk, ana, now=NOON)
    with pytest.raises(Refused) as refusal:
        accepted.result(timeout=20)
    assert refusal.value.code == "withdrawn"


def _erase_in_thread(pool: ThreadPoolExecutor, user: User) -> Future[None]:
    return _wait_in_thread(pool, lambda: erase(user, now=NOON))


def _wait_in_thread(pool: ThreadPoolExecutor, do: Callable[[], object]) -> Future[None]:
    """Begin to do it, and return when it waits for the lock that we hold."""
    begun = pool.submit(_in_thread, do)
    for _ in range(100):
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone() != (0,):
                return begun
        time.sleep(0.1)
    pytest.fail("it waits for nothing")


def _in_thread(do: Callable[[], object]) -> None:
    try:
        do()
    finally:
        connections.close_all()
