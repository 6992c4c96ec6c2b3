"""Gives up addresses from which mails come back (mail-requirements.md L10)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import cast

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils.module_loading import import_string

from gemserver.accounts.models import UnreachableAddress, User
from gemserver.lib.text.mail_address import comparable
from gemserver.lib.web.storable_text import storable
from gemserver.notify.models import DeliveryEvent, OutboxMessage
from gemserver.nudge import nudge

Kind = DeliveryEvent.Kind
State = OutboxMessage.State
Why = UnreachableAddress.Reason

WEIGHT = {Kind.HARD_BOUNCE: 4, Kind.REJECTED: 4, Kind.SOFT_BOUNCE: 1}
TOO_MUCH = 4
"""The weight of reports at which an address is given up: one hard bounce, or four soft ones."""
WINDOW = timedelta(days=14)
_Lose = Callable[[str, UnreachableAddress.Reason, datetime], Callable[[], object]]


@dataclass(frozen=True, slots=True)
class TrustedReport:
    """A trusted report on one mail. `key`: identical for the same report sent again."""

    kind: DeliveryEvent.Kind
    address: str
    at: datetime
    source: str
    key: str
    detail: str = ""
    message: OutboxMessage | None = None


def note(report: TrustedReport, *, now: datetime) -> UnreachableAddress | None:
    """Record a report, once; return the address if this very report made it unreachable.

    Its player then gets mail at the next address, recently returned mails included. `settings.LOST_ADDRESS` is called
    before any of this is written, and what it returns afterwards.
    """
    address = comparable(report.address)
    with transaction.atomic():
        _, is_new = DeliveryEvent.objects.get_or_create(
            key=report.key[:200],
            defaults={
                "message": report.message,
                "address": address,
                "kind": report.kind,
                "at": report.at,
                "source": report.source[:20],
                "detail": storable(report.detail)[:500],
            },
        )
        why = _verdict(report.kind, address, now) if is_new else None
        if why is None:
            return None
        tell = cast(_Lose, import_string(settings.LOST_ADDRESS))(address, why, now)
        lost, created = UnreachableAddress.objects.get_or_create(
            address=address, defaults={"why": why, "since": now}
        )
        if not created and lost.why in (why, Why.COMPLAINED):
            return None
        lost.opted_out |= lost.why == Why.OPTED_OUT
        lost.why, lost.since = why, now
        lost.save(update_fields=["why", "since", "opted_out"])
        _send_elsewhere(address, now)
        tell()
    return lost


def forget(address: str) -> bool:
    """Send mail to the address again; earlier returns no longer count.

    Whoever wanted no invitations before it was lost still gets none.
    """
    address = comparable(address)
    DeliveryEvent.objects.filter(address=address, kind__in=[*WEIGHT, Kind.COMPLAINED]).delete()
    rows = UnreachableAddress.objects.filter(address=address)
    kept = rows.filter(opted_out=True).exclude(why=Why.OPTED_OUT).update(why=Why.OPTED_OUT)
    return bool(kept) or rows.delete()[0] > 0


def _verdict(kind: DeliveryEvent.Kind, address: str, now: datetime) -> UnreachableAddress.Reason | None:
    if kind == Kind.COMPLAINED:
        return Why.COMPLAINED
    return Why.BOUNCED if kind in WEIGHT and score(address, now) >= TOO_MUCH else None


def score(address: str, now: datetime) -> int:
    """The weight of the returns of the last 14 days, since the last mail known to have arrived."""
    events = DeliveryEvent.objects.filter(address=address, at__gt=now - WINDOW)
    arrived = events.filter(kind=Kind.DELIVERED).aggregate(at=Max("at"))["at"]
    if arrived is not None:
        events = events.filter(at__gt=arrived)
    return sum(WEIGHT[Kind(kind)] for kind in events.filter(kind__in=WEIGHT).values_list("kind", flat=True))


def _send_elsewhere(address: str, now: datetime) -> None:
    """Send mails waiting for the address, and those returned from it, to its player's next one, or not at all.

    Their writers leave out whatever is out of date by then.
    """
    mails = OutboxMessage.objects.select_related("user").filter(to=address, user__isnull=False)
    returned = DeliveryEvent.objects.filter(address=address, kind__in=WEIGHT, at__gt=now - WINDOW)
    waiting = mails.filter(state=State.QUEUED)
    came_back = mails.filter(state=State.SENT, pk__in=returned.values("message"))
    for mail in [*waiting, *came_back]:
        assert mail.user is not None
        other = mail.user.mail_address() if mail.user.mail_mode != User.MailMode.OFF else None
        if other is None:
            waiting.filter(pk=mail.pk).update(state=State.SKIPPED)
            continue
        if mail.state == State.SENT:
            mail.state, mail.attempts, mail.available_at = State.QUEUED, 0, now
        mail.to = other
        mail.save(update_fields=["to", "state", "attempts", "available_at"])
        nudge("gemserver.notify.tasks.send_mail")
