"""Post news to a club, and take them away."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from gemserver.accounts.models import User
from gemserver.clubs.models import Club, News
from gemserver.lib.text.plain import clean
from gemserver.matches.clubs.clubs import lock_club, require_organiser
from gemserver.matches.refusal import Refused
from gemserver.matches.voice import require_voice

LONGEST = 2000
MOST_A_DAY = 10
"""News of one club within a day."""
SENT_TWICE = timedelta(minutes=1)
"""Within this time the same news is a form that was sent twice."""


def post_news(club_id: int, by: User, text: str, *, now: datetime) -> News:
    """Post news, as an organiser.

    Raises Refused(no-such-club, club-closed, not-a-member, not-an-organiser, nothing-said, too-long, too-many-news,
    muted).
    """
    text = clean(text).strip()
    with transaction.atomic():
        club = lock_club(club_id, by)
        require_organiser(club, by)
        if not text:
            raise Refused("nothing-said", "There is nothing to post; write your news first.")
        if len(text) > LONGEST:
            raise Refused("too-long", "News has at most {most} letters; shorten yours.", most=LONGEST)
        last = club.news.filter(author=by, posted_at__gt=now - SENT_TWICE, text=text).first()
        if last is not None:
            return last
        _check_number(club, now)
        require_voice(by, now)
        return News.objects.create(club=club, author=by, text=text, posted_at=now)


def _check_number(club: Club, now: datetime) -> None:
    if club.news.filter(posted_at__gt=now - timedelta(days=1)).count() >= MOST_A_DAY:
        raise Refused(
            "too-many-news", "{most} posts a day are enough for a club; post more tomorrow.", most=MOST_A_DAY
        )


def remove_news(club_id: int, by: User, news_id: int) -> None:
    """Delete news, as an organiser; deleting twice changes nothing.

    Raises Refused(no-such-club, club-closed, not-a-member, not-an-organiser).
    """
    with transaction.atomic():
        club = lock_club(club_id, by)
        require_organiser(club, by)
        club.news.filter(pk=news_id).delete()
