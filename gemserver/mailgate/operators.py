"""Passes mail to postmaster and abuse on to the operators; every domain must have them (RFC 5321 §4.5.1, RFC 2142).

Mail from machines is kept like all mail, but not passed on, so that two servers cannot keep each other busy
(mail-requirements.md L2–L8). Everything else is, up to a number an hour.
"""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.template.loader import render_to_string
from django.utils.translation import gettext

from gemserver.inbox.models import InboundEmail
from gemserver.inbox.results import Verdict
from gemserver.lib import clock, signing
from gemserver.lib.database.advisory_locks import count_alone
from gemserver.lib.text.plain import tidy
from gemserver.lib.text.redaction import redact
from gemserver.mailgate.addresses import is_own_address
from gemserver.mailgate.header import ParsedMail, UnreadableMail
from gemserver.mailgate.parse import parse
from gemserver.notify.content import Content
from gemserver.notify.models import OutboxMessage
from gemserver.notify.outbox import tell

KIND = "postmaster"
PER_HOUR = 20
"""Mails that are passed on; the rest stay on the page of incoming mail."""
LONGEST_TEXT = 20_000

State = InboundEmail.State


def pass_on(row: InboundEmail) -> Verdict:
    """Pass on a mail to postmaster or abuse, once."""
    now = clock.now()
    with transaction.atomic():
        count_alone(KIND)
        lately = OutboxMessage.objects.filter(kind=KIND, created_at__gt=now - timedelta(hours=1))
        if lately.values("thread").distinct().count() >= PER_HOUR:
            return Verdict(State.DROPPED, "too-many-for-operators")
        for number, operator in enumerate(_reachable_operators()):
            parts = (row.pk, number)
            tell(
                None,
                KIND,
                thread=f"{KIND}:{row.pk}",
                data={"inbound": row.pk},
                dedup_key=f"{KIND}:{row.pk}:{number}",
                message_id=f"<p.{row.pk}.{number}.{signing.mac('p', *parts)}@{settings.MAIL_DOMAIN}>",
                now=now,
                to=operator,
            )
    return Verdict(State.DONE, "passed-on")


def passed_on(message: OutboxMessage) -> Content | None:
    """The mail as its operator gets it, without attachments; None once it has been deleted."""
    row = InboundEmail.objects.filter(pk=message.data["inbound"], raw__isnull=False).first()
    if row is None:
        return None
    mail = _read(row)
    author = mail.from_addresses[0] if mail and len(mail.from_addresses) == 1 else row.envelope_from
    text = redact(mail.text if mail else gettext("It could not be read; its page in the admin shows it."))
    context = {
        "author": author,
        "recipient": row.envelope_to,
        "title": redact(row.subject),
        "lines": text[:LONGEST_TEXT].splitlines(),
    }
    return Content(
        subject=f"[{row.envelope_to.partition('@')[0].lower()}] {context['title']}"[:200],
        text=tidy(render_to_string("emails/postmaster.txt", context)),
        html=render_to_string("emails/postmaster.html", context),
        reply_to=author or settings.PLAY_ADDRESS,
    )


def _reachable_operators() -> list[str]:
    """Addresses other than our own, to which such a mail would come back."""
    return [address for address in settings.OPERATORS if not is_own_address(address)]


def _read(row: InboundEmail) -> ParsedMail | None:
    try:
        return parse(bytes(row.raw or b""), max_size=settings.MAIL_SIZE_LIMIT)
    except UnreadableMail as error:
        return error.mail
