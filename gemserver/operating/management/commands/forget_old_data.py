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
        parser.add_argument(
            "--the-date-is-right",
            action="store_true",
            dest="is_right",
            help="delete although the clock has just gone ahead by more than a week",
        )

    def handle(self, *, dry_run: bool, is_right: bool, **options: Any) -> None:
        now = clock.now()
        counts = retention.count(now) if dry_run else retention.forget(now, is_right=is_right)
        for name, number in counts.items():
            self.stdout.write(f"{number:>8}  {name}")
