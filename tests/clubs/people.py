"""Makes clubs with members for tests."""

from __future__ import annotations

from gemserver.accounts.models import User
from gemserver.clubs.models import Club, Member
from gemserver.matches.actions.play.start_match import start_match
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.actions.tables.open_table import open_table
from gemserver.matches.actions.tables.terms import Terms
from gemserver.matches.models import Match
from tests.builders import NOON, THREE_DAYS


def make_club(name: str, owner: User, *members: User, is_private: bool = True) -> Club:
    """A club of these people; the first one owns it."""
    club = Club.objects.create(name=name, slug=name.lower(), is_private=is_private, created_at=NOON)
    Member.objects.create(club=club, user=owner, role=Member.Role.OWNER, joined_at=NOON)
    for member in members:
        Member.objects.create(club=club, user=member, joined_at=NOON)
    return club


def open_for(club: Club, creator: User, *, seats: int = 2, access: str = "anyone") -> Match:
    """A table of the club at which its creator sits."""
    terms = Terms(
        game="gem",
        seats=seats,
        time_control=THREE_DAYS,
        access=Match.Access(access),
        starts_when_full=False,
        club=club,
    )
    return open_table(creator, terms, now=NOON)


def play_in(club: Club, *players: User) -> Match:
    """A match of the club that has begun."""
    match = open_for(club, players[0], seats=len(players))
    for player in players[1:]:
        join_table(match.pk, player, now=NOON)
    return start_match(match.pk, by=None, now=NOON)
