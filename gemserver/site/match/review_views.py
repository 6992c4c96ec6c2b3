"""The page of a match's review: it is asked for, computed, and read."""

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
from gemserver.notify.channels import in_use
from gemserver.site.lookups import find_match
from gemserver.site.match.review_page import ReviewPage
from gemserver.study.limits import count_by_network
from gemserver.study.reviews import ask_review, find_review

LOOK_AGAIN = 5
"""Seconds until the page looks how far the bot has come."""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def review(request: HttpRequest, code: str) -> HttpResponse:
    """POST asks for the review; GET shows it, how far it has come, or the way to ask for it."""
    player = player_of(request)
    if not isinstance(player, User):
        return redirect_to_login(request.path)
    match, _seat = find_match(code, player)
    try:
        if request.method == "POST":
            ask_review(
                match,
                player,
                is_by_mail="mail" in request.POST,
                count=partial(count_by_network, request, "review"),
                now=clock.now(),
            )
            return redirect("match-review", match.code)
        page = ReviewPage(match, find_review(match, player, clock.now()))
    except Refused as refusal:
        messages.error(request, refusal.text())
        return redirect(match)
    context = {"match": match, "page": page, "look_again": LOOK_AGAIN}
    if page.review and not page.is_done:
        context |= {
            "is_promised": page.review.readers.contains(player),
            "has_channel": in_use(player).exists(),
        }
    return render(request, "matches/review.html", context)
