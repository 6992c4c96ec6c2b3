"""Mails from moderators to people."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from gemserver.accounts.models import Ban, Mute, User
from gemserver.clubs.models import Club
from gemserver.events.models import Event
from gemserver.lib import clock, signing
from gemserver.lib.text.plain import quote_lines, tidy
from gemserver.matches.models import Match, Seat
from gemserver.notify.content import Content
from gemserver.notify.models import OutboxMessage
from gemserver.notify.outbox import tell


def tell_banned(ban: Ban, *, now: datetime) -> None:
    """Queue the mail that says why the account is banned, to a bot's owner; nothing for the ban of an address."""
    if ban.user is not None:
        _tell_person(ban.user, "banned", "ban", ban, signing.mac("ban", ban.pk), now)


def tell_reopened(ban: Ban, *, now: datetime) -> None:
    """Queue the mail that says that the account is open again; nothing for the ban of an address."""
    if ban.user is not None:
        _tell_person(ban.user, "reopened", "ban", ban, signing.mac("reopened", ban.pk), now)


def tell_muted(mute: Mute, *, now: datetime) -> None:
    """Queue the mail that says why the player may write nothing to others, and until when; to a bot's owner."""
    _tell_person(mute.user, "muted", "mute", mute, signing.mac("muted", mute.pk), now)


_IN_MESSAGE_ID = {"banned": "b", "reopened": "o", "muted": "m"}


def _tell_person(user: User, kind: str, about: str, row: Ban | Mute, proof: str, now: datetime) -> None:
    reader = user.owner or user
    tell(
        reader,
        kind,
        thread=f"{about}:{row.pk}",
        data={about: row.pk},
        dedup_key=f"{kind}:{row.pk}",
        message_id=f"<{_IN_MESSAGE_ID[kind]}.{row.pk}.{proof}@{settings.MAIL_DOMAIN}>",
        now=now,
        to=reader.mail_address(),
    )


def muted(message: OutboxMessage) -> Content | None:
    """The reader may write nothing to others for a while: why, and how to appeal; None once that is over."""
    mute = Mute.objects.select_related("user").filter(pk=message.data["mute"], lifted_at=None).first()
    if mute is None or mute.until <= clock.now():
        return None
    subject = gettext("For a while you can write nothing to others")
    if mute.user != message.user:
        subject = gettext("For a while your bot %(name)s can write nothing to others") % {
            "name": mute.user.shown_name
        }
    context = {"note": mute.note, "subject": subject, "until": mute.until}
    return Content(
        subject=subject,
        text=tidy(render_to_string("emails/muted.txt", context)),
        html=render_to_string("emails/muted.html", context),
        reply_to=settings.PLAY_ADDRESS,
    )


def tell_cleared(
    reader: User, about: str, parts: Sequence[str], note: str, *, request_key: str, now: datetime
) -> None:
    """Queue the mail that says what moderators took away of a club's or an event's words (`club:12`, `event:3`)."""
    parts_of = (about, reader.pk, sha256(request_key.encode()).hexdigest()[:16])
    name = ".".join(map(str, parts_of)).replace(":", "-")
    tell(
        reader,
        "cleared",
        thread=f"cleared:{about}",
        data={"about": about, "parts": list(parts), "note": note},
        dedup_key=f"cleared:{name}",
        message_id=f"<t.{name}.{signing.mac('cleared', *parts_of)}@{settings.MAIL_DOMAIN}>",
        now=now,
    )


def cleared(message: OutboxMessage) -> Content | None:
    """Moderators have taken words of the reader's club or event away: which, why, and what is left."""
    kind, _colon, key = message.data["about"].partition(":")
    found = (Club if kind == "club" else Event).objects.filter(pk=key).first()
    if found is None or message.user is None:
        return None
    context = {
        "is_club": kind == "club",
        "name": found.name,
        "parts": [gettext(PARTS[kind, part]) for part in message.data["parts"]],
        "note": quote_lines(message.data["note"]),
        "url": settings.SITE_URL + reverse(kind, args=[found.slug]),
    }
    news = gettext("Texts were taken away")
    return Content(
        subject=f"[{news}] {found.name}",
        text=tidy(render_to_string("emails/cleared.txt", context)),
        html=render_to_string("emails/cleared.html", {**context, "subject": news}),
        reply_to=settings.PLAY_ADDRESS,
    )


PARTS = {
    ("club", "name"): gettext_noop("the name and the short name; its number stands for them"),
    ("club", "about"): gettext_noop("the description"),
    ("club", "news"): gettext_noop("all news"),
    ("club", "listing"): gettext_noop("its place in the list: it becomes private for good"),
    ("event", "name"): gettext_noop("the name and the short name; its number stands for them"),
    ("event", "about"): gettext_noop("the description"),
    ("event", "reasons"): gettext_noop("all reasons that its organisers gave"),
}
"""The texts that moderators may take away, by kind and part."""


def banned(message: OutboxMessage) -> Content | None:
    """The account is banned: why, and how to appeal; None once the ban is lifted."""
    ban = Ban.objects.filter(pk=message.data["ban"], lifted_at=None).first()
    if ban is None:
        return None
    bot = _name_bot(ban)
    context = {"note": ban.told, "bot": bot}
    return Content(
        subject=gettext("Your bot %(name)s is shut") % {"name": bot}
        if bot
        else gettext("Your account on the Gem server is shut"),
        text=tidy(render_to_string("emails/banned.txt", context)),
        html=render_to_string("emails/banned.html", context),
        reply_to=settings.PLAY_ADDRESS,
    )


def reopened(message: OutboxMessage) -> Content | None:
    """The account is open again: where it is its turn; None if it is shut anew."""
    ban = Ban.objects.exclude(lifted_at=None).filter(pk=message.data["ban"], user__is_active=True).first()
    if ban is None:
        return None
    bot = _name_bot(ban)
    subject = (
        gettext("Your bot %(name)s is open again") % {"name": bot}
        if bot
        else gettext("Your account on the Gem server is open again")
    )
    seats = Seat.objects.filter(user=ban.user, is_waiting=True, match__status=Match.Status.RUNNING)
    matches = [seat.match for seat in seats.select_related("match").order_by("match")]
    waiting = [
        {
            "name": f"{match.title} {match.code}",
            "url": settings.SITE_URL + reverse("match", args=[match.code]),
        }
        for match in ([] if bot else matches)
    ]
    context = {"bot": bot, "subject": subject, "waiting": waiting}
    return Content(
        subject=subject,
        text=tidy(render_to_string("emails/reopened.txt", context)),
        html=render_to_string("emails/reopened.html", context),
        reply_to=settings.PLAY_ADDRESS,
    )


def _name_bot(ban: Ban) -> str:
    return ban.user.username if ban.user and ban.user.is_bot else ""
