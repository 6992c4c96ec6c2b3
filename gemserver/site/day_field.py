"""The form field for a day."""

from __future__ import annotations

from typing import Any

from django import forms


class DayField(forms.DateField):
    """A day, chosen in the browser's calendar.

    A browser leaves `<input type="date">` empty unless its value is written like 2026-12-05, whatever the language.
    """

    def __init__(self, **options: Any) -> None:
        widget = forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
        super().__init__(widget=widget, **options)
