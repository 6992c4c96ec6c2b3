"""What exists in the embedded server only, and there only for the person at the machine itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from ipaddress import IPv6Address, ip_address

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse


def embedded_only(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """The view answers 404 unless the server is the embedded one and the request came over a loopback address."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if not settings.EMBEDDED or not is_loopback(request.META.get("REMOTE_ADDR", "")):
            raise Http404
        return view(request, *args, **kwargs)

    return guarded


def is_loopback(address: str) -> bool:
    """Whether this is an address of the machine itself (`127.0.0.1`, `::1`, `::ffff:127.0.0.1`)."""
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, IPv6Address) and ip.ipv4_mapped:
        ip = ip.ipv4_mapped
    return ip.is_loopback
