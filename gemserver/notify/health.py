"""Tells whether mail goes out."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Max, Q

from gemserver.notify.models import OutboxMessage

PATIENCE = timedelta(minutes=5)
"""A mail that waits no longer than this says nothing yet."""
LATELY = timedelta(hours=1)
LONGEST_TROUBLE = timedelta(days=3)
"""Older mails, and those that were dropped, say nothing about the present."""
SEVERAL = 2
"""If mails to this many different addresses fail, the fault is ours or our relay's, whatever it says."""

State = OutboxMessage.State

_BEFORE_THE_RECIPIENT = frozenset(
    {
        *("ConnectionError", "TimeoutError", "Timeout", "gaierror", "herror", "SSLError"),
        *("SMTPServerDisconnected", "SMTPConnectError", "SMTPHeloError", "SMTPAuthenticationError"),
        "SMTPSenderRefused",
    }
)
"""Exceptions of Python and of the library that talks to the providers, by class name."""
_CLOSING = 421
"""Reply code of a mail server that serves nobody at the moment (RFC 5321)."""
_TOO_LARGE = 552
"""Reply code to one mail that is larger than the relay takes, though it comes in answer to the sender (RFC 1870)."""
_OF_THE_ADDRESS = r"^SMTPRecipientsRefused\(.*: \([0-9]+, b['\"][45]\.[12]\.|^AnymailRecipientsRefused"
"""Errors by which the relay says of a recipient that there is no such address or mailbox (RFC 3463 §3.2, §3.3)."""


def is_fault_of_relay(error: Exception) -> bool:
    """True if sending failed before anybody looked at the recipient, so that the next mail will fail likewise."""
    names = {parent.__name__ for parent in type(error).__mro__}
    is_network, code = type(error) is OSError, getattr(error, "smtp_code", 0)
    return is_network or code == _CLOSING or (bool(names & _BEFORE_THE_RECIPIENT) and code != _TOO_LARGE)


def is_stalled(now: datetime) -> bool:
    """True if nothing goes out: mails queued after the last success are not taken up, or fail for all recipients.

    A refusal that concerns an address, now or for good, says nothing about our mail.
    """
    by_mail = OutboxMessage.objects.exclude(route=OutboxMessage.Route.CHANNEL)
    waiting = by_mail.filter(state=State.QUEUED, created_at__lte=now - PATIENCE)
    if not waiting.exists():
        return False
    last_sent = by_mail.filter(state=State.SENT).aggregate(at=Max("sent_at"))["at"]
    if last_sent is not None:
        waiting = waiting.filter(created_at__gt=last_sent)
    # A mail to be sent later has not been tried, but is not late either.
    is_left_lying = Q(attempts=0, available_at__lte=now - PATIENCE)
    failed = waiting.filter(attempts__gt=0).exclude(last_error__regex=_OF_THE_ADDRESS)
    return (
        waiting.filter(is_left_lying | Q(attempts__gt=0, blames_relay=True)).exists()
        or len(failed.order_by().values_list("to", flat=True).distinct()[:SEVERAL]) == SEVERAL
    )


def has_recovered(since: datetime, now: datetime) -> bool:
    """True if the trouble that began then seems over: a mail has gone out, or none was tried lately.

    The mails that failed may have been dropped meanwhile because their turns were over; that is no recovery.
    """
    sent = OutboxMessage.objects.filter(state=State.SENT, sent_at__gt=since)
    if sent.exclude(route=OutboxMessage.Route.CHANNEL).exists():
        return True
    dropped = OutboxMessage.objects.filter(state=State.SKIPPED, created_at__gt=now - LONGEST_TROUBLE)
    return not dropped.filter(blames_relay=True, available_at__gt=now - LATELY).exists()
