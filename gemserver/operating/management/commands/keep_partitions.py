"""`manage.py keep_partitions`: runs by hand what the workers do every hour."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import connection

from gemserver.lib import clock
from gemserver.lib.partitions.upkeep import MOST_MOVED
from gemserver.operating import partitions


class Command(BaseCommand):
    help = "Make the partitions of the next months and matches, drop those whose time is over; safe to run at any time."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--most-moved",
            type=_read_rows,
            default=MOST_MOVED,
            metavar="ROWS",
            help="rows that may be moved at once into a partition that was made too late; everybody waits meanwhile",
        )
        parser.add_argument(
            "--the-date-is-right",
            action="store_true",
            dest="is_right",
            help="drop although the clock has just gone ahead by more than a week",
        )

    def handle(self, *, most_moved: int, is_right: bool, **options: Any) -> None:
        if connection.vendor != "postgresql":
            self.stdout.write("SQLite has no partitions: there is nothing to do.")
            return
        kept = partitions.keep(clock.now(), most_moved=most_moved, is_right=is_right)
        self.stdout.write(f"made:    {', '.join(kept.made) or '-'}")
        self.stdout.write(f"dropped: {', '.join(kept.dropped) or '-'}")
        self.stdout.write(f"forgot:  {kept.keys} keys")
        if absent := partitions.missing(clock.now()):
            self.stdout.write(f"missing: {', '.join(absent)}")


def _read_rows(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,12}", text):
        raise ArgumentTypeError(f"{text!r}: write a number of rows")
    return int(text)
