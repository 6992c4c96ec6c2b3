"""Views behind the form for a table's holiday, and the answers to a proposed one, on the page of a match."""

from __future__ import annotations

from functools import partial

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.actions.time.propose_holiday import agree_to_holiday, propose_holiday, refuse_holiday
from gemserver.matches.readers import Reader
from gemserver.matches.refusal import Refused
from gemserver.matches.words.consents import say_consent
from gemserver.matches.words.messages import words_of
from gemserver.site.days_forms import HolidayForm
from gemserver.site.lookups import find_reader
from gemserver.site.match.match_views import Entered, show_match
from gemserver.site.refused_forms import carry_out


@login_required
@require_POST
def holiday(request: HttpRequest, code: str) -> HttpResponse:
    """Propose days off for the table, or answer the proposal (`do`: propose, agree, refuse)."""
    assert isinstance(request.user, User)
    user, now = request.user, clock.now()
    reader = find_reader(code, user, now)
    answer = _ANSWERS.get(request.POST.get("do", ""))
    if answer is None:
        return _propose(request, reader, user)
    try:
        answer(reader.match.pk, user, now=now)
    except Refused as refusal:
        messages.error(request, refusal.text())
    return redirect(reader.match)


_ANSWERS = {"agree": agree_to_holiday, "refuse": refuse_holiday}


def _propose(request: HttpRequest, reader: Reader, user: User) -> HttpResponse:
    """Propose days off; refused days stay in the form."""
    if reader.seat is None:
        raise Http404
    form = HolidayForm(request.POST)
    proposed = carry_out(form, partial(propose_holiday, reader.match.pk, user, now=clock.now()))
    if proposed is None:
        return show_match(request, reader, Entered(holiday=form))
    messages.success(request, words_of(say_consent(proposed)))
    return redirect(reader.match)
