"""Queries about clubs and their members; who may know of a club is decided here."""

from __future__ import annotations

from typing import TypeAlias

from django.contrib.auth.models import AnonymousUser
from django.db.models import Case, OuterRef, QuerySet, When

from gemserver.accounts.models import User
from gemserver.clubs.models import Candidate, Club, Member

Reader: TypeAlias = User | AnonymousUser | None
"""Whoever asks; None or an AnonymousUser is a stranger."""


def membership(club: Club | int, reader: Reader) -> Member | None:
    """The reader's row in this club (or the one with this primary key); None if they are no member."""
    if not isinstance(reader, User):
        return None
    return Member.objects.select_related("club", "user").filter(club=club, user=reader).first()


def is_member(club: Club | int, reader: Reader) -> bool:
    """True if the reader belongs to the club now, whatever their role."""
    return isinstance(reader, User) and Member.objects.filter(club=club, user=reader).exists()


def hidden_clubs(reader: Reader) -> QuerySet[Club]:
    """The private clubs that the reader does not belong to: nothing of them is shown to them."""
    private = Club.objects.filter(is_private=True).order_by()
    if not isinstance(reader, User):
        return private
    return private.exclude(pk__in=Member.objects.filter(user=reader).values("club"))


def clubs_of(reader: Reader) -> QuerySet[Club]:
    """The clubs that the reader belongs to and that are not closed, by name."""
    if not isinstance(reader, User):
        return Club.objects.none()
    return Club.objects.filter(members__user=reader, closed_at=None).order_by("name", "pk")


def ownerships(user: User | OuterRef) -> QuerySet[Member]:
    """The rows of this user as an owner of clubs that are not closed."""
    return Member.objects.filter(user=user, role=Member.Role.OWNER, club__closed_at=None)


def open_owners(club: Club | int) -> QuerySet[Member]:
    """The club's owners but those whose account is shut: who runs it now."""
    return Member.objects.filter(club=club, role=Member.Role.OWNER, user__is_active=True)


def shown_to(reader: Reader) -> QuerySet[Club]:
    """The clubs that the reader may know of: listed ones, their own, and those that invite them."""
    hidden = hidden_clubs(reader)
    if isinstance(reader, User):
        hidden = hidden.exclude(pk__in=invitations_of(reader).values("club"))
    return Club.objects.exclude(pk__in=hidden.values("pk"))


def invitations_of(user: User) -> QuerySet[Candidate]:
    """The unanswered invitations of this user into clubs, the oldest first."""
    invited = Candidate.objects.filter(user=user, kind=Candidate.Kind.INVITED, club__closed_at=None)
    return invited.select_related("club", "by").order_by("since", "pk")


def members_of(club: Club) -> QuerySet[Member]:
    """The members of the club: owners first, then organisers, then the others, each by name."""
    rank = Case(When(role=Member.Role.OWNER, then=0), When(role=Member.Role.ORGANISER, then=1), default=2)
    return club.members.select_related("user").annotate(rank=rank).order_by("rank", "user__username")
