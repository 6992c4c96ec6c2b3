"""Mails of a club to its members: new mails of the server, with nothing in them but what a member has typed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext

from gemserver.clubs.models import Club, Member, Post
from gemserver.clubs.selectors import membership
from gemserver.lib.mail_address import domain_of
from gemserver.lib.text import end_sentence, tidy
from gemserver.matches.actions.clubs.post_to_list import CLUB, DAY
from gemserver.notify.content import Content
from gemserver.notify.models import OutboxMessage


def club_mail(message: OutboxMessage) -> Content | None:
    """One member's mail; None for a reader who has left or wants none of it any more."""
    post = Post.objects.select_related("club", "author").filter(pk=message.data["post"]).first()
    if post is None or not _wants(message, post.club, Member.ListMode.EACH):
        return None
    author = _name(post)
    subject = post.subject or gettext("A mail of %(name)s") % {"name": author}
    return _write(message, post.club, subject, [post])


def club_digest(message: OutboxMessage) -> Content | None:
    """The mails of a day to a member who wants them together; None if there are none."""
    club = Club.objects.filter(pk=message.data["club"]).first()
    if club is None or not _wants(message, club, Member.ListMode.DIGEST):
        return None
    until = datetime.fromisoformat(message.data["until"])
    posts = club.posts.filter(posted_at__gt=until - DAY, posted_at__lte=until).exclude(author=message.user)
    found = list(posts.select_related("author").order_by("pk"))
    return _write(message, club, gettext("What was written today"), found) if found else None


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
        "address": club_address(club),
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
