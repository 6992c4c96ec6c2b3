"""Who tries a match without an account: an account of its own, which one browser session alone may use.

A guest is never signed in. Only pages that ask `player_of` know one; all others see a stranger.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from secrets import token_hex

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import translation

from gemserver.accounts.models import User

SESSION_KEY = "guest"
KEPT = timedelta(days=14)
"""So long a guest and what they play are kept, unless they sign up."""


def player_of(request: HttpRequest) -> User | AnonymousUser:
    """Who is signed in; else the guest of this session, if there is one."""
    if isinstance(request.user, User):
        return request.user
    return guest_of(request) or AnonymousUser()


def guest_of(request: HttpRequest) -> User | None:
    """The guest of this session, for who is not signed in. Who has signed up since is none any more."""
    number = None if isinstance(request.user, User) else request.session.get(SESSION_KEY)
    return User.objects.filter(pk=number, is_guest=True, is_active=True).first() if number else None


def make_guest(request: HttpRequest, now: datetime) -> User:
    """A new guest for this session, without address and password."""
    guest: User = User.objects.create_user(
        _some_name(), language=translation.get_language(), is_guest=True, date_joined=now
    )
    request.session[SESSION_KEY] = guest.pk
    return guest


def become_player(guest: User, now: datetime) -> None:
    """Make an account of a guest who signs up; matches and seats stay theirs. The caller saves it."""
    guest.is_guest, guest.date_joined = False, now


def become_guest(player: User) -> None:
    """Take a sign-up back that was not confirmed: the account is a guest again, without name, address and password."""
    player.is_guest, player.username, player.email = True, _some_name(), ""
    player.set_unusable_password()
    player.save()


def _some_name() -> str:
    return f"guest-{token_hex(4)}"


def expired_guests(now: datetime) -> QuerySet[User]:
    """The guests whose time is over."""
    return User.objects.filter(is_guest=True, date_joined__lte=now - KEPT)


def guests_since(moment: datetime) -> int:
    """How many guests have come, to all sessions together."""
    return User.objects.filter(is_guest=True, date_joined__gt=moment).count()
