"""Time controls in templates: `{% load clock %}`."""

from __future__ import annotations

from django import template

from gemserver.clocks.control import TimeControl
from gemserver.matches.clock_words import time_sentence

register = template.Library()


@register.filter
def time_words(control: TimeControl) -> str:
    """A sentence on the time the players have, in the active language."""
    return time_sentence(control)
