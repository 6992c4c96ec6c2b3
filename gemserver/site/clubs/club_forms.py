"""Forms about clubs; they check shape only, the actions decide what is allowed."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.names import LONGEST
from gemserver.matches.actions.clubs.open_club import LONGEST_ABOUT, LONGEST_SLUG


class ClubForm(forms.Form):
    """A club's texts about itself, and its terms of coming in."""

    name = forms.CharField(label=_("Name"), max_length=LONGEST)
    about = forms.CharField(
        label=_("About the club"),
        required=False,
        max_length=LONGEST_ABOUT,
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    is_private = forms.BooleanField(
        label=_("Private"),
        required=False,
        help_text=_(
            "It is not listed, and nobody but its members sees its page, its tables and its matches."
        ),
    )
    is_asked_first = forms.BooleanField(
        label=_("Organisers say who may join"),
        required=False,
        initial=True,
        help_text=_("Otherwise anybody joins at once. A private club is joined by invitation in any case."),
    )


class NewClubForm(ClubForm):
    """A new club."""

    slug = forms.CharField(
        label=_("Short name, for its address"),
        required=False,
        max_length=LONGEST_SLUG,
        help_text=_("Letters a to z and digits. Empty: it is made from the name."),
    )
    field_order = ("name", "slug")
