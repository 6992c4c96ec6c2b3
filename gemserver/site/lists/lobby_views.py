"""The first page; lists of tables, substitutes' seats, matches and players; the pages of a player and a game."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games import registry
from gemserver.accounts.guests import guest_of, signed_in_user
from gemserver.accounts.models import User
from gemserver.accounts.name_search import find_keys
from gemserver.accounts.names import LONGEST, unmarked
from gemserver.lib import clock
from gemserver.matches.followed_players import list_followed
from gemserver.site.lists import lists_page
from gemserver.site.lists.game_page import GamePage, LeaderboardPage
from gemserver.site.lists.home_page import HomePage
from gemserver.site.lists.player_page import find_player_page
from gemserver.site.lists.rules_page import read_rules_page
from gemserver.site.lookups import find_game


@never_cache
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The first page: the reader's matches; for a stranger, an introduction."""
    reader = signed_in_user(request)
    return render(request, "matches/home.html", {"page": HomePage(reader, guest_of(request))})


@never_cache
@require_safe
def tables(request: HttpRequest) -> HttpResponse:
    """The lobby: tables that wait for players."""
    reader = signed_in_user(request)
    page = lists_page.open_tables(request.GET, request.GET.get("page", ""), reader)
    return render(request, "matches/tables.html", {"list": page, "nav": "tables"})


@never_cache
@require_safe
def substitutes(request: HttpRequest) -> HttpResponse:
    """Seats of absent players to take over."""
    reader = signed_in_user(request)
    page = lists_page.substitutes_wanted(request.GET, request.GET.get("page", ""), reader)
    return render(request, "matches/substitutes.html", {"list": page, "nav": "tables"})


@never_cache
@require_safe
def matches(request: HttpRequest) -> HttpResponse:
    """Matches to look up or to watch."""
    reader = signed_in_user(request)
    page = lists_page.matches(request.GET, request.GET.get("page", ""), reader)
    return render(request, "matches/matches.html", {"list": page, "nav": "matches"})


@never_cache
@require_safe
def players(request: HttpRequest) -> HttpResponse:
    """Search for players by name."""
    text = request.GET.get("q", "")[:LONGEST].strip()
    found = User.objects.select_related("owner").in_bulk(keys := find_keys(unmarked(text)))
    context = {
        "text": text,
        "found": [found[key] for key in keys],
        "followed": list_followed(reader) if (reader := signed_in_user(request)) else [],
        "games": [game.rules.meta for game in registry.GAMES.values()],
        "nav": "players",
    }
    return render(request, "matches/players.html", context)


@never_cache
@require_safe
def player(request: HttpRequest, name: str) -> HttpResponse:
    """A player's ratings, results and matches."""
    reader = signed_in_user(request)
    page = find_player_page(name, request.GET, reader)
    return render(request, "matches/player.html", {"page": page, "player": page.player, "nav": "players"})


@never_cache
@require_safe
def game(request: HttpRequest, slug: str) -> HttpResponse:
    """How a game goes: who wins from which place, how long it lasts, how it begins."""
    page = GamePage(find_game(slug).rules.meta, request.GET)
    return render(request, "matches/game.html", {"page": page, "meta": page.meta})


@require_safe
def rules(request: HttpRequest, slug: str) -> HttpResponse:
    """The rules of one game, in our own words."""
    return render(request, "matches/rules.html", {"page": read_rules_page(slug)})


@never_cache
@require_safe
def leaderboard(request: HttpRequest, slug: str) -> HttpResponse:
    """The best players of a game."""
    page = LeaderboardPage(find_game(slug).rules.meta, request.GET, clock.now())
    return render(request, "matches/leaderboard.html", {"page": page, "meta": page.meta})
