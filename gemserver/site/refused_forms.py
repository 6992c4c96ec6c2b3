"""Forms that are refused, by themselves or by the action that they ask for, and the sentence above them then."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django import forms
from django.utils.translation import gettext

from gemserver.matches.refusal import Refused

T = TypeVar("T")
FormT = TypeVar("FormT", bound=forms.Form)


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
