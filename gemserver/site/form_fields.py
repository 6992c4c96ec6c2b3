"""The fields of all forms: after a refusal the first one that is wrong gets the focus."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.forms.renderers import DjangoTemplates


class Field(forms.BoundField):
    """A field of a form that gets the focus where it is the first of its form that was refused.

    Where what was refused is no single field, that is the first of all. Not one of several buttons, of which only one
    could have it.
    """

    def build_widget_attrs(self, attrs: dict[str, Any], widget: forms.Widget | None = None) -> dict[str, Any]:
        built: dict[str, Any] = super().build_widget_attrs(attrs, widget)
        errors = self.form.errors
        wrong = [name for name in self.form.fields if name in errors or set(errors) == {NON_FIELD_ERRORS}]
        if wrong and self.name == wrong[0] and not self.use_fieldset:
            built["autofocus"] = True
        return built


class Renderer(DjangoTemplates):
    """Draws forms as Django does, with these fields."""

    bound_field_class = Field
