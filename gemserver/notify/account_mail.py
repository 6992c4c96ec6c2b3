"""Mails of allauth (confirmation, log-in codes, password reset) through the outbox, like all others.

So a relay that is down is never shown to who signs up, and the mail room shows them too.
"""

from __future__ import annotations

from secrets import token_hex
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context as allauth_context
from django.conf import settings
from django.contrib.sites.shortcuts import get_current_site
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from gemserver.accounts.bans import ban_of, ban_of_address
from gemserver.accounts.guests import become_player, guest_of
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.lib.text import tidy
from gemserver.notify.content import Content
from gemserver.notify.models import OutboxMessage
from gemserver.notify.outbox import tell

KIND = "account"


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Writes mails into the outbox instead of sending them within the request; a guest who signs up stays the same."""

    def new_user(self, request: HttpRequest) -> User:
        """The guest of this session, if there is one, so that what was played stays with the account."""
        guest = guest_of(request)
        if guest is not None:
            become_player(guest, clock.now())
        return guest or User()

    def clean_email(self, email: str) -> str:
        """Raises ValidationError for an address that is shut out, with what its owner is to be told."""
        if ban := ban_of_address(email):
            raise ValidationError(ban.note)
        return str(super().clean_email(email))

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        """Why the account is shut, and how to appeal; only somebody who could sign in gets here."""
        return render(request, "accounts/banned.html", {"ban": ban_of(user)}, status=403)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Queue allauth's mail. Its text holds a code or link that nobody else may know, hence `secret`."""
        request = allauth_context.request
        mail = self.render_mail(
            template_prefix,
            email,
            {"request": request, "email": email, "current_site": get_current_site(request), **context},
        )
        name = token_hex(16)
        tell(
            None,
            KIND,
            thread=KIND,
            data={"secret": {"subject": mail.subject, "text": mail.body}},
            dedup_key=f"{KIND}:{name}",
            message_id=f"<c.{name}@{settings.MAIL_DOMAIN}>",
            now=clock.now(),
            to=email,
        )


def account(message: OutboxMessage) -> Content | None:
    """The mail as allauth wrote it; None once its secret is gone."""
    secret = message.data.get("secret")
    if secret is None:
        return None
    return Content(
        subject=secret["subject"],
        text=tidy(secret["text"]),
        html=render_to_string("emails/account.html", secret),
        reply_to=settings.PLAY_ADDRESS,
    )
