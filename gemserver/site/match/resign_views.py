"""The page for resigning, which explains the consequences."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from gemserver.accounts.guests import player_of
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.actions.play import resign as action
from gemserver.matches.actions.tables.start_practice import start_practice
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.refusal import Refused
from gemserver.matches.seating import held_seat
from gemserver.site.lookups import find_match


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def resign(request: HttpRequest, code: str) -> HttpResponse:
    """GET asks for confirmation; POST resigns, and begins another practice match if a guest wants one (`again`)."""
    player, now = player_of(request), clock.now()
    if not isinstance(player, User):
        return redirect_to_login(request.path)
    found, _seat = find_match(code, player)
    own = held_seat(found, player)
    if own is None or not found.is_running:
        raise Http404
    if request.method == "POST":
        strength = _strength_of_bots(found)
        try:
            action.resign(
                found.pk,
                player,
                source=Move.Source.WEB,
                request_id=str(own.token_generation),
                now=now,
            )
            if player.is_guest and "again" in request.POST:
                return redirect(start_practice(player, found.game, strength, now=now))
        except Refused as refusal:
            messages.error(request, refusal.text())
        else:
            messages.success(request, _("You have resigned %(code)s.") % {"code": found.code})
        return redirect(found)
    context = {
        "match": found,
        "is_guest": player.is_guest,
        "ends": found.seat_count == 2,
        "is_replaced": found.absence == Match.Absence.REPLACE,
    }
    return render(request, "matches/resign.html", context)


def _strength_of_bots(match: Match) -> Seat.Bot:
    bot = match.seats.exclude(bot="").values_list("bot", flat=True).first()
    return Seat.Bot(bot) if bot else Seat.Bot.EASY
