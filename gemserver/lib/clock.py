"""The one place that asks what time it is."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone


def now() -> datetime:
    """The present instant, aware, in UTC; in tests as far ahead as `settings.CLOCK_OFFSET` says."""
    return timezone.now() + timedelta(seconds=settings.CLOCK_OFFSET)
