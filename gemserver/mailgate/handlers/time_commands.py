"""The commands about time: quiet hours, reminders, vacation, and the table's holiday."""

from __future__ import annotations

import re
from calendar import isleap
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from types import MappingProxyType
from zoneinfo import available_timezones

from django.utils.translation import gettext_noop

from games.contract import Json, Message
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.mailgate.handlers.command_request import CommandRequest, Handler
from gemserver.matches.actions.clubs.post_to_list import CLUB, stop_list
from gemserver.matches.actions.people.choose_channels import stop_mail
from gemserver.matches.actions.people.set_mail_mode import set_mail_mode, set_receipts
from gemserver.matches.actions.people.snooze import due_by, snooze
from gemserver.matches.actions.time.come_back import come_back
from gemserver.matches.actions.time.propose_holiday import propose_holiday
from gemserver.matches.actions.time.set_hours import NOTICE, set_hours, set_leads, set_zone
from gemserver.matches.actions.time.take_vacation import announce_vacation, end_vacation, vacation_days_left
from gemserver.matches.refusal import Refused
from gemserver.matches.words.consents import say_consent
from gemserver.puzzles import subscribing

_HOURS = re.compile(r"(\d{1,2})(?::(\d\d))? ?- ?(\d{1,2})(?::(\d\d))?(?: (\S+))?")
_ISO_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_DOTTED_DAY = re.compile(r"(\d{1,2})\.(\d{1,2})\.?(\d{4})?")
_SPAN = re.compile(r"(\d{1,4}) ?([mhd])")
_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}


def _quiet(request: CommandRequest) -> Message:
    zone = None
    quiet = None
    if request.argument.lower() != "off":
        quiet, zone = _read_hours(request.argument)
    hours = set_hours(request.user, quiet=quiet, zone=zone, now=request.now)
    at_once = hours.effective_at <= clock.now()
    params: dict[str, Json] = {"zone": hours.time_zone, "hours": NOTICE // timedelta(hours=1)}
    if quiet is None:
        if at_once:
            return Message("No quiet hours any more ({zone}), for turns that begin from now on.", params)
        return Message(
            "No quiet hours any more ({zone}), for turns that begin in {hours} hours or later.", params
        )
    params |= {"start": f"{quiet[0]:%H:%M}", "end": f"{quiet[1]:%H:%M}"}
    if at_once:
        return Message(
            "Quiet hours from {start} to {end} ({zone}), for turns that begin from now on.", params
        )
    return Message(
        "Quiet hours from {start} to {end} ({zone}), for turns that begin in {hours} hours or later.", params
    )


def _zone(request: CommandRequest) -> Message:
    hours = set_zone(request.user, _find_zone(request.argument), now=request.now)
    return Message("Times in your mails are those of {zone} from now on.", {"zone": hours.time_zone})


def _read_hours(argument: str) -> tuple[tuple[time, time], str | None]:
    found = _HOURS.fullmatch(argument)
    try:
        assert found is not None, "the reader lets nothing else through"
        start, start_minute, end, end_minute, zone = found.groups()
        hours = (
            time(int(start) % 24, int(start_minute or 0)),
            time(int(end) % 24, int(end_minute or 0)),
        )
    except ValueError as error:
        raise Refused("no-such-hour", "That is no time of day; write for example: quiet 22-07") from error
    return hours, _find_zone(zone) if zone else None


def _find_zone(name: str) -> str:
    """The zone as IANA spells it, in whatever case it was typed; an unknown one is left for the action to refuse."""
    return {zone.lower(): zone for zone in available_timezones()}.get(name.lower(), name)


def _leads(request: CommandRequest) -> Message:
    leads = [int(number) * _UNITS[unit] for number, unit in _SPAN.findall(request.argument)]
    set_leads(request.user, leads, now=request.now)
    if not leads:
        return Message("You get no reminders any more. To get them again, write: leads 24h 4h")
    return Message(
        "You are reminded when this much of your time is left: {leads}.", {"leads": request.argument}
    )


def _vacation(request: CommandRequest) -> Message:
    today = request.now.astimezone(request.user.zone).date()
    if request.argument == "off":
        has_begun = request.user.vacations.filter(first__lte=today, last__gt=today).exists()
        end_vacation(request.user, now=request.now)
        if not has_begun:
            return Message("Your vacation is called off; your clocks run on.")
        return Message(
            "Your vacation ends today; your clocks run again from {first_day}, 00:00 ({zone}).",
            {"first_day": (today + timedelta(days=1)).isoformat(), "zone": request.user.time_zone},
        )
    first, last = read_days(request.user, request.argument, request.now)
    announce_vacation(request.user, first, last, now=request.now)
    params: dict[str, Json] = {
        "first_day": first.isoformat(),
        "last_day": last.isoformat(),
        "left": vacation_days_left(request.user, first.year),
        "year": first.year,
        "zone": request.user.time_zone,
    }
    if first == today:
        return Message(
            "Vacation from {first_day} to {last_day}; your clocks stand still from now on, until midnight "
            "after the last day ({zone}). What is due within the hour stays due. Your tables know. Days "
            "left in {year}: {left}.",
            params,
        )
    return Message(
        "Vacation from {first_day} to {last_day}; your clocks run until the first day begins, at 00:00 "
        "({zone}), and then stand still until midnight after the last. Your tables know. Days left in "
        "{year}: {left}.",
        params,
    )


def _holiday(request: CommandRequest) -> Message:
    first, last = read_days(request.user, request.argument, request.now)
    holiday = propose_holiday(request.require_seat().match_id, request.user, first, last, now=request.now)
    return say_consent(holiday)


def _return(request: CommandRequest) -> Message:
    seat = come_back(request.require_seat().match_id, request.user, now=request.now)
    return Message(
        "You play in {code} again. Hours on your clock: {hours}.",
        {"code": seat.match.code, "hours": seat.clock_left // timedelta(hours=1)},
    )


def read_days(user: User, argument: str, now: datetime) -> tuple[date, date]:
    """Read two days, in the user's zone. Raises Refused(no-such-day)."""
    today = now.astimezone(user.zone).date()
    begin, end = argument.split()
    first = _read_day(begin, today)
    return first, _read_day(end, first)


def _read_day(text: str, since: date) -> date:
    """`2026-03-30`, `30.3.2026`, or `30.3.` for the next one from `since` on; raises Refused(no-such-day)."""
    try:
        if found := _ISO_DAY.fullmatch(text):
            year, month, day = map(int, found.groups())
            return date(year, month, day)
        if found := _DOTTED_DAY.fullmatch(text):
            day, month = int(found[1]), int(found[2])
            if found[3]:
                return date(int(found[3]), month, day)
            return next(
                at
                for year in range(since.year, since.year + 9)
                if (month, day) != (2, 29) or isleap(year)
                if (at := date(year, month, day)) >= since
            )
    except ValueError as error:
        raise _no_such_day(text) from error
    raise _no_such_day(text)


def _no_such_day(text: str) -> Refused:
    return Refused("no-such-day", "“{text}” is no day; write days like 2026-03-30.", text=text)


def _mail(request: CommandRequest) -> Message:
    mode, _, hour = request.argument.partition(" ")
    if mode == "receipts":
        set_receipts(request.user, User.Receipts(hour))
        return Message(_RECEIPTS[hour])
    return _set_mode(request, mode, read_time(hour) if hour else None)


def _digest(request: CommandRequest) -> Message:
    return _set_mode(request, "digest", read_time(request.argument))


def _set_mode(request: CommandRequest, mode: str, at: time | None) -> Message:
    set_mail_mode(request.user, User.MailMode(mode), now=request.now, digest_at=at)
    return Message(_MAIL_MODES[mode], {"at": f"{at:%H:%M}", "zone": request.user.time_zone} if at else {})


def _unsubscribe(request: CommandRequest) -> Message:
    """Unsubscribe from the category that a mail's headers name; without one it means `mail off`."""
    if request.argument.startswith(CLUB):
        stop_list(request.user, request.argument.removeprefix(CLUB))
    elif request.argument == subscribing.KIND:
        subscribing.unsubscribe(request.user)
    else:
        stop_mail(request.user, request.argument)
    return Message("You get no more mail of this kind ({kind}).", {"kind": request.argument})


_RECEIPTS = {
    "all": gettext_noop("Each of your mails is answered."),
    "refusals": gettext_noop(
        "Your mails are answered when something in them was refused, sealed or asked for; a move that is played is "
        "not. For an answer to each write: mail receipts all"
    ),
    "none": gettext_noop(
        "Your mails are not answered any more, not even refused moves, unless you ask for something. To be "
        "told of refusals write: mail receipts refusals"
    ),
}

_MAIL_MODES = {
    "off": gettext_noop("You get no more mail about your turns. To get it again, write: mail turns"),
    "turns": gettext_noop("You get a mail whenever it is your turn."),
    "digest": gettext_noop("You get one mail a day with all your turns, at {at} ({zone})."),
}


def read_time(text: str) -> time:
    """Read `8:00`. Raises Refused(no-such-hour)."""
    hour, minute = map(int, re.split("[:.]", text))
    try:
        return time(hour, minute)
    except ValueError as error:
        raise Refused(
            "no-such-hour", "That is no time of day; write for example: mail digest 08:00"
        ) from error


def _snooze(request: CommandRequest) -> Message:
    ((number, unit),) = _SPAN.findall(request.argument)
    until = snooze(request.user, int(number) * _UNITS[unit], now=request.now)
    if due := due_by(request.user, until, now=request.now):
        return Message(
            "No mail about your turns for {span}. Your clocks run on; your time is up before that in {codes}.",
            {"span": request.argument, "codes": ", ".join(due)},
        )
    return Message(
        "No mail about your turns for {span}; then you are told what still waits. Your clocks run on.",
        {"span": request.argument},
    )


TIME_COMMANDS: Mapping[str, Handler] = MappingProxyType(
    {
        "quiet": _quiet,
        "zone": _zone,
        "leads": _leads,
        "vacation": _vacation,
        "holiday": _holiday,
        "return": _return,
        "mail": _mail,
        "digest": _digest,
        "unsubscribe": _unsubscribe,
        "snooze": _snooze,
    }
)
