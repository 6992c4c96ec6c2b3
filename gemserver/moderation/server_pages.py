"""Pages of the moderators' site about the server as a whole: what has happened to it."""

from __future__ import annotations

from django.contrib import admin
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from gemserver.matches.clock_words import span
from gemserver.operating.incidents import count_credited, troubles

PER_PAGE = 50


@require_safe
def incidents(request: HttpRequest) -> HttpResponse:
    """What has happened to the server: alarms, time without scheduler or mail, and what clocks were credited."""
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
