"""The terms of a match's clocks in words, as its table shows them before the start."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext

from gemserver.clocks.control import TimeControl
from gemserver.matches.models import Match, Seat


def clock_terms(match: Match) -> list[str]:
    """A sentence for each term that applies, in the active language."""
    if match.play_until is not None:
        return [
            gettext("Each player has %(time)s for the whole match. Nights, weekends and vacations count.")
            % {"time": span(match.bank)},
            gettext("When a player's time is used up, a bot plays until the player is back."),
            gettext("From %(end)s on bots play the last moves for everybody.")
            % {"end": date_format(timezone.localtime(match.play_until), "j M Y H:i T")},
            gettext("Seat A begins: the order is that of the schedule."),
        ]
    return [
        time_sentence(match.time_control),
        gettext("Saturdays and Sundays do not count.")
        if match.free_weekends
        else gettext("Saturdays and Sundays count."),
        gettext("Each player's own quiet hours do not count."),
        _vacation(match),
        absence_sentence(match),
    ]


def list_terms(match: Match) -> list[str]:
    """All that its host may change while a table waits, a sentence each, in the active language."""
    begins = gettext("The match begins as soon as all seats are taken.")
    by_hand = gettext("The match begins when all seats are taken and a player starts it.")
    return [
        ngettext("%(n)d seat.", "%(n)d seats.", match.seat_count) % {"n": match.seat_count},
        *clock_terms(match),
        gettext("Who may join: %(who)s.") % {"who": match.get_access_display()},
        gettext("The match is rated.") if match.is_rated else gettext("The match is not rated."),
        begins if match.starts_when_full else by_hand,
    ]


def time_sentence(control: TimeControl) -> str:
    """A sentence on the time the players have."""
    if control.is_per_move:
        return gettext("Each move has %(time)s.") % {"time": span(control.bank)}
    return gettext(
        "Each player has %(bank)s in the bank, and %(increment)s more after each move; never more than %(cap)s."
    ) % {
        "bank": span(control.bank),
        "increment": span(control.increment),
        "cap": span(control.cap),
    }


def bank_sentence(match: Match, seat: Seat) -> str:
    """A sentence on the bank of a seat that is asked, behind its due time; empty where no bank runs out then."""
    if not match.has_banks or seat.due_at is None or seat.due_at == match.play_until:
        return ""
    bank = rough_span(seat.clock_left)
    if match.play_until is not None:
        return gettext("By then all your time for this match is used up: %(bank)s when you were asked.") % {
            "bank": bank
        }
    return gettext(
        "By then your bank is used up: %(bank)s when you were asked. Each move adds %(increment)s, up to %(cap)s."
    ) % {"bank": bank, "increment": span(match.increment), "cap": span(match.cap)}


def pace_words(control: TimeControl) -> str:
    """The time the players have in a few words, to choose from."""
    if control.is_per_move:
        return gettext("%(time)s for each move") % {"time": span(control.bank)}
    return gettext("%(bank)s in the bank, %(increment)s more after each move, at most %(cap)s") % {
        "bank": span(control.bank),
        "increment": span(control.increment),
        "cap": span(control.cap),
    }


def _vacation(match: Match) -> str:
    if match.vacation_days is None:
        return gettext("Vacation does not count.")
    if match.vacation_days == 0:
        return gettext("Vacation counts like any other day.")
    return ngettext(
        "One day of each player's vacation does not count.",
        "%(days)d days of each player's vacation do not count.",
        match.vacation_days,
    ) % {"days": match.vacation_days}


def absence_sentence(match: Match) -> str:
    """A sentence on what happens when a player's time runs out."""
    return absence_rule(Match.Absence(match.absence))


def absence_rule(absence: Match.Absence) -> str:
    """Like `absence_sentence`, for one of the rules that a match may choose."""
    match absence:
        case Match.Absence.DEFAULT:
            return gettext("When a player's time runs out, the server plays the game's default move.")
        case Match.Absence.BOT:
            return gettext("When a player's time runs out, a bot plays that move.")
        case Match.Absence.REPLACE:
            return gettext(
                "When a player's time runs out, the server plays the game's default move; "
                "the second time in a row a bot takes the seat, until somebody else does."
            )


def span(time: timedelta) -> str:
    """Write a duration like `1 day 8 hours`, down to the minute; parts that are zero are left out."""
    minutes = time // timedelta(minutes=1)
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    parts = [
        ngettext("%(n)d day", "%(n)d days", days) % {"n": days} if days else "",
        ngettext("%(n)d hour", "%(n)d hours", hours) % {"n": hours} if hours else "",
        ngettext("%(n)d minute", "%(n)d minutes", minutes) % {"n": minutes} if minutes else "",
    ]
    return " ".join(filter(None, parts)) or ngettext("%(n)d minute", "%(n)d minutes", 0) % {"n": 0}


def rough_span(time: timedelta) -> str:
    """Write a duration in one unit, as people say it: `40 minutes`, `14 hours`, `3 days`."""
    minutes, hours, days = (round(time / timedelta(**{unit: 1})) for unit in ("minutes", "hours", "days"))
    if minutes < 100:
        return ngettext("%(n)d minute", "%(n)d minutes", minutes) % {"n": minutes}
    if hours < 48:
        return ngettext("%(n)d hour", "%(n)d hours", hours) % {"n": hours}
    return ngettext("%(n)d day", "%(n)d days", days) % {"n": days}
