"""The reply box of the mail room."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

LONGEST_BODY = 200_000


class LetterForm(forms.Form):
    """One mail to be sent."""

    sender = forms.EmailField(label=_("From"), max_length=254)
    to = forms.EmailField(label=_("To"), max_length=254)
    subject = forms.CharField(label=_("Subject"), max_length=200, required=False)
    body = forms.CharField(
        label=_("Text"),
        max_length=LONGEST_BODY,
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 14, "spellcheck": "false", "autocapitalize": "none"}),
    )
