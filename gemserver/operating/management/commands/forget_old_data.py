"""`manage.py forget_old_data`: runs by hand what the workers do every hour."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from gemserver.lib import clock
from gemserver.operating import retention


class Command(BaseCommand):
    help = "Forget raw mail, old codes and sessions and accounts that were never confirmed; safe to run at any time."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only say how many there are")

    def handle(self, *, dry_run: bool, **options: Any) -> None:
        counts = retention.count(clock.now()) if dry_run else retention.forget(clock.now())
        for name, number in counts.items():
            self.stdout.write(f"{number:>8}  {name}")
