"""Forms about time; they check shape only, the actions decide what is allowed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import cache
from importlib.resources import files
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.models import User
from gemserver.matches.words.clocks import span

_HOUR = {"type": "time"}

REGIONS: Mapping[str, Promise] = {
    "Africa": _("Africa"),
    "America": _("America"),
    "Antarctica": _("Antarctica"),
    "Arctic": _("Arctic"),
    "Asia": _("Asia"),
    "Atlantic": _("Atlantic Ocean"),
    "Australia": _("Australia"),
    "Europe": _("Europe"),
    "Indian": _("Indian Ocean"),
    "Pacific": _("Pacific Ocean"),
}
"""First words of the zones that are places."""


class HoursForm(forms.Form):
    """Time zone and quiet hours, both ends or neither."""

    zone = forms.CharField(label=_("Time zone"), max_length=64)
    quiet_start = forms.TimeField(label=_("Quiet from"), required=False, widget=forms.TimeInput(_HOUR))
    quiet_end = forms.TimeField(label=_("Quiet until"), required=False, widget=forms.TimeInput(_HOUR))

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.fields["zone"].widget = forms.Select(choices=_offer_zones(self.initial.get("zone", "UTC")))

    def clean(self) -> dict[str, object] | None:
        given = self.cleaned_data
        missing = [end for end in ("quiet_start", "quiet_end") if given.get(end) is None]
        if len(missing) == 1 and missing[0] not in self.errors:
            self.add_error(missing[0], _("Give both ends of your quiet hours, or neither."))
        return given


def _offer_zones(own: str) -> list[tuple[str | Promise, list[tuple[str, str]] | str]]:
    """UTC, the player's own zone if it is not on the list, and all places by region."""
    places: dict[str, list[tuple[str, str]]] = {region: [] for region in REGIONS}
    for zone in _list_places():
        region, _slash, place = zone.partition("/")
        if region in places:
            places[region].append((zone, place.replace("_", " ").replace("/", " / ")))
    offered = {zone for found in places.values() for zone, _place in found}
    others = dict.fromkeys(zone for zone in ("UTC", own) if zone not in offered)
    return [
        *((zone, zone) for zone in others),
        *((REGIONS[region], found) for region, found in places.items()),
    ]


@cache
def _list_places() -> list[str]:
    """The zones of places under their present names, without former spellings such as Asmera and Calcutta.

    They are those of `zone.tab`, one or more for each country; a former name that somebody has chosen stays good.
    """
    rows = files("tzdata").joinpath("zoneinfo", "zone.tab").read_text(encoding="utf-8").splitlines()
    zones = {row.split("\t")[2] for row in rows if row and not row.startswith("#")}
    return sorted(zones & available_timezones())


class MailForm(forms.Form):
    """The player's mail mode."""

    mode = forms.ChoiceField(label=_("Mail"), choices=User.MailMode, widget=forms.RadioSelect)
    digest_at = forms.TimeField(label=_("Hour of the digest"), required=False, widget=forms.TimeInput(_HOUR))

    def clean(self) -> dict[str, object] | None:
        given = self.cleaned_data
        is_missing = given.get("digest_at") is None and "digest_at" not in self.errors
        if given.get("mode") == User.MailMode.DIGEST and is_missing:
            self.add_error("digest_at", _("Give the hour at which you want your digest."))
        return given


class ReceiptsForm(forms.Form):
    """Which of the player's mails are answered."""

    level = forms.ChoiceField(label=_("Answers to my mails"), choices=User.Receipts, widget=forms.RadioSelect)


OFFERED_LEADS = tuple(timedelta(hours=hours) for hours in (72, 48, 24, 12, 8, 4, 2, 1))
"""Running time left at the reminders that the form offers; a mail or a program may ask for others."""


class LeadsForm(forms.Form):
    """Reminders by the time that is left then, in minutes; none ticked for none.

    `own`: the player's present reminders, which are offered too.
    """

    minutes = forms.TypedMultipleChoiceField(
        label=_("Remind me when I have this much time left"),
        coerce=int,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None ticked: no reminders."),
    )

    def __init__(self, data: QueryDict | None = None, *, own: Sequence[timedelta], **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        field = self.fields["minutes"]
        assert isinstance(field, forms.ChoiceField)
        offered = sorted({*OFFERED_LEADS, *own}, reverse=True)
        field.choices = [(str(lead // timedelta(minutes=1)), span(lead)) for lead in offered]

    def leads(self) -> list[timedelta]:
        """The reminders that were ticked."""
        return [timedelta(minutes=minutes) for minutes in self.cleaned_data["minutes"]]
