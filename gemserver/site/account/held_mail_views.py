"""The page that asks a player whether a mail from an unknown address was theirs (mail-requirements.md S4)."""

from __future__ import annotations

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from gemserver.inbox import held_mail
from gemserver.inbox.results import LineResult


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def held(request: HttpRequest, pk: int, mac: str) -> HttpResponse:
    """GET shows the mail's sender and exact lines with three buttons; POST carries out the chosen one."""
    row = held_mail.find(pk)
    if row is None or not held_mail.may_open(row, mac):  # before anything is locked
        raise Http404
    with transaction.atomic():
        row = held_mail.lock(pk) if request.method == "POST" else row
        if row is None or row.user is None:
            raise Http404
        is_open = held_mail.is_open(row)
        choice = request.POST.get("choice", "")
        if request.method == "POST" and is_open and choice in held_mail.CHOICES:
            held_mail.answer(row, choice)
    lines = [LineResult.from_json(result).line for result in row.results]
    match = row.seat.match if row.seat else None
    context = {"row": row, "match": match, "lines": lines, "is_open": is_open, "choice": choice}
    return render(request, "accounts/held.html", context)
