"""Leagues and tournaments in answers to mails: the list of events, and the tables of one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext

from games import registry
from gemserver.accounts.models import User
from gemserver.events.models import Entry, Event, Season
from gemserver.events.selectors import (
    divisions_of,
    events_seen_by,
    find_event,
    last_season,
    name_of_division,
    path_of,
    season_with_table,
)
from gemserver.events.standings import find_standings
from gemserver.events.table_text import TableOfWords, write_table
from gemserver.lib.text.plain import colon
from gemserver.matches.refusal import Refused

MOST_EVENTS = 40
MOST_DIVISIONS = 8
"""Divisions that one mail shows: the reader's own first, then the highest; the page has all."""


def list_events(user: User) -> str:
    """The events that take entries, are played, or were, with a line on what can be done."""
    events = list(events_seen_by(user).filter(closed_at=None).order_by("name")[:MOST_EVENTS])
    if not events:
        return _indented(gettext("There is no league or tournament now."))
    lines = [line for event in events for line in _describe(event, user)]
    lines.append(gettext("All of them: %(url)s") % {"url": settings.SITE_URL + reverse("events")})
    return "\n".join(lines[:-1]) + "\n\n" + _indented(lines[-1])


def _describe(event: Event, user: User) -> list[str]:
    season = last_season(event)
    entry = season.entries.filter(player=user, withdrawn_at=None).first()
    game = registry.game(event.game).rules.meta.title
    title = f"{colon(f'{event.name} ({event.slug})')} {game}, {event.get_format_display()}"
    state, write = _say_state(season), _say_what_to_write(season, entry)
    return [f"  * {title}", f"    {state}", *([f"    {write}"] if write else [])]


def _say_state(season: Season) -> str:
    told = {
        "number": season.number,
        "start": _day(season.starts_at),
        "end": _day(season.ends_at),
        "count": season.entries.filter(withdrawn_at=None, player__isnull=False).count(),
    }
    match season.state:
        case Season.State.ENTERING:
            return gettext("Season %(number)d takes entries until %(start)s; %(count)d so far.") % told
        case Season.State.RUNNING:
            return gettext("Season %(number)d is played until %(end)s, by %(count)d players.") % told
        case Season.State.OVER:
            return gettext("Season %(number)d ended on %(end)s.") % told
    return gettext("Season %(number)d was not played.") % told


def _say_what_to_write(season: Season, entry: Entry | None) -> str:
    slug = season.event.slug
    if season.state == Season.State.ENTERING and entry is None:
        return gettext("To play in it, write:  enter %(name)s") % {"name": slug}
    if season.state == Season.State.ENTERING:
        return gettext("You have entered. To withdraw, write:  withdraw %(name)s") % {"name": slug}
    if season.state in {Season.State.RUNNING, Season.State.OVER}:
        return gettext("For its tables, write:  standings %(name)s") % {"name": slug}
    return ""


def show_standings(user: User, slug: str) -> tuple[str, str, str]:
    """The title, and the tables of the season that is played, or was the last, as text and as HTML."""
    try:
        event = find_event(slug, user)
    except Refused as refusal:  # closed to the reader since the mail was read
        return slug, _indented(refusal.text()), ""
    season = season_with_table(event)
    if season is None:
        return event.name, "", ""
    divisions = divisions_of(season)
    own = season.entries.filter(player=user).values_list("division", flat=True).first()
    shown = sorted(divisions, key=lambda division: division.pk != own)[:MOST_DIVISIONS]
    parts = [
        _Part(
            write_table(standings, user),
            name_of_division(division).capitalize() if len(divisions) > 1 else "",
            gettext("Fixtures still being played: %(count)d") % {"count": standings.open_fixtures}
            if standings.open_fixtures
            else "",
        )
        for division in shown
        for standings in [find_standings(division)]
    ]
    url = settings.SITE_URL + path_of(event)
    text = "\n\n".join(part.as_text() for part in parts)
    title = gettext("%(event)s, season %(number)d") % {"event": event.name, "number": season.number}
    return (
        title,
        text + "\n\n" + _indented(gettext("Fixtures and rules: %(url)s") % {"url": url}),
        render_to_string("emails/standings.html", {"parts": parts, "url": url}),
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """The table of one division; `heading` and `left` may be empty."""

    table: TableOfWords
    heading: str
    left: str

    def as_text(self) -> str:
        heading, left = (_indented(line) if line else "" for line in (self.heading, self.left))
        return "\n".join(filter(None, [heading, self.table.as_text(), left]))


def _day(at: datetime) -> str:
    return date_format(timezone.localtime(at), "D j M Y H:i T")


def _indented(text: str) -> str:
    return f"  {text}"
