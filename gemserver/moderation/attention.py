"""The moderators' start page: everything that needs somebody's attention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from gemserver.accounts.models import UnreachableAddress, User
from gemserver.events.models import Event
from gemserver.inbox.models import InboundEmail
from gemserver.lib.text.plain import colon
from gemserver.lib.text.redaction import redact
from gemserver.matches import selectors
from gemserver.matches.models import Heartbeat, Match, Report, Seat, Stop
from gemserver.matches.timing import DOWNTIME_LIMIT
from gemserver.matches.uptime import MAIL_LIMIT
from gemserver.moderation.actions import say_entry
from gemserver.moderation.actions.targets import reports_for
from gemserver.moderation.mail_kinds import say_kind
from gemserver.moderation.models import AuditEntry
from gemserver.moderation.paths import timeline_path
from gemserver.moderation.stuck_matches import still_stuck
from gemserver.notify.models import OutboxMessage
from gemserver.operating.models import Incident

SHOWN = 10
"""Items shown of each kind; the lists have them all."""
LATELY = timedelta(days=7)
OVERDUE = timedelta(minutes=5)
"""A deadline is overdue if nobody has acted on it for this long."""
MOST_COUNTED = 1000
"""Rows of each kind that are counted: nobody works through more."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to look at."""

    text: str
    url: str
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class AttentionList:
    """The items of one kind; `more` is the address of the list that has them all."""

    title: str | Promise
    items: Sequence[Item]
    count: int
    """Not beyond `MOST_COUNTED` and one."""
    more: str = ""

    @property
    def shown_count(self) -> str:
        return f"{MOST_COUNTED}+" if self.count > MOST_COUNTED else str(self.count)


def what_needs_somebody(reader: User, now: datetime) -> list[AttentionList]:
    """The sections that are not empty, the most urgent first; without the reader's own matches."""
    own = list(selectors.own_matches(reader))
    others = Match.objects.exclude(pk__in=[match.pk for match in own])
    sections = [
        _incidents(),
        _broken(others),
        _reports(reader),
        _held(others),
        _overdue(others, now),
        _failed(own),
        _comes_back(now),
        _unreadable(others, now),
        _refused(others, now),
        _open_seats(others),
        _stuck(others, now),
        _unled_events(),
    ]
    return [section for section in sections if section.count]


@dataclass(frozen=True, slots=True)
class Beat:
    """The last time at which a duty of the server was known to be done."""

    duty: str | Promise
    at: datetime | None
    """None if it was never done."""
    is_late: bool


def heartbeats(now: datetime) -> list[Beat]:
    """The heartbeats of scheduler and mail, shown here in case nothing is left running that could raise an alarm."""
    found = dict(Heartbeat.objects.values_list("duty", "at"))
    limits = {Heartbeat.Duty.SWEEP: DOWNTIME_LIMIT, Heartbeat.Duty.MAIL: MAIL_LIMIT}
    return [
        Beat(duty.label, at := found.get(duty), at is None or now - at > limit)
        for duty, limit in limits.items()
    ]


def latest_actions(reader: User) -> list[tuple[str, AuditEntry]]:
    """The moderators' latest actions and their words, without those in the reader's own matches."""
    own = [match.code for match in selectors.own_matches(reader)]
    return [(say_entry(entry), entry) for entry in AuditEntry.objects.exclude(match__in=own)[:SHOWN]]


def _count(rows: QuerySet[Any]) -> int:
    return rows.order_by()[: MOST_COUNTED + 1].count()


def _incidents() -> AttentionList:
    rows = Incident.objects.filter(ended_at=None).order_by("began_at")
    page = reverse("admin:incidents")
    items = [Item(str(row.get_kind_display()), page, row.began_at) for row in rows[:SHOWN]]
    return AttentionList(_("Alarms"), items, _count(rows), page)


def _broken(matches: QuerySet[Match]) -> AttentionList:
    """Matches that stand still until somebody ends the pause: their game has failed."""
    rows = Stop.objects.filter(reason=Stop.Reason.GAME, end=None, match__in=matches).order_by("start")
    items = [
        Item(f"{stop.match.code} {stop.match.title}", timeline_path(stop.match), stop.start)
        for stop in rows.select_related("match")[:SHOWN]
        if stop.match
    ]
    return AttentionList(_("Matches whose game has failed"), items, _count(rows))


def _place_of(report: Report) -> str:
    return report.match.code if report.match else report.title


def _reports(reader: User) -> AttentionList:
    rows = reports_for(reader).filter(state=Report.State.OPEN).order_by("created_at")
    items = [
        Item(
            f"{colon(_place_of(row))} {row.text or (row.message.text if row.message else '')}"[:120],
            reverse("admin:matches_report_change", args=[row.pk]),
            row.created_at,
        )
        for row in rows.select_related("match", "message")[:SHOWN]
    ]
    return AttentionList(_("Reports"), items, _count(rows), reverse("admin:matches_report_changelist"))


def _overdue(matches: QuerySet[Match], now: datetime) -> AttentionList:
    rows = Seat.objects.filter(is_waiting=True, due_at__lte=now - OVERDUE, match__in=matches).order_by(
        "due_at"
    )
    return AttentionList(_("Overdue seats"), _seat_items(rows), _count(rows))


def _open_seats(matches: QuerySet[Match]) -> AttentionList:
    rows = Seat.objects.filter(is_open=True, match__status=Match.Status.RUNNING, match__in=matches)
    return AttentionList(_("Substitutes wanted"), _seat_items(rows.order_by("match")), _count(rows))


def _seat_items(rows: QuerySet[Seat]) -> list[Item]:
    found = rows.select_related("match", "user")[:SHOWN]
    return [
        Item(f"{seat.match.code} {colon(seat.letter)} {seat.name}", timeline_path(seat.match), seat.due_at)
        for seat in found
    ]


def _held(matches: QuerySet[Match]) -> AttentionList:
    return _incoming(_("Mail that waits for a player's consent"), "held", _mine(matches), None)


def _unreadable(matches: QuerySet[Match], now: datetime) -> AttentionList:
    return _incoming(_("Unreadable mail"), "unreadable", _mine(matches), now - LATELY)


def _refused(matches: QuerySet[Match], now: datetime) -> AttentionList:
    return _incoming(_("Refused mail"), "refused", _mine(matches), now - LATELY)


def _mine(matches: QuerySet[Match]) -> Q:
    """The mails about these matches, and those about none."""
    return Q(seat=None) | Q(seat__match__in=matches)


def _incoming(title: str, state: str, which: Q, since: datetime | None) -> AttentionList:
    rows = InboundEmail.objects.filter(which, state=state).order_by("-received_at")
    if since is not None:
        rows = rows.filter(received_at__gte=since)
    items = [
        Item(
            redact(f"{colon(row.sender)} {row.code}"),
            reverse("admin:inbox_inboundemail_change", args=[row.pk]),
            row.received_at,
        )
        for row in rows[:SHOWN]
    ]
    more = reverse("admin:inbox_inboundemail_changelist") + f"?state__exact={state}"
    return AttentionList(title, items, _count(rows), more)


def _failed(own: Sequence[Match]) -> AttentionList:
    failed = OutboxMessage.objects.filter(state=OutboxMessage.State.FAILED).order_by("-pk")
    rows = failed.exclude(thread__in=[match.thread for match in own])
    items = [
        Item(
            f"{say_kind(row.kind)} → {row.to}",
            reverse("admin:notify_outboxmessage_change", args=[row.pk]),
            row.created_at,
        )
        for row in rows[:SHOWN]
    ]
    more = reverse("admin:notify_outboxmessage_changelist") + "?state__exact=failed"
    return AttentionList(_("Mail that could not be sent"), items, _count(rows), more)


def _comes_back(now: datetime) -> AttentionList:
    """Players' addresses that have bounced or complained lately."""
    lost = (UnreachableAddress.Reason.BOUNCED, UnreachableAddress.Reason.COMPLAINED)
    rows = UnreachableAddress.objects.filter(why__in=lost, since__gte=now - LATELY).order_by("-since")
    items = [
        Item(
            f"{colon(row.address)} {row.get_why_display()}",
            reverse("admin:accounts_unreachableaddress_change", args=[row.pk]),
            row.since,
        )
        for row in rows[:SHOWN]
    ]
    return AttentionList(
        _("Mail that comes back"),
        items,
        _count(rows),
        reverse("admin:accounts_unreachableaddress_changelist"),
    )


def _stuck(matches: QuerySet[Match], now: datetime) -> AttentionList:
    """Running matches in which nobody is asked, or nothing has been played for a long time."""
    rows = still_stuck(now).filter(pk__in=matches.values("pk"))
    items = [
        Item(f"{match.code} {match.title}", timeline_path(match), match.started_at)
        for match in rows.order_by("started_at")[:SHOWN]
    ]
    return AttentionList(_("Matches in which nothing happens"), items, _count(rows))


def _unled_events() -> AttentionList:
    """Events outside clubs whose organisers have all left the server or been shut out: nobody else can decide there."""
    rows = Event.objects.filter(closed_at=None, club=None).exclude(organisers__user__is_active=True)
    items = [
        Item(event.name, reverse("event", args=[event.slug]), event.created_at)
        for event in rows.order_by("created_at")[:SHOWN]
    ]
    return AttentionList(_("Events without an organiser"), items, _count(rows))
