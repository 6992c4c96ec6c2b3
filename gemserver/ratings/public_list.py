"""The public list of results of a game, from which anybody can compute all its ratings (`python -m games ratings`)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from django.db.models import Q

from games.contract import seat_letter
from games.results import COLUMNS
from gemserver.lib import signing
from gemserver.matches.models import Match
from gemserver.ratings.models import Pool, RatingChange

ROWS_AT_ONCE = 2000


def write_list(game: str) -> Iterator[str]:
    """Yield the list in pieces, read afresh for each, so that no query lasts as long as the download.

    Players have pseudonyms. What counts for a private club alone is not in it; a match that began before its club
    became private is, under a name that means nothing elsewhere.
    """
    yield _write([COLUMNS])
    last: RatingChange | None = None
    while rows := _read_after(last, game):
        yield _write([_cells(row) for row in rows])
        last = rows[-1]


def is_being_computed(game: str) -> bool:
    """True while the list would not add up, as a match is taken out or put in before others."""
    return Pool.objects.filter(club=None, game=game, stale_from__isnull=False).exists()


def _read_after(last: RatingChange | None, game: str) -> list[RatingChange]:
    rows = RatingChange.objects.filter(pool__club=None, pool__game=game)
    if last is not None:
        same = Q(finished_at=last.finished_at)
        rows = rows.filter(
            Q(finished_at__gt=last.finished_at)
            | same & Q(match__gt=last.match_id)
            | same & Q(match=last.match_id, seat__gt=last.seat)
        )
    ordered = rows.select_related("contender", "match__club").order_by("finished_at", "match", "seat")
    return list(ordered[:ROWS_AT_ONCE])


def _cells(row: RatingChange) -> tuple[object, ...]:
    contender = row.contender
    absence = signing.mac("absence", contender.pk, row.absent_since.isoformat()) if row.absent_since else ""
    return (
        _name_match(row.match),
        row.finished_at.isoformat(timespec="seconds"),
        seat_letter(row.seat),
        contender.pseudonym,
        "bot" if contender.is_bot else "person",
        row.place,
        absence,
        repr(row.mu_after),
        repr(row.sigma_after),
    )


def _name_match(match: Match) -> str:
    is_hidden = match.club is not None and match.club.is_private
    return signing.mac("hidden match", match.pk) if is_hidden else match.code


def _write(rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
