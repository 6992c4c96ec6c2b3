"""Forms about time; they check shape only, the actions decide what is allowed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar
from zoneinfo import available_timezones

from django import forms
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.models import User
from gemserver.matches.clock_words import span
from gemserver.matches.refusal import Refused
from gemserver.site.day_field import DayField

T = TypeVar("T")
FormT = TypeVar("FormT", bound=forms.Form)

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


class DaysForm(forms.Form):
    """First and last day of a vacation or a holiday."""

    first = DayField(label=_("First day"))
    last = DayField(label=_("Last day"))


class MatchDaysForm(DaysForm):
    """Like `DaysForm`, for the page of a match, which has several such forms."""

    place = ""

    def __init__(self, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, auto_id=f"{self.place}-%s")

    def as_div(self) -> SafeString:
        """Return the fields as HTML; an empty form, which is on every page of a match, is drawn once per language."""
        if self.is_bound:
            return SafeString(super().as_div())
        return _draw_empty(type(self), get_language() or "")


@cache
def _draw_empty(form: type[MatchDaysForm], _language: str) -> SafeString:
    return SafeString(forms.Form.as_div(form()))


class HolidayForm(MatchDaysForm):
    """Days off for a whole table."""

    place = "holiday"


def carry_out(form: forms.Form, act: Callable[..., T]) -> T | None:
    """Call `act` with the form's values; None if the form or `act` refuses them, with the reason in the form."""
    if not form.is_valid():
        return None
    try:
        return act(**form.cleaned_data)
    except Refused as refusal:
        form.add_error(None, refusal.text())
        return None


def require_valid(form: FormT) -> FormT:
    """Return the form; raises ValidationError with what stands above it unless it is valid."""
    if not form.is_valid():
        raise forms.ValidationError(say_marked())
    return form


def say_marked() -> str:
    """Say above a form that something in it was refused; each of its fields says what."""
    return gettext("Something is missing or cannot be; it is marked below.")


def say_above(refusal: Refused | forms.ValidationError, form: forms.Form | None, field: str = "") -> str:
    """The sentence at the head of a page of several forms; what was refused stands at a field of `form`, if that is
    the one that was sent."""
    if form is None:
        return refusal.text() if isinstance(refusal, Refused) else str(refusal.messages[0])
    if isinstance(refusal, Refused):
        form.add_error(field or None, refusal.text())
    return say_marked()
