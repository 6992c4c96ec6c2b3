"""Finds players whom no mail reaches."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.db.models import QuerySet

from gemserver.accounts.models import UnreachableAddress, User
from gemserver.lib.database.prepared import Param, Prepared

Why = UnreachableAddress.Reason


def lost_addresses(user: User) -> list[UnreachableAddress]:
    """The player's addresses to which no mail is sent any more."""
    return _lost(user=user.pk)


def _find_lost() -> QuerySet[UnreachableAddress]:
    own = EmailAddress.objects.filter(user=Param("user"), verified=True).values("email")
    return UnreachableAddress.objects.filter(why__in=User.UNWANTED, address__in=own).order_by("pk")


_lost = Prepared(_find_lost)


def is_cut_off(user: User) -> bool:
    """True if all mail to the player comes back, so that nothing can tell them of a turn.

    Players who want no mail, or complained of it, are not cut off: that is their choice.
    """
    if user.mail_mode == User.MailMode.OFF or user.mail_address() is not None:
        return False
    return any(row.why == Why.BOUNCED for row in lost_addresses(user))
