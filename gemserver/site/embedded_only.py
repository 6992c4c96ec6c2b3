"""Restricts views to the embedded server, and there to the person at the machine itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse

from gemserver.lib.process.loopback import is_loopback


def embedded_only(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Make the view answer 404 unless this is the embedded server and the request came over a loopback address."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if not settings.EMBEDDED or not is_loopback(request.META.get("REMOTE_ADDR", "")):
            raise Http404
        return view(request, *args, **kwargs)

    return guarded
