"""Let accounts that are shut get up from everything that has not begun."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db.models import Q

from gemserver.accounts.models import User
from gemserver.matches.actions.seats.ask_sitter import stop_sitting
from gemserver.matches.actions.tables.leave_table import leave_if_waiting
from gemserver.matches.models import Invitation, Match, Seat, Sitting


def stand_up(accounts: Collection[User], *, now: datetime) -> None:
    """Leave the tables that wait, take back all invitations to such, and sit for nobody any more.

    Or others would begin a match with somebody who cannot move, or be invited by them. Running matches stay as they
    are. The caller holds a transaction, and no account.
    """
    invited = Invitation.objects.filter(invited_by__in=accounts, state=Invitation.State.OPEN)
    seats = Seat.objects.filter(user__in=accounts, match__status=Match.Status.OPEN)
    sittings = Sitting.objects.filter(sitter__in=accounts, ended_at=None)
    theirs = Q(pk__in=invited.values("match")) | Q(pk__in=seats.values("match"))
    matches = Match.objects.filter(theirs | Q(pk__in=sittings.values("seat__match")))
    list(matches.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True))
    stop_sitting(accounts, now=now)
    for seat in seats.select_related("user").order_by("match"):
        assert seat.user is not None
        leave_if_waiting(seat.match_id, seat.user, now=now)
    invited.update(state=Invitation.State.WITHDRAWN, answered_at=now)
