"""Pages of the moderators' site that are no lists: the ledger of a match, and carrying out a measure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseForbidden
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.mailgate.models import InboundEmail
from gemserver.matches import selectors
from gemserver.matches.models import Match, Message, Report, Seat
from gemserver.matches.refusal import Refused
from gemserver.moderation import ledger as ledgers
from gemserver.moderation.measures import MEASURES
from gemserver.moderation.measures.contract import Measure, Order, Target, perform, require_no_party
from gemserver.moderation.paths import ledger_path, measure_links
from gemserver.notify.models import OutboxMessage

FIND: dict[Target, Callable[[str], Any]] = {
    Target.MATCH: lambda key: get_object_or_404(Match, code=key.upper()),
    Target.SEAT: lambda key: get_object_or_404(Seat.objects.select_related("match", "user"), pk=_number(key)),
    Target.MESSAGE: lambda key: get_object_or_404(Message.objects.select_related("match"), pk=_number(key)),
    Target.REPORT: lambda key: get_object_or_404(Report.objects.select_related("match"), pk=_number(key)),
    Target.OUTGOING: lambda key: get_object_or_404(OutboxMessage, pk=_number(key)),
    Target.INCOMING: lambda key: get_object_or_404(
        InboundEmail.objects.select_related("seat__match", "user"), pk=_number(key)
    ),
    Target.PLAYER: lambda key: get_object_or_404(User, username=key),
    Target.ADDRESS: str.lower,
}
"""How the last part of a measure's address names what it is about."""


def _number(key: str) -> int:
    if not key.isdecimal() or len(key) > 18:
        raise Http404
    return int(key)


@require_safe
def ledger(request: HttpRequest, code: str) -> HttpResponse:
    """Everything that happened in a match, and what can be done; not for those who have a part in it."""
    match = get_object_or_404(Match, code=code.upper())
    if selectors.is_party(_moderator(request), match):
        return HttpResponseForbidden(_party_page(request, match))
    seats = match.seats.select_related("user").order_by("index")
    context = {
        **admin.site.each_context(request),
        "title": _("Ledger of %(code)s") % {"code": match.code},
        "match": match,
        "entries": ledgers.ledger(match),
        "match_links": measure_links("match", match.code, match),
        "seats": [(seat, measure_links("seat", seat.pk, seat)) for seat in seats],
    }
    return render(request, "admin/ledger.html", context)


def _party_page(request: HttpRequest, match: Match | None, why: str = "") -> str:
    title = match.code if match else _("Not yours to do")
    context = {**admin.site.each_context(request), "title": title, "match": match, "why": why}
    return render(request, "admin/party.html", context).content.decode()


@require_http_methods(["GET", "HEAD", "POST"])
def measure(request: HttpRequest, verb: str, key: str) -> HttpResponse:
    """Ask for the reason and whatever else a measure needs, and carry it out once."""
    chosen = MEASURES.get(verb)
    if chosen is None:
        raise Http404
    moderator = _moderator(request)
    subject = FIND[chosen.target](key)
    match = chosen.match_of(subject)
    try:
        require_no_party(moderator, chosen, subject)
    except Refused as refusal:
        return HttpResponseForbidden(_party_page(request, match, refusal.text()))
    if not moderator.has_role(chosen.role):
        return HttpResponseForbidden(_("Your role does not allow this; ask another moderator."))
    form = chosen.form(subject, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        request_key = request.POST.get("request_key") or get_random_string(32)
        order = Order(moderator, form.cleaned_data["reason"], request_key[:64], clock.now())
        try:
            entry = perform(chosen, order, subject, form.cleaned_data)
        except Refused as refusal:
            form.add_error(None, refusal.text())
        else:
            messages.success(request, _("Done: %(entry)s") % {"entry": entry})
            return redirect(_after(chosen, subject))
    context = {
        **admin.site.each_context(request),
        "title": chosen.title,
        "measure": chosen,
        "form": form,
        "subject": subject,
        "match": match,
        "request_key": request.POST.get("request_key") or get_random_string(32),
        "back": _after(chosen, subject),
    }
    return render(request, "admin/measure.html", context, status=409 if form.non_field_errors() else 200)


def _after(measure: Measure, subject: Any) -> str:
    """Where the work goes on: the ledger of the match, else the start page."""
    match = measure.match_of(subject)
    return ledger_path(match) if match else "/admin/"


def _moderator(request: HttpRequest) -> User:
    assert isinstance(request.user, User), "the site's own check lets nobody else in"
    return request.user
