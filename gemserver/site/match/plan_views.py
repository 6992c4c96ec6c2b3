"""Views behind the form for plans and undo on the page of a match."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.lib.web.sent_number import read_number
from gemserver.matches.accepted_words import say_accepted
from gemserver.matches.actions.play.propose_undo import agree_to_undo, propose_undo, refuse_undo
from gemserver.matches.actions.play.store_plan import clear_plan, store_plan
from gemserver.matches.models import Match, Move
from gemserver.matches.readers import Reader
from gemserver.matches.refusal import Refused
from gemserver.matches.words.consents import say_consent
from gemserver.matches.words.messages import words_of
from gemserver.site.lookups import find_match
from gemserver.site.match.match_views import Entered, show_match
from gemserver.site.match.move_forms import write_order
from gemserver.site.match.talk_page import Typed

LONGEST_PLAN = 4000


@login_required
@require_POST
def orders(request: HttpRequest, code: str) -> HttpResponse:
    """Store or clear the plan, ask for an undo or answer one (`do`); a refused plan stays in its field."""
    found, seat = find_match(code, request.user)
    change = _CHANGES.get(request.POST.get("do", ""))
    if seat is None or change is None:
        raise Http404
    try:
        messages.success(request, change(request, found))
    except Refused as refusal:
        refused = Typed(_typed_plan(request), refusal.text())
        return show_match(request, Reader(found, seat), Entered(plan=refused))
    return redirect(f"{found.get_absolute_url()}#orders")


def _player(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user


def _store(request: HttpRequest, match: Match) -> str:
    seen = read_number(request.POST.get("seen_ply", ""))
    accepted = store_plan(
        match.pk,
        _player(request),
        _typed_plan(request),
        source=Move.Source.WEB,
        request_id=request.POST.get("request_id", ""),
        seen_ply=None if seen is None else min(seen, match.ply),
        now=clock.now(),
    )
    return say_accepted(accepted)


def _typed_plan(request: HttpRequest) -> str:
    """The plan as it was typed, or the order with the number that was asked for."""
    fields = request.POST
    if "number" in fields:
        return write_order(fields)[:LONGEST_PLAN]
    return fields.get("plan", "")[:LONGEST_PLAN]


def _clear(request: HttpRequest, match: Match) -> str:
    clear_plan(match.pk, _player(request), now=clock.now())
    return _("Your plan is gone; you are asked as usual.")


def _propose(request: HttpRequest, match: Match) -> str:
    return words_of(say_consent(propose_undo(match.pk, _player(request), now=clock.now())))


def _agree(request: HttpRequest, match: Match) -> str:
    return words_of(say_consent(agree_to_undo(match.pk, _player(request), now=clock.now())))


def _refuse(request: HttpRequest, match: Match) -> str:
    refuse_undo(match.pk, _player(request), now=clock.now())
    return _("The moves stay as they are.")


_CHANGES: Mapping[str, Callable[[HttpRequest, Match], str]] = {
    "store": _store,
    "clear": _clear,
    "undo": _propose,
    "agree": _agree,
    "refuse": _refuse,
}
