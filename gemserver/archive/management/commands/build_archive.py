"""`manage.py build_archive`: builds files of the open archive now."""

from __future__ import annotations

from argparse import ArgumentTypeError
from datetime import date, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils.translation import gettext as _

from gemserver.archive import build
from gemserver.lib import clock


class Command(BaseCommand):
    help = "Build the files of the open archive that are missing or out of date, or those of one month, even this one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--month", type=_read_month, help="2026-10")

    def handle(self, *, month: date | None, **options: Any) -> None:
        if month is None:
            count = build.build_due(clock.now())
            self.stdout.write(_("Months that were built: %(count)d") % {"count": count})
            return
        files = build.build_month(month, now=clock.now())
        if not files:
            self.stdout.write(_("No match that finished in this month is for the archive."))
        for file in files:
            matches = _("matches")
            self.stdout.write(f"{file.name}  {file.matches} {matches}, {file.size} B, {file.sha256}")


def _read_month(text: str) -> date:
    try:
        return datetime.strptime(text, "%Y-%m").date()
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r}: write a month like 2026-10") from error
