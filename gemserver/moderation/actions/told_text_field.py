"""The field for what a moderator tells others."""

from __future__ import annotations

from typing import Any

from django import forms

from gemserver.lib.text.plain import clean


class ToldTextField(forms.CharField):
    """Text that other people read: without what could not be shown to them, as in a feed."""

    def to_python(self, value: Any) -> str:
        return clean(super().to_python(value) or "").strip()
