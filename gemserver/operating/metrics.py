"""`/metrics`: the gauges of the database in Prometheus' text format."""

from __future__ import annotations

import hmac

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from gemserver.lib import clock
from gemserver.operating.gauges import measure


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Serve the figures to whoever sends `Authorization: Bearer METRICS_TOKEN`; 404 if no token is set.

    A client's address would prove nothing: behind a proxy all requests come from the same one.
    """
    if not settings.METRICS_TOKEN:
        raise Http404
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not hmac.compare_digest(
        token.strip().encode(), settings.METRICS_TOKEN.encode()
    ):
        return HttpResponse(
            "Send the token of METRICS_TOKEN as a bearer token.\n",
            status=401,
            content_type="text/plain",
            headers={"WWW-Authenticate": "Bearer"},
        )
    # Loaded for those who ask: most servers have no token.
    from gemserver.operating.exposition import CONTENT_TYPE_LATEST, expose

    return HttpResponse(expose(measure(clock.now())), content_type=CONTENT_TYPE_LATEST)
