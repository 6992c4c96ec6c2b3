"""`manage.py verify_audit` checks whether the audit log is intact; exit status 1 if it is not."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from gemserver.moderation import audit
from gemserver.moderation.models import AuditEntry


class Command(BaseCommand):
    help = (
        "Checks the audit log and its signatures, and names the first entry that is missing or was changed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--anchor",
            type=_anchor,
            action="append",
            default=[],
            metavar="SEQ:HASH",
            help="an entry and its hash as a daily mail has told them; may be given several times",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if fault := audit.find_fault(options["anchor"]):
            raise CommandError(f"The audit log is not as it was written: {fault}.", returncode=1)
        self.stdout.write(f"The audit log is whole: {AuditEntry.objects.count()} entries.")


def _anchor(text: str) -> audit.Anchor:
    try:
        return audit.Anchor.read(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no SEQ:HASH as the daily mail prints it") from None
