"""Queues mails about who joins a club, in the transaction of the action that they tell of."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType

from django.conf import settings
from django.db.models import QuerySet

from gemserver.accounts.models import User
from gemserver.clubs.models import Candidate, Club, Member
from gemserver.lib import signing
from gemserver.lib.database.advisory_locks import count_alone
from gemserver.matches.notifications import find_wanting
from gemserver.matches.selectors import know_each_other
from gemserver.notify.models import OutboxMessage
from gemserver.notify.outbox import draft, queue


class News(StrEnum):
    """The news in a mail about a club."""

    INVITED = "invited"
    ASKED = "asked"
    LET_IN = "let-in"
    INHERITED = "inherited"


KIND = "club-notice"
TO_ONE_PLAYER_AND_DAY = 3
"""Invitations of which one player is told within a day; those of people whom they know are told in any case."""


def tell_invited(candidate: Candidate) -> None:
    """Tell a player of an invitation, unless they have had enough of them today: it stands on their first page."""
    reader, by = candidate.user, candidate.by
    assert by is not None
    count_alone(f"clubs that invite {reader.pk}")
    told = _told_invitations(candidate.since - timedelta(days=1)).filter(user=reader)
    if told.count() >= TO_ONE_PLAYER_AND_DAY and not know_each_other(reader, by):
        return
    _tell([reader], News.INVITED, candidate.club, reader, candidate.since, {"by": by.pk})


def count_told_invitations(by: User, since: datetime) -> int:
    """The mails about invitations of this person since then, also of those that were taken back."""
    return _told_invitations(since).filter(data__by=by.pk).count()


def _told_invitations(since: datetime) -> QuerySet[OutboxMessage]:
    return OutboxMessage.objects.filter(kind=KIND, created_at__gt=since, data__news=News.INVITED)


def tell_asked(candidate: Candidate) -> None:
    """Tell all who may answer that somebody asks to join."""
    roles = [Member.Role.OWNER, Member.Role.ORGANISER]
    members = candidate.club.members.filter(role__in=roles).select_related("user").order_by("pk")
    readers = [member.user for member in members]
    _tell(readers, News.ASKED, candidate.club, candidate.user, candidate.since)


def tell_let_in(member: Member) -> None:
    """Tell a player who asked to join that they belong to the club."""
    _tell([member.user], News.LET_IN, member.club, member.user, member.joined_at)


def tell_inherited(member: Member, now: datetime) -> None:
    """Tell a member that they own the club now, because nobody else runs it."""
    _tell([member.user], News.INHERITED, member.club, member.user, now)


def _tell(
    readers: Collection[User],
    news: News,
    club: Club,
    player: User,
    now: datetime,
    more: Mapping[str, object] = MappingProxyType({}),
) -> None:
    """At most one mail a day tells a reader the same, however often it is taken back and done again."""
    day = f"{now:%Y%m%d}"
    queue(
        [
            draft(
                reader,
                KIND,
                thread=f"club:{club.pk}:{KIND}",
                data={"club": club.pk, "news": news, "player": player.pk, **more},
                dedup_key=f"{KIND}:{news}:{club.pk}:{player.pk}:{reader.pk}:{day}",
                message_id=_message_id(news, club.pk, player.pk, reader.pk, day),
                now=now,
                to=address,
            )
            for reader, address in find_wanting(readers, KIND)
        ]
    )


def _message_id(*parts: str | int) -> str:
    name = ".".join(map(str, parts))
    return f"<cn.{name}.{signing.mac(KIND, *parts)}@{settings.MAIL_DOMAIN}>"
