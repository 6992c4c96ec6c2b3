"""The imprint and the page on privacy, where the operator has written them."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from gemserver.lib.text.legal_texts import find_text
from gemserver.operating.kept import list_kept


@require_safe
def imprint(request: HttpRequest) -> HttpResponse:
    """The operator's name and address, as they have written them."""
    return _show(request, "imprint")


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """The operator's words on privacy, and below them what the server keeps for how long."""
    return _show(request, "privacy")


def _show(request: HttpRequest, kind: str) -> HttpResponse:
    text = find_text(kind)
    if text is None:
        raise Http404
    kept = list_kept() if kind == "privacy" else []
    return render(request, "matches/legal.html", {"kind": kind, "text": text, "kept": kept})
