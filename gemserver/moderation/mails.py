"""Mails from moderators to people."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.translation import gettext

from gemserver.accounts.models import Ban
from gemserver.lib import signing
from gemserver.lib.text import tidy
from gemserver.notify.content import Content
from gemserver.notify.models import OutboxMessage
from gemserver.notify.outbox import tell


def tell_banned(ban: Ban, *, now: datetime) -> None:
    """Queue the mail that says why the account is banned, to a bot's owner; nothing for the ban of an address."""
    if ban.user is None:
        return
    reader = ban.user.owner or ban.user
    tell(
        reader,
        "banned",
        thread=f"ban:{ban.pk}",
        data={"ban": ban.pk},
        dedup_key=f"banned:{ban.pk}",
        message_id=f"<b.{ban.pk}.{signing.mac('ban', ban.pk)}@{settings.MAIL_DOMAIN}>",
        now=now,
        to=reader.mail_address(),
    )


def banned(message: OutboxMessage) -> Content | None:
    """The account is banned: why, and how to appeal; None once the ban is lifted."""
    ban = Ban.objects.filter(pk=message.data["ban"], lifted_at=None).first()
    if ban is None:
        return None
    bot = ban.user.username if ban.user and ban.user.is_bot else ""
    context = {"note": ban.note, "bot": bot}
    return Content(
        subject=gettext("Your bot %(name)s is shut") % {"name": bot}
        if bot
        else gettext("Your account on the Gem server is shut"),
        text=tidy(render_to_string("emails/banned.txt", context)),
        html=render_to_string("emails/banned.html", context),
        reply_to=settings.PLAY_ADDRESS,
    )
