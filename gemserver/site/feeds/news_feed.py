"""An Atom feed (RFC 4287) of a player's turns and of the news in their matches.

A feed's address leaks easily, so the feed tells only what any spectator may know, and nothing that only the player's
seat sees.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.contrib.syndication.views import Feed
from django.db.models import Q
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.translation import gettext

from gemserver.accounts.models import User
from gemserver.lib.text.plain import colon
from gemserver.matches import selectors, sitters
from gemserver.matches.log import match_log, notices
from gemserver.matches.models import Match

MOST_MATCHES = 30
MOST_PLIES = 20
"""The last moves, and the last notices, of each match that are included."""
MOST_ENTRIES = 60


@dataclass(frozen=True, slots=True)
class NewsItem:
    """One piece of news; `key` identifies it permanently within this site."""

    key: str
    title: str
    text: str
    url: str
    at: datetime


def news_of(user: User, now: datetime) -> list[NewsItem]:
    """The latest news of the player's matches, the newest first, in the active language and zone."""
    mine = Q(seats__user=user) & ~Q(status__in=[Match.Status.OPEN, Match.Status.CANCELLED])
    matches = Match.objects.filter(mine).order_by("-finished_at", "-started_at")
    latest = sorted(matches, key=lambda match: match.finished_at is not None)[:MOST_MATCHES]
    # Sorting is stable: of several things at one instant, the last comes first.
    entries = [*_waiting(user, now), *(entry for match in latest for entry in _of_match(match))]
    return sorted(entries, key=lambda entry: entry.at, reverse=True)[:MOST_ENTRIES]


def _waiting(user: User, now: datetime) -> Iterator[NewsItem]:
    for seat in sitters.mailed_to(user, now).filter(match__status=Match.Status.RUNNING):
        match = seat.match
        assert seat.prompted_at is not None
        yield NewsItem(
            key=f"match/{match.pk}/turn/{seat.index}/{seat.prompt_ply}",
            title=gettext("Your turn in %(title)s %(code)s") % {"title": match.title, "code": match.code},
            text=gettext("The match waits for your move."),
            url=_url(match),
            at=seat.prompted_at,
        )


def _of_match(match: Match) -> Iterator[NewsItem]:
    if match.finished_at:
        yield _entry(match, "finished", gettext("The match is over."), match.finished_at)
    names = selectors.names(match)
    void = match.moves.exclude(voided_at=None).order_by("-pk")
    first = dict(void.values_list("ply", "pk"))
    for line in reversed(match_log.log(match, None, after_ply=max(0, match.ply - MOST_PLIES))):
        # A ply that is played again after an undo is news of its own.
        is_again = line.key > first.get(line.ply, line.key)
        key = f"ply/{line.ply}/{line.key}" if is_again else f"ply/{line.ply}"
        yield _entry(match, key, line.text, line.created_at)
    for notice in match.notices.exclude(kind__in=notices.PROOFS).order_by("-created_at", "-pk")[:MOST_PLIES]:
        yield _entry(match, f"notice/{notice.pk}", notices.sentence(notice, names), notice.created_at)


def _entry(match: Match, key: str, text: str, at: datetime) -> NewsItem:
    title = f"{match.title} {colon(match.code)} {text}"
    short = title if len(title) <= 120 else title[:119] + "…"
    return NewsItem(f"match/{match.pk}/{key}", short, text, _url(match), at)


def _url(match: Match) -> str:
    return settings.SITE_URL + match.get_absolute_url()


class NewsFeed(Feed):  # type: ignore[type-arg]
    """The feed of one player; ids are tag URIs (RFC 4151), which stay the same when the site moves to https."""

    feed_type = Atom1Feed

    def __init__(self, user: User, now: datetime) -> None:
        super().__init__()
        self.user, self.now = user, now

    def title(self) -> str:
        return gettext("Gem server: news of %(name)s's matches") % {"name": self.user.username}

    def link(self) -> str:
        return settings.SITE_URL + "/"

    def feed_guid(self) -> str:
        return _tag(f"news/{self.user.pk}")

    def items(self) -> list[NewsItem]:
        return news_of(self.user, self.now)

    def item_title(self, item: NewsItem) -> str:
        return item.title

    def item_description(self, item: NewsItem) -> str:
        """Escaped, because Atom1Feed declares it as HTML."""
        return escape(item.text)

    def item_link(self, item: NewsItem) -> str:
        return item.url

    def item_guid(self, item: NewsItem) -> str:
        return _tag(item.key)

    def item_pubdate(self, item: NewsItem) -> datetime:
        return item.at

    def item_updateddate(self, item: NewsItem) -> datetime:
        return item.at


def _tag(key: str) -> str:
    return f"tag:{settings.MAIL_DOMAIN},2026:{key}"
