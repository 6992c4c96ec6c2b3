"""Builds the archive's files from the rows of finished matches.

A file says nothing by which somebody could be found who has not agreed to be named: no code, commitment, typed part,
sealed hash, time or talk. The matches have numbers of their own, in an order that only the server's key explains.
"""

from __future__ import annotations

import hashlib
import io
import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import islice

from django.db import transaction
from django.db.models import Min, QuerySet, Sum

from games.archive import Player, Row, write_rows
from gemserver.archive.models import ArchiveFile, ArchiveMonth
from gemserver.lib import signing
from gemserver.matches.models import Match, Seat
from gemserver.matches.offered.game_guard import UNPLAYABLE
from gemserver.matches.privacy import public_matches
from gemserver.matches.records import make_record

log = logging.getLogger(__name__)

MOST_IN_FILE = 10_000
"""Matches; a month with more has several files."""
ROWS_AT_ONCE = 200
KEPT = timedelta(days=30)
"""A file that was built longer ago is built again, for whatever has changed since in its matches."""
LONGEST = timedelta(minutes=10)
"""The time for which one task begins to build another month."""


def build_due(now: datetime) -> int:
    """Build the months that are missing, stale or old; return the number that was built within the time for it."""
    began = time.monotonic()
    built = 0
    for month in _list_due(now):
        if time.monotonic() - began > LONGEST.total_seconds():
            break
        try:
            build_month(month, now=now)
        except Exception:  # one month that fails does not keep names in the others
            log.exception("archive: %s cannot be built", month)
        else:
            built += 1
    return built


def build_month(month: date, *, now: datetime) -> list[ArchiveFile]:
    """Build the files of the month (its first day) in place of those that there are.

    They are stale from the first if somebody in them was erased, or chose otherwise, while they were being built.
    """
    begun, _ = ArchiveMonth.objects.get_or_create(month=month)
    keys = list(matches_of(month).values_list("pk", flat=True))
    rows = _write_rows(keys)
    files: list[ArchiveFile] = []
    while part := list(islice(rows, MOST_IN_FILE)):
        written = io.BytesIO()
        write_rows(part, written)
        content = written.getvalue()
        files.append(
            ArchiveFile(
                month=month,
                part=len(files) + 1,
                matches=len(part),
                content=content,
                size=len(content),
                sha256=hashlib.sha256(content).hexdigest(),
                built_at=now,
            )
        )
    with transaction.atomic():
        row = ArchiveMonth.objects.select_for_update().get(month=month)
        for file in files:
            file.is_stale = row.changes != begun.changes
        ArchiveFile.objects.filter(month=month).delete()
        ArchiveFile.objects.bulk_create(files, batch_size=1)
        row.keys_sum = sum(keys)
        row.save(update_fields=["keys_sum"])
    log.info("archive: %s matches of %s", sum(file.matches for file in files), month)
    return files


def matches_of(month: date) -> QuerySet[Match]:
    """The public matches that were finished in this month."""
    begin = datetime(month.year, month.month, 1, tzinfo=UTC)
    end = datetime.combine(_next_month(month), datetime.min.time(), UTC)
    return public_matches().filter(finished_at__gte=begin, finished_at__lt=end)


def _list_due(now: datetime) -> Iterator[date]:
    """Yield the months before this one that have no file, or one that is stale, old, or of other matches.

    They change when a club becomes private, for example. Stale ones come first.
    """
    stale = ArchiveFile.objects.filter(is_stale=True).order_by("month").values_list("month", flat=True)
    yield from (months := list(dict.fromkeys(stale)))
    finished = Match.objects.filter(status=Match.Status.FINISHED)
    first = finished.aggregate(first=Min("finished_at"))["first"]
    if first is None:
        return
    fresh = ArchiveFile.objects.filter(built_at__gt=now - KEPT)
    built = dict(
        ArchiveMonth.objects.filter(month__in=fresh.values("month")).values_list("month", "keys_sum")
    )
    month = first.astimezone(UTC).date().replace(day=1)
    while _next_month(month) <= now.astimezone(UTC).date():
        if month not in months and _sum_keys(month) != built.get(month, 0):
            yield month
        month = _next_month(month)


def _sum_keys(month: date) -> int:
    found = matches_of(month).order_by().aggregate(sum=Sum("pk"))["sum"]
    return int(found or 0)


def _next_month(month: date) -> date:
    return (month.replace(day=1) + timedelta(days=32)).replace(day=1)


def _write_rows(matches: Iterable[int]) -> Iterator[Row]:
    """Yield the rows in an order that nobody else can work out, with people numbered as they appear."""
    keys = sorted(matches, key=lambda pk: signing.mac("archive", pk))
    numbers: dict[int, int] = {}
    for start in range(0, len(keys), ROWS_AT_ONCE):
        found = Match.objects.in_bulk(keys[start : start + ROWS_AT_ONCE])
        for number, key in enumerate(keys[start : start + ROWS_AT_ONCE], start=start + 1):
            if (match := found.get(key)) and (row := _write_row(number, match, numbers)):
                yield row


def _write_row(number: int, match: Match, numbers: dict[int, int]) -> Row | None:
    """The row of a match; None if its moves do not replay any more, of which the operators are told."""
    try:
        record = make_record(match)
    except UNPLAYABLE as error:
        log.error("archive: %s is left out: %s", match.code, error)
        return None
    seats = list(match.seats.select_related("user", "user__owner").order_by("index"))
    players = tuple(_name(seat, numbers) for seat in seats)
    record = replace(
        record,
        players=_name_seats(players),
        match=None,
        commitment=None,
        server_part=None,
        parts=(),
        sealed=(),
    )
    return Row(number, players, match.is_rated, record)


def _name(seat: Seat, numbers: dict[int, int]) -> Player:
    """Name who has agreed, and number everybody else; an erased account is somebody new each time."""
    if seat.bot:
        return Player(bot=seat.bot)
    user = seat.user
    if user is None:
        return Player(number=numbers.setdefault(-seat.pk, len(numbers) + 1))
    person = user.owner or user
    if person.is_named_in_archive and person.is_active:
        return Player(name=user.username, is_program=user.is_bot)
    return Player(number=numbers.setdefault(user.pk, len(numbers) + 1), is_program=user.is_bot)


def _name_seats(players: Sequence[Player]) -> tuple[str, ...]:
    """The names in the record: those of two bots differ."""
    shown = [player.shown for player in players]
    return tuple(
        f"{name} {place}" if shown.count(name) > 1 else name for place, name in enumerate(shown, start=1)
    )
