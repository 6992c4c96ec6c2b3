"""Pages that list tables, substitutes' seats, matches and a player's results."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from gemserver.accounts.models import User
from gemserver.site.lists import lists_page
from gemserver.site.lists.player_page import find_player_page


@never_cache
@require_safe
def tables(request: HttpRequest) -> HttpResponse:
    """The lobby: tables that wait for players."""
    reader = request.user if isinstance(request.user, User) else None
    page = lists_page.open_tables(request.GET, request.GET.get("page", ""), reader)
    return render(request, "matches/tables.html", {"list": page, "nav": "tables"})


@never_cache
@require_safe
def substitutes(request: HttpRequest) -> HttpResponse:
    """Seats of absent players to take over."""
    reader = request.user if isinstance(request.user, User) else None
    page = lists_page.substitutes_wanted(request.GET, request.GET.get("page", ""), reader)
    return render(request, "matches/substitutes.html", {"list": page, "nav": "tables"})


@never_cache
@require_safe
def matches(request: HttpRequest) -> HttpResponse:
    """Matches to look up or to watch."""
    page = lists_page.matches(request.GET, request.GET.get("page", ""))
    return render(request, "matches/matches.html", {"list": page, "nav": "matches"})


@never_cache
@require_safe
def player(request: HttpRequest, name: str) -> HttpResponse:
    """A player's matches and results."""
    page = find_player_page(name, request.GET.get("page", ""))
    return render(request, "matches/player.html", {"page": page, "player": page.player})
