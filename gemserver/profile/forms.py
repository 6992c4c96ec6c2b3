"""What players say about themselves."""

from __future__ import annotations

from django import forms
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gemserver.accounts.models import User
from gemserver.accounts.names import LONGEST, validate_name


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
