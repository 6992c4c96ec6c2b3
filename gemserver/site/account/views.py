"""Pages of a player's own account: profile, export, erasure."""

from __future__ import annotations

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from gemserver.accounts.models import User
from gemserver.inbox import erasure
from gemserver.lib import clock
from gemserver.matches.actions.people.block_player import unblock_player
from gemserver.matches.refusal import Refused
from gemserver.site.account.export_download import send_export
from gemserver.site.account.forms import EraseForm, ProfileForm


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def profile(request: HttpRequest) -> HttpResponse:
    """Name and language, and links to all other settings."""
    user = _signed_in(request)
    form = ProfileForm(user, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            form.save()
        except Refused as refusal:
            form.add_error("name", refusal.text())
        else:
            with translation.override(user.language):
                messages.success(request, _("Saved."))
            return redirect("profile")
    name = User.objects.values_list("username", flat=True).get(pk=user.pk)
    blocks = user.blocks.select_related("blocked").order_by("blocked__username")
    context = {"form": form, "name": name, "blocks": blocks, "nav": "profile"}
    return render(request, "profile/profile.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def unblock(request: HttpRequest) -> HttpResponse:
    """Remove a block; an account that is gone has no block either."""
    try:
        unblock_player(_signed_in(request), request.POST.get("player", ""))
    except Refused as refusal:
        messages.error(request, refusal.text())
    return redirect("profile")


@never_cache
@login_required
@require_POST
def download(request: HttpRequest) -> HttpResponseBase:
    """Download everything the server stores about the signed-in player, as a ZIP file."""
    try:
        return send_export(request, _signed_in(request), "gem-server-account.zip")
    except Refused as refusal:
        messages.error(request, refusal.text())
    return redirect("profile")


@never_cache
@login_required
@reauthentication_required  # type: ignore[untyped-decorator]
@require_http_methods(["GET", "HEAD", "POST"])
def erase(request: HttpRequest) -> HttpResponse:
    """Explain what erasing an account means; POST erases it."""
    user = _signed_in(request)
    form = EraseForm(user, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        erasure.erase(user, now=clock.now())
        logout(request)
        messages.success(request, _("Your account is erased. Good-bye, and thank you for playing."))
        return redirect("home")
    context = {"form": form, "running": user.seats.filter(match__status="running").count()}
    return render(request, "profile/erase.html", context, status=422 if form.errors else 200)


def _signed_in(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
