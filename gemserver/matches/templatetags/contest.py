"""Contests in templates: `{% load contest %}`."""

from __future__ import annotations

from django import template

from gemserver.matches.contest_words import name_contest

register = template.Library()

register.filter("contest_words", name_contest)
