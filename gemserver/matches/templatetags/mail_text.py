"""Text of mails in templates: `{% load mail_text %}`."""

from __future__ import annotations

from django import template

from gemserver.lib.text import has_columns, hold_together

register = template.Library()

register.filter("has_columns", has_columns)
register.filter("hold_together", hold_together)
