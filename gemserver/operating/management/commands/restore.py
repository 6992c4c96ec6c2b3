"""`manage.py restore`: an empty database made to hold what a backup has, and every match replayed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, connection, transaction

from gemserver.lib.process.ends import ended_in_order, uninterrupted
from gemserver.lib.process.named_files import named_file
from gemserver.matches.models import Match
from gemserver.matches.verify import first_difference
from gemserver.operating.backup import (
    SECRET_KEY,
    Backup,
    BackupFailed,
    empty_database,
    fill_database,
    require_empty,
    restoring_alone,
)


class Command(BaseCommand):
    help = (
        "Make an empty database hold what a backup has, migrate it to this version, and replay every match. What does "
        "not verify is not kept: the first bad match is named, and the database is empty again. Exit status 1 then."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="a backup; - for standard input, which must be a file")

    def handle(self, *, file: str, **options: Any) -> None:
        try:
            with ended_in_order(), _open(file) as source, restoring_alone():
                self._restore(Backup(source))
        except BackupFailed as error:
            raise CommandError(str(error)) from error

    def _restore(self, backup: Backup) -> None:
        manifest = backup.manifest
        require_empty()
        backup.require_known()
        self.stdout.write(
            f"A backup of {manifest.site} from {manifest.made_at}, matches: {manifest.matches}, "
            f"moves: {manifest.moves}."
        )
        damaged = backup.list_damaged()
        try:
            fill_database(backup, tolerates=bool(damaged))
            if not damaged:
                call_command("migrate", interactive=False, verbosity=0)
            wrong = _find_wrong()
            if damaged or wrong:
                raise BackupFailed(_explain(damaged, wrong))
            kept = Match.objects.count()
            with _secret_of(backup):
                _verify_audit()
        except BaseException as error:
            with uninterrupted():
                if not isinstance(error, Exception):
                    self.stderr.write("Interrupted; the database is emptied again.")
                self._empty()
            raise
        if kept != manifest.matches:
            # Earlier versions counted after they had copied. The copy is what was written: its digest says so.
            self.stdout.write(f"The backup was made while matches began or went: it has {kept}.")
        self.stdout.write(f"Everything is restored; every match ({kept}) follows from its moves.")

    def _empty(self) -> None:
        """Take away what was restored; what went wrong before is to be told, even if this fails as well."""
        try:
            empty_database()
        except DatabaseError as error:
            reason = str(error).partition("\n")[0]
            self.stderr.write(f"The database cannot be emptied ({reason}): drop it, and make a new one.")


def _open(file: str) -> IO[bytes]:
    """Raises BackupFailed."""
    if file == "-":
        return sys.stdin.buffer
    try:
        return named_file(file).open("rb")
    except OSError as error:
        raise BackupFailed(f"{file} cannot be read: {error.strerror}.") from error


def _find_wrong() -> str:
    """The code of the first match that does not follow from its moves, with what differs; empty for none."""
    try:
        for pk in list(Match.objects.exclude(started_at=None).order_by("pk").values_list("pk", flat=True)):
            with transaction.atomic():
                match = Match.objects.get(pk=pk)
                try:
                    difference = first_difference(match)
                except DatabaseError:
                    raise
                except Exception as error:  # whatever a row that was changed does to the code that reads it
                    return f"{match.code} {match.game}, it cannot be replayed ({type(error).__name__})"
            if difference is not None:
                return f"{match.code} {match.game}, {difference}"
    except DatabaseError as error:
        return f"the tables of matches cannot be read ({type(error).__name__})"
    return ""


def _explain(damaged: list[str], wrong: str) -> str:
    lines = ["The backup is refused, and the database is empty again."]
    if damaged:
        lines.append(f"Not what was written: {', '.join(damaged)}.")
    if wrong:
        lines.append(f"The first bad match: {wrong}.")
    lines.append("Take another backup; gemctl restore says of it, too, whether it is whole.")
    return "\n".join(lines)


@contextmanager
def _secret_of(backup: Backup) -> Iterator[None]:
    """Give the embedded server the key of the backup, from which its tokens follow; not where what follows fails."""
    if not backup.is_sqlite:
        yield
        return
    path = settings.VAR_DIR / SECRET_KEY
    own = path.read_bytes()
    with path.open("wb") as target:
        backup.copy(SECRET_KEY, target)
    try:
        yield
    except BaseException:
        path.write_bytes(own)
        raise


def _verify_audit() -> None:
    """In a process of its own, because the keys may have come with the backup. Raises BackupFailed."""
    connection.close()
    command = [sys.executable, "manage.py", "verify_audit"]
    done = subprocess.run(command, cwd=settings.BASE_DIR, capture_output=True, text=True)
    if done.returncode:
        raise BackupFailed(
            "The backup is refused, and the database is empty again. Of its audit log it is said: "
            f"{(done.stderr or done.stdout).strip()}"
        )
