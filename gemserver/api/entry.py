"""The way into the API. Its code is imported by the first request, because every process reads the list of addresses.

Worker, scheduler and mail processes write links, and so know these views; none of them ever calls one.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe


@csrf_exempt
def answer(request: HttpRequest, rest: str) -> HttpResponse:
    """Answer a program; `rest` is the address below the root."""
    from gemserver.api import service

    return service.answer(request, rest)


@never_cache
@require_safe
def guide(request: HttpRequest) -> HttpResponse:
    """The page that describes every address of the API, made from its document."""
    from gemserver.api.pages import show_guide

    return show_guide(request)


@never_cache
@require_safe
def examples(request: HttpRequest) -> HttpResponse:
    """The page of worked examples."""
    from gemserver.api.pages import show_examples

    return show_examples(request)
