"""Plain text in templates: `{% load mail_text %}`."""

from __future__ import annotations

from django import template

from gemserver.lib.text import colon, has_columns, hold_together

register = template.Library()

register.filter("colon", colon, is_safe=True)
register.filter("has_columns", has_columns)
register.filter("hold_together", hold_together)
