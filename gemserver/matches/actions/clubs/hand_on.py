"""Hand a club that nobody runs any more on to a member."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Case, Exists, OuterRef, When

from gemserver.clubs.models import Club, Member
from gemserver.clubs.selectors import open_owners, ownerships
from gemserver.matches.actions.clubs.open_club import MOST_OWNED
from gemserver.matches.clubs.club_notices import tell_inherited


def hand_on(club: Club, now: datetime) -> Member | None:
    """Make a member an owner, who is told by mail, if all owners are gone or shut; return the new owner.

    Organisers come first, then who has belonged to it longest; whoever owns `MOST_OWNED` clubs inherits only where
    everybody does, and nobody whose account is shut. Owners who are shut stay owners, for when they are let in again.
    The caller holds the club.
    """
    if open_owners(club).exists():
        return None
    owns_enough = Exists(ownerships(OuterRef("user"))[MOST_OWNED - 1 :])
    rank = Case(When(owns_enough, then=2), When(role=Member.Role.ORGANISER, then=0), default=1)
    heir: Member | None = (
        club.members.filter(user__is_active=True)
        .select_related("user", "club")
        .order_by(rank, "joined_at", "pk")
        .first()
    )
    if heir is not None:
        heir.role = Member.Role.OWNER
        heir.save(update_fields=["role"])
        tell_inherited(heir, now)
    return heir
