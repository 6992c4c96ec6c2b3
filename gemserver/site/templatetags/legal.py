"""The operator's legal texts in templates, also those of errors, which have no context: `{% load legal %}`."""

from __future__ import annotations

from django import template

from gemserver.lib.text.legal_texts import KINDS, list_languages

register = template.Library()


@register.simple_tag
def legal_kinds() -> list[str]:
    """The kinds of which there is a text, which are the names of their pages too."""
    return [kind for kind in KINDS if list_languages(kind)]
