"""Forms that ask for a first and a last day."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from django import forms
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from gemserver.site.day_field import DayField


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
