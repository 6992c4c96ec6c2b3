"""Unsubscribe by the link in a mail: one click for programs (RFC 8058), a page with a button for people (RFC 2369)."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from gemserver.accounts.models import User, known_hash
from gemserver.lib import clock
from gemserver.matches.actions.clubs.post_to_list import CLUB, stop_list
from gemserver.matches.actions.people.choose_channels import stop_mail
from gemserver.matches.actions.people.set_mail_mode import set_mail_mode
from gemserver.matches.models import NotificationChoice
from gemserver.matches.notifications import DIGEST
from gemserver.puzzles import subscribing


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str, category: str = "") -> HttpResponse:
    """GET shows a button and changes nothing (link scanners); POST stops this category (empty: all), repeatably."""
    slug = category.removeprefix(CLUB) if category.startswith(CLUB) else ""
    if not slug and category not in {"", DIGEST, subscribing.KIND, *NotificationChoice.Topic}:
        raise Http404
    user = get_object_or_404(User, token_hash=known_hash(token))
    done = request.method == "POST"
    if done and slug:
        stop_list(user, slug)
    elif done and category == subscribing.KIND:
        subscribing.unsubscribe(user)
    elif done and category:
        stop_mail(user, category)
    elif done:
        set_mail_mode(user, User.MailMode.OFF, now=clock.now())
    context = {"reader": user, "done": done, "what": _name(category)}
    return render(request, "accounts/unsubscribe.html", context)


def _name(category: str) -> str:
    """The category's name for its reader; empty for all mail."""
    if category.startswith(CLUB):
        return gettext("the mail of the club")
    if category == DIGEST:
        return gettext("the daily digest")
    if category == subscribing.KIND:
        return gettext("the puzzle of the day")
    return str(NotificationChoice.Topic(category).label) if category else ""
