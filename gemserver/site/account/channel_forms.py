"""Forms for channels; they check shape only, the actions decide what is allowed."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from gemserver.lib.outbound import LONGEST_URL
from gemserver.matches.actions.people.add_channel import LONGEST_NAME, LONGEST_TOKEN
from gemserver.notify.models import Channel

_ONE_WORD = {"autocomplete": "off", "spellcheck": "false", "autocapitalize": "off"}

_BROWSERS = (
    *(("Edg", "Edge"), ("OPR", "Opera"), ("SamsungBrowser", "Samsung"), ("Firefox", "Firefox")),
    *(("Chrome", "Chrome"), ("Safari", "Safari")),
)
_SYSTEMS = (
    *(("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows")),
    *(("Mac OS X", "macOS"), ("Linux", "Linux")),
)


class HookForm(forms.Form):
    """A new hook: kind, name, address, and what some kinds need."""

    kind = forms.ChoiceField(
        label=_("Kind"), choices=[each for each in Channel.Kind.choices if each[0] != Channel.Kind.WEB_PUSH]
    )
    name = forms.CharField(label=_("Name, such as “club”"), max_length=LONGEST_NAME)
    url = forms.CharField(
        label=_("Address"),
        max_length=LONGEST_URL,
        widget=forms.TextInput({**_ONE_WORD, "inputmode": "url"}),
        help_text=_(
            "The webhook's address; for ntfy that of the topic, for a Matrix room that of its server. It is kept "
            "encrypted, and shown to nobody again."
        ),
    )
    room = forms.CharField(
        label=_("Matrix: room, as in !abc:example.org"),
        required=False,
        max_length=LONGEST_TOKEN,
        widget=forms.TextInput(_ONE_WORD),
    )
    token = forms.CharField(
        label=_("Matrix and ntfy: access token, if one is needed"),
        required=False,
        max_length=LONGEST_TOKEN,
        widget=forms.PasswordInput(_ONE_WORD),
    )
    holds_mail = forms.BooleanField(
        label=_("Webhook: send the whole text of the mail, with what only I may know"),
        required=False,
    )


class DeviceForm(forms.Form):
    """The subscription that `push.js` got from the browser."""

    endpoint = forms.CharField(max_length=LONGEST_URL)
    point = forms.CharField(max_length=200)
    auth = forms.CharField(max_length=100)
    vapid = forms.CharField(max_length=200)


def name_device(user_agent: str) -> str:
    """Name a device after its browser and system: `Firefox, Android`."""
    found = [
        next((name for word, name in known if word in user_agent), "") for known in (_BROWSERS, _SYSTEMS)
    ]
    return ", ".join(filter(None, found)) or "Browser"
