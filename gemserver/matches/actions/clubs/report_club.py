"""Report what a club says about itself to the moderators."""

from __future__ import annotations

from datetime import datetime

from gemserver.accounts.models import User
from gemserver.clubs.models import Club, Member
from gemserver.clubs.selectors import is_member, members_of, shown_to
from gemserver.matches.actions.talk.report_abuse import PublicText, report_text
from gemserver.matches.clubs.clubs import no_such_club
from gemserver.matches.models import Report

MOST_NEWS = 10
"""The last news, which a report keeps as they stand."""


def report_club(club_id: int, by: User, text: str, *, now: datetime) -> Report:
    """Ask the moderators to look at name, description and news of a club.

    Raises Refused(no-such-club) and what `report_text` raises.
    """
    club = shown_to(by).filter(pk=club_id).first()
    if club is None:
        raise no_such_club()
    news = club.news.all()[:MOST_NEWS] if not club.is_private or is_member(club, by) else []
    said = [f"{club.name} ({club.slug})", club.about, *(row.text for row in news)]
    quoted = "\n\n".join(part for part in said if part)
    return report_text(PublicText(f"club:{club.pk}", club.name, quoted, authors_of(club)), by, text, now=now)


def authors_of(club: Club) -> list[User]:
    """Those who write for the club: its owners, then its organisers."""
    return [member.user for member in members_of(club).exclude(role=Member.Role.MEMBER)]
