"""The one place that asks what time it is."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone


def now() -> datetime:
    """The present instant, aware, in UTC."""
    return timezone.now()
