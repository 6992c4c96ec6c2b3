"""The page with a player's own mails of late, and what came of each."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from gemserver.accounts.models import User
from gemserver.inbox.own_mails import read_mails_from, read_mails_to
from gemserver.lib import clock


@never_cache
@login_required
@require_safe
def own_mails(request: HttpRequest) -> HttpResponse:
    """Both directions, for the player alone."""
    user, now = request.user, clock.now()
    assert isinstance(user, User)
    context = {
        "received": read_mails_from(user, now=now),
        "sent": read_mails_to(user, now=now),
        "address": user.mail_address(),
        "nav": "profile",
    }
    return render(request, "profile/mails.html", context)
