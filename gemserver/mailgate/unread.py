"""Mail that came in time and still waits to be read when a deadline is acted on (`email.md` T3)."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db.models import Q

from gemserver.mailgate.models import InboundEmail
from gemserver.matches.models import Seat


def has_unread_mail(seat: Seat, before: datetime) -> bool:
    """Whether a mail received before this instant may hold an answer of the seat's player, for all one knows unread.

    It was sent to the seat, to the account, or to the lobby, where only reading it shows whose it is.
    """
    if seat.user is None:
        return False
    account = settings.ACCOUNT_REPLY.format(token=seat.user.token)
    addressed = Q()
    for address in (seat.reply_address, account, settings.PLAY_ADDRESS):
        addressed |= Q(envelope_to__iexact=address)
    stored = InboundEmail.objects.filter(state=InboundEmail.State.STORED, received_at__lt=before)
    return stored.filter(addressed).exists()
