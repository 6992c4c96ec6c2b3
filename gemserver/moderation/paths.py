"""Where the moderators' pages are, and the links to what can be done."""

from __future__ import annotations

from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from gemserver.matches.models import Match
from gemserver.moderation.measures import measures_for
from gemserver.moderation.measures.contract import Target


def ledger_path(match: Match) -> str:
    return reverse("admin:ledger", args=[match.code])


def measure_path(verb: str, key: object) -> str:
    return reverse("admin:measure", args=[verb, key])


def measure_links(target: str, key: object, subject: object) -> SafeString:
    """A link for each measure that makes sense for the subject now."""
    links = [
        (measure_path(measure.verb, key), measure.title) for measure in measures_for(Target(target), subject)
    ]
    return format_html_join(" · ", '<a href="{}">{}</a>', links)
