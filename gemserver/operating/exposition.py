"""The gauges in Prometheus' text format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta

from prometheus_client import CollectorRegistry, Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from gemserver.operating.gauges import Gauges

__all__ = ("CONTENT_TYPE_LATEST", "expose")


def expose(gauges: Gauges) -> bytes:
    """The gauges as text."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Exposed(gauges))
    return generate_latest(registry)


class _Exposed(Collector):
    def __init__(self, gauges: Gauges) -> None:
        self._gauges = gauges

    def collect(self) -> Iterator[Metric]:
        return families(self._gauges)


def families(gauges: Gauges) -> Iterator[Metric]:
    """Every metric with its explanation."""
    yield _by("matches", "Matches by state.", "state", gauges.matches)
    yield _one("seats_asked", "Prompts with a deadline that wait for an answer.", gauges.asked_seats)
    yield _one("seats_overdue", "Prompts whose deadline has passed.", gauges.overdue_seats.count)
    yield _one("seats_overdue_age_seconds", "How long the oldest is overdue.", gauges.overdue_seats.age)
    yield _one("bots_waiting", "Bots that are to move.", gauges.bots.count)
    yield _one("bots_waiting_age_seconds", "How long the first bot has waited.", gauges.bots.age)
    yield _one("outbox_due", "Mails that could be sent now.", gauges.outbox.count)
    yield _one("outbox_age_seconds", "How long the first mail has waited to be sent.", gauges.outbox.age)
    yield _one("outbox_untried", "Mails to be sent that nobody has tried to send yet.", gauges.untried.count)
    yield _one(
        "outbox_untried_age_seconds",
        "How long the first mail that nobody has tried to send has waited.",
        gauges.untried.age,
    )
    yield _one("outbox_later", "Mails to be sent, or tried again, later on.", gauges.later_mail)
    yield _by("mail_out_last_day", "Outgoing mails of the last 24 hours by state.", "state", gauges.mail_out)
    yield _by(
        "told_last_day", "What other channels told in the last 24 hours by state.", "state", gauges.told
    )
    yield _by(
        "mail_reports_last_day",
        "What was reported of mails in 24 hours, by kind.",
        "kind",
        gauges.mail_reports,
    )
    yield _one("inbox_waiting", "Mails that wait to be read.", gauges.inbox.count)
    yield _one("inbox_age_seconds", "How long the first mail has waited to be read.", gauges.inbox.age)
    yield _by("mail_in_last_day", "Incoming mails of the last 24 hours by state.", "state", gauges.mail_in)
    yield _one(
        "mail_given_up_last_day",
        "Incoming mails of the last 24 hours that the server failed to read.",
        gauges.given_up_mail,
    )
    beats = {duty: age.total_seconds() for duty, age in gauges.heartbeats.items()}
    yield _by("heartbeat_age_seconds", "Since the duty was last done.", "duty", beats)
    yield _one(
        "clocks_stand_still", "1 while no clock runs because no mail goes out.", gauges.clocks_stand_still
    )
    yield _one("games_failed", "Matches whose game's rules have failed.", gauges.failed_games.count)
    yield _by("incident", "1 while the trouble of this kind lasts.", "kind", gauges.incidents)
    yield _one(
        "incidents_untold",
        "Troubles of which the operators could not be told by mail.",
        gauges.untold_incidents.count,
    )
    yield _one("broker_up", "1 when the message broker answers.", gauges.queues is not None)
    if gauges.queues is not None:
        yield _by("broker_tasks", "Tasks that no worker has taken yet, by queue.", "queue", gauges.queues)


def _one(name: str, explanation: str, value: float | timedelta) -> Metric:
    number = value.total_seconds() if isinstance(value, timedelta) else float(value)
    return GaugeMetricFamily(f"gemserver_{name}", explanation, value=number)


def _by(name: str, explanation: str, label: str, values: Mapping[str, float]) -> Metric:
    family = GaugeMetricFamily(f"gemserver_{name}", explanation, labels=[label])
    for key, value in values.items():
        family.add_metric([key], value)
    return family
