"""`manage.py import_match`: makes a match from a record."""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from games.contract import GameError, seat_letter
from games.record import Record, read_record
from gemserver.accounts.models import User
from gemserver.accounts.names import unmarked
from gemserver.clocks.control import TimeControl
from gemserver.lib import clock
from gemserver.lib.process.named_files import named_file
from gemserver.matches.actions.play.import_match import Holder, import_match
from gemserver.matches.models import Seat
from gemserver.matches.refusal import Refused

LARGEST = 5_000_000
MOST_DAYS = 365


class Command(BaseCommand):
    help = (
        "Make a match of a record, finished or going on. A line that is not possible is named, and nothing is "
        "imported. A record that goes on needs its seed (export_match --with-seed) and somebody in every seat."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="a match record, or - for standard input")
        parser.add_argument(
            "--seat",
            action="append",
            default=[],
            type=_read_seat,
            metavar="LETTER=NAME",
            help="who plays there: a user name, or bot:random, bot:easy, bot:normal, bot:hard; may be repeated",
        )
        parser.add_argument(
            "--days", type=_read_days, default=3, help="for each move, if it goes on (default: 3)"
        )
        parser.add_argument(
            "--keep-code", action="store_true", help="put a lost match back under the code that it had"
        )

    def handle(
        self, *, file: str, seat: list[tuple[int, str]], days: int, keep_code: bool, **options: Any
    ) -> None:
        try:
            record = _read_record(file)
            match = import_match(
                record,
                {index: _find_holder(name) for index, name in seat},
                time_control=TimeControl.per_move(timedelta(days=days)),
                keeps_code=keep_code,
                now=clock.now(),
            )
        except Refused as refusal:
            raise CommandError(refusal.text()) from refusal
        except GameError as error:
            raise CommandError(str(error)) from error
        state = match.get_status_display()
        moves = _("moves")
        self.stdout.write(f"{match.code} {match.game}, {match.ply} {moves}, {state}")


def _read_days(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= MOST_DAYS:
        raise ArgumentTypeError(f"{text!r}: write a number of days from 1 to {MOST_DAYS}")
    return int(text)


def _read_seat(text: str) -> tuple[int, str]:
    letter, equals, name = text.partition("=")
    letters = {seat_letter(index): index for index in range(8)}
    if not equals or not name or letter.upper() not in letters:
        raise ArgumentTypeError(f"{text!r}: write LETTER=NAME, as in A=ana")
    return letters[letter.upper()], name


def _read_record(file: str) -> Record:
    try:
        raw = sys.stdin.buffer.read(LARGEST + 1) if file == "-" else named_file(file).read_bytes()
        if len(raw) > LARGEST:
            raise CommandError(_("A record is not larger than %(most)d bytes.") % {"most": LARGEST})
        return read_record(raw.decode("utf-8"))
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise CommandError(_("%(file)s is not written in UTF-8.") % {"file": file}) from error


def _find_holder(name: str) -> Holder:
    kind, colon, level = name.partition(":")
    if colon and kind == "bot" and level in Seat.Bot.values and level:
        return Seat.Bot(level)
    user = User.objects.filter(username=unmarked(name), is_active=True).first()
    if user is None:
        raise CommandError(
            _(
                "There is no player %(name)s; write a user name, or bot:random, bot:easy, bot:normal or bot:hard."
            )
            % {"name": name}
        )
    return user
