"""Queues the mails about seasons, in the transaction of the action that they tell of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from django.conf import settings

from gemserver.accounts.models import User
from gemserver.events.models import Entry, EventLog, Replacement, Season
from gemserver.lib import signing
from gemserver.matches.notifications import find_wanting
from gemserver.notify.outbox import draft, queue

OPENING = timedelta(minutes=2)
"""For so long the mail at a season's start waits for its matches to be opened, whose codes it names."""


def tell_started(season: Season, *, now: datetime) -> None:
    """Tell everybody who plays of their division and fixtures."""
    _tell(_players_of(season), "season-started", season, now=now, not_before=now + OPENING)


def tell_over(season: Season, *, now: datetime) -> None:
    """Tell everybody who has played to the end of the final table."""
    _tell(_players_of(season), "season-over", season, now=now)


def tell_not_played(log: EventLog) -> None:
    """Tell everybody who had entered that the season is not played; the line of the log says why."""
    assert log.season is not None
    _tell(_players_of(log.season), "season-off", log.season, now=log.at, data={"log": log.pk})


def tell_decision(log: EventLog, readers: Iterable[User]) -> None:
    """Tell those whom it concerns what an organiser has decided."""
    assert log.season is not None
    _tell(readers, "event-decision", log.season, now=log.at, number=log.pk, data={"log": log.pk})


def tell_asked(question: Replacement) -> None:
    """Ask a newcomer to go on for a player of the season."""
    _tell_of(question, "replace-asked", question.newcomer, question.asked_at)


def tell_answered(question: Replacement) -> None:
    """Tell the organiser who has asked what the newcomer says."""
    assert question.answered_at is not None
    if question.by is not None:
        _tell_of(question, "replace-answered", question.by, question.answered_at)


def _tell_of(question: Replacement, kind: str, reader: User, now: datetime) -> None:
    data = {"replacement": question.pk}
    _tell([reader], kind, question.season, now=now, number=question.pk, data=data)


def players_of(entries: Iterable[Entry]) -> list[User]:
    """The players of these entries; nobody for one that has withdrawn."""
    return [entry.player for entry in entries if entry.player is not None and entry.withdrawn_at is None]


def _players_of(season: Season) -> list[User]:
    return players_of(season.entries.select_related("player").order_by("pk"))


def _tell(
    readers: Iterable[User],
    kind: str,
    season: Season,
    *,
    now: datetime,
    number: int = 0,
    not_before: datetime | None = None,
    data: Mapping[str, object] | None = None,
) -> None:
    """Queue a mail to each reader who wants it; once for a reader, kind, season and number."""
    parts = kind, season.pk, number
    queue(
        [
            draft(
                reader,
                kind,
                thread=f"event:{season.event_id}",
                data={"season": season.pk, **(data or {})},
                dedup_key=":".join(map(str, (*parts, reader.pk))),
                message_id=_message_id(*parts, reader.pk),
                now=now,
                to=address,
                not_before=not_before,
            )
            for reader, address in find_wanting(list(readers), kind)
        ]
    )


def _message_id(kind: str, season: int, number: int, reader: int) -> str:
    mac = signing.mac("event", kind, season, number, reader)
    return f"<e.{season}.{number}.{reader}.{mac}@{settings.MAIL_DOMAIN}>"
