"""Open a table."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from games import deal
from games.contract import GameMeta
from gemserver.accounts.models import User
from gemserver.clubs.models import Club
from gemserver.clubs.selectors import is_member
from gemserver.matches.actions.tables.join_table import count_seats_alone, seat_newcomer, start_if_full
from gemserver.matches.actions.tables.promise_secret import take_secret
from gemserver.matches.actions.tables.set_rated import set_rated
from gemserver.matches.actions.tables.terms import Terms, check_bots, write_terms
from gemserver.matches.locking import lock_open_account
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused

MOST_OPEN_TABLES = 10
"""Tables waiting for players that one person, with their bots, may have opened."""
MOST_TABLES_A_DAY = 40
"""Tables that one person may open in 24 hours, with their bots."""
SENT_TWICE = timedelta(minutes=1)
"""Within this time the same form is one that was sent twice."""


def open_table(
    creator: User | None,
    terms: Terms,
    *,
    words: str = "",
    promised: str = "",
    rematch_of: Match | None = None,
    now: datetime,
) -> Match:
    """Open a table with its commitment; its creator takes the first seat, the bots of its terms the next ones.

    `words`: the creator's own part of the seed; `promised`: the fingerprint of the secret that they were shown before
    (`promise_secret`); `rematch_of`: the match that is played again. The match may begin here and now. Without a
    creator (None: the server itself) all seats but the bots' are free. A form that is sent twice opens one table: the
    same terms on one promise within a minute.

    Raises Refused(shut, too-many-bots, too-many-tables, too-many-seats, too-many-words, not-rateable, no-such-club,
    club-closed, no-bots, no-such-option) and what `Terms.check` raises.
    """
    meta = terms.check()
    if creator is not None:
        check_bots(meta, terms.seats, len(terms.bots))
    fields = {
        **write_terms(terms, meta),
        "allows_bots": terms.allows_bots or (creator is not None and creator.is_bot),
        "rematch_of": rematch_of,
    }
    with transaction.atomic():
        if terms.club is not None:
            _check_club(terms.club.pk, creator, allows_bots=terms.allows_bots)
        if creator is not None:
            lock_open_account(creator.pk)
            count_seats_alone(creator)
            if known := _find_opened(creator, terms, promised, fields, now):
                return known
        _check_tables(creator, now)
        match = commit_to_deal(
            meta, *take_secret(creator, promised, now), created_by=creator, created_at=now, **fields
        )
        set_rated(match, terms.is_rated, creator, has_bots=bool(terms.bots))
        if creator is not None:
            seat_newcomer(match, user=creator, words=words, now=now)
        for bot in terms.bots:
            seat_newcomer(match, bot=bot, now=now)
        start_if_full(match, now)
    return match


def _find_opened(
    creator: User, terms: Terms, promised: str, fields: dict[str, Any], now: datetime
) -> Match | None:
    """The table that the same form has opened a moment ago."""
    if not promised:
        return None
    lately = Match.objects.filter(created_by=creator, created_at__gt=now - SENT_TWICE, game=terms.game)
    alike = {name: value for name, value in fields.items() if name != "access"}  # practice has another one
    for match in lately.filter(**alike):
        bots = [seat.bot for seat in match.read_seats() if seat.bot]
        is_same = bots == list(terms.bots) and terms.is_rated in (None, match.is_rated)
        if is_same and deal.fingerprint(match.server_part) == promised:
            return match
    return None


def commit_to_deal(meta: GameMeta, server_part: str, promised_at: datetime, **fields: Any) -> Match:
    """Create the row of a match with the commitment to its deal; `fields` are those of `Match` that a table chooses."""
    match = Match.objects.create(
        code=f"new-{server_part[:12]}",  # the code follows from the row's number
        game=meta.slug,
        rules_version=meta.version,
        server_part=server_part,
        promised_at=promised_at,
        **fields,
    )
    match.code = f"M{match.pk}"
    match.commitment = deal.commitment(match.code, meta.slug, meta.version, match.options, server_part)
    match.save(update_fields=["code", "commitment"])
    return match


def _check_club(club_id: int, creator: User | None, *, allows_bots: bool) -> None:
    """Lock the club, so that nobody leaves or closes it. Raises Refused(no-such-club, club-closed, no-bots)."""
    club = Club.objects.select_for_update(no_key=True).filter(pk=club_id).first()
    if club is None or not is_member(club, creator):
        raise Refused("no-such-club", "You are in no such club; look at the list of your clubs.")
    if club.closed_at is not None:
        raise Refused("club-closed", "The club {name} is closed; open your table without it.", name=club.name)
    if allows_bots:
        raise Refused(
            "no-bots", "Clubs are for people; open the table without bot accounts, or without the club."
        )


def _check_tables(creator: User | None, now: datetime) -> None:
    if creator is None:
        return
    opened = Match.objects.filter(created_by__in=creator.of_family())
    if opened.filter(created_at__gt=now - timedelta(days=1)).count() >= MOST_TABLES_A_DAY:
        raise Refused(
            "too-many-tables",
            "You have opened {most} tables within a day; play those, and come back tomorrow.",
            most=MOST_TABLES_A_DAY,
        )
    if opened.filter(status=Match.Status.OPEN).count() >= MOST_OPEN_TABLES:
        raise Refused(
            "too-many-tables",
            "{most} tables of yours wait for players already; start or cancel one of them first.",
            most=MOST_OPEN_TABLES,
        )
