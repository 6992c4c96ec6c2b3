"""The page with help: how a match goes, answers to what players ask, and every command for mails."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from games import registry
from gemserver.inbox.help_list import list_commands


@require_safe
def help_page(request: HttpRequest) -> HttpResponse:
    """Help for everybody, with or without an account."""
    context = {
        "games": [game.rules.meta for game in registry.GAMES.values()],
        "groups": list_commands(),
        "address": settings.PLAY_ADDRESS,
        "tables_url": reverse("tables"),
        "open_url": reverse("choose-game"),
        "time_url": reverse("time"),
        "mails_url": reverse("own-mails"),
        "notifications_url": reverse("notifications"),
        "channels_url": reverse("channels"),
        "fair_play_url": reverse("fair-play"),
        "profile_url": reverse("profile"),
    }
    return render(request, "matches/help.html", context)
