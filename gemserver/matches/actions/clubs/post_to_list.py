"""Send a member's words to the other members of a club, and choose how they come."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from zlib import crc32

from django.conf import settings
from django.db import transaction

from gemserver.accounts.blocks import blocked_with
from gemserver.accounts.models import User
from gemserver.clubs.models import Club, Member, Post
from gemserver.lib import signing
from gemserver.matches.clubs.clubs import lock_club, require_member_of
from gemserver.matches.refusal import Refused
from gemserver.matches.voice import require_voice
from gemserver.notify.models import OutboxMessage
from gemserver.notify.outbox import draft, queue

LONGEST = 10_000
PER_MEMBER_AND_DAY = 20
PER_CLUB_AND_DAY = 60
KIND, DIGEST = "club-mail", "club-digest"
CLUB = "club-"
"""Begins the category of mail that a club's unsubscribe link stops; its short name follows."""
USUAL_HOUR = time(18)
"""When a digest goes out in its reader's zone, unless they have chosen an hour for their turns."""
DAY = timedelta(days=1)


def post_to_list(club_id: int, by: User, subject: str, text: str, *, key: str, now: datetime) -> Post:
    """Queue a mail to every other member; the same `key` is posted once.

    No mail goes between two of whom one has blocked the other, nor to an address from which mail comes back.
    Raises Refused(no-such-club, club-closed, not-a-member, nothing-said, too-long, too-many-mails, muted).
    """
    text = text.strip()
    with transaction.atomic():
        club = lock_club(club_id, by)
        require_member_of(club, by)
        if known := Post.objects.filter(key=key).first():
            return known
        _check(club, by, text, now)
        require_voice(by, now)
        post = Post.objects.create(
            club=club, author=by, subject=subject[:200], text=text, key=key, posted_at=now
        )
        members = club.members.select_related("user").exclude(user=by).exclude(list_mode=Member.ListMode.OFF)
        unwelcome = blocked_with(by)
        mails = [_draft(post, member, now) for member in members if member.user_id not in unwelcome]
        queue([mail for mail in mails if mail])
    return post


def _check(club: Club, by: User, text: str, now: datetime) -> None:
    if not text:
        raise Refused(
            "nothing-said",
            "There are no new words of yours in this mail; nothing went to {name}.",
            name=club.name,
        )
    if len(text) > LONGEST:
        raise Refused("too-long", "A mail to a club has at most {most} letters; shorten yours.", most=LONGEST)
    lately = club.posts.filter(posted_at__gt=now - DAY)
    if lately.count() >= PER_CLUB_AND_DAY or lately.filter(author=by).count() >= PER_MEMBER_AND_DAY:
        raise Refused(
            "too-many-mails",
            "{most} mails a day go to a club, and {own} from one member; write again tomorrow.",
            most=PER_CLUB_AND_DAY,
            own=PER_MEMBER_AND_DAY,
        )


def _draft(post: Post, member: Member, now: datetime) -> OutboxMessage | None:
    """The mail to this member, or their digest, which is queued once for all posts of a day."""
    user = member.user
    address = None if user.mail_mode == User.MailMode.OFF else user.mail_address()
    if address is None:
        return None
    if member.list_mode == Member.ListMode.DIGEST:
        due = _next_digest(user, now)
        parts = (post.club_id, user.pk, int(due.timestamp()))
        name, data, kind = "cd", {"club": post.club_id, "until": due.isoformat()}, DIGEST
    else:
        due, parts = now, (post.pk, user.pk, 0)
        name, data, kind = "cm", {"club": post.club_id, "post": post.pk}, KIND
    number = ".".join(map(str, parts))
    return draft(
        user,
        kind,
        thread=f"club:{post.club_id}:{crc32(post.subject.casefold().encode())}",
        data=data,
        dedup_key=f"{kind}:{number}",
        message_id=f"<{name}.{number}.{signing.mac(name, *parts)}@{settings.MAIL_DOMAIN}>",
        now=now,
        to=address,
        not_before=due,
    )


def _next_digest(user: User, now: datetime) -> datetime:
    local = now.astimezone(user.zone)
    due = datetime.combine(local.date(), user.digest_at or USUAL_HOUR, tzinfo=user.zone)
    return (
        due
        if due > now
        else datetime.combine(local.date() + DAY, user.digest_at or USUAL_HOUR, tzinfo=user.zone)
    )


def set_list_mode(club_id: int, user: User, mode: Member.ListMode) -> Member:
    """Choose how the club's mail comes to this member. Raises Refused(no-such-club, not-a-member)."""
    with transaction.atomic():
        member = require_member_of(Club.objects.get(pk=club_id), user)
        member.list_mode = mode
        member.save(update_fields=["list_mode"])
    return member


def stop_list(user: User, slug: str) -> None:
    """Send no more mail of this club to the user, by the link in it; twice changes nothing."""
    Member.objects.filter(club__slug=slug, user=user).update(list_mode=Member.ListMode.OFF)
