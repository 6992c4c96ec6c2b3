"""The fields of all forms: labels without a colon, and the focus after a refusal."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.forms.renderers import DjangoTemplates
from django.utils.safestring import SafeString


class Field(forms.BoundField):
    """A field of a form that gets the focus where it is the first of its form that was refused.

    Where what was refused is no single field, that is the first of all. Of several buttons, which share their
    attributes, the first gets it. A placeholder, as allauth's forms have them, would only repeat the label.
    """

    def __init__(self, form: forms.BaseForm, field: forms.Field, name: str) -> None:
        super().__init__(form, field, name)
        field.widget.attrs.pop("placeholder", None)

    def build_widget_attrs(self, attrs: dict[str, Any], widget: forms.Widget | None = None) -> dict[str, Any]:
        built: dict[str, Any] = super().build_widget_attrs(attrs, widget)
        if self._is_first_wrong and not self.use_fieldset:
            built["autofocus"] = True
        return built

    def as_widget(
        self,
        widget: forms.Widget | None = None,
        attrs: dict[str, Any] | None = None,
        only_initial: bool = False,
    ) -> SafeString:
        drawn = super().as_widget(widget, attrs, only_initial)
        if self._is_first_wrong and self.use_fieldset:
            return SafeString(drawn.replace("<input ", "<input autofocus ", 1))
        return drawn

    @property
    def _is_first_wrong(self) -> bool:
        errors = self.form.errors
        wrong = [name for name in self.form.fields if name in errors or set(errors) == {NON_FIELD_ERRORS}]
        return bool(wrong) and self.name == wrong[0]

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
