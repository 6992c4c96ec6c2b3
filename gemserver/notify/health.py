"""Whether mail goes out."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Max, Q

from gemserver.notify.models import OutboxMessage

PATIENCE = timedelta(minutes=5)
"""A mail that waits no longer than this says nothing yet."""
LATELY = timedelta(hours=1)
LONGEST_TROUBLE = timedelta(days=3)
"""Mails that are older and were dropped say nothing of now."""
SEVERAL = 2
"""When mails to so many different addresses fail the fault is ours or our relay's, whatever it says."""

State = OutboxMessage.State

_BEFORE_THE_RECIPIENT = frozenset(
    {
        *("ConnectionError", "TimeoutError", "Timeout", "gaierror", "herror", "SSLError"),
        *("SMTPServerDisconnected", "SMTPConnectError", "SMTPHeloError", "SMTPAuthenticationError"),
    }
)
"""Exceptions, of Python and of the library through which the providers are reached, by the names of their classes."""
_CLOSING = 421
"""What a mail server says when it serves nobody (RFC 5321)."""


def is_fault_of_relay(error: Exception) -> bool:
    """Whether sending failed before anybody looked at the recipient: the next mail will fail likewise."""
    names = {parent.__name__ for parent in type(error).__mro__}
    is_network = type(error) is OSError
    return is_network or bool(names & _BEFORE_THE_RECIPIENT) or getattr(error, "smtp_code", 0) == _CLOSING


def is_stalled(now: datetime) -> bool:
    """Whether nothing goes out: mails queued after the last one that did are not taken up, or fail whoever they are to.

    What a single address refuses, for now or for good, says nothing about ours.
    """
    waiting = OutboxMessage.objects.filter(state=State.QUEUED, created_at__lte=now - PATIENCE)
    if not waiting.exists():
        return False
    last_sent = OutboxMessage.objects.filter(state=State.SENT).aggregate(at=Max("sent_at"))["at"]
    if last_sent is not None:
        waiting = waiting.filter(created_at__gt=last_sent)
    # One that is only to be sent later on has not been tried and is not late.
    is_left_lying = Q(attempts=0, available_at__lte=now - PATIENCE)
    failed = waiting.filter(attempts__gt=0).exclude(last_error__contains="RecipientsRefused")
    return (
        waiting.filter(is_left_lying | Q(attempts__gt=0, blames_relay=True)).exists()
        or len(failed.order_by().values_list("to", flat=True).distinct()[:SEVERAL]) == SEVERAL
    )


def has_recovered(since: datetime, now: datetime) -> bool:
    """Whether the trouble that began then is over, as far as one knows: a mail has gone out, or none was tried lately.

    In between the mails that failed may have been dropped, their turns being over; that is no recovery.
    """
    if OutboxMessage.objects.filter(state=State.SENT, sent_at__gt=since).exists():
        return True
    dropped = OutboxMessage.objects.filter(state=State.SKIPPED, created_at__gt=now - LONGEST_TROUBLE)
    return not dropped.filter(blames_relay=True, available_at__gt=now - LATELY).exists()
