"""The template filter that asks for a game's tutorial."""

from __future__ import annotations

from django import template

from gemserver.matches.offered.tutorials import find_tutorial

register = template.Library()


@register.filter
def is_taught(slug: str) -> bool:
    """True if the game with this slug has a tutorial that can be shown."""
    return find_tutorial(slug) is not None
