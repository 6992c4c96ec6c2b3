"""Numbers in templates: `{% load numbers %}`."""

from __future__ import annotations

from fractions import Fraction

from django import template

from gemserver.lib.fractions import show_fraction

register = template.Library()


@register.filter
def magnitude(number: float) -> float:
    """The number without its sign, to choose a plural by: French says −4 *points*, though −4 is not above 1."""
    return abs(number)


@register.filter
def exactly(number: Fraction) -> str:
    """The number with its fraction: `2½`."""
    return show_fraction(number)
