"""Shut an account, with all of its owner's that has not begun, and open it again."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from gemserver.accounts.bans import ban_user, lift
from gemserver.accounts.models import Ban, User
from gemserver.clubs.models import Club
from gemserver.matches.actions.clubs.hand_on import hand_on
from gemserver.matches.actions.seats.ask_sitter import stop_sitting
from gemserver.matches.actions.tables.leave_table import leave_if_waiting
from gemserver.matches.models import Invitation, Match, Seat, Sitting


def shut_account(user: User, note: str, *, until: datetime | None = None, now: datetime) -> Ban:
    """Ban the account and its bots, which leave tables that wait, withdraw invitations and sit for nobody any more.

    Or others would begin a match with somebody who cannot move, or be invited by them. Running matches stay as they
    are. Clubs that nobody else owns are handed on. `note` tells the person why, and how to appeal; `until`: it is
    opened again then. The caller holds no club, no match and no account.
    """
    with transaction.atomic():
        _stand_up(_lock_all(user), now)
        ban = ban_user(user, note, until=until, now=now)
        _hand_on_clubs(user, now)
    return ban


def reopen_account(ban: Ban, *, now: datetime) -> None:
    """Lift the ban of an account; a club in which everybody was shut belongs to its first member who is not."""
    assert ban.user is not None
    with transaction.atomic():
        _lock_rows(_clubs(ban.user))
        lift(ban, now=now)
        _hand_on_clubs(ban.user, now)


def _hand_on_clubs(user: User, now: datetime) -> None:
    for club in _clubs(user).order_by("pk"):
        hand_on(club, now)


def _clubs(user: User) -> QuerySet[Club]:
    return Club.objects.filter(pk__in=user.memberships.values("club"))


def _lock_all(user: User) -> list[User]:
    """Lock all clubs and matches that these accounts leave, and the accounts: they come to no others meanwhile.

    Who sits down holds the match and then the account (`require_may_come`, `open_table`), and so it is with clubs. So
    when the accounts are ours, either they are where it is locked here, or the locks are given back and taken anew.
    """
    while True:
        try:
            with transaction.atomic():
                family = _family(user)
                clubs = _lock_rows(_clubs(user))
                matches = _lock_rows(Match.objects.filter(_is_left_by(family)))
                _lock_rows(User.objects.filter(pk__in=[account.pk for account in family]))
                left = Match.objects.filter(_is_left_by(family)).exclude(pk__in=matches)
                joined = _clubs(user).exclude(pk__in=clubs)
                if left.exists() or joined.exists() or _family(user) != family:
                    raise _MeanwhileSeated
                return family
        except _MeanwhileSeated:
            continue


def _family(user: User) -> list[User]:
    return [*user.bots.order_by("pk"), user]


def _lock_rows(rows: QuerySet[Club] | QuerySet[Match] | QuerySet[User]) -> list[int]:
    return list(rows.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True))


class _MeanwhileSeated(Exception):
    """An account has sat down, joined a club or got a bot while its locks were waited for."""


def _is_left_by(accounts: Collection[User]) -> Q:
    invited, seats, sittings = _invited(accounts), _waiting_seats(accounts), _sittings(accounts)
    theirs = Q(pk__in=invited.values("match")) | Q(pk__in=seats.values("match"))
    return theirs | Q(pk__in=sittings.values("seat__match"))


def _invited(accounts: Collection[User]) -> QuerySet[Invitation]:
    return Invitation.objects.filter(invited_by__in=accounts, state=Invitation.State.OPEN)


def _waiting_seats(accounts: Collection[User]) -> QuerySet[Seat]:
    return Seat.objects.filter(user__in=accounts, match__status=Match.Status.OPEN)


def _sittings(accounts: Collection[User]) -> QuerySet[Sitting]:
    return Sitting.objects.filter(sitter__in=accounts, ended_at=None)


def _stand_up(accounts: Collection[User], now: datetime) -> None:
    """Get up from everything that has not begun; the matches and the accounts are locked."""
    stop_sitting(accounts, now=now)
    for seat in _waiting_seats(accounts).select_related("user").order_by("match"):
        assert seat.user is not None
        leave_if_waiting(seat.match_id, seat.user, now=now)
    _invited(accounts).update(state=Invitation.State.WITHDRAWN, answered_at=now)
