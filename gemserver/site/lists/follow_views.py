"""The view behind the buttons that follow and unfollow a player."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.actions.people.follow_player import follow_player, unfollow_player
from gemserver.matches.refusal import Refused


@login_required
@require_POST
def follow(request: HttpRequest, name: str) -> HttpResponse:
    """Follow the player, or with `do=unfollow` no longer."""
    assert isinstance(request.user, User)
    try:
        if request.POST.get("do") == "unfollow":
            unfollow_player(request.user, name)
            messages.success(request, _("You follow %(name)s no longer.") % {"name": name})
        else:
            followed = follow_player(request.user, name, now=clock.now()).followed
            messages.success(
                request,
                _("You follow %(name)s: open tables are listed under Players, for you alone.")
                % {"name": followed.shown_name},
            )
    except Refused as refusal:
        messages.error(request, refusal.text())
        return redirect("players")
    return redirect("player", name)
