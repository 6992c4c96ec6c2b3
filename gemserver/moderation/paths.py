"""Where the moderators' pages are, and the links to what can be done."""

from __future__ import annotations

from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from gemserver.matches.models import Match
from gemserver.moderation.measures import measures_for
from gemserver.moderation.measures.targets import Target


def ledger_path(match: Match) -> str:
    return reverse("admin:ledger", args=[match.code])


def measure_links(target: Target, subject: object) -> SafeString:
    """A link for each measure that makes sense for the subject now."""
    key = target.key_of(subject)
    links = [
        (reverse("admin:measure", args=[measure.verb, key]), measure.title)
        for measure in measures_for(target, subject)
    ]
    return format_html_join(" · ", '<a href="{}">{}</a>', links)
