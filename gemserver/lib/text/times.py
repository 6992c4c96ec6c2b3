"""Instants in words where no template shows them."""

from __future__ import annotations

from datetime import datetime

from django.utils.formats import date_format
from django.utils.timezone import localtime


def show_time(at: datetime) -> str:
    """The instant in the active language and zone, in the one format of the moderators' pages: `24 Nov 2026 18:05`."""
    return date_format(localtime(at), "DATETIME_FORMAT")
