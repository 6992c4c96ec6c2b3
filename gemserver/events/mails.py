"""Mails about seasons: a function for each kind writes it from its outbox row, in its reader's language and zone.

None is written to who has withdrawn, or may not see the event any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from django.utils import timezone
from django.utils.translation import gettext

from gemserver.events.arithmetic.divisions import fewest_players
from gemserver.events.models import Division, Entry, Event, EventLog, Fixture, Replacement, Season
from gemserver.events.replacements import answer_until, open_questions
from gemserver.events.season_mail import SeasonMail
from gemserver.events.standings import find_standings
from gemserver.events.table_text import write_table
from gemserver.events.words import name_of
from gemserver.lib import clock
from gemserver.lib.text.fractions import show_fraction
from gemserver.lib.text.plain import quote_lines
from gemserver.notify.content import Content
from gemserver.notify.models import OutboxMessage


def season_started(message: OutboxMessage) -> Content | None:
    """The season begins: division, fixtures, budget and dates; None once it is over."""
    mail = SeasonMail.read(message)
    if mail is None or mail.entry is None or mail.entry.division is None:
        return None
    if mail.season.state != Season.State.RUNNING:
        return None
    others = mail.entry.division.entries.exclude(pk=mail.entry.pk)
    return mail.write(
        "season_started",
        gettext("Season %(number)d begins") % {"number": mail.season.number},
        others=[name_of(entry) for entry in others.select_related("player").order_by("number")],
        fixtures=mail.list_fixtures(),
        is_swiss=mail.event.format == Event.Format.SWISS,
        terms=mail.say_clock(1),
    )


def season_over(message: OutboxMessage) -> Content | None:
    """The season is over: the final table, the reader's place in it, and the way into the next one."""
    mail = SeasonMail.read(message)
    if mail is None or mail.entry is None or mail.entry.division is None:
        return None
    division = mail.entry.division
    table = write_table(find_standings(division, with_bounds=False), mail.reader)
    return mail.write(
        "season_over",
        gettext("Season %(number)d is over") % {"number": mail.season.number},
        table=table,
        result=_say_result(mail.entry, division, len(table.lines)),
        stood=mail.list_unfinished(),
        following=_following(mail.season),
    )


def season_off(message: OutboxMessage) -> Content | None:
    """The season is not played: why, and when the next one begins, which the reader has entered."""
    mail = SeasonMail.read(message)
    if mail is None or mail.entry is None:
        return None
    log = EventLog.objects.get(pk=message.data["log"])
    following = _following(mail.season)
    if following and not following.entries.filter(player=mail.reader, withdrawn_at=None).exists():
        following = None
    return mail.write(
        "season_off",
        gettext("Season %(number)d is not played") % {"number": mail.season.number},
        why=_say_why_off(mail.event, log),
        reason=quote_lines(log.reason) if log.reason else [],
        following=following,
    )


def decision(message: OutboxMessage) -> Content | None:
    """An organiser has decided what concerns the reader: a fixture, points, or who plays."""
    mail = SeasonMail.read(message)
    log = EventLog.objects.select_related("by").filter(pk=message.data["log"]).first()
    if mail is None or log is None:
        return None
    told = _DECISIONS[log.kind](mail, log)
    if told is None:
        return None
    news, sentence, more = told
    return mail.write(
        "event_decision",
        news,
        sentence=sentence,
        by=log.by.shown_name if log.by else "",
        reason=quote_lines(log.reason) if log.reason else [],
        **more,
    )


def replacement_asked(message: OutboxMessage) -> Content | None:
    """An organiser asks the reader to go on for a player; None once that is settled or has lapsed."""
    mail = SeasonMail.read(message)
    question = open_questions(clock.now()).filter(pk=message.data["replacement"]).first()
    if mail is None or question is None:
        return None
    theirs = replace(mail, entry=question.entry)
    fixtures = theirs.list_fixtures(running=True)
    return mail.write(
        "replacement_asked",
        gettext("Will you take over from %(name)s?") % {"name": question.former_name},
        former=question.former_name,
        by=question.by_name,
        place=theirs.place,
        reason=quote_lines(question.reason),
        fixtures=fixtures,
        terms=mail.say_clock(fixtures[-1].round if fixtures else 1),
        until=timezone.localtime(answer_until(question)),
    )


def replacement_answered(message: OutboxMessage) -> Content | None:
    """The newcomer's yes or no, to the organiser who has asked."""
    mail = SeasonMail.read(message)
    questions = Replacement.objects.select_related("newcomer", "former", "entry__player")
    question = questions.filter(pk=message.data["replacement"]).first()
    if mail is None or question is None:
        return None
    has_agreed = question.outcome == Replacement.Outcome.AGREED
    if has_agreed:
        sentence = gettext("%(newcomer)s takes over from %(former)s in season %(number)d of %(event)s.")
    else:
        sentence = gettext(
            "%(newcomer)s does not take over from %(former)s in season %(number)d of %(event)s."
        )
    news = gettext("%(name)s agrees") if has_agreed else gettext("%(name)s says no")
    told = {
        "newcomer": question.newcomer.shown_name,
        "former": question.former_name,
        "event": mail.event.name,
    }
    return mail.write(
        "replacement_answered",
        news % {"name": question.newcomer.shown_name},
        sentence=sentence % {**told, "number": mail.season.number},
        has_agreed=has_agreed,
    )


def _adjudicated(mail: SeasonMail, log: EventLog) -> tuple[str, str, Mapping[str, object]] | None:
    fixture = Fixture.objects.select_related("match").filter(pk=log.data["fixture"]).first()
    if mail.entry is None or fixture is None:
        return None
    places = fixture.places.select_related("entry__player").order_by("index")
    ranked = sorted(
        zip(map(int, str(log.data["ranks"]).split()), places, strict=True), key=lambda pair: pair[0]
    )
    given = [rank for rank, _place in ranked]
    ranks = [(rank, name_of(place.entry), given.count(rank) > 1) for rank, place in ranked]
    code = f"{fixture.match.title} {fixture.match.code}" if fixture.match else mail.event.name
    sentence = gettext("An organiser has decided %(match)s, a fixture of %(place)s. These places count:")
    return (
        gettext("A fixture is decided"),
        sentence % {"match": code, "place": mail.place},
        {"ranks": ranks},
    )


def _corrected(mail: SeasonMail, log: EventLog) -> tuple[str, str, Mapping[str, object]] | None:
    if mail.entry is None or mail.entry.pk != log.data["entry"]:
        return None
    points = Fraction(str(log.data["points"]))
    sentence = (
        gettext("An organiser has given you points in %(place)s: %(points)s.")
        if points > 0
        else gettext("An organiser has taken points from you in %(place)s: %(points)s.")
    )
    return (
        gettext("Your points are corrected"),
        sentence % {"place": mail.place, "points": show_fraction(abs(points))},
        {},
    )


def _replaced(mail: SeasonMail, log: EventLog) -> tuple[str, str, Mapping[str, object]] | None:
    if mail.reader.pk == log.data["newcomer"]:
        if mail.entry is None or mail.entry.pk != log.data["entry"]:
            return None
        fixtures = mail.list_fixtures(running=True)
        sentence = gettext("You play in %(place)s from now on; the points so far are yours.")
        return (
            gettext("You play in this season"),
            sentence % {"place": mail.place},
            {"fixtures": fixtures, "terms": mail.say_clock(fixtures[-1].round if fixtures else 1)},
        )
    if mail.entry is not None:
        return None
    sentence = gettext("Somebody else plays for you in %(place)s from now on. You need not do anything.")
    return gettext("You do not play any more"), sentence % {"place": mail.place}, {}


def _shared(mail: SeasonMail, log: EventLog) -> tuple[str, str, Mapping[str, object]] | None:
    if not mail.event.organisers.filter(user=mail.reader).exists():
        return None
    sentence = gettext("%(name)s lets you organise %(event)s too: its page has buttons for it.")
    return gettext("You are an organiser"), _say_shared(sentence, mail, log), {}


def _unshared(mail: SeasonMail, log: EventLog) -> tuple[str, str, Mapping[str, object]] | None:
    if mail.event.organisers.filter(user=mail.reader).exists():
        return None
    sentence = gettext("%(name)s has taken you out: you do not organise %(event)s any more.")
    return gettext("You are no longer an organiser"), _say_shared(sentence, mail, log), {}


def _say_shared(sentence: str, mail: SeasonMail, log: EventLog) -> str:
    return sentence % {"name": log.by.shown_name if log.by else "", "event": mail.event.name}


_DECISIONS = {
    "adjudicated": _adjudicated,
    "corrected": _corrected,
    "replaced": _replaced,
    "shared": _shared,
    "unshared": _unshared,
}
"""By kind of the log's line: the news, a sentence, and more for the template; None if it is out of date."""


def _say_result(entry: Entry, division: Division, players: int) -> str:
    """The reader's own place, and promotion or relegation, in a sentence."""
    told = {"place": entry.final_place or 0, "players": players}
    match entry.outcome:
        case Entry.Outcome.PROMOTED:
            sentence = gettext(
                "You are number %(place)d of %(players)d, and promoted: you go up to %(next)s."
            )
            return sentence % {**told, "next": _division_at(division.level - 1)}
        case Entry.Outcome.RELEGATED:
            sentence = gettext(
                "You are number %(place)d of %(players)d, and relegated: you go down to %(next)s."
            )
            return sentence % {**told, "next": _division_at(division.level + 1)}
    return gettext("You are number %(place)d of %(players)d.") % told


def _division_at(level: int) -> str:
    return gettext("division %(number)d") % {"number": level}


def _following(season: Season) -> Season | None:
    """The season after this one, while it takes entries."""
    return season.event.seasons.filter(number__gt=season.number, state=Season.State.ENTERING).first()


def _say_why_off(event: Event, log: EventLog) -> str:
    if log.kind == "closed":
        return gettext("An organiser has closed the event.")
    if log.kind == "club-closed":
        return gettext("Its club was closed, and the event with it.")
    if log.kind == "missed":
        return gettext("The server was down when it should have begun.")
    least, entered = fewest_players(event.seats), int(log.data["players"])
    return gettext("It needs %(least)d players; entered: %(entered)d.") % {
        "least": least,
        "entered": entered,
    }
