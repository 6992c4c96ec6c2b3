"""A mail about a season, of whatever kind: the data that it shows its reader, and its text, HTML and headers."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext

from gemserver.accounts.models import User
from gemserver.events.models import Entry, Event, Fixture, Place, Season
from gemserver.events.rights import may_read_of
from gemserver.events.seasons import clock_of
from gemserver.events.selectors import name_of_division, path_of
from gemserver.events.words import name_of
from gemserver.lib.text.mailto import mailto
from gemserver.lib.text.plain import end_sentence, tidy
from gemserver.matches.models import Match, Seat
from gemserver.matches.notifications import TOPIC_OF
from gemserver.matches.words.clocks import span
from gemserver.notify.content import DEAD, Content
from gemserver.notify.models import OutboxMessage


@dataclass(frozen=True, slots=True)
class FixtureLine:
    """A fixture of the reader: its code and page (empty: not opened yet), and who plays, in turn order."""

    code: str
    url: str
    names: str
    round: int


@dataclass(frozen=True, slots=True)
class SeasonMail:
    """The data that every mail about a season shows its reader."""

    message: OutboxMessage
    reader: User
    season: Season
    entry: Entry | None
    """The reader's own, if it has not been withdrawn."""

    @classmethod
    def read(cls, message: OutboxMessage) -> SeasonMail | None:
        """None for who may not know of the season any more."""
        seasons = Season.objects.select_related("event__club")
        season = seasons.filter(pk=message.data["season"]).first()
        if season is None or message.user is None or not may_read_of(season, message.user):
            return None
        entries = season.entries.select_related("division__season__event")
        entry = entries.filter(player=message.user, withdrawn_at=None).first()
        return cls(message, message.user, season, entry)

    @property
    def event(self) -> Event:
        return self.season.event

    @property
    def place(self) -> str:
        """Where the reader plays: `season 2 of League, division 3`."""
        words = gettext("season %(number)d of %(event)s") % {
            "number": self.season.number,
            "event": self.event.name,
        }
        division = self.entry.division if self.entry else None
        if division is None or self.season.divisions.count() == 1:
            return words
        return f"{words}, {name_of_division(division)}"

    def say_clock(self, number: int) -> list[str]:
        """The budget and the dates of a round, a sentence each."""
        bank, play_until = clock_of(self.season, number, now=self.season.started_at or self.season.starts_at)
        return [
            gettext("Each player has %(time)s for the whole match. Nights, weekends and vacations count.")
            % {"time": span(bank)},
            gettext("When a player's time is used up, a bot plays until the player is back."),
            gettext("From %(end)s on bots play the last moves for everybody.")
            % {"end": date_format(timezone.localtime(play_until), "j M Y H:i T")},
            gettext("The season ends on %(end)s, even if matches are still running.")
            % {"end": date_format(timezone.localtime(self.season.ends_at), "D j M Y H:i T")},
        ]

    def list_fixtures(self, *, running: bool = False) -> list[FixtureLine]:
        """The reader's fixtures of this season, all or only those that are played now."""
        if self.entry is None:
            return []
        found = Fixture.objects.filter(places__entry=self.entry).select_related("match")
        if running:
            found = found.filter(match__status=Match.Status.RUNNING)
        return [self._line(fixture) for fixture in found.order_by("round", "number")]

    def list_unfinished(self) -> list[tuple[FixtureLine, int, bool]]:
        """The reader's fixtures that were still played when the season ended, each with the place that counted.

        True behind it if others share the place.
        """
        places = Place.objects.filter(
            entry=self.entry,
            fixture__adjudicated_at=None,
            fixture__match__ending=Match.Ending.ADJUDICATED,
            fixture__match__finished_at__gte=self.season.ends_at,
        )
        found = places.select_related("fixture__match").order_by("fixture__round", "fixture__number")
        return [self._tell_place(place) for place in found]

    def _tell_place(self, place: Place) -> tuple[FixtureLine, int, bool]:
        ranks = dict(Seat.objects.filter(match=place.fixture.match).values_list("index", "rank"))
        rank = ranks[place.index] or 0
        return self._line(place.fixture), rank, list(ranks.values()).count(rank) > 1

    def _line(self, fixture: Fixture) -> FixtureLine:
        places = fixture.places.select_related("entry__player").order_by("index")
        names = ", ".join(self._name(place) for place in places)
        match = fixture.match
        if match is None:
            return FixtureLine("", "", names, fixture.round)
        url = settings.SITE_URL + match.get_absolute_url()
        return FixtureLine(f"{match.title} {match.code}", url, names, fixture.round)

    def _name(self, place: Place) -> str:
        return gettext("you") if place.entry.player_id == self.reader.pk else name_of(place.entry)

    def write(self, kind: str, news: str, **more: object) -> Content:
        """Write the mail from `emails/<kind>.txt` and `.html`; the news stand in its subject and first line."""
        subject = _subject(self.event, news)
        address = settings.ACCOUNT_REPLY.format(token=self.reader.token)
        lines = {word: f"{word} {self.event.slug}" for word in ("enter", "withdraw", "standings")}
        context = {
            "mail": self,
            "event": self.event,
            "season": self.season,
            "subject": subject,
            "lead": end_sentence(news),
            "preview": end_sentence(news),
            "url": settings.SITE_URL + path_of(self.event),
            "settings_url": settings.SITE_URL + reverse("notifications"),
            "dead_channels": self.message.data.get(DEAD, ()),
            "channels_url": settings.SITE_URL + reverse("channels"),
            "lines": lines,
            "links": {word: mailto(address, f"Re: {subject}", line) for word, line in lines.items()},
            **more,
        }
        return Content(
            subject=subject,
            text=tidy(render_to_string(f"emails/{kind}.txt", context)),
            html=render_to_string(f"emails/{kind}.html", context),
            reply_to=address,
            headers={"List-Id": f"<event-{self.event.slug}.{settings.MAIL_DOMAIN}>"},
            category=TOPIC_OF[self.message.kind],
        )


def _subject(event: Event, news: str) -> str:
    """The news in brackets, then the name of the event, as in mails about matches; no bracket stands in either."""
    news, name = (" ".join(text.replace("[", "(").replace("]", ")").split()) for text in (news, event.name))
    return f"[{news}] {name}"
