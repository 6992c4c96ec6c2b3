"""The fields of all forms: labels without a colon, and the focus after a refusal."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.forms.renderers import DjangoTemplates
from django.utils.safestring import SafeString


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

    def label_tag(
        self,
        contents: str | None = None,
        attrs: dict[str, Any] | None = None,
        label_suffix: str | None = None,
        tag: str | None = None,
    ) -> SafeString:
        """The label, above its field or beside it, without the colon that Django puts behind it."""
        return super().label_tag(contents, attrs, label_suffix or "", tag)


class Renderer(DjangoTemplates):
    """Draws forms as Django does, with these fields."""

    bound_field_class = Field
