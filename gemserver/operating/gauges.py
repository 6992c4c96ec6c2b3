"""The state of the server in numbers: each a cheap query on an index, none about a person or a hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Min, Q, QuerySet

from gemserver.inbox.models import InboundEmail
from gemserver.matches.models import IS_BOTS, Heartbeat, Match, Seat, Stop
from gemserver.notify.models import DeliveryEvent, OutboxMessage
from gemserver.operating.models import Incident
from gemserver.operating.task_queues import count_by_queue

DAY = timedelta(days=1)
IS_GAMES = Q(reason=Stop.Reason.GAME)

Age = timedelta
NOTHING_WAITS = timedelta(0)


@dataclass(frozen=True, slots=True)
class Waiting:
    """Number of rows that wait for the server, and the age of the oldest."""

    count: int
    age: Age = NOTHING_WAITS


@dataclass(frozen=True, slots=True)
class Gauges:
    """All figures at one instant. `queues` is None if the broker does not answer."""

    matches: Mapping[str, int]
    asked_seats: int
    overdue_seats: Waiting
    bots: Waiting
    outbox: Waiting
    """Mail that could be sent now."""
    untried: Waiting
    """The part of it that nobody has tried to send yet."""
    later_mail: int
    """Mail to be sent, or tried again, later."""
    mail_out: Mapping[str, int]
    """In the last day, by state."""
    told: Mapping[str, int]
    """By other channels than mail, in the last day, by state."""
    mail_reports: Mapping[str, int]
    """Reports on mails in the last day, by kind."""
    inbox: Waiting
    mail_in: Mapping[str, int]
    """In the last day, by state."""
    given_up_mail: int
    """The part of it that the server failed to read, again and again."""
    heartbeats: Mapping[str, Age]
    clocks_stand_still: bool
    failed_games: Waiting
    """Matches that stand still because the rules of their game have failed, and since when the first of them does."""
    incidents: Mapping[str, bool]
    untold_incidents: Waiting
    """Troubles of which the operators could not be told."""
    queues: Mapping[str, int] | None
    """Tasks that no worker has taken yet, by queue."""

    @property
    def tasks(self) -> int | None:
        """Tasks of all queues."""
        return None if self.queues is None else sum(self.queues.values())


def measure(now: datetime) -> Gauges:
    """Ask the database and the broker."""
    due, untried, later = _measure_outbox(now)
    beats = dict(Heartbeat.objects.values_list("duty", "at"))
    stops = Stop.objects.filter(end=None).aggregate(
        all=Count("pk", filter=Q(match=None)),
        n=Count("pk", filter=IS_GAMES),
        first=Min("start", filter=IS_GAMES),
    )
    incidents = Incident.objects.filter(Q(ended_at=None) | Q(told_at=None))
    going_on = {incident.kind for incident in incidents if incident.ended_at is None}
    untold = [incident.began_at for incident in incidents if incident.told_at is None]
    is_overdue = Q(due_at__lt=now)
    asked = Seat.objects.filter(is_waiting=True, due_at__isnull=False).aggregate(
        all=Count("pk"), n=Count("pk", filter=is_overdue), first=Min("due_at", filter=is_overdue)
    )
    failed = Stop.objects.filter(IS_GAMES, end=None, match__isnull=False)
    bots = Seat.objects.filter(IS_BOTS, is_waiting=True).exclude(match__in=failed.values("match"))
    out = OutboxMessage.objects.filter(created_at__gt=now - DAY)
    by_channel = Q(route=OutboxMessage.Route.CHANNEL)
    # Raw mail is kept for longer than a day, and its rows have an index.
    mail_in = InboundEmail.objects.filter(raw__isnull=False, received_at__gt=now - DAY)
    return Gauges(
        # One by one, because each state has an index of its own.
        matches={state: Match.objects.filter(status=state).count() for state in Match.Status.values},
        asked_seats=asked["all"],
        overdue_seats=_wait(asked, now),
        bots=_wait(bots.aggregate(n=Count("pk"), first=Min("prompted_at")), now),
        outbox=due,
        untried=untried,
        later_mail=later,
        mail_out=_by(OutboxMessage.State.values, out.exclude(by_channel), "state"),
        told=_by(OutboxMessage.State.values, out.filter(by_channel), "state"),
        mail_reports=_by(DeliveryEvent.Kind.values, DeliveryEvent.objects.filter(at__gt=now - DAY), "kind"),
        inbox=_measure_inbox(now),
        mail_in=_by(InboundEmail.State.values, mail_in, "state"),
        given_up_mail=mail_in.filter(
            state=InboundEmail.State.UNREADABLE, code=InboundEmail.SERVER_ERROR
        ).count(),
        heartbeats={duty: now - at for duty, at in beats.items()},
        clocks_stand_still=stops["all"] > 0,
        failed_games=_wait(stops, now),
        incidents={kind: kind in going_on for kind in Incident.Kind.values},
        untold_incidents=_wait({"n": len(untold), "first": min(untold, default=None)}, now),
        queues=count_by_queue(),
    )


def _measure_outbox(now: datetime) -> tuple[Waiting, Waiting, int]:
    """Mail that is due, the part of it that was never tried, and the number of mails for later."""
    by_mail = OutboxMessage.objects.exclude(route=OutboxMessage.Route.CHANNEL)
    queued = by_mail.filter(state=OutboxMessage.State.QUEUED)
    is_due, is_new = Q(available_at__lte=now), Q(attempts=0)
    found = queued.aggregate(
        all=Count("pk"),
        due=Count("pk", filter=is_due),
        untried=Count("pk", filter=is_due & is_new),
        # A mail may be queued long before it is wanted; once tried, it has waited from the start.
        first_untried=Min("available_at", filter=is_due & is_new),
        first_tried=Min("created_at", filter=~is_new),
    )
    first = min(filter(None, [found["first_untried"], found["first_tried"]]), default=None)
    return (
        _wait({"n": found["due"], "first": first}, now),
        _wait({"n": found["untried"], "first": found["first_untried"]}, now),
        found["all"] - found["due"],
    )


def _measure_inbox(now: datetime) -> Waiting:
    stored = InboundEmail.objects.filter(state=InboundEmail.State.STORED)
    return _wait(stored.aggregate(n=Count("pk"), first=Min("received_at")), now)


def _by(states: Iterable[str], rows: QuerySet[Any], column: str) -> dict[str, int]:
    """The number of rows in each state, zeros included."""
    counted = rows.order_by().values_list(column).annotate(n=Count("pk"))
    return {**dict.fromkeys(states, 0), **dict(counted)}


def _wait(found: Mapping[str, Any], now: datetime) -> Waiting:
    return Waiting(found["n"], max(now - found["first"], NOTHING_WAITS) if found["first"] else NOTHING_WAITS)
