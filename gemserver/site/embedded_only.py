"""Restricts views to the embedded server, and there to the person at the machine itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from ipaddress import IPv6Address, ip_address

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse


def embedded_only(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Make the view answer 404 unless this is the embedded server and the request came over a loopback address."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if not settings.EMBEDDED or not is_loopback(request.META.get("REMOTE_ADDR", "")):
            raise Http404
        return view(request, *args, **kwargs)

    return guarded


def is_loopback(address: str) -> bool:
    """True for an address of the machine itself (`127.0.0.1`, `::1`, `::ffff:127.0.0.1`)."""
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, IPv6Address) and ip.ipv4_mapped:
        ip = ip.ipv4_mapped
    return ip.is_loopback
