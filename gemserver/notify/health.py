"""Whether mail goes out."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Max, Q

from gemserver.notify.models import OutboxMessage

PATIENCE = timedelta(minutes=5)
"""A mail that waits no longer than this says nothing yet."""

State = OutboxMessage.State


def is_stalled(now: datetime) -> bool:
    """Whether mails wait that were queued after the last one went out.

    A mail that only its own recipient's server refuses says nothing about ours.
    """
    last_sent = OutboxMessage.objects.filter(state=State.SENT).aggregate(at=Max("sent_at"))["at"]
    waiting = OutboxMessage.objects.filter(state=State.QUEUED, created_at__lte=now - PATIENCE)
    # Not what is only to be sent later on.
    waiting = waiting.filter(Q(attempts__gt=0) | Q(available_at__lte=now - PATIENCE))
    if last_sent is not None:
        waiting = waiting.filter(created_at__gt=last_sent)
    return waiting.exclude(last_error__contains="RecipientsRefused").exists()
