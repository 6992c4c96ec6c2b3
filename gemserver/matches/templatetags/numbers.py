"""Numbers in templates: `{% load numbers %}`."""

from __future__ import annotations

from django import template

register = template.Library()


@register.filter
def magnitude(number: int) -> int:
    """The number without its sign, to choose a plural by: French says −4 *points*, though −4 is not above 1."""
    return abs(number)
