"""How the processes of a worker's pool end."""

from __future__ import annotations

import pytest
from billiard import get_context, pool
from django.conf import settings

from gemserver.celery import end_soon


def test_a_worker_that_ends_waits_for_no_result_that_nobody_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thinker took half a minute to end when a task was just on its way to its pool."""
    slept: list[float] = []
    limit = "GUARANTEE_MESSAGE_CONSUMPTION_RETRY_LIMIT"
    monkeypatch.setattr(pool, limit, getattr(pool, limit))
    monkeypatch.setattr(pool.time, "sleep", slept.append)
    context = get_context("fork")
    queues = context.SimpleQueue(), context.SimpleQueue()
    unread = pool.Worker(*queues, on_ready_counter=context.Value("i", 0))
    end_soon()
    unread._ensure_messages_consumed(completed=1)
    assert 0 < sum(slept) < settings.CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT / 4
