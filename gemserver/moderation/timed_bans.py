"""Ends the bans and mutes whose time is over, each with an entry of the audit log."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from gemserver.accounts.bans import lift
from gemserver.accounts.models import Ban, Mute, User
from gemserver.lib.database.advisory_locks import decide_alone
from gemserver.matches.actions.people.shut_account import reopen_account
from gemserver.moderation import audit
from gemserver.moderation.actions.targets import Target
from gemserver.moderation.mails import tell_reopened

log = logging.getLogger(__name__)

MOST = 100
"""Rows of each kind that one sweep ends, the longest over first."""

REASON = "Its time was over."


def end_all(now: datetime) -> None:
    """End each ban and mute that is over, and tell the person of a ban. A bot's stays while its owner is shut."""
    bans = Ban.objects.exclude(user__owner__is_active=False)
    _end_each(bans, _end_ban, now)
    _end_each(Mute.objects.all(), _end_mute, now)


def _end_each(
    rows: QuerySet[Ban] | QuerySet[Mute], end: Callable[[int, datetime], None], now: datetime
) -> None:
    due = rows.filter(lifted_at=None, until__lte=now).order_by("until").values_list("pk", flat=True)
    for pk in list(due[:MOST]):
        try:
            with transaction.atomic():
                decide_alone("")  # as moderators do who lift it just now
                end(pk, now)
        except Exception:  # one account that is held does not keep the others shut
            log.exception("%s %s could not be ended", rows.model.__name__.lower(), pk)


def _end_ban(pk: int, now: datetime) -> None:
    ban = Ban.objects.select_related("user").filter(pk=pk, lifted_at=None).first()
    if ban is None:
        return
    if ban.user is None:
        lift(ban, now=now)
    else:
        reopen_account(ban, now=now)
        tell_reopened(ban, now=now)
    _note("ban-over", ban, _name_person(ban.user) if ban.user else ban.address, now)


def _end_mute(pk: int, now: datetime) -> None:
    """Close the row; the player may write since its `until` already, and was told so when it was set."""
    mute = Mute.objects.select_related("user").filter(pk=pk, lifted_at=None).first()
    if mute is None:
        return
    mute.lifted_at = now
    mute.save(update_fields=["lifted_at"])
    _note("mute-over", mute, _name_person(mute.user), now)


def _name_person(user: User) -> str:
    return Target.PLAYER.describe(user)


def _note(verb: str, row: Ban | Mute, subject: str, now: datetime) -> None:
    assert row.until is not None, "only those with an end come here"
    data = {"since": row.since.isoformat(), "until": row.until.isoformat()}
    key = f"{verb}:{row.pk}"
    audit.write(None, verb, reason=REASON, request_key=key, now=now, subject=subject, data=data)
