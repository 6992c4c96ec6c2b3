"""Template context of every page."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, Any]:
    """Say whether this is the embedded server (one-click sign-in, mail room)."""
    return {"embedded": settings.EMBEDDED}
