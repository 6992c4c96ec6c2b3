"""Practice matches at once, for players and strangers."""

from __future__ import annotations

from datetime import timedelta

from allauth.core import ratelimit
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from gemserver.accounts.guests import guests_since, make_guest, player_of
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.actions.tables.start_practice import STRENGTHS, practise_with, start_practice
from gemserver.matches.bot_accounts import practice_partners
from gemserver.matches.refusal import Refused
from gemserver.site.lookups import find_game

GUESTS_PER_HOUR = 300
"""Strangers who may begin within an hour, all together; `ACCOUNT_RATE_LIMITS` bounds each address."""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def practice(request: HttpRequest, game: str) -> HttpResponse:
    """Begin or continue a match against bots (POST `bot`, easy by default); a stranger becomes a guest.

    `partner` names a bot account that offers itself, for players with an account; `time_zone` in the form is the
    browser's, for a new guest. GET shows the buttons for it.
    """
    meta = find_game(game).rules.meta
    if request.method != "POST":
        user = request.user
        partners = practice_partners(game, user, clock.now()) if isinstance(user, User) else []
        context = {"meta": meta, "partners": partners}
        return render(request, "matches/practice.html", context)
    bot = next((bot for bot in STRENGTHS if bot == request.POST.get("bot")), STRENGTHS[0])
    player, now = player_of(request), clock.now()
    if not isinstance(request.user, User) and not ratelimit.consume(request, action="practice"):
        return _turn_away(request)
    if not isinstance(player, User):
        if guests_since(now - timedelta(hours=1)) >= GUESTS_PER_HOUR:
            return _turn_away(request)
        player = make_guest(request, request.POST.get("time_zone", ""), now)
    try:
        if isinstance(request.user, User) and (partner := request.POST.get("partner")):
            return redirect(practise_with(request.user, game, partner, now=now))
        return redirect(start_practice(player, game, bot, now=now))
    except Refused as refusal:
        messages.error(request, refusal.text())
        return redirect("home")


def _turn_away(request: HttpRequest) -> HttpResponse:
    messages.error(request, _("Too many matches were begun from here. Try again in an hour, or sign up."))
    return redirect("home")
