"""The page about a player's time: hours, reminders, vacation and feeds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from gemserver.accounts.hours import hours_at
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.actions.people.renew_feed import feed_token, renew_feed
from gemserver.matches.actions.time.set_hours import NOTICE, set_hours, set_leads
from gemserver.matches.actions.time.take_vacation import announce_vacation, end_vacation, vacation_days_left
from gemserver.matches.refusal import Refused
from gemserver.site.account.time_forms import HoursForm, LeadsForm
from gemserver.site.days_forms import DaysForm
from gemserver.site.refused_forms import require_valid, say_above


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def time(request: HttpRequest) -> HttpResponse:
    """The player's hours, reminders, vacation and feeds; POST changes one of them, named by `do`."""
    assert isinstance(request.user, User)
    change = _CHANGES.get(request.POST.get("do", ""))
    if request.method != "POST" or change is None:
        return _show(request, request.user)
    try:
        said = change(request)
    except (Refused, forms.ValidationError) as refusal:
        return _show(request, request.user, refusal)
    messages.success(request, said)
    return redirect("time")


_FIELDS = {"hours": "quiet_start", "leads": "minutes", "vacation": "first"}
"""The field of each form at which a refusal of the action stands."""


def _show(
    request: HttpRequest, user: User, refusal: Refused | forms.ValidationError | None = None
) -> HttpResponse:
    now = clock.now()
    year = now.astimezone(user.zone).year
    hours = user.hours.order_by("-effective_at", "-pk").first() or hours_at(user, now)
    chosen: dict[str, dict[str, Any]] = {
        "hours": {
            "zone": hours.time_zone,
            "quiet_start": hours.quiet_start,
            "quiet_end": hours.quiet_end,
        },
        "leads": {"minutes": user.reminder_minutes},
    }
    sent = request.POST.get("do", "") if refusal else ""
    kept = {sent: request.POST}  # a refused form keeps what was typed
    shown: dict[str, forms.Form] = {
        "hours": HoursForm(kept.get("hours"), initial=chosen["hours"]),
        "leads": LeadsForm(kept.get("leads"), own=user.reminder_leads, initial=chosen["leads"]),
        "vacation": DaysForm(kept.get("vacation")),
    }
    context = {
        "refusal": say_above(refusal, shown.get(sent), _FIELDS.get(sent, "")) if refusal else "",
        "hours": hours if hours.effective_at > now else None,
        "hours_form": shown["hours"],
        "leads_form": shown["leads"],
        "days_form": shown["vacation"],
        "vacations": user.vacations.filter(last__gte=now.astimezone(user.zone).date()),
        "days_left": vacation_days_left(user, year),
        "year": year,
        "feeds": _feeds(user),
        "nav": "profile",
    }
    return render(request, "matches/time.html", context, status=422 if refusal else 200)


def _feeds(user: User) -> dict[str, str]:
    """The complete private addresses."""
    token = feed_token(user)
    calendar = settings.SITE_URL + reverse("feed-calendar", args=[token])
    return {
        "calendar": calendar,
        "webcal": f"webcal://{calendar.partition('://')[2]}",
        "news": settings.SITE_URL + reverse("feed-news", args=[token]),
    }


def _change_hours(request: HttpRequest) -> str:
    given = require_valid(HoursForm(request.POST)).cleaned_data
    start, end = given["quiet_start"], given["quiet_end"]
    quiet = (start, end) if start is not None else None
    hours = set_hours(_player(request), quiet=quiet, zone=given["zone"], now=clock.now())
    if hours.effective_at <= clock.now():
        return _("Saved, for turns that begin from now on.")
    return _("Saved, for turns that begin in %(hours)d hours or later.") % {
        "hours": NOTICE.total_seconds() // 3600
    }


def _change_leads(request: HttpRequest) -> str:
    player = _player(request)
    form = require_valid(LeadsForm(request.POST, own=player.reminder_leads))
    set_leads(player, form.leads(), now=clock.now())
    return _("Saved, for open turns too.")


def _announce(request: HttpRequest) -> str:
    given = require_valid(DaysForm(request.POST)).cleaned_data
    announce_vacation(_player(request), given["first"], given["last"], now=clock.now())
    return _("Your vacation is announced at all your tables. What is due within the hour stays due.")


def _end(request: HttpRequest) -> str:
    end_vacation(_player(request), now=clock.now())
    return _("Your vacation ends; your clocks run again from tomorrow at the latest.")


def _renew_feed(request: HttpRequest) -> str:
    renew_feed(_player(request))
    return _("Your calendar and your news have new addresses; the old ones are dead.")


def _player(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user


_CHANGES: Mapping[str, Callable[[HttpRequest], str]] = {
    "hours": _change_hours,
    "leads": _change_leads,
    "vacation": _announce,
    "end-vacation": _end,
    "renew-feed": _renew_feed,
}
