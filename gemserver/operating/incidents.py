"""The server's troubles: when each began and ended, and the time credited to the clocks for it.

Two tables know of it: `Incident`, which the operators were told of, and `Stop`, which all clocks leave out. Two rows
are one trouble if both began at the same instant, which both take from the last heartbeat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.functional import Promise

from gemserver.matches import uptime
from gemserver.matches.models import Stop
from gemserver.operating.models import Incident

INCIDENT_OF = {
    Stop.Reason.DOWNTIME: Incident.Kind.SCHEDULER,
    Stop.Reason.MAIL: Incident.Kind.MAIL,
}


@dataclass(frozen=True, slots=True)
class Trouble:
    """`ended_at` is None while it lasts, `told_at` if no mail went to the operators."""

    what: str | Promise
    began_at: datetime
    ended_at: datetime | None
    told_at: datetime | None = None
    stop: Stop | None = None
    """The stop of all clocks because of it."""

    @property
    def credit(self) -> timedelta | None:
        """The time credited; None if there is none, or while it grows."""
        return self.stop.end - self.stop.start if self.stop and self.stop.end else None


def troubles() -> list[Trouble]:
    """All that are remembered (`retention.TROUBLE_KEPT`), the latest first."""
    stops = {
        (INCIDENT_OF[Stop.Reason(stop.reason)], stop.start): stop for stop in Stop.objects.filter(match=None)
    }
    found = [
        Trouble(
            incident.get_kind_display(),
            incident.began_at,
            incident.ended_at,
            incident.told_at,
            stops.pop((Incident.Kind(incident.kind), incident.began_at), None),
        )
        for incident in Incident.objects.all()
    ]
    found += [Trouble(kind.label, start, stop.end, stop=stop) for (kind, start), stop in stops.items()]
    return sorted(found, key=lambda trouble: trouble.began_at, reverse=True)


def count_credited(shown: Sequence[Trouble]) -> list[tuple[Trouble, int]]:
    """Each trouble with the number of running matches whose logs show its credit."""
    told = uptime.count_told(trouble.stop for trouble in shown if trouble.stop)
    return [(trouble, told.get(trouble.stop.pk, 0) if trouble.stop else 0) for trouble in shown]
