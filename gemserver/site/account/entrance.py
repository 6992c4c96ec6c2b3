"""The account adapter, which answers allauth's questions about signing up and signing in."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, ClassVar

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.internal.flows.login import get_authentication_records
from allauth.account.models import EmailAddress
from allauth.core import context as allauth_context
from allauth.core.internal.ratelimit import RateLimitUsage
from allauth.core.ratelimit import clear
from django.conf import settings
from django.contrib.sites.shortcuts import get_current_site
from django.core.exceptions import ValidationError
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.utils.translation import gettext, gettext_lazy

from gemserver.accounts.addresses import owner_of
from gemserver.accounts.bans import ban_of, ban_of_address
from gemserver.accounts.guests import become_player, guest_of
from gemserver.accounts.models import User
from gemserver.accounts.name_search import is_taken
from gemserver.accounts.newcomers import known_language
from gemserver.lib import clock
from gemserver.lib.text.mail_address import comparable
from gemserver.lib.web.client_address import client_address
from gemserver.matches.actions.seats.take_along import take_along
from gemserver.notify.account_mail import queue
from gemserver.site.account import attempts, sign_up

SIGNED_IN_AT = "signed_in_at"
"""Session key: the instant of the sign-in, in seconds since 1970."""
LATELY = timedelta(minutes=15)


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Queues mails in the outbox, lets a guest who signs up keep account and matches, and keeps banned people out."""

    error_messages: ClassVar = DefaultAccountAdapter.error_messages | {
        "incorrect_code": gettext_lazy(
            "This is not the code of our newest mail. Copy it from there, or ask for a new one below."
        ),
        **dict.fromkeys(
            ("username_password_mismatch", "email_password_mismatch"),
            gettext_lazy(
                "Name or address and password do not belong together. A code by mail signs you in without one."
            ),
        ),
        "username_taken": gettext_lazy(
            "Somebody has this name already, or one that looks the same; choose another. If it is you, sign in: a "
            "code by mail is enough."
        ),
    }

    def new_user(self, request: HttpRequest) -> User:
        """The guest of this session, if there is one, so that the account keeps the guest's matches."""
        guest = guest_of(request)
        if guest is not None:
            become_player(guest, clock.now())
        return guest or User(language=known_language(translation.get_language() or ""))

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """The name, if it is good and nobody is called so or has one that passes for it; else a ValidationError."""
        cleaned: str = super().clean_username(username, shallow)
        if not shallow and is_taken(cleaned):
            raise self.validation_error("username_taken")
        return cleaned

    def save_user(self, request: HttpRequest, user: User, form: Form, commit: bool = True) -> User:
        """Save the new account, and let this session start over as long as nothing is confirmed."""
        saved: User = super().save_user(request, user, form, commit)
        if commit:
            sign_up.remember(request, saved)
        return saved

    def get_client_ip(self, request: HttpRequest) -> str:
        """The client's address, for the limits by address and the list of sessions."""
        return client_address(request)

    def get_login_stages(self) -> list[str]:
        """The steps of a sign-in; none asks for a passkey, so that a lost device keeps nobody out."""
        return [
            stage for stage in super().get_login_stages() if stage != "allauth.mfa.stages.AuthenticateStage"
        ]

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Raise ValidationError after too many wrong passwords; it names the way in that is still open.

        A right password is not counted: `authenticate` takes back the usage stored in `_login_failed_rl_usage`.
        """
        asker = _asker(request, credentials)
        usage = attempts.consume(request, "login_failed", asker.key)
        # The ceiling counts only attempts within the asker's own limits, so that nobody fills it alone.
        if usage and not asker.is_known:
            anywhere = attempts.consume(request, "login_failed_anywhere", asker.named)
            usage = RateLimitUsage([*usage.usage, *anywhere.usage]) if anywhere else None
        self._login_failed_rl_usage = usage
        if usage is None:
            raise ValidationError(
                gettext("Too many wrong passwords. Have a code sent to you by mail, or try again in an hour.")
            )

    def _delete_login_attempts_cached_email(self, request: HttpRequest, **credentials: Any) -> None:
        """Forget wrong passwords for an address whose owner has set a new one by the link in a mail."""
        asker = _asker(request, credentials)
        for action, key in (("login_failed", asker.key), ("login_failed_anywhere", asker.named)):
            clear(request, action=action, key=key)

    def can_delete_email(self, email_address: EmailAddress) -> bool:
        """Not the last confirmed one, where turns and codes for signing in go: without it the account is lost."""
        others = EmailAddress.objects.filter(user=email_address.user_id, verified=True)
        is_last = email_address.verified and not others.exclude(pk=email_address.pk).exists()
        return not is_last and bool(super().can_delete_email(email_address))

    def clean_email(self, email: str) -> str:
        """The address in its comparable form; raises ValidationError if it is banned, or mail cannot be sent to it."""
        email = comparable(email)
        if ban := ban_of_address(email):
            raise ValidationError(ban.told)
        if not email.isascii():
            raise ValidationError(
                gettext(
                    "No mail can be sent to this address; use one that has no special letters before the @."
                )
            )
        return str(super().clean_email(email))

    def login(self, request: HttpRequest, user: User) -> None:
        """Sign in, and take over the matches of this session's guest.

        At the very first sign-in, a password that somebody else has chosen is dropped: otherwise people who sign up
        with another's address would keep a key to its owner's account.
        """
        guest = guest_of(request)
        chosen = sign_up.has_asked_for(request, user) or any(
            record["method"] == "password" for record in get_authentication_records(request, user)
        )
        if user.last_login is None and not chosen and not user.is_staff:
            user.set_unusable_password()
            user.save(update_fields=["password"])
        super().login(request, user)
        request.session[SIGNED_IN_AT] = clock.now().timestamp()
        sign_up.forget(request)
        if guest is not None:
            take_along(guest, user, now=clock.now())

    def post_login(self, request: HttpRequest, user: User, **login: Any) -> HttpResponse:
        """Redirect to the next page, and make the browser known to the account."""
        response: HttpResponse = super().post_login(request, user, **login)
        attempts.remember_browser(request, response, user)
        return response

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        """Say why the account is banned and how to appeal; only people who could sign in get here."""
        return render(request, "accounts/banned.html", {"ban": ban_of(user)}, status=403)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Queue allauth's mail in the language of the address's owner; `code` in the context is the code to type.

        It goes to the comparable form of the address, never to another that only looks like it; nothing is queued for
        an address that mail cannot be sent to.
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


def signed_in_lately(request: HttpRequest) -> bool:
    """True if this session has signed in within `LATELY`."""
    since = clock.now().timestamp() - request.session.get(SIGNED_IN_AT, 0)
    return bool(since < LATELY.total_seconds())


def _asker(request: HttpRequest, credentials: Mapping[str, Any]) -> attempts.Asker:
    return attempts.asker_of(request, credentials.get("email") or credentials.get("username") or "")
