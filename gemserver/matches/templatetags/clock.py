"""Time controls in templates: `{% load clock %}`."""

from __future__ import annotations

from datetime import datetime, timedelta

from django import template

from gemserver.clocks.control import TimeControl
from gemserver.lib import clock
from gemserver.matches.words.clocks import rough_span, time_sentence

register = template.Library()


@register.filter
def time_words(control: TimeControl) -> str:
    """A sentence on the time the players have, in the active language."""
    return time_sentence(control)


@register.filter
def roughly(time: timedelta) -> str:
    """The duration in one unit."""
    return rough_span(time)


@register.filter
def left(until: datetime) -> str:
    """The time that is left; pages, mails and the counter in `match.js` all write it in one unit."""
    return rough_span(max(until - clock.now(), timedelta()))
