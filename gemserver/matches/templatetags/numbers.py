"""Numbers in templates: `{% load numbers %}`."""

from __future__ import annotations

from fractions import Fraction

from django import template

from gemserver.lib.text.fractions import show_fraction
from gemserver.matches.models import Seat

register = template.Library()


@register.filter
def magnitude(number: float) -> float:
    """The number without its sign, to choose a plural by: French says −4 *points*, though −4 is not above 1."""
    return abs(number)


@register.filter
def place_so_far(seat: Seat) -> int:
    """The place of a seat of a running match by its points, 1 for the most; those with equal points share it."""
    return 1 + sum((other.score or 0) > (seat.score or 0) for other in seat.match.seats.all())


@register.filter
def exactly(number: Fraction) -> str:
    """The number with its fraction: `2½`."""
    return show_fraction(number)
