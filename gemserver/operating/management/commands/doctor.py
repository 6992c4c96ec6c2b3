"""`manage.py doctor`: examines everything about a server, and says of each thing what to do."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from gemserver.lib.process.findings import Finding, examine_each
from gemserver.operating.doctor import examine_server
from gemserver.operating.mail_dns import NoAnswer

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
        for finding in chain(examine_server(), self._examine_dns(no_dns)):
            self.stdout.write(finding.write(WIDTH))
            self.stdout.flush()
            bad += not finding.is_good
        if bad:
            raise CommandError("Something is to be done: see the lines that begin with TODO.")

    def _examine_dns(self, no_dns: bool) -> Iterator[Finding]:
        if settings.PRODUCTION and not no_dns:
            yield from examine_each({"DNS": self._ask_dns})

    def _ask_dns(self) -> Iterator[Finding]:
        """Let `check_mail` write its own findings; another one if something is to be done."""
        try:
            call_command("check_mail", stdout=self.stdout)
        except CommandError as error:
            advice = "See the lines above."
            if isinstance(error.__cause__, NoAnswer):
                advice = "Look at the network and /etc/resolv.conf; gemctl manage check_mail asks again."
            yield Finding("DNS", str(error), advice)
