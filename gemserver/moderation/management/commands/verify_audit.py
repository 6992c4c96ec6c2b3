"""`manage.py verify_audit`: says whether the audit log is whole; exit status 1 when it is not."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from gemserver.moderation import audit
from gemserver.moderation.models import AuditEntry


class Command(BaseCommand):
    help = "Checks the hash chain of the audit log and names the first entry that is missing or was changed."

    def handle(self, *args: Any, **options: Any) -> None:
        if fault := audit.find_fault():
            raise CommandError(f"The audit log was tampered with: {fault}.", returncode=1)
        self.stdout.write(f"The audit log is whole: {AuditEntry.objects.count()} entries.")
