"""View behind the button on the first page that tries a given-up address again."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from gemserver.accounts.models import UnreachableAddress, User
from gemserver.accounts.reachability import lost_addresses
from gemserver.lib import clock
from gemserver.matches.actions.people.set_mail_mode import set_mail_mode
from gemserver.matches.actions.people.try_address_again import try_address_again
from gemserver.matches.refusal import Refused


@login_required
@require_POST
def try_again(request: HttpRequest) -> HttpResponse:
    """Try one of the player's own addresses again; after a complaint, mail about turns is switched on again too."""
    assert isinstance(request.user, User)
    now = clock.now()
    for lost in lost_addresses(request.user):
        if lost.address != request.POST.get("address", ""):
            continue
        try:
            try_address_again(lost.address, now=now)
        except Refused as refusal:
            messages.error(request, refusal.text())
            continue
        if lost.why == UnreachableAddress.Reason.COMPLAINED:
            set_mail_mode(request.user, User.MailMode.TURNS, now=now)
        messages.success(
            request, gettext("The next mail goes to %(address)s again.") % {"address": lost.address}
        )
    return redirect("home")
