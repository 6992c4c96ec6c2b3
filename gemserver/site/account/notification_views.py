"""Pages for notification choices: for all matches, for one match, and a snooze."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.actions.people.choose_channels import choose_channels
from gemserver.matches.actions.people.set_mail_mode import set_mail_mode, set_receipts
from gemserver.matches.actions.people.snooze import due_by, end_snooze, snooze
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused
from gemserver.puzzles.subscribing import is_subscribed, subscribe, unsubscribe
from gemserver.site.account.notification_forms import ChannelsForm, SnoozeForm
from gemserver.site.account.time_forms import MailForm, ReceiptsForm
from gemserver.site.lookups import find_match
from gemserver.site.refused_forms import require_valid, say_above


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def notifications(request: HttpRequest) -> HttpResponse:
    """The player's choices for all matches; POST changes one thing, named by `do`."""
    user = _player(request)
    change = _CHANGES.get(request.POST.get("do", ""))
    if change is None:
        return _show(request, user)
    try:
        said = change(request, user)
    except (Refused, forms.ValidationError) as refusal:
        return _show(request, user, refusal)
    messages.success(request, said)
    return redirect("notifications")


_FIELDS = {"channels": "digest_at", "snooze": "hours"}
"""The field of each form at which a refusal of the action stands."""


def _show(
    request: HttpRequest, user: User, refusal: Refused | forms.ValidationError | None = None
) -> HttpResponse:
    now = clock.now()
    sent = request.POST.get("do", "") if refusal else ""
    kept = {sent: request.POST}  # a refused form keeps what was typed
    shown: dict[str, forms.Form] = {
        "channels": ChannelsForm(user, None, kept.get("channels")),
        "mail": MailForm(kept.get("mail"), initial={"mode": user.mail_mode, "digest_at": user.digest_at}),
        "receipts": ReceiptsForm(kept.get("receipts"), initial={"level": user.receipts}),
        "snooze": SnoozeForm(kept.get("snooze")),
    }
    context = {
        "refusal": say_above(refusal, shown.get(sent), _FIELDS.get(sent, "")) if refusal else "",
        "form": shown["channels"],
        "mail_form": shown["mail"],
        "receipts_form": shown["receipts"],
        "snooze_form": shown["snooze"],
        "snoozed_until": user.snoozed_until if user.snoozed_until and user.snoozed_until > now else None,
        "matches": Match.objects.filter(seats__user=user, status=Match.Status.RUNNING).order_by("pk"),
        "gets_puzzles": is_subscribed(user),
        "chosen": set(user.notification_choices.exclude(match=None).values_list("match", flat=True)),
        "nav": "profile",
    }
    return render(request, "matches/notifications.html", context, status=422 if refusal else 200)


def _keep_grid(request: HttpRequest, user: User) -> str:
    form = require_valid(ChannelsForm(user, None, request.POST))
    choose_channels(user, None, form.channels(), digest_at=form.cleaned_data["digest_at"], now=clock.now())
    return _("Saved, for all matches for which you have chosen nothing else.")


def _keep_mode(request: HttpRequest, user: User) -> str:
    given = require_valid(MailForm(request.POST)).cleaned_data
    set_mail_mode(user, User.MailMode(given["mode"]), now=clock.now(), digest_at=given["digest_at"])
    return _("Saved.")


def _keep_receipts(request: HttpRequest, user: User) -> str:
    set_receipts(user, User.Receipts(require_valid(ReceiptsForm(request.POST)).cleaned_data["level"]))
    return _("Saved.")


def _snooze(request: HttpRequest, user: User) -> str:
    hours = require_valid(SnoozeForm(request.POST)).cleaned_data["hours"]
    now = clock.now()
    until = snooze(user, timedelta(hours=hours), now=now)
    if due := due_by(user, until, now=now):
        return _(
            "No mail about turns until then. Your clocks run on; your time is up before that in %(codes)s."
        ) % {"codes": ", ".join(due)}
    return _("No mail about turns until then. Your clocks run on.")


def _wake(request: HttpRequest, user: User) -> str:
    end_snooze(user, now=clock.now())
    return _("You get mail about turns again.")


def _begin_puzzles(request: HttpRequest, user: User) -> str:
    subscribe(user, now=clock.now())
    return _("You get each day's puzzle by mail from tomorrow on.")


def _end_puzzles(request: HttpRequest, user: User) -> str:
    unsubscribe(user)
    return _("You get no more puzzles by mail.")


_CHANGES: Mapping[str, Callable[[HttpRequest, User], str]] = {
    "channels": _keep_grid,
    "mail": _keep_mode,
    "receipts": _keep_receipts,
    "snooze": _snooze,
    "wake": _wake,
    "puzzles": _begin_puzzles,
    "no-puzzles": _end_puzzles,
}


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def match_notifications(request: HttpRequest, code: str) -> HttpResponse:
    """The player's choices for one match that they play in."""
    user, (match, seat) = _player(request), find_match(code, request.user)
    if seat is None:
        raise Http404
    form, refusal = ChannelsForm(user, match, request.POST if request.method == "POST" else None), ""
    if request.method == "POST":
        try:
            choose_channels(user, match, require_valid(form).channels(), now=clock.now())
            messages.success(request, _("Saved, for this match."))
            return redirect(match)
        except (Refused, forms.ValidationError) as error:
            refusal = say_above(error, None)
    context = {"match": match, "form": form, "refusal": refusal}
    return render(request, "matches/match_notifications.html", context, status=422 if refusal else 200)


def _player(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
