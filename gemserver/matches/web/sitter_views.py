"""Having somebody play a seat for a while: the part of a match's page about it, and what its buttons do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches import sitters
from gemserver.matches.actions.sitting import agree_to_sit, end_sitting, propose_sitting, refuse_to_sit
from gemserver.matches.models import Match, Sitting
from gemserver.matches.refusal import Refused
from gemserver.matches.web.match_page import find_match
from gemserver.matches.web.time_forms import DaysForm, first_error


class SitterForm(DaysForm):
    """Who is to play, and from when to when."""

    name = forms.CharField(
        label=gettext_lazy("Player"), max_length=150, widget=forms.TextInput({"autocomplete": "off"})
    )
    field_order = ["name", "first", "last"]


@dataclass(frozen=True)
class SitterPanel:
    """What a match's page says to one reader about sitting: as the seat's player, or as who is asked to play there."""

    sittings: Sequence[Sitting]
    reader: User
    now: datetime

    @property
    def given(self) -> Sitting | None:
        """Somebody is asked to play the reader's seat, has agreed, or plays it."""
        return next((sitting for sitting in self.sittings if sitting.player == self.reader), None)

    @property
    def taken(self) -> Sitting | None:
        """The reader is asked to play somebody's seat, has agreed, or plays it."""
        return next((sitting for sitting in self.sittings if sitting.sitter == self.reader), None)

    @property
    def has_begun(self) -> bool:
        """Whether the sitter may move already."""
        found = self.given or self.taken
        return found is not None and sitters.has_begun(found, self.now)

    @property
    def form(self) -> SitterForm:
        return SitterForm()


@login_required
@require_POST
def sitter(request: HttpRequest, code: str) -> HttpResponse:
    """Ask somebody to play one's seat, answer such a question, or end it (`do`: propose, agree, refuse, end)."""
    assert isinstance(request.user, User)
    match, _seat = find_match(code, request.user)
    try:
        messages.success(request, _carry_out(request, match, request.user))
    except Refused as refusal:
        messages.error(request, refusal.text())
    except forms.ValidationError as error:
        messages.error(request, error.messages[0])
    return redirect(match)


def _carry_out(request: HttpRequest, match: Match, user: User) -> str:
    now = clock.now()
    match request.POST.get("do"):
        case "propose":
            return _propose(request, match, user, now)
        case "agree":
            sitting = agree_to_sit(_chosen(request), user, now=now)
            return _("Thank you. You play for %(name)s in that time.") % {"name": sitting.player.username}
        case "refuse":
            sitting = refuse_to_sit(_chosen(request), user, now=now)
            return _("You do not play for %(name)s; %(name)s is told.") % {"name": sitting.player.username}
        case _:
            end_sitting(_chosen(request), user, now=now)
            return _("You play this seat yourself.")


def _propose(request: HttpRequest, match: Match, user: User, now: datetime) -> str:
    form = SitterForm(request.POST)
    if not form.is_valid():
        raise forms.ValidationError(first_error(form))
    given = form.cleaned_data
    sitting = propose_sitting(match.pk, user, given["name"], given["first"], given["last"], now=now)
    return _("%(name)s is asked. You play yourself until %(name)s agrees.") % {
        "name": sitting.sitter.username
    }


def _chosen(request: HttpRequest) -> int:
    number = request.POST.get("sitting", "")
    return int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 0
