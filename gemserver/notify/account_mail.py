"""Mails about an account (codes, log-in, password), sent through the outbox like all others.

So nobody who signs up sees that a relay is down, and the mail room shows these mails too.
"""

from __future__ import annotations

from datetime import datetime
from secrets import token_hex

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.translation import get_language, override

from gemserver.lib.text.plain import tidy
from gemserver.notify.content import Content
from gemserver.notify.models import OutboxMessage
from gemserver.notify.outbox import tell

KIND = "account"


def queue(subject: str, text: str, code: str, *, to: str, now: datetime) -> None:
    """Queue a mail that is already written. It may hold a code or link for its reader alone: it is kept as `secret`."""
    name = token_hex(16)
    tell(
        None,
        KIND,
        thread=KIND,
        data={"secret": {"subject": subject, "text": text, "code": code, "language": get_language()}},
        dedup_key=f"{KIND}:{name}",
        message_id=f"<c.{name}@{settings.MAIL_DOMAIN}>",
        now=now,
        to=to,
    )


def account(message: OutboxMessage) -> Content | None:
    """The mail as it was queued, with its code in large type; None once its secret is gone."""
    secret = message.data.get("secret")
    if secret is None:
        return None
    text, code = secret["text"].strip(), secret.get("code", "")
    before, _, after = text.partition(code) if code else (text, "", "")
    parts = {"subject": secret["subject"], "before": before, "code": code, "after": after}
    with override(secret.get("language") or settings.LANGUAGE_CODE):
        html = render_to_string("emails/account.html", parts)
    return Content(subject=secret["subject"], text=tidy(text), html=html, reply_to=settings.PLAY_ADDRESS)
