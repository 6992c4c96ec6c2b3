"""Sends queued mails: claims them in one short transaction, sends outside, notes the result in another."""

from __future__ import annotations

import logging
import math
import re
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from datetime import datetime, timedelta
from email.mime.image import MIMEImage
from functools import cache
from smtplib import SMTPRecipientsRefused
from typing import Any

from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.backends.smtp import EmailBackend as SmtpBackend
from django.db import Error as DatabaseError
from django.db import connection, transaction
from django.db.models import DateTimeField, Exists, OuterRef, Q, QuerySet, Subquery

from gemserver.lib import clock
from gemserver.lib.database.database_faults import is_passing, with_new_plans
from gemserver.lib.database.prepared import Param, Prepared
from gemserver.lib.database.prepared_writes import PreparedUpdate
from gemserver.lib.process import logs
from gemserver.lib.process.host_lookup import require_lookup
from gemserver.lib.text.redaction import redact
from gemserver.notify import health
from gemserver.notify.bounces import TrustedReport
from gemserver.notify.bounces import note as note_report
from gemserver.notify.content import DEAD, Content, Gone, in_words_of, is_announced, is_wanted, writer
from gemserver.notify.envelope import return_address
from gemserver.notify.models import Channel, DeliveryEvent, OutboxMessage
from gemserver.notify.outgoing_mail import OutgoingMail
from gemserver.notify.sent_words import sent_words
from gemserver.notify.unsubscribe import unsubscribe_headers
from gemserver.nudge import nudge

log = logging.getLogger(__name__)

CLAIM = timedelta(seconds=settings.CLAIM_SECONDS)
"""A claimed mail whose worker died is taken again after this; longer than EMAIL_TIMEOUT."""
RETRY_FIRST = timedelta(seconds=30)
RETRY_LONGEST = timedelta(hours=1)
ATTEMPTS = 20
"""Attempts after which a mail is given up, unless the relay fails all, which is no fault of the mail."""
BATCH = 50
Route = OutboxMessage.Route


def send_queued(longest: float = math.inf) -> int:
    """Send due mails until none is left, or for this many seconds; return the number of mails handled.

    Another task takes up the rest, behind the tasks that already wait: a slow relay keeps no worker to itself.
    """
    handled, began = 0, time.monotonic()
    while pks := claim(claimed_at := clock.now()):
        with closing(Relay()) as relay:
            for number, pk in enumerate(pks):
                # Stop before the claim runs out, or when the clock was corrected, lest two workers send one mail.
                if time.monotonic() - began > longest or abs(clock.now() - claimed_at) > CLAIM / 2:
                    leave(pks[number:], claimed_at + CLAIM, "gemserver.notify.tasks.send_mail")
                    return handled
                with logs.about(outbox=pk):
                    unless_held(deliver, pk, claimed_at + CLAIM, relay)
                handled += 1
    return handled


class Relay:
    """The connection for the mails of one claim; kept as long as it works."""

    def __init__(self) -> None:
        self._connection: BaseEmailBackend | None = None

    def send(self, mail: EmailMultiAlternatives) -> None:
        """Send one mail. Raises whatever the backend raises."""
        if self._connection is None:
            self._connection = get_connection()
            if isinstance(self._connection, SmtpBackend):
                require_lookup(self._connection.host, settings.EMAIL_TIMEOUT)
        mail.connection = self._connection
        self._connection.open()
        mail.send()

    def close(self) -> None:
        """Close the connection; the next mail opens a new one."""
        connection, self._connection = self._connection, None
        if connection:
            # SMTP errors too: a mail that was accepted is sent, however rude the good-bye.
            with suppress(OSError):
                connection.close()


def leave(pks: Sequence[int], claimed_until: datetime, task: str) -> None:
    """Give up the claim on these rows at once, so that others can take them; `task` does."""
    ours = OutboxMessage.objects.filter(pk__in=pks, available_at=claimed_until)
    ours.filter(state=OutboxMessage.State.QUEUED).update(available_at=clock.now())
    nudge(task)


def claim(now: datetime, limit: int = BATCH, route: str = "") -> list[int]:
    """Claim up to `limit` due rows, which are this caller's alone for `CLAIM`: mails, or what leaves by channels."""
    with transaction.atomic():
        pks = _due(limit, route == Route.CHANNEL)(now=now)
        _save_claim([OutboxMessage(pk=pk, available_at=now + CLAIM) for pk in pks])
    return pks


@cache
def _due(limit: int, is_for_channels: bool) -> Prepared[int]:
    """The rows to be claimed. Prepared, because to plan it anew for all months takes PostgreSQL 5 ms."""

    def find() -> QuerySet[OutboxMessage, int]:
        leaves_by_channel = Q(route=Route.CHANNEL)
        due = OutboxMessage.objects.filter(
            leaves_by_channel if is_for_channels else ~leaves_by_channel,
            state=OutboxMessage.State.QUEUED,
            available_at__lte=Param("now", DateTimeField()),
        )
        if connection.features.has_select_for_update_skip_locked:
            due = due.select_for_update(skip_locked=True)
        return due.order_by("available_at", "pk").values_list("pk", flat=True)[:limit]

    return Prepared(find)


_save_claim = PreparedUpdate(OutboxMessage, "available_at")


def put_clock_back(was: datetime, now: datetime) -> None:
    """Make mails due that a clock running ahead has claimed, queued or postponed into what is now the future."""
    by_wrong_clock = Q(available_at__lte=was + CLAIM) | Q(attempts__gt=0) | Q(route=Route.CHANNEL)
    queued = OutboxMessage.objects.filter(state=OutboxMessage.State.QUEUED, available_at__gt=now)
    queued.filter(by_wrong_clock).update(available_at=now)
    Channel.objects.filter(next_try_at__gt=now).update(next_try_at=now)
    Channel.objects.filter(claimed_until__gt=now).update(claimed_until=None)


def unless_held(deliver: Callable[..., None], pk: int, claimed_until: datetime, *given: object) -> None:
    """Deliver one row, and let whatever befalls it stop no other.

    If its rows are locked, it is due again when the claim is over. If its reader's account was erased meanwhile, it has
    gone, and there is nothing to be noted.
    """
    try:
        with_new_plans(deliver, pk, claimed_until, *given)
    except DatabaseError as error:
        if is_passing(error):
            log.warning("mail %s is left to a later sweep: %s", pk, type(error.__cause__).__name__)
        elif OutboxMessage.objects.filter(pk=pk).exists():
            raise
        else:
            log.info("mail %s went with its reader's account", pk)


def deliver(pk: int, claimed_until: datetime, relay: Relay) -> None:
    """Write and send one claimed mail and note the result; never raises because of one bad mail.

    One that cannot be written or sent is tried again, and kept for the operators at last; only one whose matter is over
    or `Gone` is skipped. After a failure the next mail gets a new connection. Does nothing if the claim is no longer
    this caller's, lest two workers send the mail.
    """
    claimed = _claimed(pk=pk, until=claimed_until)
    if not claimed:
        return
    message = claimed[0]
    try:
        if not message.route and message.has_channel and is_announced(message):
            _hand_to_channels(message)
            return
        dead = _mention_dead_channels(message) if message.has_dead_channel else []
        mail = write(message) if message.to else None
    except Gone as gone:
        log.info("mail %s tells of something that is gone: %s", message.message_id, gone)
        note(message, OutboxMessage.State.SKIPPED)
        return
    except Exception as error:  # whatever is wrong with one mail, the others go out
        _note_failure(message, error)
        _report(message, error)
        return
    if mail is None:
        note(message, OutboxMessage.State.SKIPPED)
        return
    try:
        relay.send(mail)
    except Exception as error:
        relay.close()
        log.warning(
            "mail %s not sent, attempt %s: %s", message.message_id, message.attempts + 1, redact(repr(error))
        )
        _note_failure(message, error)
        if _says_no_such_address(error):
            _note_bounce(message)
        return
    status = getattr(mail, "anymail_status", None)
    message.provider_id = (getattr(status, "message_id", None) or "")[:200]
    if settings.KEEP_RENDERED_MAIL:
        message.rendered = mail.message().as_bytes()
    message.sent_words = sent_words(message, mail)
    note(message, OutboxMessage.State.SENT)
    Channel.objects.filter(pk__in=dead).update(is_told=True)


def _report(message: OutboxMessage, error: Exception) -> None:
    """Tell the log of a mail that cannot be written: a fault of ours, unless the database was away."""
    level = logging.WARNING if is_passing(error) else logging.ERROR
    log.log(level, "mail %s cannot be written", message.message_id, exc_info=error)


def _find_claimed() -> QuerySet[OutboxMessage]:
    """The claimed row, with what its reader has chosen beside mail."""
    theirs = Channel.objects.filter(user=OuterRef("user"))
    rows = OutboxMessage.objects.select_related("user").annotate(
        has_channel=Exists(theirs.filter(is_chosen=True, off="")),
        has_dead_channel=Exists(theirs.filter(is_told=False)),
    )
    return rows.filter(
        pk=Param("pk"), state=OutboxMessage.State.QUEUED, available_at=Param("until", DateTimeField())
    )


_claimed: Prepared[Any] = Prepared(_find_claimed)


def _hand_to_channels(message: OutboxMessage) -> None:
    """Let another queue tell it, so that a receiver that hangs holds up no mail."""
    message.route, message.available_at = Route.CHANNEL, clock.now()
    message.save(update_fields=["route", "available_at"])
    nudge("gemserver.notify.tasks.send_to_channels")


def _mention_dead_channels(message: OutboxMessage) -> list[int]:
    """Let the mail name channels of its reader that died, if it is one that a channel might have told."""
    dead = Channel.objects.filter(user=message.user, is_told=False)
    if not dead or not is_announced(message):
        return []
    message.data[DEAD] = [channel.name for channel in dead]
    return [channel.pk for channel in dead]


def write(message: OutboxMessage) -> EmailMultiAlternatives | None:
    """The mail, in its reader's language and zone; None if it is out of date or no longer wanted."""
    content = write_content(message)
    return assemble(message, content) if content else None


def write_content(message: OutboxMessage) -> Content | None:
    """Like `write`, without the headers."""
    return in_words_of(message.user, lambda row: writer(row.kind)(row) if is_wanted(row) else None, message)


def assemble(message: OutboxMessage, content: Content) -> EmailMultiAlternatives:
    """The content with the headers of every automatic mail.

    See mail-requirements.md H1, L1, U1; RFC 3834, 2369, 8058.
    """
    caused = "auto-replied" if content.answers else "auto-generated"
    headers = {
        "Message-ID": message.message_id,
        "Auto-Submitted": caused,
        "X-Auto-Response-Suppress": "OOF, AutoReply, DR, RN, NRN",
        "Precedence": "list",
        "X-Gemserver-Loop": settings.MAIL_DOMAIN,
        "Feedback-ID": f"{message.kind}:{content.category or 'all'}:{caused}:gemserver",
        **thread_headers(message),
        **(unsubscribe_headers(message.user, content.category) if message.user else {}),
        **content.headers,
    }
    sender = settings.DEFAULT_FROM_EMAIL
    if settings.MAIL_VERP:
        sender, headers["From"] = return_address(message), sender
    mail = OutgoingMail(
        content.subject, content.text, sender, to=[message.to], reply_to=[content.reply_to], headers=headers
    )
    mail.attach_alternative(content.html, "text/html")
    for image in content.images:
        part = MIMEImage(image.png, "png")
        part.add_header("Content-ID", f"<{image.name}>")
        part.add_header("Content-Disposition", "inline", filename=f"{image.name}.png")
        mail.attach(part)
    return mail


def thread_headers(message: OutboxMessage) -> dict[str, str]:
    """In-Reply-To: the mail it answers, or the last of its thread. References: the thread's first mail and that one."""
    ((first, last),) = _ends_of_thread(message=message.pk)
    parent = message.in_reply_to or last
    if parent is None:
        return {}
    return {"In-Reply-To": parent, "References": " ".join(dict.fromkeys(filter(None, [first, parent])))}


def _find_ends_of_thread() -> QuerySet[OutboxMessage, tuple[str | None, str | None]]:
    """The Message-IDs of the first and the last mail sent before it in its thread."""
    earlier = OutboxMessage.objects.filter(
        ~Q(route=Route.CHANNEL),  # of which no mailbox knows
        thread=OuterRef("thread"),
        to=OuterRef("to"),
        state=OutboxMessage.State.SENT,
        pk__lt=OuterRef("pk"),
    ).values("message_id")
    first, last = (Subquery(earlier.order_by(order)[:1]) for order in ("pk", "-pk"))
    return OutboxMessage.objects.filter(pk=Param("message")).values_list(first, last)


_ends_of_thread = Prepared(_find_ends_of_thread)


def note(message: OutboxMessage, state: OutboxMessage.State) -> None:
    """Note how a row ended."""
    message.state = state
    message.attempts += 1
    message.sent_at = clock.now() if state == OutboxMessage.State.SENT else None
    message.data.pop("secret", None)
    _save_outcome([message])
    log.info("%s: %s", message.kind, state, extra={"message_id": message.message_id})


_save_outcome = PreparedUpdate(
    OutboxMessage, "state", "attempts", "sent_at", "provider_id", "rendered", "sent_words", "data"
)


_NO_SUCH_ADDRESS = re.compile(rb"\b5\.1\.(?:1|2|3|6|10)\b")
"""RFC 3463 §3.2; other refusals (5.7.1) may be the relay's trouble with us, not with the address."""


def _says_no_such_address(error: Exception) -> bool:
    answers = error.recipients.values() if isinstance(error, SMTPRecipientsRefused) else []
    return any(code >= 500 and _NO_SUCH_ADDRESS.search(text) for code, text in answers)


def _note_bounce(message: OutboxMessage) -> None:
    """Record a bounce that came as the relay's refusal instead of as a returned mail."""
    now = clock.now()
    key = f"smtp:{message.pk}:{message.attempts}"
    kind = DeliveryEvent.Kind.HARD_BOUNCE
    note_report(TrustedReport(kind, message.to, now, "smtp", key, message.last_error, message), now=now)


def _note_failure(message: OutboxMessage, error: Exception) -> None:
    message.attempts += 1
    message.last_error = redact(repr(error))[:2000]
    message.blames_relay = health.is_fault_of_relay(error)
    doublings = min(message.attempts - 1, ATTEMPTS)
    message.available_at = clock.now() + min(RETRY_FIRST * 2**doublings, RETRY_LONGEST)
    if message.attempts >= ATTEMPTS and not message.blames_relay and not health.is_stalled(clock.now()):
        message.state = OutboxMessage.State.FAILED
        message.data.pop("secret", None)
    message.save(update_fields=["state", "attempts", "last_error", "blames_relay", "available_at", "data"])
