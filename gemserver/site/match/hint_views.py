"""The page of a hint in a practice match: it is asked for, thought about, and read."""

from __future__ import annotations

from functools import partial

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from gemserver.accounts.guests import player_of
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.refusal import Refused
from gemserver.site.lookups import find_match
from gemserver.study.hints import ask_hint, find_hint, word_moves
from gemserver.study.limits import count_by_network

LOOK_AGAIN = 2
"""Seconds until the page looks whether the bot has answered."""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def hint(request: HttpRequest, code: str) -> HttpResponse:
    """POST asks for a hint; GET shows it, or that the bot is still thinking."""
    player = player_of(request)
    if not isinstance(player, User):
        return redirect_to_login(request.path)
    match, _seat = find_match(code, player)
    try:
        if request.method == "POST":
            ask_hint(match, player, count=partial(count_by_network, request, "hint"), now=clock.now())
            return redirect("match-hint", match.code)
        found = find_hint(match, player)
    except Refused as refusal:
        messages.error(request, refusal.text())
        return redirect(match)
    if found is None:
        return redirect(match)
    context = {"match": match, "hint": found, "moves": word_moves(match, found), "look_again": LOOK_AGAIN}
    return render(request, "matches/hint.html", context)
