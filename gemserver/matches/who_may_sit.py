"""Bars to sitting down, asked for by every door to a seat, at a table that waits and in a running match.

The doors are joining, free seats, sitters, and seats that a moderator or an organiser gives away. `find_bar` knows the
rules for all of them; whoever comes by themselves also needs an invitation where the table asks for one.
"""

from __future__ import annotations

from enum import StrEnum

from gemserver.accounts.blocks import blocked_with
from gemserver.accounts.models import User
from gemserver.lib import signing
from gemserver.matches import sitters, tables
from gemserver.matches.bot_accounts import is_one_hand
from gemserver.matches.locking import lock_open_account
from gemserver.matches.models import Departure, Match, Seat
from gemserver.matches.privacy import has_member, not_a_member
from gemserver.matches.refusal import Refused


class Bar(StrEnum):
    """Reasons why somebody may not sit down."""

    NO_MEMBER = "no-member"
    SEATED = "already-seated"
    NO_BOTS = "no-bots"
    ONE_HAND = "one-hand"
    HAS_SEEN = "has-seen"
    NOT_WELCOME = "not-welcome"
    NOT_INVITED = "not-invited"
    REMOVED = "removed"
    RESIGNED = "resigned"


def find_bar(match: Match, user: User, seat: Seat | None = None) -> Bar | None:
    """The first reason why nobody may give this user the seat (None: any that is free); None if there is none."""
    if not has_member(match, user):
        return Bar.NO_MEMBER
    if match.seats.filter(user=user).exists():
        return Bar.SEATED
    if user.is_bot and not match.allows_bots:
        return Bar.NO_BOTS
    if seat is None and is_one_hand(match, user):
        return Bar.ONE_HAND
    if seat is not None and sitters.knows_another_seat(seat, user):
        return Bar.HAS_SEEN
    if blocks_bar(match, user):
        return Bar.NOT_WELCOME
    return None


def find_bar_to_come(match: Match, user: User, seat: Seat | None = None, *, link: str = "") -> Bar | None:
    """Like `find_bar`, for somebody who comes by themselves; `link`: the token of the table's link, if they have it."""
    if bar := find_bar(match, user, seat):
        return bar
    if seat is not None and seat.departures.filter(user=user, why=Departure.Why.RESIGNED).exists():
        return Bar.RESIGNED
    if tables.was_removed(match, user):
        return Bar.REMOVED
    is_let_in = tables.needs_no_invitation(match, user) or _has_sat_here(match, user) or is_link(match, link)
    return None if is_let_in or tables.invitation_of(match, user) else Bar.NOT_INVITED


def blocks_bar(match: Match, user: User) -> bool:
    """True if somebody sits there whom the user has blocked, or who has blocked the user.

    A season pairs all who have entered, and who has sat there or played what is replayed belongs to the table.
    """
    if match.play_until is not None or not match.seats.filter(user__in=blocked_with(user)).exists():
        return False
    return not (tables.has_played_before(match, user) or _has_sat_here(match, user))


def _has_sat_here(match: Match, user: User) -> bool:
    return Departure.objects.filter(seat__match=match, user=user).exists()


def is_link(match: Match, candidate: str) -> bool:
    """True if this is the token of the table's link, in any case; compared in constant time."""
    return signing.is_token(candidate, "table", match.pk, match.commitment)


def require_may_come(match: Match, user: User, seat: Seat | None = None, *, link: str = "") -> None:
    """Lock the account, and raise Refused, addressed to the user, for what `find_bar_to_come` finds.

    The code is the bar's, but to somebody who belongs to no club of the match: no-such-match, not-a-member. Raises
    Refused(shut) for an account that was shut meanwhile. The caller holds the match.
    """
    lock_open_account(user.pk)
    if refusal := refuse_to_come(match, user, seat, link=link):
        raise refusal


def refuse_to_come(match: Match, user: User, seat: Seat | None = None, *, link: str = "") -> Refused | None:
    """The refusal that `require_may_come` would raise."""
    bar = find_bar_to_come(match, user, seat, link=link)
    return _refuse_newcomer(bar, match, user) if bar else None


def require_may_be_seated(match: Match, other: User, seat: Seat | None = None) -> None:
    """Raise Refused, addressed to somebody who gives the other a seat, for what `find_bar` finds."""
    if bar := find_bar(match, other, seat):
        raise _refuse_named(bar, match, other)


def _refuse_newcomer(bar: Bar, match: Match, user: User) -> Refused:
    code = match.code
    if bar == Bar.NO_MEMBER:
        return not_a_member(match, user)
    if bar == Bar.SEATED:
        return Refused("already-seated", "You play in {code} already; nobody holds two seats.", code=code)
    if bar == Bar.NO_BOTS:
        return no_bots(match)
    if bar == Bar.ONE_HAND:
        return _one_hand(match)
    if bar == Bar.HAS_SEEN:
        return Refused(
            "has-seen",
            "You have held, played or sat in another seat of {code}; choose a seat of another match.",
            code=code,
        )
    if bar == Bar.RESIGNED:
        return Refused(
            "resigned", "You have resigned this seat of {code}; it is for somebody else.", code=code
        )
    if bar == Bar.REMOVED:
        return Refused(
            "removed",
            "The host of {code} has given your seat there back; only an invitation lets you in again.",
            code=code,
        )
    if bar == Bar.NOT_INVITED:
        return Refused(
            "not-invited",
            "{code} is for invited players only; ask somebody who sits there for an invitation or the link.",
            code=code,
        )
    return Refused(
        "not-welcome",
        "You cannot sit at {code}: you have blocked somebody there, or they have blocked you. Choose another match.",
        code=code,
    )


def _refuse_named(bar: Bar, match: Match, other: User) -> Refused:
    names = {"name": other.shown_name, "code": match.code}
    if bar == Bar.NO_MEMBER:
        return no_member(match, other)
    if bar == Bar.SEATED:
        return Refused("already-seated", "{name} plays in {code} already; nobody holds two seats.", **names)
    if bar == Bar.NO_BOTS:
        return no_bots(match)
    if bar == Bar.ONE_HAND:
        return _one_hand(match)
    if bar == Bar.HAS_SEEN:
        return Refused(
            "has-seen",
            "{name} has held, played or sat in another seat of {code}; choose somebody who has not.",
            **names,
        )
    # Blocks are between two people; a third is not told of them.
    return Refused("not-welcome", "{name} cannot sit at {code}; choose somebody else.", **names)


def _one_hand(match: Match) -> Refused:
    return Refused(
        "one-hand",
        "A person and their bots sit together only where nobody else does; join a table other than {code}.",
        code=match.code,
    )


def no_member(match: Match, other: User) -> Refused:
    return Refused(
        "no-member",
        "{name} does not belong to the club of {code}; choose one of its members.",
        name=other.shown_name,
        code=match.code,
    )


def no_bots(match: Match) -> Refused:
    return Refused(
        "no-bots",
        "{code} is for people; bots sit only at tables that were opened for them too.",
        code=match.code,
    )
