"""Browsers in templates: `{% load browsers %}`."""

from __future__ import annotations

from django import template

from gemserver.lib.web.user_agents import name_browser

register = template.Library()
register.filter("browser", name_browser)
