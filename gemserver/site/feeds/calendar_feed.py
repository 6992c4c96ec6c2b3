"""A player's due moves as a calendar (RFC 5545), with an alarm at each reminder, and the days off as whole days.

A calendar's address leaks easily, so the calendar holds only whose turn it is and until when, and who is off, which
every spectator knows. Its text stays the same until something changes, so that programs that poll often cost little.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import chain

from django.conf import settings
from django.db.models import Count, Max
from django.urls import reverse
from django.utils.translation import gettext
from icalendar import Alarm, Calendar, Event

from gemserver.accounts.models import User
from gemserver.matches import selectors, sitters, timing
from gemserver.matches.models import Holiday, Match, Notice, NotificationChoice, Seat
from gemserver.matches.notifications import Wishes

REFRESH = timedelta(hours=1)
"""How often programs should poll (RFC 7986 §5.7); `X-PUBLISHED-TTL` says the same to older ones."""


def calendar_of(user: User, now: datetime) -> bytes:
    """Write the calendar of this player's due moves, in the active language; CRLF, lines folded."""
    calendar = Calendar()
    calendar.add("prodid", "-//Gem server//Due moves//EN")
    calendar.add("version", "2.0")
    calendar.add("calscale", "GREGORIAN")
    calendar.add("name", gettext("Gem server: your moves"))
    calendar.add("x-wr-calname", gettext("Gem server: your moves"))
    calendar.add("refresh-interval", REFRESH, parameters={"VALUE": "DURATION"})
    calendar.add("x-published-ttl", "PT1H")
    for event in chain(_events(user, now), _days_off(user, now)):
        calendar.add_component(event)
    return bytes(calendar.to_ical())


def _events(user: User, now: datetime) -> Iterator[Event]:
    """The events of the player's seats; a seat whose clock is stopped has no due time, and no event."""
    mailed = set(sitters.mailed_to(user, now).values_list("pk", flat=True))
    own = Seat.objects.filter(user=user, is_waiting=True).values("pk")
    seats = Seat.objects.filter(pk__in=own) | Seat.objects.filter(pk__in=mailed)
    due = seats.filter(due_at__isnull=False, match__status=Match.Status.RUNNING)
    found = list(due.select_related("match", "user").order_by("due_at", "pk"))
    logs = _ends_of_logs(found)
    wishes = Wishes.of(user)
    for seat in found:
        is_reminded = wishes.channel(NotificationChoice.Topic.REMINDER, seat.match_id) != "web"
        log = logs.get(seat.match_id, _NOTHING_TOLD)
        yield _event(seat, user, log, has_alarms=seat.pk in mailed and is_reminded)


def _days_off(user: User, now: datetime) -> Iterator[Event]:
    """The player's vacations and the holidays of their tables that are not over, in the order of their days."""
    today = now.astimezone(user.zone).date()
    for vacation in user.vacations.filter(last__gte=today):
        off = Event()
        off.add("uid", f"vacation-{vacation.pk}@{settings.MAIL_DOMAIN}")
        off.add("summary", gettext("Vacation: your clocks stand still"))
        off.add("url", settings.SITE_URL + reverse("time"))
        # Ended early, which happens once; else programs would keep the former days.
        off.add("sequence", 1 if vacation.shortened_at else 0)
        changed_at = vacation.shortened_at or vacation.announced_at
        yield _whole_days(off, vacation.first, vacation.last, changed_at)
    agreed = Holiday.objects.filter(outcome=Holiday.Outcome.AGREED, last__gte=today)
    of_tables = agreed.filter(match__seats__user=user, match__status=Match.Status.RUNNING)
    for holiday in of_tables.select_related("match").order_by("first", "pk"):
        match = holiday.match
        off = Event()
        off.add("uid", f"holiday-{holiday.pk}@{settings.MAIL_DOMAIN}")
        said = gettext("Table holiday: %(title)s %(code)s") % {"title": match.title, "code": match.code}
        off.add("summary", said)
        off.add("url", settings.SITE_URL + match.get_absolute_url())
        yield _whole_days(off, holiday.first, holiday.last, holiday.closed_at or holiday.proposed_at)


def _whole_days(event: Event, first: date, last: date, since: datetime) -> Event:
    """Give the event its days, which it has had since then; DTEND is the day after the last one (RFC 5545 §3.6.1)."""
    event.add("dtstart", first)
    event.add("dtend", last + timedelta(days=1))
    event.add("dtstamp", since.replace(microsecond=0))
    event.add("last-modified", since.replace(microsecond=0))
    event.add("class", "PRIVATE")
    event.add("transp", "TRANSPARENT")
    return event


@dataclass(frozen=True, slots=True)
class _Log:
    """The number of notices in a match's log, and the time of the last one."""

    length: int
    last_at: datetime | None


_NOTHING_TOLD = _Log(0, None)


def _ends_of_logs(seats: Sequence[Seat]) -> dict[int, _Log]:
    rows = Notice.objects.filter(match__in=[seat.match_id for seat in seats]).values_list("match")
    return {
        match: _Log(length, last) for match, length, last in rows.annotate(Count("pk"), Max("created_at"))
    }


def _event(seat: Seat, reader: User, log: _Log, *, has_alarms: bool) -> Event:
    """The event of one due move.

    Every change of a due time posts a notice in the log of its match. So the number of notices grows with every change
    (SEQUENCE), and the last one gives its time (LAST-MODIFIED and, without METHOD, DTSTAMP).
    """
    match = seat.match
    assert seat.prompted_at is not None
    assert seat.due_at is not None
    url = settings.SITE_URL + match.get_absolute_url()
    modified = max(filter(None, [seat.prompted_at, log.last_at])).replace(microsecond=0)
    event = Event()
    event.add("uid", f"move-{match.pk}-{seat.index}-{seat.prompt_ply}@{settings.MAIL_DOMAIN}")
    event.add("sequence", log.length)
    event.add("dtstamp", modified)
    event.add("last-modified", modified)
    event.add("dtstart", seat.due_at.replace(microsecond=0))
    event.add("summary", _summary(seat, reader))
    event.add("description", gettext("Until then your move is awaited: %(url)s") % {"url": url})
    event.add("url", url)
    event.add("class", "PRIVATE")
    event.add("transp", "TRANSPARENT")
    if has_alarms:
        for alarm in _alarms(seat, seat.due_at):
            event.add_component(alarm)
    return event


def _summary(seat: Seat, reader: User) -> str:
    match = seat.match
    names = selectors.names(match)
    others = ", ".join(name for index, name in enumerate(names) if index != seat.index)
    shown = {"title": match.title, "code": match.code, "others": others, "name": seat.name}
    if seat.user_id != reader.pk:
        return gettext("Your move for %(name)s: %(title)s %(code)s with %(others)s") % shown
    return gettext("Your move: %(title)s %(code)s with %(others)s") % shown


def _alarms(seat: Seat, due: datetime) -> Iterator[Alarm]:
    """Alarms at the times of the reminders: at the player's leads, counted in running time."""
    for at in timing.reminder_times_of(seat.match, seat):
        alarm = Alarm()
        alarm.add("action", "DISPLAY")
        alarm.add("description", gettext("Your move in %(code)s is due.") % {"code": seat.match.code})
        alarm.add("trigger", at.replace(microsecond=0) - due.replace(microsecond=0))
        yield alarm
