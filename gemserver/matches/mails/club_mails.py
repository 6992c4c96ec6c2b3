"""Mails of a club to its members: new mails of the server, with nothing in them but what a member has typed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext

from gemserver.accounts.blocks import blocked_with
from gemserver.accounts.models import User
from gemserver.clubs.models import Candidate, Club, Member, Post
from gemserver.clubs.selectors import membership
from gemserver.lib.text.mail_address import domain_of
from gemserver.lib.text.mailto import mailto
from gemserver.lib.text.plain import end_sentence, quote_lines, tidy
from gemserver.matches.actions.clubs.post_to_list import CLUB, DAY
from gemserver.matches.clubs.club_notices import News
from gemserver.matches.notifications import TOPIC_OF
from gemserver.notify.content import Content
from gemserver.notify.models import OutboxMessage


def club_mail(message: OutboxMessage) -> Content | None:
    """One member's mail; None for a reader who has left, wants none of it any more, or may not read it."""
    post = _readable(message).filter(pk=message.data["post"]).first()
    if post is None or not _wants(message, post.club, Member.ListMode.EACH):
        return None
    author = _name(post)
    subject = post.subject or gettext("A mail from %(name)s") % {"name": author}
    return _write(message, post.club, subject, [post])


def club_digest(message: OutboxMessage) -> Content | None:
    """The mails of a day to a member who wants them together; None if there are none."""
    club = Club.objects.filter(pk=message.data["club"]).first()
    if club is None or not _wants(message, club, Member.ListMode.DIGEST):
        return None
    until = datetime.fromisoformat(message.data["until"])
    posts = _readable(message).filter(club=club, posted_at__gt=until - DAY, posted_at__lte=until)
    found = list(posts.exclude(author=message.user).order_by("pk"))
    return _write(message, club, gettext("What was written today"), found) if found else None


def _readable(message: OutboxMessage) -> QuerySet[Post]:
    """The members' mails but those of whoever is shut out, or shares a block with the reader, now."""
    blocked = blocked_with(message.user) if message.user else frozenset()
    welcome = Post.objects.exclude(author__in=blocked).exclude(author__is_active=False)
    return welcome.select_related("club", "author")


def club_notice(message: OutboxMessage) -> Content | None:
    """Somebody is invited, asks to join, was let in or has inherited the club; None if that is not so any more."""
    reader, club = message.user, Club.objects.filter(pk=message.data["club"], closed_at=None).first()
    player = User.objects.filter(pk=message.data["player"], is_active=True).first()
    if reader is None or club is None or player is None:
        return None
    told = _NOTICES[News(message.data["news"])](club, player, reader)
    if told is None:
        return None
    sentence, answers = told
    address = settings.ACCOUNT_REPLY.format(token=reader.token)
    subject = f"[{club.name}] {sentence}"
    context = {
        "club": club,
        "about": quote_lines(club.about) if club.about else [],
        "sentence": sentence,
        "answers": [(say, line, mailto(address, f"Re: {subject}", line)) for say, line in answers],
        "subject": subject,
        "lead": sentence,
        "preview": club.about[:100],
        "url": settings.SITE_URL + reverse("club", args=[club.slug]),
        "settings_url": settings.SITE_URL + reverse("notifications"),
    }
    return Content(
        subject=subject,
        text=tidy(render_to_string("emails/club_notice.txt", context)),
        html=render_to_string("emails/club_notice.html", context),
        reply_to=address,
        category=TOPIC_OF[message.kind],
    )


Notice = tuple[str, list[tuple[str, str]]]
"""The sentence that tells it, and the ways to answer: what each does, and the line to write."""


def _invited(club: Club, player: User, reader: User) -> Notice | None:
    invitation = club.candidates.filter(user=reader, kind=Candidate.Kind.INVITED).select_related("by").first()
    if invitation is None:
        return None
    by = invitation.by.shown_name if invitation.by else gettext("An organiser")
    sentence = gettext("%(name)s invites you to the club %(club)s.") % {"name": by, "club": club.name}
    return sentence, [
        (gettext("To join, reply with:"), f"join club {club.slug}"),
        (gettext("To decline, reply with:"), f"leave club {club.slug}"),
    ]


def _asked(club: Club, player: User, reader: User) -> Notice | None:
    member = membership(club, reader)
    if member is None or member.role == Member.Role.MEMBER:
        return None
    if not club.candidates.filter(user=player, kind=Candidate.Kind.ASKED).exists():
        return None
    told = {"name": player.shown_name, "club": club.name}
    return gettext("%(name)s asks to join the club %(club)s.") % told, [
        (gettext("To let them in, reply with:"), f"club {club.slug} accept {player.username}"),
        (gettext("To refuse, reply with:"), f"club {club.slug} refuse {player.username}"),
    ]


def _let_in(club: Club, player: User, reader: User) -> Notice | None:
    if membership(club, reader) is None:
        return None
    return gettext("You belong to the club %(club)s now.") % {"club": club.name}, [
        (gettext("To see its tables, events and news, reply with:"), f"club {club.slug}"),
    ]


def _inherited(club: Club, player: User, reader: User) -> Notice | None:
    member = membership(club, reader)
    if member is None or member.role != Member.Role.OWNER:
        return None
    told = gettext("You are an owner of the club %(club)s now, as nobody else runs it.")
    return told % {"club": club.name}, [
        (gettext("To see its tables, events and news, reply with:"), f"club {club.slug}"),
    ]


_NOTICES = {
    News.INVITED: _invited,
    News.ASKED: _asked,
    News.LET_IN: _let_in,
    News.INHERITED: _inherited,
}


def club_address(club: Club) -> str:
    """The address to which its members write."""
    return f"club-{club.slug}@{domain_of(settings.PLAY_ADDRESS)}"


def _wants(message: OutboxMessage, club: Club, mode: Member.ListMode) -> bool:
    member = membership(club, message.user) if message.user else None
    return member is not None and member.list_mode == mode


def _name(post: Post) -> str:
    return post.author.username if post.author else gettext("a former member")


def _write(message: OutboxMessage, club: Club, subject: str, posts: Sequence[Post]) -> Content:
    assert message.user is not None
    said = [
        {
            "by": _name(post),
            "subject": post.subject if len(posts) > 1 else "",
            "lines": post.text.splitlines(),
            "quoted": quote_lines(post.text),
        }
        for post in posts
    ]
    context = {
        "club": club,
        "said": said,
        "reader": message.user,
        "subject": subject,
        "lead": end_sentence(subject),
        "preview": end_sentence(subject),
        "modes": [
            (say % {"address": settings.PLAY_ADDRESS}, line, mailto(settings.PLAY_ADDRESS, line, line))
            for say, line in (
                (gettext("For one mail a day, write to %(address)s:"), f"club {club.slug} mail digest"),
                (gettext("For none, write to %(address)s:"), f"club {club.slug} mail off"),
            )
        ],
        "site_url": settings.SITE_URL,
        "url": settings.SITE_URL + reverse("club", args=[club.slug]),
    }
    return Content(
        subject=f"[{club.name}] {subject}",
        text=tidy(render_to_string("emails/club_mail.txt", context)),
        html=render_to_string("emails/club_mail.html", context),
        reply_to=club_address(club),
        headers={
            "List-Id": f"<{club.slug}.club.{settings.MAIL_DOMAIN}>",
            "List-Post": f"<mailto:{club_address(club)}>",
        },
        category=f"{CLUB}{club.slug}",
    )
