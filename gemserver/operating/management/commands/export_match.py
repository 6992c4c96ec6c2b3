"""`manage.py export_match`: prints the record of a match."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from gemserver.matches import records
from gemserver.matches.models import Match


class Command(BaseCommand):
    help = "Print the record of a match, as anybody may download it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("code", metavar="CODE", help="as M17")
        parser.add_argument(
            "--with-seed",
            action="store_true",
            help="everything, hidden pieces of a running match included: for a backup that nobody else reads",
        )

    def handle(self, *, code: str, with_seed: bool, **options: Any) -> None:
        match = Match.objects.filter(code=code).exclude(started_at=None).first()
        if match is None:
            raise CommandError(_("There is no match %(code)s that has begun.") % {"code": code})
        self.stdout.write(records.record_text(match, with_seed=with_seed), ending="")
