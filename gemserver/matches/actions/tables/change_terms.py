"""Change the terms of a table that waits; whoever else sits there is asked to agree again."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from django.db import transaction

from gemserver.accounts.models import User
from gemserver.matches import replay, turns
from gemserver.matches.actions.tables.join_table import start_if_full
from gemserver.matches.actions.tables.set_rated import set_rated
from gemserver.matches.actions.tables.terms import Terms, write_terms
from gemserver.matches.locking import lock_table_as_host
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused

KIND = "terms-changed"
MOST_CHANGES = 20
"""Of one table: each is a mail to everybody there."""
_BOUND = frozenset({"options", "club"})
"""Fields that never change: the deal was promised with the options, and the club decides who may know of the table."""


def change_terms(match_id: int, terms: Terms, *, by: User | None, now: datetime) -> Match:
    """Change seats, clock, days off, absence, access, rating and beginning; the match may begin here and now.

    The game, its options, the club and who may be a bot stay as they were; those of `terms` are not read. The other
    people at the table keep their seats and are told; the match does not begin before each of them has agreed
    (`join_table`) or left. Where nothing changes, nobody is told.

    Raises Refused(no-such-match, not-open, not-host, too-few-seats, fixed-seats, too-often, not-rateable) and what
    `Terms.check` raises.
    """
    with transaction.atomic():
        match = lock_table_as_host(match_id, by)
        terms = replace(terms, game=match.game, options=replay.options(match), club=match.club)
        meta = terms.check()
        seats = match.read_seats()
        _check_seats(match, terms.seats, len(seats))
        fields = {name: value for name, value in write_terms(terms, meta).items() if name not in _BOUND}
        was = {name: getattr(match, name) for name in fields}, match.is_rated
        for name, value in fields.items():
            setattr(match, name, value)
        match.is_rated = False
        set_rated(match, terms.is_rated, by or match.created_by, has_bots=any(seat.bot for seat in seats))
        if (fields, match.is_rated) == was:
            return match
        if match.terms_changes >= MOST_CHANGES:
            raise Refused(
                "too-often",
                "The terms of {code} have changed {most} times; open another table.",
                code=match.code,
                most=MOST_CHANGES,
            )
        match.terms_changes += 1
        match.save(update_fields=[*fields, "is_rated", "terms_changes"])
        asked = [seat for seat in seats if seat.user and seat.user != by]
        match.seats.filter(pk__in=[seat.pk for seat in asked]).update(has_agreed=False)
        match.seats.filter(user=by).update(has_agreed=True)
        turns.tell_seats(match, asked, KIND, turn=0, number=match.terms_changes, now=now)
        start_if_full(match, now)
    return match


def _check_seats(match: Match, wanted: int, taken: int) -> None:
    """Raise Refused(too-few-seats, fixed-seats) for a number of seats that the table cannot change to."""
    if wanted < taken:
        raise Refused(
            "too-few-seats",
            "{taken} seats of {code} are taken; remove somebody first, or keep as many.",
            taken=taken,
            code=match.code,
        )
    options = match.rules.meta.options
    if wanted != match.seat_count and (match.rematch_of_id or any(option.per_seat for option in options)):
        raise Refused(
            "fixed-seats",
            "{code} was opened for {seats} seats, and that stays; open another table for another number.",
            code=match.code,
            seats=match.seat_count,
        )
