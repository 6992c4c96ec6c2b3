"""Pages of the moderators' site that are not lists: the timeline of a match, and the form of an action."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseForbidden
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.lib.web.sent_number import read_number
from gemserver.matches import selectors
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused
from gemserver.moderation.actions import ACTIONS
from gemserver.moderation.actions.action import (
    Action,
    ActionForm,
    ActionRequest,
    last_about,
    perform,
    require_no_party,
)
from gemserver.moderation.actions.targets import Target
from gemserver.moderation.paths import action_links, timeline_path
from gemserver.moderation.timeline import read_timeline


@require_safe
def timeline(request: HttpRequest, code: str) -> HttpResponse:
    """Everything that happened in a match, with links to actions; `?only=talk` leaves the talk.

    It is not for people who take part in the match.
    """
    match = get_object_or_404(Match, code=code.upper())
    if selectors.is_party(_moderator(request), match):
        return HttpResponseForbidden(_party_page(request, match))
    seats = match.read_seats()
    entries, only_talk = read_timeline(match), request.GET.get("only") == "talk"
    context = {
        **admin.site.each_context(request),
        "title": _("Timeline of %(code)s") % {"code": match.code},
        "match": match,
        "entries": [entry for entry in entries if entry.kind == "talk"] if only_talk else entries,
        "only_talk": only_talk,
        "match_links": action_links(Target.MATCH, match),
        "seats": [(seat, action_links(Target.SEAT, seat)) for seat in seats],
    }
    return render(request, "admin/timeline.html", context)


def _party_page(request: HttpRequest, match: Match | None, why: str = "") -> str:
    title = match.code if match else _("Not yours to do")
    context = {**admin.site.each_context(request), "title": title, "match": match, "why": why}
    return render(request, "admin/party.html", context).content.decode()


@require_http_methods(["GET", "HEAD", "POST"])
def action(request: HttpRequest, verb: str, key: str) -> HttpResponse:
    """Ask for the reason and anything else that the action needs, and carry it out once."""
    chosen = ACTIONS.get(verb)
    if chosen is None:
        raise Http404
    subject = chosen.target.find(key)
    if page := _not_yours(request, chosen, subject):
        return HttpResponseForbidden(page)
    if request.method != "POST":
        return _form_page(request, chosen, subject, chosen.make_form(subject, None))
    form = chosen.make_form(subject, request.POST)
    if not form.is_valid():
        return _form_page(request, chosen, subject, form, seen=read_number(request.POST.get("seen", "")))
    reason, request_key = (
        form.cleaned_data["reason"],
        request.POST.get("request_key") or get_random_string(32),
    )
    seen = read_number(request.POST.get("seen", ""))
    asked = ActionRequest(_moderator(request), reason, request_key, clock.now(), seen)
    try:
        entry = perform(chosen, asked, subject, form.cleaned_data)
    except Refused as refusal:
        form.add_error(None, refusal.text())
        return _form_page(request, chosen, subject, form, status=409)
    messages.success(request, _("Done: %(entry)s") % {"entry": entry})
    return redirect(_after(chosen, subject))


def _not_yours(request: HttpRequest, chosen: Action, subject: Any) -> str:
    """The page that says why this moderator may not do this; empty if they may."""
    moderator = _moderator(request)
    try:
        require_no_party(moderator, chosen, subject)
    except Refused as refusal:
        return _party_page(request, chosen.target.match_of(subject), refusal.text())
    if moderator.has_role(chosen.role):
        return ""
    why = _("This takes the role “%(role)s”; ask somebody who has it.") % {"role": chosen.role.label}
    return _party_page(request, None, why)


def _form_page(
    request: HttpRequest,
    chosen: Action,
    subject: Any,
    form: ActionForm,
    *,
    seen: int | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render the form with the last audit entry about the subject (`seen`; None: read it now)."""
    match = chosen.target.match_of(subject)
    if seen is None:
        last = last_about(chosen.target, subject)
        seen = last.number if last else 0
    context = {
        **admin.site.each_context(request),
        "title": chosen.title,
        "action": chosen,
        "form": form,
        "about": chosen.target.describe(subject),
        "match": match,
        "request_key": request.POST.get("request_key") or get_random_string(32),
        "seen": seen,
        "back": _after(chosen, subject),
    }
    return render(request, "admin/action.html", context, status=status)


def _after(chosen: Action, subject: Any) -> str:
    """The page to go back to: the timeline of the match, else the start page."""
    match = chosen.target.match_of(subject)
    return timeline_path(match) if match else reverse("admin:index")


def _moderator(request: HttpRequest) -> User:
    assert isinstance(request.user, User), "the site's own check lets nobody else in"
    return request.user
