"""Erase an account; the other players' matches stay whole."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from gemserver.accounts.models import User
from gemserver.archive.consent import list_months, outdate
from gemserver.clubs.models import News, Post
from gemserver.inbox.models import InboundEmail
from gemserver.matches.actions.clubs.leave_club import give_up_membership
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.tables.leave_table import leave_table
from gemserver.matches.models import ChatMessage, Match, Move, Seat


def erase(user: User, *, source: Move.Source = Move.Source.WEB, now: datetime) -> None:
    """Remove the account and everything that identifies its owner.

    The player leaves open tables and resigns running matches. Seats and moves stay, as those of "player 3". The
    player's messages at tables and news of clubs are deleted, and so is every mail from or to them. A club that they
    alone own goes to the longest-standing member. A person's bots go with them. The audit log keeps the names of
    moderators.
    """
    with transaction.atomic():
        months = list_months(user)
        for bot in user.bots.all():
            _remove(bot, source, now)
        _remove(user, source, now)
        outdate(months)  # last, as it waits for whoever builds the archive


def _remove(user: User, source: Move.Source, now: datetime) -> None:
    seats = Seat.objects.filter(user=user).select_related("match").order_by("match")
    for member in user.memberships.select_related("club", "user"):
        give_up_membership(member, now)
    for seat in seats.filter(match__status=Match.Status.OPEN):
        leave_table(seat.match_id, user, now=now)
    for seat in seats.filter(match__status=Match.Status.RUNNING):
        resign(
            seat.match_id,
            user,
            source=source,
            request_id="erase",
            now=now,
        )
    ChatMessage.objects.filter(author=user).delete()
    News.objects.filter(author=user).delete()
    Post.objects.filter(author=user).delete()
    InboundEmail.objects.filter(
        Q(user=user) | Q(sender__in=user.verified_addresses()) | Q(seat__user=user)
    ).delete()
    user.delete()
