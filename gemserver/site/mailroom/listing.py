"""The mail room's list: sent and received mails, by thread, newest first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from email import policy
from email.parser import BytesHeaderParser
from typing import Any

from django.db.models import BinaryField, QuerySet
from django.db.models.functions import Substr
from django.urls import reverse

from gemserver.inbox.models import InboundEmail
from gemserver.lib.text.mail_address import comparable
from gemserver.matches.models import Match
from gemserver.notify.models import OutboxMessage

PAGE = 100
_HEADER_BYTES = 6000
"""Enough of one of our mails to contain its subject."""


@dataclass(frozen=True, slots=True)
class ListedMail:
    """One mail in the list; of a received one `state` says what became of it."""

    at: datetime
    url: str
    subject: str
    people: str
    """The recipient of a sent mail, or the sender of a received one."""
    is_inbound: bool
    state: str = ""


@dataclass(frozen=True, slots=True)
class Thread:
    """The mails about one match (None: all other mails), newest first."""

    match: Match | None
    entries: tuple[ListedMail, ...]


@dataclass(frozen=True, slots=True)
class MailList:
    """One page of the list; `older` is the number to continue with, None on the last page."""

    threads: tuple[Thread, ...]
    older: int | None


def read_list(to: str, before: int | None) -> MailList:
    """The newest `PAGE` sent mails before number `before`, and mails received meanwhile; for one address or all."""
    sent = OutboxMessage.objects.filter(state=OutboxMessage.State.SENT, rendered__isnull=False)
    if to:
        sent = sent.filter(to=to)
    if before is not None:
        sent = sent.filter(pk__lt=before)
    head = Substr("rendered", 1, _HEADER_BYTES, output_field=BinaryField())
    rows: list[Any] = list(sent.defer("rendered").annotate(head=head).order_by("-pk")[: PAGE + 1])
    older = rows[PAGE - 1].pk if len(rows) > PAGE else None
    rows = rows[:PAGE]
    newest = None if before is None else rows[0].created_at if rows else None
    received = _received(to, rows[-1].created_at if older else None, newest)
    entries = [(row.thread, _sent_entry(row)) for row in rows]
    entries += [(row.seat.match.thread if row.seat else "", _received_entry(row)) for row in received]
    return MailList(tuple(_threads(entries)), older)


def addresses() -> list[str]:
    """All addresses that mail was sent to."""
    return list(OutboxMessage.objects.exclude(to="").order_by("to").values_list("to", flat=True).distinct())


def _received(to: str, since: datetime | None, until: datetime | None) -> QuerySet[InboundEmail]:
    rows = InboundEmail.objects.select_related("seat__match").defer("raw").order_by("-pk")
    if to:
        rows = rows.filter(sender=comparable(to))
    if since:
        rows = rows.filter(received_at__gte=since)
    if until:
        rows = rows.filter(received_at__lte=until)
    return rows[:PAGE]


def _sent_entry(row: Any) -> ListedMail:
    header = BytesHeaderParser(policy=policy.default).parsebytes(bytes(row.head))
    return ListedMail(
        at=row.sent_at or row.created_at,
        url=reverse("mail-room-letter", args=[row.pk]),
        subject=str(header.get("Subject", "")),
        people=row.to,
        is_inbound=False,
    )


def _received_entry(row: InboundEmail) -> ListedMail:
    return ListedMail(
        at=row.received_at,
        url=reverse("mail-room-received", args=[row.pk]),
        subject=row.subject,
        state=row.get_state_display(),
        people=row.sender or row.envelope_from,
        is_inbound=True,
    )


def _threads(entries: Iterable[tuple[str, ListedMail]]) -> Iterable[Thread]:
    """Group the entries by thread; threads and entries newest first."""
    by_thread: dict[str, list[ListedMail]] = {}
    for thread, entry in sorted(entries, key=lambda pair: pair[1].at, reverse=True):
        by_thread.setdefault(thread if thread.startswith("match:") else "", []).append(entry)
    numbers = [int(thread.partition(":")[2]) for thread in by_thread if thread]
    matches = {match.thread: match for match in Match.objects.filter(pk__in=numbers)}
    for thread, found in by_thread.items():
        yield Thread(matches.get(thread), tuple(found))
