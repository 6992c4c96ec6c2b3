"""Views behind the sitter buttons."""

from __future__ import annotations

from functools import partial

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.lib.web.sent_number import read_number
from gemserver.matches.actions.seats.ask_sitter import (
    agree_to_sit,
    end_sitting,
    propose_sitting,
    refuse_to_sit,
)
from gemserver.matches.readers import Reader
from gemserver.matches.refusal import Refused
from gemserver.site.lookups import find_reader
from gemserver.site.match.match_views import Entered, show_match
from gemserver.site.match.sitter_page import SitterForm
from gemserver.site.refused_forms import carry_out


@login_required
@require_POST
def sitter(request: HttpRequest, code: str) -> HttpResponse:
    """Ask a sitter, answer such a request, or end the sitting (`do`: propose, agree, refuse, end)."""
    assert isinstance(request.user, User)
    reader = find_reader(code, request.user, clock.now())
    if request.POST.get("do") == "propose":
        return _propose(request, reader, request.user)
    try:
        messages.success(request, _answer(request, request.user))
    except Refused as refusal:
        messages.error(request, refusal.text())
    return redirect(reader.match)


def _propose(request: HttpRequest, reader: Reader, user: User) -> HttpResponse:
    """Ask a sitter; a refused request stays in the form."""
    if reader.seat is None:
        raise Http404
    form = SitterForm(request.POST)
    asked = carry_out(form, partial(propose_sitting, reader.match.pk, user, now=clock.now()))
    if asked is None:
        return show_match(request, reader, Entered(sitter=form))
    said = _("%(name)s has been asked. You play yourself until %(name)s agrees.")
    messages.success(request, said % {"name": asked.sitter.shown_name})
    return redirect(reader.match)


def _answer(request: HttpRequest, user: User) -> str:
    """Answer a request or end a sitting, and return the message to show. Raises Refused."""
    now = clock.now()
    match request.POST.get("do"):
        case "agree":
            sitting = agree_to_sit(_chosen(request), user, now=now)
            return _("Thank you. You play for %(name)s in that time.") % {"name": sitting.player.shown_name}
        case "refuse":
            sitting = refuse_to_sit(_chosen(request), user, now=now)
            return _("You do not play for %(name)s; %(name)s is told.") % {"name": sitting.player.shown_name}
        case _:
            end_sitting(_chosen(request), user, now=now)
            return _("You play this seat yourself.")


def _chosen(request: HttpRequest) -> int:
    return read_number(request.POST.get("sitting", "")) or 0
