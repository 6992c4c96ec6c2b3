"""Tell a player on the last day of a vacation that their clocks run again from the next day on."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import transaction

from gemserver.accounts.hours import hours_at
from gemserver.accounts.models import Vacation
from gemserver.clocks.reminders import end_of_vacation_told_at
from gemserver.lib import signing
from gemserver.matches.actions.time.take_vacation import lock_vacations
from gemserver.matches.mails.vacation_mails import KIND, starts_clocks
from gemserver.matches.notifications import find_wanting
from gemserver.notify.outbox import draft, queue


def remind_of_vacation(vacation_id: int, *, now: datetime) -> bool:
    """Queue the mail about a vacation that ends; True if one was queued.

    Decided once for each vacation. Nothing is told to whoever wants no reminders, nor where no clock starts: no match
    runs in which the days are free, or another vacation follows at once. In another zone than at the announcement the
    reminder moves with the day.
    """
    with transaction.atomic():
        user = Vacation.objects.select_related("user").get(pk=vacation_id).user
        lock_vacations(user)
        vacation = user.vacations.filter(pk=vacation_id, remind_at__lte=now).first()
        if vacation is None:
            return False
        at = end_of_vacation_told_at(vacation.last, hours_at(user, now).zone)
        vacation.remind_at = at if at > now else None
        vacation.save(update_fields=["remind_at"])
        if at > now or not user.reminder_leads or not starts_clocks(vacation, now):
            return False
        wanting = find_wanting([user], KIND)
        for reader, to in wanting:
            key = f"{vacation.pk}.{vacation.last:%Y%m%d}"
            row = draft(
                reader,
                KIND,
                thread=f"vacation:{vacation.pk}",
                data={"vacation": vacation.pk},
                dedup_key=f"{KIND}:{key}",
                message_id=f"<l.{key}.{signing.mac(KIND, key)}@{settings.MAIL_DOMAIN}>",
                now=now,
                to=to,
                not_before=reader.snoozed_until,
            )
            queue([row])
    return bool(wanting)
