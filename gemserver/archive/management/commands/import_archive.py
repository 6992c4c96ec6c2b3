"""`manage.py import_archive`: makes finished matches of an archive, of this server or another."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from games.archive import Row, check, read_rows
from games.contract import GameError
from games.record import Record
from gemserver.clocks.control import TimeControl
from gemserver.lib import clock
from gemserver.lib.process.named_files import named_file
from gemserver.matches.actions.play.import_match import import_match
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused


class Command(BaseCommand):
    help = (
        "Make finished matches of an archive's rows, with nobody in their seats but bots. A row that is there already "
        "is passed over; at one that does not replay the command stops, and those before it stay."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="an archive: gemserver-2026-10.jsonl.gz")
        parser.add_argument("--check", action="store_true", help="replay every match and import none")

    def handle(self, *, file: str, check: bool, **options: Any) -> None:
        try:
            imported, known = _import(named_file(file), is_check=check)
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from error
        except Refused as refusal:
            raise CommandError(refusal.text()) from refusal
        except GameError as error:
            raise CommandError(str(error)) from error
        words = (
            _("Replayed: %(imported)d.") if check else _("Imported: %(imported)d; there already: %(known)d.")
        )
        self.stdout.write(words % {"imported": imported, "known": known})


def _import(path: Path, *, is_check: bool) -> tuple[int, int]:
    imported = known = 0
    present = set() if is_check else _list_present()
    with path.open("rb") as file:
        for row in read_rows(file):
            check(row)
            _require_no_parts(row)
            if _fingerprint(row.record) in present:
                known += 1
                continue
            if not is_check:
                bots = {
                    seat: Seat.Bot(player.bot)
                    for seat, player in enumerate(row.players)
                    if player.bot in Seat.Bot.values and player.bot
                }
                import_match(
                    row.record, bots, time_control=TimeControl.per_move(timedelta(days=3)), now=clock.now()
                )
                present.add(_fingerprint(row.record))
            imported += 1
    return imported, known


def _require_no_parts(row: Row) -> None:
    """Raise CommandError for a row with parts of its deal, which would pass for a match that this server has dealt."""
    record = row.record
    if record.commitment or record.server_part or record.parts:
        raise CommandError(
            _(
                "Match %(number)d has parts of its deal, which no archive shows; take its record by import_match."
            )
            % {"number": row.number}
        )


def _fingerprint(record: Record) -> tuple[object, ...]:
    """Game, deal and number of moves: no two matches have them all."""
    return record.game, record.seed or record.deal, len(record.moves)


def _list_present() -> set[tuple[object, ...]]:
    rows = Match.objects.filter(dealt_by__isnull=False, status=Match.Status.FINISHED)
    return {
        (game, dealt.get("seed") or dealt.get("deal"), ply)
        for game, dealt, ply in rows.values_list("game", "dealt_by", "ply")
        if dealt
    }
