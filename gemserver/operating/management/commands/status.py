"""`manage.py status`: how the server is, in a screen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from gemserver.lib import clock
from gemserver.matches.models import Match
from gemserver.operating.backup import age_of_newest
from gemserver.operating.doctor import say_age
from gemserver.operating.gauges import Gauges, Waiting, measure


class Command(BaseCommand):
    help = "Say how the server is: matches, deadlines, mail, processes, troubles, the last backup."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="all figures, for programs")

    def handle(self, *, json: bool, **options: Any) -> None:
        try:
            gauges = measure(clock.now())
        except DatabaseError as error:
            reason = str(error).partition("\n")[0]
            raise CommandError(f"The database says: {reason}; gemctl doctor says what to do.") from error
        if json:
            self.stdout.write(_write_json(gauges))
            return
        for subject, text in _describe(gauges):
            self.stdout.write(f"{subject:<10} {text}")


def _describe(gauges: Gauges) -> Iterator[tuple[str, str]]:
    yield "site", settings.SITE_URL
    matches = gauges.matches
    yield (
        "matches",
        f"{matches[Match.Status.RUNNING]} run, {matches[Match.Status.OPEN]} tables are open, "
        f"{matches[Match.Status.FINISHED]} are over",
    )
    yield (
        "seats",
        f"{gauges.asked_seats} asked; overdue: {_say(gauges.overdue_seats)}; bots: {_say(gauges.bots)}",
    )
    yield (
        "mail out",
        f"due: {_say(gauges.outbox)}; later: {gauges.later_mail}; last day: {_list(gauges.mail_out)}",
    )
    yield "mail in", f"to be read: {_say(gauges.inbox)}; last day: {_list(gauges.mail_in)}"
    yield "tasks", "the broker does not answer" if gauges.tasks is None else f"{gauges.tasks} wait"
    for duty, age in sorted(gauges.heartbeats.items()):
        yield "last done", f"{duty}: {say_age(age)} ago"
    troubles = [kind for kind, lasts in gauges.incidents.items() if lasts]
    yield "troubles", ", ".join(troubles) or "none"
    if gauges.clocks_stand_still:
        yield "clocks", "stand still, because no mail goes out"
    yield "backup", _say_backup()


def _say_backup() -> str:
    try:
        age = age_of_newest(settings.BACKUP_DIR, clock.now())
    except OSError as error:
        return f"{settings.BACKUP_DIR}: {error.strerror}"
    return f"none in {settings.BACKUP_DIR}" if age is None else f"{say_age(age)} old"


def _say(waiting: Waiting) -> str:
    return f"{waiting.count}, the first for {say_age(waiting.age)}" if waiting.count else "none"


def _list(counts: Any) -> str:
    return ", ".join(f"{count} {state}" for state, count in counts.items() if count) or "none"


def _write_json(gauges: Gauges) -> str:
    def write(value: Any) -> float:
        assert isinstance(value, timedelta)
        return value.total_seconds()

    return json.dumps(asdict(gauges), default=write, indent=1)
