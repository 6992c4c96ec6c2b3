"""The daily digest: the matches that wait for its reader, and the news saved up for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Q
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext, ngettext

from gemserver.accounts.models import User
from gemserver.lib.text import quote_lines, tidy
from gemserver.matches import notices, selectors, talk
from gemserver.matches.mails.match_mails import LONGEST_PREVIEW, MatchMail, heading
from gemserver.matches.models import Match, Move, NotificationChoice, Seat
from gemserver.matches.notifications import DIGEST, Wishes
from gemserver.notify.content import Content
from gemserver.notify.models import OutboxMessage

Topic = NotificationChoice.Topic
Channel = NotificationChoice.Channel


@dataclass(frozen=True, slots=True)
class MatchNews:
    """News of one match; `lines` are our own sentences, or quoted talk behind `| `."""

    subject: str
    url: str
    lines: tuple[str, ...]


def digest(message: OutboxMessage) -> Content | None:
    """The matches that wait for the player, most urgent first, then the news; None when neither is left."""
    assert message.user is not None
    wishes = Wishes.of(message.user)
    mails = [MatchMail.find(message.user, prompt) for prompt in message.data["prompts"]]
    asked = [
        mail
        for mail in mails
        if mail and mail.is_readers_turn and wishes.channel(Topic.TURN, mail.match.pk) == Channel.DIGEST
    ]
    news = digest_news(message.user, datetime.fromisoformat(message.data["since"]))
    if not asked and not news:
        return None
    waiting = ngettext("Your turn in one match", "Your turn in %(n)d matches", len(asked)) % {"n": len(asked)}
    subject = waiting if asked else gettext("News of your matches")
    told = [*(f"{mail.match.code}: {mail.task}" for mail in asked), *(item.subject for item in news)]
    context = {
        "lead": subject,
        "preview": Truncator(" · ".join([subject, *told])).chars(LONGEST_PREVIEW),
        "mails": asked,
        "news": news,
        "site_url": settings.SITE_URL,
        "settings_url": settings.SITE_URL + reverse("notifications"),
    }
    return Content(
        subject=subject,
        text=tidy(render_to_string("emails/digest.txt", context)),
        html=render_to_string("emails/digest.html", context),
        reply_to=settings.ACCOUNT_REPLY.format(token=message.user.token),
        category=DIGEST,
    )


def digest_news(user: User, since: datetime) -> list[MatchNews]:
    """The news since then of the player's matches, of the kinds the player wants in the digest."""
    wishes = Wishes.of(user)
    recent = Q(match__status=Match.Status.RUNNING) | Q(match__finished_at__gt=since)
    found = []
    for seat in Seat.objects.filter(recent, user=user).select_related("match", "user").order_by("match"):
        if lines := tuple(_lines(seat, wishes, since)):
            url = settings.SITE_URL + seat.match.get_absolute_url()
            found.append(MatchNews(heading(seat.match, selectors.names(seat.match)), url, lines))
    return found


def _lines(seat: Seat, wishes: Wishes, since: datetime) -> Iterator[str]:
    wanted = {event for event in Topic if wishes.channel(event, seat.match_id) == Channel.DIGEST}
    if Topic.TABLE in wanted:
        yield from _of_table(seat.match, since)
    if Topic.TIMEOUT in wanted:
        missed = seat.match.moves.filter(seat=seat.index, source=Move.Source.CLOCK, voided_at=None)
        for move in missed.filter(created_at__gt=since).order_by("ply"):
            yield gettext("Your time ran out, and the server moved for you: %(move)s") % {"move": move.text}
    if Topic.TALK in wanted:
        for message in talk.messages_for(seat).filter(created_at__gt=since).exclude(author=wishes.user):
            yield gettext("%(name)s writes:") % {"name": talk.author_name(message)}
            yield from quote_lines(message.text)


def _of_table(match: Match, since: datetime) -> Iterator[str]:
    if match.started_at and match.started_at > since:
        yield gettext("The match has begun.")
    names = selectors.names(match)
    for notice in match.notices.filter(created_at__gt=since).exclude(kind__in={"settled", *notices.PROOFS}):
        yield notices.sentence(notice, names)
    if match.finished_at and match.finished_at > since:
        yield gettext("The match is over.")
