"""Erase an account; the other players' matches stay whole."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from gemserver.accounts.models import User
from gemserver.archive.naming import list_months, outdate
from gemserver.clubs.models import Club, Member, News, Post
from gemserver.events.actions.report_event import own_texts
from gemserver.events.models import Entry, Season
from gemserver.inbox.models import InboundEmail, Ticket
from gemserver.inbox.senders import of_another
from gemserver.matches.actions.clubs.leave_club import give_up_membership
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.seats.ask_sitter import end_if_over, stop_sitting
from gemserver.matches.actions.tables.leave_table import leave_if_waiting
from gemserver.matches.models import ChatMessage, Invitation, Match, Move, Report, Seat, Sitting
from gemserver.matches.refusal import Refused
from gemserver.notify import account_mail
from gemserver.notify.models import DeliveryEvent, OutboxMessage
from gemserver.study.models import Hint, Review


def erase(user: User, *, source: Move.Source = Move.Source.WEB, now: datetime) -> None:
    """Remove the account and everything that identifies its owner.

    The player leaves open tables, resigns running matches, and sits for nobody any more. Seats and moves stay, as those
    of "player 3". The player's messages at tables and news of clubs are deleted, and so is every mail from or to them,
    with what was reported of it and invitations to their addresses; mails of an account that had their address or seat
    before stay. Reports to moderators lose the words that they have written or answered for. A club that they alone own
    goes to the longest-standing member. A person's bots go with them. The audit log keeps the names of moderators.
    """
    with transaction.atomic():
        months = list_months(user)
        _remove(user, source, now)
        outdate(months)  # last, as it waits for whoever builds the archive


def _remove(user: User, source: Move.Source, now: datetime) -> None:
    """Leave everything, and again what has been added meanwhile, until the account and its bots are deleted."""
    while True:
        family = [*user.bots.all(), user]
        _lock_all(family)
        _blank_reports(family)
        for seat in _held_seats(family).select_related("match", "user").order_by("match"):
            assert seat.user is not None
            _give_up(seat, seat.user, source, now)
            end_if_over(seat, now)
        stop_sitting(family, now=now)
        for member in user.memberships.select_related("club", "user").order_by("club"):
            give_up_membership(member, now)
        for account in family:
            _delete_words(account)
        # Before the accounts, as whoever holds a match may wait for one; a bot's tables go on to count for its owner.
        Match.objects.filter(created_by__in=family).update(created_by=user.owner)
        if all(_delete_if_free(account) for account in family):
            return


def _lock_all(family: list[User]) -> None:
    """Lock the seasons, the clubs and the matches of these accounts, in `lock_order.ORDER`.

    Who takes over an entry writes it and then waits for its matches: with the season none does so meanwhile.
    """
    present = [Season.State.ENTERING, Season.State.RUNNING]
    seasons = Season.objects.filter(pk__in=Entry.objects.filter(player__in=family).values("season"))
    clubs = Club.objects.filter(pk__in=Member.objects.filter(user__in=family).values("club"))
    sat_in = Sitting.objects.filter(sitter__in=family, ended_at=None).values("seat__match")
    held = _held_seats(family).values("match")
    matches = Match.objects.filter(Q(pk__in=held) | Q(pk__in=sat_in) | Q(created_by__in=family))
    for rows in (seasons.filter(state__in=present), clubs, matches):
        list(rows.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True))


def _blank_reports(family: list[User]) -> None:
    """Take out of reports what these accounts have written in them, and their words that others have reported."""
    Report.objects.filter(reporter__in=family).update(text="")
    texts = [about for account in family for about in own_texts(account)]
    Report.objects.filter(Q(reported__in=family) | Q(about__in=texts)).update(quoted="")


def _delete_words(user: User) -> None:
    ChatMessage.objects.filter(author=user).delete()
    News.objects.filter(author=user).delete()
    Post.objects.filter(author=user).delete()
    addresses = user.verified_addresses()
    theirs = Q(user=user) | Q(sender__in=addresses) | Q(seat__user=user)
    mails = InboundEmail.objects.filter(theirs & ~of_another(user))
    # Mails to an address that say of no account that it is theirs: codes, links and questions to a stranger.
    threads = [
        account_mail.KIND,
        *(f"sign-up:{pk}" for pk in mails.filter(user=None).values_list("pk", flat=True)),
    ]
    OutboxMessage.objects.filter(user=None, thread__in=threads, to__in=addresses).delete()
    DeliveryEvent.objects.filter(address__in=addresses).delete()
    Invitation.objects.filter(user=None, address__in=addresses).delete()
    Ticket.objects.filter(user=None, address__in=addresses).delete()
    mails.delete()


def _delete_if_free(user: User) -> bool:
    """Delete the account, or return False if there is something to leave; no row can name it from here on.

    Whoever writes such a row waits for this lock at their commit. That is why it is taken last, and given back where
    the locks of matches are needed once more.
    """
    try:
        with transaction.atomic():
            list(User.objects.select_for_update().filter(pk=user.pk))
            if _held_seats([user]).exists() or user.memberships.exists() or user.bots.exists():
                raise _NotFree
            if user.owner is not None:
                _leave_counts(user, user.owner)
            user.delete()
    except _NotFree:
        return False
    return True


def _leave_counts(bot: User, owner: User) -> None:
    """Leave to the owner what the bot has used of their daily limits: ending it does not begin them anew.

    Its tables are left in `_remove`, as they are locked before accounts.
    """
    Invitation.objects.filter(invited_by=bot).update(invited_by=owner)
    Report.objects.filter(reporter=bot).update(reporter=owner)
    Sitting.objects.filter(player=bot, agreed_at=None).update(player=owner)
    Hint.objects.filter(user=bot).update(user=owner)
    Review.objects.filter(user=bot).update(user=owner)


class _NotFree(Exception):
    """Something has been added to an account that is about to be deleted."""


def _held_seats(family: list[User]) -> QuerySet[Seat]:
    """Seats of which a match may wait for these players: without an account it would wait for ever."""
    return Seat.objects.filter(user__in=family, match__status__in=(Match.Status.OPEN, Match.Status.RUNNING))


def _give_up(seat: Seat, user: User, source: Move.Source, now: datetime) -> None:
    """Leave the table or resign the match; what has begun, ended or gone to another meanwhile is left as it is."""
    if seat.match.status == Match.Status.OPEN:
        leave_if_waiting(seat.match_id, user, now=now)
        return
    try:
        resign(seat.match_id, user, source=source, request_id="", now=now)
    except Refused as refusal:
        if refusal.code not in {"over", "not-seated"}:
            raise
