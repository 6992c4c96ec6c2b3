"""Ends the bans whose time is over."""

from __future__ import annotations

import logging
from datetime import datetime

from django.db import transaction

from gemserver.accounts.bans import lift
from gemserver.accounts.models import Ban
from gemserver.lib.advisory_locks import decide_alone
from gemserver.matches.actions.people.shut_account import reopen_account
from gemserver.moderation.mails import tell_reopened

log = logging.getLogger(__name__)

MOST = 100
"""Bans that one sweep ends, the longest over first."""


def end_all(now: datetime) -> None:
    """End each ban that is over, and tell its person. A bot's stays while its owner is shut."""
    due = Ban.objects.filter(lifted_at=None, until__lte=now).exclude(user__owner__is_active=False)
    for pk in list(due.order_by("until").values_list("pk", flat=True)[:MOST]):
        try:
            _end(pk, now)
        except Exception:  # one account that is held does not keep the others shut
            log.exception("ban %s could not be ended", pk)


def _end(pk: int, now: datetime) -> None:
    with transaction.atomic():
        decide_alone("")  # as moderators do who lift it just now
        ban = Ban.objects.select_related("user").filter(pk=pk, lifted_at=None).first()
        if ban is None:
            return
        if ban.user is None:
            lift(ban, now=now)
            return
        reopen_account(ban, now=now)
        tell_reopened(ban, now=now)
