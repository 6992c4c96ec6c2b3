"""Report something to the moderators, and close a report with an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.accounts.staff import people_with
from gemserver.lib import signing
from gemserver.lib.database.advisory_locks import count_alone
from gemserver.lib.text.plain import clean
from gemserver.lib.text.redaction import redact, redact_tokens
from gemserver.matches import selectors, talk
from gemserver.matches.locking import lock_match
from gemserver.matches.models import ChatMessage, Match, Report, Seat
from gemserver.matches.refusal import Refused
from gemserver.matches.seating import held_seat
from gemserver.notify.outbox import tell

LONGEST_REPORT = 2000
MOST_REPORTS, IN_TIME = 10, timedelta(days=1)
"""Reports that one person may send in that time, together with their bots."""


def report_abuse(
    match_id: int,
    user: User,
    text: str = "",
    *,
    now: datetime,
    message_id: int | None = None,
    reported: User | None = None,
) -> Report:
    """Ask the moderators to look at a message (`message_id`), or at the match as a whole.

    `reported`: the writer of something else that readers of the match come upon; then no seat is needed.

    The same report counts once, and so does a second report of a message, while the first is open.
    Raises Refused(no-such-match, not-seated, no-such-message, nothing-said, too-long, too-many-reports).
    """
    with transaction.atomic():
        match = lock_match(match_id)
        _count_alone(user)
        seat = held_seat(match, user)
        if seat is None and reported is None:
            raise Refused(
                "not-seated", "You do not sit at {code}; only its players report there.", code=match.code
            )
        message = _find_message(seat, message_id) if seat and message_id is not None else None
        why = clean(text)
        told = _without_tokens(why, user, seat)
        if earlier := _earlier_report(match, user, message, told, now):
            return earlier
        _require_report(user, why, message, now)
        report = Report.objects.create(
            match=match,
            reporter=user,
            message=message,
            reported=message.author if message else reported,
            text=told,
            created_at=now,
        )
        _tell_moderators(report, people_with(Role.HELPER), now)
        return report


@dataclass(frozen=True, slots=True)
class PublicText:
    """The words of a club or an event about itself, and who answers for them."""

    about: str
    """`club:12`, `event:3`."""
    title: str
    quoted: str
    authors: Sequence[User]
    """The one who answers first comes first; those of them who are moderators leave it to others."""


def report_text(shown: PublicText, user: User, text: str, *, now: datetime) -> Report:
    """Ask the moderators to look at a public text, which is kept as it stands now.

    A second report while the first is open counts once. Raises Refused(nothing-said, too-long, too-many-reports).
    """
    with transaction.atomic():
        _count_alone(user)
        earlier = user.reports.filter(about=shown.about, state=Report.State.OPEN).first()
        if earlier is not None:
            return earlier
        why = clean(text)
        _require_report(user, why, None, now)
        report = Report.objects.create(
            about=shown.about,
            title=shown.title,
            quoted=shown.quoted,
            reporter=user,
            reported=next(iter(shown.authors), None),
            text=_without_tokens(why, user, None),
            created_at=now,
        )
        authors = [author.pk for author in shown.authors]
        _tell_moderators(report, people_with(Role.HELPER).exclude(pk__in=authors), now)
        return report


def close_report(report_id: int, moderator: User, answer: str, *, now: datetime) -> Report:
    """Close the report and mail `answer` to the reporter; closing it twice changes nothing.

    Raises Refused(not-a-moderator, own-match).
    """
    with transaction.atomic():
        report = Report.objects.select_for_update().get(pk=report_id)
        if not moderator.has_role(Role.HELPER):
            raise Refused("not-a-moderator", "Only moderators close reports.")
        if not selectors.reports_for(moderator).filter(pk=report.pk).exists():
            raise Refused(
                "own-match",
                "This is about you, or a match that you have played; leave it to another moderator.",
            )
        if report.state == Report.State.CLOSED:
            return report
        report.state, report.answer = Report.State.CLOSED, clean(answer)
        report.closed_at, report.closed_by = now, moderator
        report.save(update_fields=["state", "answer", "closed_at", "closed_by"])
        if report.reporter:
            _tell(report.reporter, "report-answer", report, now)
        return report


def _find_message(seat: Seat, message_id: int) -> ChatMessage:
    """A message that this seat's player can read; raises Refused(no-such-message)."""
    message = talk.messages_for(seat).filter(pk=message_id).first()
    if message is None:
        raise Refused("no-such-message", "There is no such message at this table; report the match instead.")
    return message


def _earlier_report(
    match: Match, user: User, message: ChatMessage | None, text: str, now: datetime
) -> Report | None:
    mine = match.reports.filter(reporter=user, message=message)
    if message:
        return mine.filter(state=Report.State.OPEN).first()
    return mine.filter(Q(created_at=now) | Q(state=Report.State.OPEN, text=text)).first()


def _count_alone(user: User) -> None:
    count_alone(f"reports {user.family}")


def _require_report(user: User, why: str, message: ChatMessage | None, now: datetime) -> None:
    if message is None and not why.strip():
        raise Refused("nothing-said", "Say in your own words what the moderators should look at.")
    if len(why) > LONGEST_REPORT:
        raise Refused(
            "too-long",
            "A report can have {most} characters, and this one has {count}; shorten it.",
            most=LONGEST_REPORT,
            count=len(why),
        )
    lately = Report.objects.filter(reporter__in=user.of_family(), created_at__gt=now - IN_TIME)
    if lately.count() >= MOST_REPORTS:
        raise Refused(
            "too-many-reports",
            "You have sent {most} reports within a day; the moderators will look at them first.",
            most=MOST_REPORTS,
        )


def _without_tokens(why: str, user: User, seat: Seat | None) -> str:
    return redact_tokens(redact(why), [*([seat.token] if seat else []), user.token, user.feed_token])


def _tell_moderators(report: Report, readers: QuerySet[User], now: datetime) -> None:
    """Mail those of these moderators who may read it."""
    for moderator in readers:
        if selectors.reports_for(moderator).filter(pk=report.pk).exists():
            _tell(moderator, "report", report, now)


def _tell(user: User, kind: str, report: Report, now: datetime) -> None:
    key = f"{kind}:{report.pk}:{user.pk}"
    tell(
        user,
        kind,
        thread=f"report:{report.pk}",
        data={"report": report.pk},
        dedup_key=key,
        message_id=f"<p.{report.pk}.{user.pk}.{signing.mac(key)}@{settings.MAIL_DOMAIN}>",
        now=now,
    )
