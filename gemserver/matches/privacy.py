"""Privacy of matches: that of a private club is known to its members and to those who take part in it.

Everything that finds a match by its code asks `may_see`, everything that lists matches filters by `seen_by`. To anybody
else such a match is one that does not exist.
"""

from __future__ import annotations

from django.db.models import F, Q, QuerySet

from games import registry
from gemserver.accounts.models import User
from gemserver.clubs.models import Member
from gemserver.clubs.selectors import Reader, hidden_clubs, is_member
from gemserver.lib.database.prepared import Param
from gemserver.matches.models import Match, Seat, Sitting
from gemserver.matches.refusal import Refused


def may_see(match: Match, reader: Reader) -> bool:
    """True if the reader may know of this match; a query only for the match of a club."""
    if match.club_id is None or not hidden_clubs(reader).filter(pk=match.club_id).exists():
        return True
    return isinstance(reader, User) and _takes_part(match, reader)


def _takes_part(match: Match, reader: User) -> bool:
    """True for a player of the match, and for a sitter who is asked or plays there."""
    is_seated = Seat.objects.filter(match=match, user=reader).exists()
    return is_seated or Sitting.objects.filter(seat__match=match, sitter=reader, ended_at=None).exists()


def seen_by(reader: Reader, prefix: str = "") -> Q:
    """The condition that keeps the matches of which the reader may know.

    `prefix` leads from the listed rows to their match: `match__` for seats.
    """
    is_shown = Q(**{f"{prefix}club": None}) | ~Q(**{f"{prefix}club__in": hidden_clubs(reader).values("pk")})
    if not isinstance(reader, User):
        return is_shown
    seated = Seat.objects.filter(user=reader, match__club__isnull=False).order_by().values("match")
    sitting = Sitting.objects.filter(sitter=reader, ended_at=None, seat__match__club__isnull=False)
    own = seated.union(sitting.order_by().values("seat__match"))
    return is_shown | Q(**{f"{prefix}pk__in": own})


def open_to(reader: User | Param | None, prefix: str = "") -> Q:
    """The condition that keeps matches of no club and of the reader's clubs: the others they may not join."""
    is_free = Q(**{f"{prefix}club": None})
    if reader is None:
        return is_free
    own = Member.objects.filter(user=reader).values("club")
    return is_free | Q(**{f"{prefix}club__in": own})


def began_in_public(match: Match) -> bool:
    """True if the match counts in public: it is of no private club, or began before its club became private.

    That never changes again, so nobody washes a lost match away by shutting their club. `match.club` is read.
    """
    club = match.club
    if club is None or not club.is_private:
        return True
    return bool(match.started_at and club.listed_until and match.started_at < club.listed_until)


BEGAN_IN_PUBLIC = Q(club=None) | Q(club__is_private=False) | Q(started_at__lt=F("club__listed_until"))
"""The condition that keeps the matches for which `began_in_public` is true."""


def listed_matches() -> QuerySet[Match]:
    """Running and finished matches before everybody's eyes: open to all or of an event, of no private club.

    Imported matches, practice, those of guests, and those among friends by link or invitation are not among them.
    """
    is_public = Q(access=Match.Access.ANYONE) | Q(fixture__isnull=False)
    people = Seat.objects.filter(bot=Seat.Bot.NONE).exclude(user__is_guest=True)
    guests = Seat.objects.filter(user__is_guest=True)
    return (
        Match.objects.filter(is_public, dealt_by__isnull=True)
        .filter(status__in=(Match.Status.RUNNING, Match.Status.FINISHED))
        .filter(Q(club=None) | Q(club__is_private=False))
        .filter(game__in=registry.GAMES)
        .filter(pk__in=people.values("match"))
        .exclude(pk__in=guests.values("match"))
    )


def public_matches() -> QuerySet[Match]:
    """The finished ones of `listed_matches`, whose deal and record everybody may read."""
    return listed_matches().filter(status=Match.Status.FINISHED)


def require_member(match: Match, user: User) -> None:
    """Raise Refused(not-a-member, no-such-match) if it is a club's match and this user is no member of it."""
    if not has_member(match, user):
        raise not_a_member(match, user)


def has_member(match: Match, user: User) -> bool:
    """True if the match is of no club, or the user belongs to its club."""
    return match.club_id is None or is_member(match.club_id, user)


def not_a_member(match: Match, user: User) -> Refused:
    if not may_see(match, user):
        return no_such_match()
    return Refused("not-a-member", "{code} is for members of a club; join the club first.", code=match.code)


def no_such_match() -> Refused:
    return Refused("no-such-match", "There is no such match; look at your list of matches.")
