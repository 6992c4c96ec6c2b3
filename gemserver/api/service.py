"""Answers the requests of programs: what holds for every address, around what each of them does."""

from __future__ import annotations

from hashlib import sha256

from django.http import HttpRequest, HttpResponse
from django.urls import Resolver404, URLPattern, URLResolver
from django.urls.resolvers import RegexPattern
from django.utils import translation
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _

from gemserver.api.bodies import require_fit
from gemserver.api.document import api, write_document
from gemserver.api.problems import Problem, no_such_address

# Without ninja's own page at the root, which answers 404 in HTML.
_patterns = [each for each in api.urls[0] if not (isinstance(each, URLPattern) and each.name == "api-root")]
_resolver = URLResolver(RegexPattern(r"^"), _patterns)
DOCUMENT = "openapi.json"


def answer(request: HttpRequest, rest: str) -> HttpResponse:
    """Answer one request. The language of the asker's account ends with it."""
    method = request.method
    with translation.override(translation.get_language()):
        try:
            response = _document(request) if rest == DOCUMENT else _call(request, rest)
        except Problem as found:
            response = found.answer()
        finally:
            request.method = method
        response.headers["Content-Language"] = translation.get_language() or "en"
    return _finish(request, response)


def _document(request: HttpRequest) -> HttpResponse:
    """The description of the API, which needs no token."""
    if request.method not in {"GET", "HEAD", "OPTIONS"}:
        raise _not_allowed("GET, HEAD, OPTIONS")
    if request.method == "OPTIONS":
        return HttpResponse(status=204, headers={"Allow": "GET, HEAD, OPTIONS"})
    require_fit(request)
    return HttpResponse(write_document(), content_type="application/json")


def _call(request: HttpRequest, rest: str) -> HttpResponse:
    """Answer below this address. The methods that it takes stand in ninja's refusal of `OPTIONS`, which none is for."""
    try:
        found = _resolver.resolve(rest)
    except Resolver404:
        raise no_such_address() from None
    asked, request.method = request.method, "OPTIONS"
    refused: HttpResponse = found.func(request, *found.args, **found.kwargs)
    known = sorted(refused.headers["Allow"].replace(" ", "").split(","))
    allowed = ", ".join([*known, *(["HEAD"] if "GET" in known else []), "OPTIONS"])
    if asked == "OPTIONS":
        return HttpResponse(status=204, headers={"Allow": allowed})
    request.method = "GET" if asked == "HEAD" else asked
    if request.method not in known:
        raise _not_allowed(allowed)
    require_fit(request)
    response: HttpResponse = found.func(request, *found.args, **found.kwargs)
    return response


def _not_allowed(allowed: str) -> Problem:
    sentence = _("This address takes only: %(methods)s.") % {"methods": allowed}
    return Problem(405, "method", sentence, {"Allow": allowed})


def _changed() -> Problem:
    sentence = _("What you ask for is not as “If-Match” names it; ask without that, and look at it again.")
    return Problem(412, "changed", sentence)


def _finish(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Add what every answer has: limits, an ETag of what the asker sees, and that nobody keeps it."""
    if request.method in {"GET", "HEAD"} and response.status_code == 200:
        etag = f'"{sha256(response.content).hexdigest()[:32]}"'
        response.headers["ETag"] = etag
        found = get_conditional_response(request, etag=etag, response=response)
        assert isinstance(found, HttpResponse)
        response = _changed().answer() if found.status_code == 412 else found
    response.headers["Cache-Control"] = "private, no-store"
    if asker := getattr(request, "asker", None):
        asker.add_limits(response)
    if request.method == "HEAD":
        length = str(len(response.content))
        response.content = b""
        response.headers["Content-Length"] = length
    return response
