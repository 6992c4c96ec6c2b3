"""What has happened to the server: each trouble from when to when, and what was credited to the clocks for it.

Two tables know of it: `Incident`, of which the operators were told, and `Stop`, which all clocks leave out. It is one
trouble when both began at the same instant, which both take from the last heartbeat.
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
    """`ended_at` is None while it lasts, `told_at` when no mail went to the operators."""

    what: str | Promise
    began_at: datetime
    ended_at: datetime | None
    told_at: datetime | None = None
    stop: Stop | None = None
    """What the clocks of all matches leave out because of it."""

    @property
    def credit(self) -> timedelta | None:
        """How much; None for nothing, or while it grows."""
        return self.stop.end - self.stop.start if self.stop and self.stop.end else None


def troubles() -> list[Trouble]:
    """All that are remembered (`retention.TROUBLE_KEPT`), the latest first."""
    stops = {(INCIDENT_OF[Stop.Reason(stop.reason)], stop.start): stop for stop in _stops()}
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


def _stops() -> Sequence[Stop]:
    return list(Stop.objects.filter(match=None))


def count_credited(shown: Sequence[Trouble]) -> list[tuple[Trouble, int]]:
    """Each trouble with the number of running matches that have its credit in their logs."""
    told = uptime.count_told(trouble.stop for trouble in shown if trouble.stop)
    return [(trouble, told.get(trouble.stop.pk, 0) if trouble.stop else 0) for trouble in shown]
