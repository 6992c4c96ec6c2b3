"""Contests in templates: `{% load contest %}`."""

from __future__ import annotations

from django import template

from gemserver.matches.words.contests import name_contest

register = template.Library()

register.filter("contest_words", name_contest)
