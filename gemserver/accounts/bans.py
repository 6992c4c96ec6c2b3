"""Bans of accounts, and of addresses that have none."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.db.models import CharField
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from gemserver.accounts.models import Ban, User
from gemserver.lib.database.prepared import Param, Prepared
from gemserver.lib.text.mail_address import comparable


def ban_of(user: User) -> Ban | None:
    """The ban in force for this account."""
    return user.bans.filter(lifted_at=None).first()


def shut_account_of(request: HttpRequest) -> User | None:
    """The account that this session is signed in to, if it has been shut since; not after a change of the password."""
    number = request.session.get(SESSION_KEY)
    user = User.objects.filter(pk=number, is_active=False).first() if number else None
    signed = request.session.get(HASH_SESSION_KEY, "")
    return user if user and constant_time_compare(signed, user.get_session_auth_hash()) else None


def ban_of_address(address: str) -> Ban | None:
    """The ban in force for this address."""
    return next(iter(_of_address(address=comparable(address))), None)


_of_address = Prepared(
    lambda: Ban.objects.filter(address=Param("address", CharField()), lifted_at=None).order_by("pk")
)


def ban_user(user: User, note: str, *, until: datetime | None = None, now: datetime) -> Ban:
    """Shut the account: no log-in, no mail acted upon; `note` tells the person why, and how to appeal.

    The person's bots are shut with it. `until`: it is opened again then (`moderation.timed_bans`).
    """
    ban, _ = Ban.objects.get_or_create(
        user=user, lifted_at=None, defaults={"note": note, "since": now, "until": until}
    )
    user.is_active = False
    user.save(update_fields=["is_active"])
    for bot in user.bots.filter(is_active=True):
        ban_user(bot, note, until=until, now=now)
    return ban


def ban_address(address: str, note: str, *, until: datetime | None = None, now: datetime) -> Ban:
    """Take no mail from the address, and let nobody make an account with it; `until` as for an account."""
    ban, _ = Ban.objects.get_or_create(
        address=comparable(address), lifted_at=None, defaults={"note": note, "since": now, "until": until}
    )
    return ban


def lift(ban: Ban, *, now: datetime) -> None:
    """End the ban; the account can be used again, and so can the bots that were shut with it."""
    ban.lifted_at = now
    ban.save(update_fields=["lifted_at"])
    if ban.user:
        ban.user.is_active = True
        ban.user.save(update_fields=["is_active"])
        for shut in Ban.objects.filter(user__owner=ban.user, since=ban.since, lifted_at=None):
            lift(shut, now=now)
