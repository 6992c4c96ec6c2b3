"""Moderators act at once: a match that is held holds up no action about another, and each action is in the log."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from django.db import connections, transaction

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.lib import clock
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Match
from gemserver.moderation import audit
from gemserver.moderation.actions import ACTIONS
from gemserver.moderation.actions.action import ActionRequest, perform
from gemserver.moderation.models import AuditEntry
from tests.builders import make_match, make_user
from tests.lock_waits import wait_until_waiting
from tests.moderation.guards import tamper

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as pool:
        yield pool


@pytest.fixture
def moderators(transactional_db: None) -> Iterator[list[User]]:
    yield [make_user(name, role=Role.MODERATOR) for name in ("mia", "max")]
    # The database would refuse to empty a log that holds anything.
    tamper("DELETE FROM moderation_auditentry", "DELETE FROM moderation_audithead")


def test_a_held_match_holds_up_no_action_about_another(
    match: Match, moderators: list[User], pool: ThreadPoolExecutor
) -> None:
    other = make_match(players=[make_user("dora"), make_user("eva")], now=clock.now())
    with transaction.atomic():
        lock_match(match.pk)
        waits = pool.submit(_pause, moderators[0], match, "first")
        wait_until_waiting(1)
        pool.submit(_pause, moderators[1], other, "second").result(timeout=20)
        assert not waits.done()
    waits.result(timeout=20)
    assert [entry.match for entry in AuditEntry.objects.order_by("number")] == [other.code, match.code]
    assert audit.find_fault() is None


def test_a_request_that_is_sent_twice_at_once_acts_once(
    match: Match, moderators: list[User], pool: ThreadPoolExecutor
) -> None:
    with transaction.atomic():
        lock_match(match.pk)
        twice: list[Future[None]] = [pool.submit(_pause, moderators[0], match, "same") for _ in range(2)]
        wait_until_waiting(2)
    for each in twice:
        each.result(timeout=20)
    assert AuditEntry.objects.count() == 1


def _pause(moderator: User, match: Match, key: str) -> None:
    try:
        asked = ActionRequest(moderator, "A look at it", key, clock.now())
        perform(ACTIONS["pause"], asked, Match.objects.get(pk=match.pk), {})
    finally:
        connections.close_all()
