"""`manage.py doctor`: examines everything about a server, and says of each thing what to do."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from gemserver.operating.doctor import examine_server

WIDTH = 14


class Command(BaseCommand):
    help = (
        "Examine settings, database, Redis, processes, ways of mail, the site as visitors see it, backups and the DNS, "
        "and say of each thing what to do. Exit status 1 when something is to be done. gemctl doctor looks at the "
        "machine, too."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--no-dns", action="store_true", help="do not ask the DNS")

    def handle(self, *, no_dns: bool, **options: Any) -> None:
        bad = 0
        for finding in examine_server():
            self.stdout.write(finding.write(WIDTH))
            self.stdout.flush()
            bad += not finding.is_good
        failed_dns = False
        if settings.PRODUCTION and not no_dns:
            try:
                call_command("check_mail", stdout=self.stdout)
            except CommandError as error:
                self.stdout.write(f"TODO {'DNS':<{WIDTH}} {error}")
                failed_dns = True
        if bad or failed_dns:
            raise CommandError("Something is to be done: see the lines that begin with TODO.")
        self.stdout.write("Everything is as it should be.")
