"""Retention: no letters, codes or half-made accounts are kept for longer than they are needed.

Each rule finds its rows by an index and takes them in small batches, each a transaction of its own, so that a first run
over years of data holds nobody up.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, Min, OuterRef, QuerySet

from gemserver.accounts.models import User
from gemserver.clubs.models import Post
from gemserver.inbox.models import InboundEmail, MailCount, Ticket
from gemserver.lib.text.redaction import redact
from gemserver.matches.models import FormerAddress, KeyedRequest, Match, Report, Seat, Stop
from gemserver.matches.uptime import may_delete_old
from gemserver.notify.models import DeliveryEvent, OutboxMessage
from gemserver.operating.models import CacheEntry, Incident
from gemserver.puzzles.answers import KEPT as ANSWERS_KEPT
from gemserver.puzzles.models import Answer
from gemserver.study.hints import KEPT as HINTS_KEPT
from gemserver.study.models import Hint, Review, WhatIf
from gemserver.study.reviews import KEPT as REVIEWS_KEPT
from gemserver.study.what_if import KEPT as WHAT_IFS_KEPT

log = logging.getLogger(__name__)

BATCH = 500
MOST_BATCHES = 2000
"""Of one rule in one run; the next run goes on."""
TICKET_GRACE = timedelta(days=7)
"""How long an expired code is still known, so that the answer can say that it came too late."""
UNCONFIRMED = timedelta(days=30)
REPORT_KEPT = timedelta(days=90)
"""How long reports on mails are counted; the last 14 days alone decide whether an address is given up."""
KEY_KEPT = timedelta(days=30)
"""The time for which the key of a program's request is known."""
TROUBLE_KEPT = timedelta(days=365)


@dataclass(frozen=True, slots=True)
class Rule:
    """`rows` finds the rows whose time is over; `forget` deletes a batch of them, or what is private in them."""

    name: str
    rows: Callable[[datetime], QuerySet[Any]]
    forget: Callable[[QuerySet[Any]], object]


def _raw_mail(now: datetime) -> QuerySet[InboundEmail]:
    """Mail as it came, except mail that was not read yet (mail-requirements.md M10)."""
    old = InboundEmail.objects.filter(raw__isnull=False, received_at__lt=now - _kept_mail())
    return old.exclude(state=InboundEmail.State.STORED).order_by("received_at")


def _forget_mail(rows: QuerySet[InboundEmail]) -> None:
    """Delete the mail, and the token in the address that it went to."""
    batch = list(rows.only("envelope_to"))
    for row in batch:
        row.raw, row.envelope_to = None, redact(row.envelope_to)
    InboundEmail.objects.bulk_update(batch, ["raw", "envelope_to"])


def _hints(now: datetime) -> QuerySet[Hint]:
    """Hints, after the day for which they are counted."""
    return Hint.objects.filter(asked_at__lt=now - HINTS_KEPT).order_by("asked_at")


def _reviews(now: datetime) -> QuerySet[Review]:
    """Reviews, which can be asked for again."""
    return Review.objects.filter(asked_at__lt=now - REVIEWS_KEPT).order_by("asked_at")


def _what_ifs(now: datetime) -> QuerySet[WhatIf]:
    """What-ifs that nobody has gone on with for long."""
    return WhatIf.objects.filter(changed_at__lt=now - WHAT_IFS_KEPT).order_by("changed_at")


def _answers(now: datetime) -> QuerySet[Answer]:
    """Answers to puzzles of long ago."""
    return Answer.objects.filter(at__lt=now - ANSWERS_KEPT).order_by("at")


def _rendered_mail(now: datetime) -> QuerySet[OutboxMessage]:
    """Texts of sent mail, which only a mail room keeps."""
    return OutboxMessage.objects.filter(rendered__isnull=False, sent_at__lt=now - _kept_mail()).order_by(
        "sent_at"
    )


def _sent_words(now: datetime) -> QuerySet[OutboxMessage]:
    """Hashes that replies are compared with; without them a reply is read by its quote marks alone."""
    return OutboxMessage.objects.filter(sent_words__isnull=False, sent_at__lt=now - _kept_mail()).order_by(
        "sent_at"
    )


def _delivery_events(now: datetime) -> QuerySet[DeliveryEvent]:
    return DeliveryEvent.objects.filter(at__lt=now - REPORT_KEPT).order_by("at")


def _tickets(now: datetime) -> QuerySet[Ticket]:
    return Ticket.objects.filter(expires_at__lt=now - TICKET_GRACE).order_by("expires_at")


def _former_addresses(now: datetime) -> QuerySet[FormerAddress]:
    """Keeps those of running matches, which say who held which seat."""
    old = FormerAddress.objects.filter(until__lt=now)
    return old.exclude(seat__match__status=Match.Status.RUNNING).order_by("until")


def _keyed_requests(now: datetime) -> QuerySet[KeyedRequest]:
    return KeyedRequest.objects.filter(created_at__lt=now - KEY_KEPT).order_by("created_at")


def _club_mail(now: datetime) -> QuerySet[Post]:
    """Members' mails to their clubs; those who got them have them."""
    return Post.objects.filter(posted_at__lt=now - _kept_mail()).order_by("posted_at")


def _sessions(now: datetime) -> QuerySet[Session]:
    return Session.objects.filter(expire_date__lt=now).order_by("expire_date")


def _cache(now: datetime) -> QuerySet[CacheEntry]:
    return CacheEntry.objects.filter(expires__lt=now).order_by("expires")


def _mail_counts(now: datetime) -> QuerySet[MailCount]:
    return MailCount.objects.filter(ends_at__lt=now).order_by("ends_at")


def _unconfirmed_accounts(now: datetime) -> QuerySet[User]:
    """Accounts that confirmed no address and never signed in; one that was a guest shares tables with bots at most."""
    old = User.objects.filter(
        last_login=None,
        date_joined__lt=now - UNCONFIRMED,
        is_guest=False,
        is_staff=False,
        is_superuser=False,
        owner=None,  # a bot never signs in
    )
    me = OuterRef("pk")
    own_seat = Seat.objects.filter(match=OuterRef("pk"), user=OuterRef("created_by"))
    return old.exclude(
        Exists(EmailAddress.objects.filter(user=me, verified=True))
        | Exists(Match.objects.filter(~Exists(own_seat), created_by=me))
        | Exists(Seat.objects.filter(user=me).exclude(match__created_by=me))
        | Exists(Seat.objects.filter(match__created_by=me, user__isnull=False).exclude(user=me))
    ).order_by("date_joined")


def _forget_accounts(rows: QuerySet[User]) -> None:
    Match.objects.filter(created_by__in=rows).delete()
    rows.delete()


def _incidents(now: datetime) -> QuerySet[Incident]:
    return Incident.objects.filter(ended_at__lt=now - TROUBLE_KEPT).order_by("ended_at")


def _reports_of_people(now: datetime) -> QuerySet[Report]:
    """Reports of players that moderators closed a year ago and more."""
    return Report.objects.filter(closed_at__lt=now - TROUBLE_KEPT).order_by("closed_at")


def _stops(now: datetime) -> QuerySet[Stop]:
    """Stops of all clocks, except those that a clock of a running match may still have to take into account."""
    running = Match.objects.filter(status=Match.Status.RUNNING).aggregate(at=Min("started_at"))
    before = min(filter(None, [running["at"], now - TROUBLE_KEPT]))
    return Stop.objects.filter(match=None, end__lt=before).order_by("pk")


def _kept_mail() -> timedelta:
    return timedelta(days=settings.MAIL_RAW_DAYS)


RULES = (
    Rule("raw mail", _raw_mail, _forget_mail),
    Rule("texts of sent mail", _rendered_mail, lambda rows: rows.update(rendered=None)),
    Rule("words of sent mail", _sent_words, lambda rows: rows.update(sent_words=None)),
    Rule("reports of delivery", _delivery_events, lambda rows: rows.delete()),
    Rule("codes", _tickets, lambda rows: rows.delete()),
    Rule("replaced addresses", _former_addresses, lambda rows: rows.delete()),
    Rule("keys of programs", _keyed_requests, lambda rows: rows.delete()),
    Rule("hints", _hints, lambda rows: rows.delete()),
    Rule("reviews", _reviews, lambda rows: rows.delete()),
    Rule("what-ifs", _what_ifs, lambda rows: rows.delete()),
    Rule("answers to puzzles", _answers, lambda rows: rows.delete()),
    Rule("mail to clubs", _club_mail, lambda rows: rows.delete()),
    Rule("sessions", _sessions, lambda rows: rows.delete()),
    Rule("cached values", _cache, lambda rows: rows.delete()),
    Rule("counts of mails", _mail_counts, lambda rows: rows.delete()),
    Rule("unconfirmed accounts", _unconfirmed_accounts, _forget_accounts),
    Rule("reports of people", _reports_of_people, lambda rows: rows.delete()),
    Rule("incidents", _incidents, lambda rows: rows.delete()),
    Rule("stops of all clocks", _stops, lambda rows: rows.delete()),
)


def forget(now: datetime, *, is_right: bool = False) -> dict[str, int]:
    """Apply every rule; return how many rows each has taken. Safe to run twice, and concurrently.

    `is_right`: somebody says that the date is right, although the clock has just leapt ahead.
    """
    if not is_right and not may_delete_old(now):
        return {rule.name: 0 for rule in RULES}
    taken = {rule.name: _apply(rule, now) for rule in RULES}
    if any(taken.values()):
        log.info("forgotten: %s", ", ".join(f"{count} {name}" for name, count in taken.items() if count))
    return taken


def count(now: datetime) -> dict[str, int]:
    """Number of rows that each rule would take."""
    return {rule.name: rule.rows(now).count() for rule in RULES}


def _apply(rule: Rule, now: datetime) -> int:
    taken = 0
    for _ in range(MOST_BATCHES):
        with transaction.atomic():
            found = list(rule.rows(now).values_list("pk", flat=True)[:BATCH])
            rule.forget(rule.rows(now).model._default_manager.filter(pk__in=found))
        taken += len(found)
        if len(found) < BATCH:
            break
    return taken
