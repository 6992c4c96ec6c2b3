"""Plain text in templates: `{% load mail_text %}`."""

from __future__ import annotations

from django import template

from gemserver.lib.text.plain import colon, hold_together, unfold

register = template.Library()

register.filter("colon", colon, is_safe=True)
register.filter("hold_together", hold_together)
register.filter("unfold", unfold)
