"""Addresses of the moderators' pages, and links to actions."""

from __future__ import annotations

from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from gemserver.matches.models import Match
from gemserver.moderation.actions import actions_for
from gemserver.moderation.actions.targets import Target


def timeline_path(match: Match) -> str:
    return reverse("admin:timeline", args=[match.code])


def talk_path(match: Match, message: int | None) -> str:
    """The talk of the table, at this message if one is given."""
    return f"{timeline_path(match)}?only=talk" + (f"#message-{message}" if message else "")


def action_links(target: Target, subject: object) -> SafeString:
    """A link for each action that applies to the subject now."""
    key = target.key_of(subject)
    links = [
        (reverse("admin:action", args=[action.verb, key]), action.title)
        for action in actions_for(target, subject)
    ]
    return format_html_join(" · ", '<a href="{}">{}</a>', links)
