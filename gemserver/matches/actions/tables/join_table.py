"""Take a seat at a table that waits for players, as a person or for a bot."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from games import deal
from gemserver.accounts.models import User
from gemserver.lib.database.advisory_locks import count_alone
from gemserver.matches import tables
from gemserver.matches.actions.play.start_match import begin
from gemserver.matches.actions.tables.give_part import part_from
from gemserver.matches.bot_accounts import is_one_kind
from gemserver.matches.clubs.clubs import lock_club_of
from gemserver.matches.locking import lock_open_table, lock_table_as_host
from gemserver.matches.models import Invitation, Match, Seat
from gemserver.matches.refusal import Refused
from gemserver.matches.who_may_sit import is_link, require_may_come

MOST_WAITING_SEATS = 20
"""Seats that one account may hold at tables that wait for players.

Each bot is counted for itself: it sits down where others invite it, who could else keep its owner from every table.
"""


def join_table(
    match_id: int, user: User, *, words: str = "", link: str = "", terms: int | None = None, now: datetime
) -> Seat:
    """Take the next seat; joining twice gives the same seat. With the last seat the match may begin.

    Whoever sits there already agrees to the terms, should they have changed; `terms`: the number of the change that
    they were shown (None: the last). `words`: the player's own part of the seed; `link`: the token of the table's link.
    A table that is not open to
    anyone requires an invitation or the link. An open invitation by name is accepted in any case.
    Raises Refused(no-such-match, not-open, table-full, too-many-seats, too-many-words, other-terms) and what
    `require_may_come` raises.
    """
    with transaction.atomic():
        lock_club_of(match_id)
        match = lock_open_table(match_id)
        if mine := match.seats.filter(user=user).first():
            return mine if mine.has_agreed else _agree(match, mine, terms, now)
        require_may_come(match, user, link=link)
        count_seats_alone(user)
        # One to an address that is not needed is left alone, so that its sender does not learn whose address it is.
        is_free = tables.needs_no_invitation(match, user) or is_link(match, link)
        invitation = None if is_free else tables.invitation_of(match, user)
        seat = seat_newcomer(match, user=user, words=words, now=now)
        match.joined_at = now
        match.save(update_fields=["joined_at"])
        answered = Q(user=user, by_name=True) | Q(pk=invitation.pk if invitation else None)
        match.invitations.filter(answered, state=Invitation.State.OPEN).update(
            state=Invitation.State.ACCEPTED, answered_at=now
        )
        start_if_full(match, now)
    return seat


def _agree(match: Match, mine: Seat, terms: int | None, now: datetime) -> Seat:
    if terms is not None and terms != match.terms_changes:
        raise Refused(
            "other-terms",
            "The terms of {code} have changed again since; look at them before you agree.",
            code=match.code,
        )
    mine.has_agreed = True
    mine.save(update_fields=["has_agreed"])
    match.joined_at = now
    match.save(update_fields=["joined_at"])
    start_if_full(match, now)
    return mine


def fill_with_bots(
    match_id: int, bot: Seat.Bot, *, number: int | None = None, by: User | None, now: datetime
) -> Match:
    """Give free seats to bots of one strength, all of them (None) or so many; the match may begin with the last.

    Raises Refused(no-such-match, not-open, not-host, table-full, too-many-bots).
    """
    with transaction.atomic():
        match = lock_table_as_host(match_id, by)
        free = match.seat_count - match.seats.count()
        if number is not None and not 0 < number <= max(1, free):
            raise Refused(
                "too-many-bots",
                "Free seats at {code}: {free}. Ask for at least one bot, and for no more than that.",
                code=match.code,
                free=free,
            )
        for _ in range(number or max(1, free)):
            seat_newcomer(match, bot=bot, now=now)
        start_if_full(match, now)
    return match


def count_seats_alone(user: User) -> None:
    """Let nobody else count or add tables and seats of this person or their bots until the transaction ends."""
    count_alone(f"held seats of {user.family}")


def seat_newcomer(
    match: Match,
    *,
    user: User | None = None,
    bot: Seat.Bot = Seat.Bot.NONE,
    words: str = "",
    now: datetime,
) -> Seat:
    """Put a person or a bot on the next seat; the caller holds the match's lock and has asked `who_may_sit`.

    The match is not rated any more once people and bots sit there.

    Raises Refused(table-full, too-many-seats, too-many-words, hard-needs-account).
    """
    if bot == Seat.Bot.HARD and match.created_by and match.created_by.is_guest:
        raise Refused(
            "hard-needs-account",
            "Hard bots play only with people who have an account; sign up, or play a normal bot.",
        )
    taken = match.seats.count()
    if taken == match.seat_count:
        raise Refused("table-full", "{code} has no free seat; join another table.", code=match.code)
    if user and tables.waiting_tables(user).count() >= MOST_WAITING_SEATS:
        raise Refused(
            "too-many-seats",
            "You sit at {most} tables that wait for players already; leave one of them first.",
            most=MOST_WAITING_SEATS,
        )
    is_given = bool(words.strip())
    part = part_from(words) if is_given else deal.default_part(match.server_part, taken)
    seat = Seat.objects.create(
        match=match, index=taken, user=user, bot=bot, part=part, part_at=now if is_given else None
    )
    if match.is_rated and not is_one_kind(match.read_seats()):
        match.is_rated = False
        match.save(update_fields=["is_rated"])
    return seat


def start_if_full(match: Match, now: datetime) -> None:
    """Begin the match if all seats are taken, all agree and none starts it by hand; the caller holds its lock."""
    agreed = match.seats.filter(has_agreed=True)
    if match.starts_when_full and agreed.count() == match.seat_count:
        begin(match, now)
