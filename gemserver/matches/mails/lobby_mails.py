"""Mails about tables whose match has not begun."""

from __future__ import annotations

from collections.abc import Mapping

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext

from gemserver.accounts.models import UnreachableAddress, User
from gemserver.lib.text.plain import end_sentence, tidy
from gemserver.matches import tables
from gemserver.matches.actions.tables.invite import DAY, PER_ADDRESS_AND_DAY
from gemserver.matches.mails.subjects import subject
from gemserver.matches.models import Invitation, Match
from gemserver.matches.selectors import know_each_other
from gemserver.matches.words.clocks import clock_terms, list_terms
from gemserver.notify.content import DEAD, Content, Gone
from gemserver.notify.models import OutboxMessage

LONGEST_NAME = 40


def invitation(message: OutboxMessage) -> Content | None:
    """An invitation to a table. The inviter's name is the only text of theirs in it (mail-requirements.md L9).

    None once it is answered, withdrawn or too late, and for readers who want no such mail or have had enough of them.
    """
    offered = (
        Invitation.objects.select_related("match", "invited_by").filter(pk=message.data["invitation"]).first()
    )
    if offered is None or offered.state != Invitation.State.OPEN or not offered.match.is_open:
        return None
    unreachable = UnreachableAddress.objects.filter(address=offered.address)
    if unreachable.exists() or _has_had_enough(offered, message.user):
        return None
    if message.user and not _is_news(offered, message.user):
        return None
    # Nobody has told us the language of a stranger; who knows them most likely shares it.
    host = offered.invited_by
    language = host.language if host and not message.user else translation.get_language()
    with translation.override(language):
        return _invite(offered, message.user)


def _invite(offered: Invitation, reader: User | None) -> Content:
    url = settings.SITE_URL + reverse("invitation", args=[offered.pk, offered.token])
    stop_url = settings.SITE_URL + reverse("invitation-stop", args=[offered.pk, offered.token])
    host = _shown_name(offered.invited_by)
    return _write(
        gettext("%(name)s invites you to a table") % {"name": host},
        "invitation",
        offered.match,
        reader,
        {"List-Unsubscribe": f"<{stop_url}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"},
        host=host,
        taken=offered.match.seats.count(),
        terms=clock_terms(offered.match),
        url=url,
        stop_url=stop_url,
    )


def _has_had_enough(offered: Invitation, reader: User | None) -> bool:
    """True if the address was invited to this table before, or too often in a day, by name or as an address.

    A player whom the reader knows is not silenced by what others have sent.
    """
    earlier = Invitation.objects.filter(address=offered.address, pk__lt=offered.pk)
    if earlier.filter(match=offered.match).exists():
        return True
    if reader and offered.invited_by and know_each_other(reader, offered.invited_by):
        return False
    return earlier.filter(created_at__gt=offered.created_at - DAY).count() >= PER_ADDRESS_AND_DAY


def _is_news(offered: Invitation, reader: User) -> bool:
    """True if the invited player wants this mail and has had none about this table."""
    if reader.mail_mode == User.MailMode.OFF:
        return False  # it stands on their first page
    others = tables.invitations_to(reader).filter(match=offered.match, pk__lt=offered.pk)
    return tables.open_invitations(reader).filter(pk=offered.pk).exists() and not others.exists()


def cancelled(message: OutboxMessage) -> Content:
    """The reader's table was called off, or has ended as nothing changed there (`waited`: for so many days).

    Raises Gone when its host, a guest, has been taken away with it.
    """
    match = Match.objects.filter(pk=message.data["match"]).first()
    if match is None:
        raise Gone(f"match {message.data['match']}")
    return _write(
        gettext("The table was cancelled"),
        "cancelled",
        match,
        message.user,
        {},
        waited=message.data.get("waited"),
        again=f"new {match.game} seats {match.seat_count}" if match.is_offered else "",
        deal_url=settings.SITE_URL + reverse("match-deal", args=[match.code]),
        dead_channels=message.data.get(DEAD, ()),
        channels_url=settings.SITE_URL + reverse("channels"),
    )


def terms_changed(message: OutboxMessage) -> Content | None:
    """The terms as they are now, and how to agree or leave; None once the reader has done either, or it has begun."""
    match = Match.objects.filter(pk=message.data["match"]).first()
    asked = match and match.is_open and match.seats.filter(user=message.user, has_agreed=False).first()
    if match is None or not asked:
        return None
    return _write(
        gettext("The terms of the table have changed"),
        "terms_changed",
        match,
        message.user,
        {},
        terms=list_terms(match),
        url=settings.SITE_URL + match.get_absolute_url(),
    )


def removed(message: OutboxMessage) -> Content | None:
    """The host has removed the reader from the table; None where they sit again. Raises Gone as `cancelled` does."""
    match = Match.objects.filter(pk=message.data["match"]).first()
    if match is None:
        raise Gone(f"match {message.data['match']}")
    if match.seats.filter(user=message.user).exists():
        return None
    return _write(gettext("You do not sit at the table any more"), "removed", match, message.user, {})


def _write(
    about: str, kind: str, match: Match, reader: User | None, headers: Mapping[str, str], **more: object
) -> Content:
    context = {
        "match": match,
        "reader": reader,
        "site_url": settings.SITE_URL,
        "lead": end_sentence(about),
        "preview": end_sentence(about),
        **more,
    }
    return Content(
        subject=subject(match, about),
        text=tidy(render_to_string(f"emails/{kind}.txt", context)),
        html=render_to_string(f"emails/{kind}.html", context),
        reply_to=settings.ACCOUNT_REPLY.format(token=reader.token) if reader else settings.PLAY_ADDRESS,
        headers={"List-Id": f"<{match.game}-{match.code.lower()}.{settings.MAIL_DOMAIN}>", **headers},
    )


def _shown_name(user: User | None) -> str:
    """The inviter's name, unless it is so long that it could be a message, or mail programs could make it a link."""
    if user is None or len(user.username) > LONGEST_NAME or set(user.username) & {".", "@"}:
        return gettext("A player")
    return user.shown_name
