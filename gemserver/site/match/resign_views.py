"""The page for resigning, which explains the consequences."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.actions.play import resign as action
from gemserver.matches.models import Match, Move
from gemserver.matches.refusal import Refused
from gemserver.matches.seating import held_seat
from gemserver.site.match.match_page import find_match


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def resign(request: HttpRequest, code: str) -> HttpResponse:
    """GET asks for confirmation; POST resigns."""
    assert isinstance(request.user, User)
    found, _seat = find_match(code, request.user)
    own = held_seat(found, request.user)
    if own is None or not found.is_running:
        raise Http404
    if request.method == "POST":
        try:
            action.resign(
                found.pk,
                request.user,
                source=Move.Source.WEB,
                request_id=str(own.token_generation),
                now=clock.now(),
            )
        except Refused as refusal:
            messages.error(request, refusal.text())
        else:
            messages.success(request, _("You have resigned %(code)s.") % {"code": found.code})
        return redirect(found)
    context = {
        "match": found,
        "ends": found.seat_count == 2,
        "is_replaced": found.absence == Match.Absence.REPLACE,
    }
    return render(request, "matches/resign.html", context)
