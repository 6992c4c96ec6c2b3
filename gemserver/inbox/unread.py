"""Finds mail that came in time but is still unread when a deadline is acted on (mail-requirements.md T3)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.conf import settings

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.lib import signing
from gemserver.lib.text.mail_address import comparable
from gemserver.matches import sitters
from gemserver.matches.models import Seat, Sitting


def has_unread_mail(seat: Seat, before: datetime) -> bool:
    """True if a mail received before this instant is still unread and may hold an answer for this seat.

    It was sent to the seat or the sitter's address, to an account, or to the lobby, where only reading it shows whose
    it is.
    """
    if seat.user is None:
        return False
    addresses = [settings.PLAY_ADDRESS, *_addresses_of(seat, seat.user)]
    if sitting := sitters.acting(before).filter(seat=seat).first():
        addresses += _addresses_of(sitting, sitting.sitter)
    stored = InboundEmail.objects.filter(state=InboundEmail.State.STORED, received_at__lt=before)
    stored = stored.exclude(released_at__gte=before)
    return stored.filter(envelope_to__in={comparable(address) for address in addresses}).exists()


def _addresses_of(place: Seat | Sitting, user: User) -> Iterator[str]:
    """Addresses this player may have written to: the place's and the account's, under former keys too."""
    for key in signing.all_keys():
        yield settings.PLAY_REPLY.format(token=signing.reply_token(*place.token_parts, under=key))
        yield settings.ACCOUNT_REPLY.format(token=signing.reply_token(*user.token_parts, under=key))
