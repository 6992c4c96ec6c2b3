"""Every address of the site."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import URLPattern, URLResolver, get_resolver


def every_route() -> Iterator[str]:
    """Yield every route as URL patterns write it: `m/<str:code>/`."""
    return _list_routes(get_resolver(), "")


def _list_routes(resolver: URLResolver, prefix: str) -> Iterator[str]:
    for pattern in resolver.url_patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _list_routes(pattern, route)
        else:
            assert isinstance(pattern, URLPattern)
            yield route
