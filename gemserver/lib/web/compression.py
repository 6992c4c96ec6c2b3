"""Compresses answers, but not what is compressed already."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware


class Compression(GZipMiddleware):
    """Pads with random bytes, so that the length of a page tells no secret (BREACH)."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if response.headers.get("Content-Type") == "application/gzip":
            return response
        return super().process_response(request, response)
