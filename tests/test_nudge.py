"""Workers are woken after a commit, and by one message for many moves at once."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import transaction

import gemserver.celery
from gemserver.nudge import nudge

SEND, PLAY = "gemserver.notify.tasks.send_mail", "gemserver.matches.tasks.play_bots"


class Broker:
    """Keeps the tasks it is sent; `had` is set once a task has come for the last match."""

    def __init__(self, last: int) -> None:
        self.sent: list[tuple[str, tuple[Any, ...]]] = []
        self.had = threading.Event()
        self._last = last

    def send_task(self, task: str, args: tuple[Any, ...], **options: object) -> None:
        self.sent.append((task, args))
        if args == (self._last,):
            self.had.set()


@pytest.fixture
def broker(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Broker:
    settings.NUDGES = True
    monkeypatch.setattr("gemserver.nudge.MOMENT", 0.5)  # long enough on a busy machine too
    broker = Broker(last=7)
    monkeypatch.setattr(gemserver.celery, "app", broker)
    return broker


@pytest.mark.django_db(transaction=True)
def test_many_moves_in_a_moment_send_for_the_mail_once_and_for_the_bots_of_each_match(broker: Broker) -> None:
    with transaction.atomic():
        for match in (3, 5, 5, 7):
            nudge(SEND)
            nudge(PLAY, match)
        assert not broker.sent, "nothing is committed yet"
    assert broker.had.wait(10)
    assert broker.sent == [(SEND, ()), (PLAY, (3,)), (PLAY, (5,)), (PLAY, (7,))]


@pytest.mark.django_db(transaction=True)
def test_what_is_taken_back_wakes_nobody(broker: Broker) -> None:
    with transaction.atomic():
        nudge(PLAY, 3)
        transaction.set_rollback(True)
    nudge(PLAY, 7)
    assert broker.had.wait(10)
    assert broker.sent == [(PLAY, (7,))]
