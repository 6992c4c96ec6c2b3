"""Pages of the moderators' site about the server as a whole: incidents, delivery of mail, accounts that are alike."""

from __future__ import annotations

from datetime import date, timedelta

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from gemserver.accounts.roles import Role
from gemserver.lib import clock
from gemserver.matches.words.clocks import span
from gemserver.moderation.alike_accounts import MOST_ADDRESSES, MOST_CHANGES, find_pairs
from gemserver.moderation.lists.read_only import own_matches, reader_of
from gemserver.notify import figures
from gemserver.operating.incidents import count_credited, troubles

PER_PAGE = 50
DAYS = 14
MOST_PROVIDERS = 30
OLDEST = timedelta(days=366)


@require_safe
def incidents(request: HttpRequest) -> HttpResponse:
    """Incidents: alarms, time without scheduler or mail, and the time credited to clocks."""
    page = Paginator(troubles(), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        **admin.site.each_context(request),
        "title": _("Incidents"),
        "page": page,
        "troubles": [
            (trouble, span(trouble.credit) if trouble.credit else "", count)
            for trouble, count in count_credited(list(page))
        ],
    }
    return render(request, "admin/incidents.html", context)


@require_safe
def delivery(request: HttpRequest) -> HttpResponse:
    """Delivery of mail: two weeks by day, and one day by provider; without the reader's own running matches."""
    today = timezone.localdate(clock.now())
    day = _day(request.GET.get("day", ""), today)
    without = [match.thread for match in own_matches(request)]
    last = today if today - day < timedelta(days=DAYS) else day
    context = {
        **admin.site.each_context(request),
        "title": _("Delivery of mail"),
        "day": day,
        "days": figures.by_day(last, DAYS, without=without),
        "providers": figures.by_provider(day, MOST_PROVIDERS, without=without),
        "sources": figures.by_source(day, without=without),
        "is_own_left_out": bool(without),
    }
    return render(request, "admin/delivery.html", context)


@require_safe
def alike_accounts(request: HttpRequest) -> HttpResponse:
    """Pairs of accounts that may be one person's; for moderators, not for helpers, who could do nothing about them."""
    reader = reader_of(request)
    if not reader.has_role(Role.MODERATOR):
        raise PermissionDenied  # `403.html` says what to do
    context = {
        **admin.site.each_context(request),
        "title": _("One person, several accounts?"),
        "pairs": find_pairs(reader),
        "most_addresses": MOST_ADDRESSES,
        "most_results": MOST_CHANGES,
    }
    return render(request, "admin/alike_accounts.html", context)


def _day(text: str, today: date) -> date:
    """The day given in the address, if it is within the last year; else today."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return today
    return day if today - OLDEST < day <= today else today
