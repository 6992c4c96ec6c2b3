"""The manifest with which a browser installs the site like an application."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import get_language, gettext
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

ICONS = (
    ("favicon.svg", "any", "image/svg+xml", "any"),
    ("icons/icon-192.png", "192x192", "image/png", "any"),
    ("icons/icon-512.png", "512x512", "image/png", "any"),
    ("icons/icon-maskable-512.png", "512x512", "image/png", "maskable"),
)
"""File, size, type and purpose of each icon; `tests/pictures/icons.py` draws those that are PNG."""


@cache_control(max_age=86400)
@require_safe
def manifest(request: HttpRequest) -> JsonResponse:
    """Name, colours and icons of the site, in the reader's language."""
    home = reverse("home")
    told = {
        "id": home,
        "start_url": home,
        "scope": home,
        "name": gettext("Gem server"),
        "short_name": gettext("Gem server"),
        "description": gettext("Board games at your own pace"),
        "lang": get_language(),
        "display": "standalone",
        "background_color": "#f6f5f2",
        "theme_color": "#ffffff",
        "icons": [
            {"src": static(path), "sizes": size, "type": kind, "purpose": purpose}
            for path, size, kind, purpose in ICONS
        ],
    }
    return JsonResponse(told, content_type="application/manifest+json")
