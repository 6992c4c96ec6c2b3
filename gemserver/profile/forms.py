"""What players say about themselves."""

from __future__ import annotations

from typing import Any
from zoneinfo import available_timezones

from allauth.account.forms import SignupForm
from django import forms
from django.conf import settings
from django.contrib.auth import password_validation
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gemserver.accounts.models import User
from gemserver.accounts.names import LONGEST, validate_name


class SignUpForm(SignupForm):  # type: ignore[misc]
    """allauth's: address, name and perhaps a password; `zone.js` adds the zone of the browser."""

    time_zone = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)
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

    def signup(self, request: HttpRequest, user: User) -> None:
        """Keep the zone of the browser, if there is such a zone."""
        if self.cleaned_data["time_zone"] in available_timezones():
            user.time_zone = self.cleaned_data["time_zone"]
            user.save(update_fields=["time_zone"])


class ProfileForm(forms.Form):
    """Name and language."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=LONGEST, validators=[validate_name])
    language = forms.ChoiceField(label=gettext_lazy("Language"), choices=lambda: settings.LANGUAGES)

    def __init__(self, user: User, *args: object, **kwargs: object) -> None:
        self.user = user
        initial = {"name": user.username, "language": user.language}
        super().__init__(*args, initial=initial, **kwargs)  # type: ignore[misc, arg-type]

    def clean_name(self) -> str:
        """Raises ValidationError when somebody else has the name, in whatever case."""
        name: str = self.cleaned_data["name"]
        if User.objects.filter(username__iexact=name).exclude(pk=self.user.pk).exists():
            raise forms.ValidationError(_("Somebody has this name already; choose another."))
        return name

    def save(self) -> None:
        self.user.username = self.cleaned_data["name"]
        self.user.language = self.cleaned_data["language"]
        self.user.save(update_fields=["username", "language"])


class EraseForm(forms.Form):
    """Typing one's name, so that nobody erases an account by a slip."""

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
