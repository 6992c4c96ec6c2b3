"""The page behind an invitation's link. The token identifies the invitation; accepting it requires signing in."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from gemserver.accounts.guests import signed_in_user
from gemserver.accounts.models import UnreachableAddress, User
from gemserver.lib import clock, signing
from gemserver.matches.actions.tables.answer_invitation import (
    accept_invitation,
    decline_invitation,
    stop_invitations,
)
from gemserver.matches.models import Invitation
from gemserver.matches.privacy import may_see
from gemserver.matches.refusal import Refused
from gemserver.site.tables.table_page import TablePage


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, pk: int, token: str) -> HttpResponse:
    """Show the table; POST accepts (`do` is accept, with the player's own `words`) or declines."""
    found = _find(pk, token)
    if not may_see(found.match, request.user):
        return _turn_away(request)
    if request.method != "POST":
        return _show(request, found)
    if request.POST.get("do") == "accept" and not isinstance(request.user, User):
        return redirect_to_login(request.path, "account_signup")
    try:
        if isinstance(request.user, User) and request.POST.get("do") == "accept":
            words = request.POST.get("words", "")
            accept_invitation(found.pk, request.user, words=words, now=clock.now())
            messages.success(request, _("You sit at the table."))
            return redirect(found.match)
        decline_invitation(found.pk, now=clock.now())
    except Refused as refusal:
        return _show(request, found, refusal.text())
    messages.success(request, _("You have declined. You get no more mail about this table."))
    return redirect(request.path)


@never_cache
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def stop(request: HttpRequest, pk: int, token: str) -> HttpResponse:
    """GET shows a button and changes nothing (link scanners); POST stops all invitations to the address (RFC 8058)."""
    found = _find(pk, token)
    if request.method == "POST":
        stop_invitations(found.pk, now=clock.now())
    done = UnreachableAddress.objects.filter(address=found.address).exists()
    return render(request, "matches/invitation_stop.html", {"invitation": found, "done": done})


def _find(pk: int, token: str) -> Invitation:
    found = Invitation.objects.select_related("match", "invited_by").filter(pk=pk).first()
    if found is None or not signing.is_token(token, "invitation", found.pk, found.address):
        raise Http404
    return found


def _turn_away(request: HttpRequest) -> HttpResponse:
    """Answer somebody who may not know of the table of a private club: a member may only have to sign in."""
    if isinstance(request.user, User):
        raise Http404
    return redirect_to_login(request.path)


def _show(request: HttpRequest, found: Invitation, refusal: str = "") -> HttpResponse:
    found.refresh_from_db()
    page = TablePage(found.match, signed_in_user(request))
    context = {"page": page, "match": found.match, "invitation": found, "refusal": refusal}
    return render(request, "matches/invitation.html", context, status=422 if refusal else 200)
