"""Compresses answers, but not what is compressed already."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import patch_vary_headers


class Compression(GZipMiddleware):
    """Pads with random bytes, so that the length of a page tells no secret (BREACH)."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if response.headers.get("Content-Type") == "application/gzip":
            return response
        if _refuses_gzip(request.headers.get("Accept-Encoding", "")):
            patch_vary_headers(response, ("Accept-Encoding",))
            return response
        return super().process_response(request, response)


def _refuses_gzip(accepted: str) -> bool:
    """True for `gzip;q=0`, which says “not this one” (RFC 9110, 12.4.2); Django looks for the word alone."""
    for each in accepted.lower().split(","):
        coding, _semicolon, weight = each.replace(" ", "").partition(";")
        if coding == "gzip" and weight.startswith("q=0"):
            return not weight.removeprefix("q=0").strip(".0")
    return False
