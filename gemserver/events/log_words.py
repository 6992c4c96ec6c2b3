"""Lines of an event's log in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext, gettext_noop

from gemserver.accounts.models import User
from gemserver.events.models import Entry, EventLog, Fixture
from gemserver.events.words import name_of
from gemserver.lib.text.plain import end_sentence

SENTENCES: Mapping[str, str] = {
    "opened": gettext_noop("%(by)s opens the event."),
    "shared": gettext_noop("%(by)s lets %(player)s organise the event too."),
    "unshared": gettext_noop("%(player)s organises the event no longer (%(by)s)."),
    "started": gettext_noop("Season %(season)s begins with %(players)s players."),
    "not-played": gettext_noop("Season %(season)s is not played: too few players (%(players)s)."),
    "rested": gettext_noop("The event is closed: %(seasons)s seasons in a row were not played."),
    "missed": gettext_noop("Season %(season)s is not played: the server was down when it should have begun."),
    "club-closed": gettext_noop("The event is closed, because its club is."),
    "paired": gettext_noop("Round %(round)s is paired."),
    "withdrawn": gettext_noop("%(entry)s withdraws. A bot plays on."),
    "replaced": gettext_noop("%(by)s lets %(entry)s take over from another player: %(reason)s"),
    "adjudicated": gettext_noop("%(by)s decides fixture %(fixture)s by the ranks %(ranks)s: %(reason)s"),
    "corrected": gettext_noop("%(by)s corrects the points of %(entry)s by %(points)s: %(reason)s"),
    "over": gettext_noop("Season %(season)s is over."),
    "closed": gettext_noop("%(by)s closes the event: %(reason)s"),
}
"""The sentence of each kind; a test holds them against what the actions write."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of the log for people."""

    at: datetime
    text: str


def say_log(row: EventLog) -> LogLine:
    """The line in the active language."""
    shown: dict[str, object] = {**row.data, "season": row.season.number if row.season else ""}
    shown["by"] = row.by.shown_name if row.by else gettext("The server")
    shown["reason"] = end_sentence(row.reason)
    if "entry" in row.data:
        entry = Entry.objects.select_related("player").filter(pk=row.data["entry"]).first()
        shown["entry"] = name_of(entry) if entry else gettext("somebody")
    if "player" in row.data:
        player = User.objects.filter(pk=row.data["player"]).first()
        shown["player"] = player.shown_name if player else gettext("somebody")
    if "fixture" in row.data:
        fixture = Fixture.objects.select_related("match").filter(pk=row.data["fixture"]).first()
        shown["fixture"] = fixture.match.code if fixture and fixture.match else row.data["fixture"]
    return LogLine(row.at, gettext(SENTENCES[row.kind]) % shown)
