"""Returned mails, complaints, and providers' reports of delivery.

See mail-requirements.md L10, RFC 3464, RFC 5965.

A report counts only if its maker can know of the mail: it came to the mail's own return address, it quotes the mail's
Message-ID, or a provider posted it. Anybody could write one that merely names somebody's address.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from hashlib import sha256

from anymail.signals import AnymailTrackingEvent, EventType, RejectReason
from django.db.models import Q

from gemserver.accounts.addresses import owner_of
from gemserver.accounts.models import UnreachableAddress, User
from gemserver.accounts.reachability import is_cut_off
from gemserver.inbox.models import InboundEmail
from gemserver.inbox.results import Verdict
from gemserver.lib import clock
from gemserver.lib.text.mail_address import comparable
from gemserver.mailgate.header import ParsedMail
from gemserver.mailgate.reading.automatic import DeliveryReport
from gemserver.matches.actions.people.set_mail_mode import set_mail_mode
from gemserver.matches.actions.people.try_address_again import lock_tables, tell_cut_off
from gemserver.matches.models import Match
from gemserver.notify.bounces import TrustedReport, note
from gemserver.notify.envelope import message_returned_to
from gemserver.notify.models import DeliveryEvent, OutboxMessage

Kind = DeliveryEvent.Kind

_TEMPORARY = re.compile(r"\b4\.\d{1,3}\.\d{1,3}\b|^4\d\d\b|\btransient\b|\bsoft", re.IGNORECASE)
_GONE = frozenset({RejectReason.INVALID, RejectReason.BOUNCED})
_UNWANTED = frozenset({RejectReason.SPAM, RejectReason.UNSUBSCRIBED})


def judge(row: InboundEmail, mail: ParsedMail) -> Verdict | None:
    """Record a mail that reports on one of ours; None for any other mail. Nothing is ever answered."""
    returned = message_returned_to(row.envelope_to)
    if mail.dsn is None:
        return Verdict(InboundEmail.State.DROPPED, "to-return-address") if returned else None
    message = returned or _message_with_id(mail.dsn.message_id)
    if message is None or (not returned and mail.dsn.recipient not in ("", comparable(message.to))):
        return Verdict(InboundEmail.State.DROPPED, "report-of-unknown-mail")
    if kind := _kind_of_dsn(mail.dsn):
        report = TrustedReport(
            kind,
            message.to,
            row.received_at,
            "dsn",
            f"dsn:{row.pk}",
            f"{mail.dsn.action} {mail.dsn.status}".strip(),
            message,
        )
        note(report, now=clock.now())
    return Verdict(InboundEmail.State.DROPPED, "delivery-report", user=message.user)


def _kind_of_dsn(dsn: DeliveryReport) -> DeliveryEvent.Kind | None:
    """None if the mail is still on its way (`delayed`) or has arrived."""
    if dsn.action == "complaint":
        return Kind.COMPLAINED
    if dsn.action != "failed":
        return None
    return Kind.SOFT_BOUNCE if dsn.status.startswith("4") else Kind.HARD_BOUNCE


def _message_with_id(message_id: str) -> OutboxMessage | None:
    """The mail of ours with this Message-ID, its own or the one that the provider replaced it with.

    See mail-requirements.md H2.
    """
    bare = message_id.strip("<> ")
    if not bare:
        return None
    ids = (bare, f"<{bare}>")
    found = OutboxMessage.objects.select_related("user").filter(
        Q(message_id__in=ids) | Q(provider_id__in=ids)
    )
    return found.first()


def note_event(sender: object, event: AnymailTrackingEvent, esp_name: str, **kwargs: object) -> None:
    """Record a provider's report on a mail; connected in `apps.py`."""
    kind = _kind_of_event(event)
    message = _message_with_id(str(event.message_id or ""))
    address = str(event.recipient or (message.to if message else ""))
    if kind is None or not address:
        return
    at = event.timestamp if isinstance(event.timestamp, datetime) else clock.now()
    detail = " ".join(str(part) for part in (event.description, event.mta_response) if part)
    report = TrustedReport(kind, address, at, esp_name, _key(event, esp_name, address, kind), detail, message)
    note(report, now=clock.now())


def _kind_of_event(event: AnymailTrackingEvent) -> DeliveryEvent.Kind | None:
    """None for events that say nothing about the address: opened, queued, delayed."""
    match event.event_type:
        case EventType.DELIVERED:
            return Kind.DELIVERED
        case EventType.COMPLAINED | EventType.UNSUBSCRIBED:
            return Kind.COMPLAINED
        case EventType.REJECTED if event.reject_reason in _UNWANTED:
            return Kind.COMPLAINED
        case EventType.REJECTED:
            return Kind.REJECTED if event.reject_reason in _GONE else Kind.SOFT_BOUNCE
        case EventType.BOUNCED:
            said = f"{event.description or ''} {event.mta_response or ''}".strip()
            return Kind.SOFT_BOUNCE if _TEMPORARY.search(said[:1000]) else Kind.HARD_BOUNCE
        case EventType.FAILED if event.reject_reason in _GONE:
            return Kind.HARD_BOUNCE
    return None


def _key(event: AnymailTrackingEvent, source: str, address: str, kind: str) -> str:
    """A key, equal for the same report posted again; one notification of Amazon's may concern several addresses."""
    about = event.event_id or f"{event.message_id} {event.timestamp}"
    return f"{source}:{sha256(f'{about} {comparable(address)} {kind}'.encode()).hexdigest()}"


def lose_address(address: str, why: UnreachableAddress.Reason, now: datetime) -> Callable[[], object]:
    """Lock the tables of whose address is about to be given up; return what is to be done once it is.

    After a complaint mail is switched off; else the tables are told of a player who cannot be reached at all.
    """
    user = owner_of(address)
    if user is None:
        return lambda: None
    if why == UnreachableAddress.Reason.COMPLAINED:
        return partial(set_mail_mode, user, User.MailMode.OFF, now=now)
    return partial(_tell_if_cut_off, lock_tables(user), user, now)


def _tell_if_cut_off(matches: Mapping[int, Match], user: User, now: datetime) -> None:
    if is_cut_off(user):
        tell_cut_off(matches, user, int(now.timestamp()) % 10**8, now=now)
