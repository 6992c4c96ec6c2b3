"""Guests: accounts for playing without signing up, each usable by one browser session alone.

A guest is never signed in. Only pages that ask `player_of` know one; all others see a stranger.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from secrets import token_hex
from zoneinfo import ZoneInfo, available_timezones

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import translation

from gemserver.accounts.models import User

SESSION_KEY = "guest"
ZONE_KEY = "guest_zone"
KEPT = timedelta(days=14)
"""How long a guest and their matches are kept, unless they sign up."""


def signed_in_user(request: HttpRequest) -> User | None:
    """The signed-in user; None for a guest too."""
    return request.user if isinstance(request.user, User) else None


def player_of(request: HttpRequest) -> User | AnonymousUser:
    """The signed-in user, else this session's guest if there is one."""
    return signed_in_user(request) or guest_of(request) or AnonymousUser()


def guest_of(request: HttpRequest) -> User | None:
    """This session's guest, if nobody is signed in; one who has signed up is a guest no longer."""
    number = None if isinstance(request.user, User) else request.session.get(SESSION_KEY)
    return User.objects.filter(pk=number, is_guest=True, is_active=True).first() if number else None


def make_guest(request: HttpRequest, zone: str, now: datetime) -> User:
    """Make a guest for this session, without address and password; `zone` is what the browser says, or anything."""
    known = zone if zone in available_timezones() else "UTC"
    guest: User = User.objects.create_user(
        _some_name(), language=translation.get_language(), time_zone=known, is_guest=True, date_joined=now
    )
    request.session[SESSION_KEY], request.session[ZONE_KEY] = guest.pk, known
    return guest


def zone_of(request: HttpRequest) -> ZoneInfo | None:
    """The zone in which this session's guest lives; kept in the session, so that no page asks the database."""
    name = request.session.get(ZONE_KEY)
    return ZoneInfo(name) if name else None


def become_player(guest: User, now: datetime) -> None:
    """Turn a guest who signs up into a player; matches and seats stay theirs. The caller saves the account."""
    guest.is_guest, guest.date_joined = False, now


def become_guest(player: User) -> None:
    """Undo a sign-up that was not confirmed: the account is a guest again, without name, address and password."""
    player.is_guest, player.username, player.email = True, _some_name(), ""
    player.set_unusable_password()
    player.save()


def _some_name() -> str:
    return f"guest-{token_hex(4)}"


def expired_guests(now: datetime) -> QuerySet[User]:
    """Guests whose time is over."""
    return User.objects.filter(is_guest=True, date_joined__lte=now - KEPT)


def guests_since(moment: datetime) -> int:
    """Number of guests since then, in all sessions."""
    return User.objects.filter(is_guest=True, date_joined__gt=moment).count()
