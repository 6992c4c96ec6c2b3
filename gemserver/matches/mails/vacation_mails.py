"""The mail that tells a player that a vacation ends, with the matches that wait."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext

from gemserver.accounts.hours import hours_at
from gemserver.accounts.models import Vacation
from gemserver.clocks.free_time import whole_days
from gemserver.lib import clock
from gemserver.lib.text.plain import end_sentence, tidy
from gemserver.matches.models import Match, Seat
from gemserver.matches.notifications import TOPIC_OF
from gemserver.notify.content import Content
from gemserver.notify.models import OutboxMessage

KIND = "vacation-ends"
_DAY = timedelta(days=1)


def starts_clocks(vacation: Vacation, now: datetime) -> bool:
    """True if the vacation still lasts, and a clock of its player that it has stopped may run again after it."""
    ends_at = _ends_at(vacation, now)
    if ends_at <= now or vacation.user.vacations.filter(first=vacation.last + _DAY).exists():
        return False
    running = Match.objects.filter(seats__user=vacation.user, status=Match.Status.RUNNING)
    # The budget of a fixture runs through, and some tables know no vacation.
    return running.filter(play_until=None).exclude(vacation_days=0).exists()


def _ends_at(vacation: Vacation, now: datetime) -> datetime:
    return whole_days(vacation.first, vacation.last, hours_at(vacation.user, now).zone)[1]


def vacation_ends(message: OutboxMessage) -> Content | None:
    """From when the clocks run again, and what waits; None once that is known, or not so any more."""
    vacation = Vacation.objects.select_related("user").filter(pk=message.data["vacation"]).first()
    now = clock.now()
    if vacation is None or message.user is None or not starts_clocks(vacation, now):
        return None
    seats = Seat.objects.filter(user=message.user, match__status=Match.Status.RUNNING)
    waiting = seats.filter(is_waiting=True).select_related("match").order_by("due_at", "pk")
    day = date_format(vacation.last + _DAY, "D j M Y")
    subject = gettext("Your vacation ends: your clocks run again from %(day)s on") % {"day": day}
    number = len(waiting)
    waits = ngettext("One match waits for you", "%(n)d matches wait for you", number) % {"n": number}
    context = {
        "subject": subject,
        "lead": end_sentence(subject),
        "preview": end_sentence(waits if number else gettext("No match waits for you now")),
        "zone": hours_at(message.user, now).time_zone,
        "waiting": waiting,
        "site_url": settings.SITE_URL,
        "time_url": settings.SITE_URL + reverse("time"),
        "settings_url": settings.SITE_URL + reverse("notifications"),
    }
    return Content(
        subject=subject,
        text=tidy(render_to_string("emails/vacation_ends.txt", context)),
        html=render_to_string("emails/vacation_ends.html", context),
        reply_to=settings.ACCOUNT_REPLY.format(token=message.user.token),
        category=TOPIC_OF[message.kind],
    )
