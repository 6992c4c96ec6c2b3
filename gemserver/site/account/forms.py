"""Forms about a player's account: sign-up, codes, passwords, profile, erasure."""

from __future__ import annotations

from secrets import token_hex
from typing import Any
from zoneinfo import available_timezones

from allauth.account.adapter import get_adapter
from allauth.account.forms import (
    AddEmailForm,
    ConfirmEmailVerificationCodeForm,
    ConfirmLoginCodeForm,
    LoginForm,
    RequestLoginCodeForm,
    ResetPasswordForm,
    SignupForm,
    default_token_generator,
)
from allauth.account.internal.stagekit import unstash_login
from allauth.account.models import EmailAddress
from allauth.core import context
from django import forms
from django.conf import settings
from django.contrib.auth import password_validation
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gemserver.accounts.backends import account_at
from gemserver.accounts.models import User
from gemserver.accounts.names import LONGEST, validate_name
from gemserver.archive.naming import set_named
from gemserver.matches.actions.people.rename import rename
from gemserver.matches.actions.people.set_language import set_language
from gemserver.site.account import attempts, sign_up


class SignUpForm(SignupForm):  # type: ignore[misc]
    """allauth's form with address, name and perhaps a password; `zone.js` adds the browser's time zone."""

    time_zone = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = _("Name")
        self.fields["username"].help_text = _("What the other players call you.")
        self.fields["email"].label = _("Mail address")
        self.fields["email"].help_text = _("Nobody else gets to see it.")
        password = self.fields["password1"]
        password.label = _("Password, if you want one")
        password.help_text = " ".join(
            [
                _("Without one, a code by mail signs you in each time."),
                *password_validation.password_validators_help_texts()[1:2],
            ]
        )

    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        """Save the account; for an address that has one already, do the same work and roll it back.

        So the response time does not reveal which addresses have accounts.
        """
        if self.account_already_exists:
            self._save_in_vain(request)
        saved: tuple[User | None, HttpResponse | None] = super().try_save(request)
        return saved

    def _save_in_vain(self, request: HttpRequest) -> None:
        address, self.account_already_exists = self.cleaned_data["email"], False
        self.cleaned_data["email"] = f"{token_hex(16)}@players.invalid"
        with transaction.atomic():
            _look_up(self.save(request))
            transaction.set_rollback(True)
        request.session.pop(sign_up.SESSION_KEY)
        self.cleaned_data["email"], self.account_already_exists = address, True

    def signup(self, request: HttpRequest, user: User) -> None:
        """Store the browser's time zone, if it exists."""
        if self.cleaned_data["time_zone"] in available_timezones():
            user.time_zone = self.cleaned_data["time_zone"]
            user.save(update_fields=["time_zone"])


def _look_up(user: User) -> None:
    """Repeat allauth's queries between saving an account and mailing its code; `test_same_work` counts them."""
    User.objects.filter(pk=user.pk).first()
    for _number in range(3):
        EmailAddress.objects.filter(user=user).first()


class SignInForm(LoginForm):  # type: ignore[misc]
    """Signs in with a password; its first field says what may stand in it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = _("Name or mail address")
        self.fields["remember"].label = _("Keep me signed in")


class _AsksAddress:
    """Its field `email` has the label that it has in all forms."""

    fields: dict[str, forms.Field]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].label = _("Mail address")


class OtherAddressForm(_AsksAddress, AddEmailForm):  # type: ignore[misc]
    """allauth's form for another address."""


class CodeForm(_AsksAddress, RequestLoginCodeForm):  # type: ignore[misc]
    """allauth's form for requesting a code; it does the same work for known and unknown addresses."""

    def clean_email(self) -> str:
        """Raise ValidationError if too many codes were requested."""
        address: str = self.cleaned_data["email"]
        _count_mail("request_login_code", address)
        self._user = account_at(address)
        return address


class NewPasswordForm(_AsksAddress, ResetPasswordForm):  # type: ignore[misc]
    """Like `CodeForm`, for requesting a link to set a new password."""

    def clean_email(self) -> str:
        """Raise ValidationError if the address is banned, or too many links were requested."""
        address: str = get_adapter().clean_email(self.cleaned_data["email"].lower())
        _count_mail("new_password", address)
        found = account_at(address)
        self.users = [found] if found else []
        return address

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        """Queue the mail; to an address without an account it says that there is none."""
        if not self.users:
            # The same query that a token for an account would make.
            EmailAddress.objects.filter(user_id=0, email=self.cleaned_data["email"]).exists()
            default_token_generator.make_token(User(pk=0))
        address: str = super().save(request, **kwargs)
        return address


class _CountedCode:
    """Counts each try before the code is compared: allauth's count stands in the session, which many read at once."""

    expected_code: str | None

    def clean_code(self) -> str:
        """Raise ValidationError for a wrong code, or after too many."""
        request = context.request
        key = f"{request.session.session_key} {self.expected_code}"
        if attempts.consume(request, "code_tried", key) is None:
            raise get_adapter().validation_error("incorrect_code")
        code: str = super().clean_code()  # type: ignore[misc]
        return code


class SignInCodeForm(_CountedCode, ConfirmLoginCodeForm):  # type: ignore[misc]
    """For the code that signs in."""

    def clean_code(self) -> str:
        """Raise ValidationError too if the address that got the code is no longer the account's.

        allauth would take the address back, and whoever reads the mail there could prove it anew.
        """
        code = super().clean_code()
        login = unstash_login(context.request, peek=True)
        if login is None or login.user is None or account_at(login.email or "") != login.user:
            raise get_adapter().validation_error("incorrect_code")
        return code


class AddressCodeForm(_CountedCode, ConfirmEmailVerificationCodeForm):  # type: ignore[misc]
    """For the code that proves an address."""


def _count_mail(action: str, address: str) -> None:
    if not attempts.may_have_mail(context.request, action, address):
        raise forms.ValidationError(_("Too many mails were asked for. Try again in an hour."))


class ProfileForm(forms.Form):
    """The player's name, language, and whether the open archive names them."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=LONGEST, validators=[validate_name])
    language = forms.ChoiceField(label=gettext_lazy("Language"), choices=lambda: settings.LANGUAGES)
    is_named_in_archive = forms.BooleanField(
        label=gettext_lazy("Name me in the open archive of matches"),
        required=False,
        help_text=gettext_lazy("Otherwise you have a number there, another one each month."),
    )

    def __init__(self, user: User, *args: object, **kwargs: object) -> None:
        self.user = user
        initial = {
            "name": user.username,
            "language": user.language,
            "is_named_in_archive": user.is_named_in_archive,
        }
        super().__init__(*args, initial=initial, **kwargs)  # type: ignore[misc, arg-type]

    def save(self) -> None:
        """Raises Refused(name-taken) if somebody else has the name, in any case; nothing is saved then."""
        rename(self.user, self.cleaned_data["name"])
        self.user.username = self.cleaned_data["name"]
        set_language(self.user, self.cleaned_data["language"])
        if self.cleaned_data["is_named_in_archive"] != self.user.is_named_in_archive:
            set_named(self.user, is_named=self.cleaned_data["is_named_in_archive"])


class EraseForm(forms.Form):
    """Asks for the player's name, so that nobody erases an account by a slip."""

    name = forms.CharField(label=gettext_lazy("Your name, to confirm"), max_length=LONGEST)

    def __init__(self, user: User, *args: object, **kwargs: object) -> None:
        self.user = user
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name.casefold() != self.user.username.casefold():
            raise forms.ValidationError(
                _("This is not your name; write it as it stands at the top of the page.")
            )
        return name
