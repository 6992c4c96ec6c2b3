"""`manage.py verify_statistics`: checks the statistics of players and games against their matches."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from gemserver.ratings import counting

MOST_SHOWN = 20


class Command(BaseCommand):
    help = (
        "Compute the statistics of all finished matches anew and name the first differences from what is stored. "
        "Changes nothing without --rebuild. Exit status 1 when something differs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--rebuild", action="store_true", help="store what the matches say")

    def handle(self, *, rebuild: bool, **options: Any) -> None:
        if rebuild:
            counting.rebuild()
        differences = list(counting.find_differences())
        for line in differences[:MOST_SHOWN]:
            self.stdout.write(line)
        if differences:
            raise CommandError(
                _("Differences: %(number)d; verify_statistics --rebuild puts them right.")
                % {"number": len(differences)}
            )
        self.stdout.write(_("The statistics follow from the matches."))
