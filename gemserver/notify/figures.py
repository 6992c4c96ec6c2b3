"""Figures of mail by day and by the readers' providers; counted in the database, without an address."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db.models import Count, QuerySet, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Lower, StrIndex, Substr, TruncDate
from django.utils import timezone

from gemserver.notify.models import DeliveryEvent, OutboxMessage

State, Kind = OutboxMessage.State, DeliveryEvent.Kind

BOUNCES = (Kind.HARD_BOUNCE, Kind.REJECTED)


@dataclass(slots=True)
class Figures:
    """Numbers of mails of one day or to one provider, by state and by kind of report."""

    states: Counter[str] = field(default_factory=Counter)
    reports: Counter[str] = field(default_factory=Counter)
    """Mails by kind of report; a mail may be in several."""
    refused: int = 0
    """Mails that bounced and were not, or not yet, sent to another address."""

    @property
    def queued(self) -> int:
        return self.states[State.QUEUED]

    @property
    def sent(self) -> int:
        return self.states[State.SENT]

    @property
    def failed(self) -> int:
        return self.states[State.FAILED]

    @property
    def accepted(self) -> int:
        """Accepted by the reader's mail server, where somebody reports that."""
        return self.reports[Kind.DELIVERED]

    @property
    def delayed(self) -> int:
        return self.reports[Kind.SOFT_BOUNCE]

    @property
    def bounced(self) -> int:
        return sum(self.reports[kind] for kind in BOUNCES)

    @property
    def complained(self) -> int:
        return self.reports[Kind.COMPLAINED]

    @property
    def accepted_percent(self) -> float | None:
        return self._percent(self.accepted)

    @property
    def bounced_percent(self) -> float | None:
        return self._percent(self.bounced)

    @property
    def complained_percent(self) -> float | None:
        return self._percent(self.complained)

    def add(self, other: Figures) -> None:
        self.states += other.states
        self.reports += other.reports
        self.refused += other.refused

    def _percent(self, count: int) -> float | None:
        """Percentage of the mails that were tried; None if there are none."""
        out = self.sent + self.failed + self.refused
        return 100 * count / out if out else None


def by_day(last: date, days: int, *, without: Collection[str]) -> list[tuple[date, Figures]]:
    """Figures of this many days in the active time zone, the last one first.

    `without`: threads that the reader may know nothing about.
    """
    since = _midnight(last - timedelta(days=days - 1))
    until = _midnight(last + timedelta(days=1))
    found = _count(
        _mails(since, until, without),
        _reports(since, until, without),
        TruncDate("created_at"),
        TruncDate("message__created_at"),
    )
    return [(day, found[day]) for day in (last - timedelta(days=number) for number in range(days))]


def by_provider(day: date, most: int, *, without: Collection[str]) -> list[tuple[str, Figures]]:
    """Figures of each domain that got mail that day, most mail first; those after the first `most` are summed up."""
    since, until = _midnight(day), _midnight(day + timedelta(days=1))
    found = _count(
        _mails(since, until, without), _reports(since, until, without), _domain("to"), _domain("address")
    )
    domains = sorted(found.items(), key=lambda item: (-item[1].states.total(), item[0]))
    rest = Figures()
    for _, figures in domains[most:]:
        rest.add(figures)
    return [*domains[:most], ("", rest)] if domains[most:] else domains


def by_source(day: date, *, without: Collection[str]) -> Sequence[tuple[str, str, int]]:
    """The reports on that day's mails by source and kind: from the provider that sends for us, or a returned mail."""
    since, until = _midnight(day), _midnight(day + timedelta(days=1))
    rows = _reports(since, until, without).values_list("source", "kind").annotate(n=Count("pk"))
    return [(source, str(Kind(kind).label), n) for source, kind, n in rows.order_by("source", "kind")]


def _count(
    mails: QuerySet[OutboxMessage],
    reports: QuerySet[DeliveryEvent],
    group: Combinable,
    group_of_report: Combinable,
) -> defaultdict[Any, Figures]:
    found: defaultdict[Any, Figures] = defaultdict(Figures)
    for key, state, n in (
        mails.order_by().annotate(group=group).values_list("group", "state").annotate(n=Count("pk"))
    ):
        found[key].states[state] = n
    counted = (
        reports.order_by().annotate(group=group_of_report).values_list("group", "kind", "message__state")
    )
    for key, kind, state, n in counted.annotate(n=Count("message", distinct=True)):
        found[key].reports[kind] += n
        if kind in BOUNCES and state in (State.SKIPPED, State.QUEUED):
            found[key].refused += n
    return found


def _mails(since: datetime, until: datetime, without: Collection[str]) -> QuerySet[OutboxMessage]:
    rows = OutboxMessage.objects.filter(created_at__gte=since, created_at__lt=until)
    return rows.exclude(thread__in=without).exclude(route=OutboxMessage.Route.CHANNEL)


def _reports(since: datetime, until: datetime, without: Collection[str]) -> QuerySet[DeliveryEvent]:
    of_these = DeliveryEvent.objects.filter(message__created_at__gte=since, message__created_at__lt=until)
    return of_these.exclude(message__thread__in=without)


def _domain(column: str) -> Combinable:
    return Lower(Substr(column, StrIndex(column, Value("@")) + 1))


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))
