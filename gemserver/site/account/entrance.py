"""How people come in: what allauth asks about signing up and signing in."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.internal.flows.login import get_authentication_records
from allauth.core import context as allauth_context
from django.conf import settings
from django.contrib.sites.shortcuts import get_current_site
from django.core.exceptions import ValidationError
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.utils.translation import gettext

from gemserver.accounts.addresses import owner_of
from gemserver.accounts.bans import ban_of, ban_of_address
from gemserver.accounts.guests import become_player, guest_of
from gemserver.accounts.models import User
from gemserver.accounts.newcomers import known_language
from gemserver.lib import clock
from gemserver.lib.client_address import client_address
from gemserver.lib.mail_address import comparable
from gemserver.matches.actions.seats.take_along import take_along
from gemserver.notify.account_mail import queue
from gemserver.site.account import sign_up


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Mails go into the outbox; a guest who signs up stays the same, with the matches; the shut out stay out."""

    def new_user(self, request: HttpRequest) -> User:
        """The guest of this session, if there is one, so that what was played stays with the account."""
        guest = guest_of(request)
        if guest is not None:
            become_player(guest, clock.now())
        return guest or User(language=known_language(translation.get_language() or ""))

    def save_user(self, request: HttpRequest, user: User, form: Form, commit: bool = True) -> User:
        """Save who signs up, and let their session begin again while nothing is confirmed."""
        saved: User = super().save_user(request, user, form, commit)
        if commit:
            sign_up.remember(request, saved)
        return saved

    def get_client_ip(self, request: HttpRequest) -> str:
        """Who asks, for the limits by address and the list of sessions."""
        return client_address(request)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Raises ValidationError after too many wrong passwords, and names the way in that they leave open."""
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError:
            raise ValidationError(
                gettext(
                    "Too many wrong passwords. Try again in five minutes, or have a code sent to you by mail."
                )
            ) from None

    def clean_email(self, email: str) -> str:
        """The address in its comparable form; raises ValidationError where it is shut out, or cannot be written to."""
        email = comparable(email)
        if ban := ban_of_address(email):
            raise ValidationError(ban.note)
        if not email.isascii():
            raise ValidationError(
                gettext(
                    "No mail can be sent to this address; use one that has no special letters before the @."
                )
            )
        return str(super().clean_email(email))

    def login(self, request: HttpRequest, user: User) -> None:
        """Sign in, and bring along what was played as a guest of this session.

        At the very first time a password is dropped that somebody else has chosen: whoever signs up with an address
        that is not theirs would otherwise keep a key to its owner's account.
        """
        guest = guest_of(request)
        chosen = sign_up.has_asked_for(request, user) or any(
            record["method"] == "password" for record in get_authentication_records(request, user)
        )
        if user.last_login is None and not chosen and not user.is_staff:
            user.set_unusable_password()
            user.save(update_fields=["password"])
        super().login(request, user)
        sign_up.forget(request)
        if guest is not None:
            take_along(guest, user, now=clock.now())

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        """Why the account is shut, and how to appeal; only somebody who could sign in gets here."""
        return render(request, "accounts/banned.html", {"ban": ban_of(user)}, status=403)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Queue allauth's mail, in the language of whose address it is; `code` in the context is what they type.

        It goes to the comparable form of the address, never to another that only looks like it; nothing is queued
        for one that cannot be written to.
        """
        address = comparable(email)
        if not address.isascii():
            return
        request = allauth_context.request
        known = {"request": request, "email": email, "current_site": get_current_site(request)}
        known |= {"site_url": settings.SITE_URL, **context}
        owner = owner_of(address)
        with translation.override(owner.language if owner else translation.get_language()):
            mail = self.render_mail(template_prefix, email, known)
            queue(str(mail.subject), str(mail.body), context.get("code", ""), to=address, now=clock.now())
