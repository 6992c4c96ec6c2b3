"""Queries about tables that wait for players: their hosts, seats and invitations."""

from __future__ import annotations

from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from gemserver.accounts.blocks import blocked_with
from gemserver.accounts.models import Block, User
from gemserver.clubs.selectors import Reader
from gemserver.lib.database.prepared import Param
from gemserver.matches.models import ChatMessage, Invitation, Match, Seat
from gemserver.matches.privacy import may_see, open_to


def open_to_all(reader: User | None) -> QuerySet[Match]:
    """The tables that the reader (None: a stranger) may join: a seat is free, and no invitation is needed.

    Without tables from which the reader was removed, and where somebody sits whom the reader has blocked, or who has
    blocked the reader, for a bot without
    those for people, and without those of clubs that the reader does not belong to.
    """
    seats = Seat.objects.filter(match=OuterRef("pk")).order_by().values("match")
    taken = Coalesce(Subquery(seats.annotate(number=Count("pk")).values("number")), 0)
    waiting = Match.objects.filter(open_to(reader), status=Match.Status.OPEN, access=Match.Access.ANYONE)
    if reader is not None:
        waiting = waiting.exclude(seats__user__in=blocked_with(reader)).exclude(Exists(_removals_of(reader)))
        if reader.is_bot:
            waiting = waiting.filter(allows_bots=True)
    return waiting.annotate(taken=taken).filter(taken__lt=F("seat_count"))


def _removals_of(user: User) -> QuerySet[Invitation]:
    return Invitation.objects.filter(REMOVED, match=OuterRef("pk"), user=user)


REMOVED = Q(by_name=True) & (
    Q(state=Invitation.State.REMOVED)
    | Q(was_removed=True, state__in=[Invitation.State.WITHDRAWN, Invitation.State.DECLINED])
)
"""The condition that keeps the invitations of those whom a host has removed, and whom none that stands lets in."""


WAITS_FOR = timedelta(days=30)
"""A table at which nothing changes for so long ends by itself."""


def forgotten_tables(now: datetime) -> QuerySet[Match]:
    """Tables of people at which for `WAITS_FOR` nobody has sat down, said anything, or sent or answered an invitation.

    Oldest first.
    """
    since = now - WAITS_FOR
    waiting = Match.objects.filter(status=Match.Status.OPEN, created_at__lte=since)
    waiting = waiting.filter(Q(joined_at=None) | Q(joined_at__lte=since))
    invitations = Invitation.objects.filter(match=OuterRef("pk"))
    people = Seat.objects.filter(match=OuterRef("pk"), user__isnull=False)
    return waiting.filter(
        Exists(people),  # one that the server itself has opened stays
        ~Exists(invitations.filter(Q(created_at__gt=since) | Q(answered_at__gt=since))),
        ~Exists(ChatMessage.objects.filter(match=OuterRef("pk"), created_at__gt=since)),
    ).order_by("created_at")


def waiting_tables(user: User) -> QuerySet[Seat]:
    """The seats this user holds at tables that wait for players."""
    seats = Seat.objects.filter(user=user, match__status=Match.Status.OPEN)
    return seats.select_related("match").order_by("match")


def host_of(match: Match) -> User | None:
    """The host of a table: the person who has sat there longest, else its creator."""
    seat = match.seats.select_related("user").filter(user__isnull=False).order_by("index").first()
    return seat.user if seat else match.created_by


def invitation_of(match: Match, user: User) -> Invitation | None:
    """The user's invitation to this table, open or accepted."""
    states = [Invitation.State.OPEN, Invitation.State.ACCEPTED]
    return invitations_to(user).filter(match=match, state__in=states).order_by("created_at", "pk").first()


def was_removed(match: Match, user: User) -> bool:
    """True if the host has removed this user from the table, and no invitation lets them in again."""
    return match.invitations.filter(REMOVED, user=user).exists()


def find_rematch(match: Match) -> Match | None:
    """The rematch of a finished match, from its table on; None if there is none or it was cancelled."""
    return match.rematches.exclude(status=Match.Status.CANCELLED).first()


def find_seen_rematch(match: Match, player: Reader) -> Match | None:
    """Like `find_rematch`; None too for a player who may not know of it, having left the club.

    Spectators who see the match see its rematch (None or a stranger).
    """
    rematch = find_rematch(match)
    is_seen = rematch is None or not isinstance(player, User) or may_see(rematch, player)
    return rematch if is_seen else None


def needs_no_invitation(match: Match, user: User) -> bool:
    """True if this user may join in any case: anybody may, it is their own table, or they played what is replayed.

    Who may sit down in the end is said by `who_may_sit`.
    """
    if match.access == Match.Access.ANYONE or match.created_by_id == user.pk:
        return True
    return has_played_before(match, user)


def has_played_before(match: Match, user: User) -> bool:
    """True if the match is a rematch of one that this user played."""
    return (
        match.rematch_of_id is not None and Seat.objects.filter(match=match.rematch_of_id, user=user).exists()
    )


def open_invitations(user: User | Param) -> QuerySet[Invitation]:
    """The user's unanswered invitations to tables that still wait for players, oldest first.

    Without those from anybody who has blocked the user or is blocked, or to a table where such a player sits, those to
    a table that the user has declined, and those to a table of a club that the user has left.
    """
    theirs = invitations_to(user)
    found = theirs.filter(state=Invitation.State.OPEN, match__status=Match.Status.OPEN)
    found = found.filter(open_to(user, "match__"))
    blocks = Block.objects.filter(
        Q(user=user, blocked=OuterRef("invited_by")) | Q(user=OuterRef("invited_by"), blocked=user)
    )
    # As `who_may_sit.blocks_bar` has it: who played together sits down together again.
    is_barred = Q(match__rematch_of=None) & Q(has_block(user))
    declined = theirs.filter(match=OuterRef("match"), state=Invitation.State.DECLINED)
    welcome = (
        found.exclude(match__seats__user=user)
        .exclude(Exists(blocks))
        .exclude(Exists(declined))
        .exclude(is_barred)
    )
    return welcome.select_related("match", "invited_by").order_by("created_at", "pk")


def has_block(user: User | Param) -> Exists:
    """The condition on rows with a `match` that somebody sits there who shares a block with the user."""
    theirs = Q(user=user, blocked__seats__match=OuterRef("match"))
    return Exists(Block.objects.filter(theirs | Q(blocked=user, user__seats__match=OuterRef("match"))))


def invitations_to(user: User | Param) -> QuerySet[Invitation]:
    """All invitations to the user, by name or to one of their verified addresses."""
    proved = EmailAddress.objects.filter(user=user, verified=True).values("email")
    is_theirs = Q(user=user) | Q(user=None, address__in=proved)
    return Invitation.objects.filter(is_theirs)
